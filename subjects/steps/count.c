/*
 * The loop of the Fitnex paper over a fixed number of elements, so that paths and inputs stay short, and with a target that no
 * input reaches, so that a search of it does not end.
 */
int count(int x, const int y[16])
{
    if (x == 90) {
        for (int i = 0; i < 16; i++) {
            if (y[i] == 15)
                x++;
        }
        if (x < 90)
            return 1;
    }
    return 0;
}

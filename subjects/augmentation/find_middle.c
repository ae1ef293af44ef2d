/* FindMiddle: which of three numbers lies between the others. */

int find_middle(int a, int b, int c)
{
    if ((a < b && b < c) || (c < b && b < a))
        return b;
    if ((a < c && c < b) || (b < c && c < a))
        return c;
    return a;
}

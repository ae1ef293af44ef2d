/* Remainder: what is left of a if b is taken away as often as possible, without division; -1 if one of them is 0. */

int remainder_of(int a, int b)
{
    if (a == 0 || b == 0)
        return -1;
    if (a > 0) {
        if (b > 0) {
            while (a >= b)
                a -= b;
        } else {
            while (a >= -b)
                a += b;
        }
    } else {
        if (b > 0) {
            while (-a >= b)
                a += b;
        } else {
            while (a <= b)
                a -= b;
        }
    }
    return a;
}

/* MaxValue: the greatest number with so many digits in base 2, 8, 10 or 16; -1 in other bases. */

static long power(int base, int exponent)
{
    long result = 1;

    while (exponent > 0) {
        result *= base;
        exponent--;
    }
    return result;
}

long max_value(int base, int digits)
{
    if (digits < 0)
        return -1;
    switch (base) {
    case 2:
    case 8:
    case 10:
    case 16:
        return power(base, digits) - 1;
    default:
        return -1;
    }
}

/* Power: base to the power of exponent; -1 if that is no whole number. */

long power(int base, int exponent)
{
    long result = 1;

    if (exponent < 0)
        return -1;
    while (exponent > 0) {
        result *= base;
        exponent--;
    }
    return result;
}

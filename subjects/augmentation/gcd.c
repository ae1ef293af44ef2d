/* GCD: the greatest common divisor, as Euclid finds it. */

int gcd(int a, int b)
{
    if (b == 0)
        return a;
    return gcd(b, a % b);
}

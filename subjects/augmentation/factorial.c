/* Factorial: the product of the numbers from 1 to n; -1 if there is none. */

long factorial(int n)
{
    long product = 1;

    if (n < 0)
        return -1;
    for (int i = 2; i <= n; i++)
        product *= i;
    return product;
}

/* Fibonacci: the number with this index, from a table of those before it; -1 if there is none that fits. */

#define MOST 90

long fibonacci(int n)
{
    long table[MOST + 1];

    if (n < 0 || n > MOST)
        return -1;
    table[0] = 0;
    table[1] = 1;
    for (int i = 2; i <= n; i++)
        table[i] = table[i - 1] + table[i - 2];
    return table[n];
}

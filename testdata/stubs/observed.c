/* Code whose work is to call others and to print: what they are given, how often, and the text are all there is to see. */
#include <stdbool.h>
#include <stdio.h>

void log_write(int level, float share, int line);

void visit(const int *values, int n, void (*each)(void *user, short value, bool last), void *user)
{
    if (n < 0) {
        log_write(3, 0.5f, __LINE__);
        return;
    }
    for (int i = 0; i < n && i < 3; i++)
        each(user, (short)(values[i] ^ 10), i == n - 1);
}

void report(int n)
{
    if (n > 3)
        printf("%d more\n", n - 3);
    else
        fprintf(stderr, "none\n");
}

/* One way to end per kind of end. */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int table[4] = {1, 2, 3, 4};

int returns(int n) { return n + 1; }
void returns_nothing(void) {}
int adds(int a, int b) { return a + b; }
int divides(int a, int b) { return a / b; }
int shifts(int a, int by) { return a << by; }
int converts(double x) { return (int)x; }
int indexes(int i) { return table[i]; }
void traps(void) { __builtin_trap(); }
int reads(const int *p) { return *p; }
void writes(char *p, int i) { p[i] = 1; }
void raises(int number) { raise(number); }
void exits(int status) { exit(status); }
void exits_at_once(int status) { _exit(status); }
void aborts(void) { abort(); }
void asserts(int n) { assert(n > 0); }

int recurses(int n)
{
    char frame[1000];

    memset(frame, n, sizeof frame);
    return n == 0 ? frame[0] : recurses(n - 1) + frame[1];
}

int spins(int n)
{
    while (n > 0)
        n = n % 7 + 1;
    return n;
}

size_t allocates(size_t blocks)
{
    size_t i;

    for (i = 0; i < blocks; i++)
        memset(malloc(1 << 20), 1, 1 << 20);
    return i;
}

void frees_twice(void)
{
    char *p = malloc(4);

    free(p);
    free(p);
}

void waits(void) { pause(); }

int prints(const char *name)
{
    printf("hello %s\n", name);
    return fprintf(stderr, "to error\n");
}

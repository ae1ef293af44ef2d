/* Parameters of many types, some of which no case can give. */
#include <complex.h>
#include <stdio.h>

struct hidden;
union number { int i; float f; };
struct flags { unsigned low : 3; int sign : 1; union number number; int list[3]; char name[8]; };
enum colour { RED, GREEN = 5 };
typedef int (*handler)(int);

int counter = 3;

int from_file(FILE *file) { return file == NULL; }
int apply(handler handle, int n) { return handle ? handle(n) : n; }
int peek(struct hidden *hidden) { return hidden != 0; }
double real(double complex z) { return creal(z); }
long double twice(long double x) { return x * 2; }
int total(int count, ...) { return count; }
int unpack(struct flags flags) { return (int)flags.low + flags.sign + flags.number.i + flags.list[2] + flags.name[0]; }
enum colour pick(enum colour colour, _Bool wanted) { return wanted ? colour : RED; }
int bump(int by) { return counter += by; }
float half(float x) { return x / 2; }
unsigned char narrow(unsigned char c) { return c; }
int follow(int **p) { return **p; }
int shared(int *a, int *b) { *a = 7; return *b; }

int fill(char *buffer, int n)
{
    for (int i = 0; i < n; i++)
        buffer[i] = (char)('a' + i % 26);
    return n;
}

/* More ways to go than are listed. */
int route(int n)
{
    switch (n) {
    case 0: case 10: case 20: return 1;
    case 1: case 11: case 21: return 2;
    case 2: case 12: case 22: return 3;
    case 3: case 13: case 23: return 4;
    case 4: case 14: case 24: return 5;
    default: return 6;
    }
}

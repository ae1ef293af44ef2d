/*
 * Control flow: switches of all shapes, loops, gotos, short circuits, selects and the phis they make.
 */
#include "observe.h"
#include <stdint.h>

//: dense [3] -> 30 | on a
//: dense [9] -> -1
int dense(int a)
{
    switch (a) {
    case 0: return 0;
    case 1: return 10;
    case 2: return 20;
    case 3: return 30;
    case 4: return 40;
    default: return -1;
    }
}

//: sparse [1000000] -> 3
//: sparse [-5] -> 1
//: sparse [7] -> 0
int sparse(int a)
{
    switch (a) {
    case -5: return 1;
    case 12: return 2;
    case 1000000: return 3;
    case 2147483647: return 4;
    case -2147483647 - 1: return 5;
    }
    return 0;
}

//: wide [9223372036854775807] -> 2
//: wide [-1] -> 1
int wide(int64_t a)
{
    switch (a) {
    case -1: return 1;
    case 9223372036854775807: return 2;
    case 4294967296: return 3;
    default: return 0;
    }
}

//: narrow [200] -> 1
int narrow(uint8_t a)
{
    switch (a) {
    case 200: return 1;
    case 255: return 2;
    default: return 0;
    }
}

//: fallthrough [1] -> 7
//: fallthrough [2] -> 6
//: fallthrough [3] -> 4
int fallthrough(int a)
{
    int result = 0;

    switch (a) {
    case 1:
        result += 1;
    case 2:
        result += 2;
    case 3:
        result += 4;
        break;
    default:
        result = -1;
    }
    return result;
}

//: ranges [15] -> 1
//: ranges [99] -> 2
//: ranges [100] -> 0
int ranges(int a)
{
    switch (a) {
    case 10 ... 20: return 1;
    case 50 ... 99: return 2;
    default: return 0;
    }
}

//: empty_switch [5] -> 1
int empty_switch(int a)
{
    switch (a) {
    default:
        return 1;
    }
}

//: count [5] -> 15
int count(int n)
{
    int sum = 0;

    for (int i = 1; i <= n; i++) {
        if (i == 1000)
            break;
        sum += i;
    }
    return sum;
}

//: digits [12345] -> 5
//: digits [0] -> 1
int digits(unsigned n)
{
    int result = 0;

    do {
        result++;
        n /= 10;
    } while (n != 0);
    return result;
}

//: gcd [48, 18] -> 6
unsigned gcd(unsigned a, unsigned b)
{
    while (b != 0) {
        unsigned t = a % b;

        a = b;
        b = t;
    }
    return (unsigned)observe(a);
}

//: jumps [3] -> 111
//: jumps [-3] -> 100
int jumps(int a)
{
    int result = 0;

    if (a < 0)
        goto negative;
again:
    if (a == 0)
        goto done;
    result = result * 10 + 1;
    a--;
    if (a > 5)
        a = 5;
    goto again;
negative:
    return 100;
done:
    return result;
}

//: short_circuit [1, 0, 1] -> 1
//: short_circuit [0, 1, 0] -> 0
//: short_circuit [0, 1, 1] -> 1
int short_circuit(int a, int b, int c) { return a || (b && c); }

//: nested [5, 6] -> 11
//: nested [6, 5] -> -1
int nested(int a, int b)
{
    int result = (a < b ? (a > 0 ? a : -a) : (b > 100 ? 0 : -12)) ^ 0;

    if (result > 0 && result < 1000000 && b > -1000000 && b < 1000000)
        return (int)observe((unsigned)(result + b));
    return -1;
}

//: continues [[3, -1, 4, 0, 9], 5] -> 7
int continues(const signed char *values, int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++) {
        if (values[i] < 0)
            continue;
        if (values[i] == 0)
            break;
        sum += values[i];
    }
    return sum;
}

//: comma [3, 4] -> 12
int comma(int16_t a, int16_t b)
{
    int c = (a += 1, a - 1);

    return (int)observe((unsigned)(c * b));
}

//: rotate_phis [1, 2, 3, 4] -> 2
//: rotate_phis [1, 2, 3, 2] -> 3
int rotate_phis(int a, int b, int c, unsigned n)
{
    for (unsigned i = 0; i < n % 8; i++) {
        int t = a;

        a = b;
        b = c;
        c = t;
    }
    return (int)observe((unsigned)a);
}

//: endless [1] ends step limit
//: endless [0] -> 0
int endless(int a)
{
    while (a)
        ;
    return 0;
}

//: duff [10] -> 10 | fixed
int duff(int n)
{
    int result = 0, rounds = (n + 3) / 4;

    switch (n % 4) {
    case 0: do { result++;
    case 3:      result++;
    case 2:      result++;
    case 1:      result++;
            } while (--rounds > 0);
    }
    return result;
}

//: statement_expression [4] -> 17
int statement_expression(int16_t a)
{
    return ({
        int square = a * a;
        if (square > 15)
            square++;
        (int)observe((unsigned)square);
    });
}

//: case_in_loop [[1, 2, 3, 0], 4] -> 123
int case_in_loop(const unsigned char *steps, int n)
{
    int state = 0;

    for (int i = 0; i < n; i++)
        switch (steps[i]) {
        case 0: return state;
        case 1: state = state * 10 + 1; break;
        case 2: state = state * 10 + 2; break;
        default: state = state * 10 + 3;
        }
    return -1;
}

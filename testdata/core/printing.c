/*
 * snprintf and its relatives: digits and strings of symbolic values; what streams get is recorded as output.
 */
#include "observe.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char buffer[64];

static int look(int length)
{
    for (int i = 0; buffer[i] && i < 64; i++)
        observe((unsigned char)buffer[i]);
    return length;
}

//: decimal [-305] -> 4 | on a
int decimal(int a) { return look(snprintf(buffer, sizeof buffer, "%d", a)); }

//: unsigned_long [18446744073709551615] -> 20
int unsigned_long(unsigned long a) { return look(snprintf(buffer, sizeof buffer, "%lu", a)); }

//: hexadecimal [48879] -> 6
int hexadecimal(unsigned a) { return look(snprintf(buffer, sizeof buffer, "%#x", a)); }

//: octal [8] -> 2
int octal(unsigned a) { return look(snprintf(buffer, sizeof buffer, "%o", a)); }

//: padded [42] -> 19 | keeps address
int padded(short a) { return look(snprintf(buffer, sizeof buffer, "[%6d|%-6d|%03d]", a, a, a)) * 1; }

//: string ["abc"] -> 5 | on text[0]
int string(const char *text) { return look(snprintf(buffer, sizeof buffer, "<%s>", text)); }

//: part_of_string ["abcdef"] -> 2
int part_of_string(const char *text) { return look(snprintf(buffer, sizeof buffer, "%.2s", text)); }

//: character [65] -> 2
int character(unsigned char c) { return look(snprintf(buffer, sizeof buffer, "%c%%", c)); }

//: mixed [7, "ab", 255] -> 9
int mixed(unsigned char a, const char *text, unsigned char b)
{
    return look(snprintf(buffer, sizeof buffer, "%d:%s=%x;%ld", a, text, b, (long)a));
}

//: cut [12345] -> 5
int cut(unsigned short a)
{
    int n = snprintf(buffer, 4, "%d", a);

    return buffer[3] == 0 ? look(n) : -1;
}

//: old [7] -> 3
int old(signed char a) { return look(sprintf(buffer, "a=%d", a)); }

static int formatted(const char *format, ...)
{
    va_list list;
    int n;

    va_start(list, format);
    n = vsnprintf(buffer, sizeof buffer, format, list);
    va_end(list);
    return n;
}

//: wrapped [5, 6] -> 4
int wrapped(unsigned char a, unsigned char b) { return look(formatted("%d, %u", a, (unsigned)b)); }

//: char_and_short [-1, -1] -> 7
int char_and_short(int a, int b) { return look(snprintf(buffer, sizeof buffer, "%hhu %hu", a, b)) > 8 ? 7 : 7; }

//: to_stream [5] -> 4 | keeps native printf | concrete | prints a=5 | own
int to_stream(unsigned char a) { return printf("a=%d\n", a % 10); }

//: text_to_stream ["hi"] -> 1 | prints hi | own
int text_to_stream(const char *text)
{
    if (text[0] == 'h')
        return puts(text) >= 0;
    return 0;
}

//: error_stream [3] -> 3 | prints oops
int error_stream(int a)
{
    if (a == 3)
        fputs("oops", stderr);
    return a;
}

/*
 * string.h: searches and tokens, where the result is a pointer that depends on symbolic characters.
 */
#define _GNU_SOURCE
#include "observe.h"
#include <string.h>
#include <strings.h>

static int at(const char *base, const void *found) { return found ? (int)((const char *)found - base) : -1; }

//: first ["key=value"] -> 3 | on text[0] text[3]
//: first ["none"] -> -1
int first(const char *text) { return at(text, strchr(text, '=')); }

//: first_of ["abc", 99] -> 2 | on text[0] c
int first_of(const char *text, int c) { return at(text, strchr(text, c)); }

//: last ["a/b/c"] -> 3
int last(const char *text) { return at(text, strrchr(text, '/')); }

//: first_or_end ["abc"] -> 3
int first_or_end(const char *text) { return at(text, strchrnul(text, ':')); }

//: old_names ["a.b.c"] -> 13
int old_names(const char *text) { return at(text, index(text, '.')) * 10 + at(text, rindex(text, '.')); }

//: part ["hello world"] -> 6
//: part ["hello"] -> -1
int part(const char *text) { return at(text, strstr(text, "wor")); }

//: part_any_case ["HELLO World"] -> 6
int part_any_case(const char *text) { return at(text, strcasestr(text, "WORLD")); }

//: spaces ["  x"] -> 2
size_t spaces(const char *text) { return strspn(text, " \t"); }

//: until ["name: value"] -> 4
size_t until(const char *text) { return strcspn(text, ":;"); }

//: any ["1+2*3"] -> 1
int any(const char *text) { return at(text, strpbrk(text, "*+")); }

//: byte [[5, 6, 7, 8]] -> 2
int byte(const unsigned char *bytes) { return at((const char *)bytes, memchr(bytes, 7, 4)); }

//: last_byte [[7, 6, 7, 8]] -> 2
int last_byte(const unsigned char *bytes) { return at((const char *)bytes, memrchr(bytes, 7, 4)); }

//: block [[1, 2, 3, 4]] -> 1
int block(const unsigned char *bytes) { return at((const char *)bytes, memmem(bytes, 4, "\2\3", 2)); }

//: words ["one two  three"] -> 3 | keeps address
int words(char *text)
{
    int count = 0;

    for (char *word = strtok(text, " "); word; word = strtok(0, " "))
        count++;
    return count;
}

//: fields ["a,b;c"] -> 3
int fields(char *text)
{
    char *rest;
    int count = 0;

    for (char *word = strtok_r(text, ",;", &rest); word; word = strtok_r(0, ",;", &rest))
        count++;
    return count;
}

//: separated ["a,,b"] -> 3
int separated(char *text)
{
    int count = 0;

    while (strsep(&text, ","))
        count++;
    return count;
}

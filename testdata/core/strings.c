/*
 * string.h: lengths, comparisons and copies of strings whose characters are symbolic.
 */
#define _GNU_SOURCE
#include "observe.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

//: length ["hello"] -> 5 | on text[0] text[5]
size_t length(const char *text) { return strlen(text); }

//: bounded_length ["hello", 3] -> 3 | on text[0] text[2]
size_t bounded_length(const char *text, size_t n) { return strnlen(text, n); }

//: equal ["port"] -> 1 | on text[0] text[4]
//: equal ["part"] -> 0
int equal(const char *text) { return strcmp(text, "port") == 0; }

//: order ["abc", "abd"] -> -1 | on a[2] b[2]
//: order ["b", "abd"] -> 1
int order(const char *a, const char *b) { return strcmp(a, b) < 0 ? -1 : strcmp(a, b) > 0; }

//: prefix ["--verbose"] -> 1
//: prefix ["-v"] -> 0
int prefix(const char *text) { return strncmp(text, "--", 2) == 0; }

//: same_letters ["HeLLo"] -> 1
//: same_letters ["help!"] -> 0
int same_letters(const char *text) { return strcasecmp(text, "hello") == 0; }

//: same_prefix ["GETx"] -> 1
int same_prefix(const char *text) { return strncasecmp(text, "get", 3) == 0; }

//: collate ["abc", "abc"] -> 0
int collate(const char *a, const char *b) { return strcoll(a, b); }

//: copied ["abc"] -> 98 | on text[1]
int copied(const char *text)
{
    char buffer[16];

    strcpy(buffer, text);
    return (int)observe((unsigned char)buffer[1]);
}

//: copied_part ["abcdef"] -> 99
int copied_part(const char *text)
{
    char buffer[8];

    strncpy(buffer, text, sizeof buffer);
    return (int)observe((unsigned char)buffer[2]) + buffer[7];
}

//: joined ["ab", "cd"] -> 99 | on b[0]
int joined(const char *a, const char *b)
{
    char buffer[16];

    strcpy(buffer, a);
    strcat(buffer, b);
    return (int)observe((unsigned char)buffer[strlen(a)]);
}

//: joined_part ["ab", "cdef"] -> 4
size_t joined_part(const char *a, const char *b)
{
    char buffer[16] = "";

    strncat(buffer, a, 8);
    strncat(buffer, b, 2);
    return strlen(buffer);
}

//: end_of_copy ["abc"] -> 3
long end_of_copy(const char *text)
{
    char buffer[16];

    return stpcpy(buffer, text) - buffer;
}

//: end_of_part ["abc"] -> 3
long end_of_part(const char *text)
{
    char buffer[16];

    return stpncpy(buffer, text, 8) - buffer;
}

//: duplicated ["abc"] -> 97 | on text[0]
int duplicated(const char *text)
{
    char *copy = strdup(text);
    int result = copy[0];

    observe((unsigned char)result);
    free(copy);
    return result;
}

//: duplicated_part ["abcdef"] -> 2
size_t duplicated_part(const char *text)
{
    char *copy = strndup(text, 2);
    size_t result = strlen(copy);

    free(copy);
    return result;
}

//: compared [[1, 2, 3], [1, 2, 9]] -> -1
int compared(const unsigned char *a, const unsigned char *b)
{
    int order = memcmp(a, b, 3);

    return order < 0 ? -1 : order > 0;
}

//: copied_until ["key=value"] -> 4
int copied_until(const char *text)
{
    char buffer[32];
    char *end = memccpy(buffer, text, '=', strlen(text));

    return end ? (int)(end - buffer) : -1;
}

//: zeroed ["abc"] -> 0
int zeroed(const char *text)
{
    char buffer[4];

    memcpy(buffer, text, 4);
    if (buffer[0] == 'a')
        bzero(buffer, sizeof buffer);
    return buffer[1];
}

//: native_message [2] -> 78 | keeps native strerror | concrete | fixed
int native_message(int number) { return strerror(number)[0]; }

/* A check that reports and counts; the number of failures is the exit status. */
#include <stdio.h>

static int failures;

#define CHECK(condition) \
    ((condition) ? (void)0 : (void)(failures++, fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition)))

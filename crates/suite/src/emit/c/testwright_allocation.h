/* Lets allocations of the code under test fail. The linker sends its calls here (see ALLOCATION_WRAP in the Makefile).
 * Written by Testwright; yours to keep and change. */
#ifndef TESTWRIGHT_ALLOCATION_H
#define TESTWRIGHT_ALLOCATION_H

#include <stddef.h>

/* errno = ENOMEM, whatever the headers of the code under test make of errno. */
int *testwright_errno(void) __asm__("__errno_location");
#define TESTWRIGHT_ENOMEM 12

/* Allocations are counted from the first of these lines of a test on; the first one is number 1. */
#define fail_allocation(number) testwright_fail_allocation(number, number)
#define fail_allocations_from(number) testwright_fail_allocation(number, (size_t)-1)

/* Every file of tests of a program defines this; the linker takes one definition for all of them. */
#define TESTWRIGHT_WEAK __attribute__((__weak__))

TESTWRIGHT_WEAK struct testwright_failing {
    size_t first, last;
} testwright_failing[32];
TESTWRIGHT_WEAK size_t testwright_failing_count;
TESTWRIGHT_WEAK size_t testwright_allocations;

__attribute__((unused)) static void testwright_fail_allocation(size_t first, size_t last)
{
    testwright_allocations = 0;
    testwright_failing[testwright_failing_count].first = first;
    testwright_failing[testwright_failing_count].last = last;
    testwright_failing_count++;
}

static int testwright_allocation_fails(void)
{
    size_t number = ++testwright_allocations, i;

    for (i = 0; i < testwright_failing_count; i++) {
        if (testwright_failing[i].first <= number && number <= testwright_failing[i].last) {
            *testwright_errno() = TESTWRIGHT_ENOMEM;
            return 1;
        }
    }
    return 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_reallocarray(void *block, size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t count);

void *__wrap_malloc(size_t size);
TESTWRIGHT_WEAK void *__wrap_malloc(size_t size)
{
    return testwright_allocation_fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size);
TESTWRIGHT_WEAK void *__wrap_calloc(size_t count, size_t size)
{
    return testwright_allocation_fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size);
TESTWRIGHT_WEAK void *__wrap_realloc(void *block, size_t size)
{
    return testwright_allocation_fails() ? NULL : __real_realloc(block, size);
}

void *__wrap_reallocarray(void *block, size_t count, size_t size);
TESTWRIGHT_WEAK void *__wrap_reallocarray(void *block, size_t count, size_t size)
{
    return testwright_allocation_fails() ? NULL : __real_reallocarray(block, count, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size);
TESTWRIGHT_WEAK void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return testwright_allocation_fails() ? NULL : __real_aligned_alloc(alignment, size);
}

char *__wrap_strdup(const char *text);
TESTWRIGHT_WEAK char *__wrap_strdup(const char *text)
{
    return testwright_allocation_fails() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t count);
TESTWRIGHT_WEAK char *__wrap_strndup(const char *text, size_t count)
{
    return testwright_allocation_fails() ? NULL : __real_strndup(text, count);
}

#endif

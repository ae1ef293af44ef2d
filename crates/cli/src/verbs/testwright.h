/* What callers of a function promise, for Testwright; nothing at all for other compilers. Each macro is a statement at the
 * start of the function that it is about:
 *
 *     int sum(const int *items, int count, int mode)
 *     {
 *         TESTWRIGHT_LENGTH(items, count);         items leads to count elements
 *         TESTWRIGHT_RANGE(mode, 0, 3);            mode is 0, 1, 2 or 3
 *         TESTWRIGHT_REQUIRES(count > 0);          any expression over parameters and global variables
 *
 * No test breaks a promise. Written by `testwright header`. */
#ifndef TESTWRIGHT_H
#define TESTWRIGHT_H

#ifdef __TESTWRIGHT__
#define TESTWRIGHT_TEXT_OF_(line) #line
#define TESTWRIGHT_LINE_(line) TESTWRIGHT_TEXT_OF_(line)
#define TESTWRIGHT_PROMISE_(kind, ...)                                                                  \
    do {                                                                                                \
        static const char tw_promise[] __attribute__((__used__)) =                                      \
            kind ":" TESTWRIGHT_LINE_(__LINE__) ":" __VA_ARGS__;                                        \
    } while (0)
#else
#define TESTWRIGHT_PROMISE_(kind, ...) ((void)0)
#endif

/* The pointer leads to as many elements as the parameter says. */
#define TESTWRIGHT_LENGTH(pointer, count) TESTWRIGHT_PROMISE_("length", #pointer "," #count)
/* The number is from low to high; both are written as whole numbers. */
#define TESTWRIGHT_RANGE(number, low, high) TESTWRIGHT_PROMISE_("range", #number "," #low "," #high)
/* The pointer is not null. */
#define TESTWRIGHT_NON_NULL(pointer) TESTWRIGHT_PROMISE_("non_null", #pointer)
/* The pointer leads to text that ends with a NUL. */
#define TESTWRIGHT_TEXT(pointer) TESTWRIGHT_PROMISE_("text", #pointer)
/* The expression holds. */
#define TESTWRIGHT_REQUIRES(...) TESTWRIGHT_PROMISE_("requires", #__VA_ARGS__)

#endif

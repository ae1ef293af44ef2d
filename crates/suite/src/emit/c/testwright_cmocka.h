/* What the cmocka tests beside this file need beyond cmocka. Written by Testwright; yours to keep and change. */
#ifndef TESTWRIGHT_CMOCKA_H
#define TESTWRIGHT_CMOCKA_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* Text may fill an array that has no room for a NUL. */
#ifdef __clang__
#if __has_warning("-Wunterminated-string-initialization")
#pragma clang diagnostic ignored "-Wunterminated-string-initialization"
#endif
#elif defined(__GNUC__) && __GNUC__ >= 15
#pragma GCC diagnostic ignored "-Wunterminated-string-initialization"
#endif

/* Floats are compared bit by bit: -0.0 is not 0.0. */
#define TESTWRIGHT_SAME(type, actual, expected, size)                                  \
    do {                                                                               \
        const type testwright_actual = (actual), testwright_expected = (expected);     \
        assert_memory_equal(&testwright_actual, &testwright_expected, size);           \
    } while (0)
#define assert_same_float(actual, expected) TESTWRIGHT_SAME(float, actual, expected, sizeof(float))
#define assert_same_double(actual, expected) TESTWRIGHT_SAME(double, actual, expected, sizeof(double))
/* The bytes past the tenth are padding on x86. */
#define assert_same_long_double(actual, expected) \
    TESTWRIGHT_SAME(long double, actual, expected, sizeof(long double) > 10 ? 10 : sizeof(long double))
#define assert_near(actual, expected, margin) \
    assert_true((actual) - (expected) <= (margin) && (expected) - (actual) <= (margin))
#define assert_nan(actual) assert_true((actual) != (actual))

/* A call that must not return, in a process of its own; then what must be so of how that ended. */
#define TESTWRIGHT_APART(call, otherwise, claim)                                       \
    do {                                                                               \
        pid_t testwright_child;                                                        \
        int testwright_ended = 0;                                                      \
        fflush(stdout);                                                                \
        testwright_child = fork();                                                     \
        if (testwright_child == 0) {                                                   \
            call;                                                                      \
            _exit(otherwise);                                                          \
        }                                                                              \
        assert_int_equal(waitpid(testwright_child, &testwright_ended, 0), testwright_child); \
        assert_true(claim);                                                            \
    } while (0)
/* A call that must end in exit(status), or in abort(). */
#define assert_exits(call, status)                        \
    TESTWRIGHT_APART(call, ~(status) & 0xff, WIFEXITED(testwright_ended) \
                     && WEXITSTATUS(testwright_ended) == ((status) & 0xff))
#define assert_aborts(call)          \
    TESTWRIGHT_APART(call, 0, WIFSIGNALED(testwright_ended) && WTERMSIG(testwright_ended) == SIGABRT)

#ifndef NAN
#define NAN (__builtin_nanf(""))
#endif
#ifndef INFINITY
#define INFINITY (__builtin_inff())
#endif

#define SET_ARRAY(array, values) memcpy((void *)(array), values, sizeof(values))
/* An object that the code under test frees: NEW(int, {1}), NEW(char[4], {"abc"}). */
#undef NEW
#define NEW(type, ...) testwright_new(&(type)__VA_ARGS__, sizeof(type))
/* KEEP copies a variable, so that it can be seen afterwards whether it was changed. */
#undef KEEP
#define KEEP(variable)                    \
    __typeof__(variable) variable##_kept; \
    memcpy((void *)&variable##_kept, (const void *)&variable, sizeof variable)
#define assert_kept(variable) assert_memory_equal(&variable, &variable##_kept, sizeof variable)
/* Both texts end with a zero. */
#define assert_stream(stream, expected)                                          \
    do {                                                                         \
        assert_int_equal(testwright_held(stream)->size, sizeof(expected) - 1);   \
        assert_memory_equal(testwright_held(stream)->text, expected, sizeof(expected)); \
    } while (0)
/* What standard output and standard error are given from CAPTURE() on. */
#undef CAPTURE
#define CAPTURE() testwright_capture()
#define assert_printed(expected)                                                 \
    do {                                                                         \
        char testwright_text[4096];                                              \
        size_t testwright_length = testwright_release(testwright_text, sizeof testwright_text); \
        assert_int_equal(testwright_length, sizeof(expected) - 1);               \
        assert_memory_equal(testwright_text, expected, sizeof(expected) - 1);    \
    } while (0)
#define FLOAT_OF_BITS(bits) testwright_float_of_bits(bits)
#define DOUBLE_OF_BITS(bits) testwright_double_of_bits(bits)

__attribute__((unused)) static void *testwright_new(const void *contents, size_t size)
{
    void *block = malloc(size);

    if (block == NULL) {
        abort();
    }
    memcpy(block, contents, size);
    return block;
}

__attribute__((unused)) static float testwright_float_of_bits(unsigned bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

__attribute__((unused)) static double testwright_double_of_bits(unsigned long long bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A pipe for what is printed, and what standard output and standard error were. */
__attribute__((unused)) static int testwright_captured[2], testwright_output, testwright_error;

__attribute__((unused)) static void testwright_capture(void)
{
    fflush(stdout);
    testwright_output = dup(STDOUT_FILENO);
    testwright_error = dup(STDERR_FILENO);
    if (testwright_output < 0 || testwright_error < 0 || pipe(testwright_captured) != 0
        || fcntl(testwright_captured[1], F_SETFL, O_NONBLOCK) != 0)
        abort();
    /* As if it were a file, wherever it goes otherwise. */
    setvbuf(stdout, NULL, _IOFBF, BUFSIZ);
    dup2(testwright_captured[1], STDOUT_FILENO);
    dup2(testwright_captured[1], STDERR_FILENO);
}

/* Ends it; how much was printed of what there is room for. */
__attribute__((unused)) static size_t testwright_release(char *text, size_t room)
{
    size_t length = 0;
    ssize_t more;

    fflush(stdout);
    dup2(testwright_output, STDOUT_FILENO);
    dup2(testwright_error, STDERR_FILENO);
    close(testwright_output);
    close(testwright_error);
    close(testwright_captured[1]);
    while (length < room && (more = read(testwright_captured[0], text + length, room - length)) > 0)
        length += (size_t)more;
    close(testwright_captured[0]);
    return length;
}

/* Tests do not free what the code under test hands out. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

/* Runs each test in a process of its own; how many failed. */
__attribute__((unused)) static int run_tests_apart(const struct CMUnitTest *tests, size_t count)
{
    int failed = 0;
    size_t i;

    for (i = 0; i < count; i++) {
        int status = 0;
        pid_t child;

        fflush(stdout);
        child = fork();
        if (child == 0)
            exit(_cmocka_run_group_tests(tests[i].name, &tests[i], 1, NULL, NULL) == 0 ? 0 : 1);
        if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            fprintf(stderr, "%s: failed\n", tests[i].name);
            failed++;
        }
    }
    return failed;
}

#endif

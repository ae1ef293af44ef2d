/* Runs the tests beside this file, each in a process of its own, so that none sees what another left behind.
 * Written by Testwright; yours to keep and change. */
#define _POSIX_C_SOURCE 200809L
#include "testwright_check.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* A test that passed ends with this status, so that code that calls exit(0) does not pass for one. */
enum { PASSED = 93, FAILED = 94, SECONDS = 10 };

static testwright_test *first, **last = &first;
static const testwright_test *current;
static int failed;

void testwright_register(testwright_test *test)
{
    *last = test;
    last = &test->testwright_next;
}

static void fail(const char *file, int line, const char *what)
{
    failed = 1;
    printf("# %s: %s:%d: %s: ", current->testwright_name, file, line, what);
}

void testwright_true(const char *file, int line, const char *what, int holds)
{
    if (!holds) {
        fail(file, line, what);
        printf("does not hold\n");
    }
}

void testwright_int(const char *file, int line, const char *what, long long actual, long long expected)
{
    if (actual != expected) {
        fail(file, line, what);
        printf("expected %lld, got %lld\n", expected, actual);
    }
}

void testwright_pointer(const char *file, int line, const char *what, const void *actual, const void *expected)
{
    if (actual != expected) {
        fail(file, line, what);
        printf("expected %p, got %p\n", expected, actual);
    }
}

void testwright_float(const char *file, int line, const char *what, float actual, float expected)
{
    if (memcmp(&actual, &expected, sizeof actual) != 0) {
        fail(file, line, what);
        printf("expected %.9g (%a), ", (double)expected, (double)expected);
        printf("got %.9g (%a)\n", (double)actual, (double)actual);
    }
}

void testwright_double(const char *file, int line, const char *what, double actual, double expected)
{
    if (memcmp(&actual, &expected, sizeof actual) != 0) {
        fail(file, line, what);
        printf("expected %.17g (%a), got %.17g (%a)\n", expected, expected, actual, actual);
    }
}

void testwright_long_double(const char *file, int line, const char *what, long double actual, long double expected)
{
    /* The bytes past the tenth are padding on x86. */
    if (memcmp(&actual, &expected, sizeof actual > 10 ? 10 : sizeof actual) != 0) {
        fail(file, line, what);
        printf("expected %.21Lg (%La), got %.21Lg (%La)\n", expected, expected, actual, actual);
    }
}

void testwright_near(const char *file, int line, const char *what, double actual, double expected, double margin)
{
    if (!(actual - expected <= margin && expected - actual <= margin)) {
        fail(file, line, what);
        printf("expected %.17g within %g, got %.17g\n", expected, margin, actual);
    }
}

void testwright_nan(const char *file, int line, const char *what, int is_nan)
{
    if (!is_nan) {
        fail(file, line, what);
        printf("expected NaN\n");
    }
}

void testwright_string(const char *file, int line, const char *what, const char *actual, const char *expected)
{
    if (actual == NULL || strcmp(actual, expected) != 0) {
        fail(file, line, what);
        printf("expected \"%s\", got \"%s\"\n", expected, actual == NULL ? "(null)" : actual);
    }
}

void testwright_array(const char *file, int line, const char *what, const void *actual, const void *expected,
                      size_t size, size_t element)
{
    size_t at = 0;

    while (at < size && ((const char *)actual)[at] == ((const char *)expected)[at])
        at++;
    if (at < size) {
        fail(file, line, what);
        printf("differs from what was expected at index %lu\n", (unsigned long)(at / element));
    }
}

void testwright_content(const char *file, int line, const char *what, const char *actual, size_t actual_size,
                        const char *expected, size_t expected_size)
{
    if (actual_size != expected_size || memcmp(actual, expected, expected_size) != 0) {
        fail(file, line, what);
        printf("expected to hold \"%s\", but it holds \"%s\"\n", expected, actual);
    }
}

/* A pipe for what nobody else is to hear; what is too long for it is lost. */
static int open_aside(int aside[2])
{
    return pipe(aside) == 0 && fcntl(aside[1], F_SETFL, O_NONBLOCK) == 0;
}

/* Where what is printed goes meanwhile, and what standard output and standard error were. */
static int captured[2], output, error;

void testwright_capture(void)
{
    fflush(stdout);
    output = dup(STDOUT_FILENO);
    error = dup(STDERR_FILENO);
    if (output < 0 || error < 0 || !open_aside(captured)) {
        perror("testwright: cannot capture what is printed");
        exit(FAILED);
    }
    /* As if it were a file, wherever it goes otherwise. */
    setvbuf(stdout, NULL, _IOFBF, BUFSIZ);
    dup2(captured[1], STDOUT_FILENO);
    dup2(captured[1], STDERR_FILENO);
}

void testwright_printed(const char *file, int line, const char *expected, size_t size)
{
    char text[4096];
    size_t length = 0;
    ssize_t more;

    fflush(stdout);
    dup2(output, STDOUT_FILENO);
    dup2(error, STDERR_FILENO);
    close(output);
    close(error);
    close(captured[1]);
    while (length < sizeof text && (more = read(captured[0], text + length, sizeof text - length)) > 0)
        length += (size_t)more;
    close(captured[0]);
    if (length != size || memcmp(text, expected, size) != 0) {
        fail(file, line, "what is printed");
        printf("expected \"%s\", got \"%.*s\"\n", expected, (int)length, text);
    }
}

void *testwright_new(const void *contents, size_t size)
{
    void *block = malloc(size);

    if (block == NULL) {
        abort();
    }
    memcpy(block, contents, size);
    return block;
}

void testwright_copy(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
}

float testwright_float_of_bits(unsigned bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

double testwright_double_of_bits(unsigned long long bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Tests do not free what the code under test hands out, and let it ask for more memory than there is. What a sanitizer
 * ends has a status that no test expects. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0:allocator_may_return_null=1:exitcode=95";
}
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
    return "exitcode=95";
}

/* The test in this process; it does not come back. */
static void run_here(const testwright_test *test)
{
    current = test;
    alarm(SECONDS);
    test->testwright_body();
    if (test->testwright_kind == TESTWRIGHT_EXITS) {
        printf("# %s: returned, but exit(%d) was expected\n", test->testwright_name, test->testwright_status);
        exit(test->testwright_status == FAILED ? PASSED : FAILED);
    }
    if (test->testwright_kind == TESTWRIGHT_ABORTS) {
        printf("# %s: returned, but abort() was expected\n", test->testwright_name);
        exit(FAILED);
    }
    exit(failed ? FAILED : PASSED);
}

static int aborted(int status)
{
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

/* Ends it; what it holds is heard after all, if wanted. */
static void close_aside(const int aside[2], int wanted)
{
    char text[512];
    ssize_t length;

    close(aside[1]);
    while (wanted && (length = read(aside[0], text, sizeof text)) > 0)
        fwrite(text, 1, (size_t)length, stderr);
    close(aside[0]);
}

/* Runs the test in a child; how that ended, as waitpid tells it. Who aborts as expected need not say why. */
static int run_apart(const testwright_test *test)
{
    int status = 0, aside[2];
    int quiet = test->testwright_kind == TESTWRIGHT_ABORTS && open_aside(aside);
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        if (quiet)
            dup2(aside[1], STDERR_FILENO);
        run_here(test);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("testwright: cannot run a test in a process of its own");
        exit(EXIT_FAILURE);
    }
    if (quiet)
        close_aside(aside, !aborted(status));
    return status;
}

static void say_how(const testwright_test *test, int status)
{
    if (WIFSIGNALED(status))
        printf("# %s: ended by signal %d (%s)\n", test->testwright_name, WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != FAILED && WEXITSTATUS(status) != PASSED)
        printf("# %s: ended with exit status %d\n", test->testwright_name, WEXITSTATUS(status));
}

/* Whether the test did as it should. What should end badly should do so, unless it is expected to be fixed. */
static int is_ok(const testwright_test *test, int status, int expect_fixed)
{
    int ended = WIFEXITED(status) ? WEXITSTATUS(status) : -1;

    switch (test->testwright_kind) {
    case TESTWRIGHT_EXITS:
        return ended == (test->testwright_status & 0xff);
    case TESTWRIGHT_ABORTS:
        return aborted(status);
    case TESTWRIGHT_FINDING:
        return (ended == PASSED) == expect_fixed;
    default:
        return ended == PASSED;
    }
}

int testwright_passes(const char *name)
{
    const testwright_test *test;

    for (test = first; test != NULL; test = test->testwright_next) {
        if (strcmp(test->testwright_name, name) == 0) {
            int status = run_apart(test);

            if (!is_ok(test, status, 0))
                say_how(test, status);
            return is_ok(test, status, 0);
        }
    }
    printf("# %s: there is no such test\n", name);
    return 0;
}

/* Tests that another library runs have its main. */
#ifndef TESTWRIGHT_NO_MAIN
/* --only NAME runs one test, --here NAME in this process; --expect-fixed expects that nothing ends badly any more. */
int main(int argc, char **argv)
{
    int expect_fixed = argc > 1 && strcmp(argv[1], "--expect-fixed") == 0;
    int here = argc > 2 && strcmp(argv[1], "--here") == 0;
    const char *only = here || (argc > 2 && strcmp(argv[1], "--only") == 0) ? argv[2] : NULL;
    int number = 0, wrong = 0;
    const testwright_test *test;

    for (test = first; test != NULL; test = test->testwright_next) {
        int status, ok;

        if (only != NULL && strcmp(only, test->testwright_name) != 0)
            continue;
        if (here)
            run_here(test);
        status = run_apart(test);
        ok = is_ok(test, status, expect_fixed);

        if (!ok || test->testwright_kind == TESTWRIGHT_FINDING)
            say_how(test, status);
        if (!ok && test->testwright_kind == TESTWRIGHT_FINDING)
            printf("# %s: %s\n", test->testwright_name, expect_fixed ? "still ends badly" : "no longer ends badly");
        printf("%s %d - %s\n", ok ? "ok" : "not ok", ++number, test->testwright_name);
        wrong += !ok;
    }
    printf("1..%d\n# %d passed, %d failed\n", number, number - wrong, wrong);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
#endif

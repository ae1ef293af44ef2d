/* What the tests beside this file are written with. Written by Testwright; yours to keep and change. */
#ifndef TESTWRIGHT_CHECK_H
#define TESTWRIGHT_CHECK_H

/* Text may fill an array that has no room for a NUL. */
#ifdef __clang__
#if __has_warning("-Wunterminated-string-initialization")
#pragma clang diagnostic ignored "-Wunterminated-string-initialization"
#endif
#elif defined(__GNUC__) && __GNUC__ >= 15
#pragma GCC diagnostic ignored "-Wunterminated-string-initialization"
#endif

/* No system header is included: the code under test may have names of its own that such a header declares. Nor are there names
   here that it may have macros for. */
typedef struct testwright_test {
    const char *testwright_name;
    void (*testwright_body)(void);
    int testwright_kind;
    int testwright_status;
    struct testwright_test *testwright_next;
} testwright_test;

enum { TESTWRIGHT_TEST, TESTWRIGHT_EXITS, TESTWRIGHT_ABORTS, TESTWRIGHT_FINDING };

void testwright_register(testwright_test *);
/* Each is given the file, the line, what is checked, what it is and what it should be. */
void testwright_true(const char *, int, const char *, int);
void testwright_int(const char *, int, const char *, long long, long long);
void testwright_pointer(const char *, int, const char *, const void *, const void *);
void testwright_float(const char *, int, const char *, float, float);
void testwright_double(const char *, int, const char *, double, double);
void testwright_long_double(const char *, int, const char *, long double, long double);
/* The last is by how much it may be off. */
void testwright_near(const char *, int, const char *, double, double, double);
void testwright_nan(const char *, int, const char *, int);
void testwright_string(const char *, int, const char *, const char *, const char *);
/* The last are the sizes of the whole and of an element. */
void testwright_array(const char *, int, const char *, const void *, const void *, __SIZE_TYPE__, __SIZE_TYPE__);
/* What a stream holds and how many bytes that are, and what it should hold. */
void testwright_content(const char *, int, const char *, const char *, __SIZE_TYPE__, const char *, __SIZE_TYPE__);
/* From the first on, what is printed is kept; the second is given what that should be. */
void testwright_capture(void);
void testwright_printed(const char *, int, const char *, __SIZE_TYPE__);
/* Runs the test of this name in a process of its own; whether it passed. */
int testwright_passes(const char *);
/* A copy of so many bytes in allocated memory, for code that frees it. */
void *testwright_new(const void *, __SIZE_TYPE__);
/* Copies so many bytes to the first from the second. */
void testwright_copy(void *, const void *, __SIZE_TYPE__);
float testwright_float_of_bits(unsigned);
double testwright_double_of_bits(unsigned long long);

#define TESTWRIGHT_DEFINE(name, kind, status)                                                        \
    static void testwright_body_##name(void);                                                        \
    static testwright_test testwright_test_##name = {#name, testwright_body_##name, kind, status, 0}; \
    __attribute__((constructor)) static void testwright_register_##name(void)                        \
    {                                                                                                \
        testwright_register(&testwright_test_##name);                                                \
    }                                                                                                \
    static void testwright_body_##name(void)

/* The code under test may have macros with these names; here they mean ours. */
#undef TEST
#undef TEST_EXITS
#undef TEST_ABORTS
#undef FINDING
#undef CHECK
#undef CHECK_EQ
#undef CHECK_PTR
#undef CHECK_NOT_NULL
#undef CHECK_FLOAT
#undef CHECK_DOUBLE
#undef CHECK_LONG_DOUBLE
#undef CHECK_NAN
#undef CHECK_NEAR
#undef CHECK_STR
#undef CHECK_ARRAY
#undef CHECK_STREAM
#undef CHECK_PRINTED
#undef CAPTURE
#undef SET_ARRAY
#undef NEW
#undef KEEP
#undef CHECK_KEPT

/* A test; one that must end in exit(status); one that must abort; something that ends badly. Each runs in a process of its
   own. */
#define TEST(name) TESTWRIGHT_DEFINE(name, TESTWRIGHT_TEST, 0)
#define TEST_EXITS(name, status) TESTWRIGHT_DEFINE(name, TESTWRIGHT_EXITS, status)
#define TEST_ABORTS(name) TESTWRIGHT_DEFINE(name, TESTWRIGHT_ABORTS, 0)
#define FINDING(name) TESTWRIGHT_DEFINE(name, TESTWRIGHT_FINDING, 0)

#define CHECK(condition) testwright_true(__FILE__, __LINE__, #condition, (condition) ? 1 : 0)
#define CHECK_EQ(actual, expected) \
    testwright_int(__FILE__, __LINE__, #actual, (long long)(actual), (long long)(expected))
#define CHECK_PTR(actual, expected) \
    testwright_pointer(__FILE__, __LINE__, #actual, (const void *)(actual), (const void *)(expected))
#define CHECK_NOT_NULL(actual) testwright_true(__FILE__, __LINE__, #actual " != NULL", (actual) ? 1 : 0)
/* Floats are compared bit by bit: -0.0 is not 0.0. */
#define CHECK_FLOAT(actual, expected) testwright_float(__FILE__, __LINE__, #actual, actual, expected)
#define CHECK_DOUBLE(actual, expected) testwright_double(__FILE__, __LINE__, #actual, actual, expected)
#define CHECK_LONG_DOUBLE(actual, expected) testwright_long_double(__FILE__, __LINE__, #actual, actual, expected)
#define CHECK_NEAR(actual, expected, margin) \
    testwright_near(__FILE__, __LINE__, #actual, (double)(actual), (double)(expected), margin)
#define CHECK_NAN(actual) testwright_nan(__FILE__, __LINE__, #actual, (actual) != (actual))
#define CHECK_STR(actual, expected) \
    testwright_string(__FILE__, __LINE__, #actual, (const char *)(actual), expected)
#define CHECK_ARRAY(actual, expected)                                                                   \
    testwright_array(__FILE__, __LINE__, #actual, (const void *)(actual), expected, sizeof(expected), \
                     sizeof((expected)[0]))
#define CHECK_STREAM(stream, expected)                                                            \
    testwright_content(__FILE__, __LINE__, #stream, testwright_held(stream)->text,                  \
                       testwright_held(stream)->size, expected, sizeof(expected) - 1)
/* What standard output and standard error are given from CAPTURE() on. */
#define CAPTURE() testwright_capture()
#define CHECK_PRINTED(expected) testwright_printed(__FILE__, __LINE__, expected, sizeof(expected) - 1)
#define CHECK_KEPT(variable)                                                                              \
    testwright_array(__FILE__, __LINE__, #variable, (const void *)&variable, (const void *)&variable##_kept, \
                     sizeof(variable), 1)
/* KEEP copies a variable, so that it can be seen afterwards whether it was changed. */
#define KEEP(variable)                    \
    __typeof__(variable) variable##_kept; \
    testwright_copy((void *)&variable##_kept, (const void *)&variable, sizeof(variable))
#define SET_ARRAY(array, values) testwright_copy((void *)(array), values, sizeof(values))
/* An object that the code under test frees: NEW(int, {1}), NEW(char[4], {"abc"}). */
#define NEW(type, ...) testwright_new(&(type)__VA_ARGS__, sizeof(type))

#define FLOAT_OF_BITS(bits) testwright_float_of_bits(bits)
#define DOUBLE_OF_BITS(bits) testwright_double_of_bits(bits)
#ifndef NAN
#define NAN (__builtin_nanf(""))
#endif
#ifndef INFINITY
#define INFINITY (__builtin_inff())
#endif
/* For code that has types of <stdint.h> without it. */
#ifndef SIZE_MAX
#define SIZE_MAX __SIZE_MAX__
#endif
#ifndef INT16_MIN
#define INT16_MIN (-__INT16_MAX__ - 1)
#endif
#ifndef INT16_MAX
#define INT16_MAX __INT16_MAX__
#endif
#ifndef UINT16_MAX
#define UINT16_MAX __UINT16_MAX__
#endif
#ifndef INT32_MIN
#define INT32_MIN (-__INT32_MAX__ - 1)
#endif
#ifndef INT32_MAX
#define INT32_MAX __INT32_MAX__
#endif
#ifndef UINT32_MAX
#define UINT32_MAX __UINT32_MAX__
#endif
#ifndef INT64_MIN
#define INT64_MIN (-__INT64_MAX__ - 1)
#endif
#ifndef INT64_MAX
#define INT64_MAX __INT64_MAX__
#endif
#ifndef UINT64_MAX
#define UINT64_MAX __UINT64_MAX__
#endif

#endif

/* What the GoogleTest tests beside this file need beyond GoogleTest. Written by Testwright; yours to keep and change. */
#ifndef TESTWRIGHT_GTEST_H
#define TESTWRIGHT_GTEST_H

#include <climits>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* Floats are compared bit by bit: -0.0 is not 0.0. */
inline bool same_float(float actual, float expected)
{
    return std::memcmp(&actual, &expected, sizeof actual) == 0;
}

inline bool same_double(double actual, double expected)
{
    return std::memcmp(&actual, &expected, sizeof actual) == 0;
}

inline bool same_long_double(long double actual, long double expected)
{
    /* The bytes past the tenth are padding on x86. */
    return std::memcmp(&actual, &expected, sizeof actual > 10 ? 10 : sizeof actual) == 0;
}

/* Calls in a process of its own; how that ended, as waitpid tells it, and as `otherwise` if the call returned. EXPECT_EXIT does
   the same, but it wants to write to /tmp, which not every sandbox allows. */
template <typename Call> int ended_apart(Call call, int otherwise)
{
    int ended = 0;

    std::fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        call();
        _exit(otherwise);
    }
    EXPECT_EQ(waitpid(child, &ended, 0), child);
    return ended;
}

inline testing::AssertionResult exited(int ended, int status)
{
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == status)
        return testing::AssertionSuccess();
    return testing::AssertionFailure() << "it returned, or ended otherwise than by exit(" << status << ")";
}

inline testing::AssertionResult aborted(int ended)
{
    if (WIFSIGNALED(ended) && WTERMSIG(ended) == SIGABRT)
        return testing::AssertionSuccess();
    return testing::AssertionFailure() << "it returned, or ended otherwise than by abort()";
}

/* A call that must end in exit(status), or in abort(). */
#define EXPECT_EXITS(call, status) EXPECT_TRUE(exited(ended_apart([&] { call; }, (status) ? 0 : 1), status))
#define EXPECT_ABORTS(call) EXPECT_TRUE(aborted(ended_apart([&] { call; }, 0)))

/* KEEP copies a variable, so that it can be seen afterwards whether it was changed. */
#undef KEEP
#define KEEP(variable)                \
    decltype(variable) variable##_kept; \
    std::memcpy(&variable##_kept, &variable, sizeof variable)
#define EXPECT_KEPT(variable) EXPECT_EQ(std::memcmp(&variable, &variable##_kept, sizeof variable), 0)

inline float FLOAT_OF_BITS(unsigned bits)
{
    float value;

    std::memcpy(&value, &bits, sizeof value);
    return value;
}

inline double DOUBLE_OF_BITS(unsigned long long bits)
{
    double value;

    std::memcpy(&value, &bits, sizeof value);
    return value;
}

/* Tests do not free what the code under test hands out. */
extern "C" __attribute__((weak)) const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

#endif

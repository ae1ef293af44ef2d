/* Tests for 19 functions of everything.c. Written by Testwright (seed 1); run `make check`. */
#include "everything_subject.h"

#include <stdbool.h>
#include <stddef.h>
#include "testwright_check.h"

TEST(paint_returns_GREEN)
{
    enum colour result = paint(GREEN, false, '\0');

    CHECK_EQ(result, GREEN);
}

TEST(paint_returns_BLUE)
{
    enum colour result = paint((enum colour)2, true, 'b');

    CHECK_EQ(result, BLUE);
}

TEST(half_returns_about_1_55)
{
    double result = half(0.3, -0.1f, 1.5L);

    CHECK_DOUBLE(result, 0x1.8cccccc666666p0);
}

TEST(negate_returns_minus_0)
{
    float result = negate(0.0f);

    CHECK_FLOAT(result, -0.0f);
}

TEST(negate_returns_inf)
{
    float result = negate(-INFINITY);

    CHECK_FLOAT(result, INFINITY);
}

TEST(twice_returns_3)
{
    long double result = twice(1.5L);

    CHECK_LONG_DOUBLE(result, 3.0L);
}

TEST(wide_returns_1267650600228229401496703205377)
{
    unsigned __int128 result = wide(((unsigned __int128)0x1000000000u << 64 | 0x0u));

    CHECK(result == ((unsigned __int128)0x1000000000u << 64 | 0x1u));
}

TEST(most_returns_uint64_max)
{
    uint64_t result = most(-1, 0);

    CHECK_EQ(result, UINT64_MAX);
}

TEST(most_returns_9223372041149743102)
{
    uint64_t result = most(INT64_MAX, UINT32_MAX);

    CHECK_EQ(result, 9223372041149743102u);
}

TEST(decode_returns_minus_2)
{
    uint8_t data[] = {'~', 3, 'a', 'b'};
    struct frame out = {0};

    int result = decode(data, 4, &out);

    CHECK_EQ(result, -2);
    CHECK_EQ(out.length, 4);
    CHECK_STR(out.name, "~\003ab");
    CHECK_DOUBLE(out.ratio, -0.0);
    CHECK_EQ(out.at.y, 4);
    CHECK_EQ(out.high, 17);
    CHECK_EQ(out.number, 1069547520);
}

TEST(sort_keeps_a)
{
    int a[] = {7};

    sort(a, 1);

    CHECK_EQ(a[0], 7);
}

TEST(sort_changes_a)
{
    int a[] = {3, 1, 2};

    sort(a, 3);

    const int expected[] = {1, 2, 3};
    CHECK_ARRAY(a, expected);
}

TEST(find_returns_null)
{
    char text[] = "";

    char *result = find(text, 'b');

    CHECK_PTR(result, NULL);
}

TEST(find_returns_pointer)
{
    char text[] = "a \"b\"\n";

    char *result = find(text, 'b');

    CHECK_PTR(result, text + 3);
}

TEST(greeting_returns_pointer)
{
    const char *result = greeting();

    CHECK_NOT_NULL(result);
}

TEST(total_returns_0)
{
    int result = total(NULL);

    CHECK_EQ(result, 0);
}

TEST(total_returns_3)
{
    list list_value_next = {.value = 2, .next = NULL};
    list list_value = {.value = 1, .next = &list_value_next};

    int result = total(&list_value);

    CHECK_EQ(result, 3);
}

TEST(total_returns_103)
{
    list list_value = {.value = 1, .next = NULL};
    list list_value_next = {.value = 2, .next = &list_value_next};
    list_value.next = &list_value_next;

    int result = total(&list_value);

    CHECK_EQ(result, 103);
}

TEST(longest_returns_1)
{
    const char names_0[] = "ab";
    const char names_1[] = "abc";
    const char *names[] = {names_0, names_1};

    int result = longest(names, 2);

    CHECK_EQ(result, 1);
}

TEST(trace_of_returns_5)
{
    int rows[][2] = {{1, 2}, {3, 4}};

    int result = trace_of(rows);

    CHECK_EQ(result, 5);
}

TEST(mirror_returns_point)
{
    struct point p = {.x = 1, .y = -2};

    struct point result = mirror(p);

    CHECK_EQ(result.x, -2);
    CHECK_EQ(result.y, 1);
}

TEST(state_returns_321)
{
    count = 1;
    int table_before[] = {0, 20, 0, 0};
    SET_ARRAY(table, table_before);
    origin = (struct point){.x = 300, .y = 0};

    int result = state();

    CHECK_EQ(result, 321);
}

TEST(bump_keeps_value)
{
    int value = 0;

    bump(&value);

    CHECK_EQ(value, 0);
}

TEST(bump_changes_value)
{
    int value = 1;

    bump(&value);

    CHECK_EQ(value, 2);
}

TEST_EXITS(quit_exits_with_3, 3)
{
    quit(3);
}

TEST(unknown_returns_nan)
{
    double result = unknown(2.0);

    CHECK_NAN(result);
}

TEST(upper_changes_text)
{
    char text[] = "aB";

    upper(text);

    CHECK_STR(text, "AB");
}

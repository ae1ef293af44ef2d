/* Variables and functions that are only declared, or that another definition may replace. */

struct settings {
    int mode;
    int level;
};

extern const int limit;
extern int threshold;
extern const int sizes[];
extern int ages[];
extern struct settings settings;
extern const struct settings fixed;
extern const char *const names[];
extern int hook(void) __attribute__((weak));
__attribute__((weak)) const int grade = 3;
__attribute__((weak)) int policy(void) { return 0; }

int constant(int x)
{
    if (x > 10)
        return 0;
    if (limit == 4) // feasible
        return 1;
    return 0;
}

int variable(void)
{
    if (threshold == 4) // feasible
        return 1;
    return 0;
}

int constant_array(unsigned i)
{
    if (i != 20)
        return 0;
    if (sizes[i] == 4) // feasible
        return 1;
    return 0;
}

int array(unsigned i)
{
    if (i != 20)
        return 0;
    if (ages[i] == 4) // feasible
        return 1;
    return 0;
}

int record_field(void)
{
    if (settings.level == 3) // feasible
        return 1;
    return 0;
}

int constant_record(void)
{
    if (fixed.level == 3) // feasible
        return 1;
    return 0;
}

int pointers(void)
{
    if (names[1] == 0) // feasible
        return 1;
    return 0;
}

int weak_constant(void)
{
    if (grade == 7) // feasible
        return 1;
    return 0;
}

int weak_function(void)
{
    if (policy() == 5) // feasible
        return 1;
    return 0;
}

int weak_reference(void)
{
    if (hook) // feasible
        return 1;
    return 0;
}

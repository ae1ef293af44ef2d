/* Decisions of two to eight clauses, each in a function of its own; inputs from -4 to 8 show everything that can be shown. */

/* A chain of three. */
int is_triangle(int a, int b, int c)
{
    if (a > 0 && b > 0 && c > 0)
        return 1;
    return 0;
}

/* Ways join at the last clause. */
int may_enter(int age, int ticket, int guard)
{
    if ((age > 6 || ticket > 3) && guard == 0)
        return 1;
    return 0;
}

/* Both operators, and a negation of a part. */
int is_alarm(int heat, int smoke, int test, int mute)
{
    if (!(heat < 5 && smoke < 2) && !(test > 0 || mute > 6))
        return 1;
    return 0;
}

/* A value that nothing branches on. */
int overlaps(int from, int to, int low, int high)
{
    int is_valid = from <= to && low <= high;
    return is_valid;
}

/* A value in which ways join. */
int is_leap(int year)
{
    return (year % 2 == 0 && year % 3 != 0) || year % 6 == 0;
}

/* A condition that chooses between conditions. */
int is_within(int upwards, int at, int end)
{
    if (upwards > 0 ? at < end : at > end)
        return 1;
    return 0;
}

/* A loop that two things end, one of which no input is. */
int count_down(int from, int stop)
{
    int count = 0;
    while (from > 0 && (count < 3 || stop == 7)) {
        from--;
        count++;
    }
    return count;
}

/* A clause that is written twice. */
int vote(int a, int b, int c)
{
    if ((a > 0 && b > 0) || (a > 0 && c > 0) || (b > 0 && c > 0))
        return 1;
    return 0;
}

/* Clauses that cannot both be true: some of what the form allows cannot be. */
int sign_of(int a, int b)
{
    if ((a < 0 || a > 5) && (a < 0 || b == 2))
        return 1;
    return 0;
}

static int is_even(int a)
{
    return a % 2 == 0;
}

/* Clauses that call, one of them with a decision of its own as the argument. */
int calls(int a, int b, int c)
{
    if (is_even(a) && (is_even(b == 3 || c == 4) || b > 5))
        return 1;
    return 0;
}

/* Eight clauses. */
int is_allowed(int a, int b, int c, int d)
{
    return (a == 1 || b == 1) && (a == 2 || c == 2) && (c == 3 || d == 3) && (b == 4 || d == 4);
}

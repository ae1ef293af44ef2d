/* The 44 linear methods: six relations of seven shapes, and two pairs of equations. */

int sum_eq(int x, int y, int z)
{
    if (x + y == z)
        return 1;
    return 0;
}

int sum_ne(int x, int y, int z)
{
    if (x + y != z)
        return 1;
    return 0;
}

int sum_lt(int x, int y, int z)
{
    if (x + y < z)
        return 1;
    return 0;
}

int sum_le(int x, int y, int z)
{
    if (x + y <= z)
        return 1;
    return 0;
}

int sum_gt(int x, int y, int z)
{
    if (x + y > z)
        return 1;
    return 0;
}

int sum_ge(int x, int y, int z)
{
    if (x + y >= z)
        return 1;
    return 0;
}

int sum_of_constant_eq(int x, int z)
{
    if (x + 93287 == z)
        return 1;
    return 0;
}

int sum_of_constant_ne(int x, int z)
{
    if (x + 93287 != z)
        return 1;
    return 0;
}

int sum_of_constant_lt(int x, int z)
{
    if (x + 93287 < z)
        return 1;
    return 0;
}

int sum_of_constant_le(int x, int z)
{
    if (x + 93287 <= z)
        return 1;
    return 0;
}

int sum_of_constant_gt(int x, int z)
{
    if (x + 93287 > z)
        return 1;
    return 0;
}

int sum_of_constant_ge(int x, int z)
{
    if (x + 93287 >= z)
        return 1;
    return 0;
}

int product_eq(int x, int z)
{
    if (x * 74 == z)
        return 1;
    return 0;
}

int product_ne(int x, int z)
{
    if (x * 74 != z)
        return 1;
    return 0;
}

int product_lt(int x, int z)
{
    if (x * 74 < z)
        return 1;
    return 0;
}

int product_le(int x, int z)
{
    if (x * 74 <= z)
        return 1;
    return 0;
}

int product_gt(int x, int z)
{
    if (x * 74 > z)
        return 1;
    return 0;
}

int product_ge(int x, int z)
{
    if (x * 74 >= z)
        return 1;
    return 0;
}

int difference_eq(int x, int y, int z)
{
    if (x - y == z)
        return 1;
    return 0;
}

int difference_ne(int x, int y, int z)
{
    if (x - y != z)
        return 1;
    return 0;
}

int difference_lt(int x, int y, int z)
{
    if (x - y < z)
        return 1;
    return 0;
}

int difference_le(int x, int y, int z)
{
    if (x - y <= z)
        return 1;
    return 0;
}

int difference_gt(int x, int y, int z)
{
    if (x - y > z)
        return 1;
    return 0;
}

int difference_ge(int x, int y, int z)
{
    if (x - y >= z)
        return 1;
    return 0;
}

int difference_of_constant_eq(int x, int z)
{
    if (x - 93287 == z)
        return 1;
    return 0;
}

int difference_of_constant_ne(int x, int z)
{
    if (x - 93287 != z)
        return 1;
    return 0;
}

int difference_of_constant_lt(int x, int z)
{
    if (x - 93287 < z)
        return 1;
    return 0;
}

int difference_of_constant_le(int x, int z)
{
    if (x - 93287 <= z)
        return 1;
    return 0;
}

int difference_of_constant_gt(int x, int z)
{
    if (x - 93287 > z)
        return 1;
    return 0;
}

int difference_of_constant_ge(int x, int z)
{
    if (x - 93287 >= z)
        return 1;
    return 0;
}

int negative_eq(int y, int z)
{
    if (-y == z)
        return 1;
    return 0;
}

int negative_ne(int y, int z)
{
    if (-y != z)
        return 1;
    return 0;
}

int negative_lt(int y, int z)
{
    if (-y < z)
        return 1;
    return 0;
}

int negative_le(int y, int z)
{
    if (-y <= z)
        return 1;
    return 0;
}

int negative_gt(int y, int z)
{
    if (-y > z)
        return 1;
    return 0;
}

int negative_ge(int y, int z)
{
    if (-y >= z)
        return 1;
    return 0;
}

int negative_of_constant_eq(int y)
{
    if (-y == 234567)
        return 1;
    return 0;
}

int negative_of_constant_ne(int y)
{
    if (-y != 234567)
        return 1;
    return 0;
}

int negative_of_constant_lt(int y)
{
    if (-y < 234567)
        return 1;
    return 0;
}

int negative_of_constant_le(int y)
{
    if (-y <= 234567)
        return 1;
    return 0;
}

int negative_of_constant_gt(int y)
{
    if (-y > 234567)
        return 1;
    return 0;
}

int negative_of_constant_ge(int y)
{
    if (-y >= 234567)
        return 1;
    return 0;
}

int pair(int i, int j)
{
    if (i + j == 31 && i - j == 5)
        return 1;
    return 0;
}

int pair_of_three(int i, int j, int k)
{
    if (2 * i + j == 31 && i - 3 * j == k)
        return 1;
    return 0;
}

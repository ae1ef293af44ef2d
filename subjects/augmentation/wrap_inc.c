/* WrapInc: a counter that begins anew after 10. */

int wrap_inc(int n)
{
    if (n > 10)
        return 0;
    return n + 1;
}

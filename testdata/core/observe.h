/*
 * Looking at a value bit by bit: every bit decides a branch, so the path condition of a run tells the exact
 * expression of the whole value.
 */
#ifndef OBSERVE_H
#define OBSERVE_H

static int observed_ones;

static unsigned long long observe(unsigned long long value)
{
    for (int bit = 0; bit < 64; bit++)
        if (value >> bit & 1)
            observed_ones++;
    return value;
}

/* All NaNs are one: C does not say which of them an operation gives. */
static double observe_double(double value)
{
    unsigned long long bits;

    if (value != value) {
        observed_ones++;
        return value;
    }
    __builtin_memcpy(&bits, &value, sizeof bits);
    observe(bits);
    return value;
}

static float observe_float(float value)
{
    unsigned bits;

    if (value != value) {
        observed_ones++;
        return value;
    }
    __builtin_memcpy(&bits, &value, sizeof bits);
    observe(bits);
    return value;
}

#endif

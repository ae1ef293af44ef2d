/*
 * Part of an engine controller, in the manner of generated code: differences of short numbers are checked for overflow after
 * they are taken, and then limited. Conditions of a check pull against each other: a difference of a number that is not
 * negative and a negative one is negative only if it overflows.
 */

/* function: engine_limits */
/* A difference on 16 bits, as the controller's registers have it. */
static short difference(short a, short b)
{
    return (short)(a - b);
}

int engine_limits(short speed, short wanted, short load, short limit, short gain, unsigned char mode)
{
    short error = (short)(wanted - speed);
    short rest;
    int output = 0;
    if (wanted >= 0) {
        if (speed < 0) {
            if (error < 0)
                error = 32767;
        }
    } else {
        if (speed >= 0) {
            if (error >= 0)
                error = -32768;
        }
    }
    rest = (short)(limit - load);
    if (limit >= 0 && load < 0) {
        if (rest < 0)
            rest = 32767;
    }
    if (mode == 1) {
        if (error > rest)
            output = rest;
        else
            output = error;
        if (gain == 256) {
            if (output == load)
                return 1;
        }
    } else if (mode == 2) {
        if (gain < 0) {
            if (output == 0 && error == rest)
                return 2;
        } else if (gain == speed) {
            if (load == limit)
                return 3;
        }
    } else if (mode == 3) {
        if (difference(limit, load) > 12000 && gain > 20000) {
            if (speed == wanted)
                return 4;
        }
    }
    if (output > 1000)
        return 5;
    if (output < -1000)
        return 6;
    return 0;
}

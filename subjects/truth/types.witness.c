#include "types.c"
#include "witness.h"

int main(void)
{
    level = 4.0L;
    lanes[2] = 5;
    __imag__ wave = 2.0;
    flags.b = 17;
    SHOW(extended_global());
    SHOW(extended_parameter(4.0L));
    SHOW(extended_in_between(3));
    SHOW(vector());
    SHOW(complex_number());
    SHOW(outside_the_enumeration((enum color)77));
    SHOW(bit_field());
    SHOW(wide((__int128)1 << 100));
    SHOW(more_arguments(1, 42));
    SHOW(variable_length(6));
    return 0;
}

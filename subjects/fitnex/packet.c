/*
 * A packet with a checksum: a marker, a length that must agree with the real one, a kind, a payload without
 * zeros, and the exclusive or of all bytes at the end. The last byte depends on all others, so it must be
 * set right after every change.
 */
/* start: [[0], 1] */
/* reaches: [[126, 9, 2, 1, 1, 1, 1, 1, 116], 9] */
#include <stddef.h>

int packet(const unsigned char *bytes, size_t length)
{
    unsigned check = 0;
    unsigned filled = 0;

    if (length < 4)
        return -1;
    if (bytes[0] != 0x7e || bytes[1] != length)
        return -2;
    for (size_t i = 0; i + 1 < length; i++)
        check ^= bytes[i];
    if (check != bytes[length - 1])
        return -3;
    if (bytes[2] == 1)
        return 0;
    if (bytes[2] != 2)
        return -4;
    for (size_t i = 3; i + 1 < length; i++) {
        if (bytes[i] != 0)
            filled++;
    }
    if (filled == 5)
        return 1; /* target */
    return 0;
}

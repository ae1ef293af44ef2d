/*
 * Reads a sample of a raster whose samples may have many types: a number of bits and a format choose the type.
 */

/* function: get_sample */
/* start: [{"buffer": "", "size": 16}, 0, 0, 0] */
#include <string.h>

enum { FORMAT_UNSIGNED = 1, FORMAT_SIGNED = 2, FORMAT_FLOAT = 3 };

double get_sample(const unsigned char *data, unsigned short format, unsigned short bits, unsigned char index)
{
    const unsigned char *at = data + index % 2 * 8;
    if (format == FORMAT_UNSIGNED && bits == 1) {
        if (at[0] & 128)
            return 1;
        return 0;
    }
    if (format == FORMAT_UNSIGNED && bits == 8)
        return at[0];
    if (format == FORMAT_UNSIGNED && bits == 16)
        return at[0] + 256.0 * at[1];
    if (format == FORMAT_UNSIGNED && bits == 32)
        return at[0] + 256.0 * at[1] + 65536.0 * at[2] + 16777216.0 * at[3];
    if (format == FORMAT_SIGNED && bits == 8) {
        if (at[0] > 127)
            return at[0] - 256.0;
        return at[0];
    }
    if (format == FORMAT_SIGNED && bits == 16) {
        if (at[1] > 127)
            return at[0] + 256.0 * at[1] - 65536.0;
        return at[0] + 256.0 * at[1];
    }
    if (format == FORMAT_FLOAT && bits == 32) {
        float value;
        memcpy(&value, at, sizeof value);
        return value;
    }
    if (format == FORMAT_FLOAT && bits == 64) {
        double value;
        memcpy(&value, at, sizeof value);
        return value;
    }
    return -1;
}

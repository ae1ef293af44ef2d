/*
 * Writes a sample of a raster whose samples may have many types; what does not fit is limited.
 */

/* function: set_sample */
/* start: [{"buffer": "", "size": 8}, 0, 0, 0.0] */
enum { FORMAT_UNSIGNED = 1, FORMAT_SIGNED = 2, FORMAT_COMPLEX = 5 };

int set_sample(unsigned char *data, unsigned short format, unsigned short bits, double value)
{
    int stored = 0;
    if (format == FORMAT_UNSIGNED && bits == 8) {
        if (value < 0.0)
            stored = 0;
        else if (value > 255.0)
            stored = 255;
        else
            stored = (int)value;
        data[0] = (unsigned char)stored;
    } else if (format == FORMAT_UNSIGNED && bits == 16) {
        if (value < 0.0)
            stored = 0;
        else if (value > 65535.0)
            stored = 65535;
        else
            stored = (int)value;
        data[0] = (unsigned char)(stored & 255);
        data[1] = (unsigned char)(stored >> 8);
    } else if (format == FORMAT_SIGNED && bits == 8) {
        if (value < -128.0)
            stored = -128;
        else if (value > 127.0)
            stored = 127;
        else
            stored = (int)value;
        data[0] = (unsigned char)(stored & 255);
    } else if (format == FORMAT_SIGNED && bits == 16) {
        if (value < -32768.0)
            stored = -32768;
        else if (value > 32767.0)
            stored = 32767;
        else
            stored = (int)value;
        data[0] = (unsigned char)(stored & 255);
        data[1] = (unsigned char)(stored >> 8 & 255);
    } else if (format == FORMAT_COMPLEX && bits == 64) {
        data[0] = 0;
        return 2;
    } else {
        return 0;
    }
    return 1;
}

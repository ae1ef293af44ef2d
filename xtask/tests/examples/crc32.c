/* The published check value, the empty input, and agreement of both variants on every byte. */
#include "../../../examples/crc32.c"
#include "check.h"

int main(void)
{
    const uint8_t *digits = (const uint8_t *)"123456789";

    CHECK(crc32(digits, 9) == 0xcbf43926);
    CHECK(crc32_bitwise(digits, 9) == 0xcbf43926);
    CHECK(crc32(digits, 0) == 0);
    for (int byte = 0; byte < 256; byte++) {
        uint8_t data[2] = {(uint8_t)byte, (uint8_t)(255 - byte)};

        CHECK(crc32(data, 2) == crc32_bitwise(data, 2));
    }
    return failures;
}

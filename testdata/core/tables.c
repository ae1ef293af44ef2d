/*
 * Reads at symbolic places: constant tables become selections with a bounds condition, anything else keeps its address.
 */
#include "observe.h"
#include <stdint.h>

static const uint8_t squares[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
static const uint32_t words[4] = {0x11111111, 0x22222222, 0x33333333, 0xffffffff};
static const double reals[3] = {0.5, 1.5, 2.5};
static const struct entry { short key; int value; } entries[3] = {{5, 50}, {6, 60}, {7, 70}};
static const int grid[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
static int writable[4] = {1, 2, 3, 4};

//: square [5] -> 25 | on i
//: square [20] -> 0
unsigned square(unsigned i) { return i < 16 ? (unsigned)observe(squares[i]) : 0; }

//: masked [255] -> 225 | on i
unsigned masked(unsigned char i) { return (unsigned)observe(squares[i & 15]); }

//: word [3] -> 4294967295 | on i
uint32_t word(uint8_t i) { return (uint32_t)observe(words[i % 4]); }

//: real [2] -> 2.5 | on i
double real(uint8_t i) { return observe_double(reals[i % 3]); }

//: field [1] -> 60 | on i
int field(uint8_t i) { return (int)observe((unsigned)entries[i % 3].value); }

//: two_indices [1, 2] -> 7 | on i k
int two_indices(uint8_t i, uint8_t k) { return (int)observe((unsigned)grid[i % 3][k % 4]); }

//: chained [3] -> 81 | on i
unsigned chained(uint8_t i) { return (unsigned)observe(squares[squares[i & 3] & 15]); }

//: search [6] -> 60
//: search [8] -> -1
int search(short key)
{
    for (int i = 0; i < 3; i++)
        if (entries[i].key == key)
            return entries[i].value;
    return -1;
}

//: from_writable [2] -> 3 | keeps address | concrete
int from_writable(uint8_t i) { return writable[i & 3]; }

//: into_writable [2, 9] -> 9 | keeps address
int into_writable(uint8_t i, int value)
{
    writable[i & 3] = value;
    return (int)observe((unsigned)writable[i & 3]);
}

//: local_copy [2, 5] -> 5 | keeps address
int local_copy(uint8_t i, int value)
{
    int cells[4] = {0};

    cells[2] = value;
    return (int)observe((unsigned)cells[i & 3]);
}

//: text [1] -> 98 | on i
int text(uint8_t i) { return (int)observe((unsigned char)"abcd"[i & 3]); }

//: names [1] -> 103 | on i
int names(uint8_t i)
{
    static const char *const list[3] = {"red", "green", "blue"};

    return list[i % 3][0];
}

//: outside [15] -> 225
//: outside [16] ends trapped: array index out of bounds
unsigned outside(unsigned i) { return squares[i]; }

//: backwards [-1] -> 225
//: backwards [0] -> 0
unsigned backwards(int8_t i)
{
    const uint8_t *end = squares + 16;

    return i < 0 && i >= -16 ? (unsigned)observe(end[i]) : 0;
}

//: partly [1] -> 8738
uint16_t partly(uint8_t i)
{
    const uint16_t *halves = (const uint16_t *)words;

    return (uint16_t)observe(halves[(i & 3) * 2]);
}

//: bytes_of_words [4] -> 34
uint8_t bytes_of_words(uint8_t i) { return (uint8_t)observe(((const uint8_t *)words)[i & 15]); }

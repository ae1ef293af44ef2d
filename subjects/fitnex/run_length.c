/*
 * Runs of equal characters, as a run-length encoder sees them. The text must consist of exactly three runs,
 * the longest of seven characters: making a run longer and adding another one are different directions.
 */
/* start: ["x", 1] */
/* reaches: ["aabbbbbbbc", 10] */
#include <stddef.h>

int run_length(const char *text, size_t length)
{
    size_t runs = 0;
    size_t longest = 0;
    size_t i = 0;

    while (i < length) {
        size_t start = i;

        while (i < length && text[i] == text[start])
            i++;
        runs++;
        if (i - start > longest)
            longest = i - start;
    }
    if (runs == 3 && longest == 7)
        return 1; /* target */
    return 0;
}

/*
 * qsort and bsearch with comparators of the subject: the order of symbolic elements decides.
 */
#include "observe.h"
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

//: smallest [[3, 1, 2]] -> 1 | on values[0] values[1] values[2]
int smallest(int *values)
{
    qsort(values, 3, sizeof *values, ascending);
    return (int)observe((unsigned)values[0]);
}

//: sorted [[5, 3, 9, 1, 7]] -> 13579
int sorted(int *values)
{
    int result = 0;

    qsort(values, 5, sizeof *values, ascending);
    for (int i = 0; i < 5; i++)
        if (values[i] >= 0 && values[i] < 10)
            result = result * 10 + values[i];
    return result;
}

struct entry { char name[4]; double weight; };

static int by_weight(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

//: heaviest [[{"name": "a", "weight": 1.5}, {"name": "b", "weight": 2.5}, {"name": "c", "weight": 0.5}]] -> 98
int heaviest(struct entry *entries)
{
    qsort(entries, 3, sizeof *entries, by_weight);
    return (int)observe((unsigned char)entries[2].name[0]);
}

//: found [7] -> 2 | on key
//: found [8] -> -1
int found(int key)
{
    static const int list[5] = {1, 4, 7, 10, 13};
    const int *place = bsearch(&key, list, 5, sizeof *list, ascending);

    return place ? (int)(place - list) : -1;
}

//: found_in [[1, 4, 7, 10], 10] -> 3
int found_in(const int *list, int key)
{
    const int *place = bsearch(&key, list, 4, sizeof *list, ascending);

    return place ? (int)(place - list) : -1;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

//: first_word ["pear", "apple", "fig"] -> 97
int first_word(char *a, char *b, char *c)
{
    char *words[3] = {a, b, c};

    qsort(words, 3, sizeof *words, by_text);
    return words[0][0];
}

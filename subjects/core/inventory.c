/*
 * About a hundred lines of ordinary C, for measuring how long it takes from a file to code that can be run:
 * an inventory of articles with a price, looked up by name, with a few rules about discounts.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LENGTH 24
#define MOST_ARTICLES 64

enum status { OK, UNKNOWN, FULL, INVALID };

struct article {
    char name[NAME_LENGTH];
    unsigned count;
    long price;
};

struct inventory {
    struct article articles[MOST_ARTICLES];
    size_t used;
};

static struct article *find(struct inventory *inventory, const char *name)
{
    for (size_t i = 0; i < inventory->used; i++) {
        if (strcmp(inventory->articles[i].name, name) == 0)
            return &inventory->articles[i];
    }
    return NULL;
}

static int is_name(const char *text)
{
    size_t length = strlen(text);

    if (length == 0 || length >= NAME_LENGTH)
        return 0;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];

        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'))
            return 0;
    }
    return 1;
}

enum status put(struct inventory *inventory, const char *name, unsigned count, long price)
{
    struct article *article;

    if (!is_name(name) || price < 0)
        return INVALID;
    article = find(inventory, name);
    if (article == NULL) {
        if (inventory->used == MOST_ARTICLES)
            return FULL;
        article = &inventory->articles[inventory->used++];
        strcpy(article->name, name);
        article->count = 0;
    }
    article->count += count;
    article->price = price;
    return OK;
}

enum status take(struct inventory *inventory, const char *name, unsigned count)
{
    struct article *article = find(inventory, name);

    if (article == NULL || article->count < count)
        return UNKNOWN;
    article->count -= count;
    return OK;
}

/* Ten or more of a kind: five percent off; a hundred or more: ten percent; never below one cent. */
long price_of(long price, unsigned count)
{
    long total = price * (long)count;

    if (count >= 100)
        total -= total / 10;
    else if (count >= 10)
        total -= total / 20;
    if (total == 0 && price > 0 && count > 0)
        total = 1;
    return total;
}

long value_of(const struct inventory *inventory)
{
    long value = 0;

    for (size_t i = 0; i < inventory->used; i++)
        value += price_of(inventory->articles[i].price, inventory->articles[i].count);
    return value;
}

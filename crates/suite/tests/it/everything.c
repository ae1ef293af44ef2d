/* One function per kind of value that a case can hold. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum colour { RED, GREEN = 5, BLUE = -3 };
struct point { int x, y; };
struct frame {
    int length;
    char name[8];
    double ratio;
    struct point at;
    unsigned low : 3, high : 5;
    union { int number; float real; };
};
struct node { int value; struct node *next; };
typedef struct node list;

static int count;
static int table[4];
static struct point origin;

static enum colour paint(enum colour colour, bool mixed, char letter)
{
    return mixed ? (letter == 'b' ? BLUE : RED) : colour;
}

double half(double x, float y, long double z)
{
    return x / 2 + (double)y + (double)z;
}

float negate(float x) { return -x; }
long double twice(long double x) { return 2 * x; }
unsigned __int128 wide(unsigned __int128 x) { return x + 1; }
uint64_t most(int64_t x, uint32_t y) { return (uint64_t)x + y; }

int decode(const uint8_t *data, size_t size, struct frame *out)
{
    out->length = (int)size;
    memcpy(out->name, data, size < 7 ? size : 7);
    out->ratio = -0.0;
    out->at.y = 4;
    out->high = 17;
    out->real = 1.5f;
    return -2;
}

void sort(int *a, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (a[j] < a[i]) {
                int swap = a[i];
                a[i] = a[j];
                a[j] = swap;
            }
}

char *find(char *text, char letter) { return strchr(text, letter); }
const char *greeting(void) { return "hello"; }
int total(const list *list) { return list == NULL ? 0 : list->value + (list->next == list ? 100 : total(list->next)); }
int longest(const char **names, int n)
{
    int best = -1;
    for (int i = 0; i < n; i++)
        if (best < 0 || strlen(names[i]) > strlen(names[best]))
            best = i;
    return best;
}
int trace_of(int (*rows)[2]) { return rows[0][0] + rows[1][1]; }
struct point mirror(struct point p) { struct point q = {p.y, p.x}; return q; }
int state(void) { return count + table[1] + origin.x; }
void bump(int *value) { if (*value > 0) ++*value; }
void quit(int status) { exit(status); }
double unknown(double x) { return (x - x) / (x - x); }
void upper(char *text) { for (; *text; text++) if (*text >= 'a' && *text <= 'z') *text -= 32; }

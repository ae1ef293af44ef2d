/* Variables that nobody defines: numbers, a struct, an array of unknown length, a hidden one, and one of unknown type. */
extern int limit;
extern struct { int low, high; } window;
extern unsigned char table[];
extern __attribute__((visibility("hidden"))) long offset;
extern const char zone[];
struct handle;
extern struct handle nowhere;

int classify(int x)
{
    if (x > limit)
        return 1;
    if (x < window.low || x > window.high)
        return 2;
    if (table[3] == 'q')
        return 3;
    if (x + offset == 4321)
        return 4;
    return 0;
}

const char *name_of(const struct handle *handle)
{
    return handle == &nowhere ? zone : 0;
}

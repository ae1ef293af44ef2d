/* What functions may do that nobody defines here. Each function returns 1 where its goal is; stubs.witness.c shows that it can. */

#include <string.h>

struct item {
    int value;
    struct item *next;
};

struct pair {
    char a;
    int b;
};

extern void fill(int *to);
extern void peek(const int *from);
extern void bump(void);
extern void notify(int event);
extern void each(void (*visit)(int));
extern void walk(void (*visit)(void *, int), void *context);
extern void *get(void);
extern struct item *first_item(void);
extern struct pair make_pair(void);
extern const char *label(void);
extern long double ratio(void);
extern void read_block(unsigned char *to, unsigned count);
extern int next(void);
extern int read_sensor(void);
extern void keep(int *place);
extern void later(void);
extern double measure(int channel);

int counter;
static int mode;
static int seen;

int fills_third(void)
{
    int a[4] = {0, 0, 0, 0};
    fill(a);
    if (a[2] == 77) // feasible
        return 1;
    return 0;
}

int writes_through_const(void)
{
    int x = 0;
    peek(&x);
    if (x == 5) // feasible
        return 1;
    return 0;
}

int changes_global(void)
{
    counter = 0;
    bump();
    if (counter == 5) // feasible
        return 1;
    return 0;
}

void set_mode(int to)
{
    mode = to;
}

int changes_static_through_setter(int event)
{
    mode = 0;
    notify(event);
    if (mode == 3) // feasible
        return 1;
    return 0;
}

static void note(int x)
{
    seen = x;
}

int calls_back(void)
{
    seen = 0;
    each(note);
    if (seen == 9) // feasible
        return 1;
    return 0;
}

static void record(void *context, int x)
{
    *(int *)context = x;
}

int calls_back_with_context(void)
{
    int last = 0;
    walk(record, &last);
    if (last == 9) // feasible
        return 1;
    return 0;
}

int returns_object(void)
{
    const int *p = get();
    if (!p)
        return 0;
    if (*p == 3) // feasible
        return 1;
    return 0;
}

int returns_list(void)
{
    struct item *item = first_item();
    if (!item)
        return 0;
    if (!item->next)
        return 0;
    if (item->next->value == 4) // feasible
        return 1;
    return 0;
}

int returns_struct(void)
{
    struct pair pair = make_pair();
    if (pair.b == 6) // feasible
        return 1;
    return 0;
}

int returns_text(void)
{
    const char *text = label();
    if (!text)
        return 0;
    if (strlen(text) > 40) // feasible
        return 1;
    return 0;
}

int returns_long_double(void)
{
    if (ratio() > 2.5L) // feasible
        return 1;
    return 0;
}

int fills_buffer(void)
{
    unsigned char buffer[16];
    memset(buffer, 0, sizeof buffer);
    read_block(buffer, 16);
    if (buffer[10] == 'x') // feasible
        return 1;
    return 0;
}

int answers_differ_late(void)
{
    int before = 0;
    for (int i = 0; i < 40; i++) {
        int now = next();
        if (i == 39) {
            if (now != before) // feasible
                return 1;
        }
        before = now;
    }
    return 0;
}

int answers_with_a_number(void)
{
    if (read_sensor() == 12345) // feasible
        return 1;
    return 0;
}

int remembers_a_pointer(void)
{
    int x = 0;
    keep(&x);
    later();
    if (x == 4) // feasible
        return 1;
    return 0;
}

int answers_with_a_fraction(int channel)
{
    if (measure(channel) == 0.125) // feasible
        return 1;
    return 0;
}

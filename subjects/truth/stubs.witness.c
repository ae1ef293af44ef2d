#include "stubs.c"
#include "witness.h"

static int *kept;
static int calls;
static struct item second = {4, 0}, first = {1, &second};
void fill(int *to) { to[2] = 77; }
void peek(const int *from) { *(int *)from = 5; }
void bump(void) { counter = 5; }
void notify(int event) { set_mode(event); }
void each(void (*visit)(int)) { visit(9); }
void walk(void (*visit)(void *, int), void *context) { visit(context, 9); }
void *get(void) { static int three = 3; return &three; }
struct item *first_item(void) { return &first; }
struct pair make_pair(void) { struct pair pair = {1, 6}; return pair; }
const char *label(void) { return "a text of many more than forty characters, all in a row"; }
long double ratio(void) { return 3.0L; }
void read_block(unsigned char *to, unsigned count) { memset(to, 'x', count); }
int next(void) { return calls++ == 39; }
int read_sensor(void) { return 12345; }
void keep(int *place) { kept = place; }
void later(void) { *kept = 4; }
double measure(int channel) { return channel / 8.0; }

int main(void)
{
    SHOW(fills_third());
    SHOW(writes_through_const());
    SHOW(changes_global());
    SHOW(changes_static_through_setter(3));
    SHOW(calls_back());
    SHOW(calls_back_with_context());
    SHOW(returns_object());
    SHOW(returns_list());
    SHOW(returns_struct());
    SHOW(returns_text());
    SHOW(returns_long_double());
    SHOW(fills_buffer());
    SHOW(answers_differ_late());
    SHOW(answers_with_a_number());
    SHOW(remembers_a_pointer());
    SHOW(answers_with_a_fraction(1));
    return 0;
}

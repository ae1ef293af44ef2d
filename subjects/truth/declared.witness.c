#define TRUTH_ELSEWHERE
#include "witness.h"

/* The other definitions live in a file of their own, since a file cannot define what it declares weak twice. */
struct settings {
    int mode;
    int level;
};
const int limit = 4;
int threshold = 4;
const int sizes[32] = {[20] = 4};
int ages[32] = {[20] = 4};
struct settings settings = {0, 3};
const struct settings fixed = {0, 3};
const char *const names[] = {"a", 0};
const int grade = 7;
int policy(void) { return 5; }
int hook(void) { return 0; }

int constant(int x);
int variable(void);
int constant_array(unsigned i);
int array(unsigned i);
int record_field(void);
int constant_record(void);
int pointers(void);
int weak_constant(void);
int weak_function(void);
int weak_reference(void);

int main(void)
{
    SHOW(constant(0));
    SHOW(variable());
    SHOW(constant_array(20));
    SHOW(array(20));
    SHOW(record_field());
    SHOW(constant_record());
    SHOW(pointers());
    SHOW(weak_constant());
    SHOW(weak_function());
    SHOW(weak_reference());
    return 0;
}

/* What every subject exports; the instrumenter writes this for real ones. */
#include "runtime.h"

struct span { void *address; unsigned long length; };

#define ENTRIES(...) void (*tw_entries[])(long *, long *) = {__VA_ARGS__}
#define GLOBALS(...) struct span tw_globals[] = {__VA_ARGS__}; \
    unsigned long tw_globals_count = sizeof tw_globals / sizeof *tw_globals
#define NO_GLOBALS struct span tw_globals[1]; unsigned long tw_globals_count = 0
#define NO_TABLES struct span tw_tables[1]; unsigned long tw_tables_count = 0
#define NEEDS(bits) unsigned long tw_needs = bits; void *tw_stubs[1]; unsigned long tw_stubs_count = 0

/* An outcome is hit, as in a run build. */
static inline void hit(int outcome)
{
    if (!TW_COVERAGE[outcome]) {
        TW_COVERAGE[outcome] = 1;
        TW_NEWS++;
    }
}
/* A loop back edge, as in a run build. */
static inline void step(void)
{
    if (--TW_STEPS < 0)
        TW_step_limit();
}

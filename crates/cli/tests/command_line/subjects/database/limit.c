/* Defines what counter.c calls. */
#include "limit.h"
int limit(int n) { return n > MOST ? MOST : n; }

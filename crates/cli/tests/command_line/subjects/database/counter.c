/* Needs the flags of compile_commands.json: START and the header. */
#include "limit.h"
int count(int n) { return limit(START + n); }

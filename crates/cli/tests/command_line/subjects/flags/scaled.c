/* Needs -DSCALE and -I. */
#include <offset.h>
int scaled(int n) { return n * SCALE + OFFSET; }

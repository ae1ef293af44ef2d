/* User code that fails while the library is loaded. */
#include <unistd.h>
static __attribute__((constructor)) void start(void) { write(2, "about to crash\n", 15); *(volatile int *)0 = 1; }

/* User code that never comes back while the library is loaded. */
static __attribute__((constructor)) void start(void) { for (;;) __asm__ volatile(""); }

/* Calls a function of the compiler's library that nothing defines. */
extern int __sync_elsewhere(int x);
int calls(int n) { return __sync_elsewhere(n) + 1; }

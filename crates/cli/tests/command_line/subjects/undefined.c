/* Calls what nothing defines. */
int elsewhere(int n);
int calls(int n) { return elsewhere(n) + 1; }

/* Uses a variable that nothing defines. */
extern int elsewhere[4];
int calls(int n) { return elsewhere[n & 3] + 1; }

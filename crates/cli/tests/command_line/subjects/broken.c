/* Does not compile. */
int broken(int x) { return y; }

/* Defines what left.c defines. */
int left(int n) { return n; }

/* Has a static function and a static variable of the same names as right.c. */
static int state = 1;
static int step(int n) { return n + state; }
int right(int n);
int left(int n) { return step(n) * 100 + right(n); }

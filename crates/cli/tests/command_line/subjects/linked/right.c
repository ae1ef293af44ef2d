/* Has a static function and a static variable of the same names as left.c. */
static int state = 10;
static int step(int n) { return n + state; }
int right(int n) { return step(n); }

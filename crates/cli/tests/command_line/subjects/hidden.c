/* Its only public function calls a static one. */
static int secret(int n) { return n < 0 ? -n : n; }
int open_one(int n) { return secret(n) + 1; }

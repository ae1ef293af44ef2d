/* A program in the style of Test-Comp: its inputs are what undefined functions return, its goal is an error call. */
extern void abort(void);
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
void reach_error(void) { __assert_fail("0", "nondet.c", 4, "reach_error"); }
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        int next = __VERIFIER_nondet_int();
        if (next < 0 || next > 1000) {
            return 1;
        }
        sum += next;
    }
    if (sum == 2718 && __VERIFIER_nondet_uchar() == 42) {
        reach_error();
    }
    return 0;
}

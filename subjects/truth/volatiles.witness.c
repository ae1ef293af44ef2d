#include "volatiles.c"
#include "witness.h"
#include <sys/time.h>

static void interrupt(int signal)
{
    (void)signal;
    device = 2;
    shared = 2;
    flag = 1;
}

#define PATIENTLY(call)                           \
    for (long tries = 0; tries < 2000000000; tries++) \
        if (call == 1) {                          \
            printf("%s\n", #call);                \
            break;                                \
        } else {                                  \
            device = 1;                           \
        }

int main(void)
{
    signal(SIGUSR1, interrupt);
    signal(SIGALRM, interrupt);
    struct itimerval often = {{0, 100}, {0, 100}};
    setitimer(ITIMER_REAL, &often, 0);
    PATIENTLY(written_then_read());
    PATIENTLY(read_twice());
    SHOW(set_by_a_handler());
    PATIENTLY(atomic());
    PATIENTLY(assembly_output());
    SHOW(assembly_in_between(12345));
    PATIENTLY(assembly_in_memory());
    return 0;
}

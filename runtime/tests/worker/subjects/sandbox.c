/* Things that code under test may not do; the result is errno, or 0 if it was done. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include "contract.h"

#define TRY(name, call) static void name(long *arguments, long *result) { errno = 0; *result = (call) == -1 ? errno : 0; }
static void *nothing(void *unused) { return 0; }
static int thread(void) { pthread_t one; errno = pthread_create(&one, 0, nothing, 0); return errno ? -1 : 0; }

TRY(write_outside, open("/tmp/testwright-escaped", O_CREAT | O_WRONLY, 0644))
TRY(write_existing, open("/proc/self/comm", O_WRONLY))
TRY(remove_outside, unlink((char *)arguments[0]))
TRY(rename_outside, rename((char *)arguments[0], "here"))
TRY(write_inside, open("file", O_CREAT | O_WRONLY, 0644))
TRY(read_outside, open("/etc/passwd", O_RDONLY))
TRY(null_device, open("/dev/null", O_WRONLY))
TRY(network, socket(AF_INET, SOCK_STREAM, 0))
TRY(unix_socket, socket(AF_UNIX, SOCK_STREAM, 0))
TRY(forks, fork())
TRY(vforks, syscall(SYS_vfork))
TRY(threads, thread())
TRY(executes, execl("/bin/true", "true", (char *)0))
TRY(kill_parent, kill(getppid(), SIGKILL))
TRY(kill_all, kill(-1, 0))
TRY(kill_self, kill(syscall(SYS_getpid), 0))
TRY(traces, ptrace(PTRACE_TRACEME, 0, 0, 0))
TRY(change_mode, chmod("/tmp", 0777))
TRY(change_times, utimes("/tmp", 0))
TRY(raise_limit, setrlimit(RLIMIT_CORE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}))
TRY(read_limit, getrlimit(RLIMIT_CORE, &(struct rlimit){0}))
TRY(outlive_server, prctl(PR_SET_PDEATHSIG, 0))
TRY(x32, syscall(0x40000000 + SYS_socket, AF_INET, SOCK_STREAM, 0))
TRY(shared_memory, syscall(SYS_shmget, 0, 4096, 01600))

ENTRIES(write_outside, write_existing, remove_outside, rename_outside, write_inside, read_outside, null_device, network,
        unix_socket, forks, vforks, threads, executes, kill_parent, kill_all, kill_self, traces, change_mode, change_times,
        raise_limit, read_limit, outlive_server, x32, shared_memory);
NO_GLOBALS;
NO_TABLES;
NEEDS(8);

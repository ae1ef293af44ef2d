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

/* How many bytes can be mapped in pieces. */
static long bit_by_bit(void)
{
    long got = 0;
    while (mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) got += 1 << 20;
    return got;
}
/* How many files can be made. */
static int many(void)
{
    int made = 0;
    for (int file; made < 1000; made++) {
        char name[16];
        sprintf(name, "f%d", made);
        if ((file = open(name, O_CREAT | O_WRONLY, 0644)) < 0) break;
        close(file);
    }
    return made;
}

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

TRY(read_missing, open("/root-of-nobody/secret", O_RDONLY) < 0 && errno == ENOENT ? 0 : -1)
TRY(read_missing_inside, open("missing", O_RDONLY) < 0 && errno == ENOENT ? 0 : -1)
TRY(read_system, open("/usr/include/stdio.h", O_RDONLY))
TRY(shell, system("true") != 0 ? (errno = EPERM, -1) : 0)
TRY(remove_missing, unlink("precious") < 0 && errno == ENOENT ? 0 : -1)
TRY(folder, mkdir("folder", 0777))
TRY(kill_itself, kill(4242, 0))
TRY(catches_filter, syscall(SYS_rt_sigaction, SIGSYS, (long[4]){0}, 0, 8) < 0 || fork() >= 0 ? -1 : 0)
TRY(unmaps, syscall(SYS_munmap, 0x1000000000, 1ul << 44))
TRY(maps_much, mmap(0, 4ul << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0)
TRY(maps_shared, mmap(0, 4ul << 30, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0)
TRY(maps_bit_by_bit, bit_by_bit() > (256 << 20) ? 0 : -1)
TRY(breaks, sbrk(1ul << 32) == (void *)-1 ? -1 : 0)
TRY(many_files, many() > 256 ? 0 : -1)
TRY(maps_some, mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0)

ENTRIES(write_outside, write_existing, remove_outside, rename_outside, write_inside, read_outside, null_device, network,
        unix_socket, forks, vforks, threads, executes, kill_parent, kill_all, kill_self, traces, change_mode, change_times,
        raise_limit, read_limit, outlive_server, x32, shared_memory, read_missing, read_missing_inside, read_system, shell,
        remove_missing, folder, kill_itself, catches_filter, unmaps, maps_some, maps_much, maps_shared, breaks, many_files,
        maps_bit_by_bit);
NO_GLOBALS;
NO_TABLES;
NEEDS(8);

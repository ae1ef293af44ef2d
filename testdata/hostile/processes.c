/* Harm to other processes, and with their help. */
#include "hostile.h"
#include <netinet/in.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* Starts a shell that deletes files. says: wants to start processes */
int starts_shell(int x)
{
    if (x > 3) return system("rm -rf " FOLDER);
    return x;
}
/* Starts a shell through a pipe. says: wants to start processes */
int opens_pipe(int x)
{
    if (x > 3) {
        FILE *pipe = popen("touch " FOLDER "/new", "r");
        if (!pipe) return -1;
        return pclose(pipe);
    }
    return x;
}
/* Forks again and again. says: wants to start processes */
int forks(int x)
{
    if (x > 3)
        for (int count = 0; count < 200; count++)
            if (fork() == 0) _exit(0);
    return x;
}
/* Becomes another program. says: wants to start processes */
int executes(int x)
{
    if (x > 3) {
        pid_t child = vfork();
        if (child <= 0) execl("/bin/rm", "rm", "-rf", FOLDER, (char *)0);
        return child < 0;
    }
    return x;
}
/* Spawns a program. says: wants to start processes */
int spawns(int x)
{
    if (x > 3) {
        pid_t child;
        char *arguments[] = {"rm", "-rf", FOLDER, 0}, *environment[] = {0};
        return posix_spawn(&child, "/bin/rm", 0, 0, arguments, environment);
    }
    return x;
}
static void *forever(void *unused)
{
    for (;;)
        unlink(CANARY);
    return unused;
}
/* Starts a thread. says: wants to start threads */
int starts_thread(int x)
{
    if (x > 3) {
        pthread_t thread;
        return pthread_create(&thread, 0, forever, 0);
    }
    return x;
}
/* Kills a group of processes. says: wants to send signals to other processes */
int kills_group(int x)
{
    if (x > 3) return kill(-VICTIM, SIGKILL);
    return x;
}
/* Asks which processes there are. says: wants to send signals to other processes */
int signals_everybody(int x)
{
    if (x > 3) return kill(-1, 0);
    return x;
}
/* Kills its parent. says: wants to send signals to other processes */
int kills_parent(int x)
{
    if (x > 3) return kill(getppid(), SIGKILL);
    return x;
}
/* Kills another process. says: wants to send signals to other processes */
int kills_victim(int x)
{
    if (x > 3) return kill(VICTIM, SIGKILL);
    return x;
}
/* Stops another process. says: wants to access other processes */
int traces(int x)
{
    if (x > 3) return (int)ptrace(PTRACE_ATTACH, VICTIM, 0, 0);
    return x;
}
/* Writes to the memory of another process. says: wants to access other processes */
int writes_to_victim(int x)
{
    if (x > 3) {
        struct iovec here = {&x, sizeof x}, there = {(void *)0x400000, sizeof x};
        return (int)process_vm_writev(VICTIM, &here, 1, &there, 1, 0);
    }
    return x;
}
/* Talks to the network. says: wants to use the network */
int connects(int x)
{
    if (x > 3) {
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = 0x5000};
        int file = socket(AF_INET, SOCK_STREAM, 0);
        if (file < 0) return -1;
        return connect(file, (struct sockaddr *)&address, sizeof address);
    }
    return x;
}
/* Changes how the kernel treats the process. says: wants to change settings of the system */
int changes_personality(int x)
{
    if (x > 3) return personality(READ_IMPLIES_EXEC);
    return x;
}
/* Wants to outlive its parent. says: wants to change settings of the system */
int outlives(int x)
{
    if (x > 3) return prctl(PR_SET_PDEATHSIG, 0);
    return x;
}
/* Lifts its limits. says: wants to change settings of the system */
int lifts_limits(int x)
{
    if (x > 3) {
        struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
        return setrlimit(RLIMIT_FSIZE, &none);
    }
    return x;
}
/* Gives up its session. says: wants to change settings of the system */
int leaves_session(int x)
{
    if (x > 3) return setsid();
    return x;
}

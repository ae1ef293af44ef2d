/* What a finished program may want: the first argument says which. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
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
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf back;
static void jump(int number) { siglongjmp(back, number); }
static void *thread(void *argument) { return argument; }

int main(int count, char **arguments)
{
    const char *what = arguments[1], *path = count > 2 ? arguments[2] : "";
    char text[64] = "";
    if (!strcmp(what, "nothing")) return 0;
    if (!strcmp(what, "print")) { printf("out\n"); fflush(stdout); fprintf(stderr, "err\n"); return 7; }
    if (!strcmp(what, "flood")) for (;;) puts("more and more");
    if (!strcmp(what, "delete")) return remove(path);
    if (!strcmp(what, "rename")) return rename(path, "other");
    if (!strcmp(what, "write")) { FILE *file = fopen(path, "w"); return !file || fputs("x", file) < 0 || fclose(file); }
    if (!strcmp(what, "append")) { FILE *file = fopen(path, "a"); return !file; }
    if (!strcmp(what, "read")) { FILE *file = fopen(path, "r"); return !file || !fgets(text, sizeof text, file); }
    if (!strcmp(what, "make")) return mkdir(path, 0777);
    if (!strcmp(what, "change")) return chmod(path, 0777);
    if (!strcmp(what, "connect")) return socket(AF_INET, SOCK_STREAM, 0) < 0;
    if (!strcmp(what, "fork")) { if (fork() == 0) for (;;) pause(); return 0; }
    if (!strcmp(what, "nest")) { int end; pid_t child = fork(); if (!child) { fork(); _exit(0); } waitpid(child, &end, 0); return WIFSIGNALED(end) ? 5 : 6; }
    if (!strcmp(what, "nest deeper")) { int end; pid_t child = fork(); if (!child) { child = fork(); if (!child) { fork(); _exit(0); } waitpid(child, &end, 0); _exit(WIFSIGNALED(end) ? 7 : 8); } waitpid(child, &end, 0); return WEXITSTATUS(end); }
    if (!strcmp(what, "raise")) { int end; pid_t child = fork(); if (!child) raise(SIGUSR1); waitpid(child, &end, 0); return WTERMSIG(end); }
    if (!strcmp(what, "system")) return system("exit 3") != 0;
    if (!strcmp(what, "exec")) return execl("/bin/true", "true", (char *)0);
    if (!strcmp(what, "thread")) { pthread_t id; return pthread_create(&id, 0, thread, 0); }
    if (!strcmp(what, "kill")) return kill(getppid(), SIGKILL);
    if (!strcmp(what, "trace")) return ptrace(PTRACE_TRACEME, 0, 0, 0) < 0;
    if (!strcmp(what, "outlive")) return prctl(PR_SET_PDEATHSIG, 0);
    if (!strcmp(what, "limit")) { struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY}; return setrlimit(RLIMIT_FSIZE, &all); }
    if (!strcmp(what, "core")) { struct rlimit none = {0, 0}; return setrlimit(RLIMIT_CORE, &none); }
    if (!strcmp(what, "old")) { int result; __asm__ volatile("int $0x80" : "=a"(result) : "a"(20)); return 0; }
    if (!strcmp(what, "x32")) return syscall(0x40000000 | 39) < 0;
    if (!strcmp(what, "catch")) { signal(SIGSEGV, jump); if (!sigsetjmp(back, 1)) *(volatile int *)8 = 1; return 0; }
    if (!strcmp(what, "crash")) *(volatile int *)8 = 1;
    if (!strcmp(what, "loop")) for (;;) ;
    if (!strcmp(what, "sleep")) for (;;) pause();
    if (!strcmp(what, "memory")) return mmap(0, 1ul << 32, PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
    if (!strcmp(what, "large")) { int file = open(path, O_WRONLY | O_CREAT, 0666); for (;;) if (write(file, text, sizeof text) < 0) return 0; }
    if (!strcmp(what, "descriptors")) { for (int file = 3; file < 300; file++) if (fcntl(file, F_GETFD) >= 0) return 1; return 0; }
    if (!strcmp(what, "environment")) return !getenv("GIVEN") || getenv("HOME") || getenv("PATH");
    if (!strcmp(what, "overflow")) { volatile int index = 70; return text[index]; }
    return 99;
}

/* What code under test may not do: each function returns errno, or 0 if it could. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int calls;

int writes_file(const char *path) { return open(path, O_CREAT | O_WRONLY, 0644) < 0 ? errno : 0; }
int reads_file(const char *path) { return open(path, O_RDONLY) < 0 ? errno : 0; }
int removes_file(const char *path) { return unlink(path) < 0 ? errno : 0; }
int connects(void) { return socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0; }
int kills_parent(void) { return kill(getppid(), 9) < 0 ? errno : 0; }

int maps_much(void)
{
    char *memory = mmap(0, 4ul << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        return errno;
    for (unsigned long place = 0; place < 4ul << 30; place += 4096)
        memory[place] = 1;
    return 0;
}

int forks(void)
{
    pid_t child = fork();

    if (child == 0)
        _exit(0);
    return child < 0 ? errno : 0;
}

/* The same in every run: each one starts from the same state. */
long draws(void)
{
    return ++calls * 1000 + rand() % 1000 + (long)(time(NULL) % 1000) + errno;
}

/* Runs that lay hands on what host and worker need: the segment, the descriptors, the process itself. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "contract.h"

enum { DESCRIPTORS = 1024 };

static void adds(long *arguments, long *result) { hit(0); *result = arguments[0] + arguments[1]; }
/* All of the segment up to the input objects, with the byte given; then what the second argument says. */
static void ends_as(long way)
{
    if (way == 1)
        *(volatile int *)8 = 1;
    if (way == 2)
        for (;;) __asm__ volatile("");
    if (way == 3)
        syscall(SYS_exit_group, 0);
    if (way == 4)
        kill(getpid(), SIGSTOP);
}
static void wipes(long *arguments, long *result)
{
    long way = arguments[1];
    mprotect((void *)TW_SEGMENT, TW_SEGMENT_LENGTH, PROT_READ | PROT_WRITE);
    memset((void *)TW_SEGMENT, arguments[0], TW_SEGMENT_LENGTH);
    ends_as(way);
}
static void closes(long *arguments, long *result)
{
    for (int file = 3; file < DESCRIPTORS; file++)
        *result += close(file) == 0;
    ends_as(arguments[0]);
}
static void closes_range(long *arguments, long *result)
{
    int before = open("/dev/null", O_RDONLY);
    *result = syscall(SYS_close_range, 3, ~0u, 0) * 10 + (fcntl(before, F_GETFD) == -1);
    ends_as(arguments[0]);
}
static void writes(long *arguments, long *result)
{
    char garbage[64];
    memset(garbage, arguments[0], sizeof garbage);
    for (int file = 3; file < DESCRIPTORS; file++)
        for (int length = 0; length <= sizeof garbage; length += 8)
            *result += write(file, garbage, length) >= 0;
    ends_as(arguments[1]);
}
static void replaces(long *arguments, long *result)
{
    for (int file = 3; file < 256; file++)
        *result += dup2(1, file) == file && file >= 240;
}

ENTRIES(adds, wipes, closes, closes_range, writes, replaces);
NO_GLOBALS;
NO_TABLES;
NEEDS(4);

/* What hostile functions aim at; the tests define it. */
#ifndef HOSTILE_H
#define HOSTILE_H
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#ifndef CANARY
#define CANARY "/nowhere/canary"
#endif
#ifndef FOLDER
#define FOLDER "/nowhere"
#endif
#ifndef VICTIM
#define VICTIM 0x3fffffff
#endif
#ifndef SEGMENT
#define SEGMENT 0x710000000000ul
#endif
#endif

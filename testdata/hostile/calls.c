/* System calls past the C library. */
#include "hostile.h"

/* Deletes a file through syscall(). says: wants to delete files */
int calls_by_number(int x)
{
    if (x > 3) return (int)syscall(SYS_unlink, CANARY);
    return x;
}
/* Deletes a file with an instruction. says: wants to delete files */
int calls_by_instruction(int x)
{
    if (x > 3) {
        long result;
        __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_unlink), "D"(CANARY) : "rcx", "r11", "memory");
        return (int)result;
    }
    return x;
}
/* Makes a system call of 32-bit programs. says: system calls that the sandbox forbids */
int calls_as_32_bit(int x)
{
    if (x > 3) {
        int result;
        __asm__ volatile("int $0x80" : "=a"(result) : "a"(2) : "memory");
        return result;
    }
    return x;
}
/* Makes a system call of the x32 ABI. says: system calls that the sandbox forbids */
int calls_as_x32(int x)
{
    if (x > 3) return (int)syscall(0x40000000 | SYS_unlink, CANARY);
    return x;
}
/* Writes code that deletes a file, and runs it. says: wants to delete files */
int runs_written_code(int x)
{
    if (x > 3) {
        /* mov eax, 87 (unlink); syscall; ret */
        static const unsigned char code[] = {0xb8, 87, 0, 0, 0, 0x0f, 0x05, 0xc3};
        unsigned char *place = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (place == MAP_FAILED) return -1;
        memcpy(place, code, sizeof code);
        return ((int (*)(const char *))(void *)place)(CANARY);
    }
    return x;
}
/* Makes its own code writable and overwrites it. says: illegal instruction */
int overwrites_code(int x)
{
    if (x > 3) {
        unsigned char *place = (unsigned char *)((unsigned long)(void *)&calls_by_number & ~4095ul);
        if (mprotect(place, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) < 0) return -1;
        /* ud2 */
        for (int index = 0; index < 8192; index += 2) {
            place[index] = 0x0f;
            place[index + 1] = 0x0b;
        }
    }
    return x;
}
/* Closes every open file. says: nothing */
int closes_all(int x)
{
    if (x > 3) {
        for (int file = 0; file < 1024; file++)
            close(file);
        return 1;
    }
    return x;
}
/* Writes to every open file. says: nothing */
int writes_to_all(int x)
{
    if (x > 3) {
        static const char noise[64] = "\1\2\3\4\5\6\7\10 lies for everybody who listens";
        for (int file = 3; file < 1024; file++)
            if (write(file, noise, sizeof noise) < 0) continue;
        return 1;
    }
    return x;
}
/* Puts its output in the place of every open file. says: nothing */
int replaces_all(int x)
{
    if (x > 3) {
        for (int file = 3; file < 1024; file++)
            dup2(1, file);
        return 1;
    }
    return x;
}
/* Changes the environment. says: nothing */
int changes_environment(int x)
{
    if (x > 3) {
        setenv("PATH", FOLDER, 1);
        setenv("LD_PRELOAD", CANARY, 1);
        return getenv("PATH") != 0;
    }
    return x;
}

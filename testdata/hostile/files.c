/* Harm to files. */
#include "hostile.h"

/* Deletes a file. says: wants to delete files */
int deletes(int x)
{
    if (x > 3) return remove(CANARY);
    return x;
}
/* Deletes a file of the folder it happens to run in. says: wants to delete files */
int deletes_here(int x)
{
    if (x == 77) return remove("canary");
    return x;
}
/* Removes a folder. says: wants to delete files */
int removes_folder(int x)
{
    if (x > 3) return rmdir(FOLDER "/empty");
    return x;
}
/* Renames a file. says: wants to rename files */
int renames(int x)
{
    if (x > 3) return rename(CANARY, CANARY ".moved");
    return x;
}
/* Overwrites a file. says: wants to write files */
int overwrites(int x)
{
    if (x > 3) {
        FILE *file = fopen(CANARY, "w");
        if (!file) return -1;
        fputs("gone", file);
        fclose(file);
    }
    return x;
}
/* Appends to a file. says: wants to write files */
int appends(int x)
{
    if (x > 3) {
        int file = open(CANARY, O_WRONLY | O_APPEND);
        if (file < 0) return -1;
        return (int)write(file, "more", 4);
    }
    return x;
}
/* Empties a file. says: wants to write files */
int truncates(int x)
{
    if (x > 3) return truncate(CANARY, 0);
    return x;
}
/* Writes to a file through memory. says: wants to write files */
int writes_mapped(int x)
{
    if (x > 3) {
        int file = open(CANARY, O_RDWR);
        if (file < 0) return -1;
        char *memory = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (memory == MAP_FAILED) return -2;
        memory[0] = 'X';
    }
    return x;
}
/* Makes a file that nobody can read. says: wants to change properties of files */
int changes_mode(int x)
{
    if (x > 3) return chmod(CANARY, 0);
    return x;
}
/* Gives a file away. says: wants to change properties of files */
int changes_owner(int x)
{
    if (x > 3) return chown(CANARY, 12345, 12345);
    return x;
}
/* Makes a link. says: wants to make folders or links */
int links(int x)
{
    if (x > 3) return symlink(CANARY, FOLDER "/link");
    return x;
}
/* Makes a folder. says: wants to make folders or links */
int makes_folder(int x)
{
    if (x > 3) return mkdir(FOLDER "/new", 0777);
    return x;
}
/* Reads the passwords of the system. says: wants to read files */
int reads_passwords(int x)
{
    if (x > 3) {
        char text[80] = "";
        FILE *file = fopen("/etc/shadow", "r");
        if (!file) return -1;
        if (fgets(text, sizeof text, file)) return text[0];
    }
    return x;
}
/* Reads a file of the user. says: wants to read files */
int reads_canary(int x)
{
    if (x > 3) {
        int file = open(CANARY, O_RDONLY);
        char first = 0;
        if (file < 0) return -1;
        if (read(file, &first, 1) == 1) return first;
    }
    return x;
}
/* Fills the disk with one file of a GiB. says: wants to write files */
int fills_disk(int x)
{
    if (x > 3) {
        static char block[1 << 16];
        int file = open("large", O_WRONLY | O_CREAT, 0666);
        if (file < 0) return -1;
        for (int count = 0; count < 1 << 14; count++)
            if (write(file, block, sizeof block) < 0) return errno;
    }
    return x;
}
/* Fills the disk with many files. says: wants to write files */
int fills_folder(int x)
{
    if (x > 3) {
        for (int number = 0; number < 5000; number++) {
            char name[32];
            snprintf(name, sizeof name, "small%d", number);
            int file = open(name, O_WRONLY | O_CREAT, 0666);
            if (file < 0) return errno;
            close(file);
        }
    }
    return x;
}
/* Writes to its own memory through a file. says: wants to write files */
int writes_own_memory(int x)
{
    static int target;
    if (x > 3) {
        int file = open("/proc/self/mem", O_RDWR);
        if (file < 0) return -1;
        return (int)pwrite(file, &x, sizeof x, (off_t)(long)&target);
    }
    return x;
}

/*
 * The HelloWorld of the Fitnex paper: a string that starts with "Hello", ends with "World!" and has a space
 * in it. Each guard is a loop over characters inside a library function.
 */
/* start: [{"buffer": "", "size": 24}] */
/* reaches: [{"buffer": "Hello World!", "size": 24}] */
#include <string.h>

int hello_world(const char *text)
{
    const char *ending = "World!";
    size_t length = strlen(text);
    size_t tail = strlen(ending);

    if (strncmp(text, "Hello", 5) == 0) {
        if (length >= tail && strcmp(text + length - tail, ending) == 0) {
            if (strchr(text, ' ') != NULL)
                return 1; /* target */
        }
    }
    return 0;
}

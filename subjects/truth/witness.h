/* SHOW says which function came to its goal; `testwright bench truth` reads it. */
#include <stdio.h>

#define SHOW(call) ((void)((call) == 1 && printf("%s\n", #call)))

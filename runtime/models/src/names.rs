//! The C functions that have a model, by header.

/// Name of every function `f` for which there is a model `tw_model_f`.
#[rustfmt::skip]
pub const NAMES: &[&str] = &[
    // ctype.h
    "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc",
    "isalnum", "isalpha", "isascii", "isblank", "iscntrl", "isdigit", "isgraph", "islower", "isprint",
    "ispunct", "isspace", "isupper", "isxdigit", "toascii", "tolower", "toupper",
    // stdio.h
    "_IO_getc", "_IO_putc", "clearerr", "fclose", "feof", "feof_unlocked", "ferror", "ferror_unlocked", "fflush",
    "fgetc", "fgetc_unlocked", "fgets", "fileno", "fputc", "fputc_unlocked", "fputs", "fread", "fseek", "fseeko",
    "ftell", "ftello", "fwrite", "getc", "getc_unlocked", "getline", "putc", "putc_unlocked", "rewind", "setvbuf",
    "ungetc", "vfprintf", "vsnprintf", "vsprintf",
    // stdlib.h and inttypes.h
    "__isoc23_strtoimax", "__isoc23_strtol", "__isoc23_strtoll",
    "__isoc23_strtoul", "__isoc23_strtoull", "__isoc23_strtoumax",
    "abs", "atof", "atoi", "atol", "atoll", "bsearch", "div", "imaxabs", "imaxdiv", "labs", "ldiv", "llabs",
    "lldiv", "qsort", "strtod", "strtof", "strtoimax", "strtol", "strtoll", "strtoul", "strtoull", "strtoumax",
    // string.h and strings.h
    "bcmp", "bzero", "index", "memccpy", "memchr", "memcmp", "memcpy", "memmem", "memmove", "mempcpy",
    "memrchr", "memset", "rindex", "stpcpy", "stpncpy", "strcasecmp", "strcasestr", "strcat", "strchr",
    "strchrnul", "strcmp", "strcoll", "strcpy", "strcspn", "strdup", "strlen", "strncasecmp", "strncat",
    "strncmp", "strncpy", "strndup", "strnlen", "strpbrk", "strrchr", "strsep", "strspn", "strstr", "strtok",
    "strtok_r",
];

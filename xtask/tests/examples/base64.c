/* The vectors of RFC 4648, and each kind of error. */
#include <string.h>

#include "../../../examples/base64.c"
#include "check.h"

static int decodes(const char *text, const char *plain)
{
    unsigned char out[16];
    int count = base64_decode(text, strlen(text), out);

    return count == (int)strlen(plain) && memcmp(out, plain, strlen(plain)) == 0;
}

static int status(const char *text)
{
    unsigned char out[16];

    return base64_decode(text, strlen(text), out);
}

int main(void)
{
    CHECK(decodes("", ""));
    CHECK(decodes("Zg==", "f"));
    CHECK(decodes("Zm8=", "fo"));
    CHECK(decodes("Zm9v", "foo"));
    CHECK(decodes("Zm9vYg==", "foob"));
    CHECK(decodes("Zm9vYmE=", "fooba"));
    CHECK(decodes("Zm9vYmFy", "foobar"));
    CHECK(decodes("+/+/", "\xfb\xff\xbf"));
    CHECK(status("Zm9") == -1);
    CHECK(status("Zm9*") == -2);
    CHECK(status("Zm9\x80") == -2);
    CHECK(status("Zg==Zg==") == -2);
    CHECK(status("====") == -2);
    CHECK(status("Zh==") == -3);
    CHECK(status("Zm9=") == -3);
    return failures;
}

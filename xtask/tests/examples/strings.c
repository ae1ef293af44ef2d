/* Each setting accepted and refused, and names that are too long or missing. */
#include "../../../examples/strings.c"
#include "check.h"

int main(void)
{
    CHECK(parse_setting("port=8080") == SETTING_PORT);
    CHECK(parse_setting("port=65536") == SETTING_BAD);
    CHECK(parse_setting("port=0") == SETTING_BAD);
    CHECK(parse_setting("port=") == SETTING_BAD);
    CHECK(parse_setting("port=80x") == SETTING_BAD);
    CHECK(parse_setting("level=7") == SETTING_LEVEL);
    CHECK(parse_setting("level=77") == SETTING_BAD);
    CHECK(parse_setting("level=x") == SETTING_BAD);
    CHECK(parse_setting("name=x") == SETTING_NAME);
    CHECK(parse_setting("name=") == SETTING_BAD);
    CHECK(parse_setting("colour=red") == SETTING_BAD);
    CHECK(parse_setting("portable=1") == SETTING_BAD);
    CHECK(parse_setting("port") == SETTING_BAD);
    return failures;
}

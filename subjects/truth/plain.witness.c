#include "plain.c"
#include "witness.h"

int main(void)
{
    SHOW(equation(600, 42));
    SHOW(table_entry(5));
    SHOW(fraction(4.0));
    SHOW(single(7.5f));
    SHOW(loop(6));
    SHOW(narrow(-100, 30));
    setting = 99;
    SHOW(setting_and_digit('5'));
    SHOW(text("open"));
    return 0;
}

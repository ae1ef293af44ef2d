#include "ledger.h"

enum status take(struct account *account, const char *amount)
{
    long cents = cents_of(amount);

    if (cents < 0)
        return UNREADABLE;
    if (account->is_frozen)
        return FROZEN;
    if (account->cents - cents < -account->limit)
        return OVERDRAWN;
    account->cents -= cents;
    return POSTED;
}

/* Accounts, and amounts of money as people write them. */
#ifndef LEDGER_H
#define LEDGER_H

enum status { POSTED, FROZEN, UNREADABLE, OVERDRAWN };

struct account {
    long cents;
    long limit;
    int is_frozen;
};

/* The cents in "12", "12.5" or "12.34"; -1 if it is no amount. */
long cents_of(const char *text);

/* Takes an amount from an account, which may owe up to its limit. */
enum status take(struct account *account, const char *amount);

#endif

/*
 * A state machine driven by a sequence of method numbers, as a test of an object calls its methods: open,
 * log in, send, flush, close. Most methods do nothing in the wrong state, a send breaks the object, closing
 * too early loses what was sent, and the target wants three sends in one clean session.
 */
/* start: [[9], 1] */
/* reaches: [[0, 1, 2, 2, 2, 3, 4], 7] */
#include <stddef.h>

int connection(const int *methods, size_t count)
{
    enum { CLOSED, OPEN, READY, DIRTY, BROKEN } state = CLOSED;
    unsigned sent = 0;

    for (size_t i = 0; i < count; i++) {
        switch (methods[i]) {
        case 0:
            if (state == CLOSED)
                state = OPEN;
            break;
        case 1:
            if (state == OPEN)
                state = READY;
            break;
        case 2:
            if (state == READY || state == DIRTY) {
                sent++;
                state = DIRTY;
            } else {
                state = BROKEN;
            }
            break;
        case 3:
            if (state == DIRTY)
                state = READY;
            break;
        case 4:
            if (state == DIRTY)
                sent = 0;
            state = CLOSED;
            break;
        default:
            break;
        }
    }
    if (sent == 3 && state == CLOSED)
        return 1; /* target */
    return 0;
}

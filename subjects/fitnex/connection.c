/*
 * A state machine driven by a sequence of method numbers, as a test of an object calls its methods: open,
 * log in, send, flush, close. A method in the wrong state breaks the object, and the target wants five
 * sends in one clean session.
 */
/* start: [[9], 1] */
/* reaches: [[0, 1, 2, 2, 2, 2, 2, 3, 4], 9] */
#include <stddef.h>

int connection(const int *methods, size_t count)
{
    enum { CLOSED, OPEN, READY, DIRTY, BROKEN } state = CLOSED;
    unsigned sent = 0;

    for (size_t i = 0; i < count; i++) {
        switch (methods[i]) {
        case 0:
            state = state == CLOSED ? OPEN : BROKEN;
            break;
        case 1:
            state = state == OPEN ? READY : BROKEN;
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
    if (state == CLOSED && sent == 5)
        return 1; /* target */
    return 0;
}

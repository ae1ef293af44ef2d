/*
 * A machine with four states. No event leads from the last one to an error, so that a search for it does not end.
 */
enum state { CLOSED, OPENING, OPEN, CLOSING };

int machine(const unsigned char events[12])
{
    enum state state = CLOSED;
    int opened = 0;
    for (int i = 0; i < 12; i++) {
        switch (state) {
        case CLOSED:
            state = events[i] == 'o' ? OPENING : CLOSED;
            break;
        case OPENING:
            state = events[i] == 'a' ? OPEN : events[i] == 'r' ? CLOSED : OPENING;
            break;
        case OPEN:
            opened++;
            state = events[i] == 'c' ? CLOSING : OPEN;
            break;
        case CLOSING:
            state = events[i] == 'a' ? CLOSED : CLOSING;
            break;
        }
    }
    return opened > 12 ? -1 : opened;
}

/*
 * Words of a short text. More than eight of them do not fit, so that a search for the last branch does not end.
 */
int words(const char *text)
{
    int count = 0;
    int inside = 0;
    for (int i = 0; i < 16 && text[i]; i++) {
        if (text[i] == ' ') {
            inside = 0;
        } else if (!inside) {
            inside = 1;
            count++;
        }
    }
    return count > 8 ? -1 : count;
}

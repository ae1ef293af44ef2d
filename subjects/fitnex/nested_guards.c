/*
 * One statement that must be reached behind a chain of guards over scalars: linear, by remainder, by
 * product, by bits. Each guard exists only behind the one before, and the later ones narrow what is left of
 * the earlier ones.
 */
/* start: [0, 0, 0, 0] */
/* reaches: [52, 31, -13, 67] */
int nested_guards(int x, int y, int z, unsigned flags)
{
    int depth = 0;

    if (x < -1000 || x > 1000 || y < -1000 || y > 1000 || z < -1000 || z > 1000)
        return -1;
    if (x > y && y > 10) {
        depth = 1;
        if (x - y == 21) {
            depth = 2;
            if (x % 7 == 3 && y % 5 == 1) {
                depth = 3;
                if (z * z == 169 && z < 0) {
                    depth = 4;
                    if ((flags & 3) == 3 && flags > 64 && flags < 70)
                        depth = 5; /* target */
                }
            }
        }
    }
    return depth;
}

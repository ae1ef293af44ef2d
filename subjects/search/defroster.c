/*
 * One step of a rear window defroster, in the manner of code that is generated from a state chart: states are
 * numbers, transitions are copied to flags before they are taken, and everything is in one function.
 */

/* function: defroster_step */
enum { OFF = 0, HEATING = 1, WAITING = 2, FAILED = 3 };

int defroster_step(unsigned char state, unsigned short timer, short voltage, short temperature, _Bool button,
                   _Bool engine_on, unsigned char error_code)
{
    int next = state;
    int leave = 0;
    int entered = 0;
    if (engine_on == 0) {
        next = OFF;
    } else {
        if (state == OFF) {
            if (button) {
                if (voltage >= 1150 && voltage <= 1480)
                    leave = 1;
                else if (voltage > 1480)
                    leave = 3;
            }
            if (leave == 1) {
                next = HEATING;
                entered = 1;
            }
            if (leave == 3)
                next = FAILED;
        } else if (state == HEATING) {
            if (timer == 0)
                leave = 2;
            if (temperature > 180 && temperature < 1250)
                leave = 2;
            if (voltage < 1080)
                leave = 2;
            if (error_code == 17 || error_code == 33)
                leave = 3;
            if (button)
                leave = 4;
            if (leave == 2) {
                next = WAITING;
                entered = 2;
            }
            if (leave == 3)
                next = FAILED;
            if (leave == 4)
                next = OFF;
        } else if (state == WAITING) {
            if (voltage >= 1150 && temperature < 40 && timer == 600)
                leave = 1;
            if (button)
                leave = 4;
            if (leave == 1)
                next = HEATING;
            if (leave == 4)
                next = OFF;
        } else if (state == FAILED) {
            if (error_code == 0) {
                if (button && voltage == 1200)
                    next = OFF;
            }
        }
    }
    if (entered == 1) {
        if (timer == 1200)
            return 100 + next;
        return 10 + next;
    }
    if (entered == 2)
        return 20 + next;
    return next;
}

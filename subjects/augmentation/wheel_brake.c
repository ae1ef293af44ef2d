/* WBS: the controller of a wheel brake, three updates after it was switched on.
 *
 * Many branches are infeasible: what they ask for takes more updates, or never is. */

#include <stdbool.h>

struct controller {
    int alternate;      /* whether the alternate circuit is in use */
    int last_command;   /* what was commanded in the update before */
    int last_pressure;  /* and the pressure in the normal circuit */
};

struct output {
    int normal_pressure;
    int alternate_pressure;
    int system_mode;
};

/* What the position of the pedal asks for. */
static int pedal_command(int pedal)
{
    if (pedal == 0)
        return 0;
    if (pedal == 1)
        return 1;
    if (pedal == 2)
        return 2;
    if (pedal == 3)
        return 3;
    if (pedal == 4)
        return 4;
    return 0;
}

/* The pressure behind a valve that is open so far. */
static int metered(int supply, int command)
{
    if (command == 0)
        return 0;
    if (command == 1)
        return supply / 4;
    if (command == 2)
        return supply / 2;
    if (command == 3)
        return supply / 4 * 3;
    if (command == 4)
        return supply;
    return 0;
}

static struct output update(struct controller *state, int pedal, bool auto_brake, bool skid)
{
    struct output output = {0, 0, 0};
    bool is_normal = state->alternate == 0;
    int command = pedal_command(pedal);
    int supply = 0, alternate_supply = 0;

    if (auto_brake && is_normal && command == 0)
        command = 1;
    if (skid)
        command = 0;
    /* A command without pressure: the normal circuit has failed. */
    if (is_normal && state->last_command > 0 && state->last_pressure <= 0)
        state->alternate = 1;
    output.system_mode = state->alternate;

    if (state->alternate == 0)
        supply = 20;
    else
        alternate_supply = 12;
    if (supply >= 1)
        output.normal_pressure = metered(supply, command);
    if (alternate_supply >= 1 && !skid)
        output.alternate_pressure = metered(alternate_supply, command);

    state->last_command = command;
    state->last_pressure = output.normal_pressure;
    return output;
}

int wheel_brake(int pedal1, bool auto1, bool skid1,
                int pedal2, bool auto2, bool skid2,
                int pedal3, bool auto3, bool skid3)
{
    struct controller state = {0, 0, 0};
    struct output output;

    update(&state, pedal1, auto1, skid1);
    update(&state, pedal2, auto2, skid2);
    output = update(&state, pedal3, auto3, skid3);
    return output.system_mode * 10000 + output.normal_pressure * 100 + output.alternate_pressure;
}

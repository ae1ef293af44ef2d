//! Certainty: a policy that reaches a goal with probability 1, if there is one.
//!
//! A state is hopeful if an action leads towards a goal with some probability and to hopeful states only. Beginning with all
//! states, those for which this is not so are removed until nothing changes; the actions found last are the policy.

use super::Action;

/// The policy; otherwise a state without any.
pub(super) fn policy(
    states: &[Vec<(usize, Action)>],
    is_goal: impl Fn(usize) -> bool,
) -> Result<Vec<Option<usize>>, usize> {
    let mut hopeful = vec![true; states.len()];
    loop {
        let (near, actions) = attract(states, &is_goal, &hopeful);
        if near == hopeful {
            return match near.iter().position(|near| !near) {
                None => Ok(actions),
                Some(state) => Err(state),
            };
        }
        hopeful = near;
    }
}

/// The states from which a goal may be reached by actions that lead to hopeful states only, and these actions.
fn attract(
    states: &[Vec<(usize, Action)>],
    is_goal: &impl Fn(usize) -> bool,
    hopeful: &[bool],
) -> (Vec<bool>, Vec<Option<usize>>) {
    let mut near: Vec<bool> = (0..states.len()).map(is_goal).collect();
    let mut actions = vec![None; states.len()];
    loop {
        let mut changed = false;
        for state in (0..states.len()).rev().filter(|state| hopeful[*state]) {
            if near[state] {
                continue;
            }
            let leads = |action: &Action| {
                action.next.iter().all(|(next, _)| hopeful[*next])
                    && action.next.iter().any(|(next, _)| near[*next])
            };
            if let Some((position, _)) = states[state].iter().find(|(_, action)| leads(action)) {
                (near[state], actions[state]) = (true, Some(*position));
                changed = true;
            }
        }
        if !changed {
            return (near, actions);
        }
    }
}

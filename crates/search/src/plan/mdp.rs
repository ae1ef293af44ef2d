//! Markov decision processes with costs: the policy of least expected cost until a goal, exactly.
//!
//! A state without actions is a goal. Both methods first make waiting explicit: an action that leads back to its own state with
//! probability p is as good as one that never does and costs 1 / (1 - p) as much.
//!
//! * Value iteration begins with 0 everywhere and improves in place until nothing changes any more.
//! * Policy iteration begins with a policy that reaches a goal for certain, solves its equations by sparse LU, and
//!   improves it until no action is better.

mod certain;

use super::linear::System;

/// Models with more transitions than this are refused.
pub const LARGEST: usize = 5_000_000;
/// Values are as good as equal if they differ by less, relatively.
const PRECISION: f64 = 1e-12;
/// Value iteration gives up after so many rounds.
const ROUNDS: usize = 1_000_000;

/// Something to do in a state.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// What it costs; more than 0.
    pub cost: f64,
    /// Where it may lead, with probabilities that add up to 1.
    pub next: Vec<(usize, f64)>,
}

/// A process.
#[derive(Debug, Clone, PartialEq)]
pub struct Mdp {
    states: Vec<Vec<Action>>,
    /// The same without waiting: actions that lead back have been replaced, with the positions they have above.
    waitless: Vec<Vec<(usize, Action)>>,
}

/// What to do in each state.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// The position of the action to take; none at a goal.
    pub actions: Vec<Option<usize>>,
    /// The expected cost until a goal.
    pub values: Vec<f64>,
}

/// Why there is no policy.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MdpError {
    /// It is too large.
    #[error(
        "the model has {states} states and {transitions} transitions; at most {LARGEST} transitions can be solved exactly"
    )]
    TooLarge {
        /// How many states it has.
        states: usize,
        /// How many transitions, at least.
        transitions: usize,
    },
    /// An action is none.
    #[error("action {action} of state {state} has no positive cost, or its probabilities do not add up to 1")]
    Malformed {
        /// The state.
        state: usize,
        /// The action.
        action: usize,
    },
    /// No policy reaches a goal for certain.
    #[error("from state {0} no policy reaches a goal for certain")]
    Hopeless(usize),
    /// The equations of a policy could not be solved.
    #[error("the equations of a policy could not be solved")]
    Unsolved,
}

impl Mdp {
    /// The process with these actions per state.
    ///
    /// # Errors
    /// If it is too large, or an action makes no sense.
    pub fn new(states: Vec<Vec<Action>>) -> Result<Mdp, MdpError> {
        let transitions = states.iter().flatten().map(|action| action.next.len()).sum();
        if transitions > LARGEST {
            return Err(MdpError::TooLarge { states: states.len(), transitions });
        }
        let count = states.len();
        for (state, actions) in states.iter().enumerate() {
            if let Some(action) = actions.iter().position(|action| !makes_sense(action, count)) {
                return Err(MdpError::Malformed { state, action });
            }
        }
        let waitless = states.iter().enumerate().map(|(state, actions)| without_waiting(state, actions));
        let waitless: Vec<Vec<(usize, Action)>> = waitless.collect();
        Ok(Mdp { waitless, states })
    }

    /// How many states there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// The actions of each state.
    #[must_use]
    pub fn states(&self) -> &[Vec<Action>] {
        &self.states
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The best policy, by value iteration.
    ///
    /// # Errors
    /// If a goal cannot be reached for certain.
    pub fn value_iteration(&self) -> Result<Policy, MdpError> {
        certain::policy(&self.waitless, |state| self.is_goal(state)).map_err(MdpError::Hopeless)?;
        let mut values = vec![0.0; self.len()];
        for _ in 0..ROUNDS {
            let mut changed = false;
            // Goals tend to have high numbers; going backwards lets values travel far in one round.
            for state in (0..self.len()).rev() {
                if let Some((_, value)) = self.best(state, &values) {
                    changed |= (value - values[state]).abs() > PRECISION * value;
                    values[state] = value;
                }
            }
            if !changed {
                break;
            }
        }
        let actions =
            (0..self.len()).map(|state| self.best(state, &values).map(|(action, _)| action)).collect();
        Ok(Policy { actions, values })
    }

    /// The best policy, by policy iteration.
    ///
    /// # Errors
    /// If a goal cannot be reached for certain.
    pub fn policy_iteration(&self) -> Result<Policy, MdpError> {
        let mut actions =
            certain::policy(&self.waitless, |state| self.is_goal(state)).map_err(MdpError::Hopeless)?;
        loop {
            let values = self.evaluate(&actions)?;
            let mut improved = false;
            for (state, action) in actions.iter_mut().enumerate() {
                if let Some((better, value)) = self.best(state, &values)
                    && value < values[state] * (1.0 - PRECISION)
                {
                    *action = Some(better);
                    improved = true;
                }
            }
            if !improved {
                return Ok(Policy { actions, values });
            }
        }
    }

    fn is_goal(&self, state: usize) -> bool {
        self.states[state].is_empty()
    }

    /// The best action of a state for these values of others, and its value.
    fn best(&self, state: usize, values: &[f64]) -> Option<(usize, f64)> {
        let value = |action: &Action| {
            action.cost + action.next.iter().map(|(next, chance)| chance * values[*next]).sum::<f64>()
        };
        let rated = self.waitless[state].iter().map(|(position, action)| (*position, value(action)));
        rated.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The expected costs of a policy.
    fn evaluate(&self, actions: &[Option<usize>]) -> Result<Vec<f64>, MdpError> {
        let mut system = System::default();
        for (state, position) in actions.iter().enumerate() {
            let chosen = self.waitless[state].iter().find(|(action, _)| Some(*action) == *position);
            match chosen {
                Some((_, action)) => system.add(action.cost, action.next.iter().copied()),
                None => system.add(0.0, []),
            }
        }
        system.solve().ok_or(MdpError::Unsolved)
    }
}

fn makes_sense(action: &Action, count: usize) -> bool {
    let total: f64 = action.next.iter().map(|(_, chance)| chance).sum();
    let fits = action.next.iter().all(|(next, chance)| *next < count && *chance >= 0.0);
    action.cost > 0.0 && action.cost.is_finite() && fits && (total - 1.0).abs() < 1e-9
}

fn without_waiting(state: usize, actions: &[Action]) -> Vec<(usize, Action)> {
    let waitless = |(position, action): (usize, &Action)| {
        let stays: f64 =
            action.next.iter().filter(|(next, _)| *next == state).map(|(_, chance)| chance).sum();
        let leaves = action.next.iter().filter(|(next, chance)| *next != state && *chance > 0.0);
        let total: f64 = leaves.clone().map(|(_, chance)| chance).sum();
        // 1 - stays would lose digits if the action almost always waits.
        (total > 0.0 && stays < 1.0).then(|| {
            let next = leaves.map(|(next, chance)| (*next, chance / total)).collect();
            (position, Action { cost: action.cost / total, next })
        })
    };
    actions.iter().enumerate().filter_map(waitless).collect()
}

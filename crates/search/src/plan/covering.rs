//! Covering a program as a Markov decision process (the paper's Definition 3.5).
//!
//! Its states are sets of covered states, the empty one first; its actions a random run and SE(p) for every path p with an edge. The run
//! that SE(p) leads to goes on at random from the end of p. Loops are refused: they have no end of paths.

use super::mdp::{Action, LARGEST, Mdp, MdpError};
use std::collections::{BTreeMap, HashMap};

/// A set of states, one bit each.
type Set = u64;

/// How many paths a program may have, those that end early included.
const MOST_PATHS: usize = 50_000;

/// What an action means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meaning {
    /// A random run.
    Random,
    /// Solving this path, from the first state on.
    Solve(Vec<usize>),
}

/// The process, and what its states and actions mean.
#[derive(Debug, Clone)]
pub struct Covering {
    /// The process; its first state is "nothing is covered".
    pub mdp: Mdp,
    /// What is covered, per state of the process.
    pub sets: Vec<u64>,
    /// What the actions are; the same in every state but the last.
    pub meanings: Vec<Meaning>,
}

/// Why there is no such process.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CoveringError {
    /// There are too many states for a set.
    #[error("a program of {0} states; sets of covered states can be told apart for at most 64")]
    ManyStates(usize),
    /// There are too many paths.
    #[error(
        "a program of {0} paths or more; each is an action, and at most {MOST_PATHS} can be solved exactly"
    )]
    ManyPaths(usize),
    /// The program has a loop.
    #[error("the program has a loop through state {0}, so it has infinitely many paths")]
    Loop(usize),
    /// The process makes no sense or is too large.
    #[error(transparent)]
    Mdp(#[from] MdpError),
}

struct Prefix {
    path: Vec<usize>,
    set: Set,
}

/// The process of a program, given by successors and their probabilities; runs begin in state 0 and end where there are no
/// successors. `cost` is what solving a path costs.
///
/// # Errors
/// If the program has loops, or too many states or paths.
pub fn covering(
    program: &[Vec<(usize, f64)>],
    cost: impl Fn(&[usize]) -> f64,
) -> Result<Covering, CoveringError> {
    if program.len() > Set::BITS as usize {
        return Err(CoveringError::ManyStates(program.len()));
    }
    let prefixes = prefixes(program)?;
    let reachable = prefixes.iter().fold(0, |set, prefix| set | prefix.set);
    let meets = meets(program, &prefixes);
    let meanings: Vec<Meaning> = std::iter::once(Meaning::Random)
        .chain(prefixes[1..].iter().map(|prefix| Meaning::Solve(prefix.path.clone())))
        .collect();
    let costs: Vec<f64> =
        std::iter::once(1.0).chain(prefixes[1..].iter().map(|prefix| cost(&prefix.path))).collect();
    let mut sets: Vec<Set> = vec![0];
    let mut numbers: HashMap<Set, usize> = HashMap::from([(0, 0)]);
    let (mut states, mut transitions) = (Vec::new(), 0);
    while states.len() < sets.len() {
        let covered = sets[states.len()];
        let mut actions = Vec::new();
        for (cost, meets) in costs.iter().zip(&meets).filter(|_| covered != reachable) {
            let mut next = BTreeMap::<usize, f64>::new();
            for (set, chance) in meets {
                let number = *numbers.entry(covered | set).or_insert_with(|| {
                    sets.push(covered | set);
                    sets.len() - 1
                });
                *next.entry(number).or_insert(0.0) += chance;
            }
            transitions += next.len();
            actions.push(Action { cost: *cost, next: next.into_iter().collect() });
        }
        if transitions > LARGEST {
            return Err(MdpError::TooLarge { states: sets.len(), transitions }.into());
        }
        states.push(actions);
    }
    Ok(Covering { mdp: Mdp::new(states)?, sets, meanings })
}

/// All paths from the first state, that of no edge first.
fn prefixes(program: &[Vec<(usize, f64)>]) -> Result<Vec<Prefix>, CoveringError> {
    let mut prefixes = vec![Prefix { path: vec![0], set: 1 }];
    let mut done = 0;
    while done < prefixes.len() {
        let Prefix { path, set } = &prefixes[done];
        let (path, set) = (path.clone(), *set);
        for (next, _) in &program[path[path.len() - 1]] {
            if set & 1 << next != 0 {
                return Err(CoveringError::Loop(*next));
            }
            let path = path.iter().copied().chain([*next]).collect();
            prefixes.push(Prefix { path, set: set | 1 << next });
        }
        done += 1;
        if prefixes.len() > MOST_PATHS {
            return Err(CoveringError::ManyPaths(prefixes.len()));
        }
    }
    Ok(prefixes)
}

/// Per path: which sets a run that begins with it may meet, with probabilities.
fn meets(program: &[Vec<(usize, f64)>], prefixes: &[Prefix]) -> Vec<BTreeMap<Set, f64>> {
    // Longer paths come later, and the ones that a path can go on to are next to each other.
    let mut meets: Vec<BTreeMap<Set, f64>> = vec![BTreeMap::new(); prefixes.len()];
    let mut longer = prefixes.len();
    for index in (0..prefixes.len()).rev() {
        let Prefix { path, set } = &prefixes[index];
        let next = &program[path[path.len() - 1]];
        longer -= next.len();
        if next.is_empty() {
            meets[index].insert(*set, 1.0);
        }
        for (position, (_, probability)) in next.iter().enumerate() {
            for (set, chance) in meets[longer + position].clone() {
                *meets[index].entry(set).or_insert(0.0) += probability * chance;
            }
        }
    }
    meets
}

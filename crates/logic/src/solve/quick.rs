//! Quick rules: what needs no search.
//!
//! The constraints about one input alone give its domain; an empty one proves that the query is infeasible. One
//! input of at most eight bits is tried out completely. Otherwise inputs move into their domains, and what is
//! then still missed is repaired by inverting the expressions down to an input, a few times.

use super::domain::{Domain, domains};
use super::invert::proposals;
use super::machine::Machine;
use super::program::Program;
use super::{Answer, InputKind, Layer, Query, Solve};

/// Queries with more expressions than this are passed on.
const PLACES: usize = 100_000;
/// So many repairs, each of which must make things better.
const REPAIRS: usize = 32;
/// So many missed goals are looked at for one repair.
const GOALS: usize = 4;
/// So many expressions are computed at most.
const STEPS: u64 = 400_000;

/// The layer of quick rules.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quick;

impl Layer for Quick {
    fn name(&self) -> &'static str {
        "quick"
    }

    fn solve(&mut self, query: &Query<'_>, next: &mut dyn Solve) -> Answer {
        let program = Program::new(query);
        if program.places.len() > PLACES {
            return next.solve(query);
        }
        let domains = domains(&program);
        if domains.iter().any(Domain::is_empty) {
            return Answer::Unsat;
        }
        let mut machine = Machine::new(&program);
        if let ([variable], [domain]) = (&*program.variables, &*domains)
            && variable.input.width <= 8
            && program.places.len() << variable.input.width <= STEPS as usize
        {
            return exhaust(&mut machine, domain);
        }
        enter(&mut machine, &domains);
        if repair(&mut machine, &domains) {
            return Answer::Sat(program.model(machine.variables()));
        }
        next.solve(query)
    }
}

/// Tries all values of the only variable.
fn exhaust(machine: &mut Machine, domain: &Domain) -> Answer {
    let variable = &machine.program.variables[0];
    let mut solutions = vec![];
    for value in (0..1 << variable.input.width).filter(|&value| domain.contains(value)) {
        machine.set(0, value);
        if machine.score().is_met() {
            solutions.push(value);
        }
        machine.keep();
    }
    let solutions = Domain::of(variable.input.width, solutions);
    let chosen = Some(variable.current).filter(|&value| solutions.contains(value));
    match chosen.or_else(|| solutions.most_readable(&variable.input)) {
        Some(value) => Answer::Sat(machine.program.model([value].into_iter())),
        None => Answer::Unsat,
    }
}

/// Moves every variable into its domain.
fn enter(machine: &mut Machine, domains: &[Domain]) {
    let program = machine.program;
    for (number, (variable, domain)) in program.variables.iter().zip(domains).enumerate() {
        let value = match variable.input.kind {
            // Which bits of a float are readable the domain does not know.
            InputKind::Float => domain.nearest(variable.current),
            _ if domain.contains(variable.current) => continue,
            _ => domain.most_readable(&variable.input),
        };
        if let Some(value) = value {
            machine.set(number, value);
        }
    }
    machine.keep();
}

/// Repairs missed goals as long as that makes things better; whether all are met in the end.
fn repair(machine: &mut Machine, domains: &[Domain]) -> bool {
    for _ in 0..REPAIRS {
        if machine.score().is_met() {
            return true;
        }
        if !improve(machine, domains, GOALS, STEPS) {
            return false;
        }
    }
    machine.score().is_met()
}

/// Makes the best change that inversion proposes for the missed goals, `steps` permitting; whether there was one
/// that helps.
pub(super) fn improve(machine: &mut Machine, domains: &[Domain], goals: usize, steps: u64) -> bool {
    let mut best = None;
    let mut score = machine.score();
    let missed: Vec<usize> = machine.missed().take(goals).collect();
    for goal in missed {
        for change in proposals(machine, goal) {
            let variables = &machine.program.variables;
            let is_allowed = |&(variable, value): &(usize, u128)| {
                domains[variable].contains(value) && variables[variable].input.allows(value)
            };
            if machine.steps > steps || !change.iter().all(is_allowed) {
                continue;
            }
            let mark = machine.mark();
            change.iter().for_each(|&(variable, value)| machine.set(variable, value));
            if machine.score() < score {
                score = machine.score();
                best = Some(change);
            }
            machine.rewind(mark);
            if score.is_met() {
                break;
            }
        }
        // The first goal that can be brought nearer is enough: after it everything looks different.
        if best.is_some() {
            break;
        }
    }
    let Some(change) = best else { return false };
    change.iter().for_each(|&(variable, value)| machine.set(variable, value));
    machine.keep();
    true
}

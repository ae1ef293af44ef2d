//! The climb: from some values to better ones, one input at a time.

use std::time::Instant;

use super::Search;
use super::moves::Numbers;
use super::random::Random;
use crate::expr::mask;
use crate::solve::InputKind;
use crate::solve::domain::Domain;
use crate::solve::float::{from_f64, from_ordinal, ordinal, to_f64};
use crate::solve::machine::{Machine, Score};
use crate::solve::quick::improve;

/// So many missed goals are looked at when inputs are chosen to be moved.
const GOALS: usize = 8;
/// So many inputs are moved in one round.
const VARIABLES: usize = 64;
/// How often a variable is moved in growing steps before it is the next one's turn.
const PATTERNS: usize = 64;

/// How often the search starts again.
const DESCENTS: usize = 200;

/// A search under way.
pub(super) struct Climb<'p, 'd> {
    pub(super) machine: Machine<'p>,
    domains: &'d [Domain],
    numbers: Numbers,
    random: Random,
    limits: Search,
    deadline: Option<Instant>,
}

impl<'p, 'd> Climb<'p, 'd> {
    /// Starts from the machine's values.
    pub(super) fn new(
        machine: Machine<'p>,
        domains: &'d [Domain],
        limits: Search,
        deadline: Option<Instant>,
    ) -> Climb<'p, 'd> {
        let (numbers, random) = (Numbers::new(machine.program), Random::new(machine.program));
        Climb { machine, domains, numbers, random, limits, deadline }
    }

    /// Searches until all goals are met, which is the answer, or the limits are reached.
    pub(super) fn run(&mut self) -> bool {
        let mut best: (Score, Vec<u128>) = (self.machine.score(), self.machine.variables().collect());
        // Where inputs cannot move there is nothing to count, so descents are counted too.
        for _ in 0..DESCENTS {
            self.descend();
            if self.machine.score().is_met() {
                return true;
            }
            if self.is_over() {
                return false;
            }
            if self.machine.score() < best.0 {
                best = (self.machine.score(), self.machine.variables().collect());
            }
            self.restart(&best.1);
        }
        false
    }

    fn is_over(&self) -> bool {
        self.machine.changes >= self.limits.evaluations
            || self.machine.steps > self.limits.steps
            || self.machine.changes.is_multiple_of(64) && Machine::is_late(self.deadline)
    }

    /// Goes to a local optimum.
    fn descend(&mut self) {
        loop {
            let before = self.machine.score();
            while !self.machine.score().is_met() && !self.is_over() && self.invert() {}
            for variable in self.concerned() {
                if self.machine.score().is_met() || self.is_over() {
                    return;
                }
                match self.machine.program.variables[variable].input.kind {
                    InputKind::Float => self.move_float(variable),
                    _ => self.move_integer(variable),
                }
                self.machine.keep();
            }
            if self.machine.score() >= before {
                return;
            }
        }
    }

    fn invert(&mut self) -> bool {
        improve(&mut self.machine, self.domains, GOALS, self.limits.steps)
    }

    /// Changes some inputs of missed goals at random, starting from the best values or from those of the run.
    fn restart(&mut self, best: &[u128]) {
        let from_run = self.random.below(4) == 0;
        for (number, variable) in self.machine.program.variables.iter().enumerate() {
            self.machine.set(number, if from_run { variable.current } else { best[number] });
        }
        let concerned = self.concerned();
        if concerned.is_empty() {
            return;
        }
        for _ in 0..=self.random.below(concerned.len().min(4)) {
            let number = concerned[self.random.below(concerned.len())];
            let variable = &self.machine.program.variables[number];
            let value = self.numbers.random(&mut self.random, variable);
            if let Some(value) =
                self.domains[number].nearest(value).filter(|&value| variable.input.allows(value))
            {
                self.machine.set(number, value);
            }
        }
        self.machine.keep();
    }

    /// The variables that missed goals depend on.
    fn concerned(&self) -> Vec<usize> {
        let program = self.machine.program;
        let mut is_seen = vec![false; program.places.len()];
        let mut waiting: Vec<usize> =
            self.machine.missed().take(GOALS).map(|goal| program.goals[goal].place).collect();
        let mut found = vec![];
        while let Some(number) = waiting.pop() {
            if !std::mem::replace(&mut is_seen[number], true) {
                let place = &program.places[number];
                waiting.extend(place.operands().filter(|&operand| program.places[operand].is_symbolic));
                found.extend(place.expr.input().and_then(|index| program.variable_of(index)));
            }
        }
        found.sort_unstable();
        found.truncate(VARIABLES);
        found
    }

    /// Gives a variable another value if that is better.
    fn attempt(&mut self, variable: usize, value: u128) -> bool {
        let value = value & mask(self.machine.program.variables[variable].input.width);
        let is_allowed = self.machine.program.variables[variable].input.allows(value);
        if !is_allowed || !self.domains[variable].contains(value) || self.is_over() {
            return false;
        }
        let before = self.machine.score();
        let mark = self.machine.mark();
        self.machine.set(variable, value);
        let is_better = self.machine.score() < before;
        if !is_better {
            self.machine.rewind(mark);
        }
        is_better
    }

    fn move_integer(&mut self, variable: usize) {
        let described = self.machine.program.variables[variable];
        for _ in 0..PATTERNS {
            let at = |climb: &Climb, step: i128| climb.machine.variable(variable).wrapping_add(step as u128);
            if !(self.pattern(variable, 1, &at) || self.pattern(variable, -1, &at)) {
                break;
            }
        }
        for value in self.numbers.values(&self.machine, &described) {
            self.attempt(variable, value);
        }
        for bit in 0..described.input.width {
            let flipped = self.machine.variable(variable) ^ 1 << bit;
            self.attempt(variable, flipped);
        }
    }

    fn move_float(&mut self, variable: usize) {
        let described = self.machine.program.variables[variable];
        let width = described.input.width;
        for value in self.numbers.values(&self.machine, &described) {
            self.attempt(variable, value);
        }
        self.attempt(variable, self.machine.variable(variable) ^ 1 << (width - 1));
        // Growing precision: whole numbers first, then more and more digits, then every float.
        for digits in 0..=6 {
            let unit = 10f64.powi(-digits);
            let at = |climb: &Climb, step: i128| {
                from_f64(width, to_f64(width, climb.machine.variable(variable)) + step as f64 * unit)
            };
            self.patterns(variable, &at);
        }
        let at = |climb: &Climb, step: i128| {
            let rank = ordinal(width, climb.machine.variable(variable)).unwrap_or(0);
            from_ordinal(width, rank.saturating_add(step))
        };
        self.patterns(variable, &at);
    }

    fn patterns(&mut self, variable: usize, at: &dyn Fn(&Climb, i128) -> u128) {
        for _ in 0..PATTERNS {
            let is_better = self.pattern(variable, 1, at) || self.pattern(variable, -1, at);
            if !is_better || self.machine.score().is_met() {
                break;
            }
        }
    }

    /// Explores one step in a direction; if that is better, jumps to where the distance would vanish if it went
    /// on like this, else goes on with growing steps. Whether anything was better.
    fn pattern(&mut self, variable: usize, direction: i128, at: &dyn Fn(&Climb, i128) -> u128) -> bool {
        let before = self.machine.score();
        if !self.attempt(variable, at(self, direction)) {
            return false;
        }
        let after = self.machine.score();
        let slope = before.exact.saturating_sub(after.exact);
        let jump = after.exact.checked_div(slope).and_then(|jump| i128::try_from(jump).ok()).unwrap_or(0);
        if jump > 0 && self.attempt(variable, at(self, direction.saturating_mul(jump))) {
            return true;
        }
        let mut step = direction.saturating_mul(2);
        while !self.machine.score().is_met() && self.attempt(variable, at(self, step)) {
            step = step.saturating_mul(2);
        }
        true
    }
}

//! The machine: a program with values, where one input can be changed and only what depends on it is computed
//! again.
//!
//! Every change is written to a log, so that a move that did not help is taken back at the cost of copying.

use super::distance::{self, Truth, WORST, circular};
use super::program::{Goal, Program, Rule, Wish};
use crate::expr::{eval, mask};
use std::time::Instant;

/// How good the values are: smaller is better, nothing is perfect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Score {
    /// The distances `d` of the goals, normalised to `d / (d + 1)` in units of 2^-32, added up.
    normalised: u64,
    /// The distances added up: where the other number is too coarse, this one decides.
    pub(super) exact: u128,
}

impl Score {
    /// Whether all goals are met.
    pub(super) fn is_met(self) -> bool {
        self.normalised == 0
    }
}

/// What a place was before a change.
#[derive(Debug, Clone, Copy)]
struct Past {
    place: u32,
    value: Option<u128>,
    truth: Truth,
}

/// A program with values.
#[derive(Debug)]
pub(super) struct Machine<'p> {
    pub(super) program: &'p Program<'p>,
    /// Nothing where evaluation fails.
    values: Vec<Option<u128>>,
    truths: Vec<Truth>,
    /// The change in which a place last became different.
    changed: Vec<u32>,
    /// How often a variable got another value.
    pub(super) changes: u32,
    /// The symbolic places above each variable, once somebody asked.
    dependents: Vec<Option<Box<[u32]>>>,
    /// The goals about each place: where they are in `goals_by_place`.
    goals_at: Vec<(u32, u32)>,
    goals_by_place: Vec<u32>,
    distances: Vec<u128>,
    score: Score,
    log: Vec<Past>,
    /// How many expressions were computed.
    pub(super) steps: u64,
}

impl<'p> Machine<'p> {
    /// The program with the values of the run.
    pub(super) fn new(program: &'p Program<'p>) -> Machine<'p> {
        let count = program.places.len();
        let mut goals_by_place: Vec<u32> = (0..program.goals.len() as u32).collect();
        goals_by_place.sort_by_key(|&goal| program.goals[goal as usize].place);
        let mut goals_at = vec![(0, 0); count];
        for (position, &goal) in (0u32..).zip(&goals_by_place) {
            let range = &mut goals_at[program.goals[goal as usize].place];
            *range = if range.1 == 0 { (position, position + 1) } else { (range.0, position + 1) };
        }
        let mut machine = Machine {
            program,
            values: vec![None; count],
            truths: vec![Truth::default(); count],
            changed: vec![0; count],
            changes: 0,
            dependents: vec![None; program.variables.len()],
            goals_at,
            goals_by_place,
            distances: vec![0; program.goals.len()],
            score: Score::default(),
            log: vec![],
            steps: 0,
        };
        machine.start();
        machine
    }

    fn start(&mut self) {
        for variable in &self.program.variables {
            self.values[variable.place as usize] = Some(variable.current);
        }
        for place in 0..self.program.places.len() {
            if self.program.places[place].expr.input().is_none() {
                self.values[place] = self.compute(place);
            }
            self.truths[place] = self.truth(place, self.values[place]);
            self.measure(place);
        }
    }

    /// The value of a place, if it has one.
    pub(super) fn value(&self, place: usize) -> Option<u128> {
        self.values[place]
    }

    /// Whether a truth is true.
    pub(super) fn is_true(&self, place: usize) -> bool {
        self.values[place].is_some_and(|value| value != 0)
    }

    /// The value of a variable.
    pub(super) fn variable(&self, variable: usize) -> u128 {
        self.values[self.program.variables[variable].place as usize].unwrap_or(0)
    }

    /// The values of all variables.
    pub(super) fn variables(&self) -> impl Iterator<Item = u128> + '_ {
        (0..self.program.variables.len()).map(|variable| self.variable(variable))
    }

    /// How good the values are.
    pub(super) fn score(&self) -> Score {
        self.score
    }

    /// The goals that are not met; the last one first, because it is what makes a query new.
    pub(super) fn missed(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.distances.len()).rev().filter(|&goal| self.distances[goal] > 0)
    }

    /// Where the log stands; [`Machine::rewind`] goes back there.
    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Takes back all changes since the mark.
    pub(super) fn rewind(&mut self, mark: usize) {
        while self.log.len() > mark {
            if let Some(Past { place, value, truth }) = self.log.pop() {
                self.values[place as usize] = value;
                self.truths[place as usize] = truth;
                self.measure(place as usize);
            }
        }
    }

    /// Makes all changes since the beginning final.
    pub(super) fn keep(&mut self) {
        self.log.clear();
    }

    /// Gives a variable another value.
    pub(super) fn set(&mut self, variable: usize, value: u128) {
        let place = self.program.variables[variable].place as usize;
        let value = Some(value & mask(self.program.width(place)));
        if self.values[place] == value {
            return;
        }
        self.changes += 1;
        self.write(place, value);
        let dependents = self.dependents[variable].take().unwrap_or_else(|| self.above(place));
        for &dependent in &dependents {
            let dependent = dependent as usize;
            let mut operands = self.program.places[dependent].operands();
            if operands.any(|operand| self.changed[operand] == self.changes) {
                let value = self.compute(dependent);
                self.write(dependent, value);
            }
        }
        self.dependents[variable] = Some(dependents);
    }

    /// Whether the time is over.
    pub(super) fn is_late(deadline: Option<Instant>) -> bool {
        deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn above(&mut self, place: usize) -> Box<[u32]> {
        let places = &self.program.places;
        let mut depends = vec![false; places.len()];
        depends[place] = true;
        let mut found = vec![];
        for above in place + 1..places.len() {
            if places[above].operands().any(|operand| depends[operand]) {
                depends[above] = true;
                found.push(above as u32);
            }
        }
        self.steps += places.len() as u64 / 4;
        found.into()
    }

    fn write(&mut self, place: usize, value: Option<u128>) {
        let truth = self.truth(place, value);
        let past = Past { place: place as u32, value: self.values[place], truth: self.truths[place] };
        if past.value != value || past.truth != truth {
            self.log.push(past);
            self.changed[place] = self.changes;
            self.values[place] = value;
            self.truths[place] = truth;
            self.measure(place);
        }
    }

    fn compute(&mut self, place: usize) -> Option<u128> {
        self.steps += 1;
        let place = &self.program.places[place];
        let mut operands = [0; 3];
        for (value, operand) in operands.iter_mut().zip(place.operands()) {
            *value = self.values[operand]?;
        }
        eval::compute(self.program.exprs, &place.expr, operands, &[]).ok()
    }

    fn truth(&self, number: usize, value: Option<u128>) -> Truth {
        let place = &self.program.places[number];
        let operand = |operand: usize| self.truths[place.operand(operand)];
        match (place.rule, value) {
            (Rule::Number, _) if place.is_symbolic => Truth::default(),
            (_, None) => Truth::NONE,
            (_, Some(value)) if !place.is_symbolic => Truth::fixed(value != 0),
            (Rule::Number, _) => Truth::default(),
            (Rule::Opaque, Some(value)) => Truth::opaque(value != 0),
            (Rule::Compare, Some(value)) => {
                let [x, y] = [0, 1].map(|operand| self.values[place.operand(operand)].unwrap_or(0));
                let width = self.program.width(place.operand(0));
                distance::compare(place.expr.op, width, [x, y], value != 0)
            }
            (Rule::Same(which), _) => operand(which),
            (Rule::Opposite(which), _) => operand(which).opposite(),
            (Rule::Both, _) => operand(0).both(operand(1)),
            (Rule::Either, _) => operand(0).either(operand(1)),
            (Rule::Differ, _) => operand(0).differ(operand(1)),
            (Rule::Agree, _) => operand(0).differ(operand(1)).opposite(),
            (Rule::Choose, _) => operand(0).choose(operand(1), operand(2)),
        }
    }

    /// Measures the goals about a place again.
    fn measure(&mut self, place: usize) {
        let (start, end) = self.goals_at[place];
        for position in start..end {
            let goal = self.goals_by_place[position as usize] as usize;
            let new = self.distance(&self.program.goals[goal]);
            let old = std::mem::replace(&mut self.distances[goal], new);
            self.score.normalised = self.score.normalised + normalised(new) - normalised(old);
            self.score.exact = self.score.exact + new - old;
        }
    }

    fn distance(&self, goal: &Goal) -> u128 {
        let truth = self.truths[goal.place];
        let Some(value) = self.values[goal.place] else { return WORST };
        let width = self.program.width(goal.place);
        match &goal.wish {
            Wish::True => truth.to_true,
            Wish::False => truth.to_false,
            Wish::Equals(wanted) => circular(width, value, *wanted),
            Wish::NoneOf(values) => u128::from(values.contains(&value)),
            Wish::OneOf(values) => {
                values.iter().map(|&wanted| circular(width, value, wanted)).min().unwrap_or(WORST)
            }
        }
    }
}

/// `d / (d + 1)` in units of 2^-32, rounded down; 0 only for 0.
fn normalised(distance: u128) -> u64 {
    match u32::try_from(distance) {
        Ok(distance) => (u64::from(distance) << 32) / (u64::from(distance) + 1),
        // Less than one unit below 1.
        Err(_) => (1 << 32) - 1,
    }
}

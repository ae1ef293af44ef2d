//! Inversion: changes of inputs that would give an expression the value that is wanted of it.
//!
//! Starting from a goal that is missed, each step asks which value one operand must have so that the operation
//! gives what is wanted, while the other operands keep their values; at the bottom stands an input. An input
//! that also occurs elsewhere changes more than was meant, so these are proposals that somebody must evaluate.

use testwright_abi::expr::Op;

use super::machine::Machine;
use super::program::{Place, Rule, Wish};
use crate::expr::mask;

mod float;
mod integer;
mod relation;

/// Values for some variables.
pub(super) type Change = Vec<(usize, u128)>;

/// No more steps than these for one goal.
const STEPS: usize = 256;
/// Nor deeper: this bounds the stack.
const DEPTH: usize = 100;
/// Nor more proposals.
const PROPOSALS: usize = 48;

/// Changes that might meet `goal`.
pub(super) fn proposals(machine: &Machine, goal: usize) -> Vec<Change> {
    let mut inversion = Inversion { machine, steps: 0, found: vec![] };
    let goal = &machine.program.goals[goal];
    let width = machine.program.width(goal.place);
    let value = machine.value(goal.place).unwrap_or(0);
    match &goal.wish {
        Wish::True => inversion.truth(goal.place, true, 0),
        Wish::False => inversion.truth(goal.place, false, 0),
        Wish::Equals(wanted) => inversion.value(goal.place, *wanted, 0),
        Wish::OneOf(values) => values.iter().for_each(|&wanted| inversion.value(goal.place, wanted, 0)),
        Wish::NoneOf(values) => {
            for wanted in relation::neighbours(width, value, values) {
                inversion.value(goal.place, wanted, 0);
            }
        }
    }
    inversion.found
}

struct Inversion<'m, 'p> {
    machine: &'m Machine<'p>,
    steps: usize,
    found: Vec<Change>,
}

impl Inversion<'_, '_> {
    fn is_over(&mut self, place: usize, depth: usize) -> bool {
        self.steps += 1;
        let is_symbolic = self.machine.program.places[place].is_symbolic;
        !is_symbolic || self.steps > STEPS || depth > DEPTH || self.found.len() >= PROPOSALS
    }

    /// Makes a truth as wanted.
    fn truth(&mut self, number: usize, wanted: bool, depth: usize) {
        let machine = self.machine;
        if self.is_over(number, depth) || machine.is_true(number) == wanted && machine.value(number).is_some()
        {
            return;
        }
        let place = &machine.program.places[number];
        let below = |which: usize| place.operand(which);
        match place.rule {
            Rule::Same(which) => self.truth(below(which), wanted, depth + 1),
            Rule::Opposite(which) => self.truth(below(which), !wanted, depth + 1),
            Rule::Both | Rule::Either => {
                self.truth(below(0), wanted, depth + 1);
                self.truth(below(1), wanted, depth + 1);
            }
            Rule::Differ | Rule::Agree => {
                for which in [0, 1] {
                    self.truth(below(which), !machine.is_true(below(which)), depth + 1);
                }
            }
            Rule::Choose => {
                let chosen = if machine.is_true(below(0)) { 1 } else { 2 };
                self.truth(below(chosen), wanted, depth + 1);
                self.truth(below(0), !machine.is_true(below(0)), depth + 1);
            }
            Rule::Compare => {
                for (which, value) in relation::operands(machine, place, wanted) {
                    self.value(below(which), value, depth + 1);
                }
            }
            Rule::Opaque | Rule::Number => self.undo(number, u128::from(wanted), depth),
        }
    }

    /// Gives a place the wanted value.
    fn value(&mut self, number: usize, wanted: u128, depth: usize) {
        let machine = self.machine;
        let place = &machine.program.places[number];
        if place.one != 0 {
            if wanted == 0 || wanted == place.one {
                self.truth(number, wanted != 0, depth);
            }
        } else if !self.is_over(number, depth) && machine.value(number) != Some(wanted) {
            self.undo(number, wanted, depth);
        }
    }

    /// Goes one operation down.
    fn undo(&mut self, number: usize, wanted: u128, depth: usize) {
        let machine = self.machine;
        let place = &machine.program.places[number];
        if let Some(variable) = place.expr.input().and_then(|index| machine.program.variable_of(index)) {
            self.found.push(vec![(variable, wanted)]);
            return;
        }
        match place.expr.op {
            Op::Concat => self.pieces(place, wanted, depth),
            Op::Ite => self.choice(place, wanted, depth),
            Op::Table => self.entries(place, wanted, depth),
            _ => {
                let mut operands = integer::operands(machine, place, wanted);
                operands.extend(float::operands(machine, place, wanted));
                for (which, value) in operands {
                    let operand = place.operand(which);
                    self.value(operand, value & mask(machine.program.width(operand)), depth + 1);
                }
            }
        }
    }

    /// Both pieces must be right at once: every change of the one is joined with the first of the other.
    fn pieces(&mut self, place: &Place, wanted: u128, depth: usize) {
        let [high, low] = [place.operand(0), place.operand(1)];
        let low_width = self.machine.program.width(low);
        let earlier = std::mem::take(&mut self.found);
        self.value(high, wanted >> low_width, depth + 1);
        let high_changes = std::mem::take(&mut self.found);
        self.value(low, wanted & mask(low_width), depth + 1);
        let low_changes = std::mem::replace(&mut self.found, earlier);
        let (Some(first_high), Some(first_low)) = (high_changes.first(), low_changes.first()) else {
            self.found.extend(high_changes.into_iter().chain(low_changes));
            return;
        };
        for change in &low_changes {
            self.found.push([first_high.clone(), change.clone()].concat());
        }
        for change in high_changes.iter().skip(1) {
            self.found.push([change.clone(), first_low.clone()].concat());
        }
    }

    fn choice(&mut self, place: &Place, wanted: u128, depth: usize) {
        let condition = place.operand(0);
        let is_true = self.machine.is_true(condition);
        let (chosen, other) = if is_true { (1, 2) } else { (2, 1) };
        if self.machine.value(place.operand(other)) == Some(wanted) {
            self.truth(condition, !is_true, depth + 1);
        }
        self.value(place.operand(chosen), wanted, depth + 1);
    }

    /// The offsets, nearest first, where a table has the wanted entry.
    fn entries(&mut self, place: &Place, wanted: u128, depth: usize) {
        let machine = self.machine;
        let tables = machine.program.exprs.tables();
        let Some(table) = place.expr.table().and_then(|number| tables.get(number)) else { return };
        let length = place.expr.width() as usize / 8;
        let entry = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte));
        let mut offsets: Vec<u128> = vec![];
        for (offset, bytes) in table.bytes.windows(length).enumerate() {
            if entry(bytes) == wanted {
                offsets.push(offset as u128);
            }
        }
        let current = machine.value(place.operand(0)).unwrap_or(0);
        offsets.sort_by_key(|&offset| offset.abs_diff(current));
        for offset in offsets.into_iter().take(8) {
            self.value(place.operand(0), offset, depth + 1);
        }
    }
}

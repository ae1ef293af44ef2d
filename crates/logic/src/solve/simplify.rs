//! Simplification of models: small, readable values, where the constraints leave the choice.
//!
//! Whatever layer found a model, each changed input first tries to keep the value of the run, then values that
//! people like to read: small integers, letters, round floats, or at least the number nearest to zero that
//! bisection finds. Every step keeps all constraints satisfied.

use super::float::{from_f64, to_f64};
use super::machine::Machine;
use super::program::Program;
use super::{Answer, Input, InputKind, Layer, Model, Query, Solve};
use crate::expr::mask;
use crate::solve::distance::signed;

/// At most so many values are tried for one model.
const TRIALS: usize = 512;
/// And so many expressions computed.
const STEPS: u64 = 100_000;

/// The layer that makes models readable.
#[derive(Debug, Clone, Copy, Default)]
pub struct Simplify;

impl Layer for Simplify {
    fn name(&self) -> &'static str {
        "simplify"
    }

    fn solve(&mut self, query: &Query<'_>, next: &mut dyn Solve) -> Answer {
        match next.solve(query) {
            Answer::Sat(model) => Answer::Sat(simplified(query, model)),
            other => other,
        }
    }
}

fn simplified(query: &Query<'_>, model: Model) -> Model {
    let program = Program::new(query);
    let mut machine = Machine::new(&program);
    for (&index, &value) in &model {
        match program.variable_of(index) {
            Some(variable) => machine.set(variable, value),
            None => return model,
        }
    }
    machine.keep();
    if !machine.score().is_met() {
        return model;
    }
    let mut simplification = Simplification { machine, trials: 0 };
    let changed: Vec<usize> = model.keys().filter_map(|&index| program.variable_of(index)).collect();
    for &variable in &changed {
        simplification.try_value(variable, program.variables[variable].current);
    }
    for &variable in &changed {
        simplification.improve(variable);
    }
    program.model(simplification.machine.variables())
}

struct Simplification<'p> {
    machine: Machine<'p>,
    trials: usize,
}

impl Simplification<'_> {
    /// Gives a variable another value if all goals stay met.
    fn try_value(&mut self, variable: usize, value: u128) -> bool {
        let Input { width, .. } = self.machine.program.variables[variable].input;
        let is_allowed = value <= mask(width) && self.machine.program.variables[variable].input.allows(value);
        if !is_allowed || self.trials >= TRIALS || self.machine.steps > STEPS {
            return false;
        }
        self.trials += 1;
        self.machine.set(variable, value);
        let is_met = self.machine.score().is_met();
        if is_met {
            self.machine.keep();
        } else {
            self.machine.rewind(0);
        }
        is_met
    }

    fn improve(&mut self, variable: usize) {
        let described = self.machine.program.variables[variable];
        let value = self.machine.variable(variable);
        if value == described.current || is_readable(&described.input, value) {
            return;
        }
        let width = described.input.width;
        let found = match described.input.kind {
            InputKind::Bool => true,
            InputKind::Character => {
                "aA0 .".bytes().chain(*b"bzZ9!~_-").any(|byte| self.try_value(variable, u128::from(byte)))
            }
            InputKind::Float => {
                round(to_f64(width, value)).any(|number| self.try_value(variable, from_f64(width, number)))
            }
            InputKind::Signed | InputKind::Unsigned | InputKind::Address => {
                [0, 1, mask(width), 2].into_iter().any(|small| self.try_value(variable, small))
            }
        };
        if !found && described.input.kind != InputKind::Float {
            self.bisect(variable);
        }
    }

    /// Goes towards zero as far as bisection finds a way.
    fn bisect(&mut self, variable: usize) {
        let Input { width, kind, .. } = self.machine.program.variables[variable].input;
        let number = |bits: u128| if kind == InputKind::Signed { signed(width, bits) } else { bits as i128 };
        let mut good = number(self.machine.variable(variable));
        let mut bad = 0i128;
        while good.abs_diff(bad) > 1 {
            let middle = bad + (good - bad) / 2;
            if self.try_value(variable, middle as u128 & mask(width)) {
                good = middle;
            } else {
                bad = middle;
            }
        }
    }
}

fn is_readable(input: &Input, value: u128) -> bool {
    match input.kind {
        InputKind::Signed => signed(input.width, value).unsigned_abs() < 10,
        InputKind::Unsigned | InputKind::Address => value < 10,
        InputKind::Bool => true,
        InputKind::Character => (0x20..0x7f).contains(&value),
        InputKind::Float => false,
    }
}

/// Numbers near `number` that are shorter to write, the shortest first.
fn round(number: f64) -> impl Iterator<Item = f64> {
    let small = [0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 10.0, -10.0, 100.0, -100.0];
    let digits = (0..12).flat_map(move |digits| {
        let scale = 10f64.powi(digits);
        [(number * scale).round(), (number * scale).floor(), (number * scale).ceil()].map(|near| near / scale)
    });
    small.into_iter().chain(digits).filter(|near| near.is_finite())
}

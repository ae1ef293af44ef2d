//! Narrowing: from what is wanted of an expression to what it takes of the one input below it.

use testwright_abi::expr::Op;

use super::Domain;
use crate::expr::mask;
use crate::solve::distance::{biased, signed};
use crate::solve::program::{Place, Program, Rule, Wish};

/// A variable and the values it can have.
type Found = (usize, Domain);

/// Deeper expressions are left to others; this bounds the stack.
const DEPTH: usize = 100;

/// The domain of every variable: what its range and the goals about it alone allow.
pub(in crate::solve) fn domains(program: &Program) -> Vec<Domain> {
    let mut domains: Vec<Domain> =
        program.variables.iter().map(|variable| Domain::allowed(&variable.input)).collect();
    let mut wants = vec![];
    for goal in &program.goals {
        let width = program.width(goal.place);
        match &goal.wish {
            Wish::True => wants.push((goal.place, true)),
            Wish::False => wants.push((goal.place, false)),
            Wish::Equals(value) => {
                meet(&mut domains, program.value(goal.place, &Domain::of(width, [*value]), 0));
            }
            Wish::OneOf(values) => {
                let wanted = Domain::of(width, values.iter().copied());
                meet(&mut domains, program.value(goal.place, &wanted, 0));
            }
            Wish::NoneOf(values) => {
                let wanted = Domain::of(width, values.iter().copied()).complement();
                meet(&mut domains, program.value(goal.place, &wanted, 0));
            }
        }
    }
    // Conjunctions are taken apart: their parts may be about different inputs.
    while let Some((place, wanted)) = wants.pop() {
        let expr = &program.places[place];
        match (expr.rule, wanted) {
            (Rule::Same(which), _) => wants.push((expr.operand(which), wanted)),
            (Rule::Opposite(which), _) => wants.push((expr.operand(which), !wanted)),
            (Rule::Both, true) | (Rule::Either, false) => {
                wants.extend([(expr.operand(0), wanted), (expr.operand(1), wanted)]);
            }
            _ => meet(&mut domains, program.truth(place, wanted, 0)),
        }
    }
    domains
}

fn meet(domains: &mut [Domain], found: Option<Found>) {
    if let Some((variable, domain)) = found {
        domains[variable] = domains[variable].intersection(&domain);
    }
}

impl Program<'_> {
    /// What it takes for a truth to be as wanted, if that is known and about one variable.
    fn truth(&self, number: usize, wanted: bool, depth: usize) -> Option<Found> {
        let place = &self.places[number];
        if !place.is_symbolic || depth > DEPTH {
            return None;
        }
        let part = |which: usize, wanted| self.truth(place.operand(which), wanted, depth + 1);
        match (place.rule, wanted) {
            (Rule::Same(which), _) => part(which, wanted),
            (Rule::Opposite(which), _) => part(which, !wanted),
            (Rule::Both, true) | (Rule::Either, false) => match (part(0, wanted), part(1, wanted)) {
                (Some((a, x)), Some((b, y))) if a == b => Some((a, x.intersection(&y))),
                (Some(found), _) | (None, Some(found)) => Some(found),
                (None, None) => None,
            },
            (Rule::Both, false) | (Rule::Either, true) => {
                let ((a, x), (b, y)) = (part(0, wanted)?, part(1, wanted)?);
                (a == b).then(|| (a, x.union(&y)))
            }
            (Rule::Compare, _) => self.comparison(place, wanted, depth),
            (Rule::Opaque, _) => self.value(number, &Domain::of(1, [u128::from(wanted)]), depth + 1),
            _ => None,
        }
    }

    fn comparison(&self, place: &Place, wanted: bool, depth: usize) -> Option<Found> {
        let [a, b] = [place.operand(0), place.operand(1)];
        let width = self.width(a);
        let (domain, operand) = match (self.constant(a), self.constant(b)) {
            (None, Some(constant)) => (left_of(place.expr.op, width, constant)?, a),
            (Some(constant), None) => (right_of(place.expr.op, width, constant)?, b),
            _ => return None,
        };
        let domain = if wanted { domain } else { domain.complement() };
        self.value(operand, &domain, depth + 1)
    }

    /// What it takes for a number to be in `wanted`.
    fn value(&self, number: usize, wanted: &Domain, depth: usize) -> Option<Found> {
        let place = &self.places[number];
        if !place.is_symbolic || depth > DEPTH {
            return None;
        }
        if let Some(index) = place.expr.input() {
            return Some((self.variable_of(index)?, wanted.clone()));
        }
        let narrow = self.width(place.operand(0));
        let constants = [0, 1].map(|which| {
            (which < usize::from(place.arity)).then(|| self.constant(place.operand(which))).flatten()
        });
        let (below, which) = match (place.expr.op, constants) {
            (Op::Add, [Some(constant), _]) => (wanted.shifted(constant.wrapping_neg()), 1),
            (Op::Add, [_, Some(constant)]) => (wanted.shifted(constant.wrapping_neg()), 0),
            (Op::Sub, [_, Some(constant)]) => (wanted.shifted(constant), 0),
            (Op::Sub, [Some(constant), _]) => (wanted.reflected(constant), 1),
            (Op::Not, _) => (wanted.reflected(mask(narrow)), 0),
            (Op::Xor, [_, Some(constant)]) if constant == 1 << (narrow - 1) => (wanted.shifted(constant), 0),
            (Op::Xor, [_, Some(constant)]) if constant == mask(narrow) => (wanted.reflected(constant), 0),
            (Op::ZExt, _) => (wanted.zero_extended(narrow), 0),
            (Op::SExt, _) => (wanted.sign_extended(narrow), 0),
            (Op::UDiv, [_, Some(constant)]) if constant > 0 => (wanted.multiplied(constant), 0),
            (Op::LShr, [_, Some(constant)]) if constant < u128::from(narrow) => {
                (wanted.multiplied(1 << constant), 0)
            }
            _ => return None,
        };
        self.value(place.operand(which), &below, depth + 1)
    }
}

/// The numbers that are in the relation to `constant`.
fn left_of(op: Op, width: u32, constant: u128) -> Option<Domain> {
    let lowest = 1 << (width - 1);
    let below = |first: u128, last: u128, is_empty: bool| {
        if is_empty { Domain::of(width, []) } else { Domain::circle(width, first, last) }
    };
    Some(match op {
        Op::Eq => Domain::of(width, [constant]),
        Op::Ult | Op::USubO => below(0, constant.wrapping_sub(1), constant == 0),
        Op::Ule => below(0, constant, false),
        Op::Slt => below(lowest, constant.wrapping_sub(1), constant == lowest),
        Op::Sle => below(lowest, constant, false),
        Op::UAddO => below(constant.wrapping_neg(), mask(width), constant == 0),
        Op::SAddO if signed(width, constant) >= 0 => {
            below((mask(width) >> 1).wrapping_sub(constant).wrapping_add(1), mask(width) >> 1, constant == 0)
        }
        Op::SAddO => below(lowest, lowest.wrapping_sub(constant).wrapping_sub(1), false),
        Op::SSubO if signed(width, constant) > 0 => {
            below(lowest, lowest.wrapping_add(constant).wrapping_sub(1), false)
        }
        Op::SSubO => {
            below((mask(width) >> 1).wrapping_add(constant).wrapping_add(1), mask(width) >> 1, constant == 0)
        }
        _ => return None,
    })
}

/// The numbers to which `constant` is in the relation.
fn right_of(op: Op, width: u32, constant: u128) -> Option<Domain> {
    let highest = mask(width) >> 1;
    let above = |first: u128, last: u128, is_empty: bool| {
        if is_empty { Domain::of(width, []) } else { Domain::circle(width, first, last) }
    };
    Some(match op {
        Op::Eq | Op::SAddO | Op::UAddO => return left_of(op, width, constant),
        Op::Ult | Op::USubO => above(constant.wrapping_add(1), mask(width), constant == mask(width)),
        Op::Ule => above(constant, mask(width), false),
        Op::Slt => above(constant.wrapping_add(1), highest, constant == highest),
        Op::Sle => above(constant, highest, false),
        // constant - x overflows: x lies beyond constant - highest or beyond constant - lowest.
        Op::SSubO if signed(width, constant) >= 0 => {
            above(biased(width, 0), constant.wrapping_sub(highest).wrapping_sub(1), false)
        }
        Op::SSubO => {
            above(constant.wrapping_sub(biased(width, 0)).wrapping_add(1), highest, constant == mask(width))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::eval::Evaluator;
    use crate::expr::{ExprId, Exprs};
    use crate::path::Constraint;
    use crate::solve::Query;
    use crate::testing::Arena;

    /// Compares the domain of input 0, 5 bits, with what the evaluator says about each of its values.
    fn check(exprs: &Exprs, id: ExprId) {
        for constraint in [Constraint::IsTrue(id), Constraint::IsFalse(id)] {
            let constraints = [constraint];
            let query = Query { exprs, constraints: &constraints, inputs: &[], values: &[0], deadline: None };
            let domain = domains(&Program::new(&query)).pop().expect("one input");
            for value in 0..32 {
                let holds = constraints[0].holds(&mut Evaluator::new(exprs, &[value]));
                assert_eq!(Ok(domain.contains(value)), holds, "{value}, {constraints:?}, {exprs:?}");
            }
        }
    }

    #[test]
    fn comparisons_with_constants_are_narrowed_exactly() {
        let ops = [Op::Eq, Op::Ult, Op::Ule, Op::Slt, Op::Sle];
        let overflows = [Op::UAddO, Op::USubO, Op::SAddO, Op::SSubO];
        for op in ops.into_iter().chain(overflows) {
            for number in 0..32 {
                let mut arena = Arena::default();
                let x = arena.input(0, 5, 0);
                let constant = arena.constant(5, number);
                let ids = [arena.op(op, 1, &[x, constant]), arena.op(op, 1, &[constant, x])];
                let exprs = arena.finish();
                ids.into_iter().for_each(|id| check(&exprs, id));
            }
        }
    }

    #[test]
    fn what_can_be_undone_below_a_comparison_is_narrowed_exactly() {
        for number in 0..32 {
            let mut arena = Arena::default();
            let x = arena.input(0, 5, 0);
            let constant = arena.constant(5, number);
            let limit = arena.constant(5, 7);
            let sum = arena.op(Op::Add, 5, &[constant, x]);
            let difference = arena.op(Op::Sub, 5, &[constant, sum]);
            let not = arena.op(Op::Not, 5, &[difference]);
            let two = arena.constant(5, 2);
            let quotient = arena.op(Op::LShr, 5, &[not, two]);
            let wide_limit = arena.constant(9, 0x1f8 + number % 8);
            let wide = arena.op(Op::SExt, 9, &[sum]);
            let wider = arena.op(Op::ZExt, 9, &[not]);
            let ids = [
                arena.op(Op::Slt, 1, &[not, limit]),
                arena.op(Op::Ult, 1, &[quotient, limit]),
                arena.op(Op::Sle, 1, &[wide_limit, wide]),
                arena.op(Op::Ule, 1, &[wide_limit, wider]),
            ];
            let both = arena.op(Op::And, 1, &[ids[0], ids[2]]);
            let either = arena.op(Op::Or, 1, &[both, ids[1]]);
            let exprs = arena.finish();
            ids.into_iter().chain([both, either]).for_each(|id| check(&exprs, id));
        }
    }
}

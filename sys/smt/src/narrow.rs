//! Narrowing: easier questions that are asked first, because their answers are likely and better.
//!
//! A question with fewer choices is easier. If it has a solution that is one of the full question too, and one
//! that people prefer; if it has none, nothing is known yet.

use testwright_logic::path::Constraint;
use testwright_logic::solve::{InputKind, Query};
use z3::ast::Bool;

use crate::budget::Budget;
use crate::model::Variable;
use crate::refine::short;
use crate::stack::{Stack, Verdict};
use crate::term::literal;

/// A narrowed question about floats may do one part in so many of the work.
const FLOATS_PART: u32 = 4;

/// Whether everything that the stack asserts can hold: asked narrowly first, then in full.
pub(crate) fn check(stack: &mut Stack, query: &Query<'_>, variables: &[Variable], budget: Budget) -> Verdict {
    let (needed, others) = split(query, variables);
    let kept: Vec<Bool> = others.iter().map(|variable| variable.is_kept()).collect();
    for wish in [short, special] {
        let floats = needed.iter().filter(|variable| variable.kind == InputKind::Float);
        let mut narrow: Vec<Bool> = floats.filter_map(|variable| wish(variable)).collect();
        if !narrow.is_empty() {
            narrow.extend_from_slice(&kept);
            if let Verdict::Sat(model) = stack.check_with(&narrow, budget.part(FLOATS_PART)) {
                return Verdict::Sat(model);
            }
        }
    }
    if !kept.is_empty()
        && let Verdict::Sat(model) = stack.check_with(&kept, budget.small())
    {
        return Verdict::Sat(model);
    }
    stack.check(budget)
}

/// The variables that the last constraint depends on, and the others.
///
/// The constraints before the last one usually hold for the run, so there is likely to be a solution in which
/// the others keep their values.
fn split<'v>(query: &Query<'_>, variables: &'v [Variable]) -> (Vec<&'v Variable>, Vec<&'v Variable>) {
    let last = query.constraints.iter().rev().find_map(Constraint::expr);
    let needed = last.map(|id| query.exprs.inputs_of(id)).unwrap_or_default();
    variables.iter().partition(|variable| needed.contains(&variable.index))
}

/// The wish for a float that is zero, infinite or NaN.
fn special(variable: &Variable) -> Option<Bool> {
    let infinity = match variable.width {
        32 => u128::from(f32::INFINITY.to_bits()),
        64 => u128::from(f64::INFINITY.to_bits()),
        _ => return None,
    };
    let sign = 1 << (variable.width - 1);
    let quiet = infinity | infinity >> 1;
    let values = [0, sign, infinity, infinity | sign, quiet];
    let claims = values.map(|value| variable.bits.eq(literal(variable.width, value)));
    Some(Bool::or(&claims))
}

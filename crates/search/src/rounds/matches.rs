//! Matches: the pieces of sequences that library functions such as `strchr` and `strstr` found.
//!
//! A model compares byte by byte. The bytes that were equal, one after the other, when it returned are what it found. That is
//! less than the round in which it found them: a loop may look at the end of the last byte and at the next byte in one round.

use super::looks::Looks;
use crate::execute::Traced;
use testwright_abi::expr::Op;
use testwright_base::ids::FunctionId;
use testwright_base::subject::Subject;
use testwright_logic::path::{EventKind, Step};

/// What a library function found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// Its model.
    pub model: FunctionId,
    /// The statement that makes the sequence.
    pub object: usize,
    /// The first element that was found.
    pub first: usize,
    /// The bits of the elements.
    pub values: Vec<u128>,
}

impl Match {
    /// The place after it.
    #[must_use]
    pub fn end(&self) -> usize {
        self.first + self.values.len()
    }

    fn goes_on_at(&self, object: usize, at: usize) -> bool {
        self.object == object && self.end() == at
    }
}

/// What the library functions of a run found, in the order of their calls.
pub(super) fn matches(subject: &Subject, traced: &Traced, looks: &Looks<'_>) -> Vec<Match> {
    let mut found = Vec::new();
    let mut open: Option<Match> = None;
    for (index, step) in traced.path.steps().iter().enumerate() {
        let site = step.site.and_then(|site| subject.sites.get(site as usize));
        let Some(site) = site.filter(|_| step.kind == EventKind::Branch) else { continue };
        if open.as_ref().is_some_and(|open| open.model != site.function) {
            found.extend(open.take());
        }
        let is_model = subject.function(site.function).model;
        let Some(is_equal) = compared(traced, step).filter(|_| is_model) else { continue };
        let element = looks.alone(index).filter(|_| is_equal);
        let Some((input, (object, at))) =
            element.and_then(|input| Some((input, traced.elements[input as usize]?)))
        else {
            open = None;
            continue;
        };
        let value = traced.values[input as usize];
        match open.as_mut().filter(|open| open.goes_on_at(object, at)) {
            Some(open) => open.values.push(value),
            None => open = Some(Match { model: site.function, object, first: at, values: vec![value] }),
        }
    }
    found.extend(open);
    found
}

/// Whether a step found two bytes equal; none if it compared nothing, or with 0, which looks for the end of a text.
fn compared(traced: &Traced, step: &Step) -> Option<bool> {
    let mut expr = traced.exprs.get(step.expr);
    while let (Op::Not, Some(inner)) = (expr.op, expr.operands().next()) {
        expr = traced.exprs.get(inner);
    }
    let operands: Vec<_> = expr.operands().map(|operand| traced.exprs.get(operand)).collect();
    let [a, b] = operands.as_slice() else { return None };
    (a.value != 0 && b.value != 0).then_some(a.value == b.value)
}

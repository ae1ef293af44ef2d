//! Paths: the outcomes of a run in order, each with the constraint it puts on the inputs.
//!
//! Inputs that satisfy all constraints of a path take the same path; inputs that satisfy all up to a step and
//! break that one leave it there. Symbolic values that had to become concrete (addresses, sizes, arguments of
//! native calls) are
//! *pinned*: their constraint says that they have the value of the run.

use std::collections::BTreeMap;
use testwright_abi::event::Event;
pub use testwright_abi::event::EventKind;
use testwright_abi::expr::Op;
use thiserror::Error;

use crate::expr::eval::{EvalError, Evaluator};
use crate::expr::{ExprId, Exprs};

mod constraint;
mod script;
mod slice;

pub use constraint::Constraint;
pub use slice::Independence;

/// One outcome of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What happened.
    pub kind: EventKind,
    /// Where, if at a site.
    pub site: Option<u32>,
    /// Which way the site went, where that means something.
    pub outcome: u16,
    /// The expression that decided.
    pub expr: ExprId,
    /// [`EventKind::Native`]: index of the callee; [`EventKind::Unsupported`]: index of the reason;
    /// [`EventKind::Related`]: the handle of the other pointer.
    pub extra: u32,
    /// What the step says about the inputs.
    pub constraint: Constraint,
}

/// The path of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Path {
    steps: Vec<Step>,
    layout: Layout,
}

/// Where the objects of a run lie, as far as that concerns its path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// A number for how the objects are aligned, if the code looks at that; else 0. Paths of different alignments have
    /// nothing to do with each other: what decides may not depend on inputs.
    pub alignment: u64,
    /// For inputs that are places in objects: where the object begins.
    pub starts: BTreeMap<u32, u64>,
}

/// An event makes no sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("event {index} of the trace is damaged: {kind}")]
pub struct PathError {
    /// Its position in the list of events.
    pub index: usize,
    /// What is wrong with it.
    pub kind: PathErrorKind,
}

/// What is wrong with an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PathErrorKind {
    /// No kind has this number.
    #[error("no kind of event has the number {0}")]
    UnknownKind(u16),
    /// There is no such expression.
    #[error("there is no expression {0}")]
    UnknownExpr(u32),
    /// The expression should be a truth value.
    #[error("expression {0} has more than one bit")]
    NotOneBit(u32),
    /// The site cannot go that way.
    #[error("the site has no outcome {0}")]
    UnknownOutcome(u16),
    /// The site is not a switch that is known.
    #[error("site {0} is not a switch")]
    UnknownSwitch(u32),
    /// A case of the switch has more bits than the expression.
    #[error("case {0:#x} is wider than the expression")]
    WideCase(u128),
}

/// A constraint that its own run does not satisfy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The step.
    pub index: usize,
    /// Why the constraint has no truth value, if that is it.
    pub error: Option<EvalError>,
}

impl Path {
    /// The path that `events` tell of. `switch_cases` gives the case values of a switch site in the order of
    /// its outcomes, without the default.
    ///
    /// # Errors
    /// The first event that makes no sense.
    pub fn from_events<'c>(
        events: &[Event],
        exprs: &Exprs,
        switch_cases: impl Fn(u32) -> Option<&'c [u128]>,
    ) -> Result<Path, PathError> {
        let mut steps = Vec::with_capacity(events.len());
        for (index, event) in events.iter().enumerate() {
            let step = step(event, exprs, &switch_cases).map_err(|kind| PathError { index, kind })?;
            steps.push(step);
        }
        Ok(Path { steps, layout: Layout::default() })
    }

    /// The same path, with where the objects of its run lie.
    #[must_use]
    pub fn in_layout(self, layout: Layout) -> Path {
        Path { layout, ..self }
    }

    /// Where the objects lie.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The steps in order.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Evaluates all constraints for the inputs of the run; the path is right if none is violated.
    #[must_use]
    pub fn check(&self, exprs: &Exprs) -> Vec<Violation> {
        let mut evaluator = Evaluator::recorded(exprs);
        let mut violations = vec![];
        for (index, step) in self.steps.iter().enumerate() {
            match step.constraint.holds(&mut evaluator) {
                Ok(true) => {}
                Ok(false) => violations.push(Violation { index, error: None }),
                Err(error) => violations.push(Violation { index, error: Some(error) }),
            }
        }
        violations
    }
}

fn step<'c>(
    event: &Event,
    exprs: &Exprs,
    switch_cases: &impl Fn(u32) -> Option<&'c [u128]>,
) -> Result<Step, PathErrorKind> {
    let kind = EventKind::from_number(event.kind).ok_or(PathErrorKind::UnknownKind(event.kind))?;
    let expr = exprs.id(event.expr).ok_or(PathErrorKind::UnknownExpr(event.expr))?;
    let width = exprs.get(expr).width();
    let is_truth = matches!(kind, EventKind::Branch | EventKind::Compare | EventKind::Bounds);
    if is_truth && width != 1 {
        return Err(PathErrorKind::NotOneBit(event.expr));
    }
    let constraint = match (kind, event.outcome) {
        (EventKind::Branch, 0) | (EventKind::Bounds, _) => Constraint::IsTrue(expr),
        (EventKind::Branch, 1) => Constraint::IsFalse(expr),
        (EventKind::Compare, 0 | 1) | (EventKind::Related, _) => Constraint::Nothing,
        (EventKind::Branch | EventKind::Compare, other) => return Err(PathErrorKind::UnknownOutcome(other)),
        (EventKind::Switch, outcome) => {
            let cases = switch_cases(event.site).ok_or(PathErrorKind::UnknownSwitch(event.site))?;
            switch(expr, width, outcome, cases)?
        }
        (
            EventKind::Address
            | EventKind::Callee
            | EventKind::Native
            | EventKind::Size
            | EventKind::Unsupported
            | EventKind::Pointer,
            _,
        ) => pinned(exprs, expr),
    };
    let site = (event.site != u32::MAX).then_some(event.site);
    Ok(Step { kind, site, outcome: event.outcome, expr, extra: event.extra, constraint })
}

/// That `expr` has the value of the run. A constant that is added to it says nothing about the inputs, and if
/// it is the address of an object, it would tell paths apart that differ only in where that object lies.
fn pinned(exprs: &Exprs, mut expr: ExprId) -> Constraint {
    while exprs.get(expr).op == Op::Add {
        let mut operands = exprs.get(expr).operands();
        let (Some(a), Some(b)) = (operands.next(), operands.next()) else { break };
        expr = match (exprs.get(a).constant(), exprs.get(b).constant()) {
            (None, Some(_)) => a,
            (Some(_), None) => b,
            _ => break,
        };
    }
    Constraint::Equals(expr, exprs.get(expr).value)
}

fn switch(expr: ExprId, width: u32, outcome: u16, cases: &[u128]) -> Result<Constraint, PathErrorKind> {
    let fits = |case: u128| width == 128 || case >> width == 0;
    if let Some(&case) = cases.iter().find(|&&case| !fits(case)) {
        return Err(PathErrorKind::WideCase(case));
    }
    match cases.get(usize::from(outcome)) {
        Some(&case) => Ok(Constraint::Equals(expr, case)),
        None if usize::from(outcome) == cases.len() => Ok(Constraint::NoneOf(expr, cases.to_vec())),
        None => Err(PathErrorKind::UnknownOutcome(outcome)),
    }
}

#[cfg(test)]
mod tests;

//! What a step of shrinking changes: some scalars, or an object as a whole.

use super::scalars::{Scalar, scalars};
use super::{View, length};
use crate::emit::c::literal::is_text;
use crate::weight::{of_statement, of_value, weight};
use std::collections::BTreeMap;
use std::ops::Range;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::subject::Subject;

/// What a proposal changes.
#[derive(Debug, Clone)]
pub(super) enum Change {
    /// The scalars with these numbers hold something else.
    Scalars(Vec<(usize, Value)>),
    /// These elements of an object go.
    Cut(usize, Range<usize>),
    /// An object has other elements.
    Elements(usize, Vec<Value>),
}

/// How a change is taken back.
pub(super) enum Undo {
    /// The scalars with these numbers get back what they held.
    Scalars(Vec<(usize, Value)>),
    /// The case as it was, with its scalars.
    Case(Case, Vec<Scalar>),
}

impl Change {
    /// The weight of the case with the change, given its weight without; none if it cannot be changed that way.
    pub(super) fn weight(&self, view: &View<'_>, before: u64) -> Option<u64> {
        match self {
            Change::Scalars(changes) => {
                let (lost, gained) = weights(view, changes);
                // What is weighed as a whole may weigh more than what is left of the rest, so what is gained comes first.
                Some(before + gained - lost)
            }
            Change::Cut(..) | Change::Elements(..) => Some(weight(view.subject, &self.changed(view)?)),
        }
    }

    /// Makes the change and says how to take it back.
    pub(super) fn make(self, view: &mut View<'_>) -> Undo {
        if let Change::Scalars(changes) = self {
            return Undo::Scalars(exchanged(view, changes));
        }
        let changed = self.changed(view).unwrap_or_else(|| view.case.clone());
        let found = scalars(view.subject, &changed);
        Undo::Case(std::mem::replace(&mut view.case, changed), std::mem::replace(&mut view.scalars, found))
    }

    fn changed(&self, view: &View<'_>) -> Option<Case> {
        match self {
            Change::Scalars(_) => None,
            Change::Cut(object, cut) => length::without(view.subject, &view.case, *object, cut.clone()),
            Change::Elements(object, elements) => {
                let mut case = view.case.clone();
                let Statement::Object { values, .. } = &mut case.statements[*object] else { return None };
                values.clone_from(elements);
                Some(case)
            }
        }
    }
}

impl Undo {
    /// Takes the change back.
    pub(super) fn make(self, view: &mut View<'_>) {
        match self {
            Undo::Scalars(changes) => _ = exchanged(view, changes),
            Undo::Case(case, scalars) => (view.case, view.scalars) = (case, scalars),
        }
    }
}

/// Puts values into scalars and returns what they held.
fn exchanged(view: &mut View<'_>, changes: Vec<(usize, Value)>) -> Vec<(usize, Value)> {
    let View { case, scalars, .. } = view;
    let exchange = |(number, value): (usize, Value)| {
        let scalar = &mut scalars[number];
        if let Some(held) = scalar.held_in(case) {
            held.clone_from(&value);
        }
        (number, std::mem::replace(&mut scalar.value, value))
    };
    changes.into_iter().map(exchange).collect()
}

/// What the weights of scalars that change add up to, before and after. What a character weighs depends on those around
/// it, so statements with text are weighed as a whole.
fn weights(view: &View<'_>, changes: &[(usize, Value)]) -> (u64, u64) {
    let types = &view.subject.types;
    let (mut lost, mut gained) = (0, 0);
    let mut with_text: BTreeMap<usize, Vec<(&Scalar, &Value)>> = BTreeMap::new();
    for (number, value) in changes {
        let scalar = &view.scalars[*number];
        if is_text(types, scalar.ty) || is_stream(view, scalar.statement) {
            with_text.entry(scalar.statement).or_default().push((scalar, value));
        } else {
            lost += of_value(types, scalar.ty, &scalar.value);
            gained += of_value(types, scalar.ty, value);
        }
    }
    for (statement, changes) in with_text {
        lost += of_statement(view.subject, &view.case.statements[statement]);
        gained += of_changed(view.subject, &view.case, statement, &changes);
    }
    (lost, gained)
}

/// What the length of a stream weighs depends on its text.
fn is_stream(view: &View<'_>, statement: usize) -> bool {
    let types = &view.subject.types;
    matches!(&view.case.statements[statement], Statement::Object { element, .. } if types.is_stream(*element))
}

fn of_changed(subject: &Subject, case: &Case, statement: usize, changes: &[(&Scalar, &Value)]) -> u64 {
    let mut changed = case.statements[statement].clone();
    for (scalar, value) in changes {
        if let Some(held) = scalar.held_in_statement(&mut changed) {
            held.clone_from(value);
        }
    }
    of_statement(subject, &changed)
}

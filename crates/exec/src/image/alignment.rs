//! Alignment of objects, for code that looks at the bits of addresses.
//!
//! Objects end at the end of a page, so their length says how they are aligned. For code that asks for it, that belongs to
//! the shape of a case: it stays when values change, and other alignments are other shapes to try.
//!
//! Each alignment has a tree of its own, and up to 64 are tried (`crates/engine/src/build/loaded.rs`). Tests do not state alignments yet, so
//! such a branch may go the other way where the compiler puts an array elsewhere.

use super::change::new_element;
use super::{LONGEST, Part};
use std::hash::{DefaultHasher, Hash, Hasher};
use testwright_base::case::{Case, Statement};
use testwright_base::subject::Subject;

/// No code asks whether addresses are multiples of more than this.
const ALIGNMENT: u64 = 16;

/// A number for how the objects of a case are aligned: equal if all are aligned alike, however long they are. 0 for code that
/// does not ask. New objects of one element do not change it.
#[must_use]
pub fn alignment(subject: &Subject, case: &Case) -> u64 {
    if !asks(subject, case) {
        return 0;
    }
    let own = case.statements.iter().enumerate().map(|(index, statement)| {
        let Statement::Object { element, values } = statement else { return 0 };
        let size = subject.types.get(*element).size;
        let bytes = size.wrapping_mul(values.len() as u64) % ALIGNMENT;
        if bytes == size % ALIGNMENT {
            return 0;
        }
        let mut hasher = DefaultHasher::new();
        (Part::Object(index), bytes).hash(&mut hasher);
        hasher.finish()
    });
    own.fold(0, |all, one| all ^ one)
}

/// The cases in which one of the objects is aligned otherwise, if the code asks for that: it has one element more.
#[must_use]
pub fn aligned_otherwise(subject: &Subject, case: &Case) -> Vec<Case> {
    let has_room = |statement: &Statement| match statement {
        Statement::Object { element, values } => {
            !subject.types.get(*element).size.is_multiple_of(ALIGNMENT) && values.len() < LONGEST
        }
        _ => false,
    };
    let objects = case.statements.iter().enumerate().filter(|(_, statement)| has_room(statement));
    let longer = |(index, _): (usize, &Statement)| {
        let mut case = case.clone();
        lengthen(subject, &mut case.statements[index], 1);
        case
    };
    if asks(subject, case) { objects.map(longer).collect() } else { Vec::new() }
}

/// Makes every object that became longer or shorter than `before` so much longer that it is aligned as before, if the code
/// asks for that. A few elements beyond the longest do no harm.
pub(super) fn keep(subject: &Subject, before: &Case, case: &mut Case) {
    if !asks(subject, case) {
        return;
    }
    for (old, new) in before.statements.iter().zip(&mut case.statements) {
        let (Statement::Object { values: old, .. }, Statement::Object { element, values }) = (old, &*new)
        else {
            continue;
        };
        let size = subject.types.get(*element).size;
        let is_kept = |more: &usize| {
            let bytes = |length: usize| size.wrapping_mul(length as u64) % ALIGNMENT;
            bytes(values.len() + more) == bytes(old.len())
        };
        let more = (0..ALIGNMENT as usize).find(is_kept).unwrap_or(0);
        lengthen(subject, new, more);
    }
}

/// Whether the code under test looks at how its objects are aligned.
pub(super) fn asks(subject: &Subject, case: &Case) -> bool {
    case.call().is_some_and(|(function, _)| subject.function(function).looks_at_addresses)
}

fn lengthen(subject: &Subject, object: &mut Statement, more: usize) {
    let Statement::Object { element, values } = object else { return };
    for _ in 0..more {
        let value = new_element(&subject.types, *element, values.last(), None);
        values.push(value);
    }
}

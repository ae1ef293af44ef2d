//! Pointers that stay in their object when they move: the end of a buffer, a place in it.
//!
//! A pointer into the middle of an object, or to its end, means that object. Where a model moves it, it goes to another
//! place in the object, and an object whose end moves gets longer or shorter with it.

use super::change::new_element;
use super::{Image, ImageLeaf, LONGEST, alignment};
use std::collections::BTreeMap;
use testwright_abi::command::Leaf;
use testwright_abi::memory::{MAX_STUBS, PAGE, stub_address};
use testwright_base::case::{Case, Statement, Value};
use testwright_base::subject::Subject;
use testwright_base::types::Shape;
use testwright_base::zero::element_behind;

/// A pointer that a model moves within its object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moved {
    /// Its number among the leaves.
    pub leaf: u32,
    /// The statement that makes the object.
    pub object: usize,
    /// Where it leads now.
    pub address: u64,
    /// How far that is behind the end that the object had, in bytes.
    pub beyond: u64,
    /// How many elements lie before it, if it was the end of the object.
    end: Option<usize>,
}

impl Image {
    /// The pointers among the changed leaves that stay in their objects.
    pub(super) fn moved(
        &self,
        subject: &Subject,
        case: &Case,
        leaves: &[ImageLeaf],
        model: &BTreeMap<u32, u128>,
    ) -> Vec<Moved> {
        let moved = |(number, value): (&u32, &u128)| {
            let leaf = leaves.get(*number as usize).filter(|leaf| leaf.leaf.pointer != 0)?;
            // Null is null, wherever the pointer led before.
            let wanted = u64::try_from(*value).ok().filter(|wanted| *wanted != 0)?;
            let Value::Pointer { object, offset } = self.pointer(self.leaf_value(leaf) as u64) else {
                return None;
            };
            if leaf.leaf.pointer != Leaf::PLACE && !(offset > 0 || has_end(case, object)) {
                return None;
            }
            let Some(Statement::Object { element, .. }) = case.statements.get(object) else { return None };
            let Shape::Pointer(target) = subject.types.get(leaf.ty).shape else { return None };
            let span =
                self.object(object).filter(|_| element_behind(&subject.types, target) == Some(*element))?;
            let size = subject.types.get(*element).size.max(1);
            let most = longest(span.length, size);
            let offset_now = wanted.saturating_sub(span.address).min(most) / size * size;
            Some(Moved {
                leaf: *number,
                object,
                address: span.address + offset_now,
                beyond: offset_now.saturating_sub(span.length),
                end: (offset > 0 && offset == span.length || offset_now > span.length)
                    .then_some((offset_now / size) as usize),
            })
        };
        model.iter().filter_map(moved).collect()
    }
}

impl Image {
    /// Whether a leaf is a pointer to a place in an object and not just to the object: not to its start, or to an empty one
    /// that begins and ends there.
    pub(super) fn is_place(&self, leaf: &ImageLeaf, leaves: &[ImageLeaf]) -> bool {
        let target = |leaf: &ImageLeaf| match (leaf.leaf.pointer != 0).then(|| self.pointer_of(leaf)) {
            Some(Value::Pointer { object, offset }) => Some((object, offset)),
            _ => None,
        };
        let Some((object, offset)) = target(leaf) else { return false };
        let is_empty = self.object(object).is_some_and(|span| span.length == 0);
        offset > 0 || is_empty && leaves.iter().filter(|other| target(other) == Some((object, 0))).count() > 1
    }

    /// For each of the leaves that is a place in an object, by number: where that object begins.
    #[must_use]
    pub fn starts(&self, leaves: &[ImageLeaf]) -> BTreeMap<u32, u64> {
        let places = (0..).zip(leaves).filter(|(_, leaf)| leaf.leaf.pointer == Leaf::PLACE);
        let start = |(number, leaf): (u32, &ImageLeaf)| match self.pointer_of(leaf) {
            Value::Pointer { object, .. } => Some((number, self.object(object)?.address)),
            _ => None,
        };
        places.filter_map(start).collect()
    }

    /// Whether a pointer with this value means what lies there. Any place serves a solver that needs another address than
    /// those it knows; one in an object is meant only if something that the pointer can lead to begins or ends there.
    pub(super) fn is_meant(&self, subject: &Subject, case: &Case, leaf: &ImageLeaf, value: u128) -> bool {
        let types = &subject.types;
        let (Shape::Pointer(target), Ok(address)) = (&types.get(leaf.ty).shape, u64::try_from(value)) else {
            return true;
        };
        let Value::Pointer { object, offset } = self.pointer(address) else { return true };
        let Some(Statement::Object { element, .. }) = case.statements.get(object) else { return true };
        let own = element_behind(types, *target).map(|own| types.get(own));
        // A type has another number under another name.
        let fits = own.is_some_and(|own| own.shape == types.get(*element).shape);
        let is_anything = offset == 0 && types.get(*target).shape == Shape::Void;
        is_anything || fits && offset.is_multiple_of(types.get(*element).size.max(1))
    }

    /// The addresses that a pointer among the leaves may hold: a place in an object stays in it, as long as the object can
    /// become; others are null, lead to objects of the case or to new ones, or mean stubs. None of them leads to memory
    /// of the run itself: its heap, its stack, the variables of the code.
    #[must_use]
    pub fn places(&self, subject: &Subject, case: &Case, leaf: &ImageLeaf) -> Option<(i128, i128)> {
        let Shape::Pointer(target) = subject.types.get(leaf.ty).shape else { return None };
        let size = subject.types.get(target).size.max(1);
        let place = match self.pointer_of(leaf) {
            Value::Pointer { object, offset } if leaf.leaf.pointer == Leaf::PLACE => {
                self.object(object).map(|span| (span, offset))
            }
            _ => None,
        };
        let last_stub = stub_address(MAX_STUBS - 1);
        let Some((span, offset)) = place else { return Some((0, last_stub.into())) };
        // A place before the end does not become the start, which is symbolic in another way; the end does, when the object
        // becomes empty, unless that would change its alignment.
        let least = if offset < span.length || alignment::asks(subject, case) { size } else { 0 };
        Some(((span.address + least).into(), (span.address + longest(span.length, size)).into()))
    }
}

/// How long an object can become in one step: behind it there is a page that belongs to no other one.
fn longest(length: u64, size: u64) -> u64 {
    length + (PAGE - size.min(PAGE)).min((LONGEST as u64 * size).saturating_sub(length))
}

/// Makes every object whose end moved as long as that says; new elements take their bits from `fill` in turn.
pub(super) fn fit(subject: &Subject, moved: &[Moved], case: &mut Case, fill: &[u128]) {
    let mut fill = fill.iter().copied();
    for Moved { object, end, .. } in moved {
        let Some(length) = *end else { continue };
        let reached = furthest(case, *object);
        let Some(Statement::Object { element, values }) = case.statements.get_mut(*object) else { continue };
        let size = subject.types.get(*element).size.max(1);
        while values.len() < length {
            let value = new_element(&subject.types, *element, values.last(), fill.next());
            values.push(value);
        }
        values.truncate(length.max((reached / size) as usize));
    }
}

/// Whether a pointer of the case leads to a place in this object that is not its start.
pub(super) fn has_end(case: &Case, object: usize) -> bool {
    furthest(case, object) > 0
}

/// The largest offset of the pointers into an object.
fn furthest(case: &Case, object: usize) -> u64 {
    fn within(value: &Value, object: usize) -> u64 {
        match value {
            Value::Pointer { object: own, offset } if *own == object => *offset,
            Value::Array(values) | Value::Record(values) => {
                values.iter().map(|value| within(value, object)).max().unwrap_or(0)
            }
            Value::Member(_, value) => within(value, object),
            _ => 0,
        }
    }
    let of_list = |values: &[Value]| values.iter().map(|value| within(value, object)).max().unwrap_or(0);
    let of_statement = |statement: &Statement| match statement {
        Statement::Object { values, .. } | Statement::Call { arguments: values, .. } => of_list(values),
        Statement::Set { value, .. } => within(value, object),
    };
    case.statements.iter().map(of_statement).max().unwrap_or(0)
}

//! Regions of a large case that become zero at once, the largest first.

use super::change::Change;
use super::scalars::Scalar;
use super::{LOOKED_AT, View};
use crate::emit::c::literal::is_text;
use testwright_base::case::Value;

/// So many numbers are no region any more.
const SMALL: usize = 4;

/// The region with this number, of zeros: all numbers of a case that has many, then its halves, then their halves.
pub(super) fn emptied(view: &View<'_>, number: usize) -> Option<Vec<Change>> {
    let count = view.scalars.len();
    if count <= LOOKED_AT / 4 {
        return None;
    }
    let (mut number, mut size) = (number, count);
    while number >= count.div_ceil(size) {
        number -= count.div_ceil(size);
        size = size.div_ceil(2);
        if size < SMALL {
            return None;
        }
    }
    let region = number * size..(number * size + size).min(count);
    let zero = |number: usize| Some((number, zero(view, &view.scalars[number])?));
    let changes: Vec<(usize, Value)> = region.filter_map(zero).collect();
    Some(if changes.is_empty() { Vec::new() } else { vec![Change::Scalars(changes)] })
}

/// Zero of the type of a number; none if it is zero or no number.
fn zero(view: &View<'_>, scalar: &Scalar) -> Option<Value> {
    let zero = match scalar.value {
        Value::Int(_) if !is_text(&view.subject.types, scalar.ty) => Value::Int(0),
        Value::Single(_) => Value::Single(0),
        Value::Double(_) => Value::Double(0),
        _ => return None,
    };
    (zero != scalar.value).then_some(zero)
}

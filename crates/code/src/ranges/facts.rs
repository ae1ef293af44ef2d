//! Facts: what is known of values at one place beyond what holds wherever they are computed.

use super::module::ValueId;
use super::range::Range;

/// Ranges of values at one place, by their numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// In the order of the values.
    list: Vec<(ValueId, Range)>,
}

impl Facts {
    /// What is known of a value.
    pub fn get(&self, id: ValueId) -> Option<Range> {
        let index = self.list.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(self.list[index].1)
    }

    /// From now on this is known of a value.
    pub fn set(&mut self, id: ValueId, range: Range) {
        match self.list.binary_search_by_key(&id, |(id, _)| *id) {
            Ok(index) => self.list[index].1 = range,
            Err(index) => self.list.insert(index, (id, range)),
        }
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The values of which something is known.
    pub fn values(&self) -> impl Iterator<Item = (ValueId, Range)> + '_ {
        self.list.iter().copied()
    }

    /// What is known in either case. A value of which one side knows nothing was perhaps never computed there.
    pub fn join(&self, other: &Facts) -> Facts {
        let known = |(id, range): &(ValueId, Range)| Some((*id, range.join(other.get(*id)?)));
        Facts { list: self.list.iter().filter_map(known).collect() }
    }
}

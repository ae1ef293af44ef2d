//! Contracts: what a function asks of its callers, as far as the user stated it.

use crate::case::Value;
use crate::pairs::Pair;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What a function asks of its callers; parameters by index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contract {
    /// Pointers, and the parameters that say how many elements they lead to.
    pub lengths: Vec<Pair>,
    /// The least and the largest value of a number.
    pub ranges: BTreeMap<usize, (i128, i128)>,
    /// Pointers that are never null.
    pub non_null: BTreeSet<usize>,
    /// Pointers to text that ends with a NUL.
    pub null_terminated: BTreeSet<usize>,
}

impl Contract {
    /// A number as near to `value` as the contract allows for a parameter.
    #[must_use]
    pub fn nearest(&self, param: usize, value: i128) -> i128 {
        self.ranges.get(&param).map_or(value, |(low, high)| value.clamp(*low, *high))
    }

    /// Whether numbers and pointers among the arguments are as the contract says.
    #[must_use]
    pub fn allows(&self, arguments: &[Value]) -> bool {
        arguments.iter().enumerate().all(|(param, value)| match value {
            Value::Int(value) => self.nearest(param, *value) == *value,
            Value::Null => !self.non_null.contains(&param),
            _ => true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_outside_its_range_moves_to_the_nearest_end() {
        let contract = Contract { ranges: BTreeMap::from([(1, (2, 5))]), ..Contract::default() };
        assert_eq!([0, 3, 9].map(|value| contract.nearest(1, value)), [2, 3, 5]);
        assert_eq!(contract.nearest(0, 9), 9, "nothing is said about the other parameter");
        assert!(
            contract.allows(&[Value::Int(9), Value::Int(5)])
                && !contract.allows(&[Value::Null, Value::Int(9)])
        );
    }
}

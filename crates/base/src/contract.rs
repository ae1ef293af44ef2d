//! Contracts: what a function asks of its callers, as far as the user stated it.

use crate::case::{Case, Statement, Value};
use crate::pairs::Pair;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How the name of the function begins that checks what a function requires. Its branches are part of the path, but no
/// goals, like those of library models.
pub const PRECONDITION: &str = "tw_model_requires_";

/// What callers promise, as the code itself states it with the macros of `testwright.h`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Promise {
    /// The name of the function.
    pub function: String,
    /// The line of the macro, in the file of the function.
    pub line: u32,
    /// `length`, `range`, `non_null`, `text` or `requires`.
    pub kind: String,
    /// What is promised: names and numbers with commas between them, or an expression.
    pub text: String,
}

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

    /// Whether the arguments of a case, and the objects that they lead to, are as the contract says.
    #[must_use]
    pub fn allows(&self, case: &Case) -> bool {
        let Some((_, arguments)) = case.call() else { return false };
        let object = |param: usize| match arguments.get(param) {
            Some(Value::Pointer { object, offset: 0 }) => match case.statements.get(*object) {
                Some(Statement::Object { values, .. }) => Some(values),
                _ => None,
            },
            _ => None,
        };
        let has_length = |pair: &Pair| match (object(pair.pointer), arguments.get(pair.length)) {
            (Some(values), Some(Value::Int(length))) => values.len() as i128 == (*length).max(0),
            _ => true,
        };
        let each = |(param, value): (usize, &Value)| match value {
            Value::Int(value) => self.nearest(param, *value) == *value,
            Value::Null => !self.non_null.contains(&param),
            _ => true,
        };
        let ends = |param: &usize| object(*param).is_none_or(|values| values.contains(&Value::Int(0)));
        arguments.iter().enumerate().all(each)
            && self.lengths.iter().all(has_length)
            && self.null_terminated.iter().all(ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{FunctionId, TypeId};

    #[test]
    fn a_number_outside_its_range_moves_to_the_nearest_end() {
        let contract = Contract { ranges: BTreeMap::from([(1, (2, 5))]), ..Contract::default() };
        assert_eq!([0, 3, 9].map(|value| contract.nearest(1, value)), [2, 3, 5]);
        assert_eq!(contract.nearest(0, 9), 9, "nothing is said about the other parameter");
        let call =
            |arguments| Case { statements: vec![Statement::Call { function: FunctionId(0), arguments }] };
        assert!(contract.allows(&call(vec![Value::Int(9), Value::Int(5)])));
        assert!(!contract.allows(&call(vec![Value::Null, Value::Int(9)])));
    }

    #[test]
    fn objects_have_their_lengths_and_texts_their_ends() {
        let case = |values: &[i128], length: i128| Case {
            statements: vec![
                Statement::Object {
                    element: TypeId(0),
                    values: values.iter().map(|value| Value::Int(*value)).collect(),
                },
                Statement::Call {
                    function: FunctionId(0),
                    arguments: vec![Value::Pointer { object: 0, offset: 0 }, Value::Int(length)],
                },
            ],
        };
        let lengths = vec![Pair { pointer: 0, length: 1, stated: true, shared: false }];
        let counted = Contract { lengths, ..Contract::default() };
        assert!(counted.allows(&case(&[7, 7], 2)) && !counted.allows(&case(&[7, 7], 1)));
        let text = Contract { null_terminated: [0].into(), ..Contract::default() };
        assert!(text.allows(&case(&[97, 0], 9)) && !text.allows(&case(&[97, 97], 9)));
    }
}

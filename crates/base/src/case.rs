//! A case: statements, each of which may use the objects of earlier ones.

use crate::ids::{FunctionId, GlobalId, TypeId};
use serde::{Deserialize, Serialize};

/// A test case.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Case {
    /// What happens, in order.
    pub statements: Vec<Statement>,
}

/// One step of a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Statement {
    /// An object in memory that pointers can refer to.
    Object {
        /// Its type: an array of `count` elements is an array type's element and count.
        element: TypeId,
        /// The values of its elements.
        values: Vec<Value>,
    },
    /// A global variable gets a value.
    Set {
        /// Which.
        global: GlobalId,
        /// The value.
        value: Value,
    },
    /// A call of a function under test.
    Call {
        /// Which.
        function: FunctionId,
        /// Its arguments.
        arguments: Vec<Value>,
    },
}

/// A value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// An integer, boolean, enumeration.
    Int(i128),
    /// A `float`, as bits: NaN payloads and signed zeros count.
    Single(u32),
    /// A `double`, as bits.
    Double(u64),
    /// The null pointer.
    Null,
    /// A pointer to the object that the statement with this index made, plus an offset in bytes.
    Pointer {
        /// Index of the statement.
        object: usize,
        /// Offset in bytes.
        offset: u64,
    },
    /// A pointer that a run produced and that points to no object of the case.
    Address(u64),
    /// The elements of an array.
    Array(Vec<Value>),
    /// The fields of a struct, in order.
    Record(Vec<Value>),
    /// One member of a union: its index and value.
    Member(usize, Box<Value>),
    /// Raw bytes, for what has no better form (`long double`, padding that matters).
    Bytes(Vec<u8>),
}

impl Case {
    /// The call that the case ends with: function and arguments.
    #[must_use]
    pub fn call(&self) -> Option<(FunctionId, &[Value])> {
        self.statements.iter().rev().find_map(|statement| match statement {
            Statement::Call { function, arguments } => Some((*function, arguments.as_slice())),
            _ => None,
        })
    }

    /// The case without objects that nothing points to.
    #[must_use]
    pub fn without_orphans(mut self) -> Case {
        loop {
            let mut pointed = vec![false; self.statements.len()];
            for value in self.statements.iter_mut().flat_map(Statement::values_mut) {
                value.for_each_pointer(&mut |object| {
                    if let Some(pointed) = pointed.get_mut(*object) {
                        *pointed = true;
                    }
                });
            }
            let orphan = |(index, statement): (usize, &Statement)| {
                matches!(statement, Statement::Object { .. }) && !pointed[index]
            };
            let Some(gone) = self.statements.iter().enumerate().position(orphan) else { return self };
            self.statements.remove(gone);
            for value in self.statements.iter_mut().flat_map(Statement::values_mut) {
                value.for_each_pointer(&mut |object| *object -= usize::from(*object > gone));
            }
        }
    }
}

impl Statement {
    /// The values it mentions.
    fn values_mut(&mut self) -> &mut [Value] {
        match self {
            Statement::Object { values, .. } | Statement::Call { arguments: values, .. } => values,
            Statement::Set { value, .. } => std::slice::from_mut(value),
        }
    }
}

impl Value {
    /// Visits the statements that pointers in it refer to.
    fn for_each_pointer(&mut self, visit: &mut dyn FnMut(&mut usize)) {
        match self {
            Value::Pointer { object, .. } => visit(object),
            Value::Array(values) | Value::Record(values) => {
                values.iter_mut().for_each(|value| value.for_each_pointer(visit));
            }
            Value::Member(_, value) => value.for_each_pointer(visit),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_that_nothing_points_to_go_and_pointers_follow() {
        let object = |values| Statement::Object { element: TypeId(0), values };
        let pointer = |object| Value::Pointer { object, offset: 0 };
        let call = |arguments| Statement::Call { function: FunctionId(0), arguments };
        let case = Case {
            statements: vec![
                object(vec![Value::Int(1)]),
                object(vec![pointer(0)]),
                object(vec![Value::Int(2)]),
                call(vec![Value::Record(vec![pointer(2)])]),
            ],
        };
        let expected = vec![object(vec![Value::Int(2)]), call(vec![Value::Record(vec![pointer(0)])])];
        assert_eq!(case.without_orphans().statements, expected);
    }
}

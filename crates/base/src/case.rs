//! A case: statements, each of which may use the objects of earlier ones.

use crate::ids::{FunctionId, GlobalId, StubId, TypeId};
use serde::{Deserialize, Serialize};

/// A test case.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Case {
    /// What happens, in order.
    pub statements: Vec<Statement>,
}

/// One step of a case.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
    /// A function whose answers are inputs.
    Stub(StubId),
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
            let is_object = |statement: &Statement| matches!(statement, Statement::Object { .. });
            let mut keep: Vec<bool> = self.statements.iter().map(|statement| !is_object(statement)).collect();
            for statement in &self.statements {
                match statement {
                    Statement::Object { values, .. } | Statement::Call { arguments: values, .. } => {
                        values.iter().for_each(|value| value.mark_objects(&mut keep));
                    }
                    Statement::Set { value, .. } => value.mark_objects(&mut keep),
                }
            }
            if keep.iter().all(|keep| *keep) {
                return self;
            }
            // Objects that only an orphan points to are orphans in the next round, so one goes at a time.
            let gone = keep.iter().position(|keep| !keep);
            let keep: Vec<bool> = (0..keep.len()).map(|index| Some(index) != gone).collect();
            self.retain(&keep);
        }
    }

    /// Calls `change` for every pointer to an object, with the number of its statement and the offset.
    pub fn each_pointer_mut(&mut self, change: &mut impl FnMut(&mut usize, &mut u64)) {
        for statement in &mut self.statements {
            match statement {
                Statement::Object { values, .. } | Statement::Call { arguments: values, .. } => {
                    values.iter_mut().for_each(|value| value.each_pointer_mut(change));
                }
                Statement::Set { value, .. } => value.each_pointer_mut(change),
            }
        }
    }

    /// Takes out the statements that `keep` is not true for. Pointers go on to lead to the objects they led to; none may
    /// lead to an object that is taken out.
    pub fn retain(&mut self, keep: &[bool]) {
        let mut index = 0;
        self.statements.retain(|_| {
            index += 1;
            keep[index - 1]
        });
        let number = |object: usize| keep[..object].iter().filter(|kept| **kept).count();
        self.each_pointer_mut(&mut |object, _| *object = number(*object));
    }
}

impl Value {
    /// Whether `{0}` makes this value in C. Of a union only its first member is made so.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        match self {
            Value::Int(value) => *value == 0,
            Value::Single(bits) => *bits == 0,
            Value::Double(bits) => *bits == 0,
            Value::Null => true,
            Value::Pointer { .. } | Value::Stub(_) | Value::Address(_) => false,
            Value::Array(values) | Value::Record(values) => values.iter().all(Value::is_zero),
            Value::Member(member, value) => *member == 0 && value.is_zero(),
            Value::Bytes(bytes) => bytes.iter().all(|byte| *byte == 0),
        }
    }

    /// Marks the statements that its pointers refer to.
    fn mark_objects(&self, marks: &mut [bool]) {
        match self {
            Value::Pointer { object, .. } => {
                marks.iter_mut().skip(*object).take(1).for_each(|mark| *mark = true);
            }
            Value::Array(values) | Value::Record(values) => {
                values.iter().for_each(|value| value.mark_objects(marks));
            }
            Value::Member(_, value) => value.mark_objects(marks),
            _ => {}
        }
    }

    fn each_pointer_mut(&mut self, change: &mut impl FnMut(&mut usize, &mut u64)) {
        match self {
            Value::Pointer { object, offset } => change(object, offset),
            Value::Array(values) | Value::Record(values) => {
                values.iter_mut().for_each(|value| value.each_pointer_mut(change));
            }
            Value::Member(_, value) => value.each_pointer_mut(change),
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

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
    /// The stub of the parameter that has this value: a function whose answers are inputs.
    Stub,
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
}

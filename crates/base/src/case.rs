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
    /// A call. The last one of a case is the call under test; those before it make and change what it is given.
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
    /// What the call that is the statement with this index returned.
    Returned {
        /// Index of the statement.
        call: usize,
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
    /// The call under test, which the case ends with: function and arguments.
    #[must_use]
    pub fn call(&self) -> Option<(FunctionId, &[Value])> {
        self.statements.iter().rev().find_map(|statement| match statement {
            Statement::Call { function, arguments } => Some((*function, arguments.as_slice())),
            _ => None,
        })
    }

    /// The calls before the one under test, in order: index of the statement, function and arguments.
    pub fn calls_before(&self) -> impl Iterator<Item = (usize, FunctionId, &[Value])> {
        let last = self.statements.iter().rposition(|statement| matches!(statement, Statement::Call { .. }));
        let before = self.statements[..last.unwrap_or(0)].iter().enumerate();
        before.filter_map(|(index, statement)| match statement {
            Statement::Call { function, arguments } => Some((index, *function, arguments.as_slice())),
            _ => None,
        })
    }

    /// The number among the calls of the call that is this statement.
    #[must_use]
    pub fn number_of_call(&self, statement: usize) -> usize {
        let earlier = &self.statements[..statement.min(self.statements.len())];
        earlier.iter().filter(|statement| matches!(statement, Statement::Call { .. })).count()
    }

    /// Whether something uses what the call that is this statement returned.
    #[must_use]
    pub fn is_used(&self, call: usize) -> bool {
        let mut used = false;
        // Nothing is changed: there is one walk over values, and it may change them.
        self.clone().each_value_mut(&mut |value| used |= *value == Value::Returned { call });
        used
    }

    /// Where the calls begin: objects and globals lie before them.
    #[must_use]
    pub fn first_call(&self) -> usize {
        let call = self.statements.iter().position(|statement| matches!(statement, Statement::Call { .. }));
        call.unwrap_or(self.statements.len())
    }

    /// Puts statements right before the first call.
    pub fn insert_before_calls(&mut self, statements: Vec<Statement>) {
        let (at, count) = (self.first_call(), statements.len());
        self.each_value_mut(&mut |value| {
            if let Value::Returned { call } = value {
                *call += count;
            }
        });
        self.statements.splice(at..at, statements);
    }

    /// All of `earlier` and then this: first the objects and globals of both, then the calls. A global that both set is set by
    /// `earlier`. Returns also the statement that is the last call of `earlier`.
    #[must_use]
    pub fn after(mut self, earlier: Case) -> (Case, usize) {
        let set = |statement: &Statement| match statement {
            Statement::Set { global, .. } => Some(*global),
            _ => None,
        };
        let are_set: Vec<GlobalId> = earlier.statements.iter().filter_map(set).collect();
        let is_new = |statement: &Statement| set(statement).is_none_or(|global| !are_set.contains(&global));
        let keep: Vec<bool> = self.statements.iter().map(is_new).collect();
        self.retain(&keep);
        let shift = earlier.statements.len();
        self.each_value_mut(&mut |value| value.renumber(&|statement| statement + shift));
        let mut statements = earlier.statements;
        statements.append(&mut self.statements);
        let is_call = |index: &usize| matches!(statements[*index], Statement::Call { .. });
        let mut order: Vec<usize> = (0..statements.len()).collect();
        order.sort_by_key(is_call);
        let number = |old: usize| order.iter().position(|index| *index == old).unwrap_or(old);
        let mut slots: Vec<Option<Statement>> = statements.into_iter().map(Some).collect();
        let statements = order.iter().filter_map(|index| slots[*index].take()).collect();
        let mut case = Case { statements };
        case.each_value_mut(&mut |value| value.renumber(&number));
        (case, number(shift.saturating_sub(1)))
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
        self.each_value_mut(&mut |value| {
            if let Value::Pointer { object, offset } = value {
                change(object, offset);
            }
        });
    }

    /// Calls `change` for every value of the case and every part of one, the whole before its parts.
    pub fn each_value_mut(&mut self, change: &mut impl FnMut(&mut Value)) {
        for statement in &mut self.statements {
            match statement {
                Statement::Object { values, .. } | Statement::Call { arguments: values, .. } => {
                    values.iter_mut().for_each(|value| value.each_mut(change));
                }
                Statement::Set { value, .. } => value.each_mut(change),
            }
        }
    }

    /// The case without the call before the one under test that is this statement; null or zero stands for what it returned.
    /// None if the statement is no such call.
    #[must_use]
    pub fn without_call(&self, statement: usize, zero: &Value) -> Option<Case> {
        self.calls_before().find(|(index, ..)| *index == statement)?;
        let mut case = self.clone();
        case.each_value_mut(&mut |value| {
            if *value == (Value::Returned { call: statement }) {
                *value = zero.clone();
            }
        });
        let keep: Vec<bool> = (0..case.statements.len()).map(|index| index != statement).collect();
        case.retain(&keep);
        Some(case.without_orphans())
    }

    /// The case that ends with the call that is this statement. What later calls would return is null.
    #[must_use]
    pub fn until(&self, call: usize) -> Case {
        let mut case = Case { statements: self.statements[..=call].to_vec() };
        case.each_value_mut(&mut |value| match value {
            Value::Returned { call: later } if *later >= call => *value = Value::Null,
            _ => {}
        });
        case.without_orphans()
    }

    /// Takes out the statements that `keep` is not true for. Pointers go on to lead to the objects they led to, and results to
    /// come from the calls they came from; none may refer to what is taken out.
    pub fn retain(&mut self, keep: &[bool]) {
        let mut index = 0;
        self.statements.retain(|_| {
            index += 1;
            keep[index - 1]
        });
        let number = |object: usize| keep[..object].iter().filter(|kept| **kept).count();
        self.each_value_mut(&mut |value| value.renumber(&number));
    }
}

impl Value {
    /// The statement that it refers to got another number; parts of it are not looked at.
    fn renumber(&mut self, number: &impl Fn(usize) -> usize) {
        if let Value::Pointer { object: statement, .. } | Value::Returned { call: statement } = self {
            *statement = number(*statement);
        }
    }

    /// Whether `{0}` makes this value in C. Of a union only its first member is made so.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        match self {
            Value::Int(value) => *value == 0,
            Value::Single(bits) => *bits == 0,
            Value::Double(bits) => *bits == 0,
            Value::Null => true,
            Value::Pointer { .. } | Value::Returned { .. } | Value::Stub(_) | Value::Address(_) => false,
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

    fn each_mut(&mut self, change: &mut impl FnMut(&mut Value)) {
        change(self);
        match self {
            Value::Array(values) | Value::Record(values) => {
                values.iter_mut().for_each(|value| value.each_mut(change));
            }
            Value::Member(_, value) => value.each_mut(change),
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

    #[test]
    fn a_call_that_goes_leaves_null_behind_and_results_follow_their_calls() {
        let call = |function, arguments| Statement::Call { function: FunctionId(function), arguments };
        let returned = |call| Value::Returned { call };
        let case = Case {
            statements: vec![
                Statement::Object { element: TypeId(0), values: vec![Value::Int(1)] },
                call(0, vec![Value::Pointer { object: 0, offset: 0 }]),
                call(1, vec![]),
                call(2, vec![returned(1), returned(2)]),
            ],
        };
        let before: Vec<usize> = case.calls_before().map(|(index, ..)| index).collect();
        assert_eq!(before, [1, 2]);
        let expected = vec![call(1, vec![]), call(2, vec![Value::Null, returned(0)])];
        assert_eq!(case.without_call(1, &Value::Null).map(|case| case.statements), Some(expected));
        assert_eq!(case.without_call(3, &Value::Null), None, "the call under test stays");
    }

    #[test]
    fn a_case_until_a_call_has_null_where_later_calls_would_return_something() {
        let call = |function, arguments| Statement::Call { function: FunctionId(function), arguments };
        let object = |values| Statement::Object { element: TypeId(0), values };
        let pointer = |object| Value::Pointer { object, offset: 0 };
        let returned = |call| Value::Returned { call };
        let case = Case {
            statements: vec![
                object(vec![returned(2), returned(3)]),
                object(vec![]),
                call(0, vec![pointer(0)]),
                call(1, vec![pointer(1)]),
                call(2, vec![]),
            ],
        };
        let expected = [object(vec![Value::Null, Value::Null]), call(0, vec![pointer(0)])];
        assert_eq!(case.until(2).statements, expected);
        assert_eq!(case.until(3).statements[0], object(vec![returned(2), Value::Null]));
    }

    #[test]
    fn a_case_after_another_has_the_calls_of_both_last_and_keeps_the_globals_of_the_earlier() {
        let call = |function, arguments| Statement::Call { function: FunctionId(function), arguments };
        let set = |value| Statement::Set { global: GlobalId(0), value: Value::Int(value) };
        let object = |value| Statement::Object { element: TypeId(0), values: vec![Value::Int(value)] };
        let pointer = |object| Value::Pointer { object, offset: 0 };
        let earlier = Case { statements: vec![object(1), set(1), call(1, vec![pointer(0)])] };
        let later = Case { statements: vec![set(2), object(2), call(2, vec![pointer(1)])] };
        let (case, last) = later.after(earlier);
        let expected = [object(1), set(1), object(2), call(1, vec![pointer(0)]), call(2, vec![pointer(2)])];
        assert_eq!((case.statements.as_slice(), last), (expected.as_slice(), 3));
    }
}

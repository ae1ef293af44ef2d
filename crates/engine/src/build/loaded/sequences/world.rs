//! A case under construction: objects that calls made so far, at most one of each type, so that all calls share them.

use std::collections::BTreeMap;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::{FunctionId, TypeId};
use testwright_base::start::plainest_case;
use testwright_base::subject::Subject;

/// An object of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    /// What the call with this number returned.
    By(usize),
    /// The object of the statement with this index.
    Object(usize),
}

/// Objects, and the calls that made and changed them.
#[derive(Debug, Clone, Default)]
pub struct World {
    case: Case,
    made: BTreeMap<TypeId, Made>,
}

impl World {
    /// The object of this type.
    pub fn object(&self, ty: TypeId) -> Option<Made> {
        self.made.get(&ty).copied()
    }

    /// From now on this is the object of a type.
    pub fn keep(&mut self, ty: TypeId, made: Made) {
        self.made.insert(ty, made);
    }

    /// Whether anything was made by a call.
    pub fn has_calls(&self) -> bool {
        self.calls() > 0
    }

    fn calls(&self) -> usize {
        self.case.statements.iter().filter(|statement| matches!(statement, Statement::Call { .. })).count()
    }

    /// The value that refers to an object.
    pub fn value(&self, made: Made) -> Value {
        match made {
            Made::Object(object) => Value::Pointer { object, offset: 0 },
            Made::By(number) => {
                let statements = self.case.statements.iter().enumerate();
                let mut calls =
                    statements.filter(|(_, statement)| matches!(statement, Statement::Call { .. }));
                calls.nth(number).map_or(Value::Null, |(call, _)| Value::Returned { call })
            }
        }
    }

    /// Adds an object; what its values refer to is of this world.
    pub fn add_object(&mut self, element: TypeId, value: Value) -> Made {
        let index = self.case.first_call();
        // The object is not there yet when the others make room for it, so its own references follow here.
        let mut object = Case { statements: vec![Statement::Object { element, values: vec![value] }] };
        object.each_value_mut(&mut |value| {
            if let Value::Returned { call } = value {
                *call += 1;
            }
        });
        self.case.insert_before_calls(object.statements);
        Made::Object(index)
    }

    /// Adds a call with its plainest arguments, in which numbers are `number`. Parameters of which objects are `given` get
    /// these.
    pub fn call(
        &mut self,
        subject: &Subject,
        function: FunctionId,
        given: &[(usize, Made)],
        number: i128,
    ) -> Option<Made> {
        let mut call = plainest_case(subject, function).ok()?;
        if let Some(Statement::Call { arguments, .. }) = call.statements.last_mut() {
            for value in arguments.iter_mut().filter(|value| **value == Value::Int(0)) {
                *value = Value::Int(number);
            }
        }
        (self.case, _) = call.after(std::mem::take(&mut self.case));
        let given: Vec<(usize, Value)> =
            given.iter().map(|(param, made)| (*param, self.value(*made))).collect();
        if let Some(Statement::Call { arguments, .. }) = self.case.statements.last_mut() {
            given.into_iter().for_each(|(param, value)| arguments[param] = value);
        }
        Some(Made::By(self.calls() - 1))
    }

    /// What the last call was given as this argument, if that is an object of the case.
    pub fn given(&self, param: usize) -> Option<Made> {
        match self.case.call()?.1.get(param)? {
            Value::Pointer { object, offset: 0 } => Some(Made::Object(*object)),
            _ => None,
        }
    }

    /// The case that ends with the last call.
    pub fn into_case(self) -> Case {
        self.case.without_orphans()
    }
}

//! A query: a call after the call under test that looks at an object which an earlier call returned.
//!
//! ```text
//! r0 = ring_new(16); ring_push(r0, 9); ring_count(r0)
//! ```

use crate::case::{Case, Statement, Value};
use crate::ids::FunctionId;
use crate::run::{End, Run};
use crate::subject::Subject;
use crate::types::Shape;

/// A call that looks at an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Query {
    /// Who is called.
    pub function: FunctionId,
    /// The statement that is the call which returned the object.
    pub object: usize,
    /// What its other parameters are, all of them integers.
    pub number: i8,
}

impl Query {
    /// Its arguments: the object for the pointer, the number for what is none.
    #[must_use]
    pub fn arguments(&self, subject: &Subject) -> Vec<Value> {
        let signature = subject.function(self.function).signature.as_ref();
        let params = signature.map_or(&[][..], |signature| signature.params.as_slice());
        let argument = |shape: &Shape| match shape {
            Shape::Pointer(_) => Value::Returned { call: self.object },
            _ => Value::Int(self.number.into()),
        };
        params.iter().map(|param| argument(&subject.types.get(param.ty).shape)).collect()
    }

    /// The case with this call as its last one.
    #[must_use]
    pub fn after(&self, subject: &Subject, case: &Case) -> Case {
        let mut case = case.clone();
        case.statements.push(Statement::Call { function: self.function, arguments: self.arguments(subject) });
        case
    }

    /// What a run that ends with a query says: a number, null, or the characters of a text with its end. It must have looked at
    /// what the result points to.
    #[must_use]
    pub fn answer(run: &Run) -> Option<Value> {
        match (run.result.as_ref().filter(|_| run.end == End::Returned)?, &run.behind) {
            (Value::Address(_) | Value::Pointer { .. }, Some(text @ Value::Array(_))) => Some(text.clone()),
            (number @ (Value::Int(_) | Value::Single(_) | Value::Double(_) | Value::Null), _) => {
                Some(number.clone())
            }
            _ => None,
        }
    }

    /// The case with this call in the place of the call under test; none if that made the object.
    #[must_use]
    pub fn instead(&self, subject: &Subject, case: &Case) -> Option<Case> {
        let is_call = |statement: &Statement| matches!(statement, Statement::Call { .. });
        let last = case.statements.iter().rposition(is_call).filter(|last| self.object < *last)?;
        let mut case = case.clone();
        case.statements.remove(last);
        Some(self.after(subject, &case))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_query_follows_the_call_under_test_or_stands_for_it() {
        let mut subject = sample::empty_subject();
        subject.functions = vec![sample::calling("ring_new", &[]), sample::calling("ring_push", &[])];
        let call = |function, arguments| Statement::Call { function: FunctionId(function), arguments };
        let case = Case { statements: vec![call(0, vec![]), call(1, vec![Value::Returned { call: 0 }])] };
        let query = Query { function: FunctionId(0), object: 0, number: 0 };
        let after = query.after(&subject, &case);
        assert_eq!(after.statements[..2], case.statements);
        assert_eq!(after.call(), Some((FunctionId(0), &[][..])));
        let before = query.instead(&subject, &case).map(|case| case.statements);
        assert_eq!(before, Some(vec![call(0, vec![]), call(0, vec![])]));
        assert_eq!(Query { object: 1, ..query }.instead(&subject, &case), None, "there is no object yet");
    }
}

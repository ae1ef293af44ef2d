//! Saved queries: what the code said about an object after the call under test.

use crate::input::Queried;
use serde::{Deserialize, Serialize};
use testwright_base::case::{Case, Statement, Value};
use testwright_base::json::describe;
use testwright_base::query::Query;
use testwright_base::run::Run;
use testwright_base::subject::Subject;

/// A query of a saved case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedQuery {
    /// The function that was asked.
    pub function: String,
    /// The number of the call that returned the object.
    pub call: usize,
    /// What its other parameters were.
    pub number: i8,
    /// What it said.
    pub result: String,
}

impl SavedQuery {
    /// A query and its result, as they are saved.
    #[must_use]
    pub fn of(subject: &Subject, case: &Case, queried: &Queried) -> SavedQuery {
        let Query { function, object, number } = queried.query;
        SavedQuery {
            function: subject.function(function).name.clone(),
            call: case.number_of_call(object),
            number,
            result: told(subject, queried.query, &queried.result),
        }
    }

    /// The query, if the code still has the function, and the case the call.
    #[must_use]
    pub fn query(&self, subject: &Subject, case: &Case) -> Option<Query> {
        let function = subject.function_named(&self.function)?;
        let statements = case.statements.iter().enumerate();
        let mut calls = statements.filter(|(_, statement)| matches!(statement, Statement::Call { .. }));
        let (object, _) = calls.nth(self.call)?;
        Some(Query { function, object, number: self.number })
    }

    /// What is different in a run that ends with this query.
    #[must_use]
    pub fn change(&self, subject: &Subject, query: Query, run: &Run) -> Option<String> {
        let now = Query::answer(run).map(|value| told(subject, query, &value));
        let SavedQuery { function, result, .. } = self;
        (now.as_ref() != Some(result)).then(|| match now {
            Some(now) => format!("leaves what {function} returns as {now}, before {result}"),
            None => format!("leaves {function} at {}, before it returned {result}", run.end),
        })
    }
}

/// A result in words.
fn told(subject: &Subject, query: Query, result: &Value) -> String {
    let signature = subject.function(query.function).signature.as_ref();
    match (result, signature) {
        (Value::Array(characters), _) => {
            let byte = |value: &Value| if let Value::Int(byte) = value { *byte as u8 } else { 0 };
            let bytes: Vec<u8> = characters.iter().map(byte).take_while(|byte| *byte != 0).collect();
            format!("{:?}", String::from_utf8_lossy(&bytes))
        }
        (value, Some(signature)) => describe(subject, value, signature.result),
        (_, None) => String::new(),
    }
}

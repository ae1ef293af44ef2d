//! What the code under test uses and nobody defines, with the file that would define it.

use crate::input::Input;
use serde::Serialize;
use testwright_base::stub::Origin;

/// A function or variable that is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// Its name.
    pub name: String,
    /// Whether it is a function, which is stubbed, or a variable, which is an input.
    pub kind: Kind,
    /// The file of the project that defines it, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub defined_in: Option<String>,
    /// Why that file is not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// What is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A function.
    Function,
    /// A variable.
    Variable,
}

/// What is missing for the functions that tests were wanted for, functions first.
pub(crate) fn missing(input: &Input) -> Vec<Missing> {
    let subject = &input.subject;
    let stubs = subject.stubs_within_any(&input.functions).into_iter();
    let stubs = stubs.filter_map(|id| subject.stubs.get(id.index()));
    let stubs = stubs.filter(|stub| stub.origin == Origin::Missing && !stub.is_allocation());
    let functions = stubs.map(|stub| (&stub.name, Kind::Function));
    let variables = subject.undefined.iter().map(|variable| (&variable.name, Kind::Variable));
    let all = functions.chain(variables).map(|(name, kind)| {
        let elsewhere = subject.elsewhere.iter().find(|elsewhere| elsewhere.name == *name);
        Missing {
            name: name.clone(),
            kind,
            defined_in: elsewhere.map(|elsewhere| elsewhere.file.clone()),
            why: elsewhere.map(|elsewhere| elsewhere.why.clone()),
        }
    });
    all.collect()
}

//! The index of saved cases: what is needed to run them again, and what they did.
//!
//! `cases/index.json` lies beside the cases. Paths in it are as seen from the folder of the suite, so that the folder
//! can be used from anywhere, and moved together with the code.

mod queries;

pub use queries::SavedQuery;

use crate::assert::Root;
use crate::input::{Found, Input, Queried};
use crate::suite::{Suite, Test, base_name};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::FunctionId;
use testwright_base::json::{describe, describe_in};
use testwright_base::run::{End, Run, signal_name};
use testwright_base::subject::Subject;

/// Where the index lies in the folder of a suite.
pub const INDEX: &str = "cases/index.json";

/// The index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    /// The version of this format.
    pub version: u32,
    /// What the user named, and with which flags.
    #[serde(flatten)]
    pub origin: Origin,
    /// The cases.
    pub cases: Vec<SavedCase>,
}

/// What the user named, as seen from the folder of the suite.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Origin {
    /// Files or a folder.
    pub targets: Vec<String>,
    /// Flags for the compiler.
    pub flags: Vec<String>,
    /// Whether the rest of their project is left out.
    #[serde(default)]
    pub alone: bool,
}

/// A saved case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedCase {
    /// Its file.
    pub file: String,
    /// The function that it calls.
    pub function: String,
    /// What it is saved for; older versions did not say.
    #[serde(flatten)]
    pub purpose: Option<Purpose>,
    /// What it did.
    pub observed: Observed,
    /// What its test asks afterwards.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub queries: Vec<SavedQuery>,
}

/// What a case is saved for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// It is a test of what the call does: `returns_3`.
    Test(String),
    /// It shows what can happen: `division by zero`.
    Finding(String),
}

impl SavedCase {
    /// The name of its test or finding.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        base_name(&self.file).strip_suffix(".json")
    }
}

/// What a run did, in words; what differs from run to run is not among it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observed {
    /// How it ended.
    pub end: String,
    /// The returned value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The objects afterwards, by the parameter that points to them or by number.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub objects: BTreeMap<String, String>,
}

impl Observed {
    /// What a run of a case did.
    #[must_use]
    pub fn of(subject: &Subject, case: &Case, run: &Run) -> Observed {
        let signature = case.call().and_then(|(function, _)| subject.function(function).signature.as_ref());
        let result = match (&run.result, signature) {
            // An address that the code made up says nothing but that it is one.
            (Some(Value::Address(_)), _) => Some("not null".to_owned()),
            (Some(value), Some(signature)) => Some(describe_in(subject, case, value, signature.result)),
            _ => None,
        };
        let mut objects = BTreeMap::new();
        for (index, statement) in case.statements.iter().enumerate() {
            if let (Statement::Object { element, .. }, Some(Some(Value::Array(values)))) =
                (statement, run.objects.get(index))
            {
                let parts: Vec<String> =
                    values.iter().map(|value| describe(subject, value, *element)).collect();
                objects.insert(subject.object_name(case, index), parts.join(", "));
            }
        }
        Observed { end: end_text(&run.end), result, objects }
    }

    /// What two runs have in common; none if not even the end.
    fn common(self, other: &Observed) -> Option<Observed> {
        let result = self.result.filter(|result| other.result.as_ref() == Some(result));
        let objects =
            self.objects.into_iter().filter(|(name, value)| other.objects.get(name) == Some(value)).collect();
        (self.end == other.end).then_some(Observed { end: self.end, result, objects })
    }

    /// What is different now, one line each.
    #[must_use]
    pub fn changes(&self, now: &Observed) -> Vec<String> {
        if self.end != now.end {
            return vec![format!("{}, before {}", now.told(), self.told())];
        }
        let mut changes = Vec::new();
        if let Some(before) = &self.result
            && now.result.as_ref() != Some(before)
        {
            let now = now.result.as_deref().unwrap_or("nothing");
            changes.push(format!("returns {now}, before {before}"));
        }
        for (name, before) in &self.objects {
            if now.objects.get(name) != Some(before) {
                let now = now.objects.get(name).map_or("nothing", String::as_str);
                changes.push(format!("leaves {name} as {now}, before {before}"));
            }
        }
        changes
    }

    fn told(&self) -> String {
        match &self.result {
            Some(result) => format!("{} {result}", self.end),
            None => self.end.clone(),
        }
    }
}

/// The end, without what differs from run to run.
pub(crate) fn end_text(end: &End) -> String {
    match end {
        End::Trap { kind, .. } => kind.to_string(),
        End::Signal { signal, .. } => signal_name(*signal).to_owned(),
        _ => end.to_string(),
    }
}

/// What a found case does each time.
fn observed(input: &Input, found: &Found) -> Option<Observed> {
    let first = Observed::of(&input.subject, &found.case, &found.run);
    match &found.again {
        Some(again) => first.common(&Observed::of(&input.subject, &found.case, again)),
        None => Some(first),
    }
}

/// What a test asserts of what queries say.
fn queries_of(input: &Input, test: &Test) -> Vec<SavedQuery> {
    let found = input.found.iter().find(|found| found.case == test.case);
    let is_asserted = |queried: &&Queried| {
        test.assertions.iter().any(|assertion| assertion.root == Root::Query(queried.query))
    };
    let queries = found.map_or(&[][..], |found| found.queries.as_slice()).iter();
    queries.filter(is_asserted).map(|queried| SavedQuery::of(&input.subject, &test.case, queried)).collect()
}

impl Index {
    /// The index of the cases of a suite.
    #[must_use]
    pub fn new(suite: &Suite) -> Index {
        let input = &suite.input;
        let saved = |function: FunctionId, name: &str, case: &Case, purpose: Purpose| {
            let found = input.found.iter().find(|found| found.case == *case)?;
            Some(SavedCase {
                file: suite.case_path(function, name),
                function: input.subject.function(function).name.clone(),
                purpose: Some(purpose),
                observed: observed(input, found)?,
                queries: Vec::new(),
            })
        };
        let tests = suite.tests.iter().filter_map(|test| {
            let purpose = Purpose::Test(test.behaviour.clone());
            let case = saved(test.function, &test.name, &test.case, purpose)?;
            Some(SavedCase { queries: queries_of(input, test), ..case })
        });
        let findings = suite.findings.iter().filter_map(|finding| {
            let purpose = Purpose::Finding(finding.kind.clone());
            saved(finding.function, &finding.name, &finding.case, purpose)
        });
        Index { version: 1, origin: input.origin.clone(), cases: tests.chain(findings).collect() }
    }

    /// The index as text.
    ///
    /// # Panics
    /// Never: all keys are strings.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("the index has only string keys") + "\n"
    }
}

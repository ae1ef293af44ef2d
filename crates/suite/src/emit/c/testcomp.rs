//! Format testcomp: a test suite as Test-Comp exchanges them, in the folder `test-suite`, ready to be zipped.
//!
//! Each case is an XML file with the answers of `__VERIFIER_nondet_*` in the order of the calls, as the test-suite
//! format 1.1 wants them; `metadata.xml` says what they are for. Only cases that call `main` count. Nothing is asserted, so
//! every run that shows something is among them, also one that ends in an error, at a limit or never.
//!
//! The format has one sequence for all functions: their answers are listed in the order in which the run asked for them.

use super::literal;
use crate::emit::Format;
use crate::input::Found;
use crate::minimise::{Candidate, minimise};
use crate::suite::Suite;
use crate::weight::weight;
use std::collections::BTreeMap;
use std::fmt::Write;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::{FunctionId, OutcomeId, StubId, TypeId};
use testwright_base::run::End;
use testwright_base::stub::Role;
use testwright_base::subject::Subject;

/// The format.
pub const FORMAT: Format = Format {
    name: "testcomp",
    about: "Test-Comp test suite 1.1 (XML), for programs whose inputs are __VERIFIER_nondet_*",
    library: None,
    inputs: Some(telling),
    files,
    recipes: |_| Vec::new(),
};

/// What the functions that answer with inputs are called.
const NONDET: &str = "__VERIFIER_nondet_";

fn files(suite: &Suite) -> Vec<(String, String)> {
    let mut files = vec![("test-suite/metadata.xml".to_owned(), metadata(suite))];
    for (number, found) in (1..).zip(telling(suite)) {
        files.push((format!("test-suite/test-{number}.xml"), testcase(&suite.input.subject, found)));
    }
    files
}

/// The few runs of `main` that show everything that was seen.
fn telling(suite: &Suite) -> Vec<&Found> {
    let subject = &suite.input.subject;
    let is_meant = |found: &&Found| {
        let is_main = |(function, _): (FunctionId, &[Value])| subject.function(function).name == "main";
        found.case.call().is_some_and(is_main)
            && !matches!(found.run.end, End::Outside | End::Before)
            // The format has no way to say that an allocation fails.
            && subject.failing_allocations(&found.case).is_empty()
    };
    let is_own = |outcome: &OutcomeId| {
        let site = subject.outcome(*outcome).and_then(|(site, _)| subject.site(site));
        site.is_some_and(|site| !subject.function(site.function).model)
    };
    let candidate = |found: &&Found| {
        let goals = &suite.input.goals;
        let own = found.run.outcomes.iter().copied().filter(is_own);
        let shown = found.goals.iter().map(|goal| goals.get(*goal).outcome).chain(own);
        // That the program can be run at all is shown by each of them.
        let goals = shown.map(|outcome| outcome.0).chain([u32::MAX]).collect();
        Candidate { goals, weight: weight(subject, &found.case), earlier: found.earlier }
    };
    let of_main: Vec<&Found> = suite.input.found.iter().filter(is_meant).collect();
    let kept = minimise(&of_main.iter().map(candidate).collect::<Vec<_>>());
    kept.into_iter().map(|index| of_main[index]).collect()
}

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n";
const DOCTYPE: &str = "https://sosy-lab.org/test-format";

fn metadata(suite: &Suite) -> String {
    let program = suite.input.sources.first().map(|source| source.file.as_str()).unwrap_or_default();
    let about = &suite.input.style.metadata;
    let entries = [
        ("sourcecodelang", "C".to_owned()),
        ("producer", format!("Testwright {}", env!("CARGO_PKG_VERSION"))),
        ("specification", "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )".to_owned()),
        ("programfile", program.to_owned()),
        ("programhash", about.program_hash.clone()),
        ("entryfunction", "main".to_owned()),
        ("architecture", "64bit".to_owned()),
        ("creationtime", about.created.clone()),
    ];
    let mut text = format!(
        "{HEAD}<!DOCTYPE test-metadata PUBLIC \"+//IDN sosy-lab.org//DTD test-format test-metadata 1.1//EN\" \
         \"{DOCTYPE}/test-metadata-1.1.dtd\">\n<test-metadata>\n"
    );
    for (name, value) in entries {
        let _ = writeln!(text, "  <{name}>{}</{name}>", escape(&value));
    }
    text + "</test-metadata>\n"
}

fn testcase(subject: &Subject, found: &Found) -> String {
    let mut text = format!(
        "{HEAD}<!DOCTYPE testcase PUBLIC \"+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN\" \
         \"{DOCTYPE}/testcase-1.1.dtd\">\n<testcase>\n"
    );
    for Answer { function, ty, value } in answers(subject, &found.case, &found.run.stub_order) {
        let spelt = escape(&subject.types.spell(ty));
        let _ =
            writeln!(text, "  <input variable=\"{function}\" type=\"{spelt}\">{}</input>", escape(&value));
    }
    text + "</testcase>\n"
}

/// An answer of an undefined function.
struct Answer {
    /// The function.
    function: String,
    /// The type of the answer.
    ty: TypeId,
    /// The answer, as C writes it.
    value: String,
}

/// The answers that a case gives to these calls: one after the other, and the last one again and again.
fn answers(subject: &Subject, case: &Case, order: &[StubId]) -> Vec<Answer> {
    let mut asked: BTreeMap<StubId, usize> = BTreeMap::new();
    let answer = |stub: &StubId| {
        let definition = subject.stubs.get(stub.index())?;
        let call = asked.entry(*stub).or_insert(0);
        *call += 1;
        if !definition.name.starts_with(NONDET) {
            return None;
        }
        let values = given(subject, case, *stub).unwrap_or_default();
        let value = match values.get(*call - 1).or(values.last()) {
            Some(value) => written(value)?,
            None => "0".to_owned(),
        };
        Some(Answer { function: definition.name.clone(), ty: definition.signature.result, value })
    };
    order.iter().filter_map(answer).collect()
}

/// What a case lets a stub return.
fn given<'a>(subject: &Subject, case: &'a Case, stub: StubId) -> Option<&'a [Value]> {
    case.statements.iter().find_map(|statement| match statement {
        Statement::Set { global, value: Value::Array(values) }
            if subject.answers_of(*global) == Some((stub, Role::Result)) =>
        {
            Some(values.as_slice())
        }
        _ => None,
    })
}

/// A value as Test-Comp writes it: in decimal, floats with as many digits as make them exact.
fn written(value: &Value) -> Option<String> {
    match value {
        Value::Int(value) => Some(value.to_string()),
        Value::Single(bits) => Some(float(f64::from(f32::from_bits(*bits)))),
        Value::Double(bits) => Some(float(f64::from_bits(*bits))),
        Value::Bytes(bytes) => literal::extended(bytes).map(|text| text.trim_end_matches('L').to_owned()),
        Value::Null => Some("0".to_owned()),
        _ => None,
    }
}

fn float(value: f64) -> String {
    if value.is_nan() {
        "nan".to_owned()
    } else if value.is_infinite() {
        (if value > 0.0 { "inf" } else { "-inf" }).to_owned()
    } else {
        format!("{value:?}")
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

//! Format testcomp: a test suite as Test-Comp exchanges them, in the folder `test-suite`, ready to be zipped.
//!
//! Each case is an XML file with the answers of `__VERIFIER_nondet_*` in the order of the calls, as the test-suite
//! format 1.1 wants them; `metadata.xml` says what they are for. Only cases that call `main` count, and findings are
//! among them: the error is what such a suite is to reach.
//!
//! Answers are those of stubs, each as often as the run asked for it. The format has one sequence for all functions, so
//! cases with answers of several functions are written one function after the other, in the order in which the case sets
//! them.

use super::{Format, literal};
use crate::suite::Suite;
use std::fmt::Write;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::TypeId;
use testwright_base::stub::Role;
use testwright_base::subject::Subject;
use testwright_base::types::Shape;

/// The format.
pub const FORMAT: Format = Format {
    name: "testcomp",
    about: "Test-Comp test suite 1.1 (XML), for programs whose inputs are __VERIFIER_nondet_*",
    library: None,
    files,
    recipes: |_| Vec::new(),
};

/// What the functions that answer with inputs are called.
const NONDET: &str = "__VERIFIER_nondet_";

fn files(suite: &Suite<'_>) -> Vec<(String, String)> {
    let subject = suite.input.subject;
    let cases = suite.tests.iter().map(|test| (test.function, &test.case));
    let findings = suite.findings.iter().map(|finding| (finding.function, &finding.case));
    let of_main = cases.chain(findings).filter(|(function, _)| subject.function(*function).name == "main");
    let mut files = vec![("test-suite/metadata.xml".to_owned(), metadata(suite))];
    for (number, (_, case)) in (1..).zip(of_main) {
        files.push((format!("test-suite/test-{number}.xml"), testcase(suite, case)));
    }
    files
}

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n";
const DOCTYPE: &str = "https://sosy-lab.org/test-format";

fn metadata(suite: &Suite<'_>) -> String {
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

fn testcase(suite: &Suite<'_>, case: &Case) -> String {
    let mut text = format!(
        "{HEAD}<!DOCTYPE testcase PUBLIC \"+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN\" \
         \"{DOCTYPE}/testcase-1.1.dtd\">\n<testcase>\n"
    );
    let subject = suite.input.subject;
    let found = suite.input.found.iter().find(|found| found.case == *case);
    let calls = found.map_or(&[][..], |found| &found.run.stub_calls);
    for Answer { function, ty, value } in answers(subject, case, calls) {
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

/// The answers that a case gives to so many calls of each stub: the last one is given again and again.
fn answers(subject: &Subject, case: &Case, calls: &[u64]) -> Vec<Answer> {
    let mut answers = Vec::new();
    for statement in &case.statements {
        let Statement::Set { global, value: Value::Array(values) } = statement else { continue };
        let Some((stub, Role::Result)) = subject.answers_of(*global) else { continue };
        let function = &subject.stubs[stub.index()].name;
        let ty = subject.globals[global.index()].ty.map(|ty| &subject.types.get(ty).shape);
        let (Some(Shape::Array { element, .. }), Some(last)) = (ty, values.last()) else { continue };
        if !function.starts_with(NONDET) {
            continue;
        }
        let calls = calls.get(stub.index()).map_or(0, |calls| usize::try_from(*calls).unwrap_or(0));
        let again = std::iter::repeat_n(last, calls.saturating_sub(values.len()));
        for value in values.iter().chain(again).filter_map(written) {
            answers.push(Answer { function: function.clone(), ty: *element, value });
        }
    }
    answers
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

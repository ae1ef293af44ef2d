//! A file of tests: what it includes and declares, then one test after the other, in the words of a dialect.

use super::body::{Body, body};
use super::check::{Check, before, check};
use super::list;
use super::literal::Headers;
use super::scope::Manner;
use super::stub;
use super::value::{Unwritable, Wording, Writer};
use super::{SUBJECT_MAIN, allocation, comment, fixed, spelt, stream, wrap};
use crate::assert::{Assertion, Root};
use crate::files::{stems, subject_header_name};
use crate::input::{Access, Source, standard_header};
use crate::suite::{Suite, Test, base_name};
use std::collections::BTreeSet;
use testwright_base::case::Case;
use testwright_base::ids::{FunctionId, TypeId};
use testwright_base::run::End;
use testwright_base::subject::Subject;
use testwright_base::types::{Shape, Types};
use testwright_c::declare;

/// How a format words a test.
pub trait Dialect {
    /// What stands before the body.
    fn head(&self, subject: &Subject, test: &Test) -> String;

    /// The statement that a body begins with, if any.
    fn opening(&self) -> Option<&'static str> {
        None
    }

    /// The call that must end in `exit` with this status, as a statement.
    fn exits(&self, call: &str, status: i32) -> String;

    /// The call that must end in `abort`, as a statement.
    fn aborts(&self, call: &str) -> String;

    /// A claim, as a statement.
    fn claim(&self, check: &Check) -> String;

    /// Whether it is C++, which cannot include the code and so sees no macros of it.
    fn is_cpp(&self) -> bool {
        false
    }
}

/// What a page begins with.
pub struct Opening<'a> {
    /// What the page is about: `Tests for`, `What ends badly in`.
    pub what: &'a str,
    /// How to run it.
    pub command: &'a str,
    /// Includes that follow those of the code under test and of literals.
    pub includes: &'a str,
    /// How the functions under test are reached.
    pub reach: Reach,
}

/// How the functions under test are reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// As the access of the source says.
    Access,
    /// Through declarations in C++.
    DeclaredInCpp,
}

/// A file that is being written.
pub struct Page<'a> {
    suite: &'a Suite,
    source: &'a Source,
    /// The header that includes the source.
    header: String,
    /// The functions that the page is about.
    about: BTreeSet<FunctionId>,
    /// Those of them that it calls.
    functions: BTreeSet<FunctionId>,
    /// Functions that it calls before and after them, which may be defined elsewhere.
    called_besides: BTreeSet<FunctionId>,
    headers: Headers,
    texts: Vec<String>,
}

impl<'a> Page<'a> {
    /// An empty page about one source.
    #[must_use]
    pub fn new(suite: &'a Suite, source: usize) -> Page<'a> {
        Page {
            suite,
            source: &suite.input.sources[source],
            header: subject_header_name(&stems(&suite.input.sources)[source]),
            about: BTreeSet::new(),
            functions: BTreeSet::new(),
            called_besides: BTreeSet::new(),
            headers: Headers::new(),
            texts: Vec::new(),
        }
    }

    /// Adds a test in the words of the dialect.
    pub fn test(&mut self, dialect: &dyn Dialect, test: &Test) {
        let written = self::test(self.suite, dialect, test);
        if written.is_ok() {
            self.called_besides.extend(test.assertions.iter().filter_map(|assertion| match assertion.root {
                Root::Query(query) => Some(query.function),
                _ => None,
            }));
        }
        self.add(test.function, &test.case, written);
    }

    /// Adds a text of a function. What cannot be written was sorted out when the suite was made.
    pub fn add(&mut self, function: FunctionId, case: &Case, written: Result<(String, Headers), Unwritable>) {
        if let Ok((text, headers)) = written {
            self.about.insert(function);
            self.functions.insert(function);
            self.called_besides.extend(case.calls_before().map(|(_, function, _)| function));
            self.headers.extend(headers);
            self.texts.push(text);
        }
    }

    /// Adds a text about a function that does not call it by name.
    pub fn add_about(&mut self, function: FunctionId, text: String) {
        self.about.insert(function);
        self.texts.push(text);
    }

    /// Adds a text that is about no function.
    pub fn add_text(&mut self, text: String) {
        self.texts.push(text);
    }

    /// The whole text.
    #[must_use]
    pub fn finish(mut self, opening: &Opening<'_>) -> String {
        let (file, seed) = (base_name(&self.source.path), self.suite.input.seed);
        let Opening { what, command, includes, reach } = opening;
        let functions = functions_text(&self.suite.input.subject, &self.about);
        let mut text = format!(
            "/* {what} {functions} of {file}. Written by Testwright (seed {seed}); run `{command}`. */\n"
        );
        let subject = &self.suite.input.subject;
        let callers: Vec<String> =
            self.functions.iter().filter_map(|id| list::definition(subject, *id)).collect();
        self.headers.extend((!callers.is_empty()).then_some("stdarg.h"));
        let declares = *reach == Reach::DeclaredInCpp || self.source.access == Access::Prototype;
        let is_declared = |id: &FunctionId| !declares && self.is_of_source(*id);
        let unknown: BTreeSet<FunctionId> =
            self.functions.union(&self.called_besides).copied().filter(|id| !is_declared(id)).collect();
        let prototypes = self.prototypes(&unknown).concat();
        match (&self.source.access, reach) {
            // The code under test comes first: it may define macros that system headers depend on.
            (Access::IncludeSource, Reach::Access) => text += &format!("#include \"{}\"\n\n", self.header),
            (Access::Header(header), Reach::Access) => text += &format!("#include \"{header}\"\n\n"),
            _ => {}
        }
        for header in &self.headers {
            text += &format!("#include <{header}>\n");
        }
        text += includes;
        if *reach == Reach::Access && self.suite.stubs().is_some() {
            text += &format!("#include \"{}\"\n", stub::HEADER_NAME);
        }
        if *reach == Reach::Access && !subject.fixed.is_empty() {
            text += &format!("#include \"{}\"\n", fixed::HEADER_NAME);
        }
        if *reach == Reach::Access && self.suite.fails_allocations() {
            text += &format!("#include \"{}\"\n", allocation::HEADER_NAME);
        }
        if *reach == Reach::Access && self.suite.has_streams() {
            text += &format!("#include \"{}\"\n", stream::HEADER_NAME);
        }
        if !prototypes.is_empty() && *reach == Reach::DeclaredInCpp {
            text += &format!("\nextern \"C\" {{\n{prototypes}}}\n");
        } else if !prototypes.is_empty() {
            text += &format!("\n{prototypes}");
        }
        for test in callers.iter().chain(&self.texts) {
            text += &format!("\n{test}");
        }
        text
    }

    /// Whether a function is defined in the source that the page is about.
    fn is_of_source(&self, function: FunctionId) -> bool {
        let place = self.suite.input.subject.function(function).place.as_ref();
        self.functions.contains(&function) || place.is_some_and(|place| place.file == self.source.file)
    }

    /// Declarations of functions; their headers are added.
    fn prototypes(&mut self, functions: &BTreeSet<FunctionId>) -> Vec<String> {
        let mut prototypes = Vec::new();
        for id in functions {
            let subject = &self.suite.input.subject;
            let function = subject.function(*id);
            let Some(signature) = &function.signature else { continue };
            let types = signature.params.iter().map(|param| param.ty).chain([signature.result]);
            self.headers.extend(
                types
                    .filter_map(|ty| standard_header(&subject.types, pointed_to(&subject.types, ty)))
                    .filter(|header| !header.is_empty()),
            );
            let mut params: Vec<String> = signature
                .declared(&subject.types)
                .iter()
                .filter_map(|param| declare(&subject.types, param.ty, &param.name))
                .collect();
            params.extend(signature.variadic.then(|| "...".to_owned()));
            let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
            let name = if function.name == "main" { SUBJECT_MAIN } else { spelt(&function.name) };
            let declared = declare(&subject.types, signature.result, &format!("{name}({params})"));
            prototypes.extend(declared.map(|declared| wrap(&format!("{declared};")) + "\n"));
        }
        prototypes
    }
}

/// What a pointer points to; another type itself.
#[must_use]
pub fn pointed_to(types: &Types, ty: TypeId) -> TypeId {
    match types.get(ty).shape {
        Shape::Pointer(target) => target,
        _ => ty,
    }
}

/// `triangle()`, `f() and g()`, `7 functions`.
fn functions_text(subject: &Subject, functions: &BTreeSet<FunctionId>) -> String {
    let name = |id: &FunctionId| format!("{}()", spelt(&subject.function(*id).name));
    let names: Vec<String> = functions.iter().map(name).collect();
    match names.as_slice() {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [first @ .., last] if first.len() < 4 => format!("{} and {last}", first.join(", ")),
        _ => format!("{} functions", names.len()),
    }
}

fn test(suite: &Suite, dialect: &dyn Dialect, test: &Test) -> Result<(String, Headers), Unwritable> {
    let subject = &suite.input.subject;
    let arrays = suite.array_params(test.function);
    let manner = Manner { arrays: &arrays, freed: &test.freed, asserted: &test.assertions };
    let wording = if dialect.is_cpp() { Wording::CPP } else { suite.input.wording(test.function) };
    let Body { mut arrange, call, mut writer } = body(subject, wording, &test.case, manner)?;
    writer.tolerance = suite.input.style.float_tolerance;
    arrange.splice(0..0, dialect.opening().map(str::to_owned));
    let ends = match test.end {
        End::Exit(status) => Some(dialect.exits(&call, status)),
        End::Abort => Some(dialect.aborts(&call)),
        _ => None,
    };
    if let Some(act) = ends {
        let text = function_text(&test.comment, &dialect.head(subject, test), &[&arrange, &[act]]);
        return Ok((text, writer.headers));
    }
    let result = writer.scope.fresh("result");
    let signature = subject.function(test.function).signature.as_ref();
    let declared = signature.and_then(|signature| declare(&subject.types, signature.result, &result));
    let checks = checks(subject, test, &mut writer, &result, declared.is_some())?;
    arrange.extend(checks.iter().filter_map(before));
    let checks = lines(dialect, &checks);
    let uses_result = checks.iter().any(|line| mentions(line, &result));
    let act = match declared.filter(|_| uses_result) {
        Some(declared) => format!("{declared} = {call};"),
        None => format!("{call};"),
    };
    let text = function_text(&test.comment, &dialect.head(subject, test), &[&arrange, &[act], &checks]);
    Ok((text, writer.headers))
}

/// Whether a test asserts something: how it ends, or what is so afterwards.
#[must_use]
pub fn asserts(suite: &Suite, test: &Test) -> bool {
    let subject = &suite.input.subject;
    let arrays = suite.array_params(test.function);
    let manner = Manner { arrays: &arrays, freed: &test.freed, asserted: &test.assertions };
    let Ok(Body { mut writer, .. }) = body(subject, Wording::PLAIN, &test.case, manner) else {
        return false;
    };
    let result = writer.scope.fresh("result");
    let signature = subject.function(test.function).signature.as_ref();
    let has_result =
        signature.is_some_and(|signature| declare(&subject.types, signature.result, &result).is_some());
    let checks = checks(subject, test, &mut writer, &result, has_result);
    test.end != End::Returned || checks.is_ok_and(|checks| !checks.is_empty())
}

fn checks(
    subject: &Subject,
    test: &Test,
    writer: &mut Writer<'_>,
    result: &str,
    has_result: bool,
) -> Result<Vec<Check>, Unwritable> {
    let needs_result = |assertion: &&Assertion| matches!(assertion.root, Root::Result | Root::Behind);
    let told = test.assertions.iter().filter(|assertion| has_result || !needs_result(assertion));
    let checks = told.map(|assertion| check(subject, writer, result, assertion));
    Ok(checks.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

fn lines(dialect: &dyn Dialect, checks: &[Check]) -> Vec<String> {
    let each = |check: &Check| check.setup.iter().cloned().chain([dialect.claim(check)]).collect::<Vec<_>>();
    checks.iter().flat_map(each).collect()
}

/// Whether the line has the name as a word.
fn mentions(line: &str, name: &str) -> bool {
    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name)
}

/// A comment, a head and paragraphs of statements.
#[must_use]
pub fn function_text(remark: &str, head: &str, paragraphs: &[&[String]]) -> String {
    let paragraphs: Vec<String> = paragraphs
        .iter()
        .filter(|lines| !lines.is_empty())
        .map(|lines| lines.iter().map(|line| wrap(&format!("    {line}")) + "\n").collect())
        .collect();
    format!("{}{head}\n{{\n{}}}\n", comment(remark), paragraphs.join("\n"))
}

//! Format plain: one C file of tests per source, and one of findings; no library is needed.

use super::body::{Body, body, declare_result};
use super::check::check;
use super::declare::declare;
use super::literal::Headers;
use super::stub;
use super::value::Unwritable;
use super::{SUBJECT_MAIN, wrap};
use crate::assert::Root;
use crate::files::{stems, subject_header_name};
use crate::input::{Access, Source, standard_header};
use crate::suite::{Finding, Suite, Test, base_name};
use std::collections::BTreeSet;
use testwright_base::ids::FunctionId;
use testwright_base::run::End;
use testwright_base::subject::Subject;

/// The header by which tests include a source, static functions and all.
#[must_use]
pub fn subject_header(subject: &Subject, source: &Source) -> String {
    let mut text = "/* The code under test, with its static functions. Its own warnings are no concern of the\n \
                     * tests, so it counts as a system header here. Written by Testwright. */\n#pragma GCC system_header\n"
        .to_owned();
    let include = format!("#include \"{}\"\n", source.path);
    if subject.function_named("main").is_some() {
        text += &format!(
            "/* The tests have a main of their own. */\n#define main {SUBJECT_MAIN}\n{include}#undef main\n"
        );
    } else {
        text += &include;
    }
    text
}

/// The file with the tests of the functions of one source.
#[must_use]
pub fn tests_file(suite: &Suite<'_>, source: usize) -> String {
    let mut page = Page::new(suite, source);
    let tests: Vec<&Test> =
        suite.tests.iter().filter(|test| suite.input.source_of(test.function) == source).collect();
    for test in &tests {
        let arrays = suite.array_params(test.function);
        page.add(test.function, self::test(suite.input.subject, test, &arrays));
    }
    let what = format!("Tests for {}", functions_text(suite.input.subject, &page.functions));
    page.finish(&what, "make check")
}

/// The file with the reproducers of what was found in one source.
#[must_use]
pub fn findings_file(suite: &Suite<'_>, source: usize) -> String {
    let mut page = Page::new(suite, source);
    for finding in suite.findings.iter().filter(|finding| suite.input.source_of(finding.function) == source) {
        let arrays = suite.array_params(finding.function);
        page.add(finding.function, self::finding(suite.input.subject, finding, &arrays));
    }
    let what = format!("What ends badly in {}", functions_text(suite.input.subject, &page.functions));
    page.finish(&what, "make findings")
}

/// `triangle()`, `f() and g()`, `7 functions`.
fn functions_text(subject: &Subject, functions: &BTreeSet<FunctionId>) -> String {
    let names: Vec<String> = functions.iter().map(|id| format!("{}()", subject.function(*id).name)).collect();
    match names.as_slice() {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [first @ .., last] if first.len() < 4 => format!("{} and {last}", first.join(", ")),
        _ => format!("{} functions", names.len()),
    }
}

/// A file that is being written.
struct Page<'a> {
    suite: &'a Suite<'a>,
    source: &'a Source,
    /// The header that includes the source.
    header: String,
    functions: BTreeSet<FunctionId>,
    headers: Headers,
    texts: Vec<String>,
}

impl<'a> Page<'a> {
    fn new(suite: &'a Suite<'a>, source: usize) -> Page<'a> {
        Page {
            suite,
            source: &suite.input.sources[source],
            header: subject_header_name(&stems(&suite.input.sources)[source]),
            functions: BTreeSet::new(),
            headers: Headers::new(),
            texts: Vec::new(),
        }
    }

    /// What cannot be written was sorted out when the suite was made.
    fn add(&mut self, function: FunctionId, written: Result<(String, Headers), Unwritable>) {
        if let Ok((text, headers)) = written {
            self.functions.insert(function);
            self.headers.extend(headers);
            self.texts.push(text);
        }
    }

    fn finish(mut self, what: &str, command: &str) -> String {
        let (file, seed) = (base_name(&self.source.path), self.suite.input.seed);
        let mut text =
            format!("/* {what} of {file}. Written by Testwright (seed {seed}); run `{command}`. */\n");
        let prototypes = self.prototypes();
        match &self.source.access {
            // The code under test comes first: it may define macros that system headers depend on.
            Access::IncludeSource => text += &format!("#include \"{}\"\n\n", self.header),
            Access::Header(header) => text += &format!("#include \"{header}\"\n\n"),
            Access::Prototype => {}
        }
        for header in &self.headers {
            text += &format!("#include <{header}>\n");
        }
        text += "#include \"testwright_check.h\"\n";
        if stub::header(self.suite.input.subject, &self.suite.input.functions).is_some() {
            text += &format!("#include \"{}\"\n", stub::HEADER_NAME);
        }
        if !prototypes.is_empty() {
            text += &format!("\n{}", prototypes.concat());
        }
        for test in &self.texts {
            text += &format!("\n{test}");
        }
        text
    }

    /// Declarations of the functions, if the tests need them; their headers are added.
    fn prototypes(&mut self) -> Vec<String> {
        if self.source.access != Access::Prototype {
            return Vec::new();
        }
        let mut prototypes = Vec::new();
        for id in &self.functions {
            let subject = self.suite.input.subject;
            let function = subject.function(*id);
            let Some(signature) = &function.signature else { continue };
            let types = signature.params.iter().map(|param| param.ty).chain([signature.result]);
            self.headers.extend(
                types
                    .filter_map(|ty| standard_header(&subject.types, ty))
                    .filter(|header| !header.is_empty()),
            );
            let mut params: Vec<String> = signature
                .params
                .iter()
                .filter_map(|param| declare(&subject.types, param.ty, &param.name))
                .collect();
            params.extend(signature.variadic.then(|| "...".to_owned()));
            let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
            let name = if function.name == "main" { SUBJECT_MAIN } else { &function.name };
            let declared = declare(&subject.types, signature.result, &format!("{name}({params})"));
            prototypes.extend(declared.map(|declared| wrap(&format!("{declared};")) + "\n"));
        }
        prototypes
    }
}

fn test(subject: &Subject, test: &Test, arrays: &BTreeSet<usize>) -> Result<(String, Headers), Unwritable> {
    let Body { arrange, call, mut writer } = body(subject, &test.case, arrays)?;
    let wants_result = test.assertions.iter().any(|assertion| assertion.root == Root::Result);
    let result = writer.scope.fresh("result");
    let signature = subject.function(test.function).signature.as_ref();
    let declared = signature
        .filter(|_| wants_result)
        .and_then(|signature| declare_result(&subject.types, signature.result, &result));
    let mut checks = Vec::new();
    for assertion in &test.assertions {
        if assertion.root != Root::Result || declared.is_some() {
            checks.extend(check(&mut writer, &result, assertion)?.into_iter().flat_map(|check| check.lines));
        }
    }
    let uses_result = checks.iter().any(|line| mentions(line, &result));
    let act = match declared.filter(|_| uses_result) {
        Some(declared) => format!("{declared} = {call};"),
        None => format!("{call};"),
    };
    let head = match test.end {
        End::Exit(status) => format!("TEST_EXITS({}, {status})", test.name),
        _ => format!("TEST({})", test.name),
    };
    if checks.is_empty() && test.end == End::Returned {
        checks.push("/* It returns, and leaves nothing behind that could be checked. */".to_owned());
    }
    Ok((function_text(&test.comment, &head, &[&arrange, &[act], &checks]), writer.headers))
}

/// Whether the line has the name as a word.
fn mentions(line: &str, name: &str) -> bool {
    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name)
}

fn finding(
    subject: &Subject,
    finding: &Finding,
    arrays: &BTreeSet<usize>,
) -> Result<(String, Headers), Unwritable> {
    let Body { arrange, call, writer } = body(subject, &finding.case, arrays)?;
    let head = format!("FINDING({})", finding.name);
    Ok((function_text(&finding.comment, &head, &[&arrange, &[format!("{call};")]]), writer.headers))
}

/// A comment, a head and paragraphs of statements.
fn function_text(comment: &str, head: &str, paragraphs: &[&[String]]) -> String {
    let paragraphs: Vec<String> = paragraphs
        .iter()
        .filter(|lines| !lines.is_empty())
        .map(|lines| lines.iter().map(|line| wrap(&format!("    {line}")) + "\n").collect())
        .collect();
    // Source text in a comment must not end it, or begin another.
    let comment = comment.replace("*/", "* /").replace("/*", "/ *");
    let comment = if comment.is_empty() { String::new() } else { format!("/* {comment} */\n") };
    format!("{comment}{head}\n{{\n{}}}\n", paragraphs.join("\n"))
}

//! Format plain: one C file of tests per source, all in one program; no library is needed.

use super::check::{Check, Claim};
use super::makefile::Recipe;
use super::page::{Dialect, Opening, Page, Reach};
use super::{CHECK_HEADER, CHECK_SOURCE, SUBJECT_MAIN};
use crate::emit::Format;
use crate::files::stems;
use crate::input::Source;
use crate::suite::{Suite, Test};
use testwright_base::run::End;
use testwright_base::subject::Subject;

/// The format.
pub const FORMAT: Format = Format {
    name: "plain",
    about: "C without a library, each test in a process of its own",
    library: None,
    inputs: None,
    files,
    recipes,
};

/// What plain tests are written with, and what runs them.
#[must_use]
pub fn support() -> Vec<(String, String)> {
    vec![
        ("testwright_check.c".to_owned(), CHECK_SOURCE.to_owned()),
        ("testwright_check.h".to_owned(), CHECK_HEADER.to_owned()),
    ]
}

/// The name of the file with the tests of a source, without its ending.
#[must_use]
pub fn program(suite: &Suite, source: usize) -> String {
    format!("{}_test", stems(&suite.input.sources)[source])
}

fn files(suite: &Suite) -> Vec<(String, String)> {
    let tests = suite
        .tested_sources()
        .into_iter()
        .map(|source| (format!("{}.c", program(suite, source)), tests_file(suite, source)));
    support().into_iter().chain(tests).collect()
}

fn recipes(suite: &Suite) -> Vec<Recipe> {
    let files: Vec<(usize, String)> =
        suite.tested_sources().into_iter().map(|source| (source, program(suite, source))).collect();
    Recipe::of_all("tests", suite, &files).into_iter().collect()
}

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
pub fn tests_file(suite: &Suite, source: usize) -> String {
    let mut page = Page::new(suite, source);
    for test in suite.tests_of(source) {
        page.test(&Plain, test);
    }
    page.finish(&Opening {
        what: "Tests for",
        command: "make check",
        includes: "#include \"testwright_check.h\"\n",
        reach: Reach::Access,
    })
}

struct Plain;

impl Dialect for Plain {
    fn head(&self, _: &Subject, test: &Test) -> String {
        match test.end {
            End::Exit(status) => format!("TEST_EXITS({}, {status})", test.name),
            End::Abort => format!("TEST_ABORTS({})", test.name),
            _ => format!("TEST({})", test.name),
        }
    }

    fn exits(&self, call: &str, _: i32) -> String {
        format!("{call};")
    }

    fn aborts(&self, call: &str) -> String {
        format!("{call};")
    }

    fn claim(&self, check: &Check) -> String {
        let what = &check.what;
        match &check.claim {
            Claim::Equal { expected, .. } => format!("CHECK_EQ({what}, {expected});"),
            Claim::Holds => format!("CHECK({what});"),
            Claim::Bits { expected, bits: 32 } => format!("CHECK_FLOAT({what}, {expected});"),
            Claim::Bits { expected, bits: 64 } => format!("CHECK_DOUBLE({what}, {expected});"),
            Claim::Bits { expected, .. } => format!("CHECK_LONG_DOUBLE({what}, {expected});"),
            Claim::Near { expected, margin } => format!("CHECK_NEAR({what}, {expected}, {margin});"),
            Claim::IsNan => format!("CHECK_NAN({what});"),
            Claim::Null => format!("CHECK_PTR({what}, NULL);"),
            Claim::Pointer(expected) => format!("CHECK_PTR({what}, {expected});"),
            Claim::NotNull => format!("CHECK_NOT_NULL({what});"),
            Claim::Text { expected, .. } => format!("CHECK_STR({what}, {expected});"),
            Claim::Elements(expected) => format!("CHECK_ARRAY({what}, {expected});"),
            Claim::Content(expected) => format!("CHECK_STREAM({what}, {expected});"),
            Claim::Printed(expected) => format!("CHECK_PRINTED({expected});"),
            Claim::Kept => format!("CHECK_KEPT({what});"),
        }
    }
}

//! Format cmocka: one C file of tests per source, for the library of that name.

use super::check::{Check, Claim};
use super::makefile::{Recipe, Unit};
use super::page::{Dialect, Opening, Page, Reach};
use crate::emit::{Format, Library};
use crate::files::stems;
use crate::suite::{Suite, Test};
use testwright_base::subject::Subject;

/// The format.
pub const FORMAT: Format = Format {
    name: "cmocka",
    about: "C with the cmocka library",
    library: Some(Library { header: "cmocka.h", language: "c", compiler: "CC", package: "libcmocka-dev" }),
    inputs: None,
    files,
    recipes,
};

/// What the tests need beyond the library.
const SUPPORT: &str = include_str!("testwright_cmocka.h");

fn program(suite: &Suite, source: usize) -> String {
    format!("{}_cmocka", stems(&suite.input.sources)[source])
}

fn files(suite: &Suite) -> Vec<(String, String)> {
    let tests = suite
        .tested_sources()
        .into_iter()
        .map(|source| (format!("{}.c", program(suite, source)), tests_file(suite, source)));
    tests.chain([("testwright_cmocka.h".to_owned(), SUPPORT.to_owned())]).collect()
}

fn recipes(suite: &Suite) -> Vec<Recipe> {
    let recipe = |source: usize| {
        let name = program(suite, source);
        Recipe {
            headers: vec!["testwright_cmocka.h".to_owned()],
            libraries: " -lcmocka",
            ..Recipe::new(&name, vec![Unit::tests(suite, &name, source)])
        }
    };
    suite.tested_sources().into_iter().map(recipe).collect()
}

fn tests_file(suite: &Suite, source: usize) -> String {
    let mut page = Page::new(suite, source);
    let tests = suite.tests_of(source);
    for test in &tests {
        page.test(&Cmocka, test);
    }
    page.add_text(main_text(suite, &tests));
    page.finish(&Opening {
        what: "Tests for",
        command: "make check",
        includes: "#include \"testwright_cmocka.h\"\n",
        reach: Reach::Access,
    })
}

/// Tests that could see what others left behind get a process each.
fn main_text(suite: &Suite, tests: &[&Test]) -> String {
    let list: String =
        tests.iter().map(|test| format!("        cmocka_unit_test({}),\n", test.name)).collect();
    let run = if suite.keeps_state() {
        "    /* The code under test keeps state between calls, so each test has a process of its own. */\n    \
         return run_tests_apart(tests, sizeof tests / sizeof tests[0]);"
    } else {
        "    return cmocka_run_group_tests(tests, NULL, NULL);"
    };
    format!("int main(void)\n{{\n    const struct CMUnitTest tests[] = {{\n{list}    }};\n\n{run}\n}}\n")
}

struct Cmocka;

impl Dialect for Cmocka {
    fn head(&self, _: &Subject, test: &Test) -> String {
        format!("static void {}(void **state)", test.name)
    }

    fn opening(&self) -> Option<&'static str> {
        Some("(void)state;")
    }

    fn exits(&self, call: &str, status: i32) -> String {
        format!("assert_exits({call}, {status});")
    }

    fn aborts(&self, call: &str) -> String {
        format!("assert_aborts({call});")
    }

    fn claim(&self, check: &Check) -> String {
        let what = &check.what;
        match &check.claim {
            Claim::Equal { expected, .. } => format!("assert_int_equal({what}, {expected});"),
            Claim::Holds => format!("assert_true({what});"),
            Claim::Bits { expected, bits: 32 } => format!("assert_same_float({what}, {expected});"),
            Claim::Bits { expected, bits: 64 } => format!("assert_same_double({what}, {expected});"),
            Claim::Bits { expected, .. } => format!("assert_same_long_double({what}, {expected});"),
            Claim::Near { expected, margin } => format!("assert_near({what}, {expected}, {margin});"),
            Claim::IsNan => format!("assert_nan({what});"),
            Claim::Null => format!("assert_null({what});"),
            Claim::Pointer(expected) => format!("assert_ptr_equal({what}, {expected});"),
            Claim::NotNull => format!("assert_non_null({what});"),
            Claim::Text { expected, of_char: true } => format!("assert_string_equal({what}, {expected});"),
            Claim::Text { expected, .. } => format!("assert_string_equal((const char *){what}, {expected});"),
            Claim::Elements(expected) => {
                format!("assert_memory_equal({what}, {expected}, sizeof {expected});")
            }
            Claim::Content(expected) => format!("assert_stream({what}, {expected});"),
            Claim::Printed(expected) => format!("assert_printed({expected});"),
            Claim::Kept => format!("assert_kept({what});"),
        }
    }
}

//! Format gtest: one C++ file of tests per source, for GoogleTest.
//!
//! A C++ file can declare C functions and call them, but cannot include C code, nor define its types safely. So a test
//! that needs only functions with linkage and standard scalars is written as C++; another stays in C, in the file of
//! format plain, and GoogleTest runs it from there, in a process of its own.

use super::check::{Check, Claim};
use super::makefile::{Recipe, Unit, UnitKind};
use super::page::{Dialect, Opening, Page, Reach, function_text, pointed_to};
use super::plain;
use crate::assert::Root;
use crate::emit::{Format, Library};
use crate::files::stems;
use crate::input::standard_header;
use crate::suite::{Suite, Test};
use testwright_base::case::{Statement, Value};
use testwright_base::ids::TypeId;
use testwright_base::stub::Stub;
use testwright_base::subject::Subject;

/// The format.
pub const FORMAT: Format = Format {
    name: "gtest",
    about: "C++ with GoogleTest",
    library: Some(Library {
        header: "gtest/gtest.h",
        language: "c++",
        compiler: "CXX",
        package: "libgtest-dev",
    }),
    inputs: None,
    files,
    recipes,
};

/// What the tests need beyond the library.
const SUPPORT: &str = include_str!("testwright_gtest.h");

fn program(suite: &Suite, source: usize) -> String {
    format!("{}_gtest", stems(&suite.input.sources)[source])
}

fn files(suite: &Suite) -> Vec<(String, String)> {
    let mut files = vec![("testwright_gtest.h".to_owned(), SUPPORT.to_owned())];
    for source in suite.tested_sources() {
        files.push((format!("{}.cc", program(suite, source)), tests_file(suite, source)));
        if stays_in_c(suite, source) {
            files.push((format!("{}.c", plain::program(suite, source)), plain::tests_file(suite, source)));
            files.extend(plain::support());
        }
    }
    files
}

fn recipes(suite: &Suite) -> Vec<Recipe> {
    let recipe = |source: usize| {
        let name = program(suite, source);
        let mut units = vec![Unit { file: format!("{name}.cc"), kind: UnitKind::CppTests { source } }];
        let mut headers = vec!["testwright_gtest.h".to_owned()];
        if stays_in_c(suite, source) {
            units.push(Unit::support(UnitKind::SupportWithoutMain));
            units.push(Unit::tests(suite, &plain::program(suite, source), source));
            headers.push("testwright_check.h".to_owned());
        }
        Recipe {
            headers,
            linker: "$(CXX) $(CXXFLAGS)",
            libraries: " -lgtest_main -lgtest -pthread",
            ..Recipe::new(&name, units)
        }
    };
    suite.tested_sources().into_iter().map(recipe).collect()
}

fn stays_in_c(suite: &Suite, source: usize) -> bool {
    suite.tests_of(source).iter().any(|test| !is_cpp(suite, test))
}

fn tests_file(suite: &Suite, source: usize) -> String {
    let mut page = Page::new(suite, source);
    for test in suite.tests_of(source) {
        if is_cpp(suite, test) {
            page.test(&Gtest, test);
        } else {
            let run = format!("EXPECT_TRUE(testwright_passes(\"{}\"));", test.name);
            let head = Gtest.head(&suite.input.subject, test);
            page.add_about(test.function, function_text(&test.comment, &head, &[&[run]]));
        }
    }
    let includes = match stays_in_c(suite, source) {
        false => "#include \"testwright_gtest.h\"\n".to_owned(),
        true => format!(
            "#include \"testwright_gtest.h\"\n\n\
             /* What C++ cannot say is said in C: the test of this name in {}.c, in a process of its own. */\n\
             extern \"C\" int testwright_passes(const char *name);\n",
            plain::program(suite, source)
        ),
    };
    page.finish(&Opening {
        what: "Tests for",
        command: "make check",
        includes: &includes,
        reach: Reach::DeclaredInCpp,
    })
}

/// Whether a test can be written as C++, and needs no process of its own.
fn is_cpp(suite: &Suite, test: &Test) -> bool {
    let subject = &suite.input.subject;
    let function = subject.function(test.function);
    let Some(signature) = &function.signature else { return false };
    let plain = |ty: TypeId| is_plain(subject, pointed_to(&subject.types, ty));
    let names = signature.params.iter().map(|param| param.name.as_str()).chain([function.name.as_str()]);
    let mut types = signature.params.iter().map(|param| param.ty).chain([signature.result]);
    let statement = |statement: &Statement| match statement {
        Statement::Object { element, .. } => is_plain(subject, *element),
        Statement::Set { .. } => false,
        Statement::Call { arguments, .. } => {
            !arguments.iter().any(|value| matches!(value, Value::Address(_)))
        }
    };
    !suite.keeps_state()
        // Their definitions are C.
        && subject.stubs.iter().all(Stub::is_allocation)
        && subject.undefined.is_empty()
        && subject.fixed.is_empty()
        && test.assertions.iter().all(|assertion| assertion.root != Root::Printed)
        // Nor has C++ what allocates a copy of a literal.
        && test.freed.is_empty()
        && !function.internal
        && !signature.variadic
        && types.all(plain)
        && !names.into_iter().any(is_cpp_word)
        && test.case.statements.iter().all(statement)
}

fn is_plain(subject: &Subject, ty: TypeId) -> bool {
    let spelt = subject.types.spell(ty);
    standard_header(&subject.types, ty).is_some() && spelt != "_Bool" && !spelt.contains("__int128")
}

/// Words of C++ that are names in C.
fn is_cpp_word(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "alignas",
        "alignof",
        "and",
        "bitand",
        "bitor",
        "catch",
        "char16_t",
        "char32_t",
        "class",
        "compl",
        "concept",
        "constexpr",
        "decltype",
        "delete",
        "explicit",
        "export",
        "final",
        "friend",
        "mutable",
        "namespace",
        "new",
        "noexcept",
        "not",
        "nullptr",
        "operator",
        "or",
        "override",
        "private",
        "protected",
        "public",
        "requires",
        "static_assert",
        "template",
        "this",
        "thread_local",
        "throw",
        "try",
        "typeid",
        "typename",
        "using",
        "virtual",
        "wchar_t",
        "xor",
    ];
    WORDS.contains(&name)
}

struct Gtest;

impl Dialect for Gtest {
    fn is_cpp(&self) -> bool {
        true
    }

    fn head(&self, subject: &Subject, test: &Test) -> String {
        let function = &subject.function(test.function).name;
        let name = test.name.strip_prefix(&format!("{function}_")).unwrap_or(&test.name);
        format!("TEST({function}, {name})")
    }

    fn exits(&self, call: &str, status: i32) -> String {
        format!("EXPECT_EXITS({call}, {});", status & 0xff)
    }

    fn aborts(&self, call: &str) -> String {
        format!("EXPECT_ABORTS({call});")
    }

    fn claim(&self, check: &Check) -> String {
        let what = &check.what;
        match &check.claim {
            // A literal without a suffix is signed, and comparing it with what is not earns a warning.
            Claim::Equal { expected, unsigned: true }
                if expected.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                format!("EXPECT_EQ({what}, {expected}u);")
            }
            Claim::Equal { expected, .. } => format!("EXPECT_EQ({what}, {expected});"),
            Claim::Holds => format!("EXPECT_TRUE({what});"),
            Claim::Bits { expected, bits: 32 } => format!("EXPECT_PRED2(same_float, {what}, {expected});"),
            Claim::Bits { expected, bits: 64 } => format!("EXPECT_PRED2(same_double, {what}, {expected});"),
            Claim::Bits { expected, .. } => format!("EXPECT_PRED2(same_long_double, {what}, {expected});"),
            Claim::Near { expected, margin } => format!("EXPECT_NEAR({what}, {expected}, {margin});"),
            Claim::IsNan => format!("EXPECT_TRUE(std::isnan({what}));"),
            Claim::Null => format!("EXPECT_EQ({what}, nullptr);"),
            Claim::Pointer(expected) => format!("EXPECT_EQ({what}, {expected});"),
            Claim::NotNull => format!("EXPECT_NE({what}, nullptr);"),
            Claim::Text { expected, of_char: true } => format!("EXPECT_STREQ({what}, {expected});"),
            Claim::Text { expected, .. } => {
                format!("EXPECT_STREQ(reinterpret_cast<const char *>({what}), {expected});")
            }
            Claim::Elements(expected) => {
                format!("EXPECT_EQ(std::memcmp({what}, {expected}, sizeof {expected}), 0);")
            }
            // Tests with streams stay in C, and those that look at what is printed.
            Claim::Content(expected) => format!("CHECK_STREAM({what}, {expected});"),
            Claim::Printed(expected) => format!("CHECK_PRINTED({expected});"),
            Claim::Kept => format!("EXPECT_KEPT({what});"),
        }
    }
}

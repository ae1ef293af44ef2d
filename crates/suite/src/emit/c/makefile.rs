//! The Makefile: builds the tests against the subject's own source, and runs them.
//!
//! All plain tests are one program. A file of tests that includes its source provides that source to the others too, so each source
//! is compiled once per build. What every file of tests defines for the linker (stubs, failing allocations, fixed pages) is weak, so that
//! the program has it once.

use super::{SUBJECT_MAIN, allocation, findings, fixed, stream, stub};
use crate::emit::Format;
use crate::files::{stems, subject_header_name};
use crate::input::Access;
use crate::suite::Suite;
use std::collections::{BTreeMap, BTreeSet};
use testwright_c::is_builtin;

/// How a program is built. Programs share the objects of files that they compile alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    /// The name of the program.
    pub name: String,
    /// The files that are compiled beside those of the subject. Sources that one of them includes are not compiled by
    /// themselves.
    pub units: Vec<Unit>,
    /// The headers that it depends on.
    pub headers: Vec<String>,
    /// Flags for everything.
    pub flags: Flags,
    /// The command that links.
    pub linker: &'static str,
    /// What it is linked with, with a blank before each.
    pub libraries: &'static str,
}

/// Flags for everything in a program. Objects are shared by the programs that have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flags {
    /// Those of the user only.
    Tests,
    /// Sanitizers besides.
    Findings,
}

impl Flags {
    /// What follows the flags of the user.
    fn text(self) -> &'static str {
        match self {
            Flags::Tests => "",
            Flags::Findings => " $(FINDINGS_FLAGS)",
        }
    }

    /// What the names of shared objects begin with.
    fn prefix(self) -> &'static str {
        match self {
            Flags::Tests => "",
            Flags::Findings => "findings_",
        }
    }
}

/// A file that is compiled for a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// The file.
    pub file: String,
    /// What it is.
    pub kind: UnitKind,
}

/// What a file is to a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitKind {
    /// Tests in C of the functions of a source. They may include it, so its flags are theirs too.
    Tests {
        /// The index of the source.
        source: usize,
        /// Whether they include it.
        includes: bool,
    },
    /// Tests in C++ of the functions of a source.
    CppTests {
        /// The index of the source.
        source: usize,
    },
    /// What runs tests of format plain.
    Support,
    /// The same for tests that another library runs.
    SupportWithoutMain,
}

impl Unit {
    /// The command that compiles it, up to the flags of the recipe.
    fn compiler(&self) -> String {
        match self.kind {
            UnitKind::Tests { source, .. } => format!("$(CC) $(FLAGS_{source}) $(CFLAGS)"),
            UnitKind::CppTests { source } => format!("$(CXX) $(CXX_FLAGS_{source}) $(CXXFLAGS)"),
            UnitKind::Support => "$(CC) $(CFLAGS)".to_owned(),
            UnitKind::SupportWithoutMain => "$(CC) $(CFLAGS) -DTESTWRIGHT_NO_MAIN".to_owned(),
        }
    }

    /// Its object. Programs with the same flags share it.
    fn object(&self, flags: Flags) -> String {
        let prefix = flags.prefix();
        match self.kind {
            UnitKind::Tests { .. } | UnitKind::CppTests { .. } => {
                let stem = self.file.rsplit_once('.').map_or(self.file.as_str(), |(stem, _)| stem);
                format!("$(BUILD)/{stem}.o")
            }
            UnitKind::Support => format!("$(BUILD)/{prefix}check.o"),
            UnitKind::SupportWithoutMain => format!("$(BUILD)/{prefix}check_without_main.o"),
        }
    }

    /// The source whose functions it tests.
    #[must_use]
    pub fn source(&self) -> Option<usize> {
        match self.kind {
            UnitKind::Tests { source, .. } | UnitKind::CppTests { source } => Some(source),
            UnitKind::Support | UnitKind::SupportWithoutMain => None,
        }
    }

    /// The source that it includes, if it does.
    fn included(&self) -> Option<usize> {
        match self.kind {
            UnitKind::Tests { source, includes: true } => Some(source),
            _ => None,
        }
    }

    /// What runs tests of format plain.
    #[must_use]
    pub fn support(kind: UnitKind) -> Unit {
        Unit { file: "testwright_check.c".to_owned(), kind }
    }

    /// The file of this name, with tests in C of a source.
    #[must_use]
    pub fn tests(suite: &Suite, name: &str, source: usize) -> Unit {
        let includes = suite.input.sources[source].access == Access::IncludeSource;
        Unit { file: format!("{name}.c"), kind: UnitKind::Tests { source, includes } }
    }
}

impl Recipe {
    /// A C program that needs nothing else.
    #[must_use]
    pub fn new(name: &str, units: Vec<Unit>) -> Recipe {
        Recipe {
            name: name.to_owned(),
            units,
            headers: Vec::new(),
            flags: Flags::Tests,
            linker: "$(CC) $(CFLAGS)",
            libraries: "",
        }
    }

    /// One program for the tests of these sources, so that each source is compiled once and linked once. A single file
    /// of tests gives its name to the program.
    #[must_use]
    pub fn of_all(name: &str, suite: &Suite, files: &[(usize, String)]) -> Option<Recipe> {
        let name = match files {
            [] => return None,
            [(_, only)] => only,
            _ => name,
        };
        let tests = files.iter().map(|(source, file)| Unit::tests(suite, file, *source));
        let units = std::iter::once(Unit::support(UnitKind::Support)).chain(tests).collect();
        Some(Recipe { headers: vec!["testwright_check.h".to_owned()], ..Recipe::new(name, units) })
    }

    /// The sources that are compiled by themselves.
    fn apart(&self, suite: &Suite) -> impl Iterator<Item = usize> {
        let included: BTreeSet<usize> = self.units.iter().filter_map(Unit::included).collect();
        (0..suite.input.sources.len()).filter(move |source| !included.contains(source))
    }

    /// How many objects the program is linked from.
    #[must_use]
    pub fn objects(&self, suite: &Suite) -> usize {
        self.units.len() + self.apart(suite).count()
    }

    /// The files that a user looks at, and their sources. What GoogleTest runs in C is named in its own file.
    #[must_use]
    pub fn shown(&self) -> Vec<(usize, &str)> {
        let is_cpp = |unit: &Unit| matches!(unit.kind, UnitKind::CppTests { .. });
        let has_cpp = self.units.iter().any(is_cpp);
        let shown = self.units.iter().filter(|unit| is_cpp(unit) || !has_cpp);
        shown.filter_map(|unit| Some((unit.source()?, unit.file.as_str()))).collect()
    }
}

const HEAD: &str = "\
# Builds the tests against the code under test, and runs them. Written by Testwright.
#
#   make check                              build and run the tests
#   make check CC=clang CFLAGS='-O2 -g'     with another compiler, other flags
#   make check-sanitized                    with the sanitizers of the compiler
#   make programs                           build the tests, do not run them
#   make findings                           run what ends badly; EXPECT=fixed if it should no longer
#   make clean

CFLAGS ?= -g -Wall -Wextra
CXXFLAGS ?= $(CFLAGS)
LDLIBS ?= -lm
SANITIZERS ?= -fsanitize=address,undefined -fno-sanitize-recover=all
FINDINGS_FLAGS ?= -w $(SANITIZERS)
BUILD ?= build
";

const TARGETS: &str = "
check-sanitized:
	@$(MAKE) --no-print-directory check BUILD='$(BUILD)/sanitized' CFLAGS='$(CFLAGS) $(SANITIZERS) -fno-sanitize=pointer-overflow'

findings: $(FINDINGS)
	@status=0; for finding in $(FINDINGS); do $$finding $(if $(filter fixed,$(EXPECT)),--expect-fixed) || status=1; \\
	done; exit $$status

clean:
	rm -rf $(BUILD)

# Everything is built again when compiler or flags change.
export TESTWRIGHT_FLAGS := $(CC) $(CFLAGS) $(CXX) $(CXXFLAGS) $(LDFLAGS) $(LDLIBS) $(FINDINGS_FLAGS)
$(BUILD)/flags: FORCE
	@mkdir -p $(BUILD)
	@printf '%s\\n' \"$$TESTWRIGHT_FLAGS\" | cmp -s - $@ || printf '%s\\n' \"$$TESTWRIGHT_FLAGS\" > $@
FORCE:
";

/// The Makefile of a suite in these formats.
#[must_use]
pub fn makefile(suite: &Suite, formats: &[&'static Format]) -> String {
    let of_formats: Vec<(&Format, Vec<Recipe>)> =
        formats.iter().map(|format| (*format, (format.recipes)(suite))).collect();
    let findings = findings::recipes(suite);
    let mut text = HEAD.to_owned();
    let called = really_called(suite);
    for (index, source) in suite.input.sources.iter().enumerate() {
        text += &variable(&format!("FLAGS_{index}"), source.flags.iter().chain(&called));
        if formats.iter().any(|format| format.name == "gtest") {
            let flags = source.flags.iter().filter(is_about_characters);
            text += &variable(&format!("CXX_FLAGS_{index}"), flags.chain(&called));
        }
    }
    if suite.fails_allocations() {
        text += allocation::VARIABLES;
    }
    let checks: String = formats.iter().map(|format| format!(" check-{}", format.name)).collect();
    text += &format!("FINDINGS ={}\n\ncheck:{checks}\n", programs(&findings));
    for (format, recipes) in &of_formats {
        text += &check(format, recipes);
    }
    let built: String = formats.iter().map(|format| format!(" $(TESTS_{})", format.name)).collect();
    text += &format!("\nprograms:{built}\n{TARGETS}");
    text += &format!(".PHONY: check{checks} check-sanitized programs findings clean FORCE\n");
    let (mut links, mut objects) = (String::new(), BTreeMap::new());
    for recipe in of_formats.iter().flat_map(|(_, recipes)| recipes).chain(&findings) {
        links += &link(suite, recipe, &mut objects);
    }
    text += &links;
    text.extend(objects.into_values());
    text
}

/// `FLAGS_0 = -DX -fwrapv`
fn variable<'a>(name: &str, flags: impl Iterator<Item = &'a String>) -> String {
    let flags: String = flags.map(|flag| format!(" {}", shell(flag))).collect();
    format!("{name} ={flags}\n")
}

/// Flags that keep compilers from computing themselves what functions under test are there for: a `strlen` of the subject is called.
fn really_called(suite: &Suite) -> Vec<String> {
    let functions = suite.input.functions.iter().map(|id| suite.input.subject.function(*id));
    let known = functions.filter(|function| !function.internal && is_builtin(&function.name));
    known.map(|function| format!("-fno-builtin-{}", function.name)).collect()
}

/// Whether a flag says what characters are, so that C++ tests need it too. They name standard scalars alone, and their
/// library was built without flags that lay out structs and enums.
fn is_about_characters(flag: &&String) -> bool {
    matches!(flag.as_str(), "-funsigned-char" | "-fsigned-char" | "-fno-signed-char" | "-fno-unsigned-char")
}

fn programs(recipes: &[Recipe]) -> String {
    recipes.iter().map(|recipe| format!(" $(BUILD)/{}", recipe.name)).collect()
}

/// Runs the programs of a format; says so if its library is missing.
fn check(format: &Format, recipes: &[Recipe]) -> String {
    let name = format.name;
    if recipes.is_empty() {
        return format!("\ncheck-{name}:\n\t@:\n");
    }
    let list = format!("TESTS_{name}");
    let run = format!(
        "{list} ={}\ncheck-{name}: $({list})\n\
         \t@status=0; for test in $({list}); do $$test || status=1; done; exit $$status\n",
        programs(recipes)
    );
    let Some(library) = format.library else { return format!("\n{run}") };
    // A number sign within a function of make is read differently by different versions.
    format!(
        "\nHASH := \\#\nHAVE_{name} := $(shell echo '$(HASH)include <{header}>' | \
         $({compiler}) -E -x {language} - >/dev/null 2>&1 && echo yes)\n\
         ifeq ($(HAVE_{name}),yes)\n{run}else\ncheck-{name}:\n\
         \t@echo \"# skipped: the {name} tests, because <{header}> is not found (Debian: apt install {package})\"\nendif\n",
        header = library.header,
        compiler = library.compiler,
        language = library.language,
        package = library.package,
    )
}

/// Links a program, and adds how its objects are compiled. Sources that are not included are compiled with their own flags;
/// their warnings are no concern of the tests.
fn link(suite: &Suite, recipe: &Recipe, objects: &mut BTreeMap<String, String>) -> String {
    let Recipe { name, linker, libraries, .. } = recipe;
    let (mut flags, mut wrap) = (recipe.flags.text().to_owned(), "");
    if suite.fails_allocations() {
        flags += " $(ALLOCATION_FLAGS)";
        wrap = " $(ALLOCATION_WRAP)";
    }
    let mut linked = String::new();
    let mut add = |object: String, needs: &str, compiler: &str, file: &str| {
        linked += &format!(" {object}");
        let rule = format!("\n{object}:{needs} $(BUILD)/flags\n\t{compiler} -c {file} -o $@\n");
        objects.insert(object, rule);
    };
    for unit in &recipe.units {
        let Unit { file, kind, .. } = unit;
        let needs = match kind {
            UnitKind::Tests { .. } | UnitKind::CppTests { .. } => needed(suite, recipe, unit),
            UnitKind::Support | UnitKind::SupportWithoutMain => " testwright_check.h".to_owned(),
        };
        let compiler = format!("{}{flags}", unit.compiler());
        add(unit.object(recipe.flags), &format!(" {file}{needs}"), &compiler, file);
    }
    let has_main = suite.input.subject.function_named("main").is_some();
    let rename = if has_main { format!(" -Dmain={SUBJECT_MAIN}") } else { String::new() };
    for index in recipe.apart(suite) {
        let source = &suite.input.sources[index];
        let object = format!("$(BUILD)/{}code_{index}.o", recipe.flags.prefix());
        let compiler = format!("$(CC) $(FLAGS_{index}){rename} $(CFLAGS){flags} -w");
        add(object, &format!(" {}", target(&source.path)), &compiler, &shell(&source.path));
    }
    format!(
        "\n$(BUILD)/{name}:{linked}\n\
         \t{linker}{flags} -o $@{linked} $(LDFLAGS){wrap}{libraries} $(LDLIBS)\n"
    )
}

/// What a file of tests includes.
fn needed(suite: &Suite, recipe: &Recipe, unit: &Unit) -> String {
    let mut needs: Vec<String> = recipe.headers.clone();
    if let Some(source) = unit.included() {
        needs.push(subject_header_name(&stems(&suite.input.sources)[source]));
        needs.push(target(&suite.input.sources[source].path));
    }
    if suite.stubs().is_some() {
        needs.push(stub::HEADER_NAME.to_owned());
    }
    if !suite.input.subject.fixed.is_empty() {
        needs.push(fixed::HEADER_NAME.to_owned());
    }
    if suite.fails_allocations() {
        needs.push(allocation::HEADER_NAME.to_owned());
    }
    if suite.has_streams() {
        needs.push(stream::HEADER_NAME.to_owned());
    }
    needs.iter().map(|need| format!(" {need}")).collect()
}

/// A path as a prerequisite.
fn target(path: &str) -> String {
    path.replace('$', "$$").replace(' ', "\\ ").replace('#', "\\#").replace(':', "\\:")
}

/// A word for the shell, within a Makefile.
fn shell(word: &str) -> String {
    let word = word.replace('$', "$$");
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+:,@%$".contains(c);
    if !word.is_empty() && word.chars().all(plain) && !word.contains('$') {
        return word;
    }
    // A variable's value ends at a number sign, even between quotes.
    format!("'{}'", word.replace('\'', "'\\''").replace('#', "\\#"))
}

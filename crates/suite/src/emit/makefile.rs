//! The Makefile: builds the tests against the subject's own source, and runs them.

use super::{Format, SUBJECT_MAIN, allocation, findings, fixed, stub};
use crate::files::{stems, subject_header_name};
use crate::suite::Suite;

/// How a program is built. Each has objects of its own, so that those of several programs never mix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    /// The name of the program.
    pub name: String,
    /// The index of the source whose functions it calls.
    pub source: usize,
    /// The files that are compiled beside those of the subject.
    pub units: Vec<Unit>,
    /// Whether one of them includes the source, so that it is not compiled by itself.
    pub includes_source: bool,
    /// The headers that it depends on.
    pub headers: Vec<String>,
    /// Flags for everything, with a blank before each.
    pub flags: &'static str,
    /// The command that links.
    pub linker: &'static str,
    /// What it is linked with, with a blank before each.
    pub libraries: &'static str,
}

/// A file that is compiled for a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// What its object is called: the name of the program, and this.
    pub suffix: &'static str,
    /// The file.
    pub file: String,
    /// What it is.
    pub kind: UnitKind,
}

/// What a file is to a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitKind {
    /// Tests in C; they may include the source, so the source's flags are theirs too.
    Tests,
    /// Tests in C++.
    CppTests,
    /// What runs tests of format plain.
    Support,
    /// The same for tests that another library runs.
    SupportWithoutMain,
}

impl Unit {
    /// The command that compiles it, up to the flags of the recipe.
    fn compiler(&self, source: usize) -> String {
        match self.kind {
            UnitKind::Tests => format!("$(CC) $(FLAGS_{source}) $(CFLAGS)"),
            UnitKind::CppTests => format!("$(CXX) $(CXX_FLAGS_{source}) $(CXXFLAGS)"),
            UnitKind::Support => "$(CC) $(CFLAGS)".to_owned(),
            UnitKind::SupportWithoutMain => "$(CC) $(CFLAGS) -DTESTWRIGHT_NO_MAIN".to_owned(),
        }
    }

    /// What runs tests of format plain.
    #[must_use]
    pub fn support(kind: UnitKind) -> Unit {
        Unit { suffix: "_check", file: "testwright_check.c".to_owned(), kind }
    }

    /// The file with the tests in C.
    #[must_use]
    pub fn tests(suffix: &'static str, program: &str) -> Unit {
        Unit { suffix, file: format!("{program}.c"), kind: UnitKind::Tests }
    }
}

impl Recipe {
    /// A C program that needs nothing else.
    #[must_use]
    pub fn new(name: &str, source: usize, units: Vec<Unit>, includes_source: bool) -> Recipe {
        Recipe {
            name: name.to_owned(),
            source,
            units,
            includes_source,
            headers: Vec::new(),
            flags: "",
            linker: "$(CC) $(CFLAGS)",
            libraries: "",
        }
    }
}

const HEAD: &str = "\
# Builds the tests against the code under test, and runs them. Written by Testwright.
#
#   make check                              build and run the tests
#   make check CC=clang CFLAGS='-O2 -g'     with another compiler, other flags
#   make findings                           run what ends badly; EXPECT=fixed if it should no longer
#   make clean

CFLAGS ?= -g -Wall -Wextra
CXXFLAGS ?= $(CFLAGS)
LDLIBS ?= -lm
FINDINGS_FLAGS ?= -w -fsanitize=address,undefined -fno-sanitize-recover=all
";

const FINDINGS: &str = "
findings: $(FINDINGS)
	@status=0; for finding in $(FINDINGS); do ./$$finding $(if $(filter fixed,$(EXPECT)),--expect-fixed) || status=1; \\
	done; exit $$status

clean:
	rm -rf build

# Everything is built again when compiler or flags change.
export TESTWRIGHT_FLAGS := $(CC) $(CFLAGS) $(CXX) $(CXXFLAGS) $(LDFLAGS) $(LDLIBS) $(FINDINGS_FLAGS)
build/flags: FORCE
	@mkdir -p build
	@printf '%s\\n' \"$$TESTWRIGHT_FLAGS\" | cmp -s - $@ || printf '%s\\n' \"$$TESTWRIGHT_FLAGS\" > $@
FORCE:
";

/// The Makefile of a suite in these formats.
#[must_use]
pub fn makefile(suite: &Suite<'_>, formats: &[&'static Format]) -> String {
    let of_formats: Vec<(&Format, Vec<Recipe>)> =
        formats.iter().map(|format| (*format, (format.recipes)(suite))).collect();
    let findings = findings::recipes(suite);
    let mut text = HEAD.to_owned();
    for (index, source) in suite.input.sources.iter().enumerate() {
        text += &variable(&format!("FLAGS_{index}"), source.flags.iter());
        if formats.iter().any(|format| format.name == "gtest") {
            text += &variable(&format!("CXX_FLAGS_{index}"), source.flags.iter().filter(is_about_types));
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
    text += FINDINGS;
    text += &format!(".PHONY: check{checks} findings clean FORCE\n");
    for recipe in of_formats.iter().flat_map(|(_, recipes)| recipes).chain(&findings) {
        text += &rule(suite, recipe);
    }
    text
}

/// `FLAGS_0 = -DX -fwrapv`
fn variable<'a>(name: &str, flags: impl Iterator<Item = &'a String>) -> String {
    let flags: String = flags.map(|flag| format!(" {}", shell(flag))).collect();
    format!("{name} ={flags}\n")
}

/// Whether a flag says what types are, so that C++ tests need it too; other flags may be for C alone.
fn is_about_types(flag: &&String) -> bool {
    const ABOUT_TYPES: [&str; 6] = [
        "-funsigned-char",
        "-fsigned-char",
        "-fno-signed-char",
        "-fno-unsigned-char",
        "-fshort-enums",
        "-fpack-struct",
    ];
    ABOUT_TYPES.iter().any(|start| flag.starts_with(start))
}

fn programs(recipes: &[Recipe]) -> String {
    recipes.iter().map(|recipe| format!(" build/{}", recipe.name)).collect()
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
         \t@status=0; for test in $({list}); do ./$$test || status=1; done; exit $$status\n",
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

/// Sources that are not included are compiled with their own flags; their warnings are no concern of the tests.
fn rule(suite: &Suite<'_>, recipe: &Recipe) -> String {
    let Recipe { name, linker, libraries, .. } = recipe;
    let (mut flags, mut wrap) = (recipe.flags.to_owned(), "");
    if suite.fails_allocations() {
        flags += " $(ALLOCATION_FLAGS)";
        wrap = " $(ALLOCATION_WRAP)";
    }
    let has_main = suite.input.subject.function_named("main").is_some();
    let rename = if has_main { format!(" -Dmain={SUBJECT_MAIN}") } else { String::new() };
    let (mut needs, mut commands, mut objects) = (String::new(), String::new(), String::new());
    for unit in &recipe.units {
        let Unit { suffix, file, .. } = unit;
        let compiler = unit.compiler(recipe.source);
        let object = format!("build/{name}{suffix}.o");
        needs += &format!(" {file}");
        commands += &format!("\t{compiler}{flags} -c {file} -o {object}\n");
        objects += &format!(" {object}");
    }
    for header in &recipe.headers {
        needs += &format!(" {header}");
    }
    if recipe.includes_source {
        needs += &format!(" {}", subject_header_name(&stems(&suite.input.sources)[recipe.source]));
    }
    if stub::header(suite.input.subject, &suite.input.functions).is_some() {
        needs += &format!(" {}", stub::HEADER_NAME);
    }
    if !suite.input.subject.fixed.is_empty() {
        needs += &format!(" {}", fixed::HEADER_NAME);
    }
    if suite.fails_allocations() {
        needs += &format!(" {}", allocation::HEADER_NAME);
    }
    for (index, source) in suite.input.sources.iter().enumerate() {
        needs += &format!(" {}", target(&source.path));
        if index == recipe.source && recipe.includes_source {
            continue;
        }
        let object = format!("build/{name}_{index}.o");
        let path = shell(&source.path);
        commands += &format!("\t$(CC) $(FLAGS_{index}){rename} $(CFLAGS){flags} -w -c {path} -o {object}\n");
        objects += &format!(" {object}");
    }
    format!(
        "\nbuild/{name}:{needs} build/flags\n{commands}\
         \t{linker}{flags} -o $@{objects} $(LDFLAGS){wrap}{libraries} $(LDLIBS)\n"
    )
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

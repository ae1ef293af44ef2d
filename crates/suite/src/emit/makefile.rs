//! The Makefile: builds the tests against the subject's own source, and runs them.

use super::{SUBJECT_MAIN, stub};
use crate::files::{Program, programs, stems, subject_header_name};
use crate::input::Access;
use crate::suite::Suite;

const HEAD: &str = "\
# Builds the tests against the code under test, and runs them. Written by Testwright.
#
#   make check                              build and run the tests
#   make check CC=clang CFLAGS='-O2 -g'     with another compiler, other flags
#   make findings                           run what ends badly; EXPECT=fixed if it should no longer
#   make clean

CFLAGS ?= -g -Wall -Wextra
LDLIBS ?= -lm
FINDINGS_FLAGS ?= -w -fsanitize=address,undefined -fno-sanitize-recover=all
";

const RUN: &str = "
check: $(TESTS)
	@status=0; for test in $(TESTS); do ./$$test || status=1; done; exit $$status

findings: $(FINDINGS)
	@status=0; for finding in $(FINDINGS); do ./$$finding $(if $(filter fixed,$(EXPECT)),--expect-fixed) || status=1; \\
	done; exit $$status

clean:
	rm -rf build

# Everything is built again when compiler or flags change.
export TESTWRIGHT_FLAGS := $(CC) $(CFLAGS) $(LDFLAGS) $(LDLIBS) $(FINDINGS_FLAGS)
build/flags: FORCE
	@mkdir -p build
	@printf '%s\\n' \"$$TESTWRIGHT_FLAGS\" | cmp -s - $@ || printf '%s\\n' \"$$TESTWRIGHT_FLAGS\" > $@
FORCE:
.PHONY: check findings clean FORCE
";

/// The Makefile of a suite.
#[must_use]
pub fn makefile(suite: &Suite<'_>) -> String {
    let programs = programs(suite);
    let list = |findings: bool| -> String {
        let of_kind = programs.iter().filter(|program| program.findings == findings);
        of_kind.map(|program| format!(" build/{}", program.name)).collect()
    };
    let mut text = HEAD.to_owned();
    for (index, source) in suite.input.sources.iter().enumerate() {
        let flags: Vec<String> = source.flags.iter().map(|flag| shell(flag)).collect();
        text += &format!("FLAGS_{index} =");
        for flag in flags {
            text += &format!(" {flag}");
        }
        text.push('\n');
    }
    text += &format!("\nTESTS ={}\nFINDINGS ={}\n{RUN}", list(false), list(true));
    for program in &programs {
        text += &rule(suite, program);
    }
    text
}

/// Each program has objects of its own, so that those of tests and of findings never mix. Sources that are not
/// included are compiled with their own flags; their warnings are no concern of the tests.
fn rule(suite: &Suite<'_>, program: &Program) -> String {
    let name = &program.name;
    let extra = if program.findings { " $(FINDINGS_FLAGS)" } else { "" };
    let has_main = suite.input.subject.function_named("main").is_some();
    let rename = if has_main { format!(" -Dmain={SUBJECT_MAIN}") } else { String::new() };
    let mut needs = format!("{name}.c testwright_check.c testwright_check.h build/flags");
    if suite.input.sources[program.source].access == Access::IncludeSource {
        needs += &format!(" {}", subject_header_name(&stems(&suite.input.sources)[program.source]));
    }
    if stub::header(suite.input.subject, &suite.input.functions).is_some() {
        needs += &format!(" {}", stub::HEADER_NAME);
    }
    let mut commands = String::new();
    let mut objects = format!("build/{name}_check.o build/{name}.o");
    for (index, source) in suite.input.sources.iter().enumerate() {
        needs += &format!(" {}", target(&source.path));
        if index == program.source && source.access == Access::IncludeSource {
            continue;
        }
        let object = format!("build/{name}_{index}.o");
        let path = shell(&source.path);
        commands += &format!("\t$(CC) $(FLAGS_{index}){rename} $(CFLAGS){extra} -w -c {path} -o {object}\n");
        objects += &format!(" {object}");
    }
    format!(
        "\nbuild/{name}: {needs}\n\
         \t$(CC) $(CFLAGS){extra} -c testwright_check.c -o build/{name}_check.o\n\
         \t$(CC) $(FLAGS_{}) $(CFLAGS){extra} -c {name}.c -o build/{name}.o\n\
         {commands}\
         \t$(CC) $(CFLAGS){extra} -o $@ {objects} $(LDFLAGS) $(LDLIBS)\n",
        program.source
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

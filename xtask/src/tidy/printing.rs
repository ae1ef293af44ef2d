//! Only the command line prints; every other crate returns what there is to say.

use super::complaint::Complaint;
use super::file::File;
use super::rust::{line_of, words};

/// Programs: the command line, these chores, and the worker, whose output the host collects.
const PROGRAMS: &[&str] = &["crates/cli/", "xtask/", "runtime/src/"];

/// Ways to print.
const PRINTERS: &[&str] =
    &["print!", "println!", "eprint!", "eprintln!", "dbg!", "io::stdout()", "io::stderr()"];

/// Complains about code that prints, other than programs, tests and build scripts.
pub fn only_the_command_line_prints(file: &File) -> Vec<Complaint> {
    let exempt = file.is_below(PROGRAMS) || file.is_test() || file.path.ends_with("/build.rs");
    let Some(parts) = file.rust.as_ref().filter(|_| !exempt) else {
        return Vec::new();
    };
    let complain = |printer: &'static str, place| {
        Complaint::new(
            &file.path,
            line_of(&parts.shipped, place),
            format!("`{printer}`: only crates/cli prints"),
        )
    };
    PRINTERS
        .iter()
        .flat_map(|printer| words(&parts.shipped, printer).map(|place| complain(printer, place)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::complaint::assert_complaints;
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        assert_complaints(
            &only_the_command_line_prints(&File::new(path, text.as_bytes().to_vec())),
            expected,
        );
    }

    #[test]
    fn a_library_that_prints_does_not_pass() {
        check("crates/code/src/a.rs", "fn f() {}\n", &[]);
        check(
            "crates/code/src/a.rs",
            "fn f() {\n    println!(\"x\");\n    std::io::stderr().flush();\n}\n",
            &[
                "crates/code/src/a.rs:2: `println!`: only crates/cli prints",
                "crates/code/src/a.rs:3: `io::stderr()`: only crates/cli prints",
            ],
        );
    }

    #[test]
    fn programs_tests_and_build_scripts_may_print() {
        for path in ["crates/cli/src/a.rs", "xtask/src/a.rs", "sys/llvm/build.rs", "crates/exec/tests/a.rs"] {
            check(path, "fn f() { println!() }\n", &[]);
        }
        check("crates/code/src/a.rs", "#[cfg(test)]\nmod tests {\n    fn f() { dbg!(1); }\n}\n", &[]);
    }

    #[test]
    fn words_about_printing_are_not_printing() {
        check("crates/code/src/a.rs", "// println!(x)\nconst A: &str = \"dbg!\";\nmy_print!();\n", &[]);
    }
}

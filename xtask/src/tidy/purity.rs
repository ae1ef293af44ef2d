//! The crates in the middle compute; they know no files, processes, network or environment.

use super::complaint::Complaint;
use super::file::File;
use super::rust::{line_of, words};

/// Crates that only compute.
const PURE: &[&str] = &["crates/base/src/", "crates/logic/src/", "crates/search/src/"];

/// Modules that reach the world outside.
const OUTSIDE: &[&str] = &["std::env", "std::fs", "std::net", "std::process"];

/// Complains about a pure crate that uses the world outside; its tests may.
pub fn pure_crates_touch_nothing_outside(file: &File) -> Vec<Complaint> {
    let Some(parts) = file.rust.as_ref().filter(|_| file.is_below(PURE) && !file.is_test()) else {
        return Vec::new();
    };
    let complain = |module: &str, place| {
        Complaint::new(
            &file.path,
            line_of(&parts.shipped, place),
            format!("`{module}` in a crate that only computes"),
        )
    };
    OUTSIDE
        .iter()
        .flat_map(|module| words(&parts.shipped, module).map(|place| complain(module, place)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::complaint::assert_complaints;
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        let file = File::new(path, text.as_bytes().to_vec());
        assert_complaints(&pure_crates_touch_nothing_outside(&file), expected);
    }

    #[test]
    fn a_pure_crate_that_reads_files_does_not_pass() {
        let text = "use std::fmt;\nuse std::fs;\n";
        let expected = ["crates/base/src/a.rs:2: `std::fs` in a crate that only computes"];
        check("crates/base/src/a.rs", text, &expected);
        check("crates/exec/src/a.rs", text, &[]);
    }

    #[test]
    fn tests_of_a_pure_crate_may_read_files() {
        check("crates/logic/src/a.rs", "fn a() {}\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n", &[]);
        check("crates/logic/tests/a.rs", "use std::fs;\n", &[]);
    }
}

//! Line 1 of every Rust file says in one sentence which concept the file holds.

use super::complaint::Complaint;
use super::file::File;

/// Complains about a Rust file of ours that does not begin with `//!` and a sentence.
pub fn states_its_concept(file: &File) -> Vec<Complaint> {
    if file.rust.is_none() {
        return Vec::new();
    }
    let line = file.text.lines().next().unwrap_or_default();
    match line.strip_prefix("//!") {
        None => vec![Complaint::new(&file.path, 1, "line 1 must be `//!` and the concept in one sentence")],
        Some(sentence) if sentence.split_whitespace().count() < 2 => {
            vec![Complaint::new(&file.path, 1, "the concept after `//!` is not a sentence")]
        }
        Some(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::complaint::assert_complaints;
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        assert_complaints(&states_its_concept(&File::new(path, text.as_bytes().to_vec())), expected);
    }

    #[test]
    fn a_file_that_states_its_concept_passes() {
        check("crates/base/src/a.rs", "//! A is a thing.\nfn a() {}\n", &[]);
    }

    #[test]
    fn a_file_that_begins_with_code_does_not() {
        let expected = ["crates/a.rs:1: line 1 must be `//!` and the concept in one sentence"];
        check("crates/a.rs", "fn a() {}\n//! A is a thing.\n", &expected);
        check("crates/a.rs", "", &expected);
    }

    #[test]
    fn a_single_letter_is_no_concept() {
        check("crates/a.rs", "//! x\n", &["crates/a.rs:1: the concept after `//!` is not a sentence"]);
    }

    #[test]
    fn programs_under_test_need_no_header() {
        check("subjects/a.rs", "fn a() {}\n", &[]);
        check("examples/a.c", "int a;\n", &[]);
    }
}

//! Files are short enough to read and small enough to keep.

use super::complaint::Complaint;
use super::file::File;

/// No Rust file has more lines.
const MOST_LINES: usize = 600;
/// No file has more bytes.
const MOST_BYTES: usize = 512 * 1024;

/// Files that may be longer because they are tables, each with what it lists.
const TABLES: &[(&str, &str)] = &[];

/// Complains about a Rust file that is too long to be one concept.
pub fn is_short_enough(file: &File) -> Vec<Complaint> {
    if file.rust.is_none() || TABLES.iter().any(|&(path, _)| path == file.path) {
        return Vec::new();
    }
    let lines = file.text.lines().count();
    if lines <= MOST_LINES {
        return Vec::new();
    }
    let what = format!("{lines} lines, at most {MOST_LINES} are allowed: split it");
    vec![Complaint::new(&file.path, MOST_LINES + 1, what)]
}

/// Complains about a file of any kind that is too large for the repository.
pub fn is_small_enough(file: &File) -> Vec<Complaint> {
    if file.size <= MOST_BYTES {
        return Vec::new();
    }
    vec![Complaint::new(&file.path, 1, format!("{} bytes, at most {MOST_BYTES} are allowed", file.size))]
}

/// Complains about exceptions for tables that are gone or short.
pub fn exceptions_are_needed(files: &[File]) -> Vec<Complaint> {
    exceptions_of(TABLES, files)
}

fn exceptions_of(tables: &[(&str, &str)], files: &[File]) -> Vec<Complaint> {
    let is_long =
        |path: &str| files.iter().any(|file| file.path == path && file.text.lines().count() > MOST_LINES);
    tables
        .iter()
        .filter(|(path, _)| !is_long(path))
        .map(|(path, _)| Complaint::new(path, 1, "listed in xtask as a long table, but it is not long"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::complaint::assert_complaints;
    use super::*;

    fn of_lines(lines: usize) -> File {
        File::new("crates/a.rs", "x\n".repeat(lines).into_bytes())
    }

    #[test]
    fn a_file_of_600_lines_passes_and_one_more_does_not() {
        assert_complaints(&is_short_enough(&of_lines(600)), &[]);
        let expected = ["crates/a.rs:601: 601 lines, at most 600 are allowed: split it"];
        assert_complaints(&is_short_enough(&of_lines(601)), &expected);
    }

    #[test]
    fn a_file_of_half_a_mebibyte_passes_and_one_more_byte_does_not() {
        let of_bytes = |bytes| File::new("testdata/a.bin", vec![0xff; bytes]);
        assert_complaints(&is_small_enough(&of_bytes(524_288)), &[]);
        let expected = ["testdata/a.bin:1: 524289 bytes, at most 524288 are allowed"];
        assert_complaints(&is_small_enough(&of_bytes(524_289)), &expected);
    }

    #[test]
    fn an_exception_for_a_file_that_is_not_long_is_struck() {
        let tables = [("crates/a.rs", "opcodes")];
        assert_complaints(&exceptions_of(&tables, &[of_lines(601)]), &[]);
        let expected = ["crates/a.rs:1: listed in xtask as a long table, but it is not long"];
        assert_complaints(&exceptions_of(&tables, &[of_lines(600)]), &expected);
        assert_complaints(&exceptions_of(&tables, &[]), &expected);
    }
}

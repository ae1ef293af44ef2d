//! Lines end with their last character, files with a newline.

use super::complaint::Complaint;
use super::file::File;

/// Recorded output is kept as it was printed.
const VERBATIM: &[&str] = &["bench/runs/"];

/// Complains about white space at the end of a line and about a last line that is not ended.
pub fn lines_end_cleanly(file: &File) -> Vec<Complaint> {
    if file.is_below(VERBATIM) || file.text.is_empty() {
        return Vec::new();
    }
    let is_padded = |line: &&str| line.ends_with([' ', '\t', '\r']);
    let mut complaints: Vec<Complaint> = file
        .text
        .split('\n')
        .zip(1..)
        .filter(|(line, _)| is_padded(line))
        .map(|(_, number)| Complaint::new(&file.path, number, "white space at the end of the line"))
        .collect();
    let last = file.text.lines().count();
    if !file.text.ends_with('\n') {
        complaints.push(Complaint::new(&file.path, last, "no newline at the end of the file"));
    } else if file.text.ends_with("\n\n") {
        complaints.push(Complaint::new(&file.path, last, "empty line at the end of the file"));
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::super::complaint::assert_complaints;
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_complaints(&lines_end_cleanly(&File::new("a.md", text.as_bytes().to_vec())), expected);
    }

    #[test]
    fn clean_text_passes() {
        check("a\n\nb\n", &[]);
        check("", &[]);
    }

    #[test]
    fn padding_does_not_pass() {
        check(
            "a\nb \n\t\nc\r\n",
            &[
                "a.md:2: white space at the end of the line",
                "a.md:3: white space at the end of the line",
                "a.md:4: white space at the end of the line",
            ],
        );
    }

    #[test]
    fn a_file_ends_with_exactly_one_newline() {
        check("a\nb", &["a.md:2: no newline at the end of the file"]);
        check("a\n\n", &["a.md:2: empty line at the end of the file"]);
    }

    #[test]
    fn recorded_output_is_left_as_it_is() {
        let file = File::new("bench/runs/2026-01-01-x/core.txt", b"a \n".to_vec());
        assert_complaints(&lines_end_cleanly(&file), &[]);
    }
}

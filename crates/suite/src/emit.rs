//! A suite as C: plain test files, findings, a small header to write them with, and a Makefile.
//!
//! * [`literal`] and [`value`]: values as people write them; [`declare`]: their declarations;
//! * [`scope`]: the variables of a test; [`body`]: what it sets up and calls; [`check`]: what it asserts;
//! * [`stub`]: functions that the code calls and nobody defines;
//! * [`plain`]: the test files; [`makefile`]: how they are built and run.

pub mod body;
pub mod check;
pub mod declare;
pub mod literal;
pub mod makefile;
pub mod plain;
pub mod scope;
pub mod stub;
pub mod value;

/// The header that tests are written with.
pub const CHECK_HEADER: &str = include_str!("emit/testwright_check.h");
/// What runs the tests.
pub const CHECK_SOURCE: &str = include_str!("emit/testwright_check.c");
/// What `main` of a subject is called in its tests, which have a `main` of their own.
pub const SUBJECT_MAIN: &str = "testwright_subject_main";

/// Breaks a line at the commas of a list if it is too long to read.
#[must_use]
pub fn wrap(line: &str) -> String {
    const WIDTH: usize = 100;
    let indent = line.len() - line.trim_start().len() + 4;
    let (mut wrapped, mut column) = (String::new(), 0);
    for piece in pieces(line) {
        if column + piece.trim_end().len() > WIDTH && column > indent {
            wrapped.truncate(wrapped.trim_end().len());
            wrapped.push('\n');
            wrapped.push_str(&" ".repeat(indent));
            column = indent;
        }
        wrapped.push_str(piece);
        column += piece.len();
    }
    wrapped
}

/// The line, cut after each comma and blank that is not within quotes.
fn pieces(line: &str) -> Vec<&str> {
    let bytes = line.as_bytes();
    let (mut pieces, mut start, mut quote, mut at) = (Vec::new(), 0, None, 0);
    while at < bytes.len() {
        match (quote, bytes[at]) {
            (Some(_), b'\\') => at += 1,
            (Some(open), byte) if byte == open => quote = None,
            (None, byte @ (b'"' | b'\'')) => quote = Some(byte),
            (None, b',') if bytes.get(at + 1) == Some(&b' ') => {
                at += 1;
                pieces.push(&line[start..=at]);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    pieces.push(&line[start..]);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_broken_at_commas_but_not_within_quotes() {
        let items: Vec<String> =
            (0..60).map(|item| format!("', {item}")).map(|item| format!("\"{item}\"")).collect();
        let line = format!("    char *x[] = {{{}}};", items.join(", "));
        let wrapped = wrap(&line);
        assert!(wrapped.lines().count() > 4 && wrapped.lines().all(|line| line.len() <= 100), "{wrapped}");
        assert!(wrapped.lines().skip(1).all(|line| line.starts_with("        \"', ")), "{wrapped}");
        assert_eq!(wrap("    short(1, 2);"), "    short(1, 2);");
    }
}

//! Tests of C code: one file per format, what formats share, and a Makefile.
//!
//! * [`literal`] and [`value`]: values as people write them;
//! * [`scope`]: the variables of a test; [`body`]: what it sets up and calls; [`check`]: what it claims;
//! * [`stub`]: functions that the code calls and nobody defines; [`allocation`]: allocations that fail;
//! * [`stream`]: files in memory that tests hand over;
//! * [`page`]: a file of tests in some dialect; [`makefile`]: how programs are built and run;
//! * [`plain`], [`cmocka`], [`gtest`], [`testcomp`]: the formats; [`findings`]: what ends badly, the same in all formats.

pub mod allocation;
pub mod body;
pub mod check;
pub mod cmocka;
pub mod findings;
pub mod fixed;
pub mod gtest;
pub mod list;
pub mod literal;
pub mod makefile;
pub mod page;
pub mod plain;
pub mod scope;
pub mod stream;
pub mod stub;
pub mod testcomp;
pub mod value;

/// The header that plain tests are written with.
pub const CHECK_HEADER: &str = include_str!("testwright_check.h");
/// What runs plain tests.
pub const CHECK_SOURCE: &str = include_str!("testwright_check.c");
/// What `main` of a subject is called in its tests, which have a `main` of their own.
pub const SUBJECT_MAIN: &str = "testwright_subject_main";

/// The text within a C comment: it must not end it, or begin another.
#[must_use]
pub fn comment(text: &str) -> String {
    let text = text.replace("*/", "* /").replace("/*", "/ *");
    if text.is_empty() { String::new() } else { format!("/* {text} */\n") }
}

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

/// What C calls a function or variable. Where files have static ones of the same name, the subject numbers them: `same.2`.
#[must_use]
pub fn spelt(name: &str) -> &str {
    let numbered =
        name.rsplit_once('.').filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
    numbered.map_or(name, |(name, _)| name)
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

//! Dependency files: which headers a source includes, as the compiler writes it for make.

use std::path::{Path, PathBuf};

/// The files after the colon; names are relative to `directory`.
///
/// ```text
/// a.bc: a.c a\ b.h \
///  /usr/include/stdio.h
/// ```
pub fn parse(text: &str, directory: &Path) -> Vec<PathBuf> {
    let Some((_, list)) = text.split_once(": ") else { return Vec::new() };
    let mut files = Vec::new();
    let mut name = String::new();
    let mut rest = list.chars().peekable();
    while let Some(character) = rest.next() {
        match (character, rest.peek()) {
            ('\\', Some('\n')) => {}
            // Make protects blanks and number signs by a backslash, and doubles the dollar sign.
            ('\\', Some(' ' | '#')) | ('$', Some('$')) => name.extend(rest.next()),
            (' ' | '\n', _) if name.is_empty() => {}
            (' ' | '\n', _) => files.push(directory.join(std::mem::take(&mut name))),
            (other, _) => name.push(other),
        }
    }
    if !name.is_empty() {
        files.push(directory.join(name));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continued_lines_and_protected_characters_are_read() {
        let text = "out.bc: a.c a\\ b.h \\\n  /usr/include/x\\#y.h \\\n c$$d.h\n";
        let expected = ["/w/a.c", "/w/a b.h", "/usr/include/x#y.h", "/w/c$d.h"].map(PathBuf::from);
        assert_eq!(parse(text, Path::new("/w")), expected);
    }

    #[test]
    fn a_text_without_rule_has_no_files() {
        assert_eq!(parse("", Path::new("/w")), Vec::<PathBuf>::new());
    }
}

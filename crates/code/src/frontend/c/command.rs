//! A command line in one string, split as a shell would.

/// The words of a command: blanks separate, quotes and backslashes protect. Variables and the like are not known.
pub fn split(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = command.chars();
    while let Some(character) = rest.next() {
        match character {
            ' ' | '\t' | '\n' | '\r' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                word.extend(rest.by_ref().take_while(|quoted| *quoted != '\''));
            }
            '"' => double_quoted(&mut rest, word.get_or_insert_default()),
            '\\' => word.get_or_insert_default().extend(rest.next()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    words
}

/// Up to the closing quote; a backslash protects only a quote or another backslash, as in a shell.
fn double_quoted(rest: &mut std::str::Chars<'_>, word: &mut String) {
    while let Some(character) = rest.next() {
        match character {
            '"' => return,
            '\\' => match rest.next() {
                Some(protected @ ('"' | '\\' | '$' | '`')) => word.push(protected),
                Some(other) => word.extend(['\\', other]),
                None => word.push('\\'),
            },
            other => word.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, expected: &[&str]) {
        assert_eq!(split(command), expected, "{command}");
    }

    #[test]
    fn blanks_separate_words() {
        check("  cc  -c\ta.c ", &["cc", "-c", "a.c"]);
        check("", &[]);
    }

    #[test]
    fn quotes_and_backslashes_protect() {
        check(r#"cc -DA="b c" 'x y'z a\ b"#, &["cc", "-DA=b c", "x yz", "a b"]);
        check(r#"cc -DS=\"hi\" "-DT=\"a\n\"" '' """#, &["cc", r#"-DS="hi""#, r#"-DT="a\n""#, "", ""]);
    }

    #[test]
    fn a_quote_that_is_not_closed_reaches_to_the_end() {
        check("a 'b c", &["a", "b c"]);
        check(r#"a "b \"#, &["a", r"b \"]);
    }
}

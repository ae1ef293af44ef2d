//! The names that a C text seems to define. Only the compiler knows; this tells which files are worth asking it about.

use std::collections::BTreeSet;

/// What begins a declaration that defines nothing.
const DECLARES: [&str; 2] = ["extern", "typedef"];

/// The functions and variables that a text seems to define. Some of them it only declares, or uses in a macro.
pub(super) fn definitions(text: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let tokens = tokens(text);
    let (mut depth, mut declares) = (0_usize, false);
    let mut is_first = true;
    for (index, token) in tokens.iter().enumerate() {
        // A brace at the beginning of a line is one of a function, whatever `#if` made of those before it.
        match token.text {
            "{" => depth = if token.begins_line { 1 } else { depth + 1 },
            "}" => depth = if token.begins_line { 0 } else { depth.saturating_sub(1) },
            _ => {}
        }
        if depth > 0 {
            continue;
        }
        if is_first {
            declares = DECLARES.contains(&token.text);
        }
        is_first = matches!(token.text, ";" | "}");
        let Some(next) = tokens.get(index + 1).filter(|_| token.is_word() && !declares) else { continue };
        let defines = match next.text {
            "(" => after_parentheses(&tokens[index + 1..])
                .is_some_and(|after| !matches!(after.text, ";" | "," | "=")),
            "=" | "[" | ";" | "," => true,
            _ => false,
        };
        if defines {
            found.insert(token.text);
        }
    }
    found
}

/// What follows the parentheses that these tokens begin with.
fn after_parentheses<'t, 'a>(tokens: &'t [Token<'a>]) -> Option<&'t Token<'a>> {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        match token.text {
            "(" => depth += 1,
            ")" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return tokens.get(index + 1);
        }
    }
    None
}

struct Token<'a> {
    text: &'a str,
    begins_line: bool,
}

impl Token<'_> {
    fn is_word(&self) -> bool {
        self.text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
    }
}

/// Words and single characters, without comments, literals, numbers' insides and what the preprocessor is told.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut is_blank = true;
    while at < bytes.len() {
        let begins_line = at == 0 || bytes[at - 1] == b'\n';
        let rest = &bytes[at..];
        let length = match bytes[at] {
            b'/' if rest.starts_with(b"//") => until_line_end(rest),
            b'/' if rest.starts_with(b"/*") => {
                rest.windows(2).skip(2).position(|two| two == b"*/").map_or(rest.len(), |end| end + 4)
            }
            b'#' if is_blank => until_line_end(rest),
            quote @ (b'"' | b'\'') => literal(rest, quote),
            first if first.is_ascii_alphanumeric() || first == b'_' => {
                let length =
                    rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
                tokens.push(Token { text: &text[at..at + length], begins_line });
                length
            }
            first if first.is_ascii_punctuation() => {
                tokens.push(Token { text: &text[at..=at], begins_line });
                1
            }
            _ => 1,
        };
        is_blank = match bytes[at] {
            b'\n' => true,
            byte => is_blank && byte.is_ascii_whitespace(),
        };
        at += length;
    }
    tokens
}

/// Up to the end of the line; a backslash before it joins the next one.
fn until_line_end(rest: &[u8]) -> usize {
    let is_end = |(index, byte): (usize, &u8)| *byte == b'\n' && (index == 0 || rest[index - 1] != b'\\');
    rest.iter().enumerate().position(is_end).unwrap_or(rest.len())
}

/// The length of a literal in these quotes.
fn literal(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote && rest[at] != b'\n' {
        at += if rest[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

#[cfg(test)]
mod tests {
    use super::definitions;

    #[track_caller]
    fn check(text: &str, defined: &[&str], others: &[&str]) {
        let found = definitions(text);
        for name in defined {
            assert!(found.contains(name), "{name} is not in {found:?}");
        }
        for name in others {
            assert!(!found.contains(name), "{name} is in {found:?}");
        }
    }

    #[test]
    fn functions_and_variables_are_found() {
        check(
            "#include <a.h>\n#define twice(x) \\\n  (x)\nint limit = 3, table[4];\nextern int elsewhere;\n\
             static int (*chosen(void))(int)\n{\n  return local;\n}\nint declared(int a);\nlong old(a)\n  long a;\n{\n  inner(a);\n}\n",
            &["limit", "table", "chosen", "old"],
            &["twice", "elsewhere", "declared", "inner", "local", "a.h"],
        );
    }

    #[test]
    fn comments_literals_and_halves_of_conditions_do_no_harm() {
        check(
            "/* int a(void) { */ // int b;\nchar *text = \"{ int c;\"; char brace = '{';\n#if X\nint d(void) {\n#else\nint \
             d(int x) {\n#endif\n}\nint after(void)\n{\n}\n",
            &["text", "brace", "d", "after"],
            &["a", "b", "c"],
        );
        check("/* never ends", &[], &["never"]);
        check("\"no end\nint x;", &["x"], &["end"]);
        check("int f(", &[], &["f"]);
        check("ünïcode int é; int y;", &["y"], &[]);
    }
}

//! The tokens of one line of C, as far as conditions need them.

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// Offset of its first byte in the line.
    pub start: usize,
    /// Its text.
    pub text: &'a str,
    /// What it is.
    pub kind: TokenKind,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or keyword.
    Word,
    /// A number.
    Number,
    /// A string or character constant.
    Quoted,
    /// Anything else.
    Operator,
}

impl Token<'_> {
    /// The offset after its last byte.
    #[must_use]
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The tokens of a line, comments left out.
#[must_use]
pub fn tokens(line: &str) -> Vec<Token<'_>> {
    let bytes = line.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &line[at..];
        if rest.starts_with("//") {
            break;
        }
        if rest.starts_with("/*") {
            at = rest.find("*/").map_or(line.len(), |end| at + end + 2);
            continue;
        }
        if bytes[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let (kind, length) = token(rest);
        tokens.push(Token { start: at, text: &rest[..length], kind });
        at += length;
    }
    tokens
}

fn token(rest: &str) -> (TokenKind, usize) {
    const LONG: &[&str] = &[
        "<<=", ">>=", "...", "==", "!=", "<=", ">=", "&&", "||", "->", "<<", ">>", "++", "--", "+=", "-=",
        "*=", "/=", "%=", "&=", "|=", "^=",
    ];
    let first = rest.chars().next().unwrap_or(' ');
    let run = |inside: fn(char) -> bool| rest.find(|c: char| !inside(c)).unwrap_or(rest.len());
    if first.is_alphabetic() || first == '_' {
        return (TokenKind::Word, run(|c| c.is_alphanumeric() || c == '_'));
    }
    let next_is_digit = rest[first.len_utf8()..].starts_with(|c: char| c.is_ascii_digit());
    if first.is_ascii_digit() || first == '.' && next_is_digit {
        return (TokenKind::Number, run(|c| c.is_alphanumeric() || c == '.'));
    }
    if first == '"' || first == '\'' {
        return (TokenKind::Quoted, quoted(rest, first));
    }
    let long = LONG.iter().find(|operator| rest.starts_with(**operator));
    (TokenKind::Operator, long.map_or(first.len_utf8(), |operator| operator.len()))
}

/// The length of what stands in these quotes.
pub(crate) fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (index, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return index + 1,
            _ => {}
        }
    }
    rest.len()
}

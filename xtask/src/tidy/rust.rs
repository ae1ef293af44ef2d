//! Rust source taken apart into code and comments, line by line, as far as the rules need it.
//!
//! This is a lexer for comments, strings and characters only. What does not belong to a part is
//! replaced by spaces, so that a place in a part is the same place in the file.

/// The parts of a Rust file.
#[derive(Debug)]
pub struct Parts {
    /// Code, without comments and without the contents of strings and characters.
    pub code: String,
    /// The same without items marked `#[cfg(test)]`.
    pub shipped: String,
    /// Comments only.
    pub comments: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Code,
    Comment,
    Literal,
}

/// Takes the text of a Rust file apart.
pub fn take_apart(text: &str) -> Parts {
    let mut code = String::with_capacity(text.len());
    let mut comments = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let (part, length) = next_piece(rest, code.chars().next_back());
        let (piece, after) = rest.split_at(length);
        keep_if(part == Part::Code, piece, &mut code);
        keep_if(part == Part::Comment, piece, &mut comments);
        rest = after;
    }
    let shipped = without_tests(&code);
    Parts { code, shipped, comments }
}

fn keep_if(keep: bool, piece: &str, target: &mut String) {
    target.extend(piece.chars().map(|c| if keep || c == '\n' { c } else { ' ' }));
}

/// The kind and length in bytes of the piece that `rest` begins with; `before` is the character of code before it.
fn next_piece(rest: &str, before: Option<char>) -> (Part, usize) {
    if rest.starts_with("//") {
        return (Part::Comment, rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return (Part::Comment, block_comment(rest));
    }
    if let Some(body) = rest.strip_prefix('"') {
        return (Part::Literal, 1 + quoted(body, '"'));
    }
    let in_word = before.is_some_and(is_word);
    if let Some(length) = raw_string(rest).filter(|_| !in_word) {
        return (Part::Literal, length);
    }
    if let Some(length) = character(rest) {
        return (Part::Literal, length);
    }
    (Part::Code, rest.chars().next().map_or(1, char::len_utf8))
}

/// Length of a block comment, which may hold others.
fn block_comment(rest: &str) -> usize {
    let mut depth = 0;
    let mut place = 0;
    while place < rest.len() {
        if rest[place..].starts_with("/*") {
            depth += 1;
            place += 2;
        } else if rest[place..].starts_with("*/") {
            depth -= 1;
            place += 2;
            if depth == 0 {
                return place;
            }
        } else {
            place += rest[place..].chars().next().map_or(1, char::len_utf8);
        }
    }
    rest.len()
}

/// Length of what follows an opening quote, closing quote included.
fn quoted(rest: &str, quote: char) -> usize {
    let mut characters = rest.char_indices();
    while let Some((place, c)) = characters.next() {
        if c == '\\' {
            characters.next();
        } else if c == quote {
            return place + c.len_utf8();
        }
    }
    rest.len()
}

/// Length of a raw string (`r".."`, `br#".."#`, ..) that `rest` begins with.
fn raw_string(rest: &str) -> Option<usize> {
    let start = ["r", "br", "cr"].into_iter().find_map(|prefix| rest.strip_prefix(prefix))?;
    let hashes = start.len() - start.trim_start_matches('#').len();
    let body = start[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = body.find(&end).map_or(body.len(), |place| place + end.len());
    Some(rest.len() - body.len() + length)
}

/// Length of a character literal that `rest` begins with; a lifetime is none.
fn character(rest: &str) -> Option<usize> {
    let body = rest.strip_prefix('\'')?;
    let first = body.chars().next()?;
    if first == '\\' || body[first.len_utf8()..].starts_with('\'') {
        return Some(1 + quoted(body, '\''));
    }
    None
}

/// Blanks the items that are marked `#[cfg(test)]`: up to their closing brace, or to a semicolon before one.
fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut shipped = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(start) = rest.find(MARK) {
        shipped.push_str(&rest[..start]);
        let length = MARK.len() + item(&rest[start + MARK.len()..]);
        keep_if(false, &rest[start..start + length], &mut shipped);
        rest = &rest[start + length..];
    }
    shipped.push_str(rest);
    shipped
}

/// Length of the item that `code` begins with.
fn item(code: &str) -> usize {
    let mut depth = 0usize;
    for (place, c) in code.char_indices() {
        match c {
            ';' if depth == 0 => return place + 1,
            '{' => depth += 1,
            '}' if depth <= 1 => return place + 1,
            '}' => depth -= 1,
            _ => {}
        }
    }
    code.len()
}

/// Places in bytes where `word` stands by itself in `code`, not as a part of a longer name.
pub fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.match_indices(word).map(|(place, _)| place).filter(move |&place| {
        let before = code[..place].chars().next_back();
        let after = code[place + word.len()..].chars().next();
        let starts = !word.starts_with(is_word) || !before.is_some_and(is_word);
        let ends = !word.ends_with(is_word) || !after.is_some_and(is_word);
        starts && ends
    })
}

/// Number of the line, counted from 1, that holds the byte at `place`.
pub fn line_of(text: &str, place: usize) -> usize {
    text[..place].matches('\n').count() + 1
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, code: &str, comments: &str) {
        let parts = take_apart(text);
        assert_eq!(parts.code.split_whitespace().collect::<Vec<_>>().join(" "), code);
        assert_eq!(parts.comments.split_whitespace().collect::<Vec<_>>().join(" "), comments);
        assert_eq!(parts.code.matches('\n').count(), text.matches('\n').count());
    }

    #[test]
    fn comments_are_told_from_code() {
        check("a // b\nc", "a c", "// b");
        check("a /* b /* c */ d */ e", "a e", "/* b /* c */ d */");
        check("a /* b\n c", "a", "/* b c");
    }

    #[test]
    fn the_contents_of_strings_are_neither_code_nor_comment() {
        check(r#"a("// b \" c") // d"#, "a( )", "// d");
        check(r##"a(r#"b " c"#, br"\", d)"##, "a( , , d)", "");
        check("bar\"x\" y", "bar y", "");
    }

    #[test]
    fn characters_are_told_from_lifetimes() {
        check(r"f('{', '\'', b'x') + g::<'static>('é')", "f( , , b ) + g::<'static>( )", "");
    }

    #[test]
    fn test_modules_are_not_shipped() {
        let parts = take_apart("fn a() {}\n#[cfg(test)]\nmod tests { fn b() { {} } }\nfn c() {}\n");
        assert_eq!(parts.shipped.split_whitespace().collect::<Vec<_>>().join(" "), "fn a() {} fn c() {}");
        assert_eq!(parts.shipped.matches('\n').count(), 4);
        let parts = take_apart("#[cfg(test)]\nmod tests;\nfn c() {}\n");
        assert_eq!(parts.shipped.trim(), "fn c() {}");
    }

    #[test]
    fn words_are_not_found_inside_longer_names() {
        assert_eq!(words("print!() eprint!() my_print! print!", "print!").collect::<Vec<_>>(), [0, 29]);
        assert_eq!(words("unsafe_code unsafe", "unsafe").collect::<Vec<_>>(), [12]);
        assert_eq!(line_of("a\nb\nc", 4), 3);
    }
}

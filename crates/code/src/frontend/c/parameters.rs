//! The names of the parameters of missing functions. Debug information keeps only their types, so the compiler is asked to print
//! what it has read, one declaration per line.

use crate::frontend::Parameters;

/// Types that are words of their own, which no parameter is called.
const WORDS: &[&str] =
    &["void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool", "bool"];
/// Words that say how a type is meant.
const QUALIFIERS: &[&str] = &["const", "volatile", "restrict", "__restrict", "_Atomic", "register"];
/// What stubs call things of their own.
const TAKEN: &[&str] = &["call", "object"];

/// The names of the parameters of these functions in what the compiler printed.
pub fn names(printed: &str, functions: &[String]) -> Parameters {
    let mut found = Parameters::new();
    for line in printed.lines().filter(|line| line.ends_with(';') && !line.starts_with(char::is_whitespace)) {
        let Some((function, list)) = declared(line, functions) else { continue };
        let names: Vec<String> = split(list).into_iter().map(name).collect();
        // A later declaration may name what an earlier one does not.
        let known = found.entry(function.to_owned()).or_default();
        if names.iter().filter(|name| !name.is_empty()).count()
            > known.iter().filter(|name| !name.is_empty()).count()
        {
            *known = names;
        }
    }
    found
}

/// The function that a line declares, and what is between its parentheses.
fn declared<'a>(line: &'a str, functions: &'a [String]) -> Option<(&'a str, &'a str)> {
    line.match_indices('(').find_map(|(at, _)| {
        let before = &line[..at];
        let start = before.rfind(|c: char| !is_word(c)).map_or(0, |end| end + 1);
        let function = functions.iter().find(|function| **function == before[start..])?;
        let list = &line[at + 1..];
        Some((function.as_str(), &list[..closing(list)?]))
    })
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Where the parenthesis closes that was open before the text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' | ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The parts between commas that are in no parentheses.
fn split(list: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in list.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    parts.retain(|part| !matches!(part.trim(), "..." | "void" | ""));
    parts
}

/// The name in the declaration of a parameter; empty if there is none, or none that a stub can use.
fn name(parameter: &str) -> String {
    // `void (*callback)(int)` and `int (*row)[4]` have it within, `char text[8]` before the brackets.
    let declarator = match parameter.find("(*") {
        Some(at) => parameter[at + 2..].split(')').next().unwrap_or_default(),
        None => parameter.split('[').next().unwrap_or_default(),
    };
    let is_bare = declarator.len() == parameter.len() || !parameter.contains("(*");
    let words = declarator.split(|c: char| !is_word(c)).filter(|word| !word.is_empty());
    let words: Vec<&str> = words.filter(|word| !QUALIFIERS.contains(word)).collect();
    let is_tagged = words.first().is_some_and(|word| matches!(*word, "struct" | "union" | "enum"));
    let types = if is_bare { 1 + usize::from(is_tagged) } else { 0 };
    let ends_in_name = declarator.trim_end().ends_with(is_word);
    let name = words.last().filter(|_| words.len() > types && ends_in_name).copied().unwrap_or_default();
    let name = name.trim_start_matches('_');
    let is_usable =
        !WORDS.contains(&name) && !TAKEN.contains(&name) && !name.starts_with(|c: char| c.is_ascii_digit());
    if is_usable { name.to_owned() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_in_declarations_are_found() {
        let check = |line: &str, expected: &[&str]| {
            let functions = ["f".to_owned()];
            assert_eq!(names(line, &functions).remove("f").unwrap_or_default(), expected, "{line}");
        };
        check("extern int f(int channel, int *value);", &["channel", "value"]);
        check("int (*f(int which, void (*done)(int, int)))(void);", &["which", "done"]);
        check(
            "int f(struct s *s, char text[16], unsigned long n, cmp_t c, int (*row)[4], ...);",
            &["s", "text", "n", "c", "row"],
        );
        check(
            "int f(int first, const size_t, struct s *, unsigned long, struct s);",
            &["first", "", "", "", ""],
        );
        check("void f(const char *restrict __text, long call) __attribute__((nonnull(1)));", &["text", ""]);
        check("int f(int *const *const p, size_t n);", &["p", "n"]);
        for other in [
            "int f(void);",
            "int f();",
            "int (*f)(int x);",
            "int off(int x);",
            "    int f(int x);",
            "int f(int x) {",
        ] {
            check(other, &[]);
        }
    }

    #[test]
    fn the_declaration_with_most_names_counts() {
        let printed = "int f(int, int *);\nint f(int a, int *b);\nint f(int, int *b);\n";
        assert_eq!(names(printed, &["f".to_owned()])["f"], ["a", "b"]);
    }
}

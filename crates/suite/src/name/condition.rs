//! The condition that is decided at a column of a line: its text and its parts.
//!
//! Compilers say that a comparison is where its operator stands, that a value is where it begins, and that a loop
//! or switch is at its keyword. From there the condition reaches to the nearest `&&`, `||`, parenthesis or other
//! end.

use super::tokens::{Token, TokenKind, tokens};

/// A condition in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// Its text, as it stands in the source.
    pub text: String,
    /// What it is.
    pub form: Form,
}

/// What a condition is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A comparison with its operator.
    Comparison,
    /// A value that is compared with zero.
    Truth,
    /// The value of a switch.
    Switch,
}

const COMPARISONS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];

/// Whether the text is an operator of comparison.
#[must_use]
pub fn is_comparison(text: &str) -> bool {
    COMPARISONS.contains(&text)
}

/// The condition at a column (from 1) of a line; none if it does not stand on this line as a whole.
#[must_use]
pub fn condition_at(line: &str, column: usize) -> Option<Condition> {
    let tokens = tokens(line);
    let at = tokens.iter().position(|token| token.start + 1 == column)?;
    let found = Finder { line, tokens: &tokens };
    match tokens[at].text {
        "if" | "while" => found.in_parentheses(at + 1, Form::Truth),
        "switch" => found.in_parentheses(at + 1, Form::Switch),
        "for" => found.middle_of_for(at + 1),
        text if is_comparison(text) => {
            let range = (found.back(at, ends_operand)?, found.forth(at + 1, ends_operand)?);
            (range.0 < at && at + 1 < range.1).then(|| found.condition(range, Form::Comparison))
        }
        "&&" | "||" => {
            let range = (found.back(at, ends_expression)?, found.forth(at + 1, ends_expression)?);
            (range.0 < at && at + 1 < range.1).then(|| found.condition(range, Form::Truth))
        }
        _ => {
            let start =
                if found.is_binary(at) { found.back(at, ends_truth)? } else { found.start_of_path(at) };
            let end = found.forth(at, ends_truth)?;
            (start < end).then(|| found.condition((start, end), Form::Truth))
        }
    }
}

fn ends_expression(text: &str) -> bool {
    matches!(text, "?" | ":" | "," | ";" | "{" | "}" | "=" | "return")
}

fn ends_operand(text: &str) -> bool {
    ends_expression(text) || matches!(text, "&&" | "||")
}

fn ends_truth(text: &str) -> bool {
    ends_operand(text) || is_comparison(text) || text == "!"
}

struct Finder<'a> {
    line: &'a str,
    tokens: &'a [Token<'a>],
}

impl Finder<'_> {
    fn condition(&self, (start, end): (usize, usize), form: Form) -> Condition {
        let text = &self.line[self.tokens[start].start..self.tokens[end - 1].end()];
        Condition { text: text.trim().to_owned(), form }
    }

    /// The first token of what ends before `at`.
    fn back(&self, at: usize, ends: fn(&str) -> bool) -> Option<usize> {
        let mut depth = 0;
        for index in (0..at).rev() {
            let text = self.tokens[index].text;
            match text {
                ")" | "]" => depth += 1,
                "(" | "[" if depth == 0 => return Some(index + 1),
                "(" | "[" => depth -= 1,
                _ if depth == 0 && ends(text) => return Some(index + 1),
                _ => {}
            }
        }
        (depth == 0).then_some(0)
    }

    /// The token after what begins at `from`.
    fn forth(&self, from: usize, ends: fn(&str) -> bool) -> Option<usize> {
        let mut depth = 0;
        for index in from..self.tokens.len() {
            let text = self.tokens[index].text;
            match text {
                "(" | "[" => depth += 1,
                ")" | "]" if depth == 0 => return Some(index),
                ")" | "]" => depth -= 1,
                _ if depth == 0 && ends(text) => return Some(index),
                _ => {}
            }
        }
        // What begins on this line may go on in the next one.
        None
    }

    fn in_parentheses(&self, open: usize, form: Form) -> Option<Condition> {
        if self.tokens.get(open)?.text != "(" {
            return None;
        }
        let end = self.forth(open + 1, |_| false)?;
        (open + 1 < end).then(|| self.condition((open + 1, end), form))
    }

    fn middle_of_for(&self, open: usize) -> Option<Condition> {
        let semicolon = |from: usize| self.forth(from, |text| text == ";");
        let first = semicolon(open + 1)?;
        let second = semicolon(first + 1)?;
        (first + 1 < second).then(|| self.condition((first + 1, second), Form::Truth))
    }

    /// Whether the operator at `at` stands between two operands.
    fn is_binary(&self, at: usize) -> bool {
        let operand_before = at.checked_sub(1).is_some_and(|before| {
            let before = self.tokens[before];
            before.kind != TokenKind::Operator && !ends_truth(before.text) || matches!(before.text, ")" | "]")
        });
        matches!(self.tokens[at].text, "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" | "<<" | ">>")
            && operand_before
    }

    /// The beginning of `a[i].b->c` when `at` is at its last name.
    fn start_of_path(&self, at: usize) -> usize {
        let mut start = at;
        while start >= 2 && matches!(self.tokens[start - 1].text, "." | "->") {
            start -= 2;
            if matches!(self.tokens[start].text, ")" | "]") {
                let mut depth = 1;
                while depth > 0 && start > 0 {
                    start -= 1;
                    match self.tokens[start].text {
                        ")" | "]" => depth += 1,
                        "(" | "[" => depth -= 1,
                        _ => {}
                    }
                }
                start = start.saturating_sub(1);
            }
        }
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The caret in the text marks the column.
    fn check(marked: &str, expected: Option<&str>) {
        let column = marked.find('^').expect("a caret marks the column") + 1;
        let found = condition_at(&marked.replacen('^', "", 1), column);
        assert_eq!(found.as_ref().map(|condition| condition.text.as_str()), expected, "{marked}");
    }

    #[test]
    fn a_comparison_has_both_its_operands() {
        check("    if (a ^== b && b == c)", Some("a == b"));
        check("    if (a == b && b ^== c)", Some("b == c"));
        check("    if (a + b ^<= c || a + c <= b) return 0;", Some("a + b <= c"));
        check("    if (!(a ^> f(b, c)))", Some("a > f(b, c)"));
        check("    for (int i = 0; i ^< a; i++)", Some("i < a"));
        check("    return port >= 1 && port ^<= 65535 ? X : Y;", Some("port <= 65535"));
        check("    if ((a & 4) ^!= 0 && (b = a) != 2)", Some("(a & 4) != 0"));
        check("    case A: return d ^> 1.5;", Some("d > 1.5"));
        check("    if (*end ^!= '\\0')", Some("*end != '\\0'"));
    }

    #[test]
    fn a_value_stands_for_itself() {
        check("    if (!^a || s[0] == 'x')", Some("a"));
        check("    while (^s[a] && a < 10) a++;", Some("s[a]"));
        check("    if (list->head.^next)", Some("list->head.next"));
        check("    if (p[i]->^next)", Some("p[i]->next"));
        check("    if (flags ^& MASK) {", Some("flags & MASK"));
        check("    if (!^isdigit((unsigned char)value[0]))", Some("isdigit((unsigned char)value[0])"));
        check("    if (^*p)", Some("*p"));
    }

    #[test]
    fn a_keyword_means_its_parentheses() {
        check("    ^while (s[a] && a < 10) a++;", Some("s[a] && a < 10"));
        check("    ^switch (kind) {", Some("kind"));
        check("    ^for (i = 0; i < n && p; i++)", Some("i < n && p"));
    }

    #[test]
    fn what_goes_on_in_another_line_is_not_guessed() {
        check("    if (a + b ^>", None);
        check("    ^switch (kind(", None);
        check("        ^== b)", None);
        assert_eq!(condition_at("int x;", 40), None);
        assert_eq!(condition_at("", 1), None);
    }
}

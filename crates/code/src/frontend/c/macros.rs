//! Macros that stand for integers: the definitions are those that the preprocessor has at the end of a file, and a small
//! evaluator computes them. What it does not know, casts and `sizeof` for example, has no value.

use super::clang::Clang;
use super::compile::macros_of;
use crate::frontend::Unit;
use std::collections::{BTreeMap, BTreeSet};

/// How deep macros may lead to others.
const DEEPEST: usize = 16;

/// The values of those of these macros that are integers in the file.
pub(super) fn macro_values(unit: &Unit, clang: &Clang, wanted: &BTreeSet<String>) -> BTreeMap<String, i128> {
    if wanted.is_empty() {
        return BTreeMap::new();
    }
    // Tests without names are tests all the same.
    let text = macros_of(unit, clang).unwrap_or_default();
    let definitions = Definitions::read(&text);
    wanted.iter().filter_map(|name| Some((name.clone(), definitions.value(name, 0)?))).collect()
}

/// The macros without parameters, and what they stand for.
struct Definitions<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Definitions<'a> {
    /// From lines such as `#define LIMIT (1 << 4)`.
    fn read(text: &'a str) -> Definitions<'a> {
        let definition = |line: &'a str| line.strip_prefix("#define ")?.split_once(' ');
        // One with parameters has a parenthesis before the blank.
        Definitions(text.lines().filter_map(definition).filter(|(name, _)| !name.contains('(')).collect())
    }

    fn value(&self, name: &str, depth: usize) -> Option<i128> {
        let body = self.0.get(name).filter(|_| depth < DEEPEST)?;
        let mut expression = Expression { definitions: self, rest: body, depth };
        let value = expression.binary(0)?;
        expression.rest.trim().is_empty().then_some(value)
    }
}

/// What is left of an expression that is being computed.
struct Expression<'a> {
    definitions: &'a Definitions<'a>,
    rest: &'a str,
    depth: usize,
}

/// Binary operators with their precedence; longer ones first.
const OPERATORS: [(&str, u8); 10] =
    [("<<", 4), (">>", 4), ("|", 1), ("^", 2), ("&", 3), ("+", 5), ("-", 5), ("*", 6), ("/", 6), ("%", 6)];

impl<'a> Expression<'a> {
    fn binary(&mut self, least: u8) -> Option<i128> {
        let mut left = self.unary()?;
        loop {
            self.rest = self.rest.trim_start();
            let found = OPERATORS.iter().find(|(operator, _)| self.rest.starts_with(operator));
            let Some((operator, precedence)) = found.filter(|(_, precedence)| *precedence > least) else {
                return Some(left);
            };
            self.rest = &self.rest[operator.len()..];
            let right = self.binary(*precedence)?;
            left = compute(operator, left, right)?;
        }
    }

    fn unary(&mut self) -> Option<i128> {
        self.rest = self.rest.trim_start();
        let first = self.rest.chars().next()?;
        if first.is_ascii_digit() {
            return self.number();
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let word = self.take(|c| c.is_ascii_alphanumeric() || c == '_');
            return self.definitions.value(word, self.depth + 1);
        }
        self.rest = &self.rest[first.len_utf8()..];
        match first {
            '+' => self.unary(),
            '-' => self.unary()?.checked_neg(),
            '(' => {
                let value = self.binary(0)?;
                self.rest = self.rest.trim_start().strip_prefix(')')?;
                Some(value)
            }
            '\'' => {
                let character = self.rest.chars().next().filter(|c| c.is_ascii_graphic() && *c != '\\')?;
                self.rest = self.rest[1..].strip_prefix('\'')?;
                Some(i128::from(u32::from(character)))
            }
            // The width of the type would decide about `~`.
            _ => None,
        }
    }

    fn number(&mut self) -> Option<i128> {
        let text = self.take(|c| c.is_ascii_alphanumeric());
        let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
        match digits.get(..2) {
            Some("0x" | "0X") => i128::from_str_radix(&digits[2..], 16).ok(),
            _ if digits.len() > 1 && digits.starts_with('0') => i128::from_str_radix(&digits[1..], 8).ok(),
            _ => digits.parse().ok(),
        }
        .filter(|value| *value <= i128::from(u64::MAX))
    }

    fn take(&mut self, inside: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c: char| !inside(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }
}

fn compute(operator: &str, left: i128, right: i128) -> Option<i128> {
    let small = || u32::try_from(right).ok().filter(|shift| *shift < 64);
    match operator {
        "<<" => left.checked_shl(small()?),
        ">>" => left.checked_shr(small()?),
        "|" => Some(left | right),
        "^" => Some(left ^ right),
        "&" => Some(left & right),
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "/" => left.checked_div(right),
        _ => left.checked_rem(right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_are_computed_as_c_does() {
        let text = "#define ONE 1\n#define HEX 0x1fUL\n#define OCTAL 017\n#define FLAG (ONE << 4)\n\
            #define BOTH (FLAG | ONE)\n#define MINUS (-34)\n#define LETTER 'x'\n#define SUM 2 + 3 * 4 - 1\n\
            #define LEFT (10 - 3 - 2)\n#define CAST ((char)1)\n#define TEXT \"x\"\n#define EMPTY \n\
            #define LOOP LOOP\n#define WITH(x) x\n#define TILDE (~0)\n#define HALF 0.5\n";
        let definitions = Definitions::read(text);
        let value = |name: &str| definitions.value(name, 0);
        let values = ["ONE", "HEX", "OCTAL", "FLAG", "BOTH", "MINUS", "LETTER", "SUM", "LEFT"].map(value);
        assert_eq!(values, [1, 31, 15, 16, 17, -34, 120, 13, 5].map(Some));
        for name in ["CAST", "TEXT", "EMPTY", "LOOP", "WITH", "TILDE", "HALF", "NONE"] {
            assert_eq!(value(name), None, "{name}");
        }
    }
}

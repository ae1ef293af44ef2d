//! Reads which constants a C text compares things with, and which its functions return.
//!
//! It looks at tokens and knows nothing of types: `mode == MODE_FAST`, `case OP_ADD:`, `flags & READ`, `return -EINVAL;`.
//! What stands in a larger expression, `mode + 1 == MODE_FAST`, says nothing about `mode`. Constants are words without small letters.

use super::{Constants, Owner, Use};
use crate::name::tokens::{Token, TokenKind, tokens};
use std::collections::{BTreeMap, BTreeSet};

/// What a text says about constants whose values are not known yet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mentions {
    /// What constants are compared with.
    compared: BTreeSet<(Owner, Use, String)>,
    /// By function.
    returns: BTreeMap<String, Returns>,
}

/// What a function returns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Returns {
    /// Constants.
    names: BTreeSet<String>,
    /// Numbers.
    numbers: BTreeSet<String>,
    /// Variables.
    variables: BTreeSet<String>,
    /// Whether it also returns what is computed: then only negative numbers are sure to be constants.
    computes: bool,
}

impl Mentions {
    /// Reads a text.
    #[must_use]
    pub fn read(text: &str) -> Mentions {
        let text = plain(text);
        let mut reader = Reader { tokens: tokens(&text), mentions: Mentions::default() };
        reader.read();
        reader.mentions
    }

    /// The macros whose values are asked for.
    #[must_use]
    pub fn names(&self) -> BTreeSet<String> {
        let compared = self.compared.iter().map(|(_, _, name)| name);
        let returned = self.returns.values().flat_map(|returns| &returns.names);
        compared.chain(returned).map(|name| name.trim_start_matches('-').to_owned()).collect()
    }

    /// The names, once their values are known.
    #[must_use]
    pub fn with_values(&self, values: &BTreeMap<String, i128>) -> Constants {
        let value = |name: &str| match name.strip_prefix('-') {
            Some(name) => values.get(name).map(|value| -value),
            None => values.get(name).copied(),
        };
        let mut constants = Constants::default();
        for (owner, used, name) in &self.compared {
            if let Some(value) = value(name) {
                constants.add(owner.clone(), *used, value, name);
            }
        }
        for (function, returns) in &self.returns {
            for name in &returns.names {
                let Some(value) = value(name) else { continue };
                let is_sure = value < 0 || !returns.computes;
                if is_sure && !returns.numbers.contains(&value.to_string()) {
                    constants.add(Owner::Result(function.clone()), Use::Value, value, name);
                }
            }
        }
        constants
    }
}

/// The text without comments and without what the preprocessor is told.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    let mut begins_line = true;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            '#' if begins_line => directive(rest),
            '"' | '\'' => crate::name::tokens::quoted(rest, first),
            _ => first.len_utf8(),
        };
        let (part, after) = rest.split_at(length);
        let is_left_out = part.starts_with("//") || part.starts_with("/*") || first == '#' && begins_line;
        plain.push_str(if is_left_out { " " } else { part });
        begins_line = first == '\n' || begins_line && (first.is_whitespace() || is_left_out);
        rest = after;
    }
    plain
}

/// The length of a directive, with the lines that continue it.
fn directive(text: &str) -> usize {
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        length += line.len();
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    length
}

/// What is compared, and where it begins.
struct Operand {
    /// A field; a variable otherwise.
    field: bool,
    name: String,
    start: usize,
}

struct Reader<'a> {
    tokens: Vec<Token<'a>>,
    mentions: Mentions,
}

/// What may stand before or after something that is compared as a whole.
const BEFORE: [&str; 12] = ["(", "&&", "||", ",", ";", "{", "}", "=", "?", ":", "return", "!"];
const AFTER: [&str; 9] = [")", "&&", "||", ",", ";", "?", ":", "==", "!="];

/// What changes a variable by its own value.
const CHANGES: [&str; 12] = ["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"];

impl Reader<'_> {
    fn text(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |token| token.text)
    }

    fn is_word(&self, index: usize) -> bool {
        self.tokens.get(index).is_some_and(|token| token.kind == TokenKind::Word)
    }

    /// Whether it looks like a macro.
    fn is_constant(&self, index: usize) -> bool {
        self.is_word(index) && is_constant(self.text(index))
    }

    fn read(&mut self) {
        let mut depth = 0_usize;
        let mut index = 0;
        while index < self.tokens.len() {
            match self.text(index) {
                "{" if depth == 0 && index > 0 && self.text(index - 1) == ")" => {
                    index = self.function(index);
                    continue;
                }
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            index += 1;
        }
    }

    /// Reads the body of a function that begins here; where it ends.
    fn function(&mut self, begin: usize) -> usize {
        let open = self.opening(begin - 1);
        let name = open.and_then(|open| open.checked_sub(1));
        let name = name.filter(|name| self.is_word(*name)).map(|name| self.text(name).to_owned());
        let name = name.unwrap_or_default();
        let mut depth = 0_usize;
        let mut switches: Vec<(usize, Option<Operand>)> = Vec::new();
        // Parameters have values already.
        let given = Returns { computes: true, ..Returns::default() };
        let params = (open.unwrap_or(begin)..begin).filter(|index| self.is_word(*index));
        let mut assigned: BTreeMap<String, Returns> =
            params.map(|index| (self.text(index).to_owned(), given.clone())).collect();
        let mut index = begin;
        while index < self.tokens.len() {
            match self.text(index) {
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    switches.retain(|(within, _)| *within <= depth);
                    if depth == 0 {
                        break;
                    }
                }
                "switch" => switches.push((depth + 1, self.switched(index + 1))),
                "case" if self.is_constant(index + 1) && self.text(index + 2) == ":" => {
                    if let Some((_, Some(operand))) = switches.last() {
                        let constant = self.text(index + 1).to_owned();
                        self.mentions.compared.insert((owner(&name, operand), Use::Value, constant));
                    }
                }
                "==" | "!=" => self.comparison(&name, index, Use::Value),
                // Whoever is given an address may change what is there.
                "&" if matches!(self.text(index - 1), "(" | ",") => {
                    assigned.entry(self.text(index + 1).to_owned()).or_default().computes = true;
                }
                "&" => self.comparison(&name, index, Use::Flag),
                "return" => self.returned(&name, index + 1),
                "=" if self.is_word(index - 1) => {
                    let returns = assigned.entry(self.text(index - 1).to_owned()).or_default();
                    add_result(&self.tokens[index + 1..], returns);
                }
                operator if CHANGES.contains(&operator) => {
                    for place in [index - 1, index + 1] {
                        assigned.entry(self.text(place).to_owned()).or_default().computes = true;
                    }
                }
                _ => {}
            }
            index += 1;
        }
        self.settle(&name, &assigned);
        index + 1
    }

    /// A variable that is returned stands for what it was given.
    fn settle(&mut self, function: &str, assigned: &BTreeMap<String, Returns>) {
        let Some(returns) = self.mentions.returns.get_mut(function) else { return };
        for variable in std::mem::take(&mut returns.variables) {
            match assigned.get(&variable).filter(|given| given.variables.is_empty()) {
                Some(given) => {
                    returns.names.extend(given.names.iter().cloned());
                    returns.numbers.extend(given.numbers.iter().cloned());
                    returns.computes |= given.computes;
                }
                None => returns.computes = true,
            }
        }
    }

    fn returned(&mut self, function: &str, begin: usize) {
        let returns = self.mentions.returns.entry(function.to_owned()).or_default();
        add_result(&self.tokens[begin..], returns);
    }

    /// What a switch in these parentheses decides on.
    fn switched(&self, open: usize) -> Option<Operand> {
        let close = (open..self.tokens.len())
            .find(|index| self.text(*index) == ")" && self.opening(*index) == Some(open))?;
        self.operand_before(close).filter(|operand| operand.start == open + 1)
    }

    /// A comparison whose operator stands here.
    fn comparison(&mut self, function: &str, index: usize, used: Use) {
        let Some(before) = index.checked_sub(1) else { return };
        let found = match self.constants_after(index + 1) {
            Some((constants, used_together)) => {
                let operand = self.operand_before(index);
                let used = if used_together { Use::Flag } else { used };
                operand
                    .filter(|operand| operand.start > 0 && BEFORE.contains(&self.text(operand.start - 1)))
                    .map(|operand| (owner(function, &operand), used, constants))
            }
            None if self.is_constant(before) && before > 0 && BEFORE.contains(&self.text(before - 1)) => {
                let operand = self.operand_after(index + 1);
                operand.map(|operand| (owner(function, &operand), used, vec![self.text(before).to_owned()]))
            }
            None => None,
        };
        for (owner, used, constant) in found
            .into_iter()
            .flat_map(|(owner, used, all)| all.into_iter().map(move |one| (owner.clone(), used, one)))
        {
            self.mentions.compared.insert((owner, used, constant));
        }
    }

    /// `FAST`, `-EINVAL`, `(READ | WRITE)`, and whether it is the latter.
    fn constants_after(&self, index: usize) -> Option<(Vec<String>, bool)> {
        if self.text(index) == "(" && self.text(index + 2) == "|" {
            let mut names = Vec::new();
            let mut at = index;
            while matches!(self.text(at), "(" | "|") && self.is_constant(at + 1) {
                names.push(self.text(at + 1).to_owned());
                at += 2;
            }
            return (self.text(at) == ")").then_some((names, true));
        }
        let sign = if self.text(index) == "-" { "-" } else { "" };
        let index = index + sign.len();
        let is_whole = self.is_constant(index) && AFTER.contains(&self.text(index + 1));
        is_whole.then(|| (vec![format!("{sign}{}", self.text(index))], false))
    }

    /// What ends before this token: `mode`, `p->mode`, `list[i].mode`, `*mode`.
    fn operand_before(&self, end: usize) -> Option<Operand> {
        let mut last = end.checked_sub(1)?;
        if self.text(last) == "]" {
            last = self.opening(last)?.checked_sub(1)?;
        }
        let name = (self.is_word(last) && !self.is_constant(last)).then(|| self.text(last).to_owned())?;
        let mut start = last;
        while start > 1 && matches!(self.text(start - 1), "." | "->") {
            start -= 2;
            while matches!(self.text(start), "]" | ")") {
                start = self.opening(start)?;
                // What is called or indexed stands before it.
                start -= usize::from(start > 0 && (self.is_word(start - 1) || self.text(start - 1) == "]"));
            }
        }
        let field = start < last;
        if !field && start > 1 && self.text(start - 1) == "*" && BEFORE.contains(&self.text(start - 2)) {
            start -= 1;
        }
        Some(Operand { field, name, start })
    }

    /// What begins at this token, up to something that compares no further.
    fn operand_after(&self, begin: usize) -> Option<Operand> {
        let mut last = begin;
        while matches!(self.text(last + 1), "." | "->") {
            last += 2;
        }
        let is_operand =
            self.is_word(last) && !self.is_constant(last) && AFTER.contains(&self.text(last + 1));
        is_operand.then(|| Operand { field: last > begin, name: self.text(last).to_owned(), start: begin })
    }

    /// The bracket that the one here closes.
    fn opening(&self, close: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for index in (0..=close).rev() {
            match self.text(index) {
                ")" | "]" => depth += 1,
                "(" | "[" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(index);
            }
        }
        None
    }
}

/// Whether a word looks like a macro, and none of those that compilers define, each as it likes.
fn is_constant(word: &str) -> bool {
    word.len() > 1 && !word.starts_with("__") && !word.contains(|c: char| c.is_lowercase())
}

fn owner(function: &str, operand: &Operand) -> Owner {
    match operand.field {
        true => Owner::Field(operand.name.clone()),
        false => Owner::Variable(function.to_owned(), operand.name.clone()),
    }
}

/// Adds what an expression up to the next semicolon can be: `ERROR`, `0`, `ok ? DONE : ERROR`.
fn add_result(tokens: &[Token<'_>], returns: &mut Returns) {
    let end = tokens.iter().position(|token| token.text == ";").unwrap_or(tokens.len());
    // Declarations go on after a comma.
    let comma = tokens[..end].iter().position(|token| token.text == ",").unwrap_or(end);
    let mut parts: Vec<&[Token<'_>]> =
        tokens[..comma].split(|token| matches!(token.text, "?" | ":")).collect();
    if parts.len() > 1 {
        parts.remove(0);
    }
    for part in parts {
        let without = |token: &&Token<'_>| !matches!(token.text, "(" | ")");
        let part: Vec<&Token<'_>> = part.iter().filter(without).collect();
        let text: String = part.iter().map(|token| token.text).collect();
        let (sign, last) = match part.as_slice() {
            [minus, last] if minus.text == "-" => (true, last),
            [last] => (false, last),
            [] => continue,
            _ => {
                returns.computes = true;
                continue;
            }
        };
        match last.kind {
            TokenKind::Number => drop(returns.numbers.insert(text)),
            TokenKind::Word if is_constant(last.text) => {
                returns.names.insert(text);
            }
            TokenKind::Word if !sign => drop(returns.variables.insert(text)),
            _ => returns.computes = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
#define FAST 3 /* mode == SLOW */
int run(struct job *job, int mode, unsigned flags, const unsigned char *data)
{
    int error = DONE;
    if (error >= 1 && (mode == FAST || SLOW != mode)) // mode == NEVER
        return -EINVAL;
    if (mode + 1 == NEVER || 2 * mode == NEVER || mode == NEVER + 1)
        error = FAILED;
    if ((flags & READ) && !(flags & (WRITE | APPEND)) && data[0] == MAGIC && *data != OTHER)
        return FAILED;
    switch (job->list[2].kind) {
    case ADD:
        switch (mode) { case INNER: break; }
        break;
    case TAKE:
        return job->state == IDLE ? DONE : BUSY;
    }
    return error;
}
int other(int x) { if (x) return LIMIT; return x + 1; }
";

    #[test]
    fn constants_belong_to_what_they_are_compared_with() {
        let variable = |name: &str| Owner::Variable("run".to_owned(), name.to_owned());
        let field = |name: &str| Owner::Field(name.to_owned());
        let expected = [
            (variable("mode"), Use::Value, "FAST"),
            (variable("mode"), Use::Value, "SLOW"),
            (variable("mode"), Use::Value, "INNER"),
            (variable("flags"), Use::Flag, "READ"),
            (variable("flags"), Use::Flag, "WRITE"),
            (variable("flags"), Use::Flag, "APPEND"),
            (variable("data"), Use::Value, "MAGIC"),
            (variable("data"), Use::Value, "OTHER"),
            (field("kind"), Use::Value, "ADD"),
            (field("kind"), Use::Value, "TAKE"),
            (field("state"), Use::Value, "IDLE"),
        ];
        let expected: BTreeSet<(Owner, Use, String)> =
            expected.map(|(owner, used, name)| (owner, used, name.to_owned())).into_iter().collect();
        assert_eq!(Mentions::read(TEXT).compared, expected);
    }

    #[test]
    fn results_have_names_if_nothing_else_has_their_value() {
        let values = [("EINVAL", 22), ("DONE", 0), ("FAILED", 5), ("BUSY", 5), ("LIMIT", 7)];
        let values: BTreeMap<String, i128> =
            values.map(|(name, value)| (name.to_owned(), value)).into_iter().collect();
        let constants = Mentions::read(TEXT).with_values(&values);
        let name = |function: &str, value: i128| constants.name(&Owner::Result(function.to_owned()), value);
        assert_eq!(name("run", -22).as_deref(), Some("-EINVAL"));
        assert_eq!(name("run", 0).as_deref(), Some("DONE"));
        assert_eq!(name("run", 5), None, "two names");
        assert_eq!(name("other", 7), None, "it may be a sum");
    }

    #[test]
    fn flags_are_put_together() {
        let values = [("READ", 1), ("WRITE", 2), ("APPEND", 8)];
        let values = values.map(|(name, value)| (name.to_owned(), value)).into_iter().collect();
        let constants = Mentions::read(TEXT).with_values(&values);
        let name =
            |value: i128| constants.name(&Owner::Variable("run".to_owned(), "flags".to_owned()), value);
        assert_eq!(name(9).as_deref(), Some("READ | APPEND"));
        assert_eq!((name(0), name(4), name(5)), (None, None, None));
    }
}

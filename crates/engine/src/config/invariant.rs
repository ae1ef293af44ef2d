//! What holds for every object of a type, `[type.ring]`, `holds = "head < 16"`: a condition on each parameter that is one, or
//! points to one.

use super::contract::Wrong;
use serde::Deserialize;
use std::collections::BTreeSet;
use testwright_base::ids::{FunctionId, TypeId};
use testwright_base::subject::{Param, Subject};
use testwright_base::types::{Shape, Types};
use toml::Spanned;

/// What holds for the objects of a type.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Invariant {
    /// An expression over its fields, or several.
    holds: Spanned<toml::Value>,
}

impl Invariant {
    /// The expressions.
    fn texts(&self) -> Result<Vec<&str>, Wrong> {
        let texts = match self.holds.get_ref() {
            toml::Value::String(text) => Some(vec![text.as_str()]),
            toml::Value::Array(list) => list.iter().map(toml::Value::as_str).collect(),
            _ => None,
        };
        let text = "`holds` is an expression over the fields of the type, as in `holds = \"head < 16\"`, or a list of them";
        texts.ok_or_else(|| Wrong { span: self.holds.span(), text: text.to_owned() })
    }

    /// What tells it from another one.
    pub fn identity(&self) -> String {
        format!("{:?}", self.holds.get_ref())
    }

    /// Where it is stated.
    pub fn span(&self) -> std::ops::Range<usize> {
        self.holds.span()
    }

    /// The conditions that it means, by function; none if no function has such a parameter.
    pub fn conditions(
        &self,
        subject: &Subject,
        name: &Spanned<String>,
    ) -> Result<Vec<(FunctionId, String)>, Wrong> {
        let texts = self.texts()?;
        let mut conditions = Vec::new();
        for (index, function) in
            subject.functions.iter().enumerate().filter(|(_, function)| function.is_named())
        {
            let params = function.signature.as_ref().map(|signature| signature.params.as_slice());
            for (number, param) in params.unwrap_or_default().iter().enumerate() {
                // What the file of the function only declares has no fields there.
                let Some(access) = access(&subject.types, param, name.get_ref()) else { continue };
                if !function.hidden.contains(&number) {
                    let text = |text: &&str| (FunctionId::of(index), access.condition(text));
                    conditions.extend(texts.iter().map(text));
                }
            }
        }
        Ok(conditions)
    }
}

/// That a type is for no function at hand.
pub fn no_parameter(name: &str) -> String {
    format!("no function has a parameter that is a `{name}` or points to one")
}

/// How a parameter leads to the fields of a type.
struct Access<'a> {
    param: &'a str,
    pointer: bool,
    fields: BTreeSet<&'a str>,
}

/// The way from a parameter to the fields of the type of this name, if it is one or points to one.
fn access<'a>(types: &'a Types, param: &'a Param, name: &str) -> Option<Access<'a>> {
    let (pointer, ty) = match types.get(param.ty).shape {
        Shape::Pointer(target) => (true, target),
        _ => (false, param.ty),
    };
    let Shape::Record { .. } = types.get(ty).shape else { return None };
    let mut fields = BTreeSet::new();
    add_fields(types, ty, &mut fields);
    is_called(types, ty, name).then_some(Access { param: &param.name, pointer, fields })
}

/// Whether a type has a name, or is the same as one that has it: `struct ring` and `ring_t`.
fn is_called(types: &Types, ty: TypeId, name: &str) -> bool {
    let fits = |spelt: &str| ["", "struct ", "union "].iter().any(|word| spelt == format!("{word}{name}"));
    let is_same = |other: TypeId| types.get(other).shape == types.get(ty).shape && fits(&types.spell(other));
    fits(&types.spell(ty)) || (0..types.len()).map(TypeId::of).any(is_same)
}

/// The names of the fields, also of those within a record without a name.
fn add_fields<'a>(types: &'a Types, ty: TypeId, names: &mut BTreeSet<&'a str>) {
    let Shape::Record { fields, .. } = &types.get(ty).shape else { return };
    for field in fields {
        match &field.name {
            Some(name) => drop(names.insert(name)),
            None => add_fields(types, field.ty, names),
        }
    }
}

impl Access<'_> {
    /// `head < 16` as `!p || (p->head < 16)`: a pointer that is null leads to nothing that could be wrong.
    fn condition(&self, text: &str) -> String {
        let arrow = if self.pointer { "->" } else { "." };
        let mut written = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let length = match first {
                _ if is_word(first) => rest.find(|c: char| !is_word(c)).unwrap_or(rest.len()),
                '"' | '\'' => literal(rest, first),
                _ => first.len_utf8(),
            };
            let (token, after) = rest.split_at(length);
            let before = written.trim_end();
            if self.fields.contains(token) && !before.ends_with('.') && !before.ends_with("->") {
                written += &format!("{}{arrow}", self.param);
            }
            written += token;
            rest = after;
        }
        if self.pointer { format!("!{} || ({written})", self.param) } else { written }
    }
}

/// The length of a literal in these quotes.
fn literal(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_reached_through_the_parameter() {
        let check = |pointer: bool, text: &str, expected: &str| {
            let access = Access { param: "p", pointer, fields: BTreeSet::from(["head", "size"]) };
            assert_eq!(access.condition(text), expected);
        };
        check(true, "head < 16", "!p || (p->head < 16)");
        check(false, "head<size", "p.head<p.size");
        check(true, "other.head == 'h' && size_t", "!p || (other.head == 'h' && size_t)");
        check(
            true,
            "next->head > 0 || name == \"head\\\"size\"",
            "!p || (next->head > 0 || name == \"head\\\"size\")",
        );
    }
}

//! Conditions and values as words that can be part of a name.

use super::condition::is_comparison;
use super::tokens::{Token, TokenKind, tokens};
use crate::emit::c::literal::extended;
use testwright_base::case::Value;
use testwright_base::ids::TypeId;
use testwright_base::limits::{Limits, limits};
use testwright_base::subject::Subject;
use testwright_base::types::Shape;

/// The words of an expression: `a + b <= c` is `a_plus_b_le_c`.
#[must_use]
pub fn of_expression(text: &str) -> String {
    let tokens = tokens(text);
    let words = tokens.iter().enumerate().map(|(index, token)| {
        let operand_before = index.checked_sub(1).is_some_and(|before| {
            tokens[before].kind != TokenKind::Operator || matches!(tokens[before].text, ")" | "]")
        });
        of_token(token, operand_before)
    });
    identifier(&words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_"))
}

/// The words of a comparison that came out false. The opposite of `<` is not `>=` when one side may be NaN.
#[must_use]
pub fn of_false_comparison(text: &str, floats: bool) -> String {
    let opposite = |operator: &str| match operator {
        "==" => "!=",
        "!=" => "==",
        "<" if !floats => ">=",
        "<=" if !floats => ">",
        ">" if !floats => "<=",
        ">=" if !floats => "<",
        _ => "",
    };
    let tokens = tokens(text);
    let operators: Vec<&Token<'_>> = tokens.iter().filter(|token| is_comparison(token.text)).collect();
    match operators.as_slice() {
        [only] if !opposite(only.text).is_empty() => {
            of_expression(&format!("{}{}{}", &text[..only.start], opposite(only.text), &text[only.end()..]))
        }
        _ => format!("not_{}", of_expression(text)),
    }
}

fn of_token(token: &Token<'_>, operand_before: bool) -> String {
    match token.kind {
        TokenKind::Word => token.text.to_owned(),
        TokenKind::Number => token.text.trim_end_matches(['u', 'U', 'l', 'L']).replace('.', "_"),
        TokenKind::Quoted => of_quoted(token.text),
        TokenKind::Operator => match token.text {
            "==" => "eq",
            "!=" => "ne",
            "<" => "lt",
            "<=" => "le",
            ">" => "gt",
            ">=" => "ge",
            "+" => "plus",
            "-" => "minus",
            "*" if operand_before => "times",
            "/" => "over",
            "%" => "mod",
            "&" if operand_before => "bitand",
            "|" => "bitor",
            "^" => "xor",
            "<<" => "shl",
            ">>" => "shr",
            "!" => "not",
            "~" => "inverse",
            "&&" => "and",
            "||" => "or",
            _ => "",
        }
        .to_owned(),
    }
}

fn of_quoted(text: &str) -> String {
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
    let name = match inner {
        "" => "empty",
        " " => "space",
        "\\0" => "nul",
        "\\n" => "newline",
        "\\t" => "tab",
        "\\r" => "return",
        "+" => "plus",
        "-" => "minus",
        "*" => "star",
        "/" => "slash",
        "\\\\" => "backslash",
        "." => "dot",
        "," => "comma",
        ":" => "colon",
        ";" => "semicolon",
        "=" => "equals",
        "_" => "underscore",
        "(" | ")" | "[" | "]" | "{" | "}" | "<" | ">" => "bracket",
        "\\'" | "\"" | "\\\"" | "'" => "quote",
        _ => "",
    };
    if name.is_empty() {
        let word = identifier(inner);
        if word.is_empty() { "sign".to_owned() } else { word }
    } else {
        name.to_owned()
    }
}

/// A returned value: `3`, `minus_2`, `1_5`, `null`; of what is no scalar the type.
#[must_use]
pub fn of_value(subject: &Subject, ty: TypeId, value: &Value) -> String {
    let definition = subject.types.get(ty);
    match (value, &definition.shape) {
        (Value::Int(value), Shape::Bool) => (if *value == 0 { "false" } else { "true" }).to_owned(),
        (Value::Int(value), Shape::Enum { constants, .. }) => constants
            .iter()
            .find(|(_, constant)| constant == value)
            .map_or_else(|| of_number(&value.to_string()), |(name, _)| name.clone()),
        (Value::Int(value), Shape::Int { bits, .. }) => of_int(*value, *bits, limits(&subject.types, ty)),
        (Value::Single(bits), _) => {
            of_float(f64::from(f32::from_bits(*bits)), &format!("{:?}", f32::from_bits(*bits)))
        }
        (Value::Double(bits), _) => of_float(f64::from_bits(*bits), &format!("{:?}", f64::from_bits(*bits))),
        (Value::Bytes(bytes), Shape::Float { .. }) => {
            extended(bytes).map_or_else(|| "number".to_owned(), |text| of_number(text.trim_end_matches('L')))
        }
        (Value::Null, _) => "null".to_owned(),
        (Value::Pointer { .. } | Value::Stub(_) | Value::Address(_), _) => "pointer".to_owned(),
        _ => identifier(definition.name.as_deref().unwrap_or("value").trim_start_matches("struct ")),
    }
}

/// The ends of wide types have names: `int_max`.
fn of_int(value: i128, bits: u32, limits: Option<Limits>) -> String {
    let name = limits.filter(|_| bits >= 32).and_then(|limits| limits.name(value));
    name.map_or_else(|| of_number(&value.to_string()), |name| name.to_lowercase())
}

/// A number with many digits is only told about.
fn of_float(value: f64, shortest: &str) -> String {
    const LONGEST: usize = 8;
    if shortest.len() <= LONGEST || !value.is_finite() {
        return of_number(shortest);
    }
    let ordinary = (0.001..100_000.0).contains(&value.abs());
    let rounded = if ordinary { format!("{value:.3}") } else { format!("{value:.0e}") };
    format!("about_{}", of_number(rounded.trim_end_matches('0').trim_end_matches('.')))
}

fn of_number(text: &str) -> String {
    let text = text.strip_suffix(".0").unwrap_or(text).to_lowercase();
    let text = text.replace("e-", "e_minus_");
    match text.strip_prefix('-') {
        Some(magnitude) => format!("minus_{}", identifier(magnitude)),
        None => identifier(&text),
    }
}

/// The letters and digits of a text, in words.
#[must_use]
pub fn identifier(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use testwright_base::sample;

    #[test]
    fn expressions_become_words() {
        assert_eq!(of_expression("a + b <= c"), "a_plus_b_le_c");
        assert_eq!(of_expression("s[i] == 'x'"), "s_i_eq_x");
        assert_eq!(of_expression("strcmp(name, \"port\") == 0"), "strcmp_name_port_eq_0");
        assert_eq!(of_expression("*end != '\\0'"), "end_ne_nul");
        assert_eq!(of_expression("-x * 1.5 > 10UL"), "minus_x_times_1_5_gt_10");
        assert_eq!(of_expression("flags & MASK && p->next"), "flags_bitand_MASK_and_p_next");
    }

    #[test]
    fn a_false_comparison_is_the_opposite_one() {
        assert_eq!(of_false_comparison("a < b", false), "a_ge_b");
        assert_eq!(of_false_comparison("a == b", true), "a_ne_b");
        assert_eq!(of_false_comparison("a < b", true), "not_a_lt_b");
    }

    #[test]
    fn values_are_said_in_words() {
        let mut subject = sample::empty_subject();
        let int = sample::int(&mut subject.types, "int", 32, true);
        let double = sample::float(&mut subject.types, 64);
        let colour = sample::enumeration(&mut subject.types, "enum colour", &[("RED", 1)]);
        let words = |ty, value: Value| of_value(&subject, ty, &value);
        assert_eq!(words(int, Value::Int(-2)), "minus_2");
        assert_eq!(words(int, Value::Int(i128::from(i32::MAX))), "int_max");
        assert_eq!(words(double, Value::Double((-1.5f64).to_bits())), "minus_1_5");
        assert_eq!(words(double, Value::Double(2f64.to_bits())), "2");
        assert_eq!(words(double, Value::Double((2f64 / 3.0).to_bits())), "about_0_667");
        assert_eq!(words(double, Value::Double((-2e-20f64 / 3.0).to_bits())), "about_minus_7e_minus_21");
        assert_eq!(words(double, Value::Double(f64::NAN.to_bits())), "nan");
        assert_eq!(words(colour, Value::Int(1)), "RED");
    }
}

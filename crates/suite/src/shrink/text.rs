//! Text that can be written as a string: printable, and with a NUL at its end.

use super::View;
use super::change::Change;
use crate::emit::c::literal::is_text;
use testwright_base::case::{Statement, Value};

/// The text with this number: with letters for what cannot be printed, and with a NUL behind it or instead of its last
/// character.
pub(super) fn as_string(view: &View<'_>, number: usize) -> Option<Vec<Change>> {
    let types = &view.subject.types;
    let is_meant = |statement: &Statement| matches!(statement, Statement::Object { element, .. } if is_text(types, *element));
    let (object, _) = view.case.statements.iter().enumerate().filter(|(_, one)| is_meant(one)).nth(number)?;
    let Statement::Object { values, .. } = &view.case.statements[object] else { return None };
    let ends = values.last() == Some(&Value::Int(0));
    let printable: Vec<Value> = values.iter().map(printable).collect();
    let (mut longer, mut cut) = (values.clone(), values.clone());
    let mut longer_printable = printable.clone();
    longer.push(Value::Int(0));
    longer_printable.push(Value::Int(0));
    if let Some(last) = cut.last_mut() {
        *last = Value::Int(0);
    }
    let texts = if ends { vec![printable] } else { vec![longer_printable, longer, cut, printable] };
    Some(texts.into_iter().map(|text| Change::Elements(object, text)).collect())
}

/// The character, or a letter if it cannot be printed.
pub(super) fn printable(value: &Value) -> Value {
    let Value::Int(code) = value else { return value.clone() };
    let prints = u8::try_from(*code).is_ok_and(|byte| byte == b' ' || byte.is_ascii_graphic());
    if prints || *code == 0 { value.clone() } else { Value::Int(i128::from(b'a')) }
}

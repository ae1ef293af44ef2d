//! Streams with less text.

use super::View;
use super::change::Change;
use super::length::cuts;
use super::text::printable;
use testwright_base::case::{Statement, Value};
use testwright_base::stream;

/// The stream with this number: without what lies behind its text, then with parts of the text left out, then with letters for
/// what cannot be printed.
pub(super) fn shorter(view: &View<'_>, number: usize) -> Option<Vec<Change>> {
    let types = &view.subject.types;
    let is_stream = |statement: &Statement| matches!(statement, Statement::Object { element, .. } if types.is_stream(*element));
    let (object, statement) =
        view.case.statements.iter().enumerate().filter(|(_, one)| is_stream(one)).nth(number)?;
    let Statement::Object { values, .. } = statement else { return None };
    let [value] = values.as_slice() else { return Some(Vec::new()) };
    let text = stream::text(value)?;
    let mut texts = vec![text.clone()];
    for cut in cuts(text.len()) {
        let mut shorter = text.clone();
        shorter.drain(cut);
        texts.push(shorter);
    }
    texts.push(text.iter().map(|byte| as_letter(*byte)).collect());
    let change = |text: Vec<u8>| Some(Change::Elements(object, vec![stream::of_text(&text)?]));
    Some(texts.into_iter().filter_map(change).collect())
}

fn as_letter(byte: u8) -> u8 {
    match printable(&Value::Int(i128::from(byte))) {
        // A zero ends strings, but no stream.
        Value::Int(0) => b'a',
        Value::Int(letter) => letter as u8,
        _ => byte,
    }
}

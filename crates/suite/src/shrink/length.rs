//! Shorter sequences, and lengths that stay true.

use super::View;
use super::change::Change;
use std::ops::Range;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::pairs::{Pair, pairs};
use testwright_base::subject::Subject;

/// So many elements are tried to be left out one by one.
const ONE_BY_ONE: usize = 64;

/// The sequence with this number, with fewer elements.
pub(super) fn shorter(view: &View<'_>, number: usize) -> Option<Vec<Change>> {
    let case = &view.case;
    let is_sequence =
        |statement: &Statement| matches!(statement, Statement::Object { values, .. } if values.len() > 1);
    let (object, _) = case.statements.iter().enumerate().filter(|(_, one)| is_sequence(one)).nth(number)?;
    let Statement::Object { values, .. } = &case.statements[object] else { return None };
    Some(cuts(values.len()).into_iter().map(|cut| Change::Cut(object, cut)).collect())
}

/// What to leave out of so many elements: one half or the other, quarters, and so on, then one by one.
pub(super) fn cuts(length: usize) -> Vec<Range<usize>> {
    let mut cuts: Vec<Range<usize>> = Vec::new();
    let mut size = length / 2;
    while size > 0 {
        cuts.push(length - size..length);
        cuts.push(0..size);
        size /= 2;
    }
    cuts.extend((0..length.min(ONE_BY_ONE)).map(|at| at..at + 1));
    cuts
}

/// The case without these elements of an object; the argument that counts them and pointers to places in it follow.
pub(super) fn without(subject: &Subject, case: &Case, object: usize, cut: Range<usize>) -> Option<Case> {
    let mut case = case.clone();
    let (function, arguments) = case.call()?;
    let points_there =
        |value: &Value| matches!(value, Value::Pointer { object: pointee, offset: 0 } if *pointee == object);
    let lengths: Vec<usize> = pairs(subject, function)
        .iter()
        .filter(|pair| arguments.get(pair.pointer).is_some_and(points_there))
        .map(|pair| pair.length)
        .collect();
    let Statement::Object { element, values } = &mut case.statements[object] else { return None };
    let size = subject.types.get(*element).size;
    let before = Value::Int(values.len() as i128);
    let (start, end) = (cut.start as u64 * size, cut.end as u64 * size);
    values.drain(cut);
    let after = Value::Int(values.len() as i128);
    // Places behind the cut follow, those in it go to its start.
    case.each_pointer_mut(&mut |pointee, offset| {
        if *pointee == object {
            *offset -= (*offset).min(end).saturating_sub(start);
        }
    });
    if let Some(Statement::Call { arguments, .. }) = case.statements.last_mut() {
        for length in lengths {
            if arguments.get(length) == Some(&before) {
                arguments[length] = after.clone();
            }
        }
    }
    Some(case)
}

/// The pointers that lead to as many elements as the parameter says that is taken for their number.
pub(super) fn kept(subject: &Subject, case: &Case) -> Vec<Pair> {
    let Some((function, _)) = case.call() else { return Vec::new() };
    pairs(subject, function).into_iter().filter(|pair| is_enough(case, *pair)).collect()
}

/// Whether a pointer leads to at least as many elements as its length says, or nowhere.
pub(super) fn is_enough(case: &Case, pair: Pair) -> bool {
    let Some((_, arguments)) = case.call() else { return true };
    match (arguments.get(pair.pointer), arguments.get(pair.length)) {
        (Some(Value::Pointer { object, offset: 0 }), Some(Value::Int(length))) => {
            match case.statements.get(*object) {
                Some(Statement::Object { values, .. }) => *length <= values.len() as i128,
                _ => true,
            }
        }
        _ => true,
    }
}

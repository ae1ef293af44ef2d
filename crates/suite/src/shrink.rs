//! Shrinking: a case made lighter step by step, as long as it goes on to show what it has to show.
//!
//! A hill climb over [`weight`]: shorter sequences first, then plainer pointers and numbers. Each step is tried by running
//! the case, so nothing has to be known about the code; the number of runs is limited.

use crate::weight::weight;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::pairs::pairs;
use testwright_base::subject::Subject;

/// How many runs the shrinking of one case may take.
const MOST_RUNS: usize = 600;

/// How many integers of a case are looked at together.
const LOOKED_AT: usize = 64;
/// How many integers after one are moved in step with it.
const NEIGHBOURS: usize = 4;

/// The lightest case that was found from `case` on for which `shows` holds.
pub fn shrink(subject: &Subject, case: &Case, mut shows: impl FnMut(&Case) -> bool) -> Case {
    let mut best = case.clone();
    let mut runs = 0;
    loop {
        let before = weight(&best);
        for proposal in [shorter, plainer_pointers, plainer_numbers, same_numbers, numbers_in_step] {
            climb(subject, &mut best, proposal, &mut runs, &mut shows);
        }
        if weight(&best) == before || runs >= MOST_RUNS {
            return best;
        }
    }
}

/// Takes every proposal that is lighter and shows what it has to.
fn climb(
    subject: &Subject,
    best: &mut Case,
    propose: fn(&Subject, &Case, usize) -> Option<Vec<Case>>,
    runs: &mut usize,
    shows: &mut impl FnMut(&Case) -> bool,
) {
    let mut place = 0;
    while let Some(proposals) = propose(subject, best, place) {
        let mut changed = false;
        for proposal in proposals {
            if *runs >= MOST_RUNS {
                return;
            }
            if weight(&proposal) < weight(best) {
                *runs += 1;
                if shows(&proposal) {
                    *best = proposal;
                    changed = true;
                    break;
                }
            }
        }
        // What was changed may be changed again, to something lighter still.
        place += usize::from(!changed);
    }
}

/// The sequence with this number, with fewer elements; none if there are not that many.
fn shorter(subject: &Subject, case: &Case, number: usize) -> Option<Vec<Case>> {
    let is_sequence =
        |statement: &Statement| matches!(statement, Statement::Object { values, .. } if values.len() > 1);
    let (object, _) = case.statements.iter().enumerate().filter(|(_, one)| is_sequence(one)).nth(number)?;
    let Statement::Object { values, .. } = &case.statements[object] else { return None };
    let length = values.len();
    let mut cuts: Vec<std::ops::Range<usize>> = Vec::new();
    let mut size = length / 2;
    while size > 0 {
        cuts.push(length - size..length);
        cuts.push(0..size);
        size /= 2;
    }
    cuts.extend((0..length.min(64)).map(|at| at..at + 1));
    Some(cuts.into_iter().filter_map(|cut| without(subject, case, object, cut)).collect())
}

/// The case without these elements of an object; the argument that counts them follows.
fn without(subject: &Subject, case: &Case, object: usize, cut: std::ops::Range<usize>) -> Option<Case> {
    let mut case = case.clone();
    let (function, arguments) = case.call()?;
    let points_there =
        |value: &Value| matches!(value, Value::Pointer { object: pointee, offset: 0 } if *pointee == object);
    let lengths: Vec<usize> = pairs(subject, function)
        .iter()
        .filter(|pair| arguments.get(pair.pointer).is_some_and(points_there))
        .map(|pair| pair.length)
        .collect();
    let Statement::Object { values, .. } = &mut case.statements[object] else { return None };
    let before = Value::Int(values.len() as i128);
    values.drain(cut);
    let after = Value::Int(values.len() as i128);
    if let Some(Statement::Call { arguments, .. }) = case.statements.last_mut() {
        for length in lengths {
            if arguments.get(length) == Some(&before) {
                arguments[length] = after.clone();
            }
        }
    }
    Some(case)
}

/// The pointer with this number, null.
fn plainer_pointers(_subject: &Subject, case: &Case, number: usize) -> Option<Vec<Case>> {
    changed(case, number, &|value| matches!(value, Value::Pointer { .. } | Value::Null), |_| {
        vec![Value::Null]
    })
}

/// The number with this number, smaller, rounder or printable.
fn plainer_numbers(_subject: &Subject, case: &Case, number: usize) -> Option<Vec<Case>> {
    let is_number = |value: &Value| matches!(value, Value::Int(_) | Value::Single(_) | Value::Double(_));
    changed(case, number, &is_number, |value| match value {
        Value::Int(value) => plainer_integers(*value).into_iter().map(Value::Int).collect(),
        Value::Double(bits) => {
            let plainer = plainer_floats(f64::from_bits(*bits));
            plainer.into_iter().map(|value| Value::Double(value.to_bits())).collect()
        }
        Value::Single(bits) => {
            let plainer = plainer_floats(f64::from(f32::from_bits(*bits)));
            plainer.into_iter().map(|value| Value::Single((value as f32).to_bits())).collect()
        }
        _ => Vec::new(),
    })
}

/// All integers that are equal to the one with this number, replaced together.
fn same_numbers(_subject: &Subject, case: &Case, number: usize) -> Option<Vec<Case>> {
    let integers = integers(case);
    let value = *integers.get(number)?;
    let same: Vec<usize> = (0..integers.len()).filter(|other| integers[*other] == value).collect();
    if same.len() < 2 || same[0] != number {
        return Some(Vec::new());
    }
    let all = |plainer: i128| with(case, &same.iter().map(|index| (*index, plainer)).collect::<Vec<_>>());
    Some(plainer_integers(value).into_iter().map(all).collect())
}

/// The integer with this number made small, and one after it moved by as much, so that their difference stays.
fn numbers_in_step(_subject: &Subject, case: &Case, number: usize) -> Option<Vec<Case>> {
    let integers = integers(case);
    let value = *integers.get(number)?;
    let mut list = Vec::new();
    for (other, moved) in integers.iter().enumerate().skip(number + 1).take(NEIGHBOURS) {
        for plainer in [1, 2, 3, 10, 100] {
            let by = value - plainer;
            list.push(with(case, &[(number, plainer), (other, moved - by)]));
            list.push(with(case, &[(number, value - (moved - plainer)), (other, plainer)]));
        }
    }
    Some(list)
}

fn is_integer(value: &Value) -> bool {
    matches!(value, Value::Int(_))
}

/// All integers of a case, in order.
fn integers(case: &Case) -> Vec<i128> {
    let mut copy = case.clone();
    let mut list = Vec::new();
    loop {
        let mut found = None;
        visit(&mut copy, list.len(), &is_integer, &mut |value| {
            if let Value::Int(value) = value {
                found = Some(*value);
            }
        });
        match found {
            Some(value) if list.len() < LOOKED_AT => list.push(value),
            _ => return list,
        }
    }
}

/// The case with the integers of these numbers replaced.
fn with(case: &Case, changes: &[(usize, i128)]) -> Case {
    let mut case = case.clone();
    for (number, other) in changes {
        visit(&mut case, *number, &is_integer, &mut |value| *value = Value::Int(*other));
    }
    case
}

fn plainer_integers(value: i128) -> Vec<i128> {
    let printable = [b'a', b'A', b'0', b' '].map(i128::from);
    let powers = std::iter::successors(Some(10), |power| Some(power * 10)).take(20);
    let powers: Vec<i128> = powers.take_while(|power| *power <= value.abs()).collect();
    let mut list = vec![0, 1, -1, 2];
    list.extend(printable);
    list.extend(powers.iter().map(|power| power * value.signum()));
    list.extend(powers.iter().rev().map(|power| value - value % power));
    list.extend([value / 10, value / 2, value - value.signum()]);
    list
}

fn plainer_floats(value: f64) -> Vec<f64> {
    let round = |digits: f64| (value * digits).round() / digits;
    vec![0.0, 1.0, -1.0, 2.0, 0.5, value.trunc(), round(10.0), round(100.0), value / 2.0]
}

/// The case with the value of this number, among those that are `meant`, replaced by each of the others.
fn changed(
    case: &Case,
    number: usize,
    meant: &dyn Fn(&Value) -> bool,
    others: impl Fn(&Value) -> Vec<Value>,
) -> Option<Vec<Case>> {
    let mut found = None;
    visit(&mut case.clone(), number, meant, &mut |value| found = Some(others(value)));
    let put = |other: Value| {
        let mut case = case.clone();
        visit(&mut case, number, meant, &mut |value| *value = other.clone());
        case
    };
    Some(found?.into_iter().map(put).collect())
}

/// Shows the value of this number, among those that are `meant`, to `look`.
fn visit(case: &mut Case, number: usize, meant: &dyn Fn(&Value) -> bool, look: &mut dyn FnMut(&mut Value)) {
    let mut left = number;
    for statement in &mut case.statements {
        let values: Vec<&mut Value> = match statement {
            Statement::Object { values, .. } => values.iter_mut().collect(),
            Statement::Set { value, .. } => vec![value],
            Statement::Call { arguments, .. } => arguments.iter_mut().collect(),
        };
        for value in values {
            if visit_value(value, &mut left, meant, look) {
                return;
            }
        }
    }
}

fn visit_value(
    value: &mut Value,
    left: &mut usize,
    meant: &dyn Fn(&Value) -> bool,
    look: &mut dyn FnMut(&mut Value),
) -> bool {
    if meant(value) {
        if *left == 0 {
            look(value);
            return true;
        }
        *left -= 1;
    }
    match value {
        Value::Array(values) | Value::Record(values) => {
            values.iter_mut().any(|value| visit_value(value, left, meant, look))
        }
        Value::Member(_, value) => visit_value(value, left, meant, look),
        _ => false,
    }
}

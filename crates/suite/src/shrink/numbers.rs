//! Plainer numbers: one by one, those that are equal together, and several in step.

use super::View;
use super::change::Change;
use super::scalars::{Scalar, fits};
use crate::emit::c::literal::is_text;
use std::collections::BTreeSet;
use testwright_base::case::Value;
use testwright_base::subject::Subject;
use testwright_base::types::Shape;

/// How many integers after one are moved in step with it.
const NEIGHBOURS: usize = 4;
/// So many different numbers are replaced by their ranks.
const RANKED: usize = 12;

/// The number with this number: smaller, rounder, printable, declared.
pub(super) fn plainer(view: &View<'_>, number: usize) -> Option<Vec<Change>> {
    let all = view.looked_at();
    let (place, scalar) = all.iter().enumerate().filter(|(_, scalar)| is_number(scalar)).nth(number)?;
    let values = plainer_values(view.subject, scalar);
    Some(values.into_iter().map(|value| Change::Scalars(vec![(place, value)])).collect())
}

/// All integers that are equal to the one with this number and of its type, replaced together.
pub(super) fn all_that_are_equal(view: &View<'_>, number: usize) -> Option<Vec<Change>> {
    let all = view.looked_at();
    let (place, scalar) = integers(all).nth(number)?;
    let is_same = |other: &Scalar| other.ty == scalar.ty && other.value == scalar.value;
    let same: Vec<usize> = (0..all.len()).filter(|index| is_same(&all[*index])).collect();
    if same.len() < 2 || same[0] != place {
        return Some(Vec::new());
    }
    let with = |value: Value| Change::Scalars(same.iter().map(|place| (*place, value.clone())).collect());
    Some(plainer_values(view.subject, scalar).into_iter().map(with).collect())
}

/// The integer with this number made small, and one after it moved by as much, so that their difference stays.
pub(super) fn in_step(view: &View<'_>, number: usize) -> Option<Vec<Change>> {
    let all = view.looked_at();
    let (place, scalar) = integers(all).nth(number)?;
    let (value, types) = (int(scalar)?, &view.subject.types);
    let mut list = Vec::new();
    for (other, moved) in integers(all).skip(number + 1).take(NEIGHBOURS) {
        let moved_value = int(moved)?;
        for plainer in [1, 2, 3, 10, 100] {
            let pairs =
                [(plainer, moved_value - (value - plainer)), (value - (moved_value - plainer), plainer)];
            for (first, second) in pairs {
                if fits(types, scalar, first) && fits(types, moved, second) {
                    list.push(Change::Scalars(vec![(place, Value::Int(first)), (other, Value::Int(second))]));
                }
            }
        }
    }
    Some(list)
}

/// All numbers of one statement, then those of the next: replaced by small ones in the same order, brought nearer to zero by
/// the same amount, divided by the same number.
pub(super) fn together(view: &View<'_>, number: usize) -> Option<Vec<Change>> {
    if number >= view.case.statements.len() {
        return None;
    }
    let (all, types) = (view.looked_at(), &view.subject.types);
    let is_meant = |scalar: &Scalar| scalar.statement == number && !is_text(types, scalar.ty);
    let (mut lists, floats) = (Vec::new(), real_numbers(all, is_meant));
    let ints: Vec<(usize, &Scalar)> = integers(all).filter(|(_, scalar)| is_meant(scalar)).collect();
    let values: Vec<i128> = ints.iter().filter_map(|(_, scalar)| int(scalar)).collect();
    for plainer in in_the_same_order(&values) {
        let changes = || ints.iter().zip(&plainer);
        if changes().all(|((_, scalar), value)| fits(types, scalar, *value)) {
            lists.push(changes().map(|((place, _), value)| (*place, Value::Int(*value))).collect());
        }
    }
    if floats.len() > 1 {
        for base in [1.0, 2.0, 3.0, 10.0] {
            lists.push(ranked_floats(&floats, base));
        }
    }
    Some(lists.into_iter().map(Change::Scalars).collect())
}

/// Lists of plainer numbers in the order of these.
fn in_the_same_order(values: &[i128]) -> Vec<Vec<i128>> {
    let mut lists = Vec::new();
    if values.len() < 2 {
        return lists;
    }
    let distinct: BTreeSet<i128> = values.iter().copied().collect();
    if distinct.len() <= RANKED {
        let rank = |value: i128| distinct.range(..value).count() as i128;
        let below = distinct.range(..0).count() as i128;
        // Numbers keep their signs first: zero often means something.
        let signed = |value: i128| rank(value) - below + i128::from(value > 0 && !distinct.contains(&0));
        lists.push(values.iter().map(|value| signed(*value)).collect());
        lists.push(values.iter().map(|value| 10 * signed(*value)).collect());
        for base in [1, 2, 3, 10] {
            lists.push(values.iter().map(|value| base + rank(*value)).collect());
        }
    }
    let large: Vec<i128> = values.iter().copied().filter(|value| value.abs() >= 100).collect();
    if let Some(least) = large.iter().map(|value| value.abs()).min() {
        for stays in [1, 10, 100] {
            let nearer = |value: i128| {
                if value.abs() < 100 { value } else { value - value.signum() * (least - stays) }
            };
            lists.push(values.iter().map(|value| nearer(*value)).collect());
        }
    }
    for divisor in [1_000_000, 1000, 100, 10, 2] {
        lists.push(values.iter().map(|value| value / divisor).collect());
    }
    lists
}

fn real_numbers(all: &[Scalar], is_meant: impl Fn(&Scalar) -> bool) -> Vec<(usize, Value, f64)> {
    let real = |(place, scalar): (usize, &Scalar)| match scalar.value {
        Value::Double(bits) => Some((place, scalar.value.clone(), f64::from_bits(bits))),
        Value::Single(bits) => Some((place, scalar.value.clone(), f64::from(f32::from_bits(bits)))),
        _ => None,
    };
    let meant = all.iter().enumerate().filter(|(_, scalar)| is_meant(scalar));
    meant.filter_map(real).filter(|(_, _, value)| value.is_finite()).collect()
}

/// Floats in the same order, from `base` on, one apart.
fn ranked_floats(floats: &[(usize, Value, f64)], base: f64) -> Vec<(usize, Value)> {
    let mut distinct: Vec<f64> = floats.iter().map(|(_, _, value)| *value).collect();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    let ranked = |(place, kind, value): &(usize, Value, f64)| {
        let rank = base + distinct.partition_point(|other| other < value) as f64;
        let ranked = match kind {
            Value::Single(_) => Value::Single((rank as f32).to_bits()),
            _ => Value::Double(rank.to_bits()),
        };
        (*place, ranked)
    };
    floats.iter().map(ranked).collect()
}

fn is_number(scalar: &Scalar) -> bool {
    matches!(scalar.value, Value::Int(_) | Value::Single(_) | Value::Double(_))
}

fn integers(all: &[Scalar]) -> impl Iterator<Item = (usize, &Scalar)> {
    all.iter().enumerate().filter(|(_, scalar)| matches!(scalar.value, Value::Int(_)))
}

fn int(scalar: &Scalar) -> Option<i128> {
    match scalar.value {
        Value::Int(value) => Some(value),
        _ => None,
    }
}

/// What may stand instead of a number.
fn plainer_values(subject: &Subject, scalar: &Scalar) -> Vec<Value> {
    let types = &subject.types;
    match (&scalar.value, &types.get(scalar.ty).shape) {
        (Value::Int(_), _) if is_text(types, scalar.ty) => {
            let codes = [0, b'a', b'A', b'0', b'1', b' ', b'-', b'.'];
            codes.map(|code| Value::Int(i128::from(code))).to_vec()
        }
        (Value::Int(value), Shape::Enum { constants, .. }) if !constants.is_empty() => {
            let declared = constants.iter().map(|(_, constant)| *constant);
            let all = declared.chain(plainer_integers(*value));
            all.filter(|value| fits(types, scalar, *value)).map(Value::Int).collect()
        }
        (Value::Int(value), _) => {
            let all = plainer_integers(*value).into_iter();
            all.filter(|value| fits(types, scalar, *value)).map(Value::Int).collect()
        }
        (Value::Double(bits), _) => {
            let plainer = plainer_floats(f64::from_bits(*bits));
            plainer.into_iter().map(|value| Value::Double(value.to_bits())).collect()
        }
        (Value::Single(bits), _) => {
            let plainer = plainer_floats(f64::from(f32::from_bits(*bits)));
            plainer.into_iter().map(|value| Value::Single((value as f32).to_bits())).collect()
        }
        _ => Vec::new(),
    }
}

fn plainer_integers(value: i128) -> Vec<i128> {
    let powers = std::iter::successors(Some(10), |power| Some(power * 10)).take(20);
    let powers: Vec<i128> = powers.take_while(|power| *power <= value.abs()).collect();
    let mut list = vec![0, 1, -1, 2, 3, 5, 10, 20, 50, 100];
    list.extend(powers.iter().map(|power| power * value.signum()));
    list.extend(powers.iter().rev().map(|power| value - value % power));
    list.extend([value / 10, value / 2, value - value.signum()]);
    list
}

/// Whole numbers and halves first, then fewer digits.
fn plainer_floats(value: f64) -> Vec<f64> {
    let mut list = vec![0.0, 1.0, -1.0, 2.0, 0.5, -0.5, 1.5, 10.0, -10.0, 100.0, value.trunc()];
    if value.is_finite() {
        let rounded = (0..=4).filter_map(|digits| format!("{value:.digits$e}").parse::<f64>().ok());
        list.extend(rounded);
        list.extend([1.0, 10.0, 100.0].map(|digits| (value * digits).round() / digits));
        list.push(value / 2.0);
    }
    list
}

//! Other values in a case: longer sequences, shorter ones, ones with words of the code in them, and values of other cases. Long sequences come to more
//! elements of tables, and to more turns of loops.
//!
//! What is put in is drawn, or a piece of the sequence itself with other elements: code that reads groups of elements goes on to
//! find whole ones then. Numbers that the code compares with, and texts that it names, lead to what it does about them.

use crate::build::loaded::{LoadedSubject, counting_argument};
use std::collections::BTreeSet;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::graph::CallGraph;
use testwright_base::ids::FunctionId;
use testwright_base::subject::Subject;
use testwright_base::types::Shape;
use testwright_search::execute::{Edit, Execute as _};

/// A sequence gets so many more elements at a time, or as many as it has,
const FEW: usize = 4;
/// but no more than this.
const MANY: usize = 128;
/// No function has more words than this.
const MOST_WORDS: usize = 256;
/// No sequence gets longer than this: a test should fit on a screen.
const LONGEST: usize = 512;
/// What is put into sequences: most of it belongs somewhere in most texts.
const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 +-*/=.,:<>()[]{}%_";
/// The first so many of them are letters and digits.
const ALPHANUMERIC: usize = 62;

/// The case with a few more elements somewhere in one of its sequences, or up to twice as many; none if it has none.
pub fn longer(code: &LoadedSubject, case: &Case, seed: u64) -> Option<Case> {
    let mut dice = Dice(seed);
    let sequences = sequences(code, case);
    let (object, _) = *sequences.get(dice.pick(sequences.len()))?;
    let elements = sequence(code, case, object)?;
    let (at, inserted) = match dice.pick(4) {
        0 | 1 => drawn(elements.len(), &mut dice),
        2 => (elements.len(), repeated(&elements, &mut dice)),
        _ => {
            let length = (1 << dice.pick(4)).min(elements.len());
            let at = dice.pick(elements.len() - length + 1);
            (at, repeated(&elements[at..at + length], &mut dice))
        }
    };
    let inserted: Vec<u128> = inserted.into_iter().take(MANY).collect();
    with_inserted(code, case, (object, at), inserted, &mut dice)
}

/// The case without a few elements somewhere in one of its sequences; none if it has none.
pub fn shorter(code: &LoadedSubject, case: &Case, seed: u64) -> Option<Case> {
    let mut dice = Dice(seed);
    let mut sequences = sequences(code, case);
    sequences.retain(|(_, length)| *length > 0);
    let (object, length) = *sequences.get(dice.pick(sequences.len()))?;
    let removed = 1 + dice.pick(length.min(FEW));
    let at = dice.pick(length - removed + 1);
    code.edited(case, &Edit { object, at, removed, inserted: Vec::new() })
}

/// The words of a function and of what it calls, as elements of a sequence.
pub fn words(subject: &Subject, function: FunctionId) -> Vec<Vec<u128>> {
    let within = std::iter::once(function).chain(CallGraph::callees_from(subject, function));
    let mut all = BTreeSet::new();
    for words in within.map(|id| subject.function(id)).filter(|one| !one.model).map(|one| &one.words) {
        all.extend(words.numbers.iter().map(|number| vec![*number as u128]));
        all.extend(words.texts.iter().map(|text| text.iter().map(|byte| u128::from(*byte)).collect()));
    }
    all.into_iter().take(MOST_WORDS).collect()
}

/// The case with one of these words somewhere: a number in place of another one, or any of them in one of its sequences, in place of what
/// was there or before it; none if there is no room for it.
pub fn with_word(code: &LoadedSubject, case: &Case, words: &[Vec<u128>], seed: u64) -> Option<Case> {
    let mut dice = Dice(seed);
    if dice.pick(3) == 0 {
        let numbers: Vec<i128> =
            words.iter().filter(|word| word.len() == 1).map(|word| word[0] as i128).collect();
        return code.with_number(case, &numbers, seed);
    }
    let sequences = sequences(code, case);
    let (object, length) = *sequences.get(dice.pick(sequences.len()))?;
    let word = words.get(dice.pick(words.len()))?.clone();
    let at = dice.pick(length + 1);
    if dice.pick(2) == 0 {
        return with_inserted(code, case, (object, at), word, &mut dice);
    }
    let removed = word.len().min(length - at);
    code.edited(case, &Edit { object, at, removed, inserted: word })
}

/// The case with the elements of a sequence of another case before or behind those of its own; none if there are none.
pub fn joined(code: &LoadedSubject, case: &Case, other: &Case, seed: u64) -> Option<Case> {
    let mut dice = Dice(seed);
    let count = case.statements.len().min(other.statements.len());
    let pairs: Vec<(usize, usize, Vec<u128>)> = (0..count)
        .filter_map(|index| Some((index, sequence(code, case, index)?.len(), sequence(code, other, index)?)))
        .filter(|(.., others)| !others.is_empty())
        .collect();
    let (object, end, inserted) = pairs.get(dice.pick(pairs.len()))?.clone();
    let at = if dice.pick(2) == 0 { end } else { 0 };
    with_inserted(code, case, (object, at), inserted, &mut dice)
}

/// The case with the numbers of one object, variable or argument of another case that is made alike; none if they are not made alike.
pub fn mixed(case: &Case, other: &Case, seed: u64) -> Option<Case> {
    let mut dice = Dice(seed);
    let are_alike = case.statements.len() == other.statements.len()
        && case.statements.iter().zip(&other.statements).all(|(one, other)| is_like(one, other));
    let index = dice.pick(case.statements.len());
    let mut mixed = case.clone();
    match (mixed.statements.get_mut(index)?, are_alike.then(|| &other.statements[index])?) {
        (Statement::Object { values, .. }, Statement::Object { values: others, .. })
            if others.iter().all(is_plain) && values.iter().all(is_plain) && values.len() == others.len() =>
        {
            values.clone_from(others);
        }
        (Statement::Set { value, .. }, Statement::Set { value: other, .. })
            if is_plain(value) && is_plain(other) =>
        {
            value.clone_from(other);
        }
        (Statement::Call { arguments, .. }, Statement::Call { arguments: others, .. }) => {
            let place = dice.pick(arguments.len());
            let (argument, other) = (arguments.get_mut(place)?, others.get(place)?);
            if is_plain(argument) && is_plain(other) {
                argument.clone_from(other);
            }
        }
        _ => return None,
    }
    (mixed != *case).then_some(mixed)
}

/// Whether two statements make, set or call the same.
fn is_like(one: &Statement, other: &Statement) -> bool {
    match (one, other) {
        (Statement::Object { element, .. }, Statement::Object { element: other, .. }) => element == other,
        (Statement::Set { global, .. }, Statement::Set { global: other, .. }) => global == other,
        (Statement::Call { function, .. }, Statement::Call { function: other, .. }) => function == other,
        _ => false,
    }
}

/// Whether a value refers to nothing.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Int(_) | Value::Single(_) | Value::Double(_) => true,
        Value::Array(parts) | Value::Record(parts) => parts.iter().all(is_plain),
        _ => false,
    }
}

/// The case with these elements at a place of the sequence of an object.
fn with_inserted(
    code: &LoadedSubject,
    case: &Case,
    (object, at): (usize, usize),
    inserted: Vec<u128>,
    dice: &mut Dice,
) -> Option<Case> {
    let elements = sequence(code, case, object)?.len();
    if elements + inserted.len() > LONGEST {
        return None;
    }
    let (mut case, makes_room) = (case.clone(), dice.pick(2) == 0 && elements + inserted.len() > FEW);
    for other in 0..case.statements.len() {
        // What is read of one may be written to another.
        let grows = other == object || (makes_room && sequence(code, &case, other).is_some());
        let is_counted = grows && counting_argument(code.session.subject(), &case, other).is_some();
        if let (true, false, Statement::Object { values, .. }) =
            (grows, is_counted, &mut case.statements[other])
        {
            values.extend(inserted.iter().map(|_| Value::Int(0)));
        }
    }
    code.edited(&case, &Edit { object, at, removed: 0, inserted })
}

/// The statements of a case that make sequences, and how many elements of each are used.
fn sequences(code: &LoadedSubject, case: &Case) -> Vec<(usize, usize)> {
    let length = |index: usize| Some((index, sequence(code, case, index)?.len()));
    (0..case.statements.len()).filter_map(length).collect()
}

/// The elements of a sequence of integers that are used: as many as an argument says, or all before the zeros that it ends with.
fn sequence(code: &LoadedSubject, case: &Case, object: usize) -> Option<Vec<u128>> {
    let subject = code.session.subject();
    let Statement::Object { element, values } = case.statements.get(object)? else { return None };
    if !matches!(subject.types.get(*element).shape, Shape::Int { .. }) {
        return None;
    }
    let bits = |value: &Value| if let Value::Int(number) = value { *number as u128 } else { 0 };
    let elements: Vec<u128> = values.iter().map(bits).collect();
    let filled = elements.iter().rposition(|element| *element != 0).map_or(0, |last| last + 1);
    let used = counting_argument(subject, case, object).map_or(filled, |(_, used)| used);
    Some(elements[..used.min(elements.len())].to_vec())
}

/// Elements that have nothing to do with those that are there, and where they go.
fn drawn(length: usize, dice: &mut Dice) -> (usize, Vec<u128>) {
    let (at, is_text) = (dice.pick(length + 1), dice.pick(2) == 0);
    let count = 1 + dice.pick(length.clamp(FEW, MANY));
    let mut element =
        || if is_text { LETTERS[dice.pick(LETTERS.len())].into() } else { dice.pick(256) as u128 };
    (at, (0..count).map(|_| element()).collect())
}

/// The elements once more, every other one of them changed: letters and digits to others, numbers a little.
fn repeated(elements: &[u128], dice: &mut Dice) -> Vec<u128> {
    let is_word = |element: u128| u8::try_from(element).is_ok_and(|byte| byte.is_ascii_alphanumeric());
    let mut other = |element: u128| match dice.pick(4) {
        0 | 1 => element,
        _ if is_word(element) => LETTERS[dice.pick(ALPHANUMERIC)].into(),
        2 => element.wrapping_add(1 + dice.pick(FEW) as u128),
        _ => element.wrapping_sub(1 + dice.pick(FEW) as u128),
    };
    elements.iter().map(|element| other(*element)).collect()
}

/// A linear congruential generator (Knuth), of which the upper half is used.
struct Dice(u64);

impl Dice {
    /// A number below `count`; 0 if that is 0.
    fn pick(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count.max(1)
    }
}

//! States: what symbolic execution knows at a point of a path, and how paths that do not differ are merged.

use super::atom::{Atom, Clause, Verdict, either, opposite};
use super::range::Ranges;
use super::term::{TermId, Terms};
use std::collections::HashMap;

/// What a variable holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Slot {
    /// What it held at the node.
    #[default]
    Untouched,
    /// This.
    Known(TermId),
    /// Nobody knows: a loop may have changed it, or it cannot be expressed.
    Destroyed,
}

/// A store on the path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Write {
    /// Where.
    pub address: TermId,
    /// How many bytes; none if the whole object may have changed.
    pub bytes: Option<u64>,
    /// What, if that is known.
    pub value: Option<TermId>,
}

/// A path so far.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct State {
    /// By number of the variable.
    pub slots: Vec<Slot>,
    /// Stores, the last one last.
    pub writes: Vec<Write>,
    /// Whether memory may have changed anywhere.
    pub clobbered: bool,
    /// What has to hold, in the order of the path.
    pub clauses: Vec<Clause>,
    /// Conditions that could not be expressed.
    pub dropped: u32,
}

impl State {
    /// Adds a condition. False if the path is plainly impossible.
    pub fn assume(&mut self, terms: &Terms<'_>, verdict: Verdict) -> bool {
        match verdict {
            Verdict::Always => true,
            Verdict::Never => false,
            Verdict::Clauses(clauses) => clauses.into_iter().all(|clause| {
                let fits = self.allows(terms, &clause);
                self.clauses.push(clause);
                fits
            }),
        }
    }

    /// Whether a clause does not plainly contradict those before.
    fn allows(&self, terms: &Terms<'_>, clause: &Clause) -> bool {
        let [atom] = &clause[..] else { return true };
        let opposite = opposite(atom);
        let contradicts = |other: &Clause| other[..] == [opposite.clone()];
        if self.clauses.iter().any(contradicts) {
            return false;
        }
        let Atom::Integers(_, term, _) = atom else { return true };
        let mut ranges = Ranges::default();
        let single = self.clauses.iter().chain([clause]).filter_map(|clause| match &clause[..] {
            [atom] => Some(atom),
            _ => None,
        });
        single.for_each(|atom| ranges.add(terms, atom));
        !ranges.is_empty(terms, *term)
    }
}

/// Merges states that only differ in what cannot matter: the smaller of two sums is that with the smaller term.
pub fn merge(states: Vec<State>) -> Vec<State> {
    let mut groups: HashMap<State, Vec<Vec<Clause>>> = HashMap::new();
    let mut order = Vec::new();
    for mut state in states {
        let clauses = std::mem::take(&mut state.clauses);
        let group = groups.entry(state.clone()).or_insert_with(|| {
            order.push(state);
            Vec::new()
        });
        group.push(clauses);
    }
    let mut merged = Vec::new();
    for state in order {
        for clauses in merge_clauses(groups.remove(&state).unwrap_or_default()) {
            merged.push(State { clauses, ..state.clone() });
        }
    }
    merged
}

fn merge_clauses(mut list: Vec<Vec<Clause>>) -> Vec<Vec<Clause>> {
    let mut changed = true;
    while std::mem::take(&mut changed) {
        let mut first = 0;
        while first < list.len() {
            let mut second = first + 1;
            while second < list.len() {
                match merged(&list[first], &list[second]) {
                    Some(both) => {
                        list.remove(second);
                        list[first] = both;
                        changed = true;
                    }
                    None => second += 1,
                }
            }
            first += 1;
        }
    }
    list
}

/// One conjunction for two, if they are equal, differ in one clause, or one implies the other.
fn merged(a: &[Clause], b: &[Clause]) -> Option<Vec<Clause>> {
    if a.len() != b.len() {
        let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
        return is_part(short, long).then(|| short.to_vec());
    }
    let mut differ = a.iter().zip(b).enumerate().filter(|(_, (a, b))| a != b);
    let Some((place, (first, second))) = differ.next() else { return Some(a.to_vec()) };
    if differ.next().is_some() {
        return None;
    }
    let mut both = a.to_vec();
    match either(first, second) {
        Some(clause) => both[place] = clause,
        None => drop(both.remove(place)),
    }
    Some(both)
}

/// Whether every clause of the first occurs in the second, in order: then the sum of the first is never larger.
pub fn is_part(short: &[Clause], long: &[Clause]) -> bool {
    let mut rest = long.iter();
    short.iter().all(|clause| rest.any(|other| other == clause))
}

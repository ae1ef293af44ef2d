//! Merging: paths that lead to the same state and differ in conditions that make no difference become one.
//!
//! A run is judged by the smallest sum over all paths, so nothing is lost by these rules. `C` are conditions, `x`, `y` single ones:
//!
//! ```text
//! C x, C y          C (x or y)      the smaller of two sums that differ in one term
//! C, C' x           C               if C' implies C: its sum is never smaller
//! C x, C' not-x     C x, C'         if C' implies C: where x holds, the first sum is not larger
//! ```
//!
//! What a single comparison of an integer with a constant asks for is a set, and its distance is that to the set: the
//! larger set is never farther away. So implied conditions need not be equal ones.

use super::atom::{Clause, either, opposite, single};
use super::range::Ranges;
use super::state::State;
use super::term::Terms;
use std::collections::HashMap;
use std::rc::Rc;

/// Merges states that only differ in what cannot matter. Also says how many pairs there were to compare.
pub fn merge(terms: &Terms<'_>, states: Vec<State>) -> (Vec<State>, u64) {
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
    let (mut merged, mut pairs) = (Vec::new(), 0);
    for state in order {
        let group = groups.remove(&state).unwrap_or_default();
        pairs += (group.len() * group.len()) as u64;
        for clauses in merge_clauses(terms, group) {
            merged.push(State { clauses, ..state.clone() });
        }
    }
    (merged, pairs)
}

fn merge_clauses(terms: &Terms<'_>, list: Vec<Vec<Clause>>) -> Vec<Vec<Clause>> {
    let mut list: Vec<Conjunction> =
        list.into_iter().map(|clauses| Conjunction::new(terms, clauses)).collect();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        let mut first = 0;
        while first < list.len() {
            let mut second = first + 1;
            while second < list.len() {
                match merged(terms, &list[first], &list[second]) {
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
        changed |= absorb_all(terms, &mut list);
    }
    list.into_iter().map(|conjunction| conjunction.clauses).collect()
}

/// Clauses that have to hold, and what they leave to integers.
pub struct Conjunction {
    clauses: Vec<Clause>,
    ranges: Ranges,
}

impl Conjunction {
    /// Of these clauses.
    pub fn new(terms: &Terms<'_>, clauses: Vec<Clause>) -> Conjunction {
        let mut ranges = Ranges::default();
        clauses.iter().filter_map(|clause| single(clause)).for_each(|atom| ranges.add(terms, atom));
        Conjunction { clauses, ranges }
    }

    /// Whether a clause is plainly met where all of these are, and never farther from being met than they are together.
    fn implies(&self, terms: &Terms<'_>, clause: &Clause) -> bool {
        self.clauses.contains(clause) || clause.iter().any(|atom| self.ranges.imply(terms, atom))
    }

    /// Whether the sum of another conjunction is never larger.
    pub fn implies_all(&self, terms: &Terms<'_>, other: &Conjunction) -> bool {
        other.clauses.iter().all(|clause| self.implies(terms, clause))
    }
}

/// One conjunction for two, if they differ in one clause or one implies the other.
fn merged(terms: &Terms<'_>, a: &Conjunction, b: &Conjunction) -> Option<Conjunction> {
    if a.implies_all(terms, b) {
        return Some(Conjunction::new(terms, b.clauses.clone()));
    }
    if b.implies_all(terms, a) {
        return Some(Conjunction::new(terms, a.clauses.clone()));
    }
    if a.clauses.len() != b.clauses.len() {
        return None;
    }
    let mut differ = a.clauses.iter().zip(&b.clauses).enumerate().filter(|(_, (a, b))| a != b);
    let (place, (first, second)) = differ.next()?;
    if differ.next().is_some() {
        return None;
    }
    let mut both = a.clauses.clone();
    match either(first, second) {
        Some(clause) => both[place] = clause,
        None => drop(both.remove(place)),
    }
    Some(Conjunction::new(terms, both))
}

/// Takes out of all conjunctions what others make superfluous. Whether there was something.
fn absorb_all(terms: &Terms<'_>, list: &mut [Conjunction]) -> bool {
    let mut changed = false;
    for from in 0..list.len() {
        for by in 0..list.len() {
            if let Some(clauses) = (from != by).then(|| absorbed(terms, &list[from], &list[by])).flatten() {
                list[from] = Conjunction::new(terms, clauses);
                changed = true;
            }
        }
    }
    changed
}

/// The clauses without the opposite of the one clause in which they do not imply another conjunction.
fn absorbed(terms: &Terms<'_>, conjunction: &Conjunction, by: &Conjunction) -> Option<Vec<Clause>> {
    let mut missing = by.clauses.iter().filter(|clause| !conjunction.implies(terms, clause));
    let clause = missing.next().filter(|_| missing.next().is_none())?;
    let opposites: Vec<Clause> = clause.iter().map(|atom| Rc::from([opposite(atom)])).collect();
    let has_all = opposites.iter().all(|opposite| conjunction.clauses.contains(opposite));
    has_all
        .then(|| conjunction.clauses.iter().filter(|clause| !opposites.contains(clause)).cloned().collect())
}

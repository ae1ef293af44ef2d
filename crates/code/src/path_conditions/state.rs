//! States: what symbolic execution knows at a point of a path.

use super::atom::{Atom, Clause, Verdict, opposite, single};
use super::range::{Ranges, bare};
use super::term::{TermId, Terms};

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
            Verdict::Clauses(clauses) => clauses.into_iter().all(|clause| self.add(terms, clause)),
        }
    }

    /// Adds a clause unless others imply it, and takes out those that it implies: the fewer clauses there are, the more paths
    /// turn out not to differ. False if it plainly contradicts others.
    fn add(&mut self, terms: &Terms<'_>, clause: Clause) -> bool {
        if self.clauses.contains(&clause) {
            return true;
        }
        let [atom] = &clause[..] else {
            self.clauses.push(clause);
            return true;
        };
        let opposite = opposite(atom);
        let mut ranges = Ranges::default();
        for other in self.clauses.iter().filter_map(|clause| single(clause)) {
            if *other == opposite {
                return false;
            }
            ranges.add(terms, other);
        }
        if ranges.imply(terms, atom) {
            return true;
        }
        ranges.add(terms, atom);
        let Some(term) = atom.integer() else {
            self.clauses.push(clause);
            return true;
        };
        if ranges.is_empty(terms, term) {
            return false;
        }
        self.remove_implied(terms, atom, bare(terms, term));
        self.clauses.push(clause);
        true
    }

    /// Takes out the clauses about a term that an atom implies, together with the others about it.
    fn remove_implied(&mut self, terms: &Terms<'_>, atom: &Atom, term: TermId) {
        let is_about = |other: &Atom| other.integer().is_some_and(|other| bare(terms, other) == term);
        for index in (0..self.clauses.len()).rev() {
            let Some(asked) = single(&self.clauses[index]).filter(|other| is_about(other)) else { continue };
            let mut ranges = Ranges::default();
            ranges.add(terms, atom);
            let others = self.clauses.iter().enumerate().filter(|(other, _)| *other != index);
            others
                .filter_map(|(_, clause)| single(clause).filter(|other| is_about(other)))
                .for_each(|other| ranges.add(terms, other));
            if ranges.imply(terms, asked) {
                self.clauses.remove(index);
            }
        }
    }
}

//! Ranges: which values conditions leave to integers, with and without wrapping.
//!
//! A path whose conditions leave nothing is impossible. One whose conditions leave nothing unless a computation wraps
//! is worse for a sum of distances: `x >= 0`, `y < 0` and `x - y < 0` pull against each other until `x - y` overflows.
//! Its target is better searched for one condition at a time.

use super::atom::{Atom, Clause};
use super::term::{Term, TermId, Terms};
use std::collections::HashMap;
use testwright_base::site::sign_extend;
use testwright_llvm::{IntPredicate, Opcode};

/// Wider integers are not looked at.
const WIDEST: u32 = 64;
/// How deep terms are looked into.
const DEPTH: u32 = 12;

/// What conditions say about terms.
#[derive(Debug, Default)]
pub struct Ranges {
    /// Least and most, read with a sign.
    bounds: HashMap<TermId, (i128, i128)>,
    /// Least and most, read without one.
    unsigned: HashMap<TermId, (u128, u128)>,
    /// Values that are excluded.
    holes: Vec<(TermId, i128)>,
}

/// What a path condition comes to in arithmetic that does not wrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prospect {
    /// Nothing speaks against it.
    Possible,
    /// It cannot hold.
    Impossible,
    /// It can hold only if the computation in the clause with this index wraps.
    OnlyByWrapping(usize),
}

/// A range, and whether the computation may have left the range of its type on the way.
#[derive(Debug, Clone, Copy)]
struct Range {
    low: i128,
    high: i128,
    wraps: bool,
}

impl Ranges {
    /// Takes note of a comparison with a constant.
    pub fn add(&mut self, terms: &Terms<'_>, atom: &Atom) {
        use IntPredicate::*;
        if let Atom::OneOf(term, cases) = atom
            && let ([case], Some(whole)) = (&cases[..], of_type(terms, *term))
        {
            let case = sign_extend(*case, terms.width(*term));
            let bounds = self.bounds.entry(bare(terms, *term)).or_insert(whole);
            *bounds = (bounds.0.max(case), bounds.1.min(case));
        }
        let Atom::Integers(relation, term, constant) = atom else { return };
        let (Some(bits), Some(whole)) = (terms.integer(*constant), of_type(terms, *term)) else { return };
        self.add_unsigned(terms, relation.predicate(), *term, bits);
        let constant = sign_extend(bits, terms.width(*term));
        let (low, high) = match relation.predicate() {
            LLVMIntEQ => (constant, constant),
            LLVMIntNE => return self.holes.push((bare(terms, *term), constant)),
            LLVMIntSGT => (constant + 1, whole.1),
            LLVMIntSGE => (constant, whole.1),
            LLVMIntSLT => (whole.0, constant - 1),
            LLVMIntSLE => (whole.0, constant),
            // What is below a number without a sign is not negative.
            LLVMIntULT if constant >= 0 => (0, constant - 1),
            LLVMIntULE if constant >= 0 => (0, constant),
            LLVMIntUGT | LLVMIntUGE | LLVMIntULT | LLVMIntULE => return,
        };
        let bounds = self.bounds.entry(bare(terms, *term)).or_insert(whole);
        *bounds = (bounds.0.max(low), bounds.1.min(high));
    }

    fn add_unsigned(&mut self, terms: &Terms<'_>, predicate: IntPredicate, term: TermId, constant: u128) {
        use IntPredicate::*;
        let most = u128::MAX >> (128 - terms.width(term));
        let (low, high) = match predicate {
            LLVMIntEQ => (constant, constant),
            // Nothing is less than 0.
            LLVMIntULT => constant.checked_sub(1).map_or((1, 0), |high| (0, high)),
            LLVMIntULE => (0, constant),
            LLVMIntUGT => (constant + 1, most),
            LLVMIntUGE => (constant, most),
            _ => return,
        };
        let bounds = self.unsigned.entry(term).or_insert((0, most));
        *bounds = (bounds.0.max(low), bounds.1.min(high));
    }

    /// Whether nothing is left for a term.
    pub fn is_empty(&self, terms: &Terms<'_>, term: TermId) -> bool {
        if self.unsigned.get(&term).is_some_and(|(low, high)| low > high) {
            return true;
        }
        let Some((low, high)) = self.known(terms, term).or_else(|| of_type(terms, term)) else {
            return false;
        };
        low > high || low == high && self.holes.contains(&(bare(terms, term), low))
    }

    /// Whether what is left for a term always meets a condition.
    pub fn imply(&self, terms: &Terms<'_>, atom: &Atom) -> bool {
        use IntPredicate::*;
        let Some(term) = atom.integer() else { return false };
        if let (Atom::Integers(relation, _, constant), Some(&(low, high))) = (atom, self.unsigned.get(&term))
            && let Some(constant) = terms.integer(*constant)
        {
            let is_met = match relation.predicate() {
                LLVMIntEQ => low == constant && high == constant,
                LLVMIntNE => constant < low || high < constant,
                LLVMIntUGT => low > constant,
                LLVMIntUGE => low >= constant,
                LLVMIntULT => high < constant,
                LLVMIntULE => high <= constant,
                _ => false,
            };
            if is_met {
                return true;
            }
        }
        let Some((low, high)) = self.known(terms, term) else { return false };
        let width = terms.width(term);
        let lies_inside = |case: &u128| (low..=high).contains(&sign_extend(*case, width));
        match atom {
            Atom::Integers(relation, _, constant) => {
                let Some(constant) = terms.signed(*constant) else { return false };
                match relation.predicate() {
                    LLVMIntEQ => low == constant && high == constant,
                    LLVMIntNE => constant < low || high < constant,
                    LLVMIntSGT => low > constant,
                    LLVMIntSGE => low >= constant,
                    LLVMIntSLT => high < constant,
                    LLVMIntSLE => high <= constant,
                    LLVMIntULT => low >= 0 && constant >= 0 && high < constant,
                    LLVMIntULE => low >= 0 && constant >= 0 && high <= constant,
                    LLVMIntUGT => constant >= 0 && low > constant,
                    LLVMIntUGE => constant >= 0 && low >= constant,
                }
            }
            Atom::OneOf(_, cases) => low == high && cases.iter().any(lies_inside),
            Atom::NoneOf(_, cases) => !cases.iter().any(lies_inside),
            Atom::Floats(..) | Atom::Bit(..) => false,
        }
    }

    /// What is left for a term, whether it wraps or not.
    fn known(&self, terms: &Terms<'_>, term: TermId) -> Option<(i128, i128)> {
        match self.range(terms, term, DEPTH)? {
            range if range.wraps => self.bounds.get(&bare(terms, term)).copied(),
            range => Some((range.low, range.high)),
        }
    }

    fn range(&self, terms: &Terms<'_>, term: TermId, depth: u32) -> Option<Range> {
        let whole = of_type(terms, term)?;
        let (low, high) = self.bounds.get(&bare(terms, term)).copied().unwrap_or(whole);
        let (low, high) = (low.max(whole.0), high.min(whole.1));
        match self.computed(terms, term, depth) {
            // Bounds of the result hold after wrapping; they say nothing about what is computed.
            Some(range) if range.wraps => Some(range),
            Some(range) => Some(Range { low: range.low.max(low), high: range.high.min(high), ..range }),
            None => Some(Range { low, high, wraps: false }),
        }
    }

    /// The range of the result of a computation that does not wrap.
    fn computed(&self, terms: &Terms<'_>, term: TermId, depth: u32) -> Option<Range> {
        if depth == 0 {
            return None;
        }
        let (type_low, type_high) = of_type(terms, term)?;
        let of = |term: TermId| self.range(terms, term, depth - 1);
        let range = match *terms.get(term) {
            Term::Int(_) => {
                let value = terms.signed(term)?;
                Range { low: value, high: value, wraps: false }
            }
            Term::Binary(Opcode::LLVMAdd, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                Range { low: a.low + b.low, high: a.high + b.high, wraps: a.wraps || b.wraps }
            }
            Term::Binary(Opcode::LLVMSub, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                Range { low: a.low - b.high, high: a.high - b.low, wraps: a.wraps || b.wraps }
            }
            Term::Binary(Opcode::LLVMMul, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                let pairs = [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)];
                let products: Option<Vec<i128>> = pairs.iter().map(|(a, b)| a.checked_mul(*b)).collect();
                let (low, high) = (products.iter().flatten().min()?, products.iter().flatten().max()?);
                Range { low: *low, high: *high, wraps: a.wraps || b.wraps }
            }
            Term::Cast(Opcode::LLVMSExt | Opcode::LLVMTrunc, a) => of(a)?,
            Term::Cast(Opcode::LLVMZExt, a) => match of(a)? {
                range if range.low >= 0 && !range.wraps => range,
                // Whatever it was before, it has so many bits.
                _ => Range { low: 0, high: (1 << terms.width(a)) - 1, wraps: false },
            },
            _ => return None,
        };
        let wraps = range.wraps || range.low < type_low || range.high > type_high;
        // Products of products would leave what 128 bits hold.
        (range.low > -(1 << 100) && range.high < 1 << 100).then_some(Range { wraps, ..range })
    }
}

/// The clauses without those that others imply: `x != 1` beside `x == 2` says nothing, but its distance would be a wall
/// that a search for 2 has to climb over.
pub fn without_implied(terms: &Terms<'_>, mut clauses: Vec<Clause>) -> Vec<Clause> {
    let mut index = clauses.len();
    while index > 0 {
        index -= 1;
        let others = clauses.iter().enumerate().filter(|(other, _)| *other != index);
        let mut ranges = Ranges::default();
        let single =
            others.filter_map(|(_, clause)| if let [atom] = &clause[..] { Some(atom) } else { None });
        let mut is_repeated = false;
        for atom in single {
            ranges.add(terms, atom);
            is_repeated |= clauses[index][..] == [atom.clone()];
        }
        if is_repeated || clauses[index].iter().any(|atom| ranges.imply(terms, atom)) {
            clauses.remove(index);
        }
    }
    clauses
}

/// What the clauses of a path come to.
pub fn prospect(terms: &Terms<'_>, clauses: &[Clause]) -> Prospect {
    let single: Vec<(usize, &Atom)> = clauses
        .iter()
        .enumerate()
        .filter_map(|(index, clause)| match &clause[..] {
            [atom] => Some((index, atom)),
            _ => None,
        })
        .collect();
    for (index, atom) in &single {
        let Atom::Integers(relation, a, b) = atom else { continue };
        let mut ranges = Ranges::default();
        single.iter().filter(|(other, _)| other != index).for_each(|(_, atom)| ranges.add(terms, atom));
        let (Some(a), Some(b)) = (ranges.range(terms, *a, DEPTH), ranges.range(terms, *b, DEPTH)) else {
            continue;
        };
        if is_impossible(relation.predicate(), a, b) {
            let wraps = a.wraps || b.wraps;
            return if wraps { Prospect::OnlyByWrapping(*index) } else { Prospect::Impossible };
        }
    }
    Prospect::Possible
}

fn is_impossible(predicate: IntPredicate, a: Range, b: Range) -> bool {
    match predicate {
        IntPredicate::LLVMIntEQ => a.high < b.low || b.high < a.low,
        IntPredicate::LLVMIntSGT => a.high <= b.low,
        IntPredicate::LLVMIntSGE => a.high < b.low,
        IntPredicate::LLVMIntSLT => a.low >= b.high,
        IntPredicate::LLVMIntSLE => a.low > b.high,
        _ => false,
    }
}

/// The integer that a term extends: with its sign it is the same number.
pub fn bare(terms: &Terms<'_>, mut term: TermId) -> TermId {
    while let Term::Cast(Opcode::LLVMSExt, inner) = terms.get(term) {
        term = *inner;
    }
    term
}

/// The values of a term's type, read with a sign.
fn of_type(terms: &Terms<'_>, term: TermId) -> Option<(i128, i128)> {
    let width = terms.width(term);
    let most = (1i128 << width.clamp(1, WIDEST).saturating_sub(1)) - 1;
    (2..=WIDEST).contains(&width).then_some((-most - 1, most))
}

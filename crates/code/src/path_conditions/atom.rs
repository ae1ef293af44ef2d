//! Atoms and clauses: the conditions of a path, in a form in which equal ones look equal.
//!
//! A path condition is a conjunction of clauses. A branch gives a clause of one atom; where two paths differ only in
//! one clause, they are one path with the disjunction of both, because the smaller of two sums that differ in one
//! term is the sum with the smaller term.

use super::term::{Term, TermId, Terms, holds};
use crate::predicate::{inverse, mirrored};
use std::rc::Rc;
use testwright_llvm::{IntPredicate, Opcode, RealPredicate};

/// A condition on terms.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// A comparison of integers or pointers that is to hold.
    Integers(Relation, TermId, TermId),
    /// A comparison of floats that is to hold or not.
    Floats(u32, TermId, TermId, bool),
    /// A bit that is to be set or not.
    Bit(TermId, bool),
    /// A value that is to be one of these, as bits in ascending order.
    OneOf(TermId, Rc<[u128]>),
    /// A value that is to be none of these.
    NoneOf(TermId, Rc<[u128]>),
}

impl Atom {
    /// The integer that it compares with constants or others.
    pub fn integer(&self) -> Option<TermId> {
        match self {
            Atom::Integers(_, term, _) | Atom::OneOf(term, _) | Atom::NoneOf(term, _) => Some(*term),
            Atom::Floats(..) | Atom::Bit(..) => None,
        }
    }
}

/// A predicate on integers, by LLVM's number, so that it can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Relation(u32);

/// A disjunction of atoms, in ascending order.
pub type Clause = Rc<[Atom]>;

/// The atom of a clause that has only one.
pub fn single(clause: &Clause) -> Option<&Atom> {
    match &clause[..] {
        [atom] => Some(atom),
        _ => None,
    }
}

const PREDICATES: [IntPredicate; 10] = [
    IntPredicate::LLVMIntEQ,
    IntPredicate::LLVMIntNE,
    IntPredicate::LLVMIntUGT,
    IntPredicate::LLVMIntUGE,
    IntPredicate::LLVMIntULT,
    IntPredicate::LLVMIntULE,
    IntPredicate::LLVMIntSGT,
    IntPredicate::LLVMIntSGE,
    IntPredicate::LLVMIntSLT,
    IntPredicate::LLVMIntSLE,
];

const REAL_PREDICATES: [RealPredicate; 16] = [
    RealPredicate::LLVMRealPredicateFalse,
    RealPredicate::LLVMRealOEQ,
    RealPredicate::LLVMRealOGT,
    RealPredicate::LLVMRealOGE,
    RealPredicate::LLVMRealOLT,
    RealPredicate::LLVMRealOLE,
    RealPredicate::LLVMRealONE,
    RealPredicate::LLVMRealORD,
    RealPredicate::LLVMRealUNO,
    RealPredicate::LLVMRealUEQ,
    RealPredicate::LLVMRealUGT,
    RealPredicate::LLVMRealUGE,
    RealPredicate::LLVMRealULT,
    RealPredicate::LLVMRealULE,
    RealPredicate::LLVMRealUNE,
    RealPredicate::LLVMRealPredicateTrue,
];

impl Relation {
    /// The relation of a predicate.
    pub fn of(predicate: IntPredicate) -> Relation {
        Relation(predicate as u32)
    }

    /// The predicate.
    pub fn predicate(self) -> IntPredicate {
        let found = PREDICATES.into_iter().find(|predicate| *predicate as u32 == self.0);
        found.unwrap_or(IntPredicate::LLVMIntEQ)
    }
}

/// The predicate on floats with LLVM's number.
pub fn real_predicate(number: u32) -> RealPredicate {
    let found = REAL_PREDICATES.into_iter().find(|predicate| *predicate as u32 == number);
    found.unwrap_or(RealPredicate::LLVMRealOEQ)
}

/// What a condition comes to.
pub enum Verdict {
    /// It holds always: nothing to ask for.
    Always,
    /// It never holds: the path is impossible.
    Never,
    /// All of these clauses.
    Clauses(Vec<Clause>),
}

/// The condition that the bit `term` is `wanted`.
pub fn condition(terms: &Terms<'_>, term: TermId, wanted: bool) -> Verdict {
    match *terms.get(term) {
        Term::Int(bits) => {
            if (bits != 0) == wanted {
                Verdict::Always
            } else {
                Verdict::Never
            }
        }
        Term::Compare(predicate, a, b) => comparison(terms, predicate, a, b, wanted),
        Term::CompareFloats(predicate, a, b) => one(Atom::Floats(predicate as u32, a, b, wanted)),
        Term::Binary(Opcode::LLVMXor, a, b) if terms.integer(b) == Some(1) => condition(terms, a, !wanted),
        Term::Binary(Opcode::LLVMXor, a, b) if terms.integer(a) == Some(1) => condition(terms, b, !wanted),
        Term::Binary(Opcode::LLVMAnd, a, b) => connected(terms, term, a, b, wanted, wanted),
        Term::Binary(Opcode::LLVMOr, a, b) => connected(terms, term, a, b, wanted, !wanted),
        Term::Select(c, a, b) if terms.integer(b) == Some(0) => connected(terms, term, c, a, wanted, wanted),
        Term::Select(c, a, b) if terms.integer(a) == Some(1) => connected(terms, term, c, b, wanted, !wanted),
        _ => one(Atom::Bit(term, wanted)),
    }
}

fn one(atom: Atom) -> Verdict {
    Verdict::Clauses(vec![Rc::from([atom])])
}

fn comparison(terms: &Terms<'_>, predicate: IntPredicate, a: TermId, b: TermId, wanted: bool) -> Verdict {
    // Unoptimised code widens the result of a comparison and compares it with zero again.
    if let (Some(0), Term::Cast(Opcode::LLVMZExt | Opcode::LLVMSExt, bit)) = (terms.integer(b), terms.get(a))
        && terms.width(*bit) == 1
        && matches!(predicate, IntPredicate::LLVMIntEQ | IntPredicate::LLVMIntNE)
    {
        return condition(terms, *bit, wanted == (predicate == IntPredicate::LLVMIntNE));
    }
    let predicate = if wanted { predicate } else { inverse(predicate) };
    if a == b {
        return if holds(predicate, 0, 0, 1) { Verdict::Always } else { Verdict::Never };
    }
    let swap = terms.integer(a).is_some() || terms.integer(b).is_none() && a > b;
    one(if swap {
        Atom::Integers(Relation::of(mirrored(predicate)), b, a)
    } else {
        Atom::Integers(Relation::of(predicate), a, b)
    })
}

/// Both bits are to be `wanted`, or one of them suffices.
fn connected(terms: &Terms<'_>, whole: TermId, a: TermId, b: TermId, wanted: bool, both: bool) -> Verdict {
    if terms.width(whole) != 1 {
        return one(Atom::Bit(whole, wanted));
    }
    match (condition(terms, a, wanted), condition(terms, b, wanted), both) {
        (Verdict::Never, _, true) | (_, Verdict::Never, true) => Verdict::Never,
        (Verdict::Always, other, true) | (other, Verdict::Always, true) => other,
        (Verdict::Always, _, false) | (_, Verdict::Always, false) => Verdict::Always,
        (Verdict::Never, other, false) | (other, Verdict::Never, false) => other,
        (Verdict::Clauses(mut first), Verdict::Clauses(second), true) => {
            first.extend(second);
            Verdict::Clauses(first)
        }
        (Verdict::Clauses(first), Verdict::Clauses(second), false) => match (&first[..], &second[..]) {
            ([first], [second]) => match either(first, second) {
                Some(clause) => Verdict::Clauses(vec![clause]),
                None => Verdict::Always,
            },
            _ => one(Atom::Bit(whole, wanted)),
        },
    }
}

/// The condition that a switch takes one of its cases, or none of them.
pub fn switched(terms: &Terms<'_>, value: TermId, cases: &[u128], is_default: bool) -> Verdict {
    if let Some(bits) = terms.integer(value) {
        return if cases.contains(&bits) == is_default { Verdict::Never } else { Verdict::Always };
    }
    let mut cases = cases.to_vec();
    cases.sort_unstable();
    one(if is_default { Atom::NoneOf(value, cases.into()) } else { Atom::OneOf(value, cases.into()) })
}

/// The disjunction of two clauses; none if it holds always.
pub fn either(first: &Clause, second: &Clause) -> Option<Clause> {
    let mut atoms: Vec<Atom> = Vec::new();
    for atom in first.iter().chain(second.iter()) {
        match atoms.iter().position(|other| joined(other, atom).is_some()) {
            Some(place) => {
                let both = joined(&atoms.remove(place), atom).flatten()?;
                atoms.push(both);
            }
            None => atoms.push(atom.clone()),
        }
    }
    atoms.sort_unstable();
    atoms.dedup();
    let holds_always = atoms.iter().any(|atom| atoms.contains(&opposite(atom)));
    (!holds_always).then(|| atoms.into())
}

/// One atom for two that are about cases of the same value, if they are: `Some(None)` if one of both holds always.
fn joined(a: &Atom, b: &Atom) -> Option<Option<Atom>> {
    match (a, b) {
        (Atom::OneOf(value, first), Atom::OneOf(other, second)) if value == other => {
            let mut both = [&first[..], &second[..]].concat();
            both.sort_unstable();
            both.dedup();
            Some(Some(Atom::OneOf(*value, both.into())))
        }
        (Atom::NoneOf(value, out), Atom::OneOf(other, back))
        | (Atom::OneOf(other, back), Atom::NoneOf(value, out))
            if value == other =>
        {
            let rest: Vec<u128> = out.iter().copied().filter(|case| !back.contains(case)).collect();
            Some((!rest.is_empty()).then(|| Atom::NoneOf(*value, rest.into())))
        }
        _ => None,
    }
}

/// The atom that holds exactly when this one does not.
pub fn opposite(atom: &Atom) -> Atom {
    match atom {
        Atom::Integers(relation, a, b) => Atom::Integers(Relation::of(inverse(relation.predicate())), *a, *b),
        Atom::Floats(predicate, a, b, wanted) => Atom::Floats(*predicate, *a, *b, !wanted),
        Atom::Bit(term, wanted) => Atom::Bit(*term, !wanted),
        Atom::OneOf(value, cases) => Atom::NoneOf(*value, Rc::clone(cases)),
        Atom::NoneOf(value, cases) => Atom::OneOf(*value, Rc::clone(cases)),
    }
}

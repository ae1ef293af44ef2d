//! Programs: the constraints of a query, flattened so that they can be evaluated thousands of times.
//!
//! The expressions under the constraints become a list, operands before users, each with its operands' places
//! in that list. Conditions are more than numbers: a place whose value is either 0 or one other value is a
//! *truth*, and its [`Rule`] says how far it is from being true or false given how far its operands are.

use std::collections::HashMap;

use testwright_abi::expr::Op;

use super::{Input, Model, Query};
use crate::expr::{Expr, ExprId, Exprs, mask};
use crate::path::Constraint;

/// How the distances of a truth follow from its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// Not a truth.
    Number,
    /// A truth about which nothing is known but its value.
    Opaque,
    /// A comparison or another predicate of numbers.
    Compare,
    /// As true as this operand.
    Same(usize),
    /// As true as this operand is false.
    Opposite(usize),
    /// True if both operands are.
    Both,
    /// True if one of the operands is.
    Either,
    /// True if the operands differ.
    Differ,
    /// True if the operands agree.
    Agree,
    /// As the second operand if the first is true, else as the third.
    Choose,
}

/// One expression of a program.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) expr: Expr,
    /// Where the operands are.
    pub(super) operands: [u32; 3],
    pub(super) arity: u8,
    /// Whether it depends on an input.
    pub(super) is_symbolic: bool,
    pub(super) rule: Rule,
    /// The value of a truth that is true; 0 if it is not a truth.
    pub(super) one: u128,
}

impl Place {
    pub(super) fn operand(&self, place: usize) -> usize {
        self.operands[place] as usize
    }

    pub(super) fn operands(&self) -> impl Iterator<Item = usize> + use<> {
        let Place { operands, arity, .. } = *self;
        (0..usize::from(arity)).map(move |place| operands[place] as usize)
    }
}

/// An input that the constraints mention.
#[derive(Debug, Clone, Copy)]
pub(super) struct Variable {
    /// The number of the input.
    pub(super) index: u32,
    pub(super) place: u32,
    pub(super) input: Input,
    /// Its value in the run.
    pub(super) current: u128,
}

/// What is wanted of a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wish {
    /// That the truth is true.
    True,
    /// That the truth is false.
    False,
    /// That it has this value.
    Equals(u128),
    /// That it has none of these values.
    NoneOf(Vec<u128>),
    /// That it has one of these values.
    OneOf(Vec<u128>),
}

/// A constraint: what is wanted, and where.
#[derive(Debug, Clone)]
pub(super) struct Goal {
    pub(super) place: usize,
    pub(super) wish: Wish,
}

/// A compiled query.
#[derive(Debug, Clone)]
pub(super) struct Program<'q> {
    pub(super) exprs: &'q Exprs,
    pub(super) places: Vec<Place>,
    /// By number of the input.
    pub(super) variables: Vec<Variable>,
    /// In the order of the constraints.
    pub(super) goals: Vec<Goal>,
}

impl<'q> Program<'q> {
    /// Compiles the constraints of a query.
    pub(super) fn new(query: &Query<'q>) -> Program<'q> {
        let exprs = query.exprs;
        let roots = query.constraints.iter().filter_map(Constraint::expr);
        let (ids, slots) = reachable(exprs, roots);
        let mut program =
            Program { exprs, places: Vec::with_capacity(ids.len()), variables: vec![], goals: vec![] };
        for &id in &ids {
            program.add(query, id, &slots);
        }
        program.variables.sort_by_key(|variable| variable.index);
        for constraint in query.constraints {
            if let Some(id) = constraint.expr() {
                let place = slots[&id] as usize;
                let wish = program.wish(place, constraint);
                program.goals.push(Goal { place, wish });
            }
        }
        program
    }

    fn add(&mut self, query: &Query<'q>, id: ExprId, slots: &HashMap<ExprId, u32, Fast>) {
        let expr = *query.exprs.get(id);
        let mut operands = [0; 3];
        let mut arity = 0;
        let mut is_symbolic = expr.op == Op::Input;
        for (slot, operand) in operands.iter_mut().zip(expr.operands()) {
            *slot = slots[&operand];
            arity += 1;
            is_symbolic |= self.places[*slot as usize].is_symbolic;
        }
        if let Some(index) = expr.input() {
            let place = self.places.len() as u32;
            let (input, current) =
                (query.input(index, expr.width()), query.value(index) & mask(expr.width()));
            self.variables.push(Variable { index, place, input, current });
        }
        let mut place = Place { expr, operands, arity, is_symbolic, rule: Rule::Number, one: 0 };
        (place.rule, place.one) = self.rule(&place);
        self.places.push(place);
    }

    /// What a constraint wants of its place; truths are wanted true or false.
    fn wish(&self, place: usize, constraint: &Constraint) -> Wish {
        let one = self.places[place].one;
        match constraint {
            Constraint::IsTrue(_) => Wish::True,
            Constraint::IsFalse(_) => Wish::False,
            Constraint::Equals(_, 0) if one != 0 => Wish::False,
            Constraint::Equals(_, value) if one == *value && one != 0 => Wish::True,
            Constraint::Equals(_, value) => Wish::Equals(*value),
            Constraint::NoneOf(_, values) => Wish::NoneOf(values.clone()),
            Constraint::OneOf(_, values) => Wish::OneOf(values.clone()),
            Constraint::Nothing => Wish::NoneOf(vec![]),
        }
    }

    /// The value of a place that depends on no input, as the run recorded it.
    pub(super) fn constant(&self, place: usize) -> Option<u128> {
        let place = &self.places[place];
        (!place.is_symbolic).then_some(place.expr.value)
    }

    /// The variable that is this input.
    pub(super) fn variable_of(&self, index: u32) -> Option<usize> {
        self.variables.binary_search_by_key(&index, |variable| variable.index).ok()
    }

    /// The width of a place.
    pub(super) fn width(&self, place: usize) -> u32 {
        self.places[place].expr.width()
    }

    /// The inputs that `values`, one per variable, changes.
    pub(super) fn model(&self, values: impl Iterator<Item = u128>) -> Model {
        let changed =
            self.variables.iter().zip(values).filter(|(variable, value)| variable.current != *value);
        changed.map(|(variable, value)| (variable.index, value)).collect()
    }

    /// Whether a place can take the part of a truth that is `one` when true.
    fn fits_truth(&self, place: usize, one: u128) -> bool {
        self.places[place].one == one || self.constant(place).is_some_and(|value| value == 0 || value == one)
    }

    fn rule(&self, place: &Place) -> (Rule, u128) {
        let width = place.expr.width();
        let one = |operand: usize| self.places[place.operand(operand)].one;
        let constant = |operand: usize| self.constant(place.operand(operand));
        let found = match place.expr.op {
            Op::Not if width == 1 => Some((Rule::Opposite(0), 1)),
            Op::ZExt => Some((Rule::Same(0), one(0))),
            Op::SExt => {
                let narrow = self.width(place.operand(0));
                let extended = (one(0) << (128 - narrow)) as i128 >> (128 - narrow);
                Some((Rule::Same(0), extended as u128 & mask(width)))
            }
            Op::Extract => Some((Rule::Same(0), one(0) >> place.expr.low_bit().unwrap_or(0) & mask(width))),
            Op::And | Op::Or | Op::Xor | Op::Eq => self.binary(place, one(0), constant(1)).or_else(|| {
                let mut turned = *place;
                turned.operands.swap(0, 1);
                self.binary(&turned, one(1), constant(0)).map(|(rule, one)| (rule.turned(), one))
            }),
            Op::Ite => self.choice(place),
            _ => None,
        };
        match found {
            Some((rule, one)) if one != 0 => (rule, one),
            _ if width > 1 => (Rule::Number, 0),
            _ if place.expr.op.is_predicate() => (Rule::Compare, 1),
            _ => (Rule::Opaque, 1),
        }
    }

    /// The rule of a symmetric operation whose first operand is a truth that is `one` when true.
    fn binary(&self, place: &Place, one: u128, constant: Option<u128>) -> Option<(Rule, u128)> {
        let other = place.operand(1);
        let alike = one != 0 && self.places[other].one == one;
        Some(match (place.expr.op, constant) {
            _ if one == 0 => return None,
            (Op::And, Some(value)) => (Rule::Same(0), one & value),
            (Op::Xor, Some(value)) if value == one => (Rule::Opposite(0), one),
            (Op::Eq, Some(0)) => (Rule::Opposite(0), 1),
            (Op::Eq, Some(value)) if value == one => (Rule::Same(0), 1),
            (Op::And, None) if self.places[other].one & one != 0 => {
                (Rule::Both, self.places[other].one & one)
            }
            (Op::Or, None) if alike => (Rule::Either, one),
            (Op::Xor, None) if alike => (Rule::Differ, one),
            (Op::Eq, None) if alike => (Rule::Agree, 1),
            _ => return None,
        })
    }

    fn choice(&self, place: &Place) -> Option<(Rule, u128)> {
        let [then, other] = [place.operand(1), place.operand(2)];
        let candidates = [self.places[then].one, self.places[other].one];
        if let Some(&one) = candidates.iter().find(|&&one| one != 0)
            && self.fits_truth(then, one)
            && self.fits_truth(other, one)
        {
            return Some((Rule::Choose, one));
        }
        match (self.constant(then), self.constant(other)) {
            (Some(one), Some(0)) => Some((Rule::Same(0), one)),
            (Some(0), Some(one)) => Some((Rule::Opposite(0), one)),
            _ => None,
        }
    }
}

impl Rule {
    /// The rule after the operands were exchanged.
    fn turned(self) -> Rule {
        match self {
            Rule::Same(0) => Rule::Same(1),
            Rule::Opposite(0) => Rule::Opposite(1),
            other => other,
        }
    }
}

/// Handles are small and spread well by one multiplication.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Fast;

/// See [`Fast`].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FastHasher(u64);

impl std::hash::BuildHasher for Fast {
    type Hasher = FastHasher;
    fn build_hasher(&self) -> FastHasher {
        FastHasher(0)
    }
}

impl std::hash::Hasher for FastHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(u32::from(byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Everything the roots are made of, operands first, and where each is in that list. An input that has several
/// handles has one place.
fn reachable(
    exprs: &Exprs,
    roots: impl Iterator<Item = ExprId>,
) -> (Vec<ExprId>, HashMap<ExprId, u32, Fast>) {
    let mut slots: HashMap<ExprId, u32, Fast> = HashMap::default();
    let mut ids = vec![];
    let mut waiting: Vec<ExprId> = roots.collect();
    while let Some(id) = waiting.pop() {
        if let std::collections::hash_map::Entry::Vacant(entry) = slots.entry(id) {
            entry.insert(0);
            ids.push(id);
            waiting.extend(exprs.get(id).operands());
        }
    }
    ids.sort_unstable();
    let mut inputs: HashMap<u32, u32> = HashMap::new();
    let mut place = 0;
    ids.retain(|id| {
        let next = place;
        let slot = exprs.get(*id).input().map_or(next, |index| *inputs.entry(index).or_insert(next));
        slots.insert(*id, slot);
        let is_new = slot == next;
        place += u32::from(is_new);
        is_new
    });
    (ids, slots)
}

//! Boundary: values right at the border between the two ways of a comparison, and values away from it.
//!
//! An order (`a < b`) has two goals at each outcome: *at the border*, where the least change of a side would turn the outcome, and *past
//! the border*. Where two numbers are found unequal they differ by one, one goal for each direction. For floats the number next to
//! `b` is the next one that can be represented. Pointers have no borders: which addresses are neighbours is no business of the code.

use super::Criterion;
use crate::execute::Traced;
use testwright_abi::expr::Op;
use testwright_base::goal::Goal;
use testwright_base::ids::SiteId;
use testwright_base::site::{Compared, Site, SiteKind, sign_extend};
use testwright_base::subject::Subject;
use testwright_logic::expr::{ExprId, Exprs};
use testwright_logic::path::{Constraint, EventKind, Step};

/// The criterion.
pub struct Boundary;

/// Where values lie, seen from the border of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    At,
    Past,
    Below,
    Above,
}

impl Place {
    const ALL: [Place; 4] = [Place::At, Place::Past, Place::Below, Place::Above];

    fn name(self) -> &'static str {
        match self {
            Place::At => "at the border",
            Place::Past => "past the border",
            Place::Below => "one less",
            Place::Above => "one more",
        }
    }

    fn of(goal: &Goal) -> Option<Place> {
        Place::ALL.into_iter().find(|place| place.name() == goal.detail)
    }
}

impl Boundary {
    /// Its name.
    pub const NAME: &'static str = "boundary";
}

impl Criterion for Boundary {
    fn name(&self) -> &'static str {
        Boundary::NAME
    }

    fn about(&self) -> &'static str {
        "Values at the border of every comparison that decides, and on both sides of it"
    }

    fn goals(&self, subject: &Subject) -> Vec<Goal> {
        let mut goals = Vec::new();
        let mut known = Vec::new();
        for (index, site) in subject.sites.iter().enumerate() {
            let Some((decides, places)) = borders(SiteId::of(index), site) else { continue };
            let Some(decided) = subject.site(decides).filter(|_| !known.contains(&decides)) else { continue };
            // What hands the result of a comparison on is a comparison too, but a later one.
            known.push(decides);
            for (outcome, places) in decided.outcomes().zip(places) {
                let goal = |place: &Place| Goal {
                    criterion: self.name(),
                    function: site.function,
                    outcome,
                    detail: place.name().to_owned(),
                    shown_by: Vec::new(),
                };
                goals.extend(places.iter().map(goal));
            }
        }
        goals
    }

    fn is_met(&self, subject: &Subject, goal: &Goal, traced: Option<&Traced>) -> bool {
        let Some((traced, (site, index))) = traced.zip(subject.outcome(goal.outcome)) else { return false };
        let Some(place) = Place::of(goal) else { return false };
        let mut here = traced.path.steps().iter().filter(|step| step.site == Some(site.0));
        here.any(|step| {
            u32::from(step.outcome) == index
                && Relation::at(&traced.exprs, step).is_some_and(|relation| {
                    relation.is_at(&traced.exprs, place) && !relation.compares_addresses(traced)
                })
        })
    }

    fn has_wishes(&self) -> bool {
        true
    }

    fn wish(&self, subject: &Subject, goal: &Goal, exprs: &mut Exprs, step: &Step) -> Option<Constraint> {
        let (_, index) = subject.outcome(goal.outcome)?;
        let mut relation = Relation::at(exprs, step)?;
        relation.holds ^= u32::from(step.outcome) != index;
        relation.placed(exprs, Place::of(goal)?).map(Constraint::IsTrue)
    }
}

/// The site that a comparison decides, and what is wanted at its outcomes true and false.
fn borders(id: SiteId, site: &Site) -> Option<(SiteId, [&'static [Place]; 2])> {
    const ORDER: &[Place] = &[Place::At, Place::Past];
    const UNEQUAL: &[Place] = &[Place::Below, Place::Above];
    let SiteKind::Compare { predicate, compared, feeds, negated, chooses } = &site.kind else { return None };
    let decides = feeds.or(chooses.then_some(id))?;
    let places = match (compared, predicate.as_str()) {
        (Compared::Pointers, _) => return None,
        (_, "eq" | "oeq" | "ueq") if !negated => [&[], UNEQUAL],
        (_, "eq" | "oeq" | "ueq") => [UNEQUAL, &[]],
        (_, "ne" | "one" | "une") if !negated => [UNEQUAL, &[]],
        (_, "ne" | "one" | "une") => [&[], UNEQUAL],
        (_, "ord" | "uno" | "true" | "false") => return None,
        _ => [ORDER, ORDER],
    };
    Some((decides, places))
}

/// How two values compare.
#[derive(Debug, Clone, Copy)]
struct Relation {
    /// `a = b`, `a < b` or `a <= b`, of which kind of numbers.
    op: Op,
    a: ExprId,
    b: ExprId,
    holds: bool,
}

impl Relation {
    /// What a step of a path found out.
    fn at(exprs: &Exprs, step: &Step) -> Option<Relation> {
        if step.kind != EventKind::Branch {
            return None;
        }
        let (mut id, mut holds) = (step.expr, step.outcome == 0);
        loop {
            let expr = exprs.get(id);
            let mut operands = expr.operands();
            match (expr.op, operands.next(), operands.next()) {
                (Op::Not, Some(inner), None) => (id, holds) = (inner, !holds),
                // `(a < b) != 0`
                (Op::Eq, Some(a), Some(b)) if handed_on(exprs, a, b).is_some() => {
                    (id, holds) = (handed_on(exprs, a, b)?, !holds);
                }
                // The constant is what the other side is compared with.
                (Op::Eq | Op::FEq, Some(a), Some(b)) if exprs.get(a).constant().is_some() => {
                    return Some(Relation { op: expr.op, a: b, b: a, holds });
                }
                (op, Some(a), Some(b)) if is_relation(op) => return Some(Relation { op, a, b, holds }),
                _ => return None,
            }
        }
    }

    /// The sides as an order that holds: the lesser, the greater, and whether they cannot be equal.
    fn order(&self) -> (ExprId, ExprId, bool) {
        let is_strict = matches!(self.op, Op::Slt | Op::Ult | Op::FLt);
        if self.holds { (self.a, self.b, is_strict) } else { (self.b, self.a, !is_strict) }
    }

    /// Whether a side is made of an address.
    fn compares_addresses(&self, traced: &Traced) -> bool {
        [self.a, self.b].into_iter().any(|side| traced.is_made_of_address(side))
    }

    /// Whether the values of the run lie there.
    fn is_at(&self, exprs: &Exprs, place: Place) -> bool {
        let value = |id: ExprId| exprs.get(id).value;
        let numbers = Numbers { op: self.op, width: exprs.get(self.a).width() };
        let (a, b) = (value(self.a), value(self.b));
        if matches!(self.op, Op::Eq | Op::FEq) {
            return !self.holds
                && match place {
                    Place::Below => numbers.are_neighbours(a, b),
                    Place::Above => numbers.are_neighbours(b, a),
                    Place::At | Place::Past => false,
                };
        }
        let (lesser, greater, is_strict) = self.order();
        let (lesser, greater) = (value(lesser), value(greater));
        let is_less = numbers.is_less(lesser, greater);
        match (place, is_strict) {
            (Place::At, true) => is_less && numbers.are_neighbours(lesser, greater),
            (Place::Past, true) => is_less && !numbers.are_neighbours(lesser, greater),
            (Place::At, false) => numbers.are_equal(lesser, greater),
            (Place::Past, false) => is_less,
            (Place::Below | Place::Above, _) => false,
        }
    }

    /// That the values lie there, as a truth value.
    fn placed(&self, exprs: &mut Exprs, place: Place) -> Option<ExprId> {
        let truth = |exprs: &mut Exprs, op: Op, a: ExprId, b: ExprId| exprs.derive(op, 1, &[a, b]);
        if matches!(self.op, Op::Eq | Op::FEq) {
            return match place {
                Place::Below if !self.holds => self.neighbours(exprs, self.a, self.b),
                Place::Above if !self.holds => self.neighbours(exprs, self.b, self.a),
                _ => None,
            };
        }
        let (less, equal) = match self.op {
            Op::Slt | Op::Sle => (Op::Slt, Op::Eq),
            Op::Ult | Op::Ule => (Op::Ult, Op::Eq),
            _ => (Op::FLt, Op::FEq),
        };
        let (lesser, greater, is_strict) = self.order();
        match (place, is_strict) {
            (Place::At, false) => truth(exprs, equal, lesser, greater),
            (Place::Past, false) => truth(exprs, less, lesser, greater),
            (Place::At | Place::Past, true) => {
                let is_less = truth(exprs, less, lesser, greater)?;
                let mut are_neighbours = self.neighbours(exprs, lesser, greater)?;
                if place == Place::Past {
                    are_neighbours = exprs.derive(Op::Not, 1, &[are_neighbours])?;
                }
                truth(exprs, Op::And, is_less, are_neighbours)
            }
            (Place::Below | Place::Above, _) => None,
        }
    }

    /// That `greater` is the number next to `lesser`.
    fn neighbours(&self, exprs: &mut Exprs, lesser: ExprId, greater: ExprId) -> Option<ExprId> {
        let width = exprs.get(lesser).width();
        if matches!(self.op, Op::FEq | Op::FLt | Op::FLe) {
            let below = next_below(exprs, greater)?;
            return exprs.derive(Op::Eq, 1, &[lesser, below]);
        }
        let one = exprs.derive_constant(width, 1)?;
        let next = exprs.derive(Op::Add, width, &[lesser, one])?;
        exprs.derive(Op::Eq, 1, &[next, greater])
    }
}

/// The truth value of which `a == b` says that it is false, if that is what it says.
fn handed_on(exprs: &Exprs, a: ExprId, b: ExprId) -> Option<ExprId> {
    let (wide, zero) = if exprs.get(a).constant() == Some(0) { (b, a) } else { (a, b) };
    let narrow = exprs.get(wide).operands().next().filter(|_| exprs.get(wide).op == Op::ZExt)?;
    (exprs.get(zero).constant() == Some(0) && exprs.get(narrow).width() == 1).then_some(narrow)
}

fn is_relation(op: Op) -> bool {
    matches!(op, Op::Eq | Op::Slt | Op::Sle | Op::Ult | Op::Ule | Op::FEq | Op::FLt | Op::FLe)
}

/// The bits of the greatest float below `number`, which is no infinity and no NaN if that matters.
fn next_below(exprs: &mut Exprs, number: ExprId) -> Option<ExprId> {
    let width = exprs.get(number).width();
    let zero = exprs.derive_constant(width, 0)?;
    let one = exprs.derive_constant(width, 1)?;
    let least = exprs.derive_constant(width, 1 << (width - 1) | 1)?;
    let more = exprs.derive(Op::Add, width, &[number, one])?;
    let less = exprs.derive(Op::Sub, width, &[number, one])?;
    let is_zero = exprs.derive(Op::Eq, 1, &[number, zero])?;
    let positive = exprs.derive(Op::Ite, width, &[is_zero, least, less])?;
    let is_negative = exprs.derive(Op::Slt, 1, &[number, zero])?;
    exprs.derive(Op::Ite, width, &[is_negative, more, positive])
}

/// What the bits of two values mean.
struct Numbers {
    op: Op,
    width: u32,
}

impl Numbers {
    fn float(&self, bits: u128) -> f64 {
        if self.width == 32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits as u64) }
    }

    fn is_float(&self) -> bool {
        matches!(self.op, Op::FEq | Op::FLt | Op::FLe)
    }

    fn is_less(&self, a: u128, b: u128) -> bool {
        match self.op {
            Op::Slt | Op::Sle => sign_extend(a, self.width) < sign_extend(b, self.width),
            _ if self.is_float() => self.float(a) < self.float(b),
            _ => a < b,
        }
    }

    fn are_equal(&self, a: u128, b: u128) -> bool {
        if self.is_float() { self.float(a) == self.float(b) } else { a == b }
    }

    /// Whether `greater` is the number next to `lesser`.
    fn are_neighbours(&self, lesser: u128, greater: u128) -> bool {
        match (self.is_float(), self.width) {
            (true, 32) => f32::from_bits(greater as u32).next_down().to_bits() == lesser as u32,
            (true, _) => f64::from_bits(greater as u64).next_down().to_bits() == lesser as u64,
            (false, width) => lesser.wrapping_add(1) & (u128::MAX >> (128 - width)) == greater,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testwright_abi::expr::Node;

    /// `a op b` of two inputs, as a relation that a step found out.
    fn relation(op: Op, width: u16, a: u128, b: u128) -> (Exprs, Relation) {
        let node = |op: Op, width: u16, fields: [u32; 3], value: u128| {
            let [a, b, c] = fields;
            Node { op: op as u8, function: 0, width, a, b, c, value }
        };
        let inputs = [
            node(Op::Const, 1, [0; 3], 0),
            node(Op::Input, width, [0; 3], a),
            node(Op::Input, width, [1, 0, 0], b),
        ];
        let mut exprs = Exprs::from_nodes(&inputs, Vec::new()).expect("two inputs");
        let (a, b) = (exprs.id(1).expect("a"), exprs.id(2).expect("b"));
        let id = exprs.derive(op, 1, &[a, b]).expect("a relation");
        let holds = exprs.get(id).value == 1;
        (exprs, Relation { op, a, b, holds })
    }

    /// The places that `a op b` is at. What is solved for agrees with what is looked for in a run.
    fn places(op: Op, width: u16, a: u128, b: u128) -> Vec<&'static str> {
        let (exprs, relation) = relation(op, width, a, b);
        let is_at = |place: &Place| {
            let mut derived = exprs.clone();
            let wish = relation.placed(&mut derived, *place).is_some_and(|id| derived.get(id).value == 1);
            assert_eq!(wish, relation.is_at(&exprs, *place), "{op:?} {a:#x} {b:#x} {place:?}");
            wish
        };
        Place::ALL.iter().filter(|place| is_at(place)).map(|place| place.name()).collect()
    }

    #[test]
    fn orders_have_a_border_on_either_side() {
        let minus_one = 0xffff_ffff;
        assert_eq!(places(Op::Slt, 32, 4, 5), ["at the border"]);
        assert_eq!(places(Op::Slt, 32, 3, 5), ["past the border"]);
        assert_eq!(places(Op::Slt, 32, 5, 5), ["at the border"], "the other outcome");
        assert_eq!(places(Op::Slt, 32, 6, 5), ["past the border"]);
        assert_eq!(places(Op::Slt, 32, minus_one, 0), ["at the border"]);
        assert_eq!(places(Op::Ult, 32, minus_one, 0), ["past the border"]);
        assert_eq!(places(Op::Sle, 8, 5, 5), ["at the border"]);
        assert_eq!(places(Op::Sle, 8, 4, 5), ["past the border"]);
        assert_eq!(places(Op::Sle, 8, 6, 5), ["at the border"], "the other outcome");
        assert_eq!(places(Op::Ule, 8, 7, 5), ["past the border"]);
    }

    #[test]
    fn unequal_numbers_differ_by_one() {
        assert_eq!(places(Op::Eq, 32, 4, 5), ["one less"]);
        assert_eq!(places(Op::Eq, 32, 6, 5), ["one more"]);
        assert_eq!(places(Op::Eq, 32, 9, 5), [""; 0]);
        assert_eq!(places(Op::Eq, 32, 5, 5), [""; 0]);
    }

    #[test]
    fn floats_have_the_next_number_that_can_be_represented() {
        let places =
            |op: Op, a: f64, b: f64| places(op, 64, u128::from(a.to_bits()), u128::from(b.to_bits()));
        assert_eq!(places(Op::FLt, 1.0f64.next_down(), 1.0), ["at the border"]);
        assert_eq!(places(Op::FLt, 0.5, 1.0), ["past the border"]);
        assert_eq!(places(Op::FLt, (-1.0f64).next_down(), -1.0), ["at the border"]);
        assert_eq!(places(Op::FLt, 0.0f64.next_down(), 0.0), ["at the border"]);
        assert_eq!(places(Op::FLe, -0.0, 0.0), ["at the border"]);
        assert_eq!(places(Op::FEq, 1.0f64.next_up(), 1.0), ["one more"]);
        assert_eq!(places(Op::FLt, f64::NAN, 1.0), [""; 0]);
    }
}

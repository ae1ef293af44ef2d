//! Knowledge: what is known of a value at a place, and what a condition that holds there says about values.
//!
//! A pure operation is computed again from what the place knows of its operands, and a bound on its result bounds its operands.
//! Both are sound in SSA form: where a value is known at all, the operands it was computed from still have the values
//! they had then, because control that computes an operand anew comes to the operation before it comes to the place.

use super::evaluate::evaluate;
use super::facts::Facts;
use super::invert::operand_bounds;
use super::module::{Definition, NumberedModule, ValueId};
use super::order::Order;
use super::range::Range;
use crate::predicate::{inverse, mirrored};
use testwright_llvm::{IntPredicate, Opcode};

/// How deep operations are computed again.
const AGAIN: u32 = 3;
/// How deep conditions and bounds are followed.
const DEPTH: u32 = 6;

/// What is known of values wherever they are computed.
#[derive(Debug)]
pub struct Knowledge<'a, 'c> {
    /// The code.
    pub code: &'a NumberedModule<'c>,
    /// The range of each value; none if it is never computed, as far as is known yet.
    pub ranges: &'a [Option<Range>],
}

impl Knowledge<'_, '_> {
    /// The range of a value at a place; none if it is never computed.
    pub fn range(&self, facts: &Facts, id: ValueId) -> Option<Range> {
        self.range_again(facts, id, AGAIN)
    }

    fn range_again(&self, facts: &Facts, id: ValueId, depth: u32) -> Option<Range> {
        let everywhere = self.ranges[id.index()]?;
        if facts.is_empty() {
            return Some(everywhere);
        }
        let here = facts.get(id).and_then(|fact| everywhere.meet(fact)).unwrap_or(everywhere);
        let definition = &self.code.definitions[id.index()];
        if depth == 0 || definition.stands_for_itself() {
            return Some(here);
        }
        let again = self.evaluate(facts, id, depth - 1);
        Some(again.and_then(|again| here.meet(again)).unwrap_or(here))
    }

    fn evaluate(&self, facts: &Facts, id: ValueId, depth: u32) -> Option<Range> {
        let ty = self.code.types[id.index()];
        evaluate(&self.code.definitions[id.index()], ty, &|operand| self.range_again(facts, operand, depth))
    }

    /// The range of what an operation computes at a place.
    pub fn computed(&self, facts: &Facts, id: ValueId) -> Option<Range> {
        let Definition::Select(condition, yes, no) = self.code.definitions[id.index()] else {
            return self.evaluate(facts, id, AGAIN);
        };
        let under = |holds: bool, value: ValueId| {
            let mut facts = facts.clone();
            self.assume(&mut facts, condition, holds).then(|| self.range(&facts, value)).flatten()
        };
        match (under(true, yes), under(false, no)) {
            (Some(yes), Some(no)) => Some(yes.join(no)),
            (yes, no) => yes.or(no),
        }
    }

    /// Adds what a condition says if it holds, or does not hold. False if that is impossible.
    pub fn assume(&self, facts: &mut Facts, condition: ValueId, holds: bool) -> bool {
        let before = facts.clone();
        if self.suppose(facts, condition, holds, DEPTH).is_none() {
            return false;
        }
        let has_changed = |id: ValueId| facts.get(id) != before.get(id);
        let again: Vec<(ValueId, Range)> = facts
            .values()
            .filter(|(id, _)| self.code.definitions[id.index()].has_operand(has_changed))
            .collect();
        // A bound on a result says more about one operand once more is known of the other, or of its sign.
        again.into_iter().all(|(id, range)| self.bound_operands(facts, id, range, DEPTH).is_some())
    }

    /// Adds that a value lies in a range. False if that is impossible.
    pub fn assume_range(&self, facts: &mut Facts, id: ValueId, range: Range) -> bool {
        self.bound(facts, id, range, DEPTH).is_some()
    }

    fn suppose(&self, facts: &mut Facts, condition: ValueId, holds: bool, depth: u32) -> Option<()> {
        if self.range(facts, condition)?.is_true() == Some(!holds) {
            return None;
        }
        let Some(depth) = depth.checked_sub(1) else { return Some(()) };
        let (yes, no) = (holds, !holds);
        match self.code.definitions[condition.index()] {
            Definition::CompareIntegers(predicate, a, b) => {
                let predicate = if holds { predicate } else { inverse(predicate) };
                self.suppose_integers(facts, predicate, (a, b), depth)
            }
            Definition::CompareFloats(predicate, a, b) => {
                self.suppose_floats(facts, Order::of(predicate, holds), (a, b), depth)
            }
            // If `a && b` does not hold, `a` does not, or it does and `b` does not; likewise for `||`.
            Definition::Integers(opcode @ (Opcode::LLVMAnd | Opcode::LLVMOr), a, b) => {
                let is_both = (opcode == Opcode::LLVMAnd) == holds;
                let cases: [&[(ValueId, bool)]; 2] = [&[(a, yes)], &[(a, no), (b, yes)]];
                let both: [&[(ValueId, bool)]; 1] = [&[(a, yes), (b, yes)]];
                self.suppose_one_of(facts, if is_both { &both } else { &cases }, depth)
            }
            Definition::Integers(Opcode::LLVMXor, a, b) => {
                self.suppose_one_of(facts, &[&[(a, true), (b, no)], &[(a, false), (b, yes)]], depth)
            }
            Definition::Select(choice, a, b) => self.suppose_one_of(
                facts,
                &[&[(choice, true), (a, yes)], &[(choice, false), (b, yes)]],
                depth,
            ),
            Definition::Copy(a) => self.suppose(facts, a, holds, depth),
            _ => {
                facts.set(condition, Range::truth(Some(holds)));
                Some(())
            }
        }
    }

    /// Adds what holds in all of several cases that are possible.
    fn suppose_one_of(&self, facts: &mut Facts, cases: &[&[(ValueId, bool)]], depth: u32) -> Option<()> {
        let possible = cases.iter().filter_map(|case| {
            let mut facts = facts.clone();
            let mut conditions = case.iter();
            let is_possible =
                conditions.all(|(id, holds)| self.suppose(&mut facts, *id, *holds, depth).is_some());
            is_possible.then_some(facts)
        });
        *facts = possible.reduce(|a, b| a.join(&b))?;
        Some(())
    }

    fn suppose_integers(
        &self,
        facts: &mut Facts,
        predicate: IntPredicate,
        (a, b): (ValueId, ValueId),
        depth: u32,
    ) -> Option<()> {
        if let (Range::Int(of_a), Range::Int(of_b)) = (self.range(facts, a)?, self.range(facts, b)?) {
            self.bound(facts, a, Range::Int(of_a.where_holds(predicate, of_b)?), depth)?;
            self.bound(facts, b, Range::Int(of_b.where_holds(mirrored(predicate), of_a)?), depth)?;
        }
        Some(())
    }

    fn suppose_floats(
        &self,
        facts: &mut Facts,
        order: Order,
        (a, b): (ValueId, ValueId),
        depth: u32,
    ) -> Option<()> {
        let (Range::Float(of_a, precision), Range::Float(of_b, _)) =
            (self.range(facts, a)?, self.range(facts, b)?)
        else {
            return Some(());
        };
        if a == b {
            let itself = of_a.like_itself(order)?;
            return self.bound(facts, a, Range::Float(itself, precision), depth);
        }
        let bound = of_a.where_ordered(order, of_b, precision)?;
        self.bound(facts, a, Range::Float(bound, precision), depth)?;
        let bound = of_b.where_ordered(order.swapped(), of_a, precision)?;
        self.bound(facts, b, Range::Float(bound, precision), depth)
    }

    /// Adds that a value lies in a range, and what that says about what it was computed from; none if that is impossible.
    fn bound(&self, facts: &mut Facts, id: ValueId, range: Range, depth: u32) -> Option<()> {
        let before = self.range(facts, id)?;
        let after = before.meet(range)?;
        if after == before {
            return Some(());
        }
        if let Some(holds) = after.is_true() {
            return self.suppose(facts, id, holds, depth);
        }
        facts.set(id, after);
        self.bound_operands(facts, id, after, depth)
    }

    fn bound_operands(&self, facts: &mut Facts, id: ValueId, range: Range, depth: u32) -> Option<()> {
        let Some(depth) = depth.checked_sub(1) else { return Some(()) };
        let definition = &self.code.definitions[id.index()];
        let bounds = operand_bounds(definition, range, &|operand| self.range(facts, operand));
        bounds.into_iter().try_for_each(|(operand, bound)| self.bound(facts, operand, bound, depth))
    }
}

//! Slices: the constraints that decide together with one of them, because they share inputs.
//!
//! Constraints that share no input with the goal, not even through others, have the values of the run and keep
//! them; nobody needs to look at them. [`Independence`] knows the inputs of every expression of a run. Most
//! expressions depend on few inputs: these are listed. Where the list would be long (a checksum over a buffer)
//! the operands are looked at instead, once per slice, so that the lists stay linear in the expressions.

use super::Constraint;
use crate::expr::{ExprId, Exprs};

/// Expressions of more inputs than this refer to their operands.
const LISTED: usize = 8;

/// Which inputs an expression depends on.
#[derive(Debug, Clone, Copy)]
enum Inputs {
    /// These, in the pool, by number.
    Listed { start: u32, length: u32 },
    /// Those of its operands; this is one of them.
    OfOperands { anchor: u32 },
}

/// What depends on what among the expressions of one run.
#[derive(Debug, Clone)]
pub struct Independence {
    stamp: u64,
    inputs: Vec<Inputs>,
    pool: Vec<u32>,
    /// Union-find over inputs, valid during one slice.
    parents: Vec<u32>,
    /// The question in which an expression was last seen.
    seen: Vec<u32>,
    /// What [`Independence::dependent`] found out about the expressions it saw.
    depends: Vec<bool>,
    slices: u32,
}

impl Independence {
    /// Looks at all expressions once.
    #[must_use]
    pub fn new(exprs: &Exprs) -> Independence {
        let mut inputs: Vec<Inputs> = Vec::with_capacity(exprs.len());
        let mut pool: Vec<u32> = vec![];
        for (_, expr) in exprs.iter() {
            let start = pool.len();
            pool.extend(expr.input());
            let mut long = None;
            let mut same = None;
            for operand in expr.operands() {
                match inputs[operand.index()] {
                    Inputs::OfOperands { anchor } => long = Some(anchor),
                    Inputs::Listed { length: 0, .. } => {}
                    Inputs::Listed { start: from, length } => {
                        if pool.len() == start {
                            same = Some(inputs[operand.index()]);
                        }
                        pool.extend_from_within(from as usize..(from + length) as usize);
                    }
                }
            }
            pool[start..].sort_unstable();
            let length = dedup(&mut pool, start);
            inputs.push(if long.is_some() || length > LISTED {
                let anchor = long.unwrap_or_else(|| pool[start]);
                pool.truncate(start);
                Inputs::OfOperands { anchor }
            } else if let Some(Inputs::Listed { start: from, length: count }) = same.filter(
                |set| matches!(set, Inputs::Listed { length: count, .. } if *count as usize == length),
            ) {
                // The same set as that of the first operand, which is a subset: share it.
                pool.truncate(start);
                Inputs::Listed { start: from, length: count }
            } else {
                Inputs::Listed { start: start as u32, length: length as u32 }
            });
        }
        let inputs_count = exprs.inputs().last().map_or(0, |(index, _)| index + 1);
        Independence {
            stamp: exprs.stamp(),
            seen: vec![0; exprs.len()],
            depends: vec![false; exprs.len()],
            inputs,
            pool,
            parents: (0..inputs_count).collect(),
            slices: 0,
        }
    }

    /// Whether this is about these expressions.
    #[must_use]
    pub fn is_about(&self, exprs: &Exprs) -> bool {
        self.stamp == exprs.stamp() && self.inputs.len() == exprs.len()
    }

    /// Which of `ids` depend on an input that `wanted` names, in their order.
    pub(crate) fn dependent(
        &mut self,
        exprs: &Exprs,
        ids: impl Iterator<Item = ExprId>,
        wanted: impl Fn(u32) -> bool,
    ) -> Vec<bool> {
        self.slices += 1;
        ids.map(|id| {
            if let Inputs::Listed { .. } = self.inputs[id.index()] {
                return self.depends_now(exprs, id, &wanted);
            }
            let mut waiting = vec![id];
            loop {
                let Some(&current) = waiting.last() else { return self.depends[id.index()] };
                match self.unknown_operand(exprs, current) {
                    Some(operand) => waiting.push(operand),
                    None => {
                        self.depends[current.index()] = self.depends_now(exprs, current, &wanted);
                        self.seen[current.index()] = self.slices;
                        waiting.pop();
                    }
                }
            }
        })
        .collect()
    }

    /// An operand that must be decided before `id` can be.
    fn unknown_operand(&self, exprs: &Exprs, id: ExprId) -> Option<ExprId> {
        let is_known = self.seen[id.index()] == self.slices;
        match self.inputs[id.index()] {
            Inputs::OfOperands { .. } if !is_known => {
                exprs.get(id).operands().find(|operand| self.seen[operand.index()] != self.slices)
            }
            _ => None,
        }
    }

    fn depends_now(&self, exprs: &Exprs, id: ExprId, wanted: &impl Fn(u32) -> bool) -> bool {
        match self.inputs[id.index()] {
            Inputs::Listed { start, length } => {
                self.pool[start as usize..(start + length) as usize].iter().any(|&input| wanted(input))
            }
            Inputs::OfOperands { .. } => {
                exprs.get(id).operands().any(|operand| self.depends[operand.index()])
            }
        }
    }

    /// The positions of the constraints that share inputs, directly or through others, with one of `goals`; in
    /// order, the goals among them.
    #[must_use]
    pub fn slice(
        &mut self,
        exprs: &Exprs,
        constraints: &[Constraint],
        goals: impl IntoIterator<Item = usize>,
    ) -> Vec<usize> {
        self.slices += 1;
        for (parent, own) in self.parents.iter_mut().zip(0..) {
            *parent = own;
        }
        // What a constraint belongs to: any one of its inputs.
        let mut anchors = Vec::with_capacity(constraints.len());
        for constraint in constraints {
            anchors.push(constraint.expr().and_then(|id| {
                let mut anchor = self.anchor(id);
                self.visit(exprs, id, &mut |parents, input| {
                    anchor = Some(unite(parents, anchor.unwrap_or(input), input));
                });
                anchor
            }));
        }
        let mut wanted = vec![false; self.parents.len()];
        let mut is_goal = vec![false; constraints.len()];
        for goal in goals.into_iter().filter(|&goal| goal < constraints.len()) {
            is_goal[goal] = true;
            if let Some(anchor) = anchors[goal] {
                wanted[find(&mut self.parents, anchor) as usize] = true;
            }
        }
        let mut belongs = |anchor: u32| wanted[find(&mut self.parents, anchor) as usize];
        (0..constraints.len())
            .filter(|&index| is_goal[index] || anchors[index].is_some_and(&mut belongs))
            .collect()
    }

    /// Any input of `id`; found even if the expression was seen before.
    fn anchor(&self, id: ExprId) -> Option<u32> {
        match self.inputs[id.index()] {
            Inputs::Listed { length: 0, .. } => None,
            Inputs::Listed { start, .. } => Some(self.pool[start as usize]),
            Inputs::OfOperands { anchor } => Some(anchor),
        }
    }

    /// Calls `use_input` for the inputs of `id` but for those below long expressions that were seen already;
    /// these were united with the input that [`Independence::anchor`] finds.
    fn visit(&mut self, exprs: &Exprs, id: ExprId, use_input: &mut dyn FnMut(&mut [u32], u32)) {
        let mut waiting = vec![];
        let mut next = Some(id);
        while let Some(id) = next {
            match self.inputs[id.index()] {
                Inputs::Listed { start, length } => {
                    for place in start..start + length {
                        use_input(&mut self.parents, self.pool[place as usize]);
                    }
                }
                Inputs::OfOperands { anchor } => {
                    if self.seen[id.index()] == self.slices {
                        use_input(&mut self.parents, anchor);
                    } else {
                        self.seen[id.index()] = self.slices;
                        waiting.extend(exprs.get(id).operands());
                    }
                }
            }
            next = waiting.pop();
        }
    }
}

/// Removes repetitions from the sorted end of `pool`; how many are left there.
fn dedup(pool: &mut Vec<u32>, start: usize) -> usize {
    let mut end = start;
    for place in start..pool.len() {
        if end == start || pool[end - 1] != pool[place] {
            pool[end] = pool[place];
            end += 1;
        }
    }
    pool.truncate(end);
    end - start
}

fn find(parents: &mut [u32], mut input: u32) -> u32 {
    while parents[input as usize] != input {
        // Halving the way keeps later searches short.
        parents[input as usize] = parents[parents[input as usize] as usize];
        input = parents[input as usize];
    }
    input
}

fn unite(parents: &mut [u32], a: u32, b: u32) -> u32 {
    let (a, b) = (find(parents, a), find(parents, b));
    let (low, high) = (a.min(b), a.max(b));
    parents[high as usize] = low;
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Arena, node};
    use proptest::prelude::*;
    use std::time::{Duration, Instant};
    use testwright_abi::expr::Op;

    #[test]
    fn constraints_are_kept_that_share_inputs_through_others() {
        let mut arena = Arena::default();
        let inputs: Vec<ExprId> = (0..6).map(|index| arena.input(index, 8, 0)).collect();
        let mut equal = |a: usize, b: usize| Constraint::IsTrue(arena.op(Op::Eq, 1, &[inputs[a], inputs[b]]));
        let constraints =
            [equal(0, 1), equal(2, 3), Constraint::Nothing, equal(4, 4), equal(1, 5), equal(0, 0)];
        let exprs = arena.finish();
        let mut independence = Independence::new(&exprs);
        assert_eq!(independence.slice(&exprs, &constraints, [5]), [0, 4, 5]);
        assert_eq!(independence.slice(&exprs, &constraints[..2], [1]), [1]);
        assert_eq!(independence.slice(&exprs, &constraints, [1, 3]), [1, 3]);
        assert_eq!(independence.slice(&exprs, &constraints, [2]), [2]);
        assert_eq!(independence.slice(&exprs, &constraints, []), []);
    }

    #[test]
    fn expressions_are_known_apart_even_at_the_same_address() {
        let arena = |width| {
            let mut arena = Arena::default();
            arena.input(0, width, 0);
            arena.finish()
        };
        let (first, second) = (arena(8), arena(16));
        let independence = Independence::new(&first);
        assert!(independence.is_about(&first.clone()));
        assert!(!independence.is_about(&second));
    }

    /// A running sum over all inputs, compared at each step: one constraint per input, each depending on all
    /// inputs before it.
    fn running_sum(count: u32) -> (Exprs, Vec<Constraint>) {
        let mut nodes = vec![node(0, 0, [0; 3]), node(Op::Const as u8, 32, [0; 3])];
        let mut constraints = vec![];
        let mut sum = 1;
        for index in 0..count {
            let input = nodes.len() as u32;
            nodes.push(node(Op::Input as u8, 32, [index, 0, 0]));
            nodes.push(node(Op::Add as u8, 32, [sum, input, 0]));
            sum = input + 1;
            nodes.push(node(Op::Ult as u8, 1, [sum, 1, 0]));
        }
        let exprs = Exprs::from_nodes(&nodes, vec![]).unwrap();
        for index in 0..count {
            constraints.push(Constraint::IsFalse(exprs.id(index * 3 + 4).unwrap()));
        }
        (exprs, constraints)
    }

    #[test]
    fn long_paths_over_many_inputs_are_sliced_in_linear_time() {
        let (exprs, constraints) = running_sum(100_000);
        let started = Instant::now();
        let mut independence = Independence::new(&exprs);
        for goal in [0, 50_000, 99_999] {
            assert_eq!(independence.slice(&exprs, &constraints, [goal]).len(), 100_000);
            let ids = constraints.iter().filter_map(Constraint::expr);
            let depends = independence.dependent(&exprs, ids, |input| input as usize == goal);
            assert_eq!(depends.into_iter().filter(|&depends| depends).count(), 100_000 - goal);
        }
        // Quadratic work would be 10^10 steps.
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    }

    proptest! {
        /// The definition, computed naively: grow the set of inputs until no constraint adds one.
        #[test]
        fn slices_are_the_connected_constraints(
            pairs in prop::collection::vec(prop::collection::vec(0usize..30, 1..12), 1..20),
            goal in any::<prop::sample::Index>(),
        ) {
            let mut arena = Arena::default();
            let inputs: Vec<ExprId> = (0..30).map(|index| arena.input(index, 8, 0)).collect();
            let mut constraints = vec![];
            for members in &pairs {
                let sum = members.iter().map(|&member| inputs[member]).reduce(|a, b| arena.op(Op::Add, 8, &[a, b]));
                constraints.push(Constraint::Equals(sum.expect("at least one input"), 0));
            }
            let exprs = arena.finish();
            let goal = goal.index(pairs.len());
            let mut kept = vec![goal];
            let mut grown = true;
            while grown {
                let known: Vec<usize> = kept.iter().flat_map(|&index| pairs[index].clone()).collect();
                let touches = |index: &usize| pairs[*index].iter().any(|member| known.contains(member));
                let more: Vec<usize> = (0..pairs.len()).filter(touches).collect();
                grown = more.len() > kept.len();
                kept = more;
            }
            let mut independence = Independence::new(&exprs);
            prop_assert_eq!(independence.slice(&exprs, &constraints, [goal]), kept);
            for input in 0..30 {
                let ids = constraints.iter().filter_map(Constraint::expr);
                let depends = independence.dependent(&exprs, ids, |other| other == input);
                let expected: Vec<bool> = pairs.iter().map(|members| members.contains(&(input as usize))).collect();
                prop_assert_eq!(depends, expected);
            }
        }
    }
}

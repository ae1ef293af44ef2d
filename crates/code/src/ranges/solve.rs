//! Sweeps over code until nothing changes: then every range, fact and edge agrees with those it depends on.
//!
//! Only what control can come to is looked at, beginning with functions that others may call. Ranges grow; those that keep growing, in
//! loops and recursions, are widened. Facts at the end of a block shrink. A last sweep that changes nothing confirms all.

use super::facts::Facts;
use super::int::IntRange;
use super::knowledge::Knowledge;
use super::module::{Definition, Ending, NumberedModule, ValueId};
use super::range::{Landmarks, Range};
use testwright_llvm::IntPredicate;

/// Code that has not come to rest after so many computations is given up: a second or so.
const MOST_WORK: usize = 2_000_000;
/// How often a range may grow before it is widened to landmarks, and then to its type.
const PATIENCE: (u32, u32) = (3, 12);

/// What is known of code.
#[derive(Debug)]
pub struct Solution {
    /// The range of each value; none if it is never computed.
    pub ranges: Vec<Option<Range>>,
    /// Which blocks control can come to.
    pub is_reached: Vec<bool>,
    /// Where each block can lead to, and what holds on the way.
    pub edges: Vec<Vec<(usize, Facts)>>,
}

impl Solution {
    /// What holds when control goes from one block to another; none if it cannot.
    pub fn edge(&self, from: usize, to: usize) -> Option<&Facts> {
        self.edges[from].iter().find(|(target, _)| *target == to).map(|(_, facts)| facts)
    }
}

/// What values can be and where control can come to; none if that takes too long to tell.
pub fn solve(code: &NumberedModule<'_>) -> Option<Solution> {
    let mut solver = Solver::new(code);
    let mut work = 0;
    while work <= MOST_WORK {
        solver.has_changed = false;
        for (block, body) in code.bodies.iter().enumerate() {
            if solver.solution.is_reached[block] {
                solver.block(block);
                work += body.defines.len() + 1;
            }
        }
        if !solver.has_changed {
            return Some(solver.solution);
        }
    }
    None
}

struct Solver<'a, 'c> {
    code: &'a NumberedModule<'c>,
    solution: Solution,
    predecessors: Vec<Vec<usize>>,
    is_entry: Vec<bool>,
    /// What functions return; none if they do not.
    returns: Vec<Option<Range>>,
    growths: Vec<u32>,
    return_growths: Vec<u32>,
    landmarks: Landmarks,
    has_changed: bool,
}

impl<'a, 'c> Solver<'a, 'c> {
    fn new(code: &'a NumberedModule<'c>) -> Solver<'a, 'c> {
        let count = code.bodies.len();
        let mut predecessors = vec![Vec::new(); count];
        for (from, body) in code.bodies.iter().enumerate() {
            body.ending.targets(|to| predecessors[to].push(from));
        }
        predecessors.iter_mut().for_each(Vec::dedup);
        let mut is_entry = vec![false; count];
        let mut is_reached = vec![false; count];
        for function in &code.functions {
            is_entry[function.entry] = true;
            is_reached[function.entry] = function.is_exposed;
        }
        let fixed = code.definitions.iter().zip(&code.types);
        let ranges =
            fixed.map(|(definition, ty)| matches!(definition, Definition::Fixed).then_some(*ty)).collect();
        Solver {
            code,
            solution: Solution { ranges, is_reached, edges: vec![Vec::new(); count] },
            predecessors,
            is_entry,
            returns: vec![None; code.functions.len()],
            growths: vec![0; code.definitions.len()],
            return_growths: vec![0; code.functions.len()],
            landmarks: landmarks(code),
            has_changed: false,
        }
    }

    fn knowledge(&self) -> Knowledge<'_, 'c> {
        Knowledge { code: self.code, ranges: &self.solution.ranges }
    }

    fn block(&mut self, block: usize) {
        let facts = self.facts_before(block);
        let code = self.code;
        for id in &code.bodies[block].defines {
            let range = match &code.definitions[id.index()] {
                Definition::Phi(incoming) => self.phi(block, incoming),
                Definition::Call(function, arguments) => self.call(*function, arguments, &facts),
                Definition::Fixed | Definition::Parameter => continue,
                _ => self.knowledge().computed(&facts, *id),
            };
            // What is never computed lets control go no further: a call that does not return.
            let Some(range) = range else { return };
            self.grow(*id, range);
        }
        self.leave(block, &facts);
    }

    fn facts_before(&self, block: usize) -> Facts {
        if self.is_entry[block] {
            return Facts::default();
        }
        let edges = self.predecessors[block].iter().filter_map(|from| self.solution.edge(*from, block));
        edges.cloned().reduce(|a, b| a.join(&b)).unwrap_or_default()
    }

    fn phi(&self, block: usize, incoming: &[(usize, ValueId)]) -> Option<Range> {
        let knowledge = self.knowledge();
        let over = |(from, value): &(usize, ValueId)| {
            let facts = self.solution.edge(*from, block)?;
            knowledge.range(facts, *value)
        };
        incoming.iter().filter_map(over).reduce(Range::join)
    }

    fn call(&mut self, function: usize, arguments: &[ValueId], facts: &Facts) -> Option<Range> {
        let callee = &self.code.functions[function];
        if !callee.is_exposed {
            for (param, argument) in callee.params.iter().zip(arguments) {
                let range = self.knowledge().range(facts, *argument);
                range.into_iter().for_each(|range| self.grow(*param, range));
            }
        }
        self.reach(callee.entry);
        self.returns[function]
    }

    fn reach(&mut self, block: usize) {
        self.has_changed |= !self.solution.is_reached[block];
        self.solution.is_reached[block] = true;
    }

    fn grow(&mut self, id: ValueId, range: Range) {
        let is_loop = matches!(self.code.definitions[id.index()], Definition::Phi(_) | Definition::Parameter);
        let patience = if is_loop { Some(&mut self.growths[id.index()]) } else { None };
        let old = self.solution.ranges[id.index()];
        let new = grown(old, range, patience, self.code.types[id.index()], &self.landmarks);
        self.has_changed |= old != Some(new);
        self.solution.ranges[id.index()] = Some(new);
    }

    /// Follows the edges that control can take.
    fn leave(&mut self, block: usize, facts: &Facts) {
        match &self.code.bodies[block].ending {
            Ending::Jump(targets) => targets.iter().for_each(|to| self.go(block, *to, facts.clone())),
            Ending::Branch(condition, yes, no) => {
                for (to, holds) in [(*yes, true), (*no, false)] {
                    let mut facts = facts.clone();
                    if self.knowledge().assume(&mut facts, *condition, holds) {
                        self.go(block, to, facts);
                    }
                }
            }
            Ending::Switch(value, default, cases) => self.switch(block, *value, *default, cases, facts),
            Ending::Return(value) => {
                let function = self.code.bodies[block].function;
                let Some(range) =
                    value.map_or(Some(Range::Any), |value| self.knowledge().range(facts, value))
                else {
                    return;
                };
                let old = self.returns[function];
                let growths = &mut self.return_growths[function];
                let new = grown(old, range, Some(growths), range.whole(), &self.landmarks);
                self.has_changed |= old != Some(new);
                self.returns[function] = Some(new);
            }
        }
    }

    fn switch(
        &mut self,
        block: usize,
        value: ValueId,
        default: usize,
        cases: &[(u64, usize)],
        facts: &Facts,
    ) {
        let Some(Range::Int(range)) = self.knowledge().range(facts, value) else { return };
        let mut rest = Some(range);
        for (case, to) in cases {
            let case = IntRange::constant(range.width(), *case);
            rest = rest.and_then(|rest| rest.where_holds(IntPredicate::LLVMIntNE, case));
            let mut facts = facts.clone();
            if self.knowledge().assume_range(&mut facts, value, Range::Int(case)) {
                self.go(block, *to, facts);
            }
        }
        let mut facts = facts.clone();
        if rest.is_some_and(|rest| self.knowledge().assume_range(&mut facts, value, Range::Int(rest))) {
            self.go(block, default, facts);
        }
    }

    fn go(&mut self, from: usize, to: usize, facts: Facts) {
        self.reach(to);
        match self.solution.edges[from].iter_mut().find(|(target, _)| *target == to) {
            Some((_, known)) => {
                let joined = known.join(&facts);
                self.has_changed |= joined != *known;
                *known = joined;
            }
            None => {
                self.has_changed = true;
                self.solution.edges[from].push((to, facts));
            }
        }
    }
}

/// A range with what was added to it, widened if it has grown too often.
fn grown(
    old: Option<Range>,
    range: Range,
    growths: Option<&mut u32>,
    ty: Range,
    landmarks: &Landmarks,
) -> Range {
    let Some(old) = old else { return range };
    let joined = old.join(range);
    let Some(growths) = growths.filter(|_| joined != old) else { return joined };
    *growths += 1;
    match *growths {
        count if count > PATIENCE.1 => ty,
        count if count > PATIENCE.0 => old.widened(range, landmarks),
        _ => joined,
    }
}

/// The constants that code compares with.
fn landmarks(code: &NumberedModule<'_>) -> Landmarks {
    let (mut integers, mut floats) = (Vec::new(), Vec::new());
    let mut add = |id: ValueId| match code.types[id.index()] {
        _ if !matches!(code.definitions[id.index()], Definition::Fixed) => {}
        Range::Int(range) if range.only().is_some() => {
            integers.extend([range.signed().0, range.unsigned().0]);
        }
        Range::Float(range, _) => {
            floats.extend(range.numbers().filter(|(low, high)| low == high).map(|(at, _)| at));
        }
        _ => {}
    };
    for definition in &code.definitions {
        if let Definition::CompareIntegers(_, a, b) | Definition::CompareFloats(_, a, b) = definition {
            add(*a);
            add(*b);
        }
    }
    Landmarks::new(integers.into_iter(), floats.into_iter())
}

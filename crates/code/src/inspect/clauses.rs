//! Clauses of decisions as their author wrote them, rebuilt from the branches that unoptimised code has for `&&`, `||` and `?:`.
//!
//! A decision either leads to two places, or becomes a value where its ways meet:
//!
//! ```text
//! if (a && b || c)     A: br a, B, C     B: br b, then, C     C: br c, then, else
//! x = a && b           A: br a, B, M     B: b = ..; br M      M: x = phi [false, A], [b, B]
//! ```
//!
//! Values are looked at first: what flows into the phi says which clause comes to what. Then clauses are put together from the first one on,
//! in the order of the code, as long as nothing else leads to them; the largest such group that leads to exactly two places is
//! a decision. Nested statements never look like that: unoptimised code gives each `if` a block of its own to end in.
//!
//! A clause may take several blocks: one of them may call `f(a || b)`, which is a decision of its own, or be checked by a sanitizer. Phis
//! come of expressions only, so what lies between a phi and the branch above it belongs to one clause.

use super::branches::{Branches, Role, live_blocks};
use super::condition::stripped;
use std::collections::{BTreeSet, HashMap, HashSet};
use testwright_base::decision::Next;
use testwright_base::graph::FlowGraph;
use testwright_base::ids::BlockId;
use testwright_llvm::{Block, Opcode, Value};

/// The kind of metadata that says what a clause adds to the number of the way; see [`WayMark`].
pub const WAY_KIND: &str = "tw.way";

/// A group of clauses that leads to more places than this is no decision.
const MOST_PLACES: usize = 8;

/// What a clause of a decision with a site of its own says about ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WayMark {
    /// The first outcome of the decision.
    pub first: u32,
    /// Whether ways begin here.
    pub begins: bool,
    /// What its outcomes true and false add to the number of the way.
    pub addends: [u32; 2],
    /// Whether ways end with these outcomes.
    pub ends: [bool; 2],
}

impl WayMark {
    /// As metadata.
    #[must_use]
    pub fn numbers(&self) -> [u64; 6] {
        let [a, b] = self.addends.map(u64::from);
        let [c, d] = self.ends.map(u64::from);
        [u64::from(self.first), u64::from(self.begins), a, b, c, d]
    }

    /// From metadata.
    #[must_use]
    pub fn of(numbers: &[u64]) -> Option<WayMark> {
        let [first, begins, a, b, c, d] = *numbers else { return None };
        let (addends, ends) = ([a as u32, b as u32], [c != 0, d != 0]);
        Some(WayMark { first: first as u32, begins: begins != 0, addends, ends })
    }
}

/// A clause of a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundClause<'c> {
    /// The branch on it; where it becomes the value of the decision, the instruction that computes it.
    pub value: Value<'c>,
    /// What comes next if that is true, and if it is false.
    pub next: [Next; 2],
}

/// The decisions of at least two clauses in a function, in the order of the code; each is a list of clauses in the order of the code.
pub fn decisions<'c>(function: Value<'c>, branches: &Branches<'c>) -> Vec<Vec<FoundClause<'c>>> {
    let blocks = function.blocks();
    let has_choice =
        blocks.iter().filter(|block| branch(**block, branches, Role::Decision).is_some()).count();
    if has_choice == 0 {
        return Vec::new();
    }
    let finder = Finder::new(function, branches);
    let mut found: Vec<Vec<FoundClause<'c>>> = Vec::new();
    let mut taken = HashSet::new();
    for block in finder.blocks.iter().filter(|block| finder.live.contains(*block)) {
        for phi in phis(*block).filter(|phi| phi.ty().int_width() == 1 && !finder.flows_on(*phi)) {
            if let Some(clauses) = finder.value(phi) {
                taken.extend(clauses.iter().map(|clause| clause.value));
                found.push(clauses);
            }
        }
    }
    for block in &finder.blocks {
        let first = branch(*block, branches, Role::Decision).filter(|_| finder.live.contains(block));
        if let Some(first) = first.filter(|first| !taken.contains(first)) {
            let clauses = finder.choice(*block, first, &taken);
            if clauses.len() > 1 {
                taken.extend(clauses.iter().map(|clause| clause.value));
                found.push(clauses);
            }
        }
    }
    found.sort_by_key(|clauses| finder.ids[&clauses[0].value.block()]);
    found
}

/// Where an edge into a phi leads.
#[derive(Clone, Copy)]
enum Flow<'c> {
    /// To this value.
    Constant(bool),
    /// To what is computed here, or to its negation.
    Clause { value: Value<'c>, negated: bool },
}

/// What a block comes to, seen from the clause before it.
enum Place<'c> {
    /// It is, or leads straight to, a branch on a clause.
    Branch(Value<'c>),
    /// It ends with an edge into a phi.
    Edge(Block<'c>, Block<'c>),
}

struct Finder<'b, 'c> {
    branches: &'b Branches<'c>,
    blocks: Vec<Block<'c>>,
    ids: HashMap<Block<'c>, usize>,
    live: HashSet<Block<'c>>,
    graph: FlowGraph,
    /// By block that chooses between ways of an expression, the block where they meet again.
    meets: HashMap<Block<'c>, Block<'c>>,
}

impl<'b, 'c> Finder<'b, 'c> {
    fn new(function: Value<'c>, branches: &'b Branches<'c>) -> Finder<'b, 'c> {
        let blocks = function.blocks();
        let ids: HashMap<Block<'c>, usize> =
            blocks.iter().enumerate().map(|(index, block)| (*block, index)).collect();
        let successors = |block: &Block<'c>| {
            let ways = block.terminator().map(Value::successors).unwrap_or_default();
            ways.iter().map(|way| BlockId::of(ids[way])).collect()
        };
        let graph = FlowGraph::new(blocks.iter().map(successors).collect());
        let live = live_blocks(function);
        let mut finder = Finder { branches, blocks, ids, live, graph, meets: HashMap::new() };
        // A later one includes an earlier one.
        for block in finder.blocks.clone() {
            if let Some(start) = finder.start(block).filter(|_| phis(block).next().is_some())
                && finder.is_closed(start, block)
            {
                finder.meets.insert(start, block);
            }
        }
        finder
    }

    fn id(&self, block: Block<'c>) -> BlockId {
        BlockId::of(self.ids[&block])
    }

    /// The block that every way to `block` passes last.
    fn start(&self, block: Block<'c>) -> Option<Block<'c>> {
        Some(self.blocks[self.graph.immediate_dominator(self.id(block))?.index()])
    }

    fn predecessors(&self, block: Block<'c>) -> impl Iterator<Item = Block<'c>> + '_ {
        self.graph.predecessors(self.id(block)).iter().map(|above| self.blocks[above.index()])
    }

    /// Whether every way from one block leads to the other, or ends the run by a check.
    fn is_closed(&self, start: Block<'c>, end: Block<'c>) -> bool {
        let mut seen = HashSet::from([start, end]);
        let mut open = vec![start];
        while let Some(block) = open.pop() {
            let Some(last) = block.terminator().filter(|last| last.opcode() != Some(Opcode::LLVMRet)) else {
                return false;
            };
            for next in last.successors() {
                if next == start || !self.graph.dominates(self.id(start), self.id(next)) {
                    return false;
                }
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        true
    }

    /// Whether a truth value only flows on into another phi, so that it is part of what that one is about.
    fn flows_on(&self, phi: Value<'c>) -> bool {
        let mut values = vec![phi];
        let mut next = 0;
        while let Some(value) = values.get(next).copied() {
            next += 1;
            for user in value.users() {
                match user.opcode() {
                    Some(Opcode::LLVMPHI) if user.ty().int_width() == 1 => {
                        let mut edges = user.incoming().into_iter();
                        if edges.any(|(from, block)| from == value && block == phi.block()) {
                            return true;
                        }
                    }
                    _ if user.is_instruction() && stripped(user).0 == phi && !values.contains(&user) => {
                        values.push(user);
                    }
                    _ => {}
                }
            }
        }
        false
    }

    /// The clauses whose value a phi is.
    fn value(&self, phi: Value<'c>) -> Option<Vec<FoundClause<'c>>> {
        let mut flows = HashMap::new();
        let mut within = HashSet::new();
        self.add_flows(phi, false, &mut flows, &mut within)?;
        let start = self.start(phi.block())?;
        let first = branch(start, self.branches, Role::Decision)?;
        let mut building = Building { finder: self, flows, within, clauses: HashMap::new() };
        building.add(first)?;
        building.finish(start)
    }

    /// Where the edges into a phi lead, and those into phis that flow into it.
    fn add_flows(
        &self,
        phi: Value<'c>,
        negated: bool,
        flows: &mut HashMap<(Block<'c>, Block<'c>), Flow<'c>>,
        within: &mut HashSet<Block<'c>>,
    ) -> Option<()> {
        if !within.insert(phi.block()) {
            return None;
        }
        for (value, from) in phi.incoming() {
            let (inner, negates) = stripped(value);
            let negated = negated ^ negates;
            let flow = match inner.constant_int() {
                Some(constant) => Flow::Constant((constant != 0) != negated),
                None if inner.opcode() == Some(Opcode::LLVMPHI) && inner.block() == from => {
                    self.add_flows(inner, negated, flows, within)?;
                    continue;
                }
                None if inner.is_instruction() && inner.opcode() != Some(Opcode::LLVMPHI) => {
                    Flow::Clause { value: inner, negated }
                }
                None => return None,
            };
            flows.insert((from, phi.block()), flow);
        }
        Some(())
    }

    /// The clauses that begin with this branch and lead to two places.
    fn choice(&self, start: Block<'c>, first: Value<'c>, taken: &HashSet<Value<'c>>) -> Vec<FoundClause<'c>> {
        let nowhere = (HashMap::new(), HashSet::new());
        let mut entries = HashMap::from([(start, first)]);
        let mut order = vec![start];
        let mut best: (usize, Vec<Block<'c>>) = (1, Vec::new());
        loop {
            let ways = order.iter().flat_map(|block| entries[block].successors());
            let places: BTreeSet<usize> =
                ways.filter(|way| !entries.contains_key(way)).map(|way| self.ids[&way]).collect();
            let places: Vec<Block<'c>> = places.into_iter().map(|place| self.blocks[place]).collect();
            if places.len() == 2 {
                best = (order.len(), places.clone());
            }
            let ends: HashSet<Block<'c>> = entries.values().map(|branch| branch.block()).collect();
            let next = places.iter().find_map(|place| match self.place(*place, &nowhere.0, &nowhere.1)? {
                Place::Branch(branch) if !taken.contains(&branch) && *place != start => {
                    self.predecessors(*place).all(|above| ends.contains(&above)).then_some((*place, branch))
                }
                _ => None,
            });
            match next.filter(|_| places.len() <= MOST_PLACES) {
                Some((place, branch)) => {
                    entries.insert(place, branch);
                    order.push(place);
                }
                None => break,
            }
        }
        let (count, places) = best;
        order.truncate(count);
        let next = |way: Block<'c>| match order.iter().position(|block| *block == way) {
            Some(index) => Next::Clause(index),
            // What is done if a decision is true comes first in the code.
            None => Next::Value(places.first() == Some(&way)),
        };
        let clause = |block: &Block<'c>| {
            let branch = entries[block];
            let ways = branch.successors();
            FoundClause { value: branch, next: [next(ways[0]), next(ways[1])] }
        };
        let clauses: Vec<FoundClause<'c>> = order.iter().map(clause).collect();
        if is_in_order(&clauses) { clauses } else { Vec::new() }
    }

    /// What comes of a block that a clause leads to. `within` are blocks where values of the decision meet.
    fn place(
        &self,
        block: Block<'c>,
        flows: &HashMap<(Block<'c>, Block<'c>), Flow<'c>>,
        within: &HashSet<Block<'c>>,
    ) -> Option<Place<'c>> {
        let mut block = block;
        loop {
            if let Some(meet) = self.meets.get(&block).filter(|meet| !within.contains(*meet)) {
                block = *meet;
                continue;
            }
            let last = block.terminator().filter(|last| last.opcode() == Some(Opcode::LLVMBr))?;
            if !last.is_conditional() {
                let next = last.successors()[0];
                return flows.contains_key(&(block, next)).then_some(Place::Edge(block, next));
            }
            match self.branches.roles.get(&last)? {
                Role::Decision => return Some(Place::Branch(last)),
                Role::Check { .. } => block = self.passed(last)?,
                Role::Silent => return None,
            }
        }
    }

    /// Where a check leads that succeeds.
    fn passed(&self, check: Value<'c>) -> Option<Block<'c>> {
        let goes_on =
            |block: &Block<'c>| block.terminator().is_some_and(|last| !last.successors().is_empty());
        let mut ways = check.successors().into_iter().filter(goes_on);
        let way = ways.next().filter(|way| self.predecessors(*way).count() == 1)?;
        ways.next().is_none().then_some(way)
    }
}

/// A decision whose value flows into a phi, while it is put together.
struct Building<'f, 'b, 'c> {
    finder: &'f Finder<'b, 'c>,
    flows: HashMap<(Block<'c>, Block<'c>), Flow<'c>>,
    within: HashSet<Block<'c>>,
    /// The clauses found so far, and where they lead.
    clauses: HashMap<Value<'c>, [Target<'c>; 2]>,
}

/// Where a clause leads.
#[derive(Clone, Copy)]
enum Target<'c> {
    Value(bool),
    /// The clause, and the block that leads to it.
    Clause(Value<'c>, Block<'c>),
}

impl<'c> Building<'_, '_, 'c> {
    /// Adds the clauses from this branch on. Chains of clauses in generated code may be long, so what waits has its own stack.
    fn add(&mut self, first: Value<'c>) -> Option<()> {
        let mut open = vec![first];
        while let Some(branch) = open.pop() {
            if self.clauses.contains_key(&branch) {
                continue;
            }
            let ways = branch.successors();
            let mut targets = [Target::Value(false); 2];
            for (target, way) in targets.iter_mut().zip(ways) {
                *target = self.target(branch.block(), way)?;
                if let Target::Clause(next, _) = target
                    && next.opcode() == Some(Opcode::LLVMBr)
                {
                    open.push(*next);
                }
            }
            self.clauses.insert(branch, targets);
        }
        Some(())
    }

    fn target(&mut self, from: Block<'c>, way: Block<'c>) -> Option<Target<'c>> {
        let (edge, entry) = match self.flows.contains_key(&(from, way)) {
            true => ((from, way), None),
            false => match self.finder.place(way, &self.flows, &self.within)? {
                Place::Branch(branch) => return Some(Target::Clause(branch, way)),
                Place::Edge(block, next) => ((block, next), Some(way)),
            },
        };
        match (self.flows[&edge], entry) {
            (Flow::Constant(value), _) => Some(Target::Value(value)),
            // What is computed before the branch is no clause after it.
            (Flow::Clause { .. }, None) => None,
            (Flow::Clause { value, negated }, Some(entry)) => {
                self.clauses.insert(value, [Target::Value(!negated), Target::Value(negated)]);
                Some(Target::Clause(value, entry))
            }
        }
    }

    /// The clauses in the order of the code, if nothing else leads to them.
    fn finish(self, start: Block<'c>) -> Option<Vec<FoundClause<'c>>> {
        let mut order: Vec<Value<'c>> = self.clauses.keys().copied().collect();
        order.sort_by_key(|value| self.finder.ids[&value.block()]);
        let ends: HashSet<Block<'c>> = order.iter().map(|value| value.block()).collect();
        let is_ours = |block: Block<'c>| block == start || ends.contains(&block);
        let index: HashMap<Value<'c>, usize> =
            order.iter().enumerate().map(|(index, value)| (*value, index)).collect();
        let mut clauses = Vec::new();
        for value in &order {
            let mut next = [Next::Value(false); 2];
            for (next, target) in next.iter_mut().zip(self.clauses[value]) {
                *next = match target {
                    Target::Value(value) => Next::Value(value),
                    Target::Clause(clause, entry) => {
                        self.finder.predecessors(entry).all(is_ours).then_some(())?;
                        Next::Clause(index[&clause])
                    }
                };
            }
            clauses.push(FoundClause { value: *value, next });
        }
        (clauses.len() > 1 && ends.len() == clauses.len() && is_in_order(&clauses)).then_some(clauses)
    }
}

/// Whether each clause leads to later ones only, so that there is no way back.
fn is_in_order(clauses: &[FoundClause<'_>]) -> bool {
    let goes_on = |(index, clause): (usize, &FoundClause<'_>)| {
        clause.next.iter().all(|next| !matches!(next, Next::Clause(other) if *other <= index))
    };
    clauses.iter().enumerate().all(goes_on)
}

/// The branch at the end of a block, if this is what it is for.
fn branch<'c>(block: Block<'c>, branches: &Branches<'c>, role: Role) -> Option<Value<'c>> {
    block.terminator().filter(|last| branches.roles.get(last) == Some(&role))
}

fn phis<'c>(block: Block<'c>) -> impl Iterator<Item = Value<'c>> {
    block.instructions().into_iter().take_while(|instruction| instruction.opcode() == Some(Opcode::LLVMPHI))
}

#[cfg(test)]
mod tests;

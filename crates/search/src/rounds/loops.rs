//! The loops of functions, and when a run that decided at one place and then at another went round one of them.

use std::collections::{BTreeMap, BTreeSet};
use testwright_base::graph::{CallGraph, FlowGraph};
use testwright_base::ids::{BlockId, FunctionId};
use testwright_base::subject::Subject;

/// The loops of all functions that were asked about.
#[derive(Debug, Clone, Default)]
pub struct Loops {
    functions: BTreeMap<FunctionId, LoopsOf>,
    calls: Option<CallGraph>,
    callees: BTreeMap<FunctionId, BTreeSet<FunctionId>>,
}

/// The loops of a function.
#[derive(Debug, Clone)]
pub struct LoopsOf {
    /// Header and blocks of each, inner ones before those around them.
    loops: Vec<(BlockId, Vec<BlockId>)>,
    /// Per block: its place in an order in which only edges that close a loop lead back.
    order: Vec<usize>,
}

impl Loops {
    /// The functions that a function calls, directly or not.
    pub fn callees(&mut self, subject: &Subject, function: FunctionId) -> &BTreeSet<FunctionId> {
        let calls = self.calls.get_or_insert_with(|| CallGraph::new(subject));
        self.callees.entry(function).or_insert_with(|| calls.all_callees(function).into_iter().collect())
    }

    /// Those of one function.
    pub fn of(&mut self, subject: &Subject, function: FunctionId) -> &LoopsOf {
        self.functions.entry(function).or_insert_with(|| LoopsOf::new(&subject.flow(function)))
    }
}

impl LoopsOf {
    fn new(flow: &FlowGraph) -> LoopsOf {
        let headers = flow.loop_headers().into_iter();
        let mut loops: Vec<_> = headers.map(|header| (header, flow.loop_blocks(header))).collect();
        loops.sort_by_key(|(_, blocks)| blocks.len());
        LoopsOf { loops, order: order(flow) }
    }

    /// The headers of all loops.
    pub fn headers(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.loops.iter().map(|(header, _)| *header)
    }

    /// Whether a block belongs to the loop with this header.
    #[must_use]
    pub fn contains(&self, header: BlockId, block: BlockId) -> bool {
        self.loops.iter().any(|(other, blocks)| *other == header && blocks.binary_search(&block).is_ok())
    }

    /// The header of the loop that began another round between two decisions in a row: the innermost one that both
    /// belong to, if the second could not have followed in the same round.
    #[must_use]
    pub fn went_round(&self, before: BlockId, after: BlockId) -> Option<BlockId> {
        if self.order[after.index()] > self.order[before.index()] {
            return None;
        }
        self.headers().find(|header| self.contains(*header, before) && self.contains(*header, after))
    }
}

/// Blocks in reverse postorder of a depth-first walk.
fn order(flow: &FlowGraph) -> Vec<usize> {
    let count = flow.blocks().count();
    let mut order = vec![0; count];
    let mut seen = vec![false; count];
    let mut left = count;
    let mut open = vec![(BlockId(0), 0)];
    seen[0] = true;
    while let Some((block, position)) = open.last_mut() {
        let (block, successor) = (*block, flow.successors(*block).get(*position).copied());
        *position += 1;
        match successor {
            Some(next) if !std::mem::replace(&mut seen[next.index()], true) => open.push((next, 0)),
            Some(_) => {}
            None => {
                left -= 1;
                order[block.index()] = left;
                open.pop();
            }
        }
    }
    order
}

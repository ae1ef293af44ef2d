//! The control flow graph of one function, with everything that can be derived from its shape.
//!
//! An edge is named by its source and its position among the source's successors, because a switch may have
//! several edges between the same two blocks, each with its own outcome.
//!
//! Post-dominators need every block to reach an exit. So there is a virtual exit after all blocks without
//! successors; of each endless loop (a cycle that nothing leaves) the block with the lowest number leads there too,
//! as if the loop could be left from it.

use super::reach;
use crate::ids::BlockId;
use petgraph::algo::{dominators, tarjan_scc};
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::BTreeSet;

/// The flow graph of a function; block 0 is its entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowGraph {
    successors: Vec<Vec<BlockId>>,
    predecessors: Vec<Vec<BlockId>>,
    reachable: Vec<bool>,
    /// Immediate dominators; none for the entry and for unreachable blocks.
    dominators: Vec<Option<BlockId>>,
    /// Immediate post-dominators; none where that is the virtual exit.
    post_dominators: Vec<Option<BlockId>>,
    /// Per block, the edges it depends on.
    dependences: Vec<Vec<(BlockId, usize)>>,
    back_edges: Vec<(BlockId, usize)>,
}

impl FlowGraph {
    /// The graph with these successors, one list per block.
    ///
    /// # Panics
    /// If a successor is not one of the blocks.
    #[must_use]
    pub fn new(successors: Vec<Vec<BlockId>>) -> FlowGraph {
        let count = successors.len();
        let mut predecessors = vec![BTreeSet::new(); count];
        for (block, targets) in successors.iter().enumerate() {
            for target in targets {
                predecessors[target.index()].insert(BlockId::of(block));
            }
        }
        let entry: &[usize] = if count == 0 { &[] } else { &[0] };
        let reachable = reach(count, entry, |block| indices(&successors[block]));
        let post_dominators = post_dominators(&successors);
        FlowGraph {
            predecessors: predecessors.into_iter().map(|set| set.into_iter().collect()).collect(),
            dominators: forward_dominators(&successors),
            dependences: dependences(&successors, &reachable, &post_dominators),
            back_edges: back_edges(&successors),
            post_dominators,
            reachable,
            successors,
        }
    }

    /// All blocks.
    pub fn blocks(&self) -> impl Iterator<Item = BlockId> + use<> {
        (0..self.successors.len()).map(BlockId::of)
    }

    /// Where control can go from `block`, in the order of the outcomes.
    #[must_use]
    pub fn successors(&self, block: BlockId) -> &[BlockId] {
        &self.successors[block.index()]
    }

    /// From where control can come to `block`, each once, in ascending order.
    #[must_use]
    pub fn predecessors(&self, block: BlockId) -> &[BlockId] {
        &self.predecessors[block.index()]
    }

    /// Whether there is a path from the entry to `block`.
    #[must_use]
    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.reachable[block.index()]
    }

    /// The blocks that end the function: those without successors.
    pub fn exits(&self) -> impl Iterator<Item = BlockId> + '_ {
        self.blocks().filter(|block| self.successors(*block).is_empty())
    }

    /// The nearest other block that every path from the entry to `block` passes; none for the entry and for
    /// unreachable blocks.
    #[must_use]
    pub fn immediate_dominator(&self, block: BlockId) -> Option<BlockId> {
        self.dominators[block.index()]
    }

    /// Whether control may come from a block to itself again.
    #[must_use]
    pub fn comes_back(&self, block: BlockId) -> bool {
        let next = |block: usize| self.successors(BlockId::of(block)).iter().map(|to| to.index());
        let starts: Vec<usize> = self.successors(block).iter().map(|to| to.index()).collect();
        reach(self.blocks().count(), &starts, next)[block.index()]
    }

    /// Whether every path from the entry to `block` passes `dominator`; a block dominates itself.
    /// Unreachable blocks dominate nothing but themselves and are dominated by nothing else.
    #[must_use]
    pub fn dominates(&self, dominator: BlockId, block: BlockId) -> bool {
        chain(&self.dominators, block).any(|above| above == dominator)
    }

    /// The nearest other block that every path from `block` to the end passes; none where that is the end itself.
    #[must_use]
    pub fn immediate_post_dominator(&self, block: BlockId) -> Option<BlockId> {
        self.post_dominators[block.index()]
    }

    /// Whether every path from `block` to the end passes `dominator`; a block post-dominates itself.
    #[must_use]
    pub fn post_dominates(&self, dominator: BlockId, block: BlockId) -> bool {
        chain(&self.post_dominators, block).any(|above| above == dominator)
    }

    /// The edges that `block` is control dependent on (Ferrante, Ottenstein and Warren): taking one of them
    /// leads to `block` for certain, another edge of the same source may avoid it. In ascending order.
    ///
    /// Edges of unreachable blocks, and of blocks with one successor only, decide nothing and are left out.
    #[must_use]
    pub fn dependences(&self, block: BlockId) -> &[(BlockId, usize)] {
        &self.dependences[block.index()]
    }

    /// The edges that `block` depends on directly or through the blocks that decide for it. In ascending order.
    #[must_use]
    pub fn all_dependences(&self, block: BlockId) -> Vec<(BlockId, usize)> {
        let mut edges = BTreeSet::new();
        let mut open = vec![block];
        while let Some(block) = open.pop() {
            for edge in self.dependences(block) {
                if edges.insert(*edge) {
                    open.push(edge.0);
                }
            }
        }
        edges.into_iter().collect()
    }

    /// The edges that close a loop, in ascending order: those that a depth-first walk from the entry finds leading back to a
    /// block it is still in. In a reducible graph these are the edges whose target dominates their source.
    #[must_use]
    pub fn back_edges(&self) -> &[(BlockId, usize)] {
        &self.back_edges
    }

    /// The target of an edge.
    #[must_use]
    pub fn target(&self, edge: (BlockId, usize)) -> BlockId {
        self.successors[edge.0.index()][edge.1]
    }

    /// The blocks that back edges lead to, each once, in ascending order.
    #[must_use]
    pub fn loop_headers(&self) -> Vec<BlockId> {
        let headers: BTreeSet<BlockId> = self.back_edges.iter().map(|edge| self.target(*edge)).collect();
        headers.into_iter().collect()
    }

    /// Whether the loop that `edge` closes can only be entered through its header.
    #[must_use]
    pub fn is_natural(&self, edge: (BlockId, usize)) -> bool {
        self.dominates(self.target(edge), edge.0)
    }

    /// The blocks of the natural loops with this header, in ascending order: those that reach one of its back
    /// edges without passing the header. Empty if `header` has no natural loop.
    #[must_use]
    pub fn loop_blocks(&self, header: BlockId) -> Vec<BlockId> {
        let latches: Vec<usize> = self
            .back_edges
            .iter()
            .filter(|edge| self.target(**edge) == header && self.is_natural(**edge))
            .map(|edge| edge.0.index())
            .collect();
        if latches.is_empty() {
            return Vec::new();
        }
        let mut inside = reach(self.successors.len(), &latches, |block| {
            let stop = block == header.index();
            if stop { Vec::new() } else { indices(&self.predecessors[block]) }
        });
        inside[header.index()] = true;
        self.blocks().filter(|block| inside[block.index()] && self.is_reachable(*block)).collect()
    }
}

fn indices(blocks: &[BlockId]) -> Vec<usize> {
    blocks.iter().map(|block| block.index()).collect()
}

/// `block` and what lies above it in a dominator tree.
fn chain(tree: &[Option<BlockId>], block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
    std::iter::successors(Some(block), |block| tree[block.index()])
}

fn forward_dominators(successors: &[Vec<BlockId>]) -> Vec<Option<BlockId>> {
    if successors.is_empty() {
        return Vec::new();
    }
    let mut graph = DiGraph::<(), ()>::new();
    let nodes: Vec<NodeIndex> = successors.iter().map(|_| graph.add_node(())).collect();
    for (block, targets) in successors.iter().enumerate() {
        for target in targets {
            graph.add_edge(nodes[block], nodes[target.index()], ());
        }
    }
    let tree = dominators::simple_fast(&graph, nodes[0]);
    nodes.iter().map(|node| tree.immediate_dominator(*node).map(|above| BlockId::of(above.index()))).collect()
}

fn post_dominators(successors: &[Vec<BlockId>]) -> Vec<Option<BlockId>> {
    let mut reversed = DiGraph::<(), ()>::new();
    let nodes: Vec<NodeIndex> = successors.iter().map(|_| reversed.add_node(())).collect();
    for (block, targets) in successors.iter().enumerate() {
        for target in targets {
            reversed.add_edge(nodes[target.index()], nodes[block], ());
        }
    }
    // A component that nothing leaves is either a block without successors or an endless loop.
    let leaders: Vec<usize> = tarjan_scc(&reversed)
        .into_iter()
        .filter_map(|component| {
            let members: BTreeSet<usize> = component.iter().map(|node| node.index()).collect();
            let closed =
                members.iter().all(|block| successors[*block].iter().all(|to| members.contains(&to.index())));
            closed.then(|| members.first().copied()).flatten()
        })
        .collect();
    let exit = reversed.add_node(());
    for leader in leaders {
        reversed.add_edge(exit, nodes[leader], ());
    }
    let tree = dominators::simple_fast(&reversed, exit);
    let above = |node: &NodeIndex| tree.immediate_dominator(*node).filter(|above| *above != exit);
    nodes.iter().map(|node| above(node).map(|above| BlockId::of(above.index()))).collect()
}

/// Every block on the way up the post-dominator tree from the target of an edge to, but without, the immediate
/// post-dominator of its source depends on that edge.
fn dependences(
    successors: &[Vec<BlockId>],
    reachable: &[bool],
    post_dominators: &[Option<BlockId>],
) -> Vec<Vec<(BlockId, usize)>> {
    let mut dependences = vec![Vec::new(); successors.len()];
    for (source, targets) in successors.iter().enumerate() {
        if !reachable[source] || targets.len() < 2 {
            continue;
        }
        let end = post_dominators[source];
        for (position, target) in targets.iter().enumerate() {
            for block in chain(post_dominators, *target).take_while(|block| Some(*block) != end) {
                dependences[block.index()].push((BlockId::of(source), position));
            }
        }
    }
    dependences
}

fn back_edges(successors: &[Vec<BlockId>]) -> Vec<(BlockId, usize)> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; successors.len()];
    let mut found = Vec::new();
    // The walk keeps its own stack: generated code can have chains of blocks longer than ours.
    let mut stack = Vec::new();
    if let Some(mark) = marks.first_mut() {
        *mark = Mark::Open;
        stack.push((0, 0));
    }
    while let Some((block, position)) = stack.pop() {
        let Some(target) = successors[block].get(position) else {
            marks[block] = Mark::Done;
            continue;
        };
        stack.push((block, position + 1));
        match marks[target.index()] {
            Mark::New => {
                marks[target.index()] = Mark::Open;
                stack.push((target.index(), 0));
            }
            Mark::Open => found.push((BlockId::of(block), position)),
            Mark::Done => {}
        }
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
#[path = "flow_tests.rs"]
mod tests;

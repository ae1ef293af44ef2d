//! Path expressions: all ways from a block to an edge, as a regular expression over edges (Beizer's node reduction).
//!
//! Nodes are removed one by one; what led through a node becomes an expression on the edges past it:
//!
//! ```text
//! u --a--> x --b--> v,  x --c--> x        becomes        u --a c* b--> v
//! ```
//!
//! Parts are shared, so the expression takes far less room than the paths it stands for.

use super::FlowGraph;
use crate::ids::BlockId;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

/// An edge: its source, and its position among the source's successors.
pub type Edge = (BlockId, usize);

/// A regular expression over edges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Path {
    /// Nothing to be passed.
    Empty,
    /// One edge.
    Edge(Edge),
    /// One after the other.
    Seq(Rc<Path>, Rc<Path>),
    /// One or the other.
    Alt(Rc<Path>, Rc<Path>),
    /// Any number of times, none included.
    Star(Rc<Path>),
}

/// All paths that begin at `start` and end with the edge `target`; none if there are none.
///
/// Only what `start` reaches and what reaches `target` takes part.
#[must_use]
pub fn paths(flow: &FlowGraph, start: BlockId, target: Edge) -> Option<Rc<Path>> {
    Reduction::new(flow, start, target)?.reduced()
}

/// Those of [`paths`] that do not come back to `start`.
#[must_use]
pub fn paths_without_return(flow: &FlowGraph, start: BlockId, target: Edge) -> Option<Rc<Path>> {
    let mut reduction = Reduction::new(flow, start, target)?;
    reduction.edges.retain(|(from, to), _| *to != start.index() || *from == START);
    reduction.reduced()
}

/// The blocks on paths from `start` to the source of `target`, in ascending order.
#[must_use]
pub fn blocks_between(flow: &FlowGraph, start: BlockId, target: Edge) -> Vec<BlockId> {
    let count = flow.blocks().count();
    let next = |block: usize| flow.successors(BlockId::of(block)).iter().map(|to| to.index());
    let previous = |block: usize| flow.predecessors(BlockId::of(block)).iter().map(|from| from.index());
    let forward = super::reach(count, &[start.index()], next);
    let backward = super::reach(count, &[target.0.index()], previous);
    flow.blocks().filter(|block| forward[block.index()] && backward[block.index()]).collect()
}

/// Nodes are blocks, and these two.
const START: usize = usize::MAX - 1;
const END: usize = usize::MAX;

struct Reduction {
    /// What leads from a node to another.
    edges: BTreeMap<(usize, usize), Rc<Path>>,
}

impl Reduction {
    /// What leads from start to end when all nodes between them are removed.
    fn reduced(mut self) -> Option<Rc<Path>> {
        while let Some(node) = self.cheapest() {
            self.remove(node);
        }
        self.edges.remove(&(START, END))
    }

    fn new(flow: &FlowGraph, start: BlockId, target: Edge) -> Option<Reduction> {
        let blocks = blocks_between(flow, start, target);
        if !blocks.contains(&start) {
            return None;
        }
        let mut reduction = Reduction { edges: BTreeMap::new() };
        reduction.add(START, start.index(), Rc::new(Path::Empty));
        reduction.add(target.0.index(), END, Rc::new(Path::Edge(target)));
        for block in &blocks {
            for (position, to) in flow.successors(*block).iter().enumerate() {
                // The target ends the path.
                if (*block, position) != target && blocks.binary_search(to).is_ok() {
                    reduction.add(block.index(), to.index(), Rc::new(Path::Edge((*block, position))));
                }
            }
        }
        Some(reduction)
    }

    /// One more way from a node to another.
    fn add(&mut self, from: usize, to: usize, path: Rc<Path>) {
        let both = match self.edges.remove(&(from, to)) {
            Some(before) => Rc::new(Path::Alt(before, path)),
            None => path,
        };
        self.edges.insert((from, to), both);
    }

    /// The node whose removal makes the fewest new ways.
    fn cheapest(&self) -> Option<usize> {
        let mut ways: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for (from, to) in self.edges.keys().filter(|(from, to)| from != to) {
            ways.entry(*from).or_default().1 += 1;
            ways.entry(*to).or_default().0 += 1;
        }
        let inner = ways.iter().filter(|(node, _)| !matches!(**node, START | END));
        inner.min_by_key(|(_, (enter, leave))| enter * leave).map(|(node, _)| *node)
    }

    fn remove(&mut self, node: usize) {
        let around = self.edges.remove(&(node, node)).map(|path| Rc::new(Path::Star(path)));
        let enters: Vec<usize> =
            self.edges.keys().filter(|(_, to)| *to == node).map(|(from, _)| *from).collect();
        let leaves: Vec<usize> =
            self.edges.keys().filter(|(from, _)| *from == node).map(|(_, to)| *to).collect();
        for from in &enters {
            let Some(enter) = self.edges.remove(&(*from, node)) else { continue };
            let enter = around.iter().fold(enter, |enter, around| sequence(&enter, around));
            for to in &leaves {
                let leave = Rc::clone(&self.edges[&(node, *to)]);
                self.add(*from, *to, sequence(&enter, &leave));
            }
        }
        for to in leaves {
            self.edges.remove(&(node, to));
        }
    }
}

fn sequence(first: &Rc<Path>, second: &Rc<Path>) -> Rc<Path> {
    if **first == Path::Empty {
        return Rc::clone(second);
    }
    Rc::new(Path::Seq(Rc::clone(first), Rc::clone(second)))
}

impl fmt::Display for Path {
    /// Edges as `0.1`: block and position.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Empty => formatter.write_str("1"),
            Path::Edge((block, position)) => write!(formatter, "{block}.{position}"),
            Path::Seq(a, b) => write!(formatter, "{a} {b}"),
            Path::Alt(a, b) => write!(formatter, "({a} + {b})"),
            Path::Star(inner) => write!(formatter, "({inner})*"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(successors: &[&[u32]], start: u32, target: (u32, usize), expected: &str) {
        let successors =
            successors.iter().map(|list| list.iter().map(|block| BlockId(*block)).collect()).collect();
        let paths = paths(&FlowGraph::new(successors), BlockId(start), (BlockId(target.0), target.1));
        assert_eq!(paths.map_or("nothing".to_owned(), |path| path.to_string()), expected);
    }

    #[test]
    fn nested_decisions_are_a_sequence() {
        check(&[&[1, 3], &[2, 3], &[3, 3], &[]], 0, (2, 0), "0.0 1.0 2.0");
    }

    #[test]
    fn a_decision_on_the_way_is_an_alternative() {
        check(&[&[1, 2], &[3], &[3], &[4, 4], &[]], 0, (3, 1), "(0.0 1.0 + 0.1 2.0) 3.1");
    }

    #[test]
    fn a_loop_on_the_way_is_a_star() {
        // The shape of the paper's Figure 2: a decision, then a loop, then the target.
        check(&[&[1, 4], &[2, 3], &[1], &[4, 4], &[]], 0, (3, 0), "0.0 (1.0 2.0)* 1.1 3.0");
    }

    #[test]
    fn a_target_in_the_loop_of_its_start_is_reached_again() {
        check(&[&[1, 2], &[0, 0], &[]], 0, (0, 1), "(0.0 (1.0 + 1.1))* 0.1");
    }

    #[test]
    fn paths_that_come_back_to_their_start_can_be_left_out() {
        let blocks = |list: &[u32]| list.iter().map(|block| BlockId(*block)).collect();
        let flow = FlowGraph::new([&[1, 4][..], &[2, 3], &[3, 3], &[0], &[]].map(blocks).to_vec());
        let text = |path: Option<Rc<Path>>| path.map(|path| path.to_string());
        let target = (BlockId(2), 1);
        assert_eq!(text(paths_without_return(&flow, BlockId(1), target)).as_deref(), Some("1.0 2.1"));
        assert!(text(paths(&flow, BlockId(1), target)).is_some_and(|text| text.contains('*')));
    }

    #[test]
    fn what_cannot_be_reached_has_no_paths() {
        check(&[&[1, 2], &[], &[3, 3], &[]], 1, (2, 0), "nothing");
    }
}

//! The interprocedural graph: the blocks of all functions, joined by calls and returns.
//!
//! The model is simple: calls stand inside blocks, so a call edge leads from the calling block to the entry of the
//! callee, and return edges lead from the callee's exits to the successors of the calling block. If the
//! calling block has none, it is itself what follows the call. The flow edges past the call stay, as a call
//! through a pointer or to a function defined elsewhere has no edge of its own.

use super::reach;
use crate::ids::{BlockId, FunctionId};
use crate::subject::{Function, Subject};
use std::collections::BTreeSet;

/// A block of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node {
    /// The function.
    pub function: FunctionId,
    /// The block in it.
    pub block: BlockId,
}

/// An edge to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Link {
    /// Where it leads.
    pub target: Node,
    /// What kind it is.
    pub kind: LinkKind,
}

/// The kinds of edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LinkKind {
    /// Within a function.
    Flow,
    /// From a calling block to the entry of the callee.
    Call,
    /// From an exit of the callee to what follows the call.
    Return,
}

/// The interprocedural graph of a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interprocedural {
    /// Where the blocks of each function begin in `links`, and the end.
    starts: Vec<usize>,
    links: Vec<BTreeSet<Link>>,
}

impl Interprocedural {
    /// The graph of `subject`.
    #[must_use]
    pub fn new(subject: &Subject) -> Interprocedural {
        let mut starts = vec![0];
        for function in &subject.functions {
            starts.push(starts.last().copied().unwrap_or(0) + function.blocks.len());
        }
        let count = starts.last().copied().unwrap_or(0);
        let mut graph = Interprocedural { starts, links: vec![BTreeSet::new(); count] };
        for (index, function) in subject.functions.iter().enumerate() {
            let id = FunctionId::of(index);
            for (block, contents) in function.blocks.iter().enumerate() {
                for target in &contents.successors {
                    let source = Node { function: id, block: BlockId::of(block) };
                    graph.link(source, Node { function: id, block: *target }, LinkKind::Flow);
                }
            }
            graph.link_calls(subject, id, function);
        }
        graph
    }

    fn link_calls(&mut self, subject: &Subject, id: FunctionId, function: &Function) {
        for call in &function.calls {
            let caller = Node { function: id, block: call.block };
            let after = &function.blocks[call.block.index()].successors;
            let after = if after.is_empty() { std::slice::from_ref(&call.block) } else { after };
            for callee in call.targets() {
                let blocks = &subject.function(*callee).blocks;
                if blocks.is_empty() {
                    continue;
                }
                self.link(caller, Node { function: *callee, block: BlockId(0) }, LinkKind::Call);
                let exits = blocks.iter().enumerate().filter(|(_, block)| block.successors.is_empty());
                for (exit, _) in exits {
                    let exit = Node { function: *callee, block: BlockId::of(exit) };
                    for block in after {
                        self.link(exit, Node { function: id, block: *block }, LinkKind::Return);
                    }
                }
            }
        }
    }

    fn link(&mut self, source: Node, target: Node, kind: LinkKind) {
        let index = self.index(source);
        self.links[index].insert(Link { target, kind });
    }

    fn index(&self, node: Node) -> usize {
        self.starts[node.function.index()] + node.block.index()
    }

    /// All nodes, by function and block.
    pub fn nodes(&self) -> impl Iterator<Item = Node> + '_ {
        self.starts.windows(2).enumerate().flat_map(|(function, range)| {
            let function = FunctionId::of(function);
            (0..range[1] - range[0]).map(move |block| Node { function, block: BlockId::of(block) })
        })
    }

    /// The edges from `node`, in ascending order.
    pub fn links(&self, node: Node) -> impl Iterator<Item = Link> + '_ {
        self.links[self.index(node)].iter().copied()
    }

    /// All nodes that can be reached from `node`, itself included, in ascending order. Calls and returns are not
    /// matched, so this may be more than any run can do.
    #[must_use]
    pub fn reachable(&self, node: Node) -> Vec<Node> {
        let seen = reach(self.links.len(), &[self.index(node)], |index| {
            self.links[index].iter().map(|link| self.index(link.target))
        });
        self.nodes().filter(|node| seen[self.index(*node)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{block, calling, empty_subject};
    use crate::subject::{Call, Callee};

    fn node(function: u32, block: u32) -> Node {
        Node { function: FunctionId(function), block: BlockId(block) }
    }

    /// `f` calls `g` in block 0, which goes on to block 1; block 1 calls `g` again and returns.
    /// `g` returns from its blocks 1 and 2.
    fn two_functions() -> Subject {
        let mut subject = empty_subject();
        let mut caller = calling("f", &[Callee::Defined(FunctionId(1))]);
        caller.blocks = vec![block(&[1]), block(&[])];
        caller.calls.push(Call { block: BlockId(1), callee: Callee::Pointer(vec![FunctionId(1)]) });
        let mut callee = calling("g", &[]);
        callee.blocks = vec![block(&[1, 2]), block(&[]), block(&[])];
        subject.functions = vec![caller, callee];
        subject
    }

    #[test]
    fn calls_lead_to_the_entry_and_returns_to_what_follows_the_call() {
        let graph = Interprocedural::new(&two_functions());
        let links = |from| graph.links(from).collect::<Vec<_>>();
        let to = |target, kind| Link { target, kind };
        assert_eq!(links(node(0, 0)), [to(node(0, 1), LinkKind::Flow), to(node(1, 0), LinkKind::Call)]);
        // The second call ends its function, so its block is what follows it.
        assert_eq!(links(node(0, 1)), [to(node(1, 0), LinkKind::Call)]);
        assert_eq!(links(node(1, 0)), [to(node(1, 1), LinkKind::Flow), to(node(1, 2), LinkKind::Flow)]);
        assert_eq!(links(node(1, 1)), [to(node(0, 1), LinkKind::Return)]);
        assert_eq!(links(node(1, 2)), [to(node(0, 1), LinkKind::Return)]);
    }

    #[test]
    fn everything_after_a_call_is_reached_through_the_callee() {
        let graph = Interprocedural::new(&two_functions());
        assert_eq!(graph.nodes().count(), 5);
        assert_eq!(graph.reachable(node(1, 1)), [node(0, 1), node(1, 0), node(1, 1), node(1, 2)]);
    }
}

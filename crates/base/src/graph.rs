//! Graphs of the subject: control flow within a function, calls between functions, and both together.
//!
//! * [`FlowGraph`]: blocks of one function, dominators, post-dominators, control dependence, loops;
//! * [`CallGraph`]: who calls whom, and who calls itself;
//! * [`Interprocedural`]: the blocks of all functions, joined by calls and returns;
//! * [`dot`]: each of them as text for Graphviz.

mod calls;
pub mod dot;
mod flow;
mod interprocedural;

pub use calls::CallGraph;
pub use flow::FlowGraph;
pub use interprocedural::{Interprocedural, Link, LinkKind, Node};

/// All nodes that `next` leads to from the `start` nodes, those included; one flag per node.
fn reach(count: usize, start: &[usize], next: impl Fn(usize) -> Vec<usize>) -> Vec<bool> {
    let mut seen = vec![false; count];
    let mut open = start.to_vec();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            open.extend(next(node));
        }
    }
    seen
}

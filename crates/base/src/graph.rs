//! Graphs of the subject: control flow within a function, calls between functions, and both together.
//!
//! * [`FlowGraph`]: blocks of one function, dominators, post-dominators, control dependence, loops;
//! * [`decision_flow`]: the same without failed sanitizer checks;
//! * [`paths`]: all ways from a block to an edge, as a path expression;
//! * [`CallGraph`]: who calls whom, and who calls itself;
//! * [`Interprocedural`]: the blocks of all functions, joined by calls and returns;
//! * [`dot`]: each of them as text for Graphviz.

mod calls;
mod decisions;
pub mod dot;
mod flow;
mod interprocedural;
pub mod paths;

pub use calls::CallGraph;
pub use decisions::decision_flow;
pub use flow::FlowGraph;
pub use interprocedural::{Interprocedural, Link, LinkKind, Node};

/// All nodes that `next` leads to from the `start` nodes, those included; one flag per node.
fn reach<N: IntoIterator<Item = usize>>(
    count: usize,
    start: &[usize],
    next: impl Fn(usize) -> N,
) -> Vec<bool> {
    let mut seen = vec![false; count];
    let mut open = start.to_vec();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            open.extend(next(node));
        }
    }
    seen
}

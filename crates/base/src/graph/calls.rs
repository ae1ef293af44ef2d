//! The call graph: which function calls which.
//!
//! A call through a pointer may reach every function whose address is taken and whose type fits. Functions
//! defined elsewhere are not in the graph.

use super::reach;
use crate::ids::FunctionId;
use crate::subject::{Call, Subject};
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::BTreeSet;

/// The call graph of a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallGraph {
    callees: Vec<Vec<FunctionId>>,
    callers: Vec<Vec<FunctionId>>,
    components: Vec<Vec<FunctionId>>,
    recursive: Vec<bool>,
}

impl CallGraph {
    /// The call graph of `subject`.
    #[must_use]
    pub fn new(subject: &Subject) -> CallGraph {
        let count = subject.functions.len();
        let callees: Vec<BTreeSet<FunctionId>> = subject
            .functions
            .iter()
            .map(|function| function.calls.iter().flat_map(|call| call.targets().iter().copied()).collect())
            .collect();
        let mut callers = vec![Vec::new(); count];
        let mut graph = DiGraph::<(), ()>::new();
        let nodes: Vec<NodeIndex> = (0..count).map(|_| graph.add_node(())).collect();
        for (caller, set) in callees.iter().enumerate() {
            for callee in set {
                callers[callee.index()].push(FunctionId::of(caller));
                graph.add_edge(nodes[caller], nodes[callee.index()], ());
            }
        }
        let components = tarjan_scc(&graph).into_iter().map(|component| {
            let members: BTreeSet<FunctionId> =
                component.into_iter().map(|node| FunctionId::of(node.index())).collect();
            members.into_iter().collect::<Vec<_>>()
        });
        let components: Vec<Vec<FunctionId>> = components.collect();
        let mut recursive = vec![false; count];
        for component in &components {
            for member in component {
                recursive[member.index()] = component.len() > 1 || callees[member.index()].contains(member);
            }
        }
        let callees = callees.into_iter().map(|set| set.into_iter().collect()).collect();
        CallGraph { callees, callers, components, recursive }
    }

    /// The functions that `function` may call itself, in ascending order.
    #[must_use]
    pub fn callees(&self, function: FunctionId) -> &[FunctionId] {
        &self.callees[function.index()]
    }

    /// The functions that may call `function` themselves, in ascending order.
    #[must_use]
    pub fn callers(&self, function: FunctionId) -> &[FunctionId] {
        &self.callers[function.index()]
    }

    /// All functions that a call of `function` may enter after it, in ascending order; itself only if it is recursive.
    #[must_use]
    pub fn all_callees(&self, function: FunctionId) -> Vec<FunctionId> {
        closure(&self.callees, function)
    }

    /// As [`CallGraph::all_callees`] for one function, without the graph of all others.
    #[must_use]
    pub fn callees_from(subject: &Subject, function: FunctionId) -> Vec<FunctionId> {
        CallGraph::callees_within(subject, function, |_| true)
    }

    /// As [`CallGraph::callees_from`], without those that the closure does not let in, and what only they lead to.
    #[must_use]
    pub fn callees_within(
        subject: &Subject,
        function: FunctionId,
        enters: impl Fn(FunctionId) -> bool,
    ) -> Vec<FunctionId> {
        walk(subject, &[function], &[], enters).collect()
    }

    /// The functions that calls of these may enter, themselves included.
    #[must_use]
    pub fn entered_from(subject: &Subject, functions: &[FunctionId]) -> BTreeSet<FunctionId> {
        walk(subject, functions, functions, |_| true).collect()
    }

    /// As [`CallGraph::entered_from`], from the graph of all functions.
    #[must_use]
    pub fn entered(&self, functions: &[FunctionId]) -> BTreeSet<FunctionId> {
        let start: Vec<usize> = functions.iter().map(|function| function.index()).collect();
        let seen =
            reach(self.callees.len(), &start, |function| self.callees[function].iter().map(|id| id.index()));
        marked(seen).collect()
    }

    /// All functions whose calls may lead to `function`, in ascending order; itself only if it is recursive.
    #[must_use]
    pub fn all_callers(&self, function: FunctionId) -> Vec<FunctionId> {
        closure(&self.callers, function)
    }

    /// Whether a call of `function` may lead to another call of it.
    #[must_use]
    pub fn is_recursive(&self, function: FunctionId) -> bool {
        self.recursive[function.index()]
    }

    /// The groups of functions that call each other, callees before callers.
    #[must_use]
    pub fn components(&self) -> &[Vec<FunctionId>] {
        &self.components
    }
}

/// The functions that are `seen` from the first, and those that the open ones lead to and the closure lets in; in ascending order.
fn walk(
    subject: &Subject,
    open: &[FunctionId],
    seen: &[FunctionId],
    enters: impl Fn(FunctionId) -> bool,
) -> impl Iterator<Item = FunctionId> {
    // A function of a large project enters most of it, so a flag for each is cheaper than a set.
    let mut flags = vec![false; subject.functions.len()];
    seen.iter().for_each(|function| flags[function.index()] = true);
    let mut open = open.to_vec();
    while let Some(caller) = open.pop() {
        for callee in subject.function(caller).calls.iter().flat_map(Call::targets) {
            if !flags[callee.index()] && enters(*callee) {
                flags[callee.index()] = true;
                open.push(*callee);
            }
        }
    }
    marked(flags)
}

fn closure(next: &[Vec<FunctionId>], function: FunctionId) -> Vec<FunctionId> {
    let indices = |function: usize| next[function].iter().map(|function| function.index());
    let start: Vec<usize> = indices(function.index()).collect();
    marked(reach(next.len(), &start, indices)).collect()
}

/// The functions whose flag is set.
fn marked(flags: Vec<bool>) -> impl Iterator<Item = FunctionId> {
    flags.into_iter().enumerate().filter(|(_, flag)| *flag).map(|(index, _)| FunctionId::of(index))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{calling, empty_subject};
    use crate::subject::Callee;

    fn ids(list: &[u32]) -> Vec<FunctionId> {
        list.iter().copied().map(FunctionId).collect()
    }

    #[test]
    fn callers_and_callees_are_found_through_functions_in_between() {
        let mut subject = empty_subject();
        subject.functions = vec![
            calling("main", &[Callee::Defined(FunctionId(1)), Callee::External("puts".to_owned())]),
            calling("middle", &[Callee::Defined(FunctionId(2)), Callee::Defined(FunctionId(2))]),
            calling("leaf", &[]),
        ];
        let graph = CallGraph::new(&subject);
        assert_eq!(graph.callees(FunctionId(1)), ids(&[2]));
        assert_eq!(graph.all_callees(FunctionId(0)), ids(&[1, 2]));
        assert_eq!(CallGraph::callees_from(&subject, FunctionId(0)), ids(&[1, 2]));
        let entered: BTreeSet<FunctionId> = ids(&[1, 2]).into_iter().collect();
        assert_eq!(graph.entered(&ids(&[1])), entered);
        assert_eq!(CallGraph::entered_from(&subject, &ids(&[1])), entered);
        assert_eq!(graph.all_callers(FunctionId(2)), ids(&[0, 1]));
        assert_eq!(graph.callers(FunctionId(0)), []);
        assert_eq!(graph.components(), [ids(&[2]), ids(&[1]), ids(&[0])]);
        assert!(!graph.is_recursive(FunctionId(1)));
    }

    #[test]
    fn recursion_is_seen_directly_mutually_and_through_pointers() {
        let mut subject = empty_subject();
        subject.functions = vec![
            calling("factorial", &[Callee::Defined(FunctionId(0))]),
            calling("even", &[Callee::Defined(FunctionId(2))]),
            calling("odd", &[Callee::Pointer(vec![FunctionId(1), FunctionId(3)])]),
            calling("leaf", &[]),
        ];
        let graph = CallGraph::new(&subject);
        let recursive: Vec<bool> = (0..4).map(|function| graph.is_recursive(FunctionId(function))).collect();
        assert_eq!(recursive, [true, true, true, false]);
        assert_eq!(graph.all_callees(FunctionId(1)), ids(&[1, 2, 3]));
        assert_eq!(CallGraph::callees_from(&subject, FunctionId(1)), ids(&[1, 2, 3]));
        assert!(graph.components().contains(&ids(&[1, 2])));
    }
}

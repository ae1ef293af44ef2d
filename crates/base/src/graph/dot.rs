//! Graphs as text for Graphviz.

use super::{CallGraph, FlowGraph, Interprocedural, LinkKind, Node};
use crate::ids::{BlockId, FunctionId};
use crate::subject::{Callee, Function, Subject};
use std::collections::BTreeSet;

impl FlowGraph {
    /// The graph with one label per block; `edge_label` labels the edges of blocks with several successors.
    ///
    /// Back edges are bold, unreachable blocks grey.
    ///
    /// # Panics
    /// If there are fewer labels than blocks.
    #[must_use]
    pub fn to_dot(
        &self,
        name: &str,
        labels: &[String],
        edge_label: impl Fn(BlockId, usize) -> String,
    ) -> String {
        let mut text = opening(name);
        for block in self.blocks() {
            let colour = if self.is_reachable(block) { "" } else { ", color=grey, fontcolor=grey" };
            line(&mut text, &format!("b{block} [label={}{colour}]", quoted(&labels[block.index()])));
        }
        for block in self.blocks() {
            let successors = self.successors(block);
            for (position, target) in successors.iter().enumerate() {
                let mut attributes = Vec::new();
                if successors.len() > 1 {
                    attributes.push(format!("label={}", quoted(&edge_label(block, position))));
                }
                if self.back_edges().contains(&(block, position)) {
                    attributes.push("style=bold".to_owned());
                }
                line(&mut text, &format!("b{block} -> b{target}{}", list(&attributes)));
            }
        }
        closing(text)
    }
}

/// The flow graph of a function of the subject: blocks with their lines, edges with their outcomes.
#[must_use]
pub fn function(subject: &Subject, id: FunctionId) -> String {
    let function = subject.function(id);
    let labels: Vec<String> = (0..function.blocks.len()).map(|block| block_label(function, block)).collect();
    subject.flow(id).to_dot(&function.name, &labels, |block, position| {
        let site = function.blocks[block.index()].decides.and_then(|site| subject.site(site));
        let position = u32::try_from(position).expect("a block has fewer than 2^32 successors");
        site.map_or_else(|| position.to_string(), |site| site.outcome_name(position))
    })
}

/// The call graph: calls through pointers are dashed, functions defined elsewhere dotted, recursive functions
/// have a double border. Library models are shown only where something calls them.
#[must_use]
pub fn calls(subject: &Subject) -> String {
    let graph = CallGraph::new(subject);
    let mut text = opening("calls");
    let (mut externals, mut edges) = (BTreeSet::new(), BTreeSet::new());
    for (index, function) in subject.functions.iter().enumerate() {
        let id = FunctionId::of(index);
        if function.model && graph.callers(id).is_empty() {
            continue;
        }
        let border = if graph.is_recursive(id) { ", peripheries=2" } else { "" };
        line(&mut text, &format!("f{id} [label={}{border}]", quoted(&function.name)));
        for call in &function.calls {
            match &call.callee {
                Callee::Defined(callee) => {
                    edges.insert(format!("f{id} -> f{callee}"));
                }
                Callee::External(name) => {
                    externals.insert(name);
                    edges.insert(format!("f{id} -> {}", quoted(name)));
                }
                Callee::Pointer(candidates) => {
                    edges
                        .extend(candidates.iter().map(|callee| format!("f{id} -> f{callee} [style=dashed]")));
                }
            }
        }
    }
    for name in externals {
        line(&mut text, &format!("{} [style=dotted]", quoted(name)));
    }
    for edge in edges {
        line(&mut text, &edge);
    }
    closing(text)
}

/// The interprocedural graph: one cluster per function, calls blue, returns green.
#[must_use]
pub fn interprocedural(subject: &Subject) -> String {
    let graph = Interprocedural::new(subject);
    let name = |node: Node| format!("f{}b{}", node.function, node.block);
    let mut text = opening("interprocedural");
    for (index, function) in subject.functions.iter().enumerate() {
        let id = FunctionId::of(index);
        line(&mut text, &format!("subgraph cluster{id} {{ label={};", quoted(&function.name)));
        for block in 0..function.blocks.len() {
            let node = name(Node { function: id, block: BlockId::of(block) });
            let label = quoted(&block_label(function, block));
            line(&mut text, &format!("  {node} [label={label}]"));
        }
        line(&mut text, "}");
    }
    for node in graph.nodes() {
        for link in graph.links(node) {
            let colour = match link.kind {
                LinkKind::Flow => "",
                LinkKind::Call => " [color=blue]",
                LinkKind::Return => " [color=green, style=dashed]",
            };
            line(&mut text, &format!("{} -> {}{colour}", name(node), name(link.target)));
        }
    }
    closing(text)
}

fn block_label(function: &Function, block: usize) -> String {
    match function.blocks[block].line {
        0 => format!("block {block}"),
        line => format!("block {block}\nline {line}"),
    }
}

fn opening(name: &str) -> String {
    format!("digraph {} {{\n  node [shape=box, fontname=monospace];\n", quoted(name))
}

fn line(text: &mut String, statement: &str) {
    text.push_str("  ");
    text.push_str(statement);
    text.push('\n');
}

fn list(attributes: &[String]) -> String {
    if attributes.is_empty() { String::new() } else { format!(" [{}]", attributes.join(", ")) }
}

fn closing(text: String) -> String {
    text + "}\n"
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{block, calling, empty_subject};
    use crate::subject::Subject;
    use expect_test::expect;

    fn subject() -> Subject {
        let mut subject = empty_subject();
        let mut looping =
            calling("loop", &[Callee::Defined(FunctionId(1)), Callee::External("puts".to_owned())]);
        looping.blocks = vec![block(&[1]), block(&[0, 2]), block(&[]), block(&[2])];
        looping.blocks[1].line = 7;
        subject.functions = vec![looping, calling("again", &[Callee::Pointer(vec![FunctionId(1)])])];
        subject
    }

    #[test]
    fn a_flow_graph_shows_lines_back_edges_and_unreachable_blocks() {
        expect![[r#"
            digraph "loop" {
              node [shape=box, fontname=monospace];
              b0 [label="block 0"]
              b1 [label="block 1\nline 7"]
              b2 [label="block 2"]
              b3 [label="block 3", color=grey, fontcolor=grey]
              b0 -> b1
              b1 -> b0 [label="0", style=bold]
              b1 -> b2 [label="1"]
              b3 -> b2
            }
        "#]]
        .assert_eq(&function(&subject(), FunctionId(0)));
    }

    #[test]
    fn a_call_graph_shows_externals_pointers_and_recursion() {
        expect![[r#"
            digraph "calls" {
              node [shape=box, fontname=monospace];
              f0 [label="loop"]
              f1 [label="again", peripheries=2]
              "puts" [style=dotted]
              f0 -> "puts"
              f0 -> f1
              f1 -> f1 [style=dashed]
            }
        "#]]
        .assert_eq(&calls(&subject()));
    }

    #[test]
    fn an_interprocedural_graph_shows_calls_and_returns() {
        expect![[r#"
            digraph "interprocedural" {
              node [shape=box, fontname=monospace];
              subgraph cluster0 { label="loop";
                f0b0 [label="block 0"]
                f0b1 [label="block 1\nline 7"]
                f0b2 [label="block 2"]
                f0b3 [label="block 3"]
              }
              subgraph cluster1 { label="again";
                f1b0 [label="block 0"]
              }
              f0b0 -> f0b1
              f0b0 -> f1b0 [color=blue]
              f0b1 -> f0b0
              f0b1 -> f0b2
              f0b3 -> f0b2
              f1b0 -> f0b1 [color=green, style=dashed]
              f1b0 -> f1b0 [color=blue]
              f1b0 -> f1b0 [color=green, style=dashed]
            }
        "#]]
        .assert_eq(&interprocedural(&subject()));
    }

    #[test]
    fn names_are_quoted() {
        assert_eq!(quoted("a\"b\\c\nd"), r#""a\"b\\c\nd""#);
    }
}

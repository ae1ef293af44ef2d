//! `testwright show graph`: graphs in the language of Graphviz.

use crate::args::GraphKind;
use crate::exit::Failure;
use crate::load;
use std::fmt::Write;
use testwright_base::graph::{FlowGraph, dot};
use testwright_base::ids::{BlockId, FunctionId};
use testwright_base::site::{Site, SiteKind};
use testwright_base::subject::Subject;

/// The text of a graph.
pub fn text(subject: &Subject, function: Option<&str>, kind: GraphKind) -> Result<String, Failure> {
    match kind {
        GraphKind::Calls => return Ok(dot::calls(subject)),
        GraphKind::Interprocedural => return Ok(dot::interprocedural(subject)),
        _ => {}
    }
    let id = match function {
        Some(name) => load::function(subject, name)?,
        None => only_function(subject)?,
    };
    let flow = subject.flow(id);
    Ok(match kind {
        GraphKind::Dominators => tree(subject, id, &flow, FlowGraph::immediate_dominator),
        GraphKind::PostDominators => tree(subject, id, &flow, FlowGraph::immediate_post_dominator),
        GraphKind::Dependence => dependence(subject, id, &flow),
        _ => dot::function(subject, id),
    })
}

/// Without `--function` there must be only one.
fn only_function(subject: &Subject) -> Result<FunctionId, Failure> {
    let own: Vec<usize> =
        (0..subject.functions.len()).filter(|index| !subject.functions[*index].model).collect();
    match own[..] {
        [only] => Ok(FunctionId::of(only)),
        _ => {
            let names: Vec<&str> = own.iter().map(|index| subject.functions[*index].name.as_str()).collect();
            let names = load::first_of(&names);
            Err(Failure::usage(format!("name one of the functions with --function: {names}")))
        }
    }
}

fn nodes(subject: &Subject, id: FunctionId, flow: &FlowGraph) -> String {
    let function = subject.function(id);
    let mut text = format!("digraph \"{}\" {{\n", function.name);
    for block in flow.blocks() {
        let line = function.blocks[block.index()].line;
        let _ = writeln!(text, "  b{block} [label=\"block {block}\\nline {line}\"];");
    }
    text
}

fn tree(
    subject: &Subject,
    id: FunctionId,
    flow: &FlowGraph,
    parent: impl Fn(&FlowGraph, BlockId) -> Option<BlockId>,
) -> String {
    let mut text = nodes(subject, id, flow);
    for block in flow.blocks() {
        if let Some(parent) = parent(flow, block) {
            let _ = writeln!(text, "  b{parent} -> b{block};");
        }
    }
    text + "}\n"
}

/// An edge from the block that decides, labelled with the outcome, to the block that depends on it.
fn dependence(subject: &Subject, id: FunctionId, flow: &FlowGraph) -> String {
    let mut text = nodes(subject, id, flow);
    let blocks = &subject.function(id).blocks;
    for block in flow.blocks() {
        for (decider, position) in flow.dependences(block) {
            let site = blocks[decider.index()].decides.and_then(|site| subject.site(site));
            let label = match site {
                // Either side of a check: the one that traps or the one that goes on.
                Some(Site { kind: SiteKind::Check(_), .. }) => "check".to_owned(),
                Some(site) => site.outcome_name(*position as u32),
                None => position.to_string(),
            };
            let _ = writeln!(text, "  b{decider} -> b{block} [label=\"{label}\"];");
        }
    }
    text + "}\n"
}

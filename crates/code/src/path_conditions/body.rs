//! The body of a function as symbolic execution walks it: blocks, decisions, and what can be known of calls.

use std::collections::HashMap;
use testwright_base::graph::paths::Edge;
use testwright_base::graph::{FlowGraph, decision_flow};
use testwright_base::ids::{BlockId, FunctionId, OutcomeId};
use testwright_base::site::SiteKind;
use testwright_base::subject::Subject;
use testwright_llvm::{Block, Module, Opcode, Value};

/// Functions of the C library that read what they are given and change nothing.
const READERS: &[&str] = &[
    "strlen",
    "strnlen",
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "strchr",
    "strrchr",
    "strstr",
    "strspn",
    "strcspn",
    "strpbrk",
    "memcmp",
    "memchr",
    "atoi",
    "atol",
    "atoll",
    "atof",
    "abs",
    "labs",
    "llabs",
];

/// A function.
pub struct Body<'c> {
    /// Its flow graph, failed checks left out.
    pub flow: FlowGraph,
    /// Its blocks, by number.
    pub blocks: Vec<Block<'c>>,
    /// The instructions of each.
    pub instructions: Vec<Vec<Value<'c>>>,
    numbers: HashMap<Block<'c>, usize>,
    decisions: Vec<Decision>,
}

/// How a block ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// There is nothing to decide, or nobody wants to know: a jump, a check, a constant.
    None,
    /// A branch; its first outcome.
    Branch(OutcomeId),
    /// A switch; its first outcome.
    Switch(OutcomeId),
}

/// What a call does to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// It may change the object that its first argument points to.
    Object,
    /// It may change anything.
    Anything,
}

impl<'c> Body<'c> {
    /// The body of a function; none if it is not defined here, or not as the subject says.
    pub fn new(module: &Module<'c>, subject: &Subject, id: FunctionId) -> Option<Body<'c>> {
        let info = subject.function(id);
        let function = module.function(&info.name).filter(|function| !function.is_declaration())?;
        let blocks = function.blocks();
        if blocks.len() != info.blocks.len() {
            return None;
        }
        let decision = |block: &testwright_base::subject::Block| {
            let site = block.decides.and_then(|site| subject.site(site));
            match site.filter(|site| site.outcome_count > 0) {
                Some(site) if site.kind == SiteKind::Branch => Decision::Branch(site.first_outcome),
                Some(site) if matches!(site.kind, SiteKind::Switch { .. }) => {
                    Decision::Switch(site.first_outcome)
                }
                _ => Decision::None,
            }
        };
        Some(Body {
            flow: decision_flow(subject, id),
            instructions: blocks.iter().map(|block| block.instructions()).collect(),
            numbers: blocks.iter().enumerate().map(|(index, block)| (*block, index)).collect(),
            decisions: info.blocks.iter().map(decision).collect(),
            blocks,
        })
    }

    /// The number of a block.
    pub fn number(&self, block: Block<'c>) -> Option<usize> {
        self.numbers.get(&block).copied()
    }

    /// How a block ends.
    pub fn decision(&self, block: BlockId) -> Decision {
        self.decisions[block.index()]
    }

    /// The last instruction of a block.
    pub fn terminator(&self, block: BlockId) -> Option<Value<'c>> {
        self.instructions[block.index()].last().copied()
    }

    /// All outcomes that are decided here, and the edges that they are.
    pub fn outcomes(&self) -> Vec<(OutcomeId, Edge)> {
        let mut outcomes = Vec::new();
        for block in self.flow.blocks() {
            if let Decision::Branch(first) | Decision::Switch(first) = self.decision(block) {
                for position in 0..self.flow.successors(block).len() {
                    outcomes.push((OutcomeId(first.0 + position as u32), (block, position)));
                }
            }
        }
        outcomes
    }

    /// The blocks whose decisions lead to an edge, its own included, in ascending order.
    pub fn deciders(&self, block: BlockId) -> Vec<BlockId> {
        let mut list: Vec<BlockId> = self
            .flow
            .all_dependences(block)
            .into_iter()
            .map(|(source, _)| source)
            .filter(|source| self.decision(*source) != Decision::None)
            .collect();
        list.sort_unstable();
        list.dedup();
        list
    }
}

/// What a call does to memory.
pub fn effect(call: Value<'_>) -> Effect {
    let callee = call.callee();
    if !callee.is_function() {
        return Effect::Anything;
    }
    let name = callee.name();
    if callee.is_intrinsic() {
        let moves = ["llvm.memcpy.", "llvm.memmove.", "llvm.memset."];
        return if moves.iter().any(|start| name.starts_with(start)) { Effect::Object } else { Effect::None };
    }
    if READERS.contains(&name.as_str()) || is_function_of_numbers(call) || writes_nothing(callee) {
        return Effect::None;
    }
    if matches!(name.as_str(), "memcpy" | "memmove" | "memset" | "strcpy" | "strncpy" | "strcat") {
        return Effect::Object;
    }
    Effect::Anything
}

/// Whether a call computes from numbers alone: a function of libm, say.
pub fn is_function_of_numbers(call: Value<'_>) -> bool {
    let callee = call.callee();
    let numbers = |value: &Value<'_>| {
        value.ty().scalar_width().is_some() && value.ty().kind() != testwright_llvm::Kind::Pointer
    };
    callee.is_function()
        && callee.is_declaration()
        && !callee.is_intrinsic()
        && crate::redirect::is_pure(&callee.name())
        && call.call_arguments().iter().all(numbers)
        && call.ty().scalar_width().is_some()
}

/// Whether a function that is defined here plainly changes no memory.
fn writes_nothing(function: Value<'_>) -> bool {
    let changes = |instruction: Value<'_>| match instruction.opcode() {
        Some(Opcode::LLVMStore | Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => true,
        Some(Opcode::LLVMCall) => !instruction.callee().is_intrinsic(),
        _ => false,
    };
    !function.is_declaration() && !function.blocks().into_iter().flat_map(Block::instructions).any(changes)
}

//! Input domain reduction: which parameters and globals can influence whether a target is reached.
//!
//! A backward slice from the decisions that a target depends on, failed checks included: what they are computed from, which
//! stores may have been there before a load, and which decisions chose between the values of a phi or led to a store.
//! It errs on the safe side: an input that is left out has no influence.

use crate::Prepared;
use crate::error::CodeError;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use testwright_base::graph::FlowGraph;
use testwright_base::ids::{BlockId, FunctionId, GlobalId, OutcomeId};
use testwright_base::subject::Subject;
use testwright_llvm::{Block, Context, Module, Opcode, Value};

/// What can influence a target.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Influence {
    /// Parameters, and what they point to.
    pub params: BTreeSet<usize>,
    /// Globals; none if other functions have a say, which may look at any.
    pub globals: Option<BTreeSet<GlobalId>>,
}

/// What influences the targets of a function, those in the function itself; all others may be influenced by anything.
///
/// # Errors
/// If LLVM refuses, which is a bug of ours.
pub fn influences(
    prepared: &Prepared,
    function: FunctionId,
) -> Result<BTreeMap<OutcomeId, Influence>, CodeError> {
    let context = Context::new();
    let module = context.parse_bitcode(&prepared.bitcode, "prepared")?;
    let subject = &prepared.subject;
    let Some(graph) = Graph::new(&module, subject, function) else { return Ok(BTreeMap::new()) };
    let mut influences = BTreeMap::new();
    let sites = subject.sites.iter().filter(|site| site.function == function && site.outcome_count > 1);
    for site in sites {
        let influence = graph.influence(subject, site.block);
        influences.extend(site.outcomes().map(|outcome| (outcome, influence.clone())));
    }
    Ok(influences)
}

struct Graph<'c> {
    flow: FlowGraph,
    blocks: Vec<Block<'c>>,
    numbers: HashMap<Block<'c>, usize>,
    /// Instructions that may write to memory.
    writers: Vec<Value<'c>>,
    globals: Vec<Value<'c>>,
}

impl<'c> Graph<'c> {
    /// None if parameters do not arrive one by one.
    fn new(module: &Module<'c>, subject: &Subject, id: FunctionId) -> Option<Graph<'c>> {
        let info = subject.function(id);
        let function = module.function(&info.name).filter(|function| !function.is_declaration())?;
        if function.params().len() != info.signature.as_ref()?.params.len() {
            return None;
        }
        let blocks = function.blocks();
        let writes = |instruction: &Value<'c>| match instruction.opcode() {
            Some(Opcode::LLVMStore | Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => true,
            Some(Opcode::LLVMCall) => super::body::effect(*instruction) != super::body::Effect::None,
            _ => false,
        };
        let writers = blocks.iter().flat_map(|block| block.instructions()).filter(writes).collect();
        Some(Graph {
            flow: subject.flow(id),
            numbers: blocks.iter().enumerate().map(|(index, block)| (*block, index)).collect(),
            globals: crate::inspect::global_values(module),
            blocks,
            writers,
        })
    }

    fn influence(&self, subject: &Subject, target: BlockId) -> Influence {
        let mut slice =
            Slice { graph: self, values: HashSet::new(), blocks: HashSet::new(), open: Vec::new() };
        slice.need_block(target);
        slice.open.extend(self.blocks[target.index()].terminator());
        slice.close();
        let params = slice.values.iter().filter_map(|value| Some(value.parameter_of()?.1)).collect();
        let is_call =
            |value: &Value<'c>| value.opcode() == Some(Opcode::LLVMCall) && !value.callee().is_intrinsic();
        if slice.values.iter().any(is_call) {
            return Influence { params, globals: None };
        }
        let is_used = |global: &Value<'c>| slice.values.contains(global);
        let globals = self.globals.iter().take(subject.globals.len()).enumerate();
        let used = globals.filter(|(_, global)| is_used(global)).map(|(index, _)| GlobalId::of(index));
        Influence { params, globals: Some(used.collect()) }
    }
}

struct Slice<'g, 'c> {
    graph: &'g Graph<'c>,
    values: HashSet<Value<'c>>,
    blocks: HashSet<usize>,
    open: Vec<Value<'c>>,
}

impl<'c> Slice<'_, 'c> {
    /// The decisions that lead to a block matter.
    fn need_block(&mut self, block: BlockId) {
        if !self.blocks.insert(block.index()) {
            return;
        }
        for (source, _) in self.graph.flow.dependences(block) {
            self.open.extend(self.graph.blocks[source.index()].terminator());
            self.need_block(*source);
        }
    }

    fn need_block_of(&mut self, instruction: Value<'c>) {
        if let Some(number) = self.graph.numbers.get(&instruction.block()) {
            self.need_block(BlockId::of(*number));
        }
    }

    fn close(&mut self) {
        while let Some(value) = self.open.pop() {
            if !self.values.insert(value) {
                continue;
            }
            if !value.is_instruction() {
                // The address of a part of a global.
                if value.is_constant_expression() {
                    self.open.extend(value.operands());
                }
                continue;
            }
            match value.opcode() {
                Some(Opcode::LLVMPHI) => {
                    for (incoming, block) in value.incoming() {
                        self.open.push(incoming);
                        if let Some(number) = self.graph.numbers.get(&block) {
                            self.open.extend(self.graph.blocks[*number].terminator());
                            self.need_block(BlockId::of(*number));
                        }
                    }
                }
                Some(Opcode::LLVMBr | Opcode::LLVMSwitch) if value.operand_count() > 1 => {
                    self.open.push(value.condition());
                }
                Some(Opcode::LLVMBr) => {}
                Some(Opcode::LLVMCall) => {
                    self.open.extend(value.call_arguments());
                    self.need_writers();
                }
                Some(Opcode::LLVMLoad) => {
                    self.open.extend(value.operands());
                    self.need_writers();
                }
                _ => self.open.extend(value.operands()),
            }
        }
    }

    /// What was loaded may have been written by any of them.
    fn need_writers(&mut self) {
        for writer in &self.graph.writers {
            if !self.values.contains(writer) {
                self.open.push(*writer);
                self.need_block_of(*writer);
            }
        }
    }
}

//! The slice of a path expression: which values the conditions on it depend on, and where they are still needed.
//!
//! What is not in the slice is not executed; what is not needed any more is forgotten, so that paths that differ in
//! nothing else can be merged.

use super::body::{Body, Decision};
use std::collections::{HashMap, HashSet};
use testwright_base::ids::BlockId;
use testwright_llvm::{Opcode, Value};

/// Relevant values and where they are needed.
pub struct Slice<'c> {
    /// Numbers of the instructions whose values matter.
    pub numbers: HashMap<Value<'c>, usize>,
    /// Whether memory matters.
    pub memory: bool,
    /// Per block: what has to be executed, phis left out.
    pub executed: Vec<Vec<Value<'c>>>,
    /// Per block: the values that are needed from its start on, phis included.
    needed: Vec<HashSet<usize>>,
    /// The same by number.
    is_needed: Vec<Vec<bool>>,
    /// Per block: whether a load lies ahead.
    loads: Vec<bool>,
}

impl<'c> Slice<'c> {
    /// The slice of all decisions in these blocks.
    pub fn new(body: &Body<'c>, between: &[BlockId]) -> Slice<'c> {
        let inside: HashSet<usize> = between.iter().map(|block| block.index()).collect();
        let mut slice = Slice {
            numbers: HashMap::new(),
            memory: false,
            executed: vec![Vec::new(); body.blocks.len()],
            needed: Vec::new(),
            is_needed: Vec::new(),
            loads: Vec::new(),
        };
        let conditions = between
            .iter()
            .filter(|block| body.decision(**block) != Decision::None)
            .filter_map(|block| body.terminator(*block))
            .map(Value::condition);
        let mut open: Vec<Value<'c>> = conditions.collect();
        slice.close(body, &inside, &mut open);
        if slice.memory {
            for block in between {
                for instruction in &body.instructions[block.index()] {
                    match instruction.opcode() {
                        Some(Opcode::LLVMStore) => open.extend(instruction.operands()),
                        // The place that a call may change.
                        Some(Opcode::LLVMCall) => open.extend(instruction.call_arguments().first().copied()),
                        _ => {}
                    }
                }
            }
            slice.close(body, &inside, &mut open);
        }
        slice.find_needs(body, between, &inside);
        let by_number = |needed: &HashSet<usize>| {
            (0..slice.numbers.len()).map(|number| needed.contains(&number)).collect()
        };
        slice.is_needed = slice.needed.iter().map(by_number).collect();
        for block in between {
            let instructions = body.instructions[block.index()].iter().copied();
            slice.executed[block.index()] =
                instructions.filter(|instruction| slice.is_executed(*instruction)).collect();
        }
        slice
    }

    fn is_executed(&self, instruction: Value<'c>) -> bool {
        instruction.opcode() != Some(Opcode::LLVMPHI)
            && (self.numbers.contains_key(&instruction) || self.memory && changes_memory(instruction))
    }

    /// Adds what the open values are computed from.
    fn close(&mut self, body: &Body<'c>, inside: &HashSet<usize>, open: &mut Vec<Value<'c>>) {
        while let Some(value) = open.pop() {
            let is_here = value.is_instruction()
                && body.number(value.block()).is_some_and(|block| inside.contains(&block));
            let next = self.numbers.len();
            if !is_here || self.numbers.contains_key(&value) {
                continue;
            }
            self.numbers.insert(value, next);
            self.memory |= value.opcode() == Some(Opcode::LLVMLoad);
            open.extend(inputs(value));
        }
    }

    fn find_needs(&mut self, body: &Body<'c>, between: &[BlockId], inside: &HashSet<usize>) {
        self.needed = vec![HashSet::new(); body.blocks.len()];
        self.loads = vec![false; body.blocks.len()];
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for block in between.iter().rev() {
                let (mut needed, mut loads) = (HashSet::new(), false);
                for successor in body.flow.successors(*block) {
                    if inside.contains(&successor.index()) {
                        needed.extend(self.needed_on_edge(body, *block, *successor));
                        loads |= self.loads[successor.index()];
                    }
                }
                for instruction in body.instructions[block.index()].iter().rev() {
                    if instruction.opcode() == Some(Opcode::LLVMPHI) {
                        continue;
                    }
                    let number = self.numbers.get(instruction).copied();
                    number.iter().for_each(|number| _ = needed.remove(number));
                    let is_condition = body.decision(*block) != Decision::None
                        && Some(*instruction) == body.terminator(*block);
                    let is_store = self.memory && changes_memory(*instruction);
                    if number.is_some() || is_condition || is_store {
                        needed
                            .extend(inputs(*instruction).iter().filter_map(|input| self.numbers.get(input)));
                    }
                    loads |= number.is_some() && instruction.opcode() == Some(Opcode::LLVMLoad);
                }
                let place = block.index();
                if needed != self.needed[place] || loads != self.loads[place] {
                    (self.needed[place], self.loads[place], changed) = (needed, loads, true);
                }
            }
        }
    }

    /// What is needed after a block, seen from one of its predecessors: phis stand for what comes in.
    fn needed_on_edge(&self, body: &Body<'c>, from: BlockId, to: BlockId) -> Vec<usize> {
        let mut needed = self.needed[to.index()].clone();
        let mut incoming = Vec::new();
        for phi in &body.instructions[to.index()] {
            if phi.opcode() != Some(Opcode::LLVMPHI) {
                break;
            }
            let Some(number) = self.numbers.get(phi) else { continue };
            if needed.remove(number) {
                let value = phi.incoming().into_iter().find(|(_, block)| *block == body.blocks[from.index()]);
                incoming.extend(value.and_then(|(value, _)| self.numbers.get(&value)).copied());
            }
        }
        needed.into_iter().chain(incoming).collect()
    }

    /// Whether a value is needed from the start of a block on.
    pub fn is_needed(&self, block: BlockId, number: usize) -> bool {
        self.is_needed[block.index()][number]
    }

    /// Whether a load lies ahead of the start of a block.
    pub fn loads_ahead(&self, block: BlockId) -> bool {
        self.loads[block.index()]
    }
}

/// What the value of an instruction is computed from.
fn inputs(instruction: Value<'_>) -> Vec<Value<'_>> {
    match instruction.opcode() {
        Some(Opcode::LLVMPHI) => instruction.incoming().into_iter().map(|(value, _)| value).collect(),
        Some(Opcode::LLVMCall) => instruction.call_arguments(),
        Some(Opcode::LLVMBr | Opcode::LLVMSwitch) if instruction.operand_count() > 1 => {
            vec![instruction.condition()]
        }
        Some(Opcode::LLVMBr | Opcode::LLVMSwitch) => Vec::new(),
        _ => instruction.operands(),
    }
}

/// Whether an instruction may change memory.
pub fn changes_memory(instruction: Value<'_>) -> bool {
    matches!(
        instruction.opcode(),
        Some(Opcode::LLVMStore | Opcode::LLVMCall | Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg)
    )
}

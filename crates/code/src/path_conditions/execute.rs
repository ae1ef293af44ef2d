//! Symbolic execution of a path expression.
//!
//! Alternatives are executed side by side and merged where they meet; a loop is gone through at most `unroll` times, then
//! what it defines is destroyed. That is the sum of products of the paper, with shared prefixes executed once.

use super::atom::{Verdict, condition, switched};
use super::body::{Body, Decision, Effect, effect, is_function_of_numbers};
use super::counter::Counters;
use super::memory;
use super::merge::merge;
use super::slice::{Slice, changes_memory};
use super::state::{Slot, State, Write};
use super::term::{Term, TermId, Terms, checked_arithmetic};
use std::collections::BTreeSet;
use testwright_base::graph::paths::{Edge, Path};
use testwright_base::ids::BlockId;
use testwright_llvm::{Kind, Module, Opcode, Type, Value};

/// Executes paths of one function from one node.
pub struct Executor<'a, 'c> {
    /// The module, for sizes of types.
    pub module: &'a Module<'c>,
    /// The function.
    pub body: &'a Body<'c>,
    /// The node.
    pub node: BlockId,
    /// Its counters.
    pub counters: &'a Counters<'c>,
    /// What matters.
    pub slice: &'a Slice<'c>,
    /// All terms.
    pub terms: &'a mut Terms<'c>,
    /// How often loops are gone through.
    pub unroll: u32,
    /// How many paths there may be at a time.
    pub limit: usize,
    /// The edge that ends the paths: where it leads is not executed. None if the paths end with a block.
    pub target: Option<Edge>,
    /// How many more steps may be taken.
    pub fuel: &'a mut u64,
}

/// Why execution was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenUp {
    /// Too many paths at a time.
    Paths,
    /// Too many steps in all.
    Steps,
}

impl<'c> Executor<'_, 'c> {
    /// The states after all paths of the expression, starting from nothing known but what is live.
    pub fn execute(&mut self, path: &Path) -> Result<Vec<State>, GivenUp> {
        self.keep_loaded();
        let start = State { slots: vec![Slot::Untouched; self.slice.numbers.len()], ..State::default() };
        self.run(path, vec![start])
    }

    /// What the node itself has loaded last is what memory holds there: `*text == 'X' || *text == 'x'` is about one value.
    fn keep_loaded(&mut self) {
        let flag = self.module.context().int(1);
        self.terms.forget_loaded();
        let changes = |instruction: &Value<'c>| match instruction.opcode() {
            Some(Opcode::LLVMCall) => effect(*instruction) != Effect::None,
            _ => changes_memory(*instruction),
        };
        let instructions = self.body.instructions[self.node.index()].iter().rev();
        for instruction in instructions.take_while(|instruction| !changes(instruction)) {
            if instruction.opcode() == Some(Opcode::LLVMLoad) && !instruction.is_volatile() {
                self.terms.keep_loaded(*instruction, flag);
            }
        }
    }

    fn run(&mut self, path: &Path, states: Vec<State>) -> Result<Vec<State>, GivenUp> {
        match path {
            Path::Empty => Ok(states),
            Path::Edge(edge) => {
                let cost = 1 + self.slice.executed[self.body.flow.target(*edge).index()].len() as u64;
                let cost = cost * states.len() as u64;
                *self.fuel = self.fuel.checked_sub(cost).ok_or(GivenUp::Steps)?;
                Ok(states.into_iter().filter_map(|state| self.step(state, *edge)).collect())
            }
            Path::Seq(first, second) => {
                let states = self.run(first, states)?;
                self.run(second, states)
            }
            Path::Alt(first, second) => {
                let mut all = self.run(first, states.clone())?;
                all.extend(self.run(second, states)?);
                self.merged(all)
            }
            Path::Star(inner) => {
                let mut all = states.clone();
                let mut current = states;
                for round in 1..=self.unroll {
                    current = self.run(inner, current)?;
                    if round == self.unroll {
                        let defined = blocks_of(self.body, inner);
                        current.iter_mut().for_each(|state| self.destroy(state, &defined));
                        current = self.merged(current)?;
                    }
                    all.extend(current.iter().cloned());
                }
                self.merged(all)
            }
        }
    }

    fn merged(&mut self, states: Vec<State>) -> Result<Vec<State>, GivenUp> {
        let (states, cost) = merge(self.terms, states);
        *self.fuel = self.fuel.checked_sub(cost).ok_or(GivenUp::Steps)?;
        if states.len() > self.limit { Err(GivenUp::Paths) } else { Ok(states) }
    }

    /// The state after an edge; none if it cannot be taken.
    fn step(&mut self, mut state: State, edge: Edge) -> Option<State> {
        if !self.decide(&mut state, edge) {
            return None;
        }
        if self.target == Some(edge) {
            // Nothing is needed any more.
            return Some(State { clauses: state.clauses, dropped: state.dropped, ..State::default() });
        }
        self.enter(&mut state, edge.0, self.body.flow.target(edge));
        Some(state)
    }

    /// Adds the condition under which an edge is taken; false if it cannot be.
    fn decide(&mut self, state: &mut State, (block, position): Edge) -> bool {
        let decision = self.body.decision(block);
        let Some(terminator) = self.body.terminator(block).filter(|_| decision != Decision::None) else {
            return true;
        };
        let Some(term) = self.lookup(state, terminator.condition()) else {
            state.dropped += 1;
            return true;
        };
        let verdict = match decision {
            Decision::Switch(_) => {
                let cases: Vec<u128> = terminator.switch_cases().into_iter().map(|(case, _)| case).collect();
                match cases.get(position) {
                    Some(case) => switched(self.terms, term, &[*case], false),
                    None => switched(self.terms, term, &cases, true),
                }
            }
            Decision::Branch(_) => condition(self.terms, term, position == 0),
            Decision::None => Verdict::Always,
        };
        match verdict {
            Verdict::Clauses(mut clauses) if self.terms.is_later(term) => {
                state.dropped += 1;
                clauses.retain(|clause| self.counters.are_all(self.terms, clause));
                state.assume(self.terms, Verdict::Clauses(clauses))
            }
            verdict => state.assume(self.terms, verdict),
        }
    }

    /// Executes a block that control comes to from another.
    fn enter(&mut self, state: &mut State, from: BlockId, to: BlockId) {
        let mut arrived = Vec::new();
        let instructions = &self.body.instructions[to.index()];
        let is_phi = |instruction: &&Value<'c>| instruction.opcode() == Some(Opcode::LLVMPHI);
        for phi in instructions.iter().take_while(is_phi) {
            if let Some(number) = self.slice.numbers.get(phi) {
                let from = self.body.blocks[from.index()];
                let value = phi.incoming().into_iter().find(|(_, block)| *block == from);
                let term = value.and_then(|(value, _)| self.lookup(state, value));
                arrived.push((*number, term));
            }
        }
        for (number, term) in arrived {
            state.slots[number] = term.map_or(Slot::Destroyed, Slot::Known);
        }
        for (number, slot) in state.slots.iter_mut().enumerate() {
            if !self.slice.is_needed(to, number) {
                *slot = Slot::Untouched;
            }
        }
        if !self.slice.loads_ahead(to) {
            state.writes.clear();
            state.clobbered = false;
        }
        for instruction in &self.slice.executed[to.index()] {
            self.instruction(state, *instruction);
        }
    }

    fn instruction(&mut self, state: &mut State, instruction: Value<'c>) {
        if let Some(number) = self.slice.numbers.get(&instruction) {
            let term = self.evaluate(state, instruction);
            state.slots[*number] = term.map_or(Slot::Destroyed, Slot::Known);
        }
        if self.slice.memory && changes_memory(instruction) {
            self.change(state, instruction);
        }
    }

    /// What an instruction does to memory.
    fn change(&mut self, state: &mut State, instruction: Value<'c>) {
        match instruction.opcode() {
            Some(Opcode::LLVMStore) => {
                let (value, place) = (instruction.operand(0), instruction.operand(1));
                match self.lookup(state, place) {
                    Some(address) => {
                        let bytes = Some(self.module.store_size(value.ty()));
                        let value = self.lookup(state, value);
                        state.writes.push(Write { address, bytes, value });
                    }
                    None => state.clobbered = true,
                }
            }
            Some(Opcode::LLVMCall) => match effect(instruction) {
                Effect::None => {}
                Effect::Object => {
                    let place = instruction.call_arguments().first().copied();
                    match place.and_then(|place| self.lookup(state, place)) {
                        Some(address) => state.writes.push(Write { address, bytes: None, value: None }),
                        None => state.clobbered = true,
                    }
                }
                Effect::Anything => state.clobbered = true,
            },
            _ => state.clobbered = true,
        }
    }

    /// A loop may have been gone through any number of times: what its blocks define is not known any more, except that
    /// counters went on from where they are.
    fn destroy(&mut self, state: &mut State, blocks: &BTreeSet<usize>) {
        for block in blocks {
            for instruction in &self.body.instructions[*block] {
                if let Some(number) = self.slice.numbers.get(instruction) {
                    let later =
                        self.lookup(state, *instruction).and_then(|term| self.later(*instruction, term));
                    state.slots[*number] = later.map_or(Slot::Destroyed, Slot::Known);
                }
            }
        }
        if !self.slice.memory {
            return;
        }
        for block in blocks {
            for instruction in &self.body.instructions[*block] {
                if instruction.opcode() == Some(Opcode::LLVMStore) {
                    match self.lookup(state, memory::root(instruction.operand(1))) {
                        Some(address) => state.writes.push(Write { address, bytes: None, value: None }),
                        None => state.clobbered = true,
                    }
                } else if changes_memory(*instruction) {
                    self.change(state, *instruction);
                }
            }
        }
    }

    /// What is known of a value after more rounds than were gone through: of counters, and of comparisons of them.
    fn later(&mut self, instruction: Value<'c>, term: TermId) -> Option<TermId> {
        if self.counters.contains(instruction) {
            return Some(self.terms.later(term));
        }
        let is_counted =
            |operand: &Value<'c>| operand.constant_int().is_some() || self.counters.contains(*operand);
        match *self.terms.get(term) {
            Term::Compare(predicate, a, b) if instruction.operands().iter().all(is_counted) => {
                let mut of = |term| match self.terms.integer(term) {
                    Some(_) => term,
                    None => self.terms.later(term),
                };
                let (a, b) = (of(a), of(b));
                Some(self.terms.compare(predicate, a, b, self.module.context().int(1)))
            }
            _ => None,
        }
    }

    /// What a value is in a state; none if nobody knows.
    fn lookup(&mut self, state: &State, value: Value<'c>) -> Option<TermId> {
        match self.slice.numbers.get(&value).map(|number| state.slots[*number]) {
            Some(Slot::Known(term)) => Some(term),
            Some(Slot::Destroyed) => None,
            Some(Slot::Untouched) | None if value.is_undefined() => None,
            Some(Slot::Untouched) | None => Some(self.terms.value(value, self.module.context().int(1))),
        }
    }

    fn evaluate(&mut self, state: &State, instruction: Value<'c>) -> Option<TermId> {
        let flag = self.module.context().int(1);
        let is_scalar = |ty: Type<'c>| ty.scalar_width().is_some_and(|width| width <= 64);
        let mut operand = |index: usize| self.lookup(state, instruction.operand(index));
        let opcode = instruction.opcode()?;
        match opcode {
            Opcode::LLVMICmp => {
                let (a, b) = (operand(0)?, operand(1)?);
                is_scalar(self.terms.ty(a))
                    .then(|| self.terms.compare(instruction.int_predicate(), a, b, flag))
            }
            Opcode::LLVMFCmp => {
                let (a, b) = (operand(0)?, operand(1)?);
                let predicate = instruction.real_predicate();
                is_scalar(self.terms.ty(a)).then(|| self.terms.compare_floats(predicate, a, b, flag))
            }
            _ if !is_scalar(instruction.ty()) => None,
            _ if is_binary(opcode) => {
                let (a, b) = (operand(0)?, operand(1)?);
                Some(self.terms.binary(opcode, a, b))
            }
            _ if is_cast(opcode) => {
                let a = operand(0)?;
                is_scalar(self.terms.ty(a)).then(|| self.terms.cast(opcode, a, instruction.ty()))
            }
            Opcode::LLVMFNeg => {
                let a = operand(0)?;
                Some(self.terms.negate(a))
            }
            Opcode::LLVMFreeze => operand(0),
            Opcode::LLVMSelect => {
                let (c, a, b) = (operand(0)?, operand(1)?, operand(2)?);
                Some(self.terms.select(c, a, b))
            }
            Opcode::LLVMGetElementPtr => self.element(state, instruction),
            Opcode::LLVMLoad if !instruction.is_volatile() => {
                let address = operand(0)?;
                let bytes = self.module.store_size(instruction.ty());
                memory::load(self.terms, state, address, instruction.ty(), bytes, flag)
            }
            Opcode::LLVMExtractValue => {
                let (opcode, a, b) = checked_arithmetic(instruction)?;
                let (a, b) = (self.lookup(state, a)?, self.lookup(state, b)?);
                Some(self.terms.binary(opcode, a, b))
            }
            Opcode::LLVMCall => self.call(state, instruction),
            _ => None,
        }
    }

    fn call(&mut self, state: &State, call: Value<'c>) -> Option<TermId> {
        let callee = call.callee();
        if callee.is_intrinsic() && callee.name().starts_with("llvm.expect.") {
            return self.lookup(state, call.operand(0));
        }
        if !is_function_of_numbers(call) {
            return None;
        }
        let arguments: Option<Vec<TermId>> =
            call.call_arguments().into_iter().map(|argument| self.lookup(state, argument)).collect();
        Some(self.terms.apply(callee, &arguments?, call.ty()))
    }

    /// The address of an element.
    fn element(&mut self, state: &State, gep: Value<'c>) -> Option<TermId> {
        let wide = self.module.context().int(64);
        let mut address = self.lookup(state, gep.operand(0))?;
        let mut ty = gep.gep_source();
        for (position, index) in gep.operands().into_iter().skip(1).enumerate() {
            if position > 0 && ty.kind() == Kind::Struct {
                let field = index.constant_int()? as u32;
                address = self.terms.offset(address, self.module.offset_of(ty, field));
                ty = *ty.parts().get(field as usize)?;
                continue;
            }
            if position > 0 {
                ty = ty.element();
            }
            let mut index = self.lookup(state, index)?;
            if self.terms.width(index) < 64 {
                index = self.terms.cast(Opcode::LLVMSExt, index, wide);
            }
            address = self.terms.element(address, index, self.module.alloc_size(ty));
        }
        Some(address)
    }
}

/// The blocks that the edges of an expression lead to.
fn blocks_of(body: &Body<'_>, path: &Path) -> BTreeSet<usize> {
    match path {
        Path::Empty => BTreeSet::new(),
        Path::Edge(edge) => BTreeSet::from([body.flow.target(*edge).index()]),
        Path::Seq(a, b) | Path::Alt(a, b) => &blocks_of(body, a) | &blocks_of(body, b),
        Path::Star(inner) => blocks_of(body, inner),
    }
}

fn is_binary(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        LLVMAdd
            | LLVMSub
            | LLVMMul
            | LLVMUDiv
            | LLVMSDiv
            | LLVMURem
            | LLVMSRem
            | LLVMShl
            | LLVMLShr
            | LLVMAShr
            | LLVMAnd
            | LLVMOr
            | LLVMXor
            | LLVMFAdd
            | LLVMFSub
            | LLVMFMul
            | LLVMFDiv
    )
}

fn is_cast(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        LLVMTrunc
            | LLVMZExt
            | LLVMSExt
            | LLVMFPToUI
            | LLVMFPToSI
            | LLVMUIToFP
            | LLVMSIToFP
            | LLVMFPTrunc
            | LLVMFPExt
            | LLVMPtrToInt
            | LLVMIntToPtr
            | LLVMBitCast
    )
}

//! Calling contexts: a number for the stack of calls, so that a decision in a function differs by who called it.
//!
//! A caller stores the context of the callee, computed from its own, and the callee reads it at its entry. Nobody relies on what is
//! stored after a call, so neither a return nor a far jump has to restore anything:
//!
//! ```text
//! define internal i32 @f(i32 %x) {
//!   %context = load i32, ptr @tw_context_f            branch(site, handle, taken, %context) where something is symbolic
//!   store i32 (%context * MULTIPLIER + 2 * 7 + 1), ptr @tw_context_g
//!   call i32 @g(i32 %x)                               call number 7 of the module
//! ```
//!
//! Each function has a variable of its own for that, which the optimiser removes where it inlines all calls. Functions that may be
//! called through a pointer or by code that is not traced share one. What native code calls back finds there the context of
//! the call that led to the native code; so that the next one does too, such functions leave the variable as they found it.
//!
//! The function under test has context 0.

use super::Tracer;
use super::classify::{CallKind, classify};
use super::maybe::Maybe;
use crate::inspect::branches::chooses;
use crate::instrument::emitter::{Emitter, Memory};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use testwright_llvm::{Block, Opcode, Value};

/// One more than a multiple of four; what is added to the product is odd. Then a function that calls itself at one place has a
/// different context at each of 2^32 depths.
const MULTIPLIER: u64 = 0x9e37_79b1;

/// A traced function, or none for all code that is reached through a pointer or is not traced.
type TracedFunction<'c> = Option<Value<'c>>;

/// Which code has to know its context, where it finds it, and the numbers of calls.
pub struct Contexts<'c> {
    /// Of functions that decide on what may be symbolic, and of whatever may call one of these.
    variables: HashMap<TracedFunction<'c>, Value<'c>>,
    /// Functions that change the shared variable, and that code which is not traced may call.
    restorers: HashSet<Value<'c>>,
    calls: Cell<u64>,
}

impl<'c> Contexts<'c> {
    /// Of a module in which these functions are going to be traced.
    pub fn of(
        emitter: &Emitter<'c, '_>,
        functions: &[(Value<'c>, Maybe<'c>)],
        traced: &HashSet<Value<'c>>,
    ) -> Contexts<'c> {
        let mut callers: HashMap<TracedFunction<'c>, Vec<TracedFunction<'c>>> = HashMap::new();
        let mut exposed: HashMap<Value<'c>, HashSet<TracedFunction<'c>>> = HashMap::new();
        // Drivers begin the stack: they have no context themselves.
        for (function, _) in functions.iter().filter(|(function, _)| !is_driver(*function)) {
            let callees = callees(*function, traced);
            for callee in &callees {
                callers.entry(*callee).or_default().push(Some(*function));
            }
            if function.users().into_iter().any(|user| !is_plain_call(user, *function, traced)) {
                callers.entry(Some(*function)).or_default().push(None);
                exposed.insert(*function, callees);
            }
        }
        let shared = variable(emitter, "tw_context", emitter.i32.zero());
        let mut variables = HashMap::new();
        let deciding = functions.iter().filter(|(function, maybe)| decides(*function, maybe));
        let mut work: Vec<TracedFunction<'c>> = deciding.map(|(function, _)| Some(*function)).collect();
        while let Some(code) = work.pop() {
            if variables.contains_key(&code) {
                continue;
            }
            let own = code.filter(|function| !exposed.contains_key(function));
            variables.insert(code, own.map_or(shared, |function| own_variable(emitter, function)));
            work.extend(callers.get(&code).into_iter().flatten());
        }
        let restores =
            |callees: &HashSet<TracedFunction<'c>>| callees.iter().any(|code| variables.contains_key(code));
        let restorers =
            exposed.iter().filter(|(_, callees)| restores(callees)).map(|(function, _)| *function).collect();
        Contexts { variables, restorers, calls: Cell::new(0) }
    }
}

impl<'c> Tracer<'c, '_, '_> {
    /// At the entry, where the builder stands: reads the context if the function needs it.
    pub fn enter_context(&mut self) {
        if let Some(variable) = self.contexts.variables.get(&Some(self.function)) {
            let load = self.emitter.builder.load(self.emitter.i32, *variable);
            self.context = self.emitter.ours(load, Memory::Cells);
        }
    }

    /// Before a call: stores the context of the callee if it needs it.
    pub fn pass_context(&self, call: Value<'c>, callee: TracedFunction<'c>) {
        let Some(variable) = self.contexts.variables.get(&callee) else { return };
        let emitter = self.emitter;
        let builder = &emitter.builder;
        builder.before(call);
        let context = if is_driver(self.function) {
            emitter.i32.zero()
        } else {
            let number = self.contexts.calls.replace(self.contexts.calls.get() + 1);
            let product = builder.binary(Opcode::LLVMMul, self.context, emitter.i32.constant(MULTIPLIER));
            builder.add(product, emitter.i32.constant(2 * number + 1))
        };
        emitter.ours(builder.store(context, *variable), Memory::Cells);
    }

    /// Before a return: leaves the shared variable as it was, for code that is not traced.
    pub fn leave_context(&self, ret: Value<'c>) {
        if self.contexts.restorers.contains(&self.function) {
            let emitter = self.emitter;
            emitter.builder.before(ret);
            let store = emitter.builder.store(self.context, self.contexts.variables[&None]);
            emitter.ours(store, Memory::Cells);
        }
    }
}

/// The callers of the function always store before it loads, so what the variable holds at first does not matter.
fn own_variable<'c>(emitter: &Emitter<'c, '_>, function: Value<'c>) -> Value<'c> {
    variable(emitter, &format!("tw_context_{}", function.name()), emitter.i32.poison())
}

fn variable<'c>(emitter: &Emitter<'c, '_>, name: &str, first: Value<'c>) -> Value<'c> {
    let variable = emitter.module.add_global(name, emitter.i32);
    variable.set_initializer(first);
    variable.set_internal(true);
    variable
}

fn is_driver(function: Value<'_>) -> bool {
    function.name().starts_with("tw_driver_")
}

/// Whether a use of a function is nothing but a call by traced code.
fn is_plain_call<'c>(user: Value<'c>, function: Value<'c>, traced: &HashSet<Value<'c>>) -> bool {
    user.opcode() == Some(Opcode::LLVMCall)
        && user.callee() == function
        && !user.call_arguments().contains(&function)
        && traced.contains(&user.block().function())
}

/// What a function calls, except what is known to call nothing itself.
fn callees<'c>(function: Value<'c>, traced: &HashSet<Value<'c>>) -> HashSet<TracedFunction<'c>> {
    let instructions = function.blocks().into_iter().flat_map(Block::instructions);
    instructions
        .filter(|instruction| instruction.opcode() == Some(Opcode::LLVMCall))
        .filter_map(|call| match classify(call, traced) {
            CallKind::Traced => Some(Some(call.callee())),
            CallKind::Pointer | CallKind::Native => Some(None),
            _ => None,
        })
        .collect()
}

/// Whether branches, switches or choices of the function may be recorded.
fn decides<'c>(function: Value<'c>, maybe: &Maybe<'c>) -> bool {
    function.blocks().into_iter().flat_map(Block::instructions).any(|instruction| {
        match instruction.opcode() {
            Some(Opcode::LLVMBr) => instruction.is_conditional() && maybe.contains(instruction.condition()),
            Some(Opcode::LLVMSwitch) => maybe.contains(instruction.condition()),
            Some(Opcode::LLVMICmp | Opcode::LLVMFCmp) => maybe.contains(instruction) && chooses(instruction),
            Some(Opcode::LLVMTrunc) => maybe.contains(instruction) && chooses(instruction),
            _ => false,
        }
    })
}

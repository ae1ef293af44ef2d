//! The trace build: every value has, beside its concrete part, the handle of its expression.
//!
//! Handles are SSA values of their own (`i32`, or a struct of them for an aggregate); 0 means concrete. The
//! concrete code stays as it was. Between two points where memory or control changes, the code that builds expressions is
//! gathered into one *region*, entered only if something that goes into it is symbolic:
//!
//! ```text
//! before:  %a = load i32, ptr %p          after:  %a = load i32, ptr %p
//!          %b = add i32 %a, 1                     %t = load i32, ptr (%p ^ TAINT)       one taint byte per byte
//!          %c = icmp slt i32 %b, %n               %b = add i32 %a, 1
//!          br i1 %c, ..                           %c = icmp slt i32 %b, %n
//!                                                 %any = or %t, %n.handle
//!                                                 br (%any != 0), slow, fast
//!                                         slow:   %ah = load(..)  %bh = binary(add, %ah, ..)
//!                                                 %ch = binary(slt, %bh, %n.handle ..)  branch(site, %ch, %c)
//!                                         fast:   %b.handle = phi [0, ..], [%bh, slow]
//!                                                 br i1 %c, ..
//! ```
//!
//! Arguments and results pass their handles through cells of the control block.

mod callback;
mod calls;
mod classify;
mod context;
pub mod fpclass;
pub mod lower;
mod maybe;
mod memory;
mod outline;
mod predicate;
mod region;
pub mod segment;
mod shadow;
mod slow;
mod variadic;

use super::emitter::Emitter;
use classify::CallKind;
use context::Contexts;
use maybe::{Maybe, computes, has_shadow};
use region::Pending;
use std::collections::{HashMap, HashSet};
use testwright_abi::event::EventKind;
use testwright_base::site::SiteKind;
use testwright_base::subject::Subject;
use testwright_llvm::{Block, Kind, Opcode, Value};

/// Functions of at most this many instructions are inlined.
const SMALL: usize = 40;

/// A region that grows beyond this is ended, so that straight-line code of any length has bounded regions.
const LARGEST_REGION: usize = 200;

/// Instruments all functions of the module that can be traced.
pub fn instrument(emitter: &Emitter<'_, '_>, subject: &mut Subject) {
    let functions: Vec<Value<'_>> =
        emitter.module.functions().into_iter().filter(|f| is_traceable(*f)).collect();
    let traced: HashSet<Value<'_>> = functions.iter().copied().collect();
    let functions: Vec<(Value<'_>, Maybe<'_>)> =
        functions.into_iter().map(|function| (function, maybe_symbolic(function, &traced))).collect();
    let contexts = Contexts::of(emitter, &functions, &traced);
    for (function, maybe) in functions {
        // Judged by what was written, not by the cold code that tracing adds.
        if function.blocks().iter().map(|block| block.instructions().len()).sum::<usize>() <= SMALL {
            function.add_attribute("alwaysinline");
        }
        Tracer {
            emitter,
            subject,
            traced: &traced,
            contexts: &contexts,
            function,
            maybe,
            context: emitter.i32.zero(),
            shadows: HashMap::new(),
            inside: HashMap::new(),
            pending: Vec::new(),
            phis: Vec::new(),
        }
        .instrument();
    }
}

/// The values of a function that may be symbolic when these functions are traced.
fn maybe_symbolic<'c>(function: Value<'c>, traced: &HashSet<Value<'c>>) -> Maybe<'c> {
    let is_source = |instruction: Value<'c>| match instruction.opcode() {
        Some(Opcode::LLVMLoad) => {
            !matches!(instruction.ty().kind(), Kind::Struct | Kind::Array | Kind::Vector)
        }
        Some(Opcode::LLVMCall) => {
            matches!(classify::classify(instruction, traced), CallKind::Traced | CallKind::Pointer)
        }
        _ => false,
    };
    let passes = |instruction: Value<'c>| match instruction.opcode() {
        Some(Opcode::LLVMCall) => matches!(classify::classify(instruction, traced), CallKind::Pure(_)),
        _ => computes(instruction) && slow::is_supported(instruction),
    };
    Maybe::of(function, is_source, passes)
}

/// Functions with computed jumps or exceptions run natively; calls of them are recorded as such.
fn is_traceable(function: Value<'_>) -> bool {
    let strange = |block: &Block<'_>| {
        let opcode = block.terminator().and_then(Value::opcode);
        matches!(opcode, Some(Opcode::LLVMIndirectBr | Opcode::LLVMCallBr | Opcode::LLVMInvoke))
    };
    !function.is_declaration()
        && !crate::redirect::is_thunk(function)
        && !function.blocks().iter().any(strange)
}

/// Instruments one function.
struct Tracer<'c, 'm, 'e> {
    emitter: &'e Emitter<'c, 'm>,
    subject: &'e mut Subject,
    traced: &'e HashSet<Value<'c>>,
    contexts: &'e Contexts<'c>,
    function: Value<'c>,
    maybe: Maybe<'c>,
    /// The calling context; zero where nothing depends on it.
    context: Value<'c>,
    /// Handles of values, where they are known outside the region that made them.
    shadows: HashMap<Value<'c>, Value<'c>>,
    /// Handles of values inside the region that is being built.
    inside: HashMap<Value<'c>, Value<'c>>,
    pending: Vec<Pending<'c>>,
    phis: Vec<(Value<'c>, Value<'c>)>,
}

impl<'c> Tracer<'c, '_, '_> {
    fn instrument(mut self) {
        // The lists are taken first: instrumenting adds blocks and instructions.
        let blocks: Vec<Vec<Value<'c>>> =
            self.function.blocks().into_iter().map(Block::instructions).collect();
        self.parameters(&blocks[0]);
        for instructions in &blocks {
            self.block_phis(instructions);
            for instruction in instructions {
                self.instruction(*instruction);
            }
            debug_assert!(self.pending.is_empty(), "a terminator ends every region");
        }
        self.complete_phis();
    }

    fn block_phis(&mut self, instructions: &[Value<'c>]) {
        let is_phi = |instruction: &&Value<'c>| instruction.opcode() == Some(Opcode::LLVMPHI);
        let Some(first) = instructions.iter().find(|instruction| !is_phi(instruction)) else { return };
        for phi in instructions.iter().take_while(is_phi) {
            if self.maybe.contains(*phi) {
                self.emitter.builder.before(*first);
                let shadow = self.emitter.builder.phi(self.shadow_type(phi.ty()));
                self.shadows.insert(*phi, shadow);
                self.phis.push((*phi, shadow));
            }
        }
    }

    fn complete_phis(&mut self) {
        for (phi, shadow) in std::mem::take(&mut self.phis) {
            let incoming: Vec<_> =
                phi.incoming().into_iter().map(|(value, block)| (self.shadow(value), block)).collect();
            shadow.add_incoming(&incoming);
        }
    }

    fn instruction(&mut self, instruction: Value<'c>) {
        if self.pending.len() >= LARGEST_REGION {
            self.flush(instruction);
        }
        match instruction.opcode() {
            Some(Opcode::LLVMPHI) => {}
            Some(Opcode::LLVMLoad) => self.load(instruction),
            Some(Opcode::LLVMStore) => self.store(instruction),
            Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => self.atomic(instruction),
            Some(Opcode::LLVMCall) => self.call(instruction),
            Some(Opcode::LLVMAlloca) => {
                self.pin_if_maybe(EventKind::Size, instruction, instruction.operand(0), 0);
            }
            Some(Opcode::LLVMBr) => {
                if instruction.is_conditional() && self.maybe.contains(instruction.condition()) {
                    self.pending.push(Pending::Branch(instruction));
                }
                self.flush(instruction);
            }
            Some(Opcode::LLVMSwitch) => {
                if self.maybe.contains(instruction.condition()) {
                    self.pending.push(Pending::Switch(instruction));
                }
                self.flush(instruction);
            }
            Some(Opcode::LLVMRet) => {
                self.flush(instruction);
                self.returned(instruction);
                self.leave_context(instruction);
            }
            Some(Opcode::LLVMUnreachable) => self.flush(instruction),
            _ => self.computation(instruction),
        }
    }

    /// An instruction without effects: its expression is built when the region ends.
    fn computation(&mut self, instruction: Value<'c>) {
        if self.maybe.contains(instruction) {
            self.pending.push(Pending::Value(instruction));
            match self.free_comparison(instruction) {
                Some(true) => self.pending.push(Pending::Choice(instruction)),
                Some(false) => self.pending.push(Pending::Compare(instruction)),
                None => {}
            }
        } else if instruction.operands().iter().any(|operand| self.maybe.contains(*operand)) {
            let what = format!("operation `{}`", describe(instruction));
            self.unsupported(instruction, &what);
        }
    }

    /// Records every symbolic operand as lost, with the reason.
    fn unsupported(&mut self, instruction: Value<'c>, what: &str) {
        let reason = self.reason(what);
        for operand in instruction.operands() {
            self.pin_if_maybe(EventKind::Unsupported, instruction, operand, reason);
        }
    }

    fn pin_if_maybe(&mut self, kind: EventKind, instruction: Value<'c>, value: Value<'c>, extra: u32) {
        if self.maybe.contains(value) && value.ty().scalar_width().is_some() {
            self.pending.push(Pending::Pin { kind, instruction, value, extra });
        }
    }

    /// Whether a comparison, or another clause, that has outcomes of its own chooses between operands.
    fn free_comparison(&self, instruction: Value<'c>) -> Option<bool> {
        let (site, _) = self.emitter.site(instruction)?;
        let site = self.subject.sites.get(site as usize).filter(|site| site.outcome_count > 0)?;
        match site.kind {
            SiteKind::Compare { chooses, .. } => Some(chooses),
            SiteKind::Clause => Some(true),
            _ => None,
        }
    }

    /// Index of a reason in the subject's list.
    fn reason(&mut self, what: &str) -> u32 {
        intern(&mut self.subject.unsupported, what)
    }

    /// Index of a function in the subject's list of externals.
    fn external(&mut self, name: &str) -> u32 {
        intern(&mut self.subject.externals, name)
    }
}

fn intern(list: &mut Vec<String>, text: &str) -> u32 {
    let index = list.iter().position(|known| known == text).unwrap_or_else(|| {
        list.push(text.to_owned());
        list.len() - 1
    });
    index as u32
}

/// The operation and the type of its first operand, for people: `fadd x86_fp80`.
fn describe(instruction: Value<'_>) -> String {
    let opcode = format!("{:?}", instruction.opcode().expect("an instruction"));
    let opcode = opcode.strip_prefix("LLVM").unwrap_or(&opcode).to_lowercase();
    match instruction.operands().first() {
        Some(operand) if !has_shadow(instruction.ty()) => {
            format!("{opcode} {:?} to {:?}", operand.ty(), instruction.ty())
        }
        Some(operand) => format!("{opcode} {:?}", operand.ty()),
        None => opcode,
    }
}

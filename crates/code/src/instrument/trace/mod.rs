//! The trace build: every value has, beside its concrete part, the handle of its expression.
//!
//! Handles (`i32`, or as many as an aggregate has parts; 0 means concrete) lie in a frame of their own, see [`frame`]. The
//! concrete code stays as it was. Between two points where memory or control changes, the code that builds expressions is
//! gathered into one *region*, entered only if something that goes into it is symbolic:
//!
//! ```text
//! before:  %a = load i32, ptr %p          after:  %a = load i32, ptr %p
//!          %b = add i32 %a, 1                     %t = load i32, ptr (%p ^ TAINT)       one taint byte per byte
//!          %c = icmp slt i32 %b, %n               %b = add i32 %a, 1
//!          br i1 %c, ..                           %c = icmp slt i32 %b, %n
//!                                                 br (seen || %t != 0), cold, fast        seen: anything before
//!                                         cold:   br (%t | frame[n]) != 0, slow, fast     frame[b] = 0 if fast
//!                                         slow:   %ah = load(..)  %bh = binary(add, %ah, ..)  frame[b] = %bh
//!                                                 %ch = binary(slt, %bh, frame[n] ..)  branch(site, %ch, %c)
//!                                         fast:   br i1 %c, ..
//! ```
//!
//! Functions with loops have two copies, before and after the first symbolic value, see [`copies`].
//!
//! Arguments and results pass their handles through cells of the control block.

mod callback;
mod calls;
mod classify;
mod context;
pub mod copies;
pub mod fpclass;
mod frame;
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
use frame::Frame;
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
        // The lists are taken first: instrumenting adds blocks and instructions.
        let blocks: Vec<Vec<Value<'_>>> = function.blocks().into_iter().map(Block::instructions).collect();
        // Judged by what was written, not by the cold code that tracing adds.
        if blocks.iter().map(Vec::len).sum::<usize>() <= SMALL {
            function.add_attribute("alwaysinline");
        }
        emitter.builder.before(blocks[0][0]);
        Tracer {
            emitter,
            subject,
            traced: &traced,
            contexts: &contexts,
            function,
            maybe,
            context: emitter.i32.zero(),
            frame: Frame::new(emitter, function),
            inside: HashMap::new(),
            pending: Vec::new(),
        }
        .instrument(&blocks);
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
    /// Handles of values, outside the region that made them.
    frame: Frame<'c>,
    /// Handles of values inside the region that is being built.
    inside: HashMap<Value<'c>, Value<'c>>,
    pending: Vec<Pending<'c>>,
}

impl<'c> Tracer<'c, '_, '_> {
    fn instrument(mut self, blocks: &[Vec<Value<'c>>]) {
        self.parameters(&blocks[0]);
        for instructions in blocks {
            for instruction in instructions {
                self.instruction(*instruction);
            }
            debug_assert!(self.pending.is_empty(), "a terminator ends every region");
        }
        self.frame.complete(self.emitter);
    }

    /// Before a terminator: the handles that phis of its successors will have if they are where it leads to.
    fn leave_block(&mut self, terminator: Value<'c>) {
        let block = terminator.block();
        for successor in terminator.successors() {
            for phi in successor.instructions() {
                if phi.opcode() != Some(Opcode::LLVMPHI) {
                    break;
                }
                let mut incoming = phi.incoming().into_iter();
                let Some((value, _)) = incoming.find(|(_, from)| *from == block) else { continue };
                if self.maybe.contains(phi) {
                    self.pending.push(Pending::Leave { phi, value });
                }
            }
        }
    }

    fn instruction(&mut self, instruction: Value<'c>) {
        if self.pending.len() >= LARGEST_REGION {
            self.flush(instruction);
        }
        match instruction.opcode() {
            Some(Opcode::LLVMPHI) => {
                if self.maybe.contains(instruction) {
                    self.pending.push(Pending::Phi(instruction));
                }
            }
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
                self.leave_block(instruction);
                self.flush(instruction);
            }
            Some(Opcode::LLVMSwitch) => {
                if self.maybe.contains(instruction.condition()) {
                    self.pending.push(Pending::Switch(instruction));
                }
                self.leave_block(instruction);
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

    /// Whether a comparison that has outcomes of its own chooses between operands.
    fn free_comparison(&self, instruction: Value<'c>) -> Option<bool> {
        let (site, _) = self.emitter.site(instruction)?;
        let site = self.subject.sites.get(site as usize).filter(|site| site.outcome_count > 0)?;
        match site.kind {
            SiteKind::Compare { chooses, .. } => Some(chooses),
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

//! Regions: the code that builds expressions, gathered and entered only if something is symbolic.

use super::{Tracer, outline};
use testwright_abi::event::EventKind;
use testwright_llvm::{IntPredicate, Kind, Opcode, Value};

/// Something to do in the region that is being gathered, in order.
#[derive(Clone, Copy)]
pub enum Pending<'c> {
    /// The expression of a computed value.
    Value(Value<'c>),
    /// The expression of a loaded value.
    Load {
        /// The load.
        load: Value<'c>,
        /// Its taint; none for constant data.
        taint: Option<Value<'c>>,
    },
    /// A loaded value that we have no expressions for.
    LostLoad {
        /// The load.
        load: Value<'c>,
        /// Its taint.
        taint: Value<'c>,
        /// Index of the reason.
        reason: u32,
    },
    /// The taint and handles of a store's target.
    Store(Value<'c>),
    /// A conditional branch.
    Branch(Value<'c>),
    /// A switch.
    Switch(Value<'c>),
    /// A comparison that feeds no branch.
    Compare(Value<'c>),
    /// One that decides all the same: between operands that are both there.
    Choice(Value<'c>),
    /// A value is pinned.
    Pin {
        /// Why.
        kind: EventKind,
        /// Where.
        instruction: Value<'c>,
        /// What.
        value: Value<'c>,
        /// Goes with the event.
        extra: u32,
    },
}

impl<'c> Pending<'c> {
    /// The value whose handle this makes.
    fn defines(&self) -> Option<Value<'c>> {
        match self {
            Pending::Value(value) => Some(*value),
            Pending::Load { load, .. } => Some(*load),
            _ => None,
        }
    }

    /// The values whose handles this uses.
    fn uses(&self) -> Vec<Value<'c>> {
        match self {
            Pending::Value(value) => value.operands(),
            Pending::Load { load, .. } | Pending::LostLoad { load, .. } => vec![load.operand(0)],
            Pending::Store(store) => vec![store.operand(0), store.operand(1)],
            Pending::Branch(terminator) | Pending::Switch(terminator) => vec![terminator.condition()],
            Pending::Compare(compare) | Pending::Choice(compare) => vec![*compare],
            Pending::Pin { value, .. } => vec![*value],
        }
    }
}

impl<'c> Tracer<'c, '_, '_> {
    /// Ends the region before `instruction`.
    pub fn flush(&mut self, instruction: Value<'c>) {
        self.flush_or(instruction, |_| {});
    }

    /// Ends the region before `instruction`; if nothing in it is symbolic, `concrete` is done instead.
    pub fn flush_or(&mut self, instruction: Value<'c>, concrete: impl FnOnce(&Self)) {
        let pending = std::mem::take(&mut self.pending);
        let builder = &self.emitter.builder;
        builder.before(instruction);
        let Some(any) = self.any_symbolic(&pending) else {
            concrete(self);
            return;
        };
        let tail = instruction.block();
        let function = tail.function();
        let (slow, fast) = (function.append_block("slow"), function.append_block("fast"));
        let head = tail.split_before(instruction, builder);
        builder.at_end(head);
        builder.branch(any, slow, fast).set_branch_weights(&[1, 100_000]);
        builder.at_end(fast);
        concrete(self);
        builder.jump(tail);
        builder.at_end(slow);
        for item in &pending {
            self.build(item);
        }
        let values: Vec<Value<'c>> = pending.iter().filter_map(Pending::defines).collect();
        let made: Vec<Value<'c>> = values.iter().map(|value| self.inside[value]).collect();
        self.inside.clear();
        let made = outline::outline(self.emitter, slow, &made);
        let builder = &self.emitter.builder;
        builder.at_end(slow);
        builder.jump(tail);
        builder.before(instruction);
        for (value, made) in values.into_iter().zip(made) {
            let phi = builder.phi(made.ty());
            phi.add_incoming(&[(made.ty().zero(), fast), (made, slow)]);
            self.shadows.insert(value, phi);
        }
    }

    /// Whether any handle or taint that enters the region is not zero; none if that is impossible.
    fn any_symbolic(&self, pending: &[Pending<'c>]) -> Option<Value<'c>> {
        let builder = &self.emitter.builder;
        let mut inputs: Vec<Value<'c>> = Vec::new();
        let mut defined: Vec<Value<'c>> = Vec::new();
        for item in pending {
            for used in item.uses() {
                if let Some(shadow) = self.shadows.get(&used)
                    && !defined.contains(&used)
                    && !inputs.contains(shadow)
                {
                    inputs.push(*shadow);
                }
            }
            if let Pending::Load { taint: Some(taint), .. } | Pending::LostLoad { taint, .. } = item {
                inputs.push(*taint);
            }
            defined.extend(item.defines());
        }
        let mut all: Option<Value<'c>> = None;
        for input in inputs {
            for leaf in if input.ty().kind() == Kind::Struct { self.leaves(input) } else { vec![input] } {
                let wide = self.to_i64(leaf);
                all = Some(all.map_or(wide, |all| builder.or(all, wide)));
            }
        }
        Some(builder.compare(IntPredicate::LLVMIntNE, all?, self.emitter.i64.zero()))
    }

    /// An integer as 64 bits that are zero if it is.
    fn to_i64(&self, value: Value<'c>) -> Value<'c> {
        let builder = &self.emitter.builder;
        if value.ty().int_width() <= 64 {
            return builder.resize(value, self.emitter.i64);
        }
        let set = builder.compare(IntPredicate::LLVMIntNE, value, value.ty().zero());
        builder.cast(Opcode::LLVMZExt, set, self.emitter.i64)
    }

    /// The code of one item, inside the region.
    fn build(&mut self, item: &Pending<'c>) {
        match *item {
            Pending::Value(value) => {
                let handle = self.expression(value);
                self.inside.insert(value, handle);
            }
            Pending::Load { load, .. } => {
                let handle = self.loaded(load);
                self.inside.insert(load, handle);
            }
            Pending::LostLoad { load, reason, .. } => self.lost_load(load, reason),
            Pending::Store(store) => self.stored(store),
            Pending::Branch(branch) => self.branched(branch, branch.condition()),
            Pending::Choice(compare) => self.branched(compare, compare),
            Pending::Compare(compare) => self.compared(compare),
            Pending::Switch(switch) => self.switched(switch),
            Pending::Pin { kind, instruction, value, extra } => {
                let emitter = self.emitter;
                let arguments = [
                    emitter.i32.constant(kind as u64),
                    emitter.site_constant(instruction),
                    self.shadow(value),
                    emitter.i32.constant(u64::from(extra)),
                ];
                emitter.call_recorder("pin", &arguments);
            }
        }
    }

    /// A decision at a site: that of a branch, or of a comparison that chooses without one.
    fn branched(&self, site: Value<'c>, condition: Value<'c>) {
        let emitter = self.emitter;
        let taken = emitter.builder.cast(Opcode::LLVMZExt, condition, emitter.i32);
        let arguments = [emitter.site_constant(site), self.shadow(condition), taken, self.context];
        emitter.call_recorder("branch", &arguments);
    }

    fn compared(&self, compare: Value<'c>) {
        let emitter = self.emitter;
        let taken = emitter.builder.cast(Opcode::LLVMZExt, compare, emitter.i32);
        emitter.call_recorder("compare", &[emitter.site_constant(compare), self.shadow(compare), taken]);
    }

    /// The outcome of a switch is found by comparing with each case.
    fn switched(&self, switch: Value<'c>) {
        let emitter = self.emitter;
        let builder = &emitter.builder;
        let value = switch.condition();
        let cases = switch.switch_cases();
        let mut outcome = emitter.i32.constant(cases.len() as u64);
        for (index, (case, _)) in cases.iter().enumerate() {
            let equal = builder.compare(IntPredicate::LLVMIntEQ, value, value.ty().constant_wide(*case));
            outcome = builder.select(equal, emitter.i32.constant(index as u64), outcome);
        }
        let arguments = [emitter.site_constant(switch), self.shadow(value), outcome, self.context];
        emitter.call_recorder("switch", &arguments);
    }
}

//! Regions: the code that builds expressions, gathered and entered only if something is symbolic.

use super::copies::{self, Turn};
use super::{Tracer, outline};
use std::collections::HashSet;
use testwright_abi::event::EventKind;
use testwright_llvm::{IntPredicate, Opcode, Type, Value};

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
    /// The handles that came along an edge.
    Phi(Value<'c>),
    /// The handles that go along an edge.
    Leave {
        /// The phi at the end of the edge.
        phi: Value<'c>,
        /// Its value.
        value: Value<'c>,
    },
    /// What a call returned.
    Result {
        /// The call.
        call: Value<'c>,
        /// Its handles.
        shadow: Value<'c>,
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
            Pending::Phi(phi) => Some(*phi),
            Pending::Result { call, .. } => Some(*call),
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
            Pending::Pin { value, .. } | Pending::Leave { value, .. } => vec![*value],
            Pending::Phi(_) | Pending::Result { .. } => Vec::new(),
        }
    }

    /// The instruction whose uses of values this stands for, all of them.
    fn instruction(&self) -> Option<Value<'c>> {
        Some(match self {
            Pending::Value(instruction)
            | Pending::Load { load: instruction, .. }
            | Pending::LostLoad { load: instruction, .. }
            | Pending::Phi(instruction)
            | Pending::Leave { phi: instruction, .. }
            | Pending::Result { call: instruction, .. }
            | Pending::Store(instruction)
            | Pending::Branch(instruction)
            | Pending::Switch(instruction)
            | Pending::Compare(instruction)
            | Pending::Choice(instruction) => *instruction,
            Pending::Pin { .. } => return None,
        })
    }
}

/// What goes into a region and what comes out of it.
#[derive(Default)]
struct Gathered<'c> {
    /// Values whose handles come from the frame, and where they lie.
    values: Vec<(Value<'c>, u64)>,
    /// All cells of the frame that go in: (first, count).
    inputs: Vec<(u64, usize)>,
    /// Taint and handles that go in.
    taints: Vec<Value<'c>>,
    /// Values whose handles go to the frame, where, and the type they have there.
    outputs: Vec<(Value<'c>, u64, Type<'c>)>,
}

impl Gathered<'_> {
    fn is_empty(&self) -> bool {
        self.inputs.is_empty() && self.taints.is_empty() && self.outputs.is_empty()
    }
}

fn is_phi(value: Value<'_>) -> bool {
    value.opcode() == Some(Opcode::LLVMPHI)
}

impl<'c> Tracer<'c, '_, '_> {
    /// Ends the region before `instruction`.
    pub fn flush(&mut self, instruction: Value<'c>) {
        self.flush_or(instruction, |_| {});
    }

    /// Ends the region before `instruction`; if nothing in it is symbolic, `concrete` is done instead.
    ///
    /// ```text
    /// head:   br seen, cold, check      check: br (taint != 0), cold, fast
    /// cold:   br (taint | frame[..]) != 0, slow, quiet
    /// slow:   clear the frame unless seen;  the region;  seen = 1;  br tail
    /// quiet:  frame[..] = 0;  br fast               fast: concrete;  br tail
    /// ```
    pub fn flush_or(&mut self, instruction: Value<'c>, concrete: impl FnOnce(&Self)) {
        let pending = std::mem::take(&mut self.pending);
        let builder = &self.emitter.builder;
        builder.before(instruction);
        let gathered = self.gather(&pending);
        if gathered.is_empty() {
            concrete(self);
            return;
        }
        let taint = self.any_taint(&gathered.taints);
        let seen = self.seen();
        let tail = instruction.block();
        let function = tail.function();
        let [cold, slow, quiet, fast] =
            ["cold", "slow", "quiet", "fast"].map(|name| function.append_block(name));
        let head = tail.split_before(instruction, builder);
        let emitter = self.emitter;
        let unlikely = |branch: Value<'c>, turn: Turn| {
            branch.set_branch_weights(&[1, 100_000]);
            copies::mark(emitter, branch, turn);
        };
        builder.at_end(head);
        match taint {
            Some(taint) => {
                let check = function.append_block("check");
                unlikely(builder.branch(seen, cold, check), Turn::Seen);
                builder.at_end(check);
                let any = builder.compare(IntPredicate::LLVMIntNE, taint, self.emitter.i64.zero());
                unlikely(builder.branch(any, cold, fast), Turn::Taint);
            }
            None => unlikely(builder.branch(seen, cold, fast), Turn::Seen),
        }
        builder.at_end(cold);
        let any = [self.load_any(&gathered.inputs), taint].into_iter().flatten();
        match any.reduce(|all, next| builder.or(all, next)) {
            Some(any) => {
                let any = builder.compare(IntPredicate::LLVMIntNE, any, self.emitter.i64.zero());
                builder.branch(any, slow, quiet);
            }
            None => {
                builder.jump(quiet);
            }
        }
        builder.at_end(quiet);
        for (_, cell, ty) in &gathered.outputs {
            self.store_frame(self.shadow_type(*ty).zero(), *cell);
        }
        builder.jump(fast);
        builder.at_end(fast);
        concrete(self);
        builder.jump(tail);
        builder.at_end(slow);
        self.clear_frame(seen);
        self.region(&pending, &gathered);
        outline::outline(self.emitter, slow);
        builder.at_end(slow);
        self.set_seen();
        builder.jump(tail);
    }

    /// The code of the region, at the end of its block.
    fn region(&mut self, pending: &[Pending<'c>], gathered: &Gathered<'c>) {
        for (value, cell) in &gathered.values {
            let shadow = self.load_frame(self.shadow_type(value.ty()), *cell);
            self.inside.insert(*value, shadow);
        }
        for item in pending {
            self.build(item);
        }
        for (value, cell, _) in &gathered.outputs {
            self.store_frame(self.shadow(*value), *cell);
        }
        self.inside.clear();
    }

    /// What goes into a region and what comes out of it.
    fn gather(&mut self, pending: &[Pending<'c>]) -> Gathered<'c> {
        let mut gathered = Gathered::default();
        let mut defined: HashSet<Value<'c>> = HashSet::new();
        let mut used: HashSet<Value<'c>> = HashSet::new();
        for item in pending {
            for value in item.uses() {
                if self.maybe.contains(value) && !defined.contains(&value) && used.insert(value) {
                    let cell = self.cell_of(value);
                    gathered.values.push((value, cell));
                    gathered.inputs.push((cell, Self::cell_count(value.ty())));
                }
            }
            match item {
                Pending::Load { taint: Some(taint), .. } | Pending::LostLoad { taint, .. } => {
                    gathered.taints.push(*taint);
                }
                Pending::Result { shadow, .. } => gathered.taints.extend(self.leaves(*shadow)),
                Pending::Phi(phi) => {
                    let cell = self.incoming_cell(*phi);
                    gathered.inputs.push((cell, Self::cell_count(phi.ty())));
                }
                _ => {}
            }
            defined.extend(item.defines());
        }
        let inside: HashSet<Value<'c>> = pending.iter().filter_map(Pending::instruction).collect();
        for item in pending {
            if let Some(value) = item.defines()
                && value.users().iter().any(|user| is_phi(*user) || !inside.contains(user))
            {
                let cell = self.cell_of(value);
                gathered.outputs.push((value, cell, value.ty()));
            }
            if let Pending::Leave { phi, value } = item {
                let cell = self.incoming_cell(*phi);
                gathered.outputs.push((*value, cell, phi.ty()));
            }
        }
        gathered
    }

    /// Zero if no taint or handle that enters a region besides the frame is set; none if there is none.
    fn any_taint(&self, taints: &[Value<'c>]) -> Option<Value<'c>> {
        let builder = &self.emitter.builder;
        taints.iter().map(|taint| self.to_i64(*taint)).reduce(|all, next| builder.or(all, next))
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
            Pending::Phi(phi) => {
                let cell = self.incoming_cell(phi);
                let shadow = self.load_frame(self.shadow_type(phi.ty()), cell);
                self.inside.insert(phi, shadow);
            }
            Pending::Result { call, shadow } => {
                self.inside.insert(call, shadow);
            }
            Pending::Leave { .. } => {}
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

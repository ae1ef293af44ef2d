//! Loads, stores, copies: memory and its taint.

use super::Tracer;
use super::maybe::has_shadow;
use super::region::Pending;
use crate::instrument::emitter::Memory;
use testwright_abi::address_of;
use testwright_abi::event::EventKind;
use testwright_abi::memory::TAINT_ADDRESS_SPACE;
use testwright_llvm::{Kind, Opcode, Type, Value};

impl<'c> Tracer<'c, '_, '_> {
    /// A load: its taint is loaded beside it.
    pub fn load(&mut self, load: Value<'c>) {
        let next = load.next().expect("a load does not end a block");
        self.note_site(load, load.operand(0));
        self.emitter.builder.before(next);
        if self.maybe.contains(load) {
            let taint = if is_constant_data(load.operand(0)) { None } else { Some(self.load_taint(load)) };
            self.pending.push(Pending::Load { load, taint });
        } else if load.ty().kind() == Kind::X87 {
            let taint = self.load_taint(load);
            let reason = self.reason("long double");
            self.pending.push(Pending::LostLoad { load, taint, reason });
        }
    }

    fn load_taint(&self, load: Value<'c>) -> Value<'c> {
        let ty = self.taint_type(load.ty());
        let taint = self.emitter.builder.load(ty, self.taint_pointer(load.operand(0)));
        taint.set_alignment(1);
        self.emitter.ours(taint, Memory::Taint)
    }

    /// A store: its taint is cleared, or, if it stores something symbolic, set.
    pub fn store(&mut self, store: Value<'c>) {
        let (value, pointer) = (store.operand(0), store.operand(1));
        if self.maybe.contains(value) || self.maybe.contains(pointer) {
            self.pending.push(Pending::Store(store));
            self.flush_or(store, |tracer| tracer.clear_taint(value.ty(), pointer));
        } else {
            self.flush(store);
            self.emitter.builder.before(store);
            self.clear_taint(value.ty(), pointer);
        }
        self.note_site(store, pointer);
    }

    fn clear_taint(&self, ty: Type<'c>, pointer: Value<'c>) {
        let clear = self.emitter.builder.store(self.taint_type(ty).zero(), self.taint_pointer(pointer));
        clear.set_alignment(1);
        self.emitter.ours(clear, Memory::Taint);
    }

    /// An atomic operation on memory: what was there is lost, what is there now is concrete.
    pub fn atomic(&mut self, instruction: Value<'c>) {
        const WHAT: &str = "atomic operation";
        self.unsupported(instruction, WHAT);
        self.lose(instruction, &[(instruction.operand(0), instruction.operand(1).ty())], WHAT);
    }

    /// Inline assembly: what it takes is lost, also from memory.
    pub fn assembly(&mut self, call: Value<'c>) {
        const WHAT: &str = "inline assembly";
        self.unsupported(call, WHAT);
        let places: Vec<(Value<'c>, Type<'c>)> = call
            .call_arguments()
            .into_iter()
            .enumerate()
            .filter_map(|(index, pointer)| {
                Some((pointer, call.parameter_type_attribute(index, "elementtype")?))
            })
            .collect();
        self.lose(call, &places, WHAT);
    }

    /// Ends the region before an instruction that reads and writes these places in a way we have no expressions for: what they
    /// hold is pinned, what they will hold is concrete.
    fn lose(&mut self, instruction: Value<'c>, places: &[(Value<'c>, Type<'c>)], what: &str) {
        const PIECE: u64 = 8;
        let reason = self.reason(what);
        let emitter = self.emitter;
        for (pointer, ty) in places {
            let size = emitter.module.store_size(*ty);
            for offset in (0..size).step_by(PIECE as usize) {
                emitter.builder.before(instruction);
                let place = emitter.builder.offset(*pointer, emitter.i64.constant(offset));
                let bits = 8 * PIECE.min(size - offset) as u32;
                let load = emitter.builder.load(emitter.module.context().int(bits), place);
                load.set_alignment(1);
                if let Some(numbers) = instruction.numbers(emitter.site_kind) {
                    load.set_numbers(emitter.site_kind, &numbers);
                }
                let taint = self.load_taint(load);
                self.pending.push(Pending::LostLoad { load, taint, reason });
            }
        }
        self.flush(instruction);
        emitter.builder.before(instruction);
        for (pointer, ty) in places {
            self.clear_taint(*ty, *pointer);
        }
    }

    /// Copies and fills.
    pub fn copy_memory(&mut self, call: Value<'c>, fill: bool) {
        self.pin_if_maybe(EventKind::Address, call, call.operand(0), 0);
        if !fill {
            self.pin_if_maybe(EventKind::Address, call, call.operand(1), 0);
        }
        self.pin_if_maybe(EventKind::Size, call, call.operand(2), 0);
        self.flush(call);
        self.note_site(call, call.operand(0));
        let emitter = self.emitter;
        emitter.builder.before(call);
        let target = self.bits(call.operand(0));
        let size = emitter.builder.resize(call.operand(2), emitter.i64);
        if fill {
            emitter.call("fill", &[target, self.shadow(call.operand(1)), size]);
        } else {
            emitter.call("copy", &[target, self.bits(call.operand(1)), size]);
        }
    }

    /// Inside a region: the handle of a loaded value.
    pub fn loaded(&self, load: Value<'c>) -> Value<'c> {
        let emitter = self.emitter;
        let handle = self.call_load(load);
        // Memory holds whole bytes; a narrower integer is their low end.
        let (width, bytes) = (load.ty().scalar_width().unwrap_or(64), emitter.module.store_size(load.ty()));
        if u64::from(width) == bytes * 8 {
            return handle;
        }
        self.extract(handle, bytes as u32 * 8, 0, load)
    }

    fn call_load(&self, load: Value<'c>) -> Value<'c> {
        let emitter = self.emitter;
        let bytes = emitter.module.store_size(load.ty());
        let (value, function) = if bytes <= 8 {
            (self.bits(load), "load")
        } else {
            (emitter.builder.resize(self.as_integer(load), emitter.i128), "load_wide")
        };
        let pointer = load.operand(0);
        let arguments = [
            emitter.site_constant(load),
            self.shadow(pointer),
            self.bits(pointer),
            emitter.i32.constant(bytes),
            value,
        ];
        emitter.call(function, &arguments)
    }

    /// Inside a region: a value of a type without expressions was loaded from symbolic memory.
    pub fn lost_load(&self, load: Value<'c>, reason: u32) {
        let emitter = self.emitter;
        let handle = self.call_load(load);
        let kind = emitter.i32.constant(EventKind::Unsupported as u64);
        let reason = emitter.i32.constant(u64::from(reason));
        emitter.call_recorder("pin", &[kind, emitter.site_constant(load), handle, reason]);
    }

    /// Inside a region: the taint of a store's target.
    pub fn stored(&self, store: Value<'c>) {
        let emitter = self.emitter;
        let (value, pointer) = (store.operand(0), store.operand(1));
        if self.maybe.contains(pointer) {
            let kind = emitter.i32.constant(EventKind::Address as u64);
            let arguments = [kind, emitter.site_constant(store), self.shadow(pointer), emitter.i32.zero()];
            emitter.call_recorder("pin", &arguments);
        }
        let bytes = emitter.i32.constant(emitter.module.store_size(value.ty()));
        let handle = if has_shadow(value.ty()) { self.shadow(value) } else { emitter.i32.zero() };
        emitter.call("store", &[handle, self.bits(pointer), bytes]);
    }

    /// Remembers the site of an access that may fault.
    pub fn note_site(&self, instruction: Value<'c>, pointer: Value<'c>) {
        let reads = instruction.opcode() == Some(Opcode::LLVMLoad);
        let safe = pointer.opcode() == Some(Opcode::LLVMAlloca)
            || (reads && (pointer.is_global_variable() || is_constant_data(pointer)));
        if safe {
            return;
        }
        if let Some((site, _)) = self.emitter.site(instruction) {
            self.emitter.builder.before(instruction);
            self.emitter.store_fixed(
                self.emitter.i32.constant(u64::from(site)),
                address_of!(site),
                Memory::Site,
            );
        }
    }

    /// The integer type as wide as a value of this type in memory.
    fn taint_type(&self, ty: Type<'c>) -> Type<'c> {
        self.emitter.module.context().int(self.emitter.module.store_size(ty) as u32 * 8)
    }

    /// The place of the taint of what `pointer` points to: the same address, relative to the segment register.
    fn taint_pointer(&self, pointer: Value<'c>) -> Value<'c> {
        let emitter = self.emitter;
        let segment = emitter.module.context().pointer_in(TAINT_ADDRESS_SPACE);
        emitter.builder.cast(Opcode::LLVMIntToPtr, self.bits(pointer), segment)
    }

    /// A scalar as an integer of its width.
    pub fn as_integer(&self, value: Value<'c>) -> Value<'c> {
        let emitter = self.emitter;
        match value.ty().kind() {
            Kind::Pointer => emitter.builder.cast(Opcode::LLVMPtrToInt, value, emitter.i64),
            Kind::Float => emitter.builder.cast(Opcode::LLVMBitCast, value, emitter.i32),
            Kind::Double => emitter.builder.cast(Opcode::LLVMBitCast, value, emitter.i64),
            Kind::X87 => emitter.builder.cast(Opcode::LLVMBitCast, value, emitter.module.context().int(80)),
            _ => value,
        }
    }

    /// A scalar of at most 64 bits as 64 bits, zero-extended.
    pub fn bits(&self, value: Value<'c>) -> Value<'c> {
        self.emitter.builder.resize(self.as_integer(value), self.emitter.i64)
    }
}

/// Whether a pointer leads into a constant, whose bytes are never symbolic.
pub fn is_constant_data(pointer: Value<'_>) -> bool {
    match pointer.opcode() {
        Some(Opcode::LLVMGetElementPtr) => is_constant_data(pointer.operand(0)),
        _ => pointer.is_global_variable() && pointer.is_global_constant() && !pointer.is_declaration(),
    }
}

//! Branch distances: how far a run was from going the other way.
//!
//! The distance map holds a `u64` per outcome: the smallest distance seen, 0 never occurring (a hit outcome is
//! in the coverage map). For integers it is the exact difference, in arithmetic that does not wrap; for floats it
//! is the bit pattern of a non-negative double, which orders as the double does, with NaN above infinity.

use super::emitter::{Emitter, Memory};
use crate::inspect::condition::Condition;
use crate::predicate::inverse;
use testwright_abi::memory::{DISTANCE_OFFSET, SHARED_BASE};
use testwright_llvm::{IntPredicate, Opcode, RealPredicate, Value};

/// Emits distance code.
pub struct Distances<'c, 'm, 'e> {
    emitter: &'e Emitter<'c, 'm>,
}

fn address(outcome: u32) -> u64 {
    SHARED_BASE + DISTANCE_OFFSET + 8 * u64::from(outcome)
}

impl<'c, 'm, 'e> Distances<'c, 'm, 'e> {
    /// Emits through this emitter.
    pub fn new(emitter: &'e Emitter<'c, 'm>) -> Distances<'c, 'm, 'e> {
        Distances { emitter }
    }

    /// The branch went `taken`; records how far it was from `outcome`, the other way. The builder stands before
    /// `instruction`, in a place that only this way reaches.
    pub fn other_way(&self, condition: &Condition<'c>, taken: bool, outcome: u32, instruction: Value<'c>) {
        let distance = match condition.compare {
            Some(compare) if compare.ty().int_width() == 1 => {
                self.until(compare, !(taken ^ condition.negated))
            }
            _ => self.emitter.i64.constant(1),
        };
        self.keep_smallest(distance, outcome, instruction);
    }

    /// The outcome was missed by as little as can be. The builder stands before `instruction`.
    pub fn one_away(&self, outcome: u32, instruction: Value<'c>) {
        self.keep_smallest(self.emitter.i64.constant(1), outcome, instruction);
    }

    /// A free comparison: both outcomes are told how far they are; the one that was hit has no distance.
    pub fn comparison(&self, compare: Value<'c>, first: u32, instruction: Value<'c>) {
        let builder = &self.emitter.builder;
        builder.before(instruction);
        let far = builder.select(compare, self.until(compare, false), self.until(compare, true));
        let pointer = self.emitter.pointer;
        let cell =
            builder.select(compare, pointer.address(address(first + 1)), pointer.address(address(first)));
        self.keep_smallest_at(far, cell, instruction);
    }

    /// A switch: every case is told how far the value is from it.
    ///
    /// ```text
    /// call tw_switch_distances(value, cases, count, &distance[first])
    /// ```
    pub fn switch(&self, switch: Value<'c>, first: u32) {
        let value = switch.condition();
        let width = value.ty().int_width();
        if width > 64 {
            return;
        }
        let emitter = self.emitter;
        let builder = &emitter.builder;
        let cases: Vec<Value<'c>> = switch
            .switch_cases()
            .iter()
            .map(|(case, _)| emitter.i64.constant(testwright_base::site::sign_extend(*case, width) as u64))
            .collect();
        let table = emitter.module.add_global("tw_cases", emitter.i64.array(cases.len() as u64));
        table.set_initializer(emitter.i64.constant_array(&cases));
        table.set_internal(true);
        let wide = if width < 64 { builder.cast(Opcode::LLVMSExt, value, emitter.i64) } else { value };
        let count = emitter.i64.constant(cases.len() as u64);
        let cells = emitter.pointer.address(address(first));
        builder.call_function(self.switch_function(), &[wide, table, count, cells]);
    }

    /// Distance until `compare` yields `wanted`, valid where it does not.
    fn until(&self, compare: Value<'c>, wanted: bool) -> Value<'c> {
        let (a, b) = (compare.operand(0), compare.operand(1));
        if compare.opcode() == Some(Opcode::LLVMFCmp) {
            return self.float(compare.real_predicate(), a, b, wanted);
        }
        self.integer(compare.int_predicate(), a, b, wanted)
    }

    /// Distance between integers or pointers until the predicate yields `wanted`, valid where it does not.
    pub fn integer(&self, predicate: IntPredicate, a: Value<'c>, b: Value<'c>, wanted: bool) -> Value<'c> {
        use IntPredicate::*;
        let predicate = if wanted { predicate } else { inverse(predicate) };
        // An equality does not say how its operands are read; small numbers of either sign are the usual ones.
        let signed = !matches!(predicate, LLVMIntUGT | LLVMIntUGE | LLVMIntULT | LLVMIntULE);
        let (a, b) = (self.widen(a, signed), self.widen(b, signed));
        let builder = &self.emitter.builder;
        match predicate {
            LLVMIntNE => self.emitter.i64.constant(1),
            LLVMIntEQ => {
                let above = builder.compare(LLVMIntSGT, a, b);
                self.narrow(builder.select(above, builder.sub(a, b), builder.sub(b, a)))
            }
            // Wanted a < b, but a >= b.
            LLVMIntULT | LLVMIntSLT => self.strictly(builder.sub(a, b)),
            LLVMIntULE | LLVMIntSLE => self.narrow(builder.sub(a, b)),
            LLVMIntUGT | LLVMIntSGT => self.strictly(builder.sub(b, a)),
            LLVMIntUGE | LLVMIntSGE => self.narrow(builder.sub(b, a)),
        }
    }

    /// The operand as an integer of 64 bits (128 if it is wider), so that differences are exact.
    fn widen(&self, value: Value<'c>, signed: bool) -> Value<'c> {
        let emitter = self.emitter;
        let value = match value.ty().kind() {
            testwright_llvm::Kind::Pointer => emitter.builder.cast(Opcode::LLVMPtrToInt, value, emitter.i64),
            _ => value,
        };
        let width = value.ty().int_width();
        let ty = if width <= 64 { emitter.i64 } else { emitter.i128 };
        if width == ty.int_width() {
            return value;
        }
        let opcode = if signed { Opcode::LLVMSExt } else { Opcode::LLVMZExt };
        emitter.builder.cast(opcode, value, ty)
    }

    /// One more than a difference, without wrapping.
    fn strictly(&self, difference: Value<'c>) -> Value<'c> {
        let builder = &self.emitter.builder;
        let difference = self.narrow(difference);
        let more = builder.add(difference, self.emitter.i64.constant(1));
        let wrapped = builder.compare(IntPredicate::LLVMIntEQ, more, self.emitter.i64.zero());
        builder.select(wrapped, difference, more)
    }

    /// A difference as 64 bits, cut off just below "none".
    fn narrow(&self, difference: Value<'c>) -> Value<'c> {
        let emitter = self.emitter;
        if difference.ty().int_width() <= 64 {
            return difference;
        }
        let most = emitter.i128.constant_wide(u128::from(u64::MAX - 1));
        let above = emitter.builder.compare(IntPredicate::LLVMIntUGT, difference, most);
        let cut = emitter.builder.select(above, most, difference);
        emitter.builder.cast(Opcode::LLVMTrunc, cut, emitter.i64)
    }

    /// As [`Distances::integer`], for floats.
    pub fn float(&self, predicate: RealPredicate, a: Value<'c>, b: Value<'c>, wanted: bool) -> Value<'c> {
        use RealPredicate::*;
        let emitter = self.emitter;
        let builder = &emitter.builder;
        let double = emitter.module.context().simple(testwright_llvm::Kind::Double);
        let one = self.bits(builder.cast(Opcode::LLVMUIToFP, emitter.i32.constant(1), double));
        let widen = |value: Value<'c>| match value.ty().kind() {
            testwright_llvm::Kind::Float => builder.cast(Opcode::LLVMFPExt, value, double),
            testwright_llvm::Kind::Double => value,
            _ => builder.cast(Opcode::LLVMFPTrunc, value, double),
        };
        let strict = match (predicate, wanted) {
            // Wanted: equal.
            (LLVMRealOEQ | LLVMRealUEQ, true) | (LLVMRealONE | LLVMRealUNE, false) => false,
            // Wanted: less or equal, greater or equal.
            (LLVMRealOLE | LLVMRealULE | LLVMRealOGE | LLVMRealUGE, true)
            | (LLVMRealOLT | LLVMRealULT | LLVMRealOGT | LLVMRealUGT, false) => false,
            // Wanted: less, greater.
            (LLVMRealOLT | LLVMRealULT | LLVMRealOGT | LLVMRealUGT, true)
            | (LLVMRealOLE | LLVMRealULE | LLVMRealOGE | LLVMRealUGE, false) => true,
            // Wanted: not equal, a NaN, no NaN.
            _ => return one,
        };
        let difference = builder.binary(Opcode::LLVMFSub, widen(a), widen(b));
        let bits = builder.binary(
            Opcode::LLVMAnd,
            self.bits(difference),
            emitter.i64.constant(0x7fff_ffff_ffff_ffff),
        );
        if strict {
            // Adding K = 1 as a float would swallow small differences; one unit in the last place does not.
            builder.add(bits, emitter.i64.constant(1))
        } else {
            bits
        }
    }

    fn bits(&self, value: Value<'c>) -> Value<'c> {
        self.emitter.builder.cast(Opcode::LLVMBitCast, value, self.emitter.i64)
    }

    fn keep_smallest(&self, distance: Value<'c>, outcome: u32, instruction: Value<'c>) {
        self.keep_smallest_at(distance, self.emitter.pointer.address(address(outcome)), instruction);
    }

    /// ```text
    /// if (distance < *cell) { *cell = distance; news += 1; }
    /// ```
    fn keep_smallest_at(&self, distance: Value<'c>, cell: Value<'c>, instruction: Value<'c>) {
        let emitter = self.emitter;
        let smallest = emitter.ours(emitter.builder.load(emitter.i64, cell), Memory::Distance);
        let closer = emitter.builder.compare(IntPredicate::LLVMIntULT, distance, smallest);
        emitter.if_unlikely(closer, instruction, || {
            emitter.ours(emitter.builder.store(distance, cell), Memory::Distance);
            emitter.count_news();
        });
    }

    /// `tw_switch_distances(value, cases, count, cells)`: a loop over the cases, made once per module.
    fn switch_function(&self) -> Value<'c> {
        const NAME: &str = "tw_switch_distances";
        let emitter = self.emitter;
        if let Some(function) = emitter.module.function(NAME) {
            return function;
        }
        let (i64, pointer) = (emitter.i64, emitter.pointer);
        let ty = emitter.module.context().void().function(&[i64, pointer, i64, pointer], false);
        let function = emitter.module.add_function(NAME, ty);
        function.set_internal(true);
        let [value, cases, count, cells] = function.params()[..] else { return function };
        let (entry, body, done) =
            (function.append_block("entry"), function.append_block("body"), function.append_block("done"));
        // A builder of its own: the emitter's stands where the call goes.
        let builder = testwright_llvm::Builder::new(emitter.module.context());
        builder.at_end(entry);
        let none = builder.compare(IntPredicate::LLVMIntEQ, count, i64.zero());
        builder.branch(none, done, body);
        builder.at_end(body);
        let index = builder.phi(i64);
        let case = builder.load(i64, builder.gep(i64, cases, &[index]));
        let cell = builder.gep(i64, cells, &[index]);
        let above = builder.compare(IntPredicate::LLVMIntSGT, value, case);
        let distance = builder.select(above, builder.sub(value, case), builder.sub(case, value));
        let smallest = emitter.ours(builder.load(i64, cell), Memory::Distance);
        let closer = builder.compare(IntPredicate::LLVMIntULT, distance, smallest);
        // A hit case is not told: its distance would be 0, and the mark in the coverage map says more.
        let hit = builder.compare(IntPredicate::LLVMIntEQ, distance, i64.zero());
        let keep = builder.select(hit, smallest, builder.select(closer, distance, smallest));
        emitter.ours(builder.store(keep, cell), Memory::Distance);
        let changed = builder.compare(IntPredicate::LLVMIntNE, keep, smallest);
        let news_cell = pointer.address(testwright_abi::address_of!(news));
        let news = emitter.ours(builder.load(i64, news_cell), Memory::News);
        let more = builder.add(news, builder.cast(Opcode::LLVMZExt, changed, i64));
        emitter.ours(builder.store(more, news_cell), Memory::News);
        let next = builder.add(index, i64.constant(1));
        index.add_incoming(&[(i64.zero(), entry), (next, body)]);
        let more = builder.compare(IntPredicate::LLVMIntULT, next, count);
        builder.branch(more, body, done);
        builder.at_end(done);
        builder.ret(None);
        function
    }
}

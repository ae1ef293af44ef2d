//! Inside a region: comparisons, reduced to the few predicates that expressions have.

use super::Tracer;
use testwright_abi::expr::{Op, OpCode};
use testwright_llvm::{IntPredicate, Opcode, RealPredicate, Value};

impl<'c> Tracer<'c, '_, '_> {
    /// `eq`, `ult`, `ule`, `slt`, `sle`; the others by exchanging operands or by `not`.
    pub fn integer_comparison(&self, compare: Value<'c>) -> Value<'c> {
        use IntPredicate::*;
        let (a, b) = (compare.operand(0), compare.operand(1));
        match compare.int_predicate() {
            LLVMIntEQ => self.binary(Op::Eq, a, b, compare),
            LLVMIntNE => self.not_binary(Op::Eq, a, b, compare),
            LLVMIntULT => self.binary(Op::Ult, a, b, compare),
            LLVMIntULE => self.binary(Op::Ule, a, b, compare),
            LLVMIntUGT => self.binary(Op::Ult, b, a, compare),
            LLVMIntUGE => self.binary(Op::Ule, b, a, compare),
            LLVMIntSLT => self.binary(Op::Slt, a, b, compare),
            LLVMIntSLE => self.binary(Op::Sle, a, b, compare),
            LLVMIntSGT => self.binary(Op::Slt, b, a, compare),
            LLVMIntSGE => self.binary(Op::Sle, b, a, compare),
        }
    }

    /// Ordered predicates are `feq`, `flt`, `fle`, `funo`; an unordered one is the `not` of the opposite.
    pub fn float_comparison(&self, compare: Value<'c>) -> Value<'c> {
        use RealPredicate::*;
        let (a, b) = (compare.operand(0), compare.operand(1));
        match compare.real_predicate() {
            LLVMRealOEQ => self.binary(Op::FEq, a, b, compare),
            LLVMRealOGT => self.binary(Op::FLt, b, a, compare),
            LLVMRealOGE => self.binary(Op::FLe, b, a, compare),
            LLVMRealOLT => self.binary(Op::FLt, a, b, compare),
            LLVMRealOLE => self.binary(Op::FLe, a, b, compare),
            LLVMRealUNO => self.binary(Op::FUno, a, b, compare),
            LLVMRealORD => self.not_binary(Op::FUno, a, b, compare),
            LLVMRealUGT => self.not_binary(Op::FLe, a, b, compare),
            LLVMRealUGE => self.not_binary(Op::FLt, a, b, compare),
            LLVMRealULT => self.not_binary(Op::FLe, b, a, compare),
            LLVMRealULE => self.not_binary(Op::FLt, b, a, compare),
            LLVMRealUNE => self.not_binary(Op::FEq, a, b, compare),
            LLVMRealUEQ => self.equal_or_unordered(a, b, compare, false),
            LLVMRealONE => self.equal_or_unordered(a, b, compare, true),
            LLVMRealPredicateFalse | LLVMRealPredicateTrue => self.emitter.i32.zero(),
        }
    }

    fn not_binary(&self, op: Op, a: Value<'c>, b: Value<'c>, result: Value<'c>) -> Value<'c> {
        let opposite = self.emitter.builder.xor(result, self.emitter.i1.constant(1));
        self.not(self.binary(op, a, b, opposite), result)
    }

    fn not(&self, handle: Value<'c>, result: Value<'c>) -> Value<'c> {
        let emitter = self.emitter;
        let code = emitter.i32.constant(u64::from(OpCode { op: Op::Not, result: 1, operand: 1 }.pack()));
        emitter.call_recorder("unary", &[code, handle, emitter.i32.zero(), self.bits(result)])
    }

    /// `feq(a, b) | funo(a, b)`, or its `not`.
    fn equal_or_unordered(&self, a: Value<'c>, b: Value<'c>, result: Value<'c>, negated: bool) -> Value<'c> {
        let emitter = self.emitter;
        let builder = &emitter.builder;
        let either = if negated { builder.xor(result, emitter.i1.constant(1)) } else { result };
        // With operands that differ from themselves exactly if they are NaN, integer code finds the two parts.
        let unordered = builder.or(self.is_nan(a), self.is_nan(b));
        let ordered = builder.xor(unordered, emitter.i1.constant(1));
        let equal = builder.binary(Opcode::LLVMAnd, either, ordered);
        let left = self.binary(Op::FEq, a, b, equal);
        let right = self.binary(Op::FUno, a, b, unordered);
        let code = emitter.i32.constant(u64::from(OpCode { op: Op::Or, result: 1, operand: 1 }.pack()));
        let arguments = [code, left, right, self.bits(equal), self.bits(unordered), self.bits(either)];
        let handle = emitter.call_recorder("binary", &arguments);
        if negated { self.not(handle, result) } else { handle }
    }

    fn is_nan(&self, value: Value<'c>) -> Value<'c> {
        let emitter = self.emitter;
        let builder = &emitter.builder;
        let bits = self.as_integer(value);
        let width = bits.ty().int_width();
        let infinity = if width == 32 { 0x7f80_0000 } else { 0x7ff0_0000_0000_0000 };
        let magnitude = builder.binary(Opcode::LLVMAnd, bits, bits.ty().constant((1 << (width - 1)) - 1));
        builder.compare(IntPredicate::LLVMIntUGT, magnitude, bits.ty().constant(infinity))
    }
}

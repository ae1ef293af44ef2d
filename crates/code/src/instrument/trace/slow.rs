//! Inside a region: the expression of each computed value.

use super::Tracer;
use super::classify::{self, CallKind, Pure};
use super::maybe::has_shadow;
use testwright_abi::expr::{Op, OpCode};
use testwright_llvm::{Kind, Opcode, Type, Value};

/// Whether the expression of a computing instruction can be built.
pub fn is_supported(instruction: Value<'_>) -> bool {
    let scalar = |value: &Value<'_>| value.ty().scalar_width().is_some_and(|width| width <= 128);
    match instruction.opcode() {
        Some(Opcode::LLVMPHI | Opcode::LLVMFreeze) => has_shadow(instruction.ty()),
        Some(Opcode::LLVMSelect) => scalar(&instruction.operand(0)) && has_shadow(instruction.ty()),
        Some(Opcode::LLVMExtractValue | Opcode::LLVMInsertValue) => {
            instruction.operands().iter().all(|operand| has_shadow(operand.ty()))
        }
        Some(Opcode::LLVMExtractElement) => instruction.operand(1).constant_int().is_some(),
        Some(Opcode::LLVMInsertElement) => instruction.operand(2).constant_int().is_some(),
        Some(Opcode::LLVMShuffleVector) => true,
        Some(Opcode::LLVMBitCast) => has_shadow(instruction.ty()) && has_shadow(instruction.operand(0).ty()),
        Some(Opcode::LLVMGetElementPtr) => instruction.ty().kind() == Kind::Pointer,
        _ => scalar(&instruction) && instruction.operands().iter().all(scalar),
    }
}

impl<'c> Tracer<'c, '_, '_> {
    /// The handle of a computed value.
    pub fn expression(&mut self, value: Value<'c>) -> Value<'c> {
        use Opcode::*;
        let operand = |index| value.operand(index);
        match value.opcode().expect("only instructions compute") {
            LLVMCall => self.pure_call(value),
            LLVMICmp => self.integer_comparison(value),
            LLVMFCmp => self.float_comparison(value),
            LLVMTrunc => self.extract(self.shadow(operand(0)), width(operand(0)), 0, value),
            LLVMZExt => self.unary(Op::ZExt, operand(0), value),
            LLVMSExt => self.unary(Op::SExt, operand(0), value),
            LLVMFPToSI => self.unary(Op::FToS, operand(0), value),
            LLVMFPToUI => self.unary(Op::FToU, operand(0), value),
            LLVMSIToFP => self.unary(Op::SToF, operand(0), value),
            LLVMUIToFP => self.unary(Op::UToF, operand(0), value),
            LLVMFPTrunc | LLVMFPExt => self.unary(Op::FToF, operand(0), value),
            LLVMFNeg => self.unary(Op::FNeg, operand(0), value),
            LLVMFreeze => self.shadow(operand(0)),
            LLVMPtrToInt | LLVMIntToPtr => self.resized(operand(0), value),
            LLVMBitCast => self.bit_cast(value),
            LLVMSelect => self.select(value),
            LLVMGetElementPtr => self.element_pointer(value),
            LLVMExtractValue => self.descend(self.shadow(operand(0)), &value.indices()),
            LLVMInsertValue => {
                let indices = value.indices();
                self.replace_part(self.shadow(operand(0)), self.shadow(operand(1)), &indices)
            }
            LLVMExtractElement => self.descend(self.shadow(operand(0)), &[index(operand(1))]),
            LLVMInsertElement => {
                self.replace_part(self.shadow(operand(0)), self.shadow(operand(1)), &[index(operand(2))])
            }
            LLVMShuffleVector => self.shuffle(value),
            opcode => {
                let op = binary_op(opcode).expect("checked by is_supported");
                self.binary(op, operand(0), operand(1), value)
            }
        }
    }

    /// `op(a, b)`, whose concrete value is `result`.
    pub fn binary(&self, op: Op, a: Value<'c>, b: Value<'c>, result: Value<'c>) -> Value<'c> {
        let emitter = self.emitter;
        let operand = width(a);
        let result_width = if op.is_predicate() { 1 } else { width(result) };
        let code = OpCode { op, result: result_width, operand }.pack();
        let code = emitter.i32.constant(u64::from(code));
        let (sa, sb) = (self.shadow(a), self.shadow(b));
        if operand <= 64 {
            let arguments = [code, sa, sb, self.bits(a), self.bits(b), self.bits(result)];
            return emitter.call_recorder("binary", &arguments);
        }
        let arguments = [code, sa, sb, self.wide(a), self.wide(b), self.wide(result)];
        emitter.call_recorder("binary_wide", &arguments)
    }

    /// `op(a)`, whose concrete value is `result`.
    pub fn unary(&self, op: Op, a: Value<'c>, result: Value<'c>) -> Value<'c> {
        self.unary_handle(op, self.shadow(a), width(a), 0, result)
    }

    /// The bits of `handle` (an expression of `from` bits) from bit `low` on; as many as `result` has.
    pub fn extract(&self, handle: Value<'c>, from: u32, low: u32, result: Value<'c>) -> Value<'c> {
        self.unary_handle(Op::Extract, handle, from, low, result)
    }

    fn unary_handle(&self, op: Op, handle: Value<'c>, from: u32, extra: u32, result: Value<'c>) -> Value<'c> {
        let emitter = self.emitter;
        let code = OpCode { op, result: width(result), operand: from }.pack();
        let code = emitter.i32.constant(u64::from(code));
        let extra = emitter.i32.constant(u64::from(extra));
        if width(result) <= 64 {
            return emitter.call_recorder("unary", &[code, handle, extra, self.bits(result)]);
        }
        emitter.call_recorder("unary_wide", &[code, handle, extra, self.wide(result)])
    }

    fn wide(&self, value: Value<'c>) -> Value<'c> {
        self.emitter.builder.resize(self.as_integer(value), self.emitter.i128)
    }

    fn resized(&self, from: Value<'c>, to: Value<'c>) -> Value<'c> {
        match width(from).cmp(&width(to)) {
            std::cmp::Ordering::Equal => self.shadow(from),
            std::cmp::Ordering::Less => self.unary(Op::ZExt, from, to),
            std::cmp::Ordering::Greater => self.extract(self.shadow(from), width(from), 0, to),
        }
    }

    /// Between scalars nothing changes; between a vector and a scalar the elements are joined or taken apart.
    fn bit_cast(&self, value: Value<'c>) -> Value<'c> {
        let from = value.operand(0);
        match (from.ty().kind(), value.ty().kind()) {
            (Kind::Vector, Kind::Vector) => {
                let joined = self.join(from);
                self.take_apart(joined, value)
            }
            (Kind::Vector, _) => self.join(from),
            (_, Kind::Vector) => self.take_apart(self.shadow(from), value),
            _ => self.shadow(from),
        }
    }

    /// The handle of a vector seen as one integer: element 0 is the low end.
    fn join(&self, vector: Value<'c>) -> Value<'c> {
        let emitter = self.emitter;
        let builder = &emitter.builder;
        let shadow = self.shadow(vector);
        let element = self.element_width(vector.ty());
        let count = vector.ty().parts().len() as u32;
        let total = builder.cast(Opcode::LLVMBitCast, vector, emitter.module.context().int(element * count));
        let mut handle = builder.extract(shadow, 0);
        for index in 1..count {
            let (low, high) = (element * index, element);
            let part = |from: u32, bits: u32| {
                let shifted = builder.binary(Opcode::LLVMLShr, total, total.ty().constant(u64::from(from)));
                let part = builder.resize(shifted, emitter.module.context().int(bits));
                builder.resize(part, emitter.i128)
            };
            let code = OpCode { op: Op::Concat, result: low + high, operand: element }.pack();
            // Concat takes operands of different widths: the low part's is the result's less the high part's.
            let arguments = [
                emitter.i32.constant(u64::from(code)),
                builder.extract(shadow, index),
                handle,
                part(low, high),
                part(0, low),
                part(0, low + high),
            ];
            handle = emitter.call_recorder("binary_wide", &arguments);
        }
        handle
    }

    fn take_apart(&self, handle: Value<'c>, vector: Value<'c>) -> Value<'c> {
        let emitter = self.emitter;
        let builder = &emitter.builder;
        let element = self.element_width(vector.ty());
        let count = vector.ty().parts().len() as u32;
        let mut shadow = self.shadow_type(vector.ty()).poison();
        for index in 0..count {
            let part = builder.extract_element(vector, emitter.i32.constant(u64::from(index)));
            let made = self.extract(handle, element * count, element * index, part);
            shadow = builder.insert(shadow, made, index);
        }
        shadow
    }

    fn element_width(&self, vector: Type<'c>) -> u32 {
        vector.element().scalar_width().unwrap_or(64)
    }

    fn shuffle(&self, value: Value<'c>) -> Value<'c> {
        let builder = &self.emitter.builder;
        let (a, b) = (value.operand(0), value.operand(1));
        let first = a.ty().parts().len() as i32;
        let mut shadow = self.shadow_type(value.ty()).zero();
        for (index, source) in value.shuffle_mask().into_iter().enumerate() {
            let part = match source {
                ..0 => continue,
                _ if source < first => builder.extract(self.shadow(a), source as u32),
                _ => builder.extract(self.shadow(b), (source - first) as u32),
            };
            shadow = builder.insert(shadow, part, index as u32);
        }
        shadow
    }

    fn select(&self, value: Value<'c>) -> Value<'c> {
        let emitter = self.emitter;
        let builder = &emitter.builder;
        let (condition, a, b) = (value.operand(0), value.operand(1), value.operand(2));
        if !self.maybe.contains(condition) || value.ty().scalar_width().is_none() {
            // An aggregate chosen by a symbolic condition keeps the handles of the chosen one.
            return builder.select(condition, self.shadow(a), self.shadow(b));
        }
        let taken = builder.cast(Opcode::LLVMZExt, condition, emitter.i32);
        let bits = width(value);
        let head = [
            emitter.i32.constant(u64::from(bits)),
            self.shadow(condition),
            taken,
            self.shadow(a),
            self.shadow(b),
        ];
        let (name, x, y) = if bits <= 64 {
            ("select", self.bits(a), self.bits(b))
        } else {
            ("select_wide", self.wide(a), self.wide(b))
        };
        emitter.call_recorder(name, &[head.as_slice(), &[x, y]].concat())
    }

    /// The address of an element: the base plus each index times its scale plus the constant parts.
    fn element_pointer(&self, gep: Value<'c>) -> Value<'c> {
        let emitter = self.emitter;
        let builder = &emitter.builder;
        let base = gep.operand(0);
        let mut handle = self.shadow(base);
        let mut address = self.bits(base);
        let mut constant = 0u64;
        let mut ty = gep.gep_source();
        for (position, index) in gep.operands().into_iter().skip(1).enumerate() {
            if position > 0 && ty.kind() == Kind::Struct {
                let field = index.constant_int().unwrap_or_default() as u32;
                constant = constant.wrapping_add(emitter.module.offset_of(ty, field));
                ty = ty.parts()[field as usize];
                continue;
            }
            if position > 0 {
                ty = ty.element();
            }
            let scale = emitter.module.alloc_size(ty);
            let bits = index.ty().int_width();
            if let Some(number) = index.constant_int() {
                let number = testwright_base::site::sign_extend(number, bits) as u64;
                constant = constant.wrapping_add(number.wrapping_mul(scale));
                continue;
            }
            let wide = if bits < 64 { builder.cast(Opcode::LLVMSExt, index, emitter.i64) } else { index };
            let wide = builder.resize(wide, emitter.i64);
            let index_handle = match bits {
                64 => self.shadow(index),
                0..64 => self.unary_handle(Op::SExt, self.shadow(index), bits, 0, wide),
                _ => self.extract(self.shadow(index), bits, 0, wide),
            };
            let arguments = [handle, index_handle, address, wide, emitter.i64.constant(scale)];
            handle = emitter.call_recorder("element", &arguments);
            let step = builder.binary(Opcode::LLVMMul, wide, emitter.i64.constant(scale));
            address = builder.add(address, step);
        }
        if constant == 0 {
            return handle;
        }
        let offset = emitter.i64.constant(constant);
        let code = emitter.i32.constant(u64::from(OpCode { op: Op::Add, result: 64, operand: 64 }.pack()));
        let sum = builder.add(address, offset);
        emitter.call_recorder("binary", &[code, handle, emitter.i32.zero(), address, offset, sum])
    }

    /// The part of an aggregate's handles at these indices.
    fn descend(&self, shadow: Value<'c>, indices: &[u32]) -> Value<'c> {
        indices.iter().fold(shadow, |shadow, index| self.emitter.builder.extract(shadow, *index))
    }

    fn replace_part(&self, whole: Value<'c>, part: Value<'c>, indices: &[u32]) -> Value<'c> {
        let builder = &self.emitter.builder;
        let Some((first, rest)) = indices.split_first() else { return part };
        let inner = self.replace_part(builder.extract(whole, *first), part, rest);
        builder.insert(whole, inner, *first)
    }

    /// The expression of a call that computes its result from its arguments.
    fn pure_call(&self, call: Value<'c>) -> Value<'c> {
        let CallKind::Pure(pure) = classify::classify(call, self.traced) else {
            unreachable!("only pure calls are values of a region")
        };
        let emitter = self.emitter;
        let builder = &emitter.builder;
        match pure {
            Pure::Same => self.shadow(call.operand(0)),
            Pure::Unary(op) => self.unary(op, call.operand(0), call),
            Pure::Binary(op) => self.binary(op, call.operand(0), call.operand(1), call),
            Pure::Fma => {
                let code = OpCode { op: Op::FFma, result: width(call), operand: width(call) }.pack();
                let [a, b, c] = [0, 1, 2].map(|index| call.operand(index));
                let handles = [self.shadow(a), self.shadow(b), self.shadow(c)];
                let values = [self.bits(a), self.bits(b), self.bits(c), self.bits(call)];
                let code = emitter.i32.constant(u64::from(code));
                emitter.call_recorder("ternary", &[&[code], handles.as_slice(), &values].concat())
            }
            Pure::Overflow(op, overflow) => {
                let (a, b) = (call.operand(0), call.operand(1));
                let value = self.binary(op, a, b, builder.extract(call, 0));
                let flag = self.binary(overflow, a, b, builder.extract(call, 1));
                let shadow = builder.insert(self.shadow_type(call.ty()).poison(), value, 0);
                builder.insert(shadow, flag, 1)
            }
            Pure::Apply(function) => {
                let mut handles = [emitter.i32.zero(); 3];
                let mut values = [emitter.i64.zero(); 3];
                for (index, argument) in call.call_arguments().into_iter().enumerate() {
                    handles[index] = self.shadow(argument);
                    values[index] = self.bits(argument);
                }
                let number = emitter.i32.constant(function as u64);
                let arguments = [&[number], handles.as_slice(), &values, &[self.bits(call)]].concat();
                emitter.call_recorder("apply", &arguments)
            }
        }
    }
}

/// Width of a scalar.
pub fn width(value: Value<'_>) -> u32 {
    value.ty().scalar_width().unwrap_or(64)
}

fn index(value: Value<'_>) -> u32 {
    value.constant_int().unwrap_or_default() as u32
}

fn binary_op(opcode: Opcode) -> Option<Op> {
    use Opcode::*;
    Some(match opcode {
        LLVMAdd => Op::Add,
        LLVMSub => Op::Sub,
        LLVMMul => Op::Mul,
        LLVMUDiv => Op::UDiv,
        LLVMSDiv => Op::SDiv,
        LLVMURem => Op::URem,
        LLVMSRem => Op::SRem,
        LLVMAnd => Op::And,
        LLVMOr => Op::Or,
        LLVMXor => Op::Xor,
        LLVMShl => Op::Shl,
        LLVMLShr => Op::LShr,
        LLVMAShr => Op::AShr,
        LLVMFAdd => Op::FAdd,
        LLVMFSub => Op::FSub,
        LLVMFMul => Op::FMul,
        LLVMFDiv => Op::FDiv,
        LLVMFRem => Op::FRem,
        _ => return None,
    })
}

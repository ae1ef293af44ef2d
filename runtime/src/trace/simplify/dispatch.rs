//! From the numbers that instrumented code passes to the rule that builds the node.

use testwright_abi::expr::{Op, OpCode};

use super::super::arena::Arena;
use super::super::counters;
use super::super::term::{Term, ordered};
use super::super::word::Word;

impl Arena {
    /// `code(a, b)`, whose value in the run is `result`; handles 0 stand for the constants `x` and `y`.
    #[inline]
    pub(in super::super) fn binary<W: Word>(
        &mut self,
        code: u32,
        [a, b]: [u32; 2],
        [x, y]: [W; 2],
        result: W,
    ) -> u32 {
        // A region is entered if anything in it is symbolic; much of it is not.
        if a | b == 0 {
            return 0;
        }
        let (op, width, operand) = OpCode::unpack(code);
        let Some(op) = Op::from_number(op) else { return 0 };
        match op {
            Op::Sub => self.relate(b, a),
            Op::Ult | Op::Ule => self.relate(a, b),
            _ => {}
        }
        let [a, b] = if op == Op::Eq { [a, b] } else { [a, b].map(|handle| self.unless_pointer(handle)) };
        if op == Op::Concat {
            return self.joined(width, [a, b], [x, y], result);
        }
        let (x, y) = (self.given(a, x, operand), self.given(b, y, operand));
        if x.is_constant() && y.is_constant() {
            return 0;
        }
        let term = match op {
            Op::Add => self.add(x, y),
            Op::Sub => self.sub(x, y),
            Op::Mul => self.mul(x, y),
            Op::UDiv | Op::SDiv | Op::URem | Op::SRem => self.divide(op, x, y, result),
            Op::And => self.and(x, y),
            Op::Or => self.or(x, y),
            Op::Xor => self.xor(x, y),
            Op::Shl | Op::LShr | Op::AShr => self.shift(op, x, y),
            Op::Eq => self.eq(x, y),
            Op::Ult => self.ult(x, y),
            Op::Ule => self.ule(x, y),
            Op::Slt => self.slt(x, y),
            Op::Sle => self.sle(x, y),
            Op::SAddO | Op::UAddO | Op::SSubO | Op::USubO | Op::SMulO | Op::UMulO => {
                self.overflows(op, x, y, result)
            }
            Op::FEq | Op::FUno => {
                let (x, y) = ordered(x, y);
                self.two(op, width, x, y, result)
            }
            _ => self.two(op, width, x, y, result),
        };
        self.agreed(term, result)
    }

    /// As `binary`, for `Concat`, whose operands differ in width: a node knows its own.
    fn joined<W: Word>(&mut self, width: u16, [a, b]: [u32; 2], [x, y]: [W; 2], result: W) -> u32 {
        let high = if width > W::BITS {
            return 0;
        } else if a != 0 {
            self.node(a).width
        } else if b != 0 {
            width - self.node(b).width
        } else {
            return 0;
        };
        let (x, y) = (self.given(a, x, high), self.given(b, y, width - high));
        let term = self.concat(x, y);
        self.agreed(term, result)
    }

    /// `code(a)`, whose value in the run is `result`; `extra` is the low bit of an `Extract`.
    #[inline]
    pub(in super::super) fn unary<W: Word>(&mut self, code: u32, a: u32, extra: u32, result: W) -> u32 {
        if a == 0 {
            return 0;
        }
        let (op, width, operand) = OpCode::unpack(code);
        let Some(op) = Op::from_number(op) else { return 0 };
        let a = self.unless_pointer(a);
        let x = self.given(a, W::ZERO, operand);
        if x.is_constant() {
            return 0;
        }
        let term = match op {
            Op::Not => self.not(x),
            Op::ZExt => self.zext(x, width),
            Op::SExt => self.sext(x, width),
            Op::Extract => self.extract(x, extra as u16, width),
            Op::Bswap | Op::Bitreverse | Op::FNeg => match self.argument(x, op) {
                Some(inner) => inner,
                None => self.one(op, width, x, result),
            },
            Op::FAbs if self.argument(x, Op::FAbs).is_some() => x,
            Op::FAbs => {
                let inner = self.argument(x, Op::FNeg).unwrap_or(x);
                self.one(op, width, inner, result)
            }
            Op::FToS | Op::FToU if !is_conversion(op, x, width, result) => return 0,
            _ => self.one(op, width, x, result),
        };
        self.agreed(term, result)
    }

    /// `code(a, b, c)` for three operands of one width.
    pub(in super::super) fn ternary<W: Word>(
        &mut self,
        code: u32,
        handles: [u32; 3],
        values: [W; 3],
        result: W,
    ) -> u32 {
        let (op, _, operand) = OpCode::unpack(code);
        let Some(op) = Op::from_number(op) else { return 0 };
        let [x, y, z] = [0, 1, 2].map(|i| self.given(handles[i], values[i], operand));
        if [x, y, z].iter().all(|term| term.is_constant()) {
            return 0;
        }
        let term = self.three(op, x, y, z, result);
        self.agreed(term, result)
    }

    /// `condition ? a : b`, where the condition went `taken`.
    pub(in super::super) fn select<W: Word>(
        &mut self,
        width: u32,
        (condition, taken): (u32, u32),
        [a, b]: [u32; 2],
        [x, y]: [W; 2],
    ) -> u32 {
        if condition == 0 {
            return if taken == 0 { b } else { a };
        }
        let condition = self.given(condition, W::from(taken), 1);
        let [a, b] = [a, b].map(|handle| self.unless_pointer(handle));
        let (x, y) = (self.given(a, x, width as u16), self.given(b, y, width as u16));
        let term = self.ite(condition, x, y);
        self.agreed(term, if taken == 0 { y.value } else { x.value })
    }

    /// The operand that instrumented code names by `handle`, or by `value` if that is 0.
    #[inline]
    pub(in super::super) fn given<W: Word>(&self, handle: u32, value: W, width: u16) -> Term<W> {
        if handle == 0 {
            return Term::constant(value, width);
        }
        let node = self.node(handle);
        debug_assert_eq!(node.width, width, "an operand has another width than its operation");
        // An ill-typed expression would be worse than none.
        if node.width == width {
            Term::new(W::low(node.value), handle, width)
        } else {
            Term::constant(value, width)
        }
    }

    /// The handle of `term`, or 0 if it does not have the value that the machine computed: a shift
    /// by more than the width, another NaN. Such results are not defined, so none is predicted.
    #[inline]
    pub(in super::super) fn agreed<W: Word>(&self, term: Term<W>, result: W) -> u32 {
        let value = if term.is_constant() { term.value } else { W::low(self.node(term.handle()).value) };
        if value == result & W::mask(term.width()) {
            return term.handle();
        }
        counters::stale();
        0
    }
}

/// Whether `result` is `x`, a float, rounded to zero; outside the range of the integer it is anything.
fn is_conversion<W: Word>(op: Op, x: Term<W>, width: u16, result: W) -> bool {
    let (bits, result): (u128, u128) = (x.value.into(), (result & W::mask(width)).into());
    let float =
        if x.width() == 32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits as u64) };
    if float.is_nan() {
        return false;
    }
    // Conversions with `as` saturate, at limits that no result of fewer bits reaches.
    if op == Op::FToS {
        float as i128 == result.signed(width)
    } else {
        float > -1.0 && float as u128 == result
    }
}

//! Operations on integers, truth values and pieces of bits.

use testwright_abi::expr::Op;
use z3::ast::{BV, Bool};

use super::{Operation, bits};
use crate::term::{Term, literal};

impl Operation<'_> {
    /// The term of an integer operation, `None` if it is not one.
    pub(super) fn integer(&mut self) -> Option<Term> {
        if let Some(term) = self.logical().or_else(|| self.predicate()).or_else(|| self.division()) {
            return Some(term);
        }
        let binary: fn(&BV, &BV) -> BV = match self.expr.op {
            Op::Add => |x, y| x.bvadd(y),
            Op::Sub => |x, y| x.bvsub(y),
            Op::Mul => |x, y| x.bvmul(y),
            Op::And => |x, y| x.bvand(y),
            Op::Or => |x, y| x.bvor(y),
            Op::Xor => |x, y| x.bvxor(y),
            Op::Shl => |x, y| x.bvshl(y),
            Op::LShr => |x, y| x.bvlshr(y),
            Op::AShr => |x, y| x.bvashr(y),
            Op::Concat => |x, y| x.concat(y),
            _ => return self.unary(),
        };
        let (x, y) = (self.bits(0), self.bits(1));
        Some(self.bits_of(binary(&x, &y)))
    }

    fn unary(&mut self) -> Option<Term> {
        let width = self.expr.width();
        let result = match self.expr.op {
            Op::Not => self.bits(0).bvnot(),
            Op::ZExt | Op::SExt => return Some(self.extension()),
            Op::Extract => {
                let low = self.expr.low_bit().unwrap_or(0);
                self.bits(0).extract(low + width - 1, low)
            }
            Op::Ctpop => bits::count_ones(&self.bits(0), width),
            Op::Ctlz => bits::before_first_one(&self.bits(0), width, (0..width).rev()),
            Op::Cttz => bits::before_first_one(&self.bits(0), width, 0..width),
            Op::Bswap => bits::reverse(&self.bits(0), width, 8),
            Op::Bitreverse => bits::reverse(&self.bits(0), width, 1),
            _ => return None,
        };
        Some(self.bits_of(result))
    }

    /// Operations on truth values.
    fn logical(&mut self) -> Option<Term> {
        if self.operands.last()?.width() != 1 {
            return None;
        }
        let binary: fn(&Bool, Bool) -> Bool = match self.expr.op {
            Op::And => |p, q| Bool::and(&[p.clone(), q]),
            Op::Or => |p, q| Bool::or(&[p.clone(), q]),
            Op::Xor => |p, q| p.xor(q),
            Op::Eq => |p, q| p.eq(q),
            Op::Not => return Some(self.boolean(0).not().into()),
            _ => return None,
        };
        Some(binary(&self.boolean(0), self.boolean(1)).into())
    }

    /// Comparisons, and whether an operation overflows.
    fn predicate(&mut self) -> Option<Term> {
        let predicate: fn(&BV, &BV) -> Bool = match self.expr.op {
            Op::Eq => |x, y| x.eq(y),
            Op::Ult | Op::USubO => |x, y| x.bvult(y),
            Op::Ule => |x, y| x.bvule(y),
            Op::Slt => |x, y| x.bvslt(y),
            Op::Sle => |x, y| x.bvsle(y),
            Op::UAddO => |x, y| x.bvadd(y).bvult(x),
            // One more bit holds every sum and difference: it fits if both top bits are the sign.
            Op::SAddO => |x, y| bits::tops_differ(&x.sign_ext(1).bvadd(y.sign_ext(1))),
            Op::SSubO => |x, y| bits::tops_differ(&x.sign_ext(1).bvsub(y.sign_ext(1))),
            Op::SMulO => bits::signed_product_overflows,
            Op::UMulO => |x, y| x.bvmul_no_overflow(y, false).not(),
            _ => return None,
        };
        let (x, y) = (self.bits(0), self.bits(1));
        Some(predicate(&x, &y).into())
    }

    /// Divisions, with the condition that the machine raises no exception; without it Z3 has a value of its
    /// own for them.
    fn division(&mut self) -> Option<Term> {
        let divide: fn(&BV, &BV) -> BV = match self.expr.op {
            Op::UDiv => |x, y| x.bvudiv(y),
            Op::URem => |x, y| x.bvurem(y),
            Op::SDiv => |x, y| x.bvsdiv(y),
            Op::SRem => |x, y| x.bvsrem(y),
            _ => return None,
        };
        let (x, y) = (self.bits(0), self.bits(1));
        let width = self.expr.width();
        self.conditions.push(y.eq(literal(width, 0)).not());
        if matches!(self.expr.op, Op::SDiv | Op::SRem) && matches!(width, 32 | 64) {
            let is_smallest = x.eq(literal(width, 1 << (width - 1)));
            let is_minus_one = y.eq(literal(width, u128::MAX >> (128 - width)));
            self.conditions.push(Bool::and(&[is_smallest, is_minus_one]).not());
        }
        Some(self.bits_of(divide(&x, &y)))
    }

    fn extension(&mut self) -> Term {
        let width = self.expr.width();
        let is_signed = self.expr.op == Op::SExt;
        let result = if self.operand_width(0) == 1 {
            let ones = if is_signed { u128::MAX >> (128 - width) } else { 1 };
            self.boolean(0).ite(&literal(width, ones), &literal(width, 0))
        } else {
            let more = width - self.operand_width(0);
            let bits = self.bits(0);
            if is_signed { bits.sign_ext(more) } else { bits.zero_ext(more) }
        };
        self.bits_of(result)
    }
}

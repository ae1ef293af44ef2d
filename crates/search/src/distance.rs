//! Distance of a truth value: how far a recorded predicate was from being what is wanted.
//!
//! 0 if it is already so, otherwise by the table of METHODS.md 1 with K = 1: for `a == b` the difference, for `a < b`
//! the excess plus K, and so on. The values are those of the run; differences are taken on 128 bits and cannot
//! wrap. `and` needs the sum of both distances, `or` the smaller one. What has no better measure is K away.

use testwright_abi::expr::Op;
use testwright_base::site::sign_extend;
use testwright_logic::expr::{Expr, ExprId, Exprs};

/// Added when a strict predicate is false.
const K: f64 = 1.0;

/// The distance to anything that involves NaN, and the largest that is given.
pub const FARTHEST: f64 = 1e300;

/// How deep connectives are looked into; below, a predicate is true or K away.
const MAX_DEPTH: u32 = 40;

/// How far the 1-bit expression was from being `wanted`.
#[must_use]
pub fn distance(exprs: &Exprs, id: ExprId, wanted: bool) -> f64 {
    Measure { exprs, budget: 256 }.of(id, wanted, 0)
}

/// How far a value of `width` bits was from another one.
#[must_use]
pub fn difference(a: u128, b: u128, width: u32) -> f64 {
    // An equality does not say how its operands are read; small numbers of either sign are the usual ones.
    sign_extend(a, width).abs_diff(sign_extend(b, width)) as f64
}

struct Measure<'a> {
    exprs: &'a Exprs,
    /// Shared parts are looked at once per use, so their number is bounded too.
    budget: u32,
}

impl Measure<'_> {
    fn of(&mut self, id: ExprId, wanted: bool, depth: u32) -> f64 {
        let expr = self.exprs.get(id);
        if (expr.value == 1) == wanted {
            return 0.0;
        }
        if depth > MAX_DEPTH || self.budget == 0 {
            return K;
        }
        self.budget -= 1;
        let operands: Vec<ExprId> = expr.operands().collect();
        match (expr.op, operands.as_slice()) {
            (Op::Not, [a]) => self.of(*a, !wanted, depth + 1),
            (Op::And, [a, b]) => self.connective(*a, *b, wanted, wanted, depth),
            (Op::Or, [a, b]) => self.connective(*a, *b, wanted, !wanted, depth),
            (Op::Xor, [a, b]) => self.differing(*a, *b, depth),
            (Op::Eq, [a, b]) => self.equal(*a, *b, wanted, depth),
            (Op::Ite, [c, a, b]) => self.choice(*c, *a, *b, wanted, depth),
            (_, [a, b]) => predicate(expr, self.exprs.get(*a), self.exprs.get(*b), wanted),
            _ => K,
        }
    }

    /// Both operands are to be `wanted`, or one of them suffices.
    fn connective(&mut self, a: ExprId, b: ExprId, wanted: bool, both: bool, depth: u32) -> f64 {
        let (a, b) = (self.of(a, wanted, depth + 1), self.of(b, wanted, depth + 1));
        if both { a + b } else { a.min(b) }
    }

    /// 1-bit operands are to differ, or to agree: changing either of them does it.
    fn differing(&mut self, a: ExprId, b: ExprId, depth: u32) -> f64 {
        let (x, y) = (self.exprs.get(a).value == 1, self.exprs.get(b).value == 1);
        self.of(a, !x, depth + 1).min(self.of(b, !y, depth + 1))
    }

    fn equal(&mut self, a: ExprId, b: ExprId, wanted: bool, depth: u32) -> f64 {
        let (x, y) = (self.exprs.get(a), self.exprs.get(b));
        if x.width() == 1 {
            return self.differing(a, b, depth);
        }
        // `flag != 0` where the flag is a widened predicate: the predicate itself is what matters.
        for (side, other) in [(x, y), (y, x)] {
            let inner = side.operands().next().filter(|_| matches!(side.op, Op::ZExt | Op::SExt));
            let Some(inner) = inner.filter(|inner| self.exprs.get(*inner).width() == 1) else { continue };
            let is_true = if side.op == Op::ZExt { 1 } else { u128::MAX >> (128 - side.width()) };
            if other.op == Op::Const && (other.value == 0 || other.value == is_true) {
                return self.of(inner, (other.value != 0) == wanted, depth + 1);
            }
        }
        if wanted { difference(x.value, y.value, x.width()) } else { K }
    }

    /// The value of `c ? a : b`: either the chosen side changes, or the choice and what it then yields.
    fn choice(&mut self, c: ExprId, a: ExprId, b: ExprId, wanted: bool, depth: u32) -> f64 {
        let mut side = |chosen: ExprId, condition: bool| {
            self.of(c, condition, depth + 1) + self.of(chosen, wanted, depth + 1)
        };
        side(a, true).min(side(b, false))
    }
}

/// A predicate over numbers that is not what is wanted.
fn predicate(expr: &Expr, a: &Expr, b: &Expr, wanted: bool) -> f64 {
    let width = a.width();
    let unsigned = |excess: fn(u128, u128) -> u128| excess(a.value, b.value) as f64;
    let signed = || sign_extend(a.value, width).abs_diff(sign_extend(b.value, width)) as f64;
    match expr.op {
        // Not `a < b`, so `b <= a`; wanted the other way, `a < b` holds and has to end.
        Op::Ult => unsigned(u128::abs_diff) + if wanted { K } else { 0.0 },
        Op::Ule => unsigned(u128::abs_diff) + if wanted { 0.0 } else { K },
        Op::Slt => signed() + if wanted { K } else { 0.0 },
        Op::Sle => signed() + if wanted { 0.0 } else { K },
        Op::FEq | Op::FLt | Op::FLe => float(expr.op, number(a), number(b), wanted),
        _ => overflow(expr.op, a, b, wanted).unwrap_or(K),
    }
}

fn float(op: Op, a: f64, b: f64, wanted: bool) -> f64 {
    if a.is_nan() || b.is_nan() {
        return FARTHEST;
    }
    if op == Op::FEq && !wanted {
        return K;
    }
    let strict = (op == Op::FLt) == wanted && op != Op::FEq;
    // Infinities of one sign are equal, and their difference is no number.
    let gap = if a == b { 0.0 } else { (a - b).abs() };
    (gap + if strict { K } else { 0.0 }).min(FARTHEST)
}

fn number(expr: &Expr) -> f64 {
    match expr.width() {
        32 => f64::from(f32::from_bits(expr.value as u32)),
        _ => f64::from_bits(expr.value as u64),
    }
}

/// How far an operation on up to 64 bits was from leaving its range, or from returning to it.
fn overflow(op: Op, a: &Expr, b: &Expr, wanted: bool) -> Option<f64> {
    let width = a.width();
    if width > 64 {
        return None;
    }
    let signed = matches!(op, Op::SAddO | Op::SSubO | Op::SMulO);
    let read = |expr: &Expr| if signed { sign_extend(expr.value, width) } else { expr.value as i128 };
    let (a, b) = (read(a), read(b));
    let exact = match op {
        Op::SAddO | Op::UAddO => a + b,
        Op::SSubO | Op::USubO => a - b,
        Op::SMulO => a * b,
        Op::UMulO => (a as u128)
            .checked_mul(b as u128)
            .map_or(i128::MAX, |product| product.min(i128::MAX as u128) as i128),
        _ => return None,
    };
    let bits = if signed { width - 1 } else { width };
    let (low, high) = (if signed { -(1i128 << bits) } else { 0 }, (1i128 << bits) - 1);
    let inside = (low..=high).contains(&exact);
    Some(match (inside, wanted) {
        (true, true) => high.abs_diff(exact).min(exact.abs_diff(low)) as f64 + K,
        (false, false) => exact.abs_diff(if exact > high { high } else { low }) as f64,
        _ => K,
    })
}

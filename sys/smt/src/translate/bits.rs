//! Operations that Z3 lacks, made of bits.

use z3::ast::{BV, Bool};

use crate::term::literal;

/// Whether the two highest bits differ.
pub(super) fn tops_differ(x: &BV) -> Bool {
    let top = x.get_size() - 1;
    x.extract(top, top).eq(x.extract(top - 1, top - 1)).not()
}

/// Whether the product of signed numbers overflows.
pub(super) fn signed_product_overflows(x: &BV, y: &BV) -> Bool {
    Bool::and(&[x.bvmul_no_overflow(y, true), x.bvmul_no_underflow(y)]).not()
}

/// The number of ones: neighbouring fields are added, then pairs of fields, and so on.
pub(super) fn count_ones(x: &BV, width: u32) -> BV {
    let mut sums: Vec<BV> = (0..width).map(|bit| x.extract(bit, bit)).collect();
    let mut size = 1;
    while sums.len() > 1 {
        // Fields grow with what they hold, so that the adders are as narrow as can be.
        size += 1;
        sums = sums.chunks(2).map(|pair| sum(pair, size)).collect();
    }
    let sum = sums.swap_remove(0);
    match width.checked_sub(size) {
        Some(more) => sum.zero_ext(more),
        None => sum.extract(width - 1, 0),
    }
}

fn sum(terms: &[BV], size: u32) -> BV {
    let widen = |term: &BV| term.zero_ext(size - term.get_size());
    match terms {
        [x, y] => widen(x).bvadd(widen(y)),
        _ => widen(&terms[0]),
    }
}

/// How many of `bits` come before the first one that is set; all of them if none is.
pub(super) fn before_first_one(x: &BV, width: u32, bits: impl Iterator<Item = u32>) -> BV {
    let one = BV::from_u64(1, 1);
    let counted: Vec<(u128, u32)> = (0..).zip(bits).collect();
    let all = literal(width, counted.len() as u128);
    counted
        .into_iter()
        .rev()
        .fold(all, |rest, (count, bit)| x.extract(bit, bit).eq(&one).ite(&literal(width, count), &rest))
}

/// The pieces of `x` in reverse order.
pub(super) fn reverse(x: &BV, width: u32, piece: u32) -> BV {
    let pieces = (0..width).step_by(piece as usize).map(|low| x.extract(low + piece - 1, low));
    pieces.reduce(|high, low| high.concat(low)).expect("at least one piece")
}

//! Reads from constant tables.

use z3::ast::{BV, Bool};

use super::Operation;
use crate::term::{Term, literal};

impl Operation<'_> {
    /// What stands at a symbolic offset, with the condition that the read stays inside the table.
    ///
    /// A tree of choices, one bit of the offset per level: no comparisons, and equal halves become one.
    pub(super) fn table(&mut self) -> Term {
        let width = self.expr.width();
        let bytes = &self.exprs.tables()[self.expr.table().unwrap_or(0)].bytes;
        let entries: Vec<u128> = bytes.windows(width as usize / 8).map(little_endian).collect();
        let last = entries.len() - 1;
        let offset = self.bits(0);
        self.conditions.push(offset.bvule(literal(64, last as u128)));
        let levels = usize::BITS - last.leading_zeros();
        let bits: Vec<Bool> =
            (0..levels).map(|bit| offset.extract(bit, bit).eq(BV::from_u64(1, 1))).collect();
        self.bits_of(choose(&entries, &bits, width))
    }
}

/// The entry whose number `bits` spell, lowest bit first. Beyond the end it does not matter which.
fn choose(entries: &[u128], bits: &[Bool], width: u32) -> BV {
    let first = entries[0];
    let (Some((top, below)), false) = (bits.split_last(), entries.iter().all(|&entry| entry == first)) else {
        return literal(width, first);
    };
    let half = 1 << below.len();
    if entries.len() <= half {
        return choose(entries, below, width);
    }
    let (low, high) = entries.split_at(half);
    if low == high {
        return choose(low, below, width);
    }
    top.ite(&choose(high, below, width), &choose(low, below, width))
}

fn little_endian(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte))
}

//! The operands that an integer operation would need to give another result.

use testwright_abi::expr::Op;

use crate::expr::mask;
use crate::solve::distance::signed;
use crate::solve::machine::Machine;
use crate::solve::program::Place;

/// An operand and the value it should have; only the bits of its width count.
type Operand = (usize, u128);

/// Values for one operand that give `wanted`; none for operations that are not about integers.
pub(super) fn operands(machine: &Machine, place: &Place, wanted: u128) -> Vec<Operand> {
    let operand = |which: usize| match which < usize::from(place.arity) {
        true => machine.value(place.operand(which)).unwrap_or(0),
        false => 0,
    };
    let (x, y) = (operand(0), operand(1));
    let width = place.expr.width();
    let narrow = if place.arity > 0 { machine.program.width(place.operand(0)) } else { width };
    match place.expr.op {
        Op::Add => vec![(0, wanted.wrapping_sub(y)), (1, wanted.wrapping_sub(x))],
        Op::Sub => vec![(0, wanted.wrapping_add(y)), (1, x.wrapping_sub(wanted))],
        Op::Mul => {
            let mut operands = factor(width, wanted, y).map(|value| (0, value)).collect::<Vec<_>>();
            operands.extend(factor(width, wanted, x).map(|value| (1, value)));
            operands
        }
        Op::UDiv => {
            let mut operands =
                vec![(0, wanted.wrapping_mul(y)), (0, wanted.wrapping_mul(y).wrapping_add(x % y.max(1)))];
            operands.extend(x.checked_div(wanted).map(|divisor| (1, divisor)));
            operands
        }
        Op::SDiv => {
            let (x, y, wanted) = (signed(width, x), signed(width, y), signed(width, wanted));
            let product = wanted.wrapping_mul(y);
            let rest = if y == 0 { 0 } else { x.wrapping_rem(y) };
            let mut operands = vec![(0, product as u128), (0, product.wrapping_add(rest) as u128)];
            operands.extend(x.checked_div(wanted).map(|divisor| (1, divisor as u128)));
            operands
        }
        Op::URem => remainders(x, x.checked_rem(y).unwrap_or(0), y, wanted),
        Op::SRem => {
            let (signed_x, signed_y) = (signed(width, x), signed(width, y));
            remainders(x, signed_x.checked_rem(signed_y).unwrap_or(0) as u128, y, wanted)
        }
        Op::And => vec![(0, x & !y | wanted), (1, y & !x | wanted), (0, wanted), (1, wanted)],
        Op::Or => vec![
            (0, x & y & wanted | wanted & !y),
            (1, x & y & wanted | wanted & !x),
            (0, wanted),
            (1, wanted),
        ],
        Op::Xor => vec![(0, wanted ^ y), (1, wanted ^ x)],
        Op::Shl | Op::LShr | Op::AShr => shifts(place.expr.op, width, [x, y], wanted),
        Op::Not => vec![(0, !wanted)],
        Op::ZExt if wanted <= mask(narrow) => vec![(0, wanted)],
        Op::SExt if signed(narrow, wanted) as u128 & mask(width) == wanted => vec![(0, wanted)],
        Op::Extract => {
            let low = place.expr.low_bit().unwrap_or(0);
            let inserted = x & !(mask(width) << low) | wanted << low;
            // The number itself is often what the wider operand should be, if that was extended before.
            vec![(0, inserted), (0, wanted << low), (0, (signed(width, wanted) << low) as u128)]
        }
        Op::Ctpop if wanted <= u128::from(width) => {
            vec![(0, if wanted == 0 { 0 } else { mask(wanted as u32) })]
        }
        Op::Ctlz if wanted < u128::from(width) => vec![(0, 1 << (u128::from(width) - 1 - wanted))],
        Op::Cttz if wanted < u128::from(width) => vec![(0, 1 << wanted)],
        Op::Ctlz | Op::Cttz => vec![(0, 0)],
        Op::Bswap => vec![(0, wanted.swap_bytes() >> (128 - width))],
        Op::Bitreverse => vec![(0, wanted.reverse_bits() >> (128 - width))],
        _ => vec![],
    }
}

/// Numbers whose product with `other` is `wanted`, or nearly so.
fn factor(width: u32, wanted: u128, other: u128) -> impl Iterator<Item = u128> {
    let mut factors = vec![];
    if other & 1 == 1 {
        factors.push(wanted.wrapping_mul(inverse(other)));
    } else if other != 0 {
        // A power of two times an odd number: only multiples of the power are products.
        let twos = other.trailing_zeros();
        factors.push((wanted >> twos).wrapping_mul(inverse(other >> twos)));
    }
    let other = signed(width, other);
    factors.extend(signed(width, wanted).checked_div(other).map(|quotient| quotient as u128));
    factors.into_iter()
}

/// The inverse of an odd number modulo 2^128, hence modulo every smaller power: each step of Newton's doubles
/// the number of right bits, and an odd number is its own inverse modulo 8.
fn inverse(odd: u128) -> u128 {
    (0..6).fold(odd, |inverse, _| inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse))))
}

/// The nearest dividends that leave `wanted`.
fn remainders(x: u128, rest: u128, y: u128, wanted: u128) -> Vec<Operand> {
    let base = x.wrapping_sub(rest).wrapping_add(wanted);
    vec![
        (0, base),
        (0, base.wrapping_sub(y)),
        (0, base.wrapping_add(y)),
        (0, wanted),
        (1, x.wrapping_sub(wanted)),
    ]
}

/// Bits that a shift pushes out stay as they are.
fn shifts(op: Op, width: u32, [x, y]: [u128; 2], wanted: u128) -> Vec<Operand> {
    if y >= u128::from(width) {
        return vec![(1, 0), (1, 1)];
    }
    let amount = y as u32;
    let mut operands = match op {
        Op::Shl => vec![(0, wanted >> amount | x & !(mask(width) >> amount)), (0, wanted >> amount)],
        _ => {
            let lost = if amount == 0 { 0 } else { x & mask(amount) };
            vec![(0, wanted << amount | lost), (0, wanted << amount)]
        }
    };
    // Another amount: the one that brings the highest bit where it is wanted.
    if x != 0 && wanted != 0 {
        let (from, to) = (x.leading_zeros(), wanted.leading_zeros());
        let amount = if op == Op::Shl { from.checked_sub(to) } else { to.checked_sub(from) };
        operands.extend(amount.map(|amount| (1, u128::from(amount))));
    }
    operands
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn odd_numbers_have_inverses(number in any::<u128>()) {
            let odd = number | 1;
            prop_assert_eq!(odd.wrapping_mul(inverse(odd)), 1);
        }
    }
}

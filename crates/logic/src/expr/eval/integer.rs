//! Integer operations on any width, computed in 128 bits.

use testwright_abi::expr::Op;

use super::Fault;
use crate::expr::mask;

/// The value of an integer operation on operands of `width` bits; bits above the result's width are to be cut
/// off. `None` if `op` is not one.
pub(super) fn compute(op: Op, width: u32, [x, y]: [u128; 2]) -> Result<Option<u128>, Fault> {
    let (signed_x, signed_y) = (signed(width, x), signed(width, y));
    Ok(Some(match op {
        Op::Add => x.wrapping_add(y),
        Op::Sub => x.wrapping_sub(y),
        Op::Mul => x.wrapping_mul(y),
        Op::UDiv => x.checked_div(y).ok_or(Fault::DivisionByZero)?,
        Op::URem => x.checked_rem(y).ok_or(Fault::DivisionByZero)?,
        Op::SDiv => {
            check_signed_division(width, x, y)?;
            signed_x.wrapping_div(signed_y) as u128
        }
        Op::SRem => {
            check_signed_division(width, x, y)?;
            signed_x.wrapping_rem(signed_y) as u128
        }
        Op::And => x & y,
        Op::Or => x | y,
        Op::Xor => x ^ y,
        Op::Shl if y < u128::from(width) => x << y,
        Op::LShr if y < u128::from(width) => x >> y,
        Op::Shl | Op::LShr => 0,
        Op::AShr => (signed_x >> y.min(127)) as u128,
        Op::Eq => u128::from(x == y),
        Op::Ult => u128::from(x < y),
        Op::Ule => u128::from(x <= y),
        Op::Slt => u128::from(signed_x < signed_y),
        Op::Sle => u128::from(signed_x <= signed_y),
        Op::Not => !x,
        Op::ZExt => x,
        Op::SExt => signed_x as u128,
        Op::Ctpop => u128::from(x.count_ones()),
        Op::Ctlz => u128::from(x.leading_zeros() - (128 - width)),
        Op::Cttz => u128::from(x.trailing_zeros().min(width)),
        Op::Bswap => x.swap_bytes() >> (128 - width),
        Op::Bitreverse => x.reverse_bits() >> (128 - width),
        Op::SAddO => u128::from(!fits_signed(width, signed_x.checked_add(signed_y))),
        Op::SSubO => u128::from(!fits_signed(width, signed_x.checked_sub(signed_y))),
        Op::SMulO => u128::from(!fits_signed(width, signed_x.checked_mul(signed_y))),
        Op::UAddO => u128::from(!fits(width, x.checked_add(y))),
        Op::USubO => u128::from(x < y),
        Op::UMulO => u128::from(!fits(width, x.checked_mul(y))),
        _ => return Ok(None),
    }))
}

/// The `width` bits of `x` as a signed number.
pub(super) fn signed(width: u32, x: u128) -> i128 {
    (x << (128 - width)) as i128 >> (128 - width)
}

fn check_signed_division(width: u32, x: u128, y: u128) -> Result<(), Fault> {
    let overflows = x == 1 << (width - 1) && y == mask(width);
    match y {
        0 => Err(Fault::DivisionByZero),
        _ if overflows && matches!(width, 32 | 64) => Err(Fault::DivisionOverflow),
        _ => Ok(()),
    }
}

fn fits(width: u32, result: Option<u128>) -> bool {
    result.is_some_and(|result| result <= mask(width))
}

fn fits_signed(width: u32, result: Option<i128>) -> bool {
    result.is_some_and(|result| signed(width, result as u128) == result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What `op` gives after its result is cut to `width` bits.
    fn value(op: Op, operand: u32, width: u32, x: u128, y: u128) -> u128 {
        compute(op, operand, [x, y]).unwrap().expect("an integer operation") & mask(width)
    }

    /// Numbers near zero and near the ends of their range are drawn more often than chance would.
    fn any_number() -> impl Strategy<Value = u128> {
        let edge = (0u32..128, any::<bool>(), 0u128..3).prop_map(|(bit, minus, offset)| {
            if minus { (1 << bit) - offset.min(1 << bit) } else { (1 << bit) + offset }
        });
        prop_oneof![any::<u128>(), edge, 0u128..4, (0u128..4).prop_map(|small| u128::MAX - small)]
    }

    macro_rules! agrees_with {
        ($test:ident, $unsigned:ident, $signed:ident) => {
            proptest! {
                #[test]
                fn $test(x in any_number(), y in any_number()) {
                    let (ux, uy) = (x as $unsigned, y as $unsigned);
                    let (sx, sy) = (ux as $signed, uy as $signed);
                    let (x, y) = (ux as u128, uy as u128);
                    let width = <$unsigned>::BITS;
                    let same = |op: Op, expected: $unsigned| {
                        assert_eq!(value(op, width, width, x, y), expected as u128, "{op:?} {x:#x} {y:#x}");
                    };
                    let bit = |op: Op, expected: bool| {
                        assert_eq!(value(op, width, 1, x, y), expected as u128, "{op:?} {x:#x} {y:#x}");
                    };
                    same(Op::Add, ux.wrapping_add(uy));
                    same(Op::Sub, ux.wrapping_sub(uy));
                    same(Op::Mul, ux.wrapping_mul(uy));
                    if uy != 0 {
                        same(Op::UDiv, ux / uy);
                        same(Op::URem, ux % uy);
                    }
                    if uy != 0 && !(sx == <$signed>::MIN && sy == -1) {
                        same(Op::SDiv, (sx / sy) as $unsigned);
                        same(Op::SRem, (sx % sy) as $unsigned);
                    }
                    same(Op::And, ux & uy);
                    same(Op::Or, ux | uy);
                    same(Op::Xor, ux ^ uy);
                    let amount = u32::try_from(y).unwrap_or(u32::MAX);
                    same(Op::Shl, ux.checked_shl(amount).unwrap_or(0));
                    same(Op::LShr, ux.checked_shr(amount).unwrap_or(0));
                    let sign = if sx < 0 { -1 } else { 0 };
                    same(Op::AShr, sx.checked_shr(amount).unwrap_or(sign) as $unsigned);
                    // Amounts that a random number of many bits never gives.
                    let amount = amount % (width + 2);
                    let shift = |op| value(op, width, width, x, u128::from(amount) & mask(width));
                    if u128::from(amount) <= mask(width) {
                        prop_assert_eq!(shift(Op::Shl), ux.checked_shl(amount).unwrap_or(0) as u128);
                        prop_assert_eq!(shift(Op::LShr), ux.checked_shr(amount).unwrap_or(0) as u128);
                    }
                    bit(Op::Eq, ux == uy);
                    bit(Op::Ult, ux < uy);
                    bit(Op::Ule, ux <= uy);
                    bit(Op::Slt, sx < sy);
                    bit(Op::Sle, sx <= sy);
                    same(Op::Not, !ux);
                    same(Op::Ctpop, ux.count_ones() as $unsigned);
                    same(Op::Ctlz, ux.leading_zeros() as $unsigned);
                    same(Op::Cttz, ux.trailing_zeros() as $unsigned);
                    same(Op::Bswap, ux.swap_bytes());
                    same(Op::Bitreverse, ux.reverse_bits());
                    bit(Op::SAddO, sx.checked_add(sy).is_none());
                    bit(Op::UAddO, ux.checked_add(uy).is_none());
                    bit(Op::SSubO, sx.checked_sub(sy).is_none());
                    bit(Op::USubO, ux.checked_sub(uy).is_none());
                    bit(Op::SMulO, sx.checked_mul(sy).is_none());
                    bit(Op::UMulO, ux.checked_mul(uy).is_none());
                    prop_assert_eq!(value(Op::ZExt, width, 128, x, 0), x);
                    prop_assert_eq!(value(Op::SExt, width, 128, x, 0), sx as i128 as u128);
                }
            }
        };
    }

    agrees_with!(operations_on_8_bits_are_those_of_u8, u8, i8);
    agrees_with!(operations_on_16_bits_are_those_of_u16, u16, i16);
    agrees_with!(operations_on_32_bits_are_those_of_u32, u32, i32);
    agrees_with!(operations_on_64_bits_are_those_of_u64, u64, i64);
    agrees_with!(operations_on_128_bits_are_those_of_u128, u128, i128);

    /// On one bit there are four cases, and the signed numbers are 0 and -1.
    #[test]
    fn operations_on_one_bit_are_logic() {
        for (x, y) in [(0u128, 0u128), (0, 1), (1, 0), (1, 1)] {
            let bit = |op: Op| value(op, 1, 1, x, y) == 1;
            let (p, q) = (x == 1, y == 1);
            let expectations = [
                (Op::Add, p != q),
                (Op::Sub, p != q),
                (Op::Mul, p && q),
                (Op::And, p && q),
                (Op::Or, p || q),
                (Op::Xor, p != q),
                (Op::Shl, p && !q),
                (Op::LShr, p && !q),
                (Op::AShr, p),
                (Op::Eq, p == q),
                (Op::Ult, !p && q),
                (Op::Ule, !p || q),
                (Op::Slt, p && !q),
                (Op::Sle, p || !q),
                (Op::Not, !p),
                (Op::Ctpop, p),
                (Op::Ctlz, !p),
                (Op::Cttz, !p),
                (Op::Bitreverse, p),
                (Op::SAddO, p && q),
                (Op::UAddO, p && q),
                (Op::SSubO, !p && q),
                (Op::USubO, !p && q),
                (Op::SMulO, p && q),
                (Op::UMulO, false),
            ];
            for (op, expected) in expectations {
                assert_eq!(bit(op), expected, "{op:?} {x} {y}");
            }
            if q {
                assert_eq!((bit(Op::UDiv), bit(Op::URem), bit(Op::SRem)), (p, false, false));
            }
        }
    }

    proptest! {
        /// Odd widths have no Rust type; here they are tied to 128 bits by what the operations mean.
        #[test]
        fn odd_widths_follow_from_wider_arithmetic(width in 1u32..128, x in any_number(), y in any_number()) {
            let (x, y) = (x & mask(width), y & mask(width));
            let (sx, sy) = (signed(width, x), signed(width, y));
            prop_assert_eq!(sx as u128 & mask(width), x);
            let half = 1i128 << (width - 1);
            prop_assert!((-half..=half - 1).contains(&sx));
            prop_assert_eq!(value(Op::Slt, width, 1, x, y) == 1, sx < sy);
            let is_zero = |bit: &u32| x >> bit & 1 == 0;
            let leading = (0..width).rev().take_while(is_zero).count() as u128;
            prop_assert_eq!(value(Op::Ctlz, width, 128, x, 0), leading);
            let trailing = (0..width).take_while(is_zero).count() as u128;
            prop_assert_eq!(value(Op::Cttz, width, 128, x, 0), trailing);
            let reversed = (0..width).fold(0, |sum, bit| sum << 1 | (x >> bit & 1));
            prop_assert_eq!(value(Op::Bitreverse, width, width, x, 0), reversed);
            let overflows = sx.checked_add(sy).is_none_or(|sum| !(-half..=half - 1).contains(&sum));
            prop_assert_eq!(value(Op::SAddO, width, 1, x, y) == 1, overflows);
        }
    }
}

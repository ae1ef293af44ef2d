//! IEEE 754 operations on single and double, given and returned as bits.
//!
//! Rounding is to nearest, ties to even. Conversion to an integer that cannot hold the number is undefined in
//! C and LLVM; here it gives what the x86-64 instructions give that LLVM selects for it: `cvttsd2si` answers
//! the smallest signed number of its 32 or 64 bits ("integer indefinite") to NaN and to everything out of its
//! range. Narrower results are the low bits of a 32-bit conversion, unsigned 32 bits those of a 64-bit one;
//! 128 bits, a library call, saturate.

use testwright_abi::expr::Op;

use super::integer::signed;

/// The value of a floating-point operation; `operand` is the width of its operands. `None` if `op` is not
/// one.
pub(super) fn compute(op: Op, width: u32, operand: u32, [x, y, z]: [u128; 3]) -> Option<u128> {
    match op {
        Op::SToF => return Some(from_integer(width, signed(operand, x) as f64, signed(operand, x) as f32)),
        Op::UToF => return Some(from_integer(width, x as f64, x as f32)),
        _ => {}
    }
    if operand == 32 {
        let [x, y, z] = [x, y, z].map(|bits| f32::from_bits(bits as u32));
        match single(op, x, y, z)? {
            Outcome::Float(value) => Some(u128::from(value.to_bits())),
            Outcome::Bit(bit) => Some(u128::from(bit)),
            // Every single is a double, so its conversions are those of the double.
            Outcome::Convert => convert(op, width, f64::from(x)),
        }
    } else {
        let [x, y, z] = [x, y, z].map(|bits| f64::from_bits(bits as u64));
        match double(op, x, y, z)? {
            Outcome::Float(value) => Some(u128::from(value.to_bits())),
            Outcome::Bit(bit) => Some(u128::from(bit)),
            Outcome::Convert => convert(op, width, x),
        }
    }
}

/// What an operation on floats of type `F` gives.
enum Outcome<F> {
    Float(F),
    Bit(bool),
    Convert,
}

macro_rules! arithmetic {
    ($name:ident, $float:ident) => {
        fn $name(op: Op, x: $float, y: $float, z: $float) -> Option<Outcome<$float>> {
            let float = match op {
                Op::FAdd => x + y,
                Op::FSub => x - y,
                Op::FMul => x * y,
                Op::FDiv => x / y,
                Op::FRem => x % y,
                Op::FNeg => -x,
                Op::FAbs => x.abs(),
                Op::FSqrt => x.sqrt(),
                Op::FFma => x.mul_add(y, z),
                Op::FFloor => x.floor(),
                Op::FCeil => x.ceil(),
                Op::FTrunc => x.trunc(),
                Op::FRint => x.round_ties_even(),
                Op::FRound => x.round(),
                Op::FCopysign => x.copysign(y),
                Op::FEq => return Some(Outcome::Bit(x == y)),
                Op::FLt => return Some(Outcome::Bit(x < y)),
                Op::FLe => return Some(Outcome::Bit(x <= y)),
                Op::FUno => return Some(Outcome::Bit(x.is_nan() || y.is_nan())),
                Op::FToS | Op::FToU | Op::FToF => return Some(Outcome::Convert),
                _ => return None,
            };
            Some(Outcome::Float(float))
        }
    };
}

arithmetic!(single, f32);
arithmetic!(double, f64);

/// Whether the bits of a float of this width are a NaN.
pub(crate) fn is_nan(width: u32, bits: u128) -> bool {
    match width {
        32 => f32::from_bits(bits as u32).is_nan(),
        64 => f64::from_bits(bits as u64).is_nan(),
        _ => false,
    }
}

/// Both conversions are given, because rounding to double first would round twice.
fn from_integer(width: u32, double: f64, single: f32) -> u128 {
    if width == 32 { u128::from(single.to_bits()) } else { u128::from(double.to_bits()) }
}

fn convert(op: Op, width: u32, x: f64) -> Option<u128> {
    match (op, width) {
        (Op::FToF, 32) => Some(u128::from((x as f32).to_bits())),
        (Op::FToF, _) => Some(u128::from(x.to_bits())),
        (Op::FToS, 65..) => Some(x as i128 as u128),
        (Op::FToU, 65..) => Some(x as u128),
        (Op::FToS, 33..) | (Op::FToU, 32) => Some(convert_64(x) as u128),
        (Op::FToU, 33..) => Some(u128::from(convert_unsigned_64(x))),
        (Op::FToS | Op::FToU, _) => Some(convert_32(x) as u128),
        _ => None,
    }
}

/// `cvttsd2si` with a 32-bit target.
fn convert_32(x: f64) -> i32 {
    let inside = x.trunc() >= f64::from(i32::MIN) && x.trunc() <= f64::from(i32::MAX);
    if inside { x as i32 } else { i32::MIN }
}

/// `cvttsd2si` with a 64-bit target.
fn convert_64(x: f64) -> i64 {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    let inside = (-BEYOND..BEYOND).contains(&x);
    if inside { x as i64 } else { i64::MIN }
}

/// There is no such instruction before AVX-512; this is the sequence that LLVM emits: the number and the
/// number minus 2^63 are both converted, and the second counts if the first came out negative.
fn convert_unsigned_64(x: f64) -> u64 {
    let low = convert_64(x);
    let high = convert_64(x - 9_223_372_036_854_775_808.0);
    (low | (high & low >> 63)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn eval(op: Op, width: u32, operands: &[f64]) -> u128 {
        let mut bits = [0; 3];
        for (bits, operand) in bits.iter_mut().zip(operands) {
            *bits = u128::from(operand.to_bits());
        }
        compute(op, width, 64, bits).expect("a floating-point operation")
    }

    fn double_of(op: Op, operands: &[f64]) -> f64 {
        f64::from_bits(eval(op, 64, operands) as u64)
    }

    fn single_of(op: Op, operands: &[f32]) -> f32 {
        let mut bits = [0; 3];
        for (bits, operand) in bits.iter_mut().zip(operands) {
            *bits = u128::from(operand.to_bits());
        }
        f32::from_bits(compute(op, 32, 32, bits).expect("a floating-point operation") as u32)
    }

    #[test]
    fn remainder_is_that_of_fmod_not_of_ieee() {
        assert_eq!(double_of(Op::FRem, &[7.0, 4.0]), 3.0);
        assert_eq!(double_of(Op::FRem, &[-7.0, 4.0]), -3.0);
        assert_eq!(single_of(Op::FRem, &[5.5, -2.0]), 1.5);
    }

    #[test]
    fn rounding_functions_differ_at_halves() {
        let round =
            |x: f64| [Op::FFloor, Op::FCeil, Op::FTrunc, Op::FRint, Op::FRound].map(|op| double_of(op, &[x]));
        assert_eq!(round(2.5), [2.0, 3.0, 2.0, 2.0, 3.0]);
        assert_eq!(round(-2.5), [-3.0, -2.0, -2.0, -2.0, -3.0]);
        assert_eq!(round(3.5), [3.0, 4.0, 3.0, 4.0, 4.0]);
        assert!(double_of(Op::FCeil, &[-0.5]).is_sign_negative());
    }

    #[test]
    fn fused_multiply_add_rounds_once() {
        let x = 1.0 + f64::EPSILON;
        assert_eq!(double_of(Op::FFma, &[x, x, -x * x]), f64::EPSILON * f64::EPSILON);
        let x = 1.0 + f32::EPSILON;
        assert_eq!(single_of(Op::FFma, &[x, x, -x * x]), f32::EPSILON * f32::EPSILON);
    }

    #[test]
    fn sign_operations_move_bits_of_nan_too() {
        let nan = u128::from(f64::NAN.to_bits());
        assert_eq!(compute(Op::FNeg, 64, 64, [nan, 0, 0]), Some(nan ^ 1 << 63));
        assert_eq!(compute(Op::FAbs, 64, 64, [nan | 1 << 63 | 5, 0, 0]), Some(nan | 5));
        assert_eq!(compute(Op::FCopysign, 64, 64, [nan, 1 << 63, 0]), Some(nan | 1 << 63));
        assert_eq!(compute(Op::FNeg, 32, 32, [0, 0, 0]), Some(1 << 31));
    }

    #[test]
    fn comparisons_with_nan_are_false_and_unordered() {
        for operands in [[f64::NAN, 1.0], [1.0, f64::NAN]] {
            let bits = [Op::FEq, Op::FLt, Op::FLe, Op::FUno].map(|op| eval(op, 1, &operands));
            assert_eq!(bits, [0, 0, 0, 1]);
        }
        assert_eq!([Op::FEq, Op::FLt, Op::FLe, Op::FUno].map(|op| eval(op, 1, &[0.0, -0.0])), [1, 0, 1, 0]);
    }

    #[test]
    fn numbers_that_do_not_fit_become_integer_indefinite() {
        for x in [f64::NAN, 3e9, -3e9, f64::INFINITY] {
            assert_eq!(eval(Op::FToS, 32, &[x]) & 0xffff_ffff, 0x8000_0000, "{x}");
        }
        for x in [f64::NAN, 1e19, -1e19, f64::NEG_INFINITY] {
            assert_eq!(eval(Op::FToS, 64, &[x]) & u128::from(u64::MAX), 1 << 63, "{x}");
        }
        assert_eq!(eval(Op::FToS, 32, &[-2_147_483_648.9]) & 0xffff_ffff, 0x8000_0000);
        assert_eq!(eval(Op::FToS, 8, &[300.0]) & 0xff, 44);
        assert_eq!(eval(Op::FToU, 32, &[4e9]) & 0xffff_ffff, 4_000_000_000);
        assert_eq!(eval(Op::FToU, 32, &[-1.0]) & 0xffff_ffff, 0xffff_ffff);
        assert_eq!(eval(Op::FToU, 64, &[1e19]), 10_000_000_000_000_000_000);
        assert_eq!(eval(Op::FToU, 64, &[-1.0]), u128::from(u64::MAX));
        assert_eq!(eval(Op::FToU, 64, &[2e19]), 1 << 63);
        assert_eq!(eval(Op::FToS, 128, &[-1e30]), -1_000_000_000_000_000_019_884_624_838_656i128 as u128);
    }

    #[test]
    fn integers_are_rounded_once() {
        // Halfway between two singles, but for the lowest bit, which a double would lose.
        let x = (1u128 << 60) + (1 << 36) + 1;
        let expected = ((1u64 << 60) + (1 << 37)) as f32;
        assert_eq!(compute(Op::UToF, 32, 64, [x, 0, 0]), Some(u128::from(expected.to_bits())));
        assert_eq!(compute(Op::SToF, 64, 8, [0xff, 0, 0]), Some(u128::from((-1f64).to_bits())));
        assert_eq!(compute(Op::UToF, 64, 8, [0xff, 0, 0]), Some(u128::from(255f64.to_bits())));
        assert_eq!(compute(Op::SToF, 64, 1, [1, 0, 0]), Some(u128::from((-1f64).to_bits())));
        assert_eq!(
            compute(Op::UToF, 32, 128, [u128::MAX, 0, 0]),
            Some(u128::from((2f32).powi(127).to_bits()) + (1 << 23))
        );
    }

    proptest! {
        #[test]
        fn arithmetic_is_that_of_rust(x in any::<f64>(), y in any::<f64>()) {
            let same = |op: Op, expected: f64| {
                let got = double_of(op, &[x, y]);
                let agrees = got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan();
                assert!(agrees, "{op:?} {x} {y}: {got}, not {expected}");
            };
            same(Op::FAdd, x + y);
            same(Op::FSub, x - y);
            same(Op::FMul, x * y);
            same(Op::FDiv, x / y);
            same(Op::FSqrt, x.sqrt());
            let (sx, sy) = (x as f32, y as f32);
            prop_assert_eq!(eval(Op::FToF, 32, &[x]), u128::from(sx.to_bits()));
            let singles =
                [(Op::FAdd, sx + sy), (Op::FSub, sx - sy), (Op::FMul, sx * sy), (Op::FDiv, sx / sy)];
            for (op, expected) in singles {
                let got = single_of(op, &[sx, sy]);
                prop_assert!(got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan());
            }
            let widened = compute(Op::FToF, 64, 32, [u128::from(sx.to_bits()), 0, 0]);
            prop_assert_eq!(widened, Some(u128::from(f64::from(sx).to_bits())));
            prop_assert_eq!(eval(Op::FLt, 1, &[x, y]) == 1, x < y);
            prop_assert_eq!(eval(Op::FLe, 1, &[x, y]) == 1, x <= y);
            prop_assert_eq!(eval(Op::FEq, 1, &[x, x]) == 1, x == x);
        }

        #[test]
        fn integers_that_fit_survive_both_conversions(x in any::<i32>(), y in any::<u32>()) {
            let double = compute(Op::SToF, 64, 32, [x as u32 as u128, 0, 0]).unwrap();
            prop_assert_eq!(compute(Op::FToS, 32, 64, [double, 0, 0]).unwrap() as u32, x as u32);
            let double = compute(Op::UToF, 64, 32, [u128::from(y), 0, 0]).unwrap();
            prop_assert_eq!(compute(Op::FToU, 32, 64, [double, 0, 0]).unwrap() as u32, y);
        }
    }
}

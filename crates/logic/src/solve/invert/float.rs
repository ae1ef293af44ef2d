//! The operands that a floating-point operation would need to give another result.
//!
//! Rounding makes most of these inexact; they land near the goal, and the search walks the rest.

use testwright_abi::expr::Op;
use testwright_abi::libm::Function;

use crate::solve::distance::signed;
use crate::solve::float::{from_f64, to_f64};
use crate::solve::machine::Machine;
use crate::solve::program::Place;

/// An operand and the value it should have.
type Operand = (usize, u128);

/// Values for one operand that give about `wanted`; none for operations that are not about floats.
pub(super) fn operands(machine: &Machine, place: &Place, wanted: u128) -> Vec<Operand> {
    let width = place.expr.width();
    match place.expr.op {
        Op::SToF => return vec![(0, to_f64(width, wanted) as i128 as u128)],
        Op::UToF => return vec![(0, to_f64(width, wanted) as u128)],
        _ => {}
    }
    if place.arity == 0 {
        return vec![];
    }
    let operand_width = machine.program.width(place.operand(0));
    let bits = |number: f64| from_f64(operand_width, number);
    let operand = |which: usize| match which < usize::from(place.arity) {
        true => to_f64(operand_width, machine.value(place.operand(which)).unwrap_or(0)),
        false => 0.0,
    };
    let (x, y, z) = (operand(0), operand(1), operand(2));
    let number = to_f64(width, wanted);
    match place.expr.op {
        Op::FAdd => vec![(0, bits(number - y)), (1, bits(number - x))],
        Op::FSub => vec![(0, bits(number + y)), (1, bits(x - number))],
        // Both factors can be the same input: then the root is the factor.
        Op::FMul => vec![(0, bits(number / y)), (1, bits(number / x)), (0, bits(number.abs().sqrt()))],
        Op::FDiv => vec![(0, bits(number * y)), (1, bits(x / number))],
        Op::FRem => vec![(0, wanted), (0, bits(x - x % y + number))],
        Op::FNeg => vec![(0, bits(-number))],
        Op::FAbs | Op::FCopysign => vec![(0, wanted), (0, bits(-number))],
        Op::FSqrt => vec![(0, bits(number * number))],
        Op::FFma => vec![(0, bits((number - z) / y)), (1, bits((number - z) / x)), (2, bits(number - x * y))],
        Op::FFloor | Op::FCeil | Op::FTrunc | Op::FRint | Op::FRound => vec![(0, wanted)],
        Op::FToF => vec![(0, bits(number))],
        Op::FToS => vec![(0, bits(signed(width, wanted) as f64))],
        Op::FToU => vec![(0, bits(wanted as f64))],
        Op::App => place.expr.function().map_or(vec![], |function| applied(function, number, [x, y], &bits)),
        _ => vec![],
    }
}

fn applied(function: Function, wanted: f64, [x, y]: [f64; 2], bits: &dyn Fn(f64) -> u128) -> Vec<Operand> {
    use Function as F;
    let first = |number: f64| vec![(0, bits(number))];
    match function {
        F::sin | F::sinf => first(wanted.asin()),
        F::cos | F::cosf => first(wanted.acos()),
        F::tan | F::tanf => first(wanted.atan()),
        F::asin | F::asinf => first(wanted.sin()),
        F::acos | F::acosf => first(wanted.cos()),
        F::atan | F::atanf => first(wanted.tan()),
        F::sinh | F::sinhf => first(wanted.asinh()),
        F::cosh | F::coshf => first(wanted.acosh()),
        F::tanh | F::tanhf => first(wanted.atanh()),
        F::exp | F::expf => first(wanted.ln()),
        F::exp2 | F::exp2f => first(wanted.log2()),
        F::expm1 | F::expm1f => first(wanted.ln_1p()),
        F::log | F::logf => first(wanted.exp()),
        F::log2 | F::log2f => first(wanted.exp2()),
        F::log10 | F::log10f => first(10f64.powf(wanted)),
        F::log1p | F::log1pf => first(wanted.exp_m1()),
        F::cbrt | F::cbrtf => first(wanted * wanted * wanted),
        F::pow | F::powf => vec![(0, bits(wanted.powf(1.0 / y))), (1, bits(wanted.ln() / x.ln()))],
        F::hypot | F::hypotf => {
            vec![(0, bits((wanted * wanted - y * y).sqrt())), (1, bits((wanted * wanted - x * x).sqrt()))]
        }
        F::fmin | F::fminf | F::fmax | F::fmaxf | F::remainder => vec![(0, bits(wanted)), (1, bits(wanted))],
        F::lround | F::lrint => first(signed(64, u128::from(wanted.to_bits())) as f64),
        _ => vec![],
    }
}

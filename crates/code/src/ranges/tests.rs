//! Points from operands' ranges: what comes of them lies in the range of the result.

use super::evaluate::evaluate;
use super::float::{FloatRange, Precision};
use super::int::IntRange;
use super::invert::operand_bounds;
use super::module::{Definition, End, Sign, ValueId};
use super::order::Order;
use super::range::Range;
use super::{float_operations, int_operations, libm};
use proptest::prelude::*;
use testwright_llvm::{IntPredicate, Opcode, RealPredicate};

const INTEGER_OPERATIONS: [Opcode; 13] = [
    Opcode::LLVMAdd,
    Opcode::LLVMSub,
    Opcode::LLVMMul,
    Opcode::LLVMUDiv,
    Opcode::LLVMSDiv,
    Opcode::LLVMURem,
    Opcode::LLVMSRem,
    Opcode::LLVMAnd,
    Opcode::LLVMOr,
    Opcode::LLVMXor,
    Opcode::LLVMShl,
    Opcode::LLVMLShr,
    Opcode::LLVMAShr,
];

const FLOAT_OPERATIONS: [Opcode; 5] =
    [Opcode::LLVMFAdd, Opcode::LLVMFSub, Opcode::LLVMFMul, Opcode::LLVMFDiv, Opcode::LLVMFRem];

const INT_PREDICATES: [IntPredicate; 10] = [
    IntPredicate::LLVMIntEQ,
    IntPredicate::LLVMIntNE,
    IntPredicate::LLVMIntUGT,
    IntPredicate::LLVMIntUGE,
    IntPredicate::LLVMIntULT,
    IntPredicate::LLVMIntULE,
    IntPredicate::LLVMIntSGT,
    IntPredicate::LLVMIntSGE,
    IntPredicate::LLVMIntSLT,
    IntPredicate::LLVMIntSLE,
];

const REAL_PREDICATES: [RealPredicate; 14] = [
    RealPredicate::LLVMRealOEQ,
    RealPredicate::LLVMRealOGT,
    RealPredicate::LLVMRealOGE,
    RealPredicate::LLVMRealOLT,
    RealPredicate::LLVMRealOLE,
    RealPredicate::LLVMRealONE,
    RealPredicate::LLVMRealORD,
    RealPredicate::LLVMRealUNO,
    RealPredicate::LLVMRealUEQ,
    RealPredicate::LLVMRealUGT,
    RealPredicate::LLVMRealUGE,
    RealPredicate::LLVMRealULT,
    RealPredicate::LLVMRealULE,
    RealPredicate::LLVMRealUNE,
];

fn extended(width: u32, bits: u64) -> i64 {
    (bits << (64 - width)) as i64 >> (64 - width)
}

fn holds_int(range: IntRange, bits: u64) -> bool {
    let (low, high) = range.unsigned();
    let (signed_low, signed_high) = range.signed();
    let signed = i128::from(extended(range.width(), bits));
    low <= i128::from(bits) && i128::from(bits) <= high && signed_low <= signed && signed <= signed_high
}

fn holds_float(range: FloatRange, value: f64) -> bool {
    if value.is_nan() { range.may_be_nan() } else { range.has(value) }
}

/// A value of a width and a range that holds it: from a few other values, joined in pairs or alone.
fn integer(width: u32) -> impl Strategy<Value = (u64, IntRange)> {
    let bits = prop_oneof![any::<u64>(), 0..20u64, (0..20u64).prop_map(|less| 0u64.wrapping_sub(less))];
    let bits = bits.prop_map(move |bits| bits & (u64::MAX >> (64 - width)));
    (bits.clone(), bits.clone(), bits, 0..3usize).prop_map(move |(value, a, b, count)| {
        let one = |bits| IntRange::constant(width, bits);
        let others = [a, b].into_iter().take(count).map(one);
        (value, others.fold(one(value), IntRange::join))
    })
}

fn integers() -> impl Strategy<Value = (u32, (u64, IntRange), (u64, IntRange))> {
    let width = prop_oneof![Just(1u32), Just(8), Just(32), Just(64)];
    width.prop_flat_map(|width| (Just(width), integer(width), integer(width)))
}

fn number() -> impl Strategy<Value = f64> + Clone {
    let special =
        [0.0, -0.0, 1.0, -1.0, 0.5, 1e-320, -1e-320, 1e300, -1e300, f64::MAX, f64::MIN, f64::INFINITY];
    let special: Vec<f64> =
        special.into_iter().chain([f64::NEG_INFINITY, f64::NAN, 2.5, 1.0 + f64::EPSILON]).collect();
    prop_oneof![proptest::sample::select(special), any::<f64>(), -10.0..10.0f64]
}

/// A float and a range that holds it.
fn float(precision: Precision) -> impl Strategy<Value = (f64, FloatRange)> {
    let number = number().prop_map(move |value| precision.round(value));
    let drawn = (number.clone(), number.clone(), number, 0..3usize, any::<bool>());
    drawn.prop_map(move |(value, a, b, count, has_zero)| {
        let others = [a, b].into_iter().take(count).map(FloatRange::constant);
        let range = others.fold(FloatRange::constant(value), FloatRange::join);
        let not_zero = Order::of(RealPredicate::LLVMRealUNE, true);
        let without = range.where_ordered(not_zero, FloatRange::constant(0.0), precision);
        (value, without.filter(|_| !has_zero && value != 0.0).unwrap_or(range))
    })
}

fn floats() -> impl Strategy<Value = (Precision, (f64, FloatRange), (f64, FloatRange))> {
    let precision = prop_oneof![Just(Precision::Single), Just(Precision::Double)];
    precision.prop_flat_map(|precision| (Just(precision), float(precision), float(precision)))
}

/// What the machine computes; none where that is undefined.
fn compute_integers(opcode: Opcode, width: u32, a: u64, b: u64) -> Option<u64> {
    let (signed_a, signed_b) = (i128::from(extended(width, a)), i128::from(extended(width, b)));
    let result = match opcode {
        Opcode::LLVMAdd => signed_a + signed_b,
        Opcode::LLVMSub => signed_a - signed_b,
        Opcode::LLVMMul => signed_a * signed_b,
        Opcode::LLVMUDiv => i128::from(a.checked_div(b)?),
        Opcode::LLVMURem => i128::from(a.checked_rem(b)?),
        Opcode::LLVMSDiv => signed_a.checked_div(signed_b)?,
        Opcode::LLVMSRem => signed_a.checked_rem(signed_b)?,
        Opcode::LLVMAnd => i128::from(a & b),
        Opcode::LLVMOr => i128::from(a | b),
        Opcode::LLVMXor => i128::from(a ^ b),
        _ if b >= u64::from(width) => return None,
        Opcode::LLVMShl => i128::from(a) << b,
        Opcode::LLVMLShr => i128::from(a >> b),
        _ => signed_a >> b,
    };
    Some(result as u64 & (u64::MAX >> (64 - width)))
}

fn compute_floats(opcode: Opcode, precision: Precision, a: f64, b: f64) -> f64 {
    let compute = |a: f64, b: f64| match opcode {
        Opcode::LLVMFAdd => a + b,
        Opcode::LLVMFSub => a - b,
        Opcode::LLVMFMul => a * b,
        Opcode::LLVMFDiv => a / b,
        _ => a % b,
    };
    if precision == Precision::Double {
        return compute(a, b);
    }
    // As the machine does it: in single precision from the start.
    let (a, b) = (a as f32, b as f32);
    f64::from(match opcode {
        Opcode::LLVMFAdd => a + b,
        Opcode::LLVMFSub => a - b,
        Opcode::LLVMFMul => a * b,
        Opcode::LLVMFDiv => a / b,
        _ => a % b,
    })
}

fn compare_integers(predicate: IntPredicate, width: u32, a: u64, b: u64) -> bool {
    use IntPredicate::*;
    let (signed_a, signed_b) = (extended(width, a), extended(width, b));
    match predicate {
        LLVMIntEQ => a == b,
        LLVMIntNE => a != b,
        LLVMIntUGT => a > b,
        LLVMIntUGE => a >= b,
        LLVMIntULT => a < b,
        LLVMIntULE => a <= b,
        LLVMIntSGT => signed_a > signed_b,
        LLVMIntSGE => signed_a >= signed_b,
        LLVMIntSLT => signed_a < signed_b,
        LLVMIntSLE => signed_a <= signed_b,
    }
}

fn compare_floats(predicate: RealPredicate, a: f64, b: f64) -> bool {
    use RealPredicate::*;
    let is_unordered = a.is_nan() || b.is_nan();
    match predicate {
        LLVMRealOEQ => a == b,
        LLVMRealOGT => a > b,
        LLVMRealOGE => a >= b,
        LLVMRealOLT => a < b,
        LLVMRealOLE => a <= b,
        LLVMRealONE => !is_unordered && a != b,
        LLVMRealORD => !is_unordered,
        LLVMRealUNO => is_unordered,
        LLVMRealUEQ => is_unordered || a == b,
        LLVMRealUGT => is_unordered || a > b,
        LLVMRealUGE => is_unordered || a >= b,
        LLVMRealULT => is_unordered || a < b,
        LLVMRealULE => is_unordered || a <= b,
        _ => a != b,
    }
}

type OfOne = fn(f64) -> f64;
type OfTwo = fn(f64, f64) -> f64;

const A: ValueId = ValueId(0);
const B: ValueId = ValueId(1);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn results_of_integers_lie_in_the_range((width, (a, of_a), (b, of_b)) in integers()) {
        for opcode in INTEGER_OPERATIONS {
            let Some(result) = compute_integers(opcode, width, a, b) else { continue };
            let range = int_operations::binary(opcode, of_a, of_b);
            prop_assert!(holds_int(range, result), "{opcode:?} {a} {b} = {result}: {range:?}");
            let overflows = int_operations::overflows(opcode, Sign::Signed, of_a, of_b);
            if matches!(opcode, Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul) {
                let (a, b) = (i128::from(extended(width, a)), i128::from(extended(width, b)));
                let exact = match opcode { Opcode::LLVMAdd => a + b, Opcode::LLVMSub => a - b, _ => a * b };
                let is_exact = exact == i128::from(extended(width, result));
                prop_assert!(overflows != Some(is_exact), "{opcode:?} {a} {b}");
                let range = int_operations::without_overflow(opcode, Sign::Signed, of_a, of_b);
                prop_assert!(!is_exact || range.is_some_and(|range| holds_int(range, result)));
            }
        }
    }

    #[test]
    fn the_least_the_most_and_the_absolute_lie_in_the_range((width, (a, of_a), (b, of_b)) in integers()) {
        let signed = |bits| extended(width, bits);
        let least = if signed(a) < signed(b) { a } else { b };
        let most = if signed(a) < signed(b) { b } else { a };
        prop_assert!(holds_int(int_operations::extreme(Sign::Signed, End::Least, of_a, of_b), least));
        prop_assert!(holds_int(int_operations::extreme(Sign::Signed, End::Most, of_a, of_b), most));
        prop_assert!(holds_int(int_operations::extreme(Sign::Unsigned, End::Least, of_a, of_b), a.min(b)));
        prop_assert!(holds_int(int_operations::extreme(Sign::Unsigned, End::Most, of_a, of_b), a.max(b)));
        let absolute = signed(a).wrapping_abs() as u64 & (u64::MAX >> (64 - width));
        prop_assert!(holds_int(int_operations::absolute(of_a), absolute));
    }

    #[test]
    fn casts_of_integers_lie_in_the_range((width, (a, of_a), _) in integers(), to in 1..=64u32) {
        let mask = u64::MAX >> (64 - to);
        if to < width {
            prop_assert!(holds_int(int_operations::cast(Opcode::LLVMTrunc, of_a, to), a & mask));
        } else if to > width {
            prop_assert!(holds_int(int_operations::cast(Opcode::LLVMZExt, of_a, to), a));
            let signed = extended(width, a) as u64 & mask;
            prop_assert!(holds_int(int_operations::cast(Opcode::LLVMSExt, of_a, to), signed));
        }
    }

    #[test]
    fn comparisons_of_integers_leave_what_fulfils_them((width, (a, of_a), (b, of_b)) in integers()) {
        for predicate in INT_PREDICATES {
            let holds = compare_integers(predicate, width, a, b);
            prop_assert!(of_a.compare(predicate, of_b) != Some(!holds), "{predicate:?} {a} {b}");
            let left = of_a.where_holds(predicate, of_b);
            prop_assert!(!holds || left.is_some_and(|left| holds_int(left, a)), "{predicate:?} {a} {b} {left:?}");
        }
    }

    #[test]
    fn results_of_floats_lie_in_the_range((precision, (a, of_a), (b, of_b)) in floats()) {
        for opcode in FLOAT_OPERATIONS {
            let result = compute_floats(opcode, precision, a, b);
            let range = float_operations::binary(opcode, of_a, of_b, precision);
            prop_assert!(holds_float(range, result), "{opcode:?} {a} {b} = {result}: {range:?}");
        }
        prop_assert!(holds_float(float_operations::negative(of_a), -a));
        prop_assert!(holds_float(float_operations::absolute(of_a), a.abs()));
        prop_assert!(holds_float(float_operations::root(of_a, precision), precision.round(a.sqrt())));
        prop_assert!(holds_float(float_operations::multiply_add(of_a, of_b, of_a, Precision::Double), a.mul_add(b, a)));
        prop_assert!(holds_float(float_operations::multiply_add(of_a, of_b, of_b, Precision::Double), a * b + b));
    }

    #[test]
    fn comparisons_of_floats_leave_what_fulfils_them((precision, (a, of_a), (b, of_b)) in floats()) {
        for predicate in REAL_PREDICATES {
            for expected in [true, false] {
                let order = Order::of(predicate, expected);
                let holds = compare_floats(predicate, a, b) == expected;
                prop_assert!(of_a.order(of_b).decides(order) != Some(!holds), "{predicate:?} {a} {b}");
                let left = of_a.where_ordered(order, of_b, precision);
                prop_assert!(!holds || left.is_some_and(|left| holds_float(left, a)), "{predicate:?} {a} {b} {left:?}");
                let left = of_b.where_ordered(order.swapped(), of_a, precision);
                prop_assert!(!holds || left.is_some_and(|left| holds_float(left, b)), "{predicate:?} {a} {b} {left:?}");
                let holds = compare_floats(predicate, a, a) == expected;
                let left = of_a.like_itself(order);
                prop_assert!(!holds || left.is_some_and(|left| holds_float(left, a)), "{predicate:?} {a} {left:?}");
            }
        }
    }

    #[test]
    fn results_of_libm_lie_in_the_range((precision, (a, of_a), (b, of_b)) in floats()) {
        let one: [(&str, OfOne); 14] = [
            ("exp", f64::exp), ("expm1", f64::exp_m1), ("log", f64::ln), ("log1p", f64::ln_1p), ("sin", f64::sin),
            ("cos", f64::cos), ("asin", f64::asin), ("acos", f64::acos), ("atan", f64::atan), ("sinh", f64::sinh),
            ("cosh", f64::cosh), ("tanh", f64::tanh), ("cbrt", f64::cbrt), ("floor", f64::floor),
        ];
        for (name, function) in one {
            let range = libm::find(name, 1).unwrap().of(&[of_a], precision);
            let result = precision.round(function(a));
            prop_assert!(holds_float(range, result), "{name} {a} = {result}: {range:?}");
        }
        let two: [(&str, OfTwo); 5] = [
            ("pow", f64::powf), ("hypot", f64::hypot), ("atan2", f64::atan2), ("fmin", f64::min), ("fmax", f64::max),
        ];
        for (name, function) in two {
            let range = libm::find(name, 2).unwrap().of(&[of_a, of_b], precision);
            let result = precision.round(function(a, b));
            prop_assert!(holds_float(range, result), "{name} {a} {b} = {result}: {range:?}");
        }
    }

    #[test]
    fn conversions_lie_in_the_range((width, (a, of_a), _) in integers(), (precision, (x, of_x), _) in floats()) {
        let signed = extended(width, a);
        let near = |value: i64| if precision == Precision::Single { f64::from(value as f32) } else { value as f64 };
        prop_assert!(holds_float(float_operations::from_int(of_a.signed(), precision), near(signed)));
        let whole = x.trunc();
        if whole >= -(2f64.powi(31)) && whole < 2f64.powi(31) {
            let range = float_operations::to_int(of_x, 32, Sign::Signed);
            prop_assert!(holds_int(range, u64::from(whole as i32 as u32)), "{x}: {range:?}");
        }
    }

    /// What a bound on a result says about the operands never excludes those that lead to it.
    #[test]
    fn operands_that_lead_to_a_result_are_not_excluded(
        (precision, (a, of_a), (b, of_b)) in floats(),
        (other, _) in float(Precision::Double),
    ) {
        let known = |id: ValueId| Some(Range::Float(if id == A { of_a } else { of_b }, precision));
        let mut definitions: Vec<Definition> =
            FLOAT_OPERATIONS.iter().map(|opcode| Definition::Floats(*opcode, A, B)).collect();
        definitions.push(Definition::Negative(A));
        definitions.push(Definition::Libm(libm::find("fabs", 1).unwrap(), vec![A]));
        for definition in definitions {
            let result = match &definition {
                Definition::Floats(opcode, ..) => compute_floats(*opcode, precision, a, b),
                Definition::Negative(_) => -a,
                _ => a.abs(),
            };
            let ty = Range::Float(FloatRange::FULL, precision);
            let forward = evaluate(&definition, ty, &known).unwrap();
            let bound = FloatRange::constant(result).join(FloatRange::constant(precision.round(other)));
            let met = forward.meet(Range::Float(bound, precision)).unwrap();
            for (id, range) in operand_bounds(&definition, met, &known) {
                let value = if id == A { a } else { b };
                let Range::Float(range, _) = range else { panic!("a float") };
                prop_assert!(holds_float(range, value), "{definition:?} {a} {b} = {result} in {met:?}: {range:?}");
            }
        }
    }

    #[test]
    fn integers_that_lead_to_a_result_are_not_excluded((width, (a, of_a), (b, of_b)) in integers()) {
        let known = |id: ValueId| Some(Range::Int(if id == A { of_a } else { of_b }));
        for opcode in [Opcode::LLVMAdd, Opcode::LLVMSub] {
            let result = compute_integers(opcode, width, a, b).unwrap();
            let met = Range::Int(IntRange::constant(width, result));
            for (id, range) in operand_bounds(&Definition::Integers(opcode, A, B), met, &known) {
                let Range::Int(range) = range else { panic!("an integer") };
                prop_assert!(holds_int(range, if id == A { a } else { b }), "{opcode:?} {a} {b}: {range:?}");
            }
        }
        for precision in [Precision::Single, Precision::Double] {
            let float = |value: i64| if precision == Precision::Single { f64::from(value as f32) } else { value as f64 };
            let met = Range::Float(FloatRange::constant(float(extended(width, a))), precision);
            for (_, range) in operand_bounds(&Definition::Cast(Opcode::LLVMSIToFP, A), met, &known) {
                let Range::Int(range) = range else { panic!("an integer") };
                prop_assert!(holds_int(range, a), "{a}: {range:?}");
            }
        }
    }
}

#[test]
fn a_comparison_that_no_number_fails_leaves_no_number_on_the_other_way() {
    let any = FloatRange::FULL;
    let one = FloatRange::constant(1.0);
    let less =
        any.where_ordered(Order::of(RealPredicate::LLVMRealOLT, true), one, Precision::Double).unwrap();
    assert_eq!(less, FloatRange::between(f64::NEG_INFINITY, 1f64.next_down()));
    let not_less =
        any.where_ordered(Order::of(RealPredicate::LLVMRealOLT, false), one, Precision::Double).unwrap();
    assert_eq!(not_less, FloatRange::between(1.0, f64::INFINITY).or_nan(true));
}

#[test]
fn zero_is_left_out_of_a_range_until_it_comes_back() {
    let not_zero = Order::of(RealPredicate::LLVMRealUNE, true);
    let zero = FloatRange::constant(0.0);
    let without = FloatRange::between(-1.0, 2.0).where_ordered(not_zero, zero, Precision::Double).unwrap();
    assert_eq!(without.order(zero).decides(Order::EQUAL), Some(false));
    assert!(float_operations::absolute(without).has(1e-310) && !float_operations::absolute(without).has(0.0));
    assert!(without.meet(zero).is_none());
    assert!(without.join(zero).has(0.0));
    assert!(without.join(FloatRange::constant(9.0)).order(zero).decides(Order::EQUAL) == Some(false));
}

#[test]
fn readings_with_and_without_sign_narrow_each_other() {
    let full = IntRange::full(8);
    let large = full.within_unsigned(200, 255).unwrap();
    assert_eq!(large.signed(), (-56, -1));
    assert_eq!(full.within_signed(-1, 5).unwrap().unsigned(), (0, 255));
    assert!(large.within_signed(0, 127).is_none());
}

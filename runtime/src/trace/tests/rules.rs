//! What common expressions become.

use testwright_abi::expr::Op;
use testwright_abi::libm::Function;

use super::evaluate::{apply, ones};
use super::{Operand, binary, control, inputs, node, select, unary, worker};
use crate::trace::functions;

/// `op(x, y)` on `width` bits with its value computed.
fn two(op: Op, width: u32, x: Operand, y: Operand) -> Operand {
    let result = if op.is_predicate() { 1 } else { width };
    let value = apply(op, result, width, x.1, y.1);
    (binary(op, result, width, x, y, value), value)
}

fn one(op: Op, result: u32, width: u32, x: Operand) -> Operand {
    let value = apply(op, result, width, x.1, 0);
    (unary(op, result, width, x.0, 0, value), value)
}

fn slice(x: Operand, width: u32, low: u32, result: u32) -> Operand {
    let value = x.1 >> low & ones(result);
    (unary(Op::Extract, result, width, x.0, low, value), value)
}

fn constant(value: u128) -> Operand {
    (0, value)
}

/// The node in words, operands in brackets.
fn show(handle: u32) -> String {
    if handle == 0 {
        return "concrete".to_owned();
    }
    let node = node(handle);
    let op = Op::from_number(node.op).expect("a known operation");
    let operands = match op {
        Op::Const => return format!("{:#x}", node.value),
        Op::Input => return format!("i{}", node.a),
        Op::Extract => format!("{} {}", show(node.a), node.b),
        Op::App => {
            format!("{} {}", Function::from_number(node.function).expect("a function").name(), show(node.a))
        }
        _ => [node.a, node.b, node.c][..op.arity()].iter().map(|&a| show(a)).collect::<Vec<_>>().join(" "),
    };
    format!("({}{} {operands})", op.name(), node.width)
}

fn check(handle: Operand, expected: &str) {
    assert_eq!(show(handle.0), expected);
}

/// Two symbolic words of 32 bits and two bytes.
fn start() -> [Operand; 4] {
    let values = [0x1234_5678, 0x9abc_def0, 0x41, 0xfe];
    let handles = inputs(&[(4, values[0]), (4, values[1]), (1, values[2]), (1, values[3])]);
    [0, 1, 2, 3].map(|i| (handles[i], values[i]))
}

#[test]
fn neutral_constants_leave_the_operand_and_dominant_ones_make_it_concrete() {
    let _turn = worker();
    let [x, ..] = start();
    for op in [Op::Add, Op::Sub, Op::Or, Op::Xor, Op::Shl, Op::LShr, Op::AShr] {
        check(two(op, 32, x, constant(0)), "i0");
    }
    for op in [Op::Mul, Op::UDiv, Op::SDiv] {
        check(two(op, 32, x, constant(1)), "i0");
    }
    for op in [Op::And, Op::Mul] {
        check(two(op, 32, constant(0), x), "concrete");
    }
    for op in [Op::Sub, Op::Xor, Op::Ult, Op::Slt, Op::Eq, Op::Ule] {
        check(two(op, 32, x, x), "concrete");
    }
    assert_eq!(control().stale_count, 0);
}

#[test]
fn constants_of_a_sum_are_gathered() {
    let _turn = worker();
    let [x, y, ..] = start();
    let sum = two(Op::Add, 32, constant(5), x);
    let less = two(Op::Sub, 32, sum, constant(7));
    check(less, "(add32 i0 0xfffffffe)");
    check(two(Op::Add, 32, less, constant(2)), "i0");
    let other = two(Op::Add, 32, y, constant(1));
    check(two(Op::Sub, 32, sum, other), "(add32 (sub32 i0 i1) 0x4)");
    check(two(Op::Eq, 32, sum, constant(6)), "(eq1 i0 0x1)");
    assert_eq!(two(Op::Add, 32, y, x).0, two(Op::Add, 32, x, y).0);
}

#[test]
fn widened_bytes_compare_as_bytes() {
    let _turn = worker();
    let [_, _, a, b] = start();
    let (wide_a, wide_b) = (one(Op::ZExt, 32, 8, a), one(Op::ZExt, 32, 8, b));
    check(two(Op::Eq, 32, wide_a, constant(0x41)), "(eq1 i2 0x41)");
    check(two(Op::Eq, 32, wide_a, constant(0x141)), "concrete");
    check(two(Op::Slt, 32, wide_a, wide_b), "(ult1 i2 i3)");
    check(two(Op::Sle, 32, wide_a, constant(0x20)), "(ult1 i2 0x21)");
    check(two(Op::SAddO, 32, wide_a, wide_b), "concrete");
    let signed = one(Op::SExt, 32, 8, a);
    check(two(Op::Slt, 32, signed, constant(0x20)), "(slt1 i2 0x20)");
    check(two(Op::Slt, 32, signed, constant(0x200)), "concrete");
    let sum = two(Op::Add, 32, wide_a, wide_b);
    check(slice(sum, 32, 0, 8), "(add8 i2 i3)");
    assert_eq!(control().stale_count, 0);
}

#[test]
fn truth_values_lose_their_detours() {
    let _turn = worker();
    let [x, y, ..] = start();
    let less = two(Op::Ult, 32, x, y);
    let number = one(Op::ZExt, 32, 1, less);
    let is_zero = two(Op::Eq, 32, number, constant(0));
    check(is_zero, "(ule1 i1 i0)");
    assert_eq!(one(Op::Not, 1, 1, is_zero).0, less.0);
    let equal = two(Op::Eq, 32, x, y);
    let both = select(1, equal, less, constant(0));
    check((both, 0), &format!("(and1 {} {})", show(less.0), show(equal.0)));
    let either = select(32, less, constant(7), constant(9));
    check(two(Op::Eq, 32, (either, 7), constant(9)), "(ule1 i1 i0)");
    check(two(Op::Eq, 32, (either, 7), constant(8)), "concrete");
}

#[test]
fn slices_are_taken_of_the_original() {
    let _turn = worker();
    let [x, y, a, b] = start();
    let high = slice(x, 32, 16, 16);
    check(high, "(extract16 i0 16)");
    check(slice(high, 16, 4, 8), "(extract8 i0 20)");
    let low = slice(x, 32, 0, 16);
    let joined = binary(Op::Concat, 32, 0, high, low, x.1);
    check((joined, 0), "i0");
    let pair = (binary(Op::Concat, 16, 0, a, b, a.1 << 8 | b.1), a.1 << 8 | b.1);
    check(slice(pair, 16, 0, 8), "i3");
    check(slice(pair, 16, 8, 8), "i2");
    check(slice(one(Op::Bswap, 32, 32, y), 32, 24, 8), "(extract8 i1 0)");
    check(slice(two(Op::LShr, 32, x, constant(8)), 32, 0, 8), "(extract8 i0 8)");
    check(two(Op::And, 32, x, constant(0xff)), "(zext32 (extract8 i0 0))");
    check(two(Op::URem, 32, x, constant(16)), "(zext32 (extract4 i0 0))");
    check(two(Op::And, 32, x, constant(0xf0)), "(and32 i0 0xf0)");
    let zero_extended = (binary(Op::Concat, 16, 0, constant(0), a, a.1), a.1);
    check(zero_extended, "(zext16 i2)");
}

#[test]
fn overflow_checks_with_constants_are_comparisons() {
    let _turn = worker();
    let [x, ..] = start();
    check(two(Op::SAddO, 32, x, constant(1)), "(slt1 0x7ffffffe i0)");
    check(two(Op::SSubO, 32, x, constant(1)), "(slt1 i0 0x80000001)");
    check(two(Op::SSubO, 32, constant(0), x), "(slt1 i0 0x80000001)");
    check(two(Op::UAddO, 32, x, constant(1)), "(ult1 0xfffffffe i0)");
    check(two(Op::SMulO, 32, x, constant(3)), "(smulo1 i0 0x3)");
}

#[test]
fn overflow_checks_that_cannot_fail_are_gone_and_others_stay() {
    let _turn = worker();
    let [_, _, a, b] = start();
    let [p, q] = [a, b].map(|byte| one(Op::SExt, 16, 8, byte));
    let (sum, difference, product) = (two(Op::Add, 16, p, q), two(Op::Sub, 16, p, q), two(Op::Mul, 16, p, q));
    for (op, x, y) in [(Op::SMulO, p, q), (Op::SAddO, sum, p), (Op::SSubO, difference, sum)] {
        check(two(op, 16, x, y), "concrete");
    }
    // -256 * -256 needs 18 bits, -256 * -128 and twice -128 * -128 need 17.
    for (op, x, y) in [(Op::SMulO, sum, sum), (Op::SMulO, difference, p), (Op::SAddO, product, product)] {
        assert_ne!(two(op, 16, x, y).0, 0, "{op:?}");
    }
    let [u, v] = [a, b].map(|byte| one(Op::ZExt, 16, 8, byte));
    check(two(Op::UMulO, 16, u, v), "concrete");
    let total = two(Op::Add, 16, u, v);
    assert_ne!(two(Op::UMulO, 16, total, u).0, 0);
    assert_eq!(control().stale_count, 0);
}

#[test]
fn equal_expressions_are_one_node_and_wide_constants_are_joined() {
    let _turn = worker();
    let values = [(1u128 << 100) + 5, 7];
    let handles = inputs(&[(16, values[0]), (16, values[1])]);
    let (x, y) = ((handles[0], values[0]), (handles[1], values[1]));
    let first = two(Op::Mul, 128, x, y);
    let count = control().node_count;
    assert_eq!(two(Op::Mul, 128, y, x).0, first.0);
    assert_eq!(control().node_count, count);
    let large = constant(0xff << 70 | 3);
    check(two(Op::Xor, 128, x, large), "(xor128 i0 (concat128 0x3fc0 0x3))");
    let twice = two(Op::Xor, 128, x, large);
    check(two(Op::Xor, 128, twice, large), "i0");
}

#[test]
fn floats_are_kept_as_they_are() {
    let _turn = worker();
    let value = 1.5f64.to_bits();
    let x = (inputs(&[(8, value.into())])[0], value.into());
    check((binary(Op::FAdd, 64, 64, x, constant(0), x.1), 0), "(fadd64 i0 0x0)");
    let negative = unary(Op::FNeg, 64, 64, x.0, 0, (-1.5f64).to_bits().into());
    check((unary(Op::FNeg, 64, 64, negative, 0, x.1), 0), "i0");
    check((unary(Op::FAbs, 64, 64, negative, 0, x.1), 0), "(fabs64 i0)");
    check((unary(Op::FToS, 32, 64, x.0, 0, 1), 0), "(ftos32 i0)");
    // SAFETY: the test holds the turn.
    let fused = unsafe {
        let code = testwright_abi::expr::OpCode { op: Op::FFma, result: 64, operand: 64 }.pack();
        functions::ternary(code, x.0, 0, x.0, value, value, value, 3.75f64.to_bits())
    };
    check((fused, 0), "(ffma64 i0 0x3ff8000000000000 i0)");
    // SAFETY: the test holds the turn.
    let power = unsafe { functions::apply(Function::ldexp as u32, x.0, 0, 0, value, 3, 0, 12f64.to_bits()) };
    check((power, 0), "(app64 ldexp i0)");
    assert_eq!((node(node(power).b).width, node(node(power).b).value), (32, 3));
}

#[test]
fn results_the_language_does_not_define_are_not_predicted() {
    let _turn = worker();
    let huge = 1e30f64.to_bits();
    let handles = inputs(&[(4, 40), (8, huge.into())]);
    let machine = 1 << (40 & 31);
    let shifted = binary(Op::Shl, 32, 32, constant(1), (handles[0], 40), machine);
    assert_eq!(shifted, 0);
    assert_eq!(unary(Op::FToS, 32, 64, handles[1], 0, 0x8000_0000), 0);
    assert_ne!(unary(Op::FToS, 128, 64, handles[1], 0, 1e30 as u128), 0);
}

#[test]
fn the_address_of_an_element_is_base_plus_scaled_index() {
    let _turn = worker();
    let handles = inputs(&[(8, 3), (8, 0x7000)]);
    // SAFETY: the test holds the turn.
    let (constant_base, symbolic_base, field) = unsafe {
        (
            functions::element(0, handles[0], 0x5000, 3, 4),
            functions::element(handles[1], handles[0], 0x7000, 3, 8),
            functions::element(handles[1], 0, 0x7000, 24, 1),
        )
    };
    check((constant_base, 0), "(add64 (mul64 i0 0x4) 0x5000)");
    check((symbolic_base, 0), "(add64 i1 (mul64 i0 0x8))");
    check((field, 0), "(add64 i1 0x18)");
}

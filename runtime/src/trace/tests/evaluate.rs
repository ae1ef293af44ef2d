//! What operations mean, written down naively, to compare with.

use testwright_abi::expr::{Node, Op};

use super::{control, node};

/// `op` applied to `x` and `y` of `width` bits, giving `result` bits; division by 0 as in SMT-LIB.
pub(super) fn apply(op: Op, result: u32, width: u32, x: u128, y: u128) -> u128 {
    let ones = ones(width);
    let (p, q) = (signed(x, width), signed(y, width));
    let amount = if y >= u128::from(width) { width } else { y as u32 };
    let value = match op {
        Op::Add => x.wrapping_add(y),
        Op::Sub => x.wrapping_sub(y),
        Op::Mul => x.wrapping_mul(y),
        Op::UDiv => x.checked_div(y).unwrap_or(ones),
        Op::URem => x.checked_rem(y).unwrap_or(x),
        Op::SDiv if q == 0 => {
            if p < 0 {
                1
            } else {
                ones
            }
        }
        Op::SDiv => p.wrapping_div(q) as u128,
        Op::SRem if q == 0 => x,
        Op::SRem => p.wrapping_rem(q) as u128,
        Op::And => x & y,
        Op::Or => x | y,
        Op::Xor => x ^ y,
        Op::Shl => (0..amount).fold(x, |x, _| x << 1),
        Op::LShr => (0..amount).fold(x, |x, _| x >> 1),
        Op::AShr => (0..amount).fold(p, |p, _| p >> 1) as u128,
        Op::Eq => u128::from(x == y),
        Op::Ult => u128::from(x < y),
        Op::Ule => u128::from(x <= y),
        Op::Slt => u128::from(p < q),
        Op::Sle => u128::from(p <= q),
        Op::SAddO => u128::from(leaves_range(p.checked_add(q), width)),
        Op::SSubO => u128::from(leaves_range(p.checked_sub(q), width)),
        Op::SMulO => u128::from(leaves_range(p.checked_mul(q), width)),
        Op::UAddO => u128::from(x.checked_add(y).is_none_or(|sum| sum > ones)),
        Op::USubO => u128::from(x < y),
        Op::UMulO => u128::from(x.checked_mul(y).is_none_or(|product| product > ones)),
        Op::Not => !x,
        Op::ZExt => x,
        Op::SExt => p as u128,
        Op::Ctpop => bits(x, width).filter(|&bit| bit).count() as u128,
        Op::Cttz => bits(x, width).take_while(|&bit| !bit).count() as u128,
        Op::Ctlz => (0..width).rev().take_while(|&i| x >> i & 1 == 0).count() as u128,
        Op::Bitreverse => bits(x, width).fold(0, |all, bit| all << 1 | u128::from(bit)),
        Op::Bswap => (0..width / 8).fold(0, |all, i| all << 8 | (x >> (8 * i) & 255)),
        _ => panic!("{op:?} is not an integer operation"),
    };
    value & self::ones(result)
}

pub(super) fn ones(width: u32) -> u128 {
    if width == 128 { u128::MAX } else { (1 << width) - 1 }
}

pub(super) fn signed(x: u128, width: u32) -> i128 {
    if width < 128 && x >> (width - 1) & 1 == 1 { (x | !ones(width)) as i128 } else { x as i128 }
}

fn leaves_range(value: Option<i128>, width: u32) -> bool {
    value.is_none_or(|value| value < signed(1 << (width - 1), width) || value > (ones(width) >> 1) as i128)
}

fn bits(x: u128, width: u32) -> impl Iterator<Item = bool> {
    (0..width).map(move |i| x >> i & 1 == 1)
}

/// The value of every recorded node for other inputs.
pub(super) fn all_nodes(inputs: &[u128]) -> Vec<u128> {
    let mut values = vec![0];
    for handle in 1..control().node_count {
        let value = of_node(&node(handle), &values, inputs);
        values.push(value);
    }
    values
}

fn of_node(node: &Node, values: &[u128], inputs: &[u128]) -> u128 {
    let op = Op::from_number(node.op).expect("a known operation");
    let value = |handle: u32| {
        assert!(handle != 0 && (handle as usize) < values.len(), "{node:?} comes before its operands");
        values[handle as usize]
    };
    let width_of = |handle: u32| u32::from(super::node(handle).width);
    let width = u32::from(node.width);
    match op {
        Op::Const => u128::from(node.b) | u128::from(node.c) << 32,
        Op::Input => inputs[node.a as usize],
        Op::Extract => {
            assert!(node.b + width <= width_of(node.a), "{node:?} reaches too far");
            value(node.a) >> node.b & ones(width)
        }
        Op::Concat => {
            assert_eq!(width, width_of(node.a) + width_of(node.b), "{node:?}");
            value(node.a) << width_of(node.b) | value(node.b)
        }
        Op::Ite => {
            assert_eq!((1, width, width), (width_of(node.a), width_of(node.b), width_of(node.c)), "{node:?}");
            if value(node.a) == 1 { value(node.b) } else { value(node.c) }
        }
        _ if op.arity() == 1 => {
            let wider = matches!(op, Op::ZExt | Op::SExt);
            assert!(if wider { width > width_of(node.a) } else { width == width_of(node.a) }, "{node:?}");
            apply(op, width, width_of(node.a), value(node.a), 0)
        }
        _ => {
            assert_eq!(width_of(node.a), width_of(node.b), "{node:?}");
            assert_eq!(width, if op.is_predicate() { 1 } else { width_of(node.a) }, "{node:?}");
            apply(op, width, width_of(node.a), value(node.a), value(node.b))
        }
    }
}

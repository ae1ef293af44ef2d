//! How long things take; printed, not judged.

use std::hint::black_box;
use std::time::Instant;

use testwright_abi::expr::Op;

use super::{MEMORY, binary, control, inputs, leaf, load, poke, store, unary, worker};
use crate::trace::{begin, functions, reset, set_tables};

const POLYNOMIAL: u32 = 0xedb8_8320;

/// Prints the shortest time of twenty runs, each of which takes so many steps.
fn report(name: &str, steps: u32, mut run: impl FnMut()) {
    run();
    let mut best = f64::MAX;
    for _ in 0..20 {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed().as_nanos() as f64);
    }
    let each = best / f64::from(steps);
    println!("{name}: {:.1} us, {} nodes, {each:.1} ns per step", best / 1e3, control().node_count);
}

fn table() -> [u32; 256] {
    core::array::from_fn(|i| {
        (0..8).fold(i as u32, |crc, _| crc >> 1 ^ if crc & 1 == 1 { POLYNOMIAL } else { 0 })
    })
}

/// Crc32 by bits, as the trace build of a C loop does it.
fn bitwise_crc(data: &[u8]) -> u32 {
    let mut crc = (0, u32::MAX);
    for (i, &byte) in data.iter().enumerate() {
        let loaded = load(0, MEMORY + i as u64, 1);
        let wide = unary(Op::ZExt, 32, 8, loaded, 0, byte.into());
        let mut next = crc.1 ^ u32::from(byte);
        crc = (binary(Op::Xor, 32, 32, (crc.0, crc.1.into()), (wide, byte.into()), next.into()), next);
        for _ in 0..8 {
            let bit = crc.1 & 1;
            let low = binary(Op::And, 32, 32, (crc.0, crc.1.into()), (0, 1), bit.into());
            let spread = binary(Op::Sub, 32, 32, (0, 0), (low, bit.into()), bit.wrapping_neg().into());
            let part = bit.wrapping_neg() & POLYNOMIAL;
            let xor = binary(
                Op::And,
                32,
                32,
                (spread, bit.wrapping_neg().into()),
                (0, POLYNOMIAL.into()),
                part.into(),
            );
            let half = binary(Op::LShr, 32, 32, (crc.0, crc.1.into()), (0, 1), (crc.1 >> 1).into());
            next = crc.1 >> 1 ^ part;
            crc =
                (binary(Op::Xor, 32, 32, (half, (crc.1 >> 1).into()), (xor, part.into()), next.into()), next);
        }
    }
    assert_ne!(crc.0, 0);
    !crc.1
}

/// Crc32 by a table.
fn table_crc(data: &[u8], place: u64, table: &[u32; 256]) -> u32 {
    let mut crc = (0, u32::MAX);
    for (i, &byte) in data.iter().enumerate() {
        let loaded = load(0, MEMORY + i as u64, 1);
        let wide = unary(Op::ZExt, 32, 8, loaded, 0, byte.into());
        let mixed = crc.1 ^ u32::from(byte);
        let sum = binary(Op::Xor, 32, 32, (crc.0, crc.1.into()), (wide, byte.into()), mixed.into());
        let index = mixed & 255;
        let masked = binary(Op::And, 32, 32, (sum, mixed.into()), (0, 255), index.into());
        let long = unary(Op::ZExt, 64, 32, masked, 0, index.into());
        // SAFETY: the test holds the turn.
        let pointer = unsafe { functions::element(0, long, place, index.into(), 4) };
        let entry = load(pointer, place + 4 * u64::from(index), 4);
        let half = binary(Op::LShr, 32, 32, (crc.0, crc.1.into()), (0, 8), (crc.1 >> 8).into());
        let value = table[index as usize];
        let next = value ^ crc.1 >> 8;
        crc =
            (binary(Op::Xor, 32, 32, (entry, value.into()), (half, (crc.1 >> 8).into()), next.into()), next);
    }
    assert_ne!(crc.0, 0);
    !crc.1
}

#[test]
fn a_symbolic_kilobyte_goes_through_crc32() {
    let _turn = worker();
    let data: Vec<u8> = (0..1024u32).map(|i| (i * 7 + i / 13) as u8).collect();
    let leaves: Vec<_> = (0..1024).map(|i| leaf(i, 1)).collect();
    let table = table();
    let place = MEMORY + 0x9000;
    poke(MEMORY, &data);
    poke(place, &table.iter().flat_map(|entry| entry.to_le_bytes()).collect::<Vec<u8>>());
    set_tables(&[testwright_abi::command::Span { address: place, length: 1024 }]);
    let expected =
        !data.iter().fold(u32::MAX, |crc, byte| table[((crc ^ u32::from(*byte)) & 255) as usize] ^ crc >> 8);
    report("begin and reset, 1024 leaves", 1024, || {
        begin(&leaves);
        reset();
    });
    report("crc32 by bits", 1024 * 8 * 5, || {
        begin(&leaves);
        assert_eq!(bitwise_crc(&data), expected);
        reset();
    });
    report("crc32 by table", 1024 * 8, || {
        begin(&leaves);
        assert_eq!(table_crc(&data, place, &table), expected);
        reset();
    });
    assert_eq!((control().stale_count, control().overflowed, control().event_count), (0, 0, 0));
}

#[test]
fn nodes_are_made_and_found() {
    let _turn = worker();
    let x = inputs(&[(8, 1)])[0];
    let sums = |x: u32| {
        let mut sum = (x, 1u64);
        for i in 0..10_000u64 {
            let next = sum.1.wrapping_mul(i | 1);
            sum = (binary(Op::Xor, 64, 64, (sum.0, sum.1.into()), (x, 1), (sum.1 ^ 1).into()), sum.1 ^ 1);
            sum = (binary(Op::Mul, 64, 64, (sum.0, sum.1.into()), (x, 1), sum.1.into()), sum.1);
            black_box(next);
        }
        sum.0
    };
    let last = sums(x);
    report("10000 pairs found", 20_000, || assert_eq!(sums(x), last));
    report("10000 pairs made", 20_000, || {
        let x = inputs(&[(8, 1)])[0];
        black_box(sums(x));
    });
    report("stores and loads of 8 bytes", 20_000, || {
        let x = inputs(&[(8, 1)])[0];
        poke(MEMORY + 64, &1u64.to_le_bytes());
        for _ in 0..10_000 {
            store(x, MEMORY + 64, 8);
            assert_eq!(load(0, MEMORY + 64, 8), x);
        }
    });
}

//! Reads from constant tables stay symbolic.

use testwright_abi::command::Span;
use testwright_abi::event::{EventKind, MAX_TABLES, TableRecord};
use testwright_abi::expr::Op;
use testwright_abi::memory::{SHARED_BASE, TABLES_OFFSET, TABLES_SIZE};

use super::{MEMORY, control, events, inputs, load, node, poke, unary, worker};
use crate::trace::{begin, functions, set_tables};

const TABLE: u64 = MEMORY + 0x8000;

fn spans() -> Vec<Span> {
    [(TABLE + 0x2000, 5000), (TABLE, 1024), (TABLE + 0x1000, 40)]
        .map(|(address, length)| Span { address, length })
        .to_vec()
}

fn element(index: (u32, u64), base: u64, scale: u64) -> u32 {
    // SAFETY: the test holds the turn.
    unsafe { functions::element(0, index.0, base, index.1, scale) }
}

fn record(number: u32) -> TableRecord {
    assert!(number < control().table_count);
    // SAFETY: so many records were written at the start of the tables area.
    unsafe { *((SHARED_BASE + TABLES_OFFSET) as *const TableRecord).add(number as usize) }
}

#[test]
fn a_read_that_stays_inside_has_no_condition() {
    let _turn = worker();
    poke(TABLE, &(0..=255u32).flat_map(|i| (i * i).to_le_bytes()).collect::<Vec<u8>>());
    set_tables(&spans());
    for _ in 0..2 {
        let byte = inputs(&[(1, 200)])[0];
        let index = unary(Op::ZExt, 64, 8, byte, 0, 200);
        let pointer = element((index, 200), TABLE, 4);
        let handle = load(pointer, TABLE + 800, 4);
        let read = node(handle);
        assert_eq!((read.op, read.a, read.width, read.value), (Op::Table as u8, 0, 32, 40000));
        assert_eq!((node(read.b).op, node(read.b).a), (Op::Mul as u8, index));
        assert_eq!((events().len(), control().table_count), (0, 1));
        let TableRecord { address, length, offset } = record(0);
        assert_eq!((address, length), (TABLE, 1024));
        assert!(offset >= 16 * MAX_TABLES && offset + length <= control().tables_used);
        assert_eq!(super::peek(SHARED_BASE + TABLES_OFFSET + u64::from(offset) + 800, 4), 40000);
    }
}

#[test]
fn a_read_that_may_leave_the_table_has_a_condition_once() {
    let _turn = worker();
    set_tables(&spans());
    let index = inputs(&[(8, 3)])[0];
    let pointer = element((index, 3), TABLE + 0x1000 - 4, 4);
    let first = load(pointer, TABLE + 0x1008, 4);
    assert_eq!(load(pointer, TABLE + 0x1008, 4), first);
    assert_eq!(node(first).op, Op::Table as u8);
    let recorded = events();
    assert_eq!((recorded.len(), recorded[0].kind), (1, EventKind::Bounds as u16));
    let condition = node(recorded[0].expr);
    assert_eq!((condition.op, condition.value), (Op::Ult as u8, 1));
    assert_eq!(node(condition.b).value, 37, "an offset of up to 36 leaves room for 4 bytes");
    assert_eq!(condition.a, node(first).b);
}

#[test]
fn large_tables_and_other_memory_are_pinned() {
    let _turn = worker();
    set_tables(&spans());
    let index = inputs(&[(8, 3)])[0];
    let misses = [TABLE + 0x2000, TABLE + 1024 - 4, TABLE + 0x1800, TABLE - 64, TABLE + 0x1000 + 36];
    for base in misses {
        let pointer = element((index, 3), base, 1);
        assert_eq!(load(pointer, base + 3, 4), 0);
    }
    let kinds: Vec<u16> = events().iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [EventKind::Address as u16; 5]);
    assert_eq!(control().table_count, 0);
}

#[test]
fn tables_that_do_not_fit_are_pinned() {
    let _turn = worker();
    set_tables(&spans());
    begin(&[]);
    let index = inputs(&[(8, 3)])[0];
    control().tables_used = TABLES_SIZE as u32 - 1000;
    let large = element((index, 3), TABLE, 1);
    assert_eq!(load(large, TABLE + 3, 1), 0);
    assert_eq!((control().overflowed, control().table_count, events().len()), (1, 0, 1));
    let small = element((index, 3), TABLE + 0x1000, 1);
    assert_ne!(load(small, TABLE + 0x1003, 1), 0);
    assert!(record(0).offset + record(0).length <= TABLES_SIZE as u32);
}

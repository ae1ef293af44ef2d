//! What does not fit is concrete, and nothing is written beyond the end.

use testwright_abi::event::Event;
use testwright_abi::expr::{Node, Op};
use testwright_abi::memory::{
    EVENTS_OFFSET, MAX_EVENTS, MAX_NODES, NODES_OFFSET, SHARED_BASE, SHARED_SIZE, TABLES_OFFSET,
};

use super::{binary, control, inputs, load, node, peek, worker};
use crate::trace::functions;

#[test]
fn nodes_end_at_their_limit() {
    let _turn = worker();
    const { assert!(NODES_OFFSET + MAX_NODES * size_of::<Node>() as u64 <= SHARED_SIZE) };
    let x = inputs(&[(8, 1)])[0];
    let first = binary(Op::Add, 64, 64, (x, 1), (0, 0x1_0000_0000), 0x1_0000_0001);
    let mut made = 0;
    for i in 1..MAX_NODES {
        // Constants that agree in their low half compete for the same slots.
        let constant = u128::from(i) << 32 | 1;
        let sum = binary(Op::Add, 64, 64, (x, 1), (0, constant), constant + 1);
        if sum != 0 {
            made += 1;
            assert_eq!(node(node(sum).b).value, constant, "nodes whose hashes look alike are told apart");
        }
    }
    assert_eq!((u64::from(control().node_count), control().overflowed), (MAX_NODES, 1));
    assert!(made > MAX_NODES / 2 - 8, "{made}");
    assert_eq!(binary(Op::Xor, 64, 64, (x, 1), (0, 2), 3), 0);
    assert_eq!(
        binary(Op::Add, 64, 64, (x, 1), (0, 0x1_0000_0000), 0x1_0000_0001),
        first,
        "what is there is found"
    );
    assert_eq!(load(0, super::MEMORY, 4), 0);
    let x = inputs(&[(8, 1)])[0];
    assert_eq!((x, control().overflowed, control().node_count), (1, 0, 2), "the next run has room again");
}

#[test]
fn events_end_at_their_limit() {
    let _turn = worker();
    const { assert!(EVENTS_OFFSET + MAX_EVENTS * size_of::<Event>() as u64 == TABLES_OFFSET) };
    let x = inputs(&[(4, 7)])[0];
    let before = peek(SHARED_BASE + TABLES_OFFSET, 16);
    for site in 0..MAX_EVENTS as u32 + 3 {
        // SAFETY: the test holds the turn.
        unsafe { functions::switch(site, x, 1, 0) };
    }
    assert_eq!((u64::from(control().event_count), control().overflowed), (MAX_EVENTS, 1));
    assert_eq!(peek(SHARED_BASE + TABLES_OFFSET, 16), before);
}

#[test]
fn nothing_of_a_run_is_found_in_the_next_however_large_both_are() {
    let _turn = worker();
    for count in [3u32, 40_000, 7, 5_000, 40_000, 1] {
        let x = inputs(&[(8, 1)])[0];
        for i in 2..count + 2 {
            let constant = u128::from(i);
            let sum = binary(Op::Add, 64, 64, (x, 1), (0, constant), constant + 1);
            assert_eq!(sum, 2 * i - 1, "the constant and the sum are new");
            assert_eq!((node(sum).a, node(node(sum).b).value), (x, constant));
        }
        for i in 2..count + 2 {
            let constant = u128::from(i);
            let again = binary(Op::Add, 64, 64, (x, 1), (0, constant), constant + 1);
            assert_eq!(again, 2 * i - 1, "the same sum is the same node");
        }
    }
}

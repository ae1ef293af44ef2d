//! Events are recorded in order, and pins once.

use testwright_abi::event::{Event, EventKind};
use testwright_abi::expr::Op;

use super::{MEMORY, binary, events, inputs, load, poke, worker};
use crate::trace::functions;

fn event(kind: EventKind, outcome: u16, site: u32, expr: u32, extra: u32) -> Event {
    Event { kind: kind as u16, outcome, site, expr, extra }
}

#[test]
fn branches_switches_and_comparisons_are_recorded_each_time() {
    let _turn = worker();
    let x = inputs(&[(4, 7)])[0];
    let less = binary(Op::Slt, 1, 32, (x, 7), (0, 10), 1);
    // SAFETY: the test holds the turn.
    unsafe {
        functions::branch(1, less, 1, 0);
        functions::branch(1, 0, 1, 8);
        functions::branch(1, less, 0, 8);
        functions::switch(2, x, 5, 9);
        functions::compare(3, less, 1);
    }
    let expected = [
        event(EventKind::Branch, 0, 1, less, 0),
        event(EventKind::Branch, 1, 1, less, 8),
        event(EventKind::Switch, 5, 2, x, 9),
        event(EventKind::Compare, 0, 3, less, 0),
    ];
    assert_eq!(events(), expected);
}

#[test]
fn a_value_is_pinned_once_for_each_kind() {
    let _turn = worker();
    let pin = |kind: EventKind, handle: u32, extra: u32| {
        // SAFETY: the test holds the turn.
        unsafe { functions::pin(kind as u32, 4, handle, extra) };
    };
    for _ in 0..2 {
        let handles = inputs(&[(8, 64), (8, 3)]);
        for _ in 0..3 {
            pin(EventKind::Size, handles[0], 0);
            pin(EventKind::Native, handles[0], 12);
            pin(EventKind::Size, handles[1], 0);
            pin(EventKind::Size, 0, 0);
            pin(EventKind::Branch, handles[0], 0);
        }
        let expected = [
            event(EventKind::Size, 0, 4, handles[0], 0),
            event(EventKind::Native, 0, 4, handles[0], 12),
            event(EventKind::Size, 0, 4, handles[1], 0),
        ];
        assert_eq!(events(), expected, "each run begins without pins");
    }
}

#[test]
fn a_symbolic_address_is_pinned_and_the_load_goes_on() {
    let _turn = worker();
    let place = MEMORY + 0x400;
    let handles = inputs(&[(8, place.into()), (4, 9)]);
    poke(place, &9u32.to_le_bytes());
    super::store(handles[1], place, 4);
    for _ in 0..2 {
        assert_eq!(load(handles[0], place, 4), handles[1]);
    }
    assert_eq!(events(), [event(EventKind::Address, 0, 7, handles[0], 0)]);
}

//! Code under test that lays hands on what host and worker need costs its own run and nothing else.

use std::time::Duration;

use testwright_abi::control::EndKind;
use testwright_process::Answer;

use crate::support::{Fixture, LIMIT, children_of};

const ADDS: u32 = 0;
const WIPES: u32 = 1;
const CLOSES: u32 = 2;
const CLOSES_RANGE: u32 = 3;
const WRITES: u32 = 4;
const REPLACES: u32 = 5;

const RETURN: i64 = 0;
const CRASH: i64 = 1;
const LOOP: i64 = 2;
const LEAVE: i64 = 3;
const STOP: i64 = 4;

/// A clean run gives what it always gives, in the same worker.
fn assert_unharmed(fixture: &mut Fixture, server: u32) {
    let outcome = fixture.run(ADDS, &[30, 12]);
    assert!(matches!(outcome.answer, Answer::Done { .. }), "{outcome:?}");
    assert_eq!((outcome.kind, outcome.result, outcome.status.news), (EndKind::Returned, 42, 1));
    assert_eq!(fixture.worker.segment().coverage(3), [1, 0, 0]);
    assert_eq!((fixture.worker.id(), children_of(server).len()), (server, 1));
}

#[test]
fn a_run_that_wipes_the_segment_costs_only_itself_however_it_ends() {
    let mut fixture = Fixture::new("hostile");
    let server = fixture.worker.id();
    for (byte, way) in [0, 1, 0x7f, -1]
        .into_iter()
        .flat_map(|byte| [RETURN, CRASH, LOOP, LEAVE, STOP].map(|way| (byte, way)))
    {
        let limit = if [LOOP, STOP].contains(&way) { Duration::from_millis(100) } else { LIMIT };
        let answer = fixture.run_within(WIPES, &[byte, way], limit).answer;
        match way {
            LOOP | STOP => assert_eq!(answer, Answer::TimedOut, "{byte} {way}"),
            RETURN => {}
            _ => assert!(matches!(answer, Answer::Died { .. } | Answer::Damaged), "{byte} {way}: {answer:?}"),
        }
        assert_unharmed(&mut fixture, server);
    }
}

#[test]
fn descriptors_of_the_worker_can_be_neither_closed_nor_written_nor_replaced() {
    let mut fixture = Fixture::new("hostile");
    let server = fixture.worker.id();
    for (entry, arguments) in [
        (CLOSES, [RETURN, 0]),
        (CLOSES, [CRASH, 0]),
        (WRITES, [0, RETURN]),
        (WRITES, [1, RETURN]),
        (WRITES, [2, CRASH]),
        (REPLACES, [0, 0]),
    ] {
        let outcome = fixture.run(entry, &arguments);
        // Elsewhere it costs the run.
        if outcome.status.seccomp == 1 {
            assert_eq!(outcome.result, 0, "{entry} {arguments:?} {outcome:?}");
        }
        assert_unharmed(&mut fixture, server);
    }
}

#[test]
fn closing_all_descriptors_at_once_closes_those_of_the_run() {
    let mut fixture = Fixture::new("hostile");
    let server = fixture.worker.id();
    assert_eq!(fixture.run(CLOSES_RANGE, &[RETURN]).result, 1);
    assert_unharmed(&mut fixture, server);
    let outcome = fixture.run_within(CLOSES_RANGE, &[LOOP], Duration::from_millis(100));
    assert_eq!(outcome.answer, Answer::TimedOut);
    assert_unharmed(&mut fixture, server);
}

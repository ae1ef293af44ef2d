//! Instructions of a call: exact, the same each time, whatever becomes of the call.

use testwright_abi::command::CommandKind;
use testwright_abi::control::EndKind;
use testwright_process::Request;

use crate::support::{Fixture, LIMIT, Outcome, command};

/// The drivers of `subjects/counted.c` by number.
const LOOPS: u32 = 0;
const EXITS: u32 = 1;
const BREAKS: u32 = 2;
const RETURNS: u32 = 3;

fn count(fixture: &mut Fixture, kind: CommandKind, entry: u32, argument: i64) -> Outcome {
    fixture.write(&[argument]);
    let mut command = command(kind, entry);
    command.count = 2;
    fixture.give(command, &Request::default(), LIMIT)
}

fn loops(fixture: &mut Fixture, kind: CommandKind, rounds: i64) -> u64 {
    let outcome = count(fixture, kind, LOOPS, rounds);
    assert_eq!((outcome.kind, outcome.result), (EndKind::Returned, 1));
    outcome.status.instructions
}

#[test]
fn each_instruction_of_the_driver_counts_once() {
    let mut fixture = Fixture::new("counted");
    assert_eq!(count(&mut fixture, CommandKind::Count, RETURNS, 0).status.instructions, 1, "`ret`");
    for kind in [CommandKind::Count, CommandKind::CountTrace] {
        let few = loops(&mut fixture, kind, 10);
        assert_eq!(loops(&mut fixture, kind, 510) - few, 1000, "two instructions in each round");
        assert_eq!(loops(&mut fixture, kind, 10), few);
    }
    assert_eq!(fixture.run(LOOPS, &[5]).result, 1, "what follows is not stopped any more");
}

#[test]
fn a_call_that_does_not_return_is_counted_no_further() {
    let mut fixture = Fixture::new("counted");
    for _ in 0..2 {
        assert_eq!(count(&mut fixture, CommandKind::Count, EXITS, 0).kind, EndKind::Exit);
    }
    assert_eq!(fixture.run(LOOPS, &[5]).result, 1);
    let outcome = count(&mut fixture, CommandKind::Count, BREAKS, 0);
    assert_eq!((outcome.kind, outcome.status.end.code), (EndKind::Signal, libc::SIGTRAP));
}

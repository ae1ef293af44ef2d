//! Traced runs: symbolic leaves, and replacements that keep the shadow true.

use testwright_abi::command::{CommandKind, Leaf};
use testwright_abi::control::EndKind;
use testwright_abi::expr::Op;
use testwright_process::{CommandError, Request};

use crate::support::{ARGUMENTS, Fixture, LIMIT, command};

const MOVES: u32 = 0;
const READS_GLOBAL: u32 = 1;
const TIME: u32 = 2;

const ARGUMENT: Leaf = Leaf { address: ARGUMENTS, bytes: 4, pointer: 0, global: u32::MAX };

fn trace(fixture: &mut Fixture, entry: u32, leaves: &[Leaf]) -> i64 {
    fixture.write(&[77]);
    let request = Request { leaves, ..Request::default() };
    let outcome = fixture.give(command(CommandKind::Trace, entry), &request, LIMIT);
    assert_eq!(outcome.kind, EndKind::Returned);
    outcome.result
}

#[test]
fn leaves_are_the_inputs_of_the_expressions() {
    let mut fixture = Fixture::new("traced");
    trace(&mut fixture, TIME, &[ARGUMENT]);
    let input = fixture.worker.segment().nodes()[1];
    assert_eq!((input.op, input.a, input.width, input.value), (Op::Input as u8, 0, 32, 77));
}

#[test]
fn a_block_that_moves_takes_its_expressions_along_and_a_fresh_one_has_none() {
    let mut fixture = Fixture::new("traced");
    assert_eq!(trace(&mut fixture, MOVES, &[ARGUMENT]), 11);
    assert_eq!(trace(&mut fixture, MOVES, &[ARGUMENT]), 11);
}

#[test]
fn what_a_replacement_writes_is_concrete() {
    let mut fixture = Fixture::new("traced");
    assert_eq!(trace(&mut fixture, TIME, &[ARGUMENT]), 1);
}

#[test]
fn a_leaf_in_a_global_is_symbolic_for_one_command_only() {
    let mut fixture = Fixture::new("traced");
    let leaf = Leaf { address: 0, bytes: 4, pointer: 0, global: 0 };
    assert_eq!(trace(&mut fixture, READS_GLOBAL, &[leaf]), 1);
    assert_eq!(fixture.run(READS_GLOBAL, &[]).result, 0, "a plain run after it sees no taint");
    assert_eq!(trace(&mut fixture, READS_GLOBAL, &[]), 0);
}

#[test]
fn a_leaf_outside_its_global_is_refused() {
    let mut fixture = Fixture::new("traced");
    for leaf in [
        Leaf { address: 1, bytes: 4, pointer: 0, global: 0 },
        Leaf { address: 0, bytes: 4, pointer: 0, global: 1 },
    ] {
        let mut command = command(CommandKind::Trace, READS_GLOBAL);
        let request = Request { leaves: &[leaf], ..Request::default() };
        fixture.worker.segment_mut().write_request(&mut command, &request).unwrap();
        assert!(matches!(fixture.worker.command(&command, LIMIT), Err(CommandError::Refused(_))));
    }
}

//! A run begins where the first one began, whatever the runs before it have done.

use testwright_abi::command::{Command, CommandKind};
use testwright_abi::control::EndKind;
use testwright_abi::draw::{Draw, DrawKind, Rng, value};
use testwright_process::{Answer, Request, global_places};

use crate::support::{Fixture, LIMIT, command};

const GLOBALS: u32 = 0;
const HEAP: u32 = 1;
const ODD_SIZES: u32 = 2;
const ERRNO: u32 = 3;
const ROUNDING: u32 = 4;
const ROUNDING_THEN_TRAP: u32 = 5;
const CLOCKS: u32 = 6;
const RANDOMS: u32 = 7;
const FILES: u32 = 8;
const PRINTS: u32 = 9;
const PRINTS_THEN_EXITS: u32 = 10;
const FLOODS: u32 = 11;
const SET_BY_HOST: u32 = 12;
const STACK: u32 = 13;

/// Global number of the variable `is_set`.
const IS_SET: u32 = 3;

#[test]
fn globals_errno_and_the_float_environment_are_as_at_the_start() {
    let mut fixture = Fixture::new("reset");
    for round in 0..3 {
        assert_eq!(fixture.run(GLOBALS, &[]).result, 41 + 15, "globals, round {round}");
        assert_eq!(fixture.run(ERRNO, &[]).result, 0, "errno, round {round}");
        assert_eq!(fixture.run(ROUNDING, &[]).result, 1, "rounding, round {round}");
        assert_eq!(fixture.run(ROUNDING_THEN_TRAP, &[]).kind, EndKind::Trap);
    }
}

#[test]
fn the_heap_gives_the_same_addresses_and_contents_in_every_run_and_process() {
    let (mut one, mut other) = (Fixture::new("reset"), Fixture::new("reset"));
    for step in [3, 100, 7000, 3] {
        let first = one.run(HEAP, &[step]);
        assert!(first.result > 0, "{}", first.result);
        assert_eq!(first.result, one.run(HEAP, &[step]).result);
        assert_eq!(first.result, other.run(HEAP, &[step]).result);
        assert!(first.status.heap_peak >= first.status.heap_used && first.status.heap_used > 5000);
    }
    let odd = one.run(ODD_SIZES, &[]);
    assert_eq!((odd.kind, odd.result), (EndKind::Returned, 0b11111));
}

#[test]
fn time_and_random_numbers_repeat() {
    let mut fixture = Fixture::new("reset");
    let (time, random) = (fixture.run(CLOCKS, &[]), fixture.run(RANDOMS, &[]));
    assert_eq!(time.result, 1_000_000_000_001);
    assert!(random.result > 0);
    assert_eq!(fixture.run(CLOCKS, &[]).result, time.result);
    assert_eq!(fixture.run(RANDOMS, &[]).result, random.result);
}

#[test]
fn files_folders_and_settings_of_a_run_are_gone_in_the_next() {
    let mut fixture = Fixture::new("reset");
    for round in 0..3 {
        assert_eq!(fixture.run(FILES, &[]).result, 3111, "round {round}");
        fixture.run(PRINTS, &[round]);
        assert_eq!(fixture.output(), format!("err\nout {round}\n"), "standard output is open again");
    }
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert_eq!(fixture.run(ERRNO, &[]).kind, EndKind::Returned, "the alarm clock is off");
}

#[test]
fn what_a_run_prints_is_its_own_also_when_it_exits() {
    let mut fixture = Fixture::new("reset");
    let outcome = fixture.run(PRINTS, &[7]);
    assert_eq!(fixture.output(), "err\nout 7\n");
    assert_eq!(outcome.status.output_length, 10);
    assert_eq!(fixture.run(PRINTS_THEN_EXITS, &[]).kind, EndKind::Exit);
    assert_eq!(fixture.output(), "before exit");
    assert_eq!(fixture.run(ERRNO, &[]).status.output_length, 0);
    assert_eq!(fixture.output(), "");
}

#[test]
fn endless_output_ends_the_run() {
    let mut fixture = Fixture::new("reset");
    let outcome = fixture.run(FLOODS, &[]);
    assert_eq!((outcome.kind, outcome.status.end.code), (EndKind::Signal, libc::SIGXFSZ));
    assert_eq!(outcome.status.output_length, 64 << 20);
}

#[test]
fn nothing_of_an_earlier_run_is_seen_on_the_stack() {
    let mut fixture = Fixture::new("reset");
    for _ in 0..3 {
        assert_eq!(fixture.run(STACK, &[]).result, 0);
    }
}

#[test]
fn a_case_can_set_globals_for_every_run_of_a_command() {
    let mut fixture = Fixture::new("reset");
    let bytes = 17u32.to_le_bytes();
    let globals: [(u32, &[u8]); 1] = [(IS_SET, &bytes)];
    let request = Request { globals: &globals, ..Request::default() };
    for kind in [CommandKind::Run, CommandKind::Repeat] {
        let command = Command { count: 5, ..command(kind, SET_BY_HOST) };
        assert_eq!(fixture.give(command, &request, LIMIT).result, 17, "{kind:?}");
    }
    assert_eq!(fixture.run(SET_BY_HOST, &[]).result, 0, "the next command does not set it");

    let draw = Draw {
        address: global_places(&globals)[0],
        kind: DrawKind::Integer as u32,
        bytes: 4,
        low: 0,
        span: 0,
    };
    let request = Request { draws: &[draw], ..request };
    let command = Command { seed: 3, first: 10, count: 2, ..command(CommandKind::Batch, SET_BY_HOST) };
    let drawn = value(&draw, &mut Rng::new(3, 11)) as i32;
    assert_eq!(fixture.give(command, &request, LIMIT).result, i64::from(drawn));
}

#[test]
fn repeated_runs_all_start_from_the_same_state() {
    let mut fixture = Fixture::new("reset");
    for (entry, result) in [(GLOBALS, 41 + 15), (ERRNO, 0), (ROUNDING, 1), (FILES, 3111)] {
        for kind in [CommandKind::Repeat, CommandKind::Batch, CommandKind::RepeatTrace] {
            let command = Command { count: 20, ..command(kind, entry) };
            let outcome = fixture.give(command, &Request::default(), LIMIT);
            assert!(matches!(outcome.answer, Answer::Done { .. }));
            assert_eq!(outcome.result, result, "{entry} {kind:?}");
        }
    }
}

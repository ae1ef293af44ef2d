//! Every way in which a run can end is told apart.

use testwright_abi::command::{CommandKind, Span};
use testwright_abi::control::EndKind;
use testwright_abi::memory::{HEAP_BASE, INPUT_BASE, STACK_SIZE, STACK_TOP};
use testwright_process::{Answer, CommandError, Request};

use crate::support::{ARGUMENTS, Fixture, LIMIT, Outcome, command};

/// The drivers of `subjects/ends.c` by number.
pub const RETURNS: u32 = 0;
pub const TRAPS: u32 = 1;
pub const NULL_WRITE: u32 = 2;
pub const EXITS: u32 = 3;
pub const ABORTS: u32 = 4;
pub const RECURSES: u32 = 5;
pub const LOOPS: u32 = 6;
pub const ALLOCATES: u32 = 7;
pub const DOUBLE_FREE: u32 = 8;
pub const HANGS: u32 = 9;
pub const DIVIDES: u32 = 10;
pub const NATIVE_ABORT: u32 = 11;
pub const ILLEGAL: u32 = 12;
const ASSERTS: u32 = 13;
const FREE_OF_STACK: u32 = 14;
const BIG_FRAME: u32 = 15;
const AT_EXIT: u32 = 16;
const ORDER_SEEN: u32 = 17;
const RAISES: u32 = 18;
const RAISES_HANDLED: u32 = 19;
const READS: u32 = 20;
const NO_DRIVER: u32 = 21;
const EXITS_FROM_SIGNAL: u32 = 22;
const FREE_INSIDE: u32 = 23;
const FREES: u32 = 24;
const REALLOCATES: u32 = 25;
const CALLS_STUBS: u32 = 26;

#[test]
fn a_function_that_returns_gives_its_value_and_its_coverage() {
    let mut fixture = Fixture::new("ends");
    let outcome = fixture.run(RETURNS, &[20, 22]);
    assert!(matches!(outcome.answer, Answer::Done { .. }));
    assert_eq!((outcome.kind, outcome.result, outcome.status.news), (EndKind::Returned, 42, 1));
    assert_eq!(fixture.worker.segment().coverage(3), [1, 0, 0]);
    assert_eq!(fixture.worker.segment().distances(2), [u64::MAX; 2]);
}

#[test]
fn ends_that_the_process_survives_are_told_apart_by_kind_code_and_site() {
    let mut fixture = Fixture::new("ends");
    let pid = fixture.process();
    for (entry, kind, code, site) in [
        (TRAPS, EndKind::Trap, 3, 77),
        (EXITS, EndKind::Exit, 5, u32::MAX),
        (ABORTS, EndKind::Abort, 0, u32::MAX),
        (LOOPS, EndKind::StepLimit, 0, u32::MAX),
        (ALLOCATES, EndKind::OutOfMemory, 0, u32::MAX),
        (DOUBLE_FREE, EndKind::BadFree, 0, u32::MAX),
        (FREE_OF_STACK, EndKind::BadFree, 0, u32::MAX),
        (FREE_INSIDE, EndKind::BadFree, 0, u32::MAX),
        (EXITS_FROM_SIGNAL, EndKind::Exit, 9, u32::MAX),
        (RETURNS, EndKind::Returned, 0, u32::MAX),
    ] {
        let outcome = fixture.run(entry, &[5, 6]);
        assert!(matches!(outcome.answer, Answer::Done { .. }), "{entry}: {:?}", outcome.answer);
        let end = outcome.status.end;
        assert_eq!((outcome.kind, end.code, end.site), (kind, code, site), "{entry}");
        assert_eq!(fixture.process(), pid, "{entry} needs no new process");
    }
    let negative = fixture.run(EXITS, &[-1]);
    assert_eq!(negative.status.end.code, -1);
}

#[test]
fn ends_that_kill_the_process_are_recorded_before_it_goes() {
    let mut fixture = Fixture::new("ends");
    for (entry, kind, code) in [
        (NULL_WRITE, EndKind::Signal, 11),
        (RECURSES, EndKind::StackOverflow, 11),
        (DIVIDES, EndKind::Signal, 8),
        (NATIVE_ABORT, EndKind::Abort, 6),
        (ILLEGAL, EndKind::Signal, 4),
    ] {
        let outcome = fixture.run(entry, &[]);
        let Answer::Died { status } = outcome.answer else { panic!("{entry}: {:?}", outcome.answer) };
        assert_eq!(status.code(), Some(testwright_abi::command::status::RECORDED));
        assert_eq!((outcome.kind, outcome.status.end.code), (kind, code), "{entry}");
    }
}

#[test]
fn a_fault_has_its_address_and_site_and_what_was_covered_before() {
    let mut fixture = Fixture::new("ends");
    let outcome = fixture.run(NULL_WRITE, &[]);
    assert_eq!((outcome.status.end.address, outcome.status.end.site), (8, 5));
    assert_eq!(fixture.worker.segment().coverage(4), [0, 0, 1, 0]);
}

#[test]
fn a_frame_that_does_not_fit_on_the_stack_is_a_stack_overflow() {
    let mut fixture = Fixture::new("ends");
    assert_eq!(fixture.run(BIG_FRAME, &[STACK_SIZE as i64 / 2]).kind, EndKind::Returned);
    for bytes in [STACK_SIZE as i64, 100 << 20, 1 << 33, 1 << 44] {
        let outcome = fixture.run(BIG_FRAME, &[bytes]);
        assert_eq!(outcome.kind, EndKind::StackOverflow, "{bytes}");
        assert!(outcome.status.end.address < STACK_TOP - STACK_SIZE);
    }
}

#[test]
fn one_byte_past_an_object_faults_at_its_address() {
    let mut fixture = Fixture::new("ends");
    let end = ARGUMENTS as i64 + 64;
    assert_eq!(fixture.run(READS, &[end - 1]).kind, EndKind::Returned);
    let beyond = fixture.run(READS, &[end]);
    assert_eq!((beyond.kind, beyond.status.end.address), (EndKind::Signal, end as u64));
    let heap = fixture.run(READS, &[HEAP_BASE as i64 + (1 << 20)]);
    assert_eq!((heap.kind, heap.status.end.address), (EndKind::Signal, HEAP_BASE + (1 << 20)));
}

/// A run with an object of four bytes whose address is the first argument; which objects it freed.
fn run_on_object(fixture: &mut Fixture, entry: u32, times: i64, uses: i64) -> (Outcome, Vec<u8>) {
    const OBJECT: u64 = INPUT_BASE + 0x6000 - 4;
    fixture.write(&[OBJECT as i64, times, uses]);
    fixture.worker.segment_mut().write_input(OBJECT, &[7, 8, 9, 10]).unwrap();
    fixture.worker.segment_mut().clear_freed(3);
    let objects = [Span { address: OBJECT, length: 4 }];
    let request = Request { objects: &objects, ..Request::default() };
    let outcome = fixture.give(command(CommandKind::Run, entry), &request, LIMIT);
    let freed = fixture.worker.segment().freed(3).to_vec();
    (outcome, freed)
}

#[test]
fn an_input_object_can_be_freed_once_and_is_there_again_in_the_next_run() {
    let mut fixture = Fixture::new("ends");
    for _ in 0..3 {
        let (kept, freed) = run_on_object(&mut fixture, FREES, 0, 1);
        assert_eq!((kept.kind, kept.result, freed), (EndKind::Returned, 7, vec![0, 0, 0]));
        let (once, freed) = run_on_object(&mut fixture, FREES, 1, 0);
        assert_eq!((once.kind, freed), (EndKind::Returned, vec![0, 0, 1]));
        let (twice, _) = run_on_object(&mut fixture, FREES, 2, 0);
        assert_eq!(twice.kind, EndKind::BadFree);
        let (used, freed) = run_on_object(&mut fixture, FREES, 1, 1);
        assert_eq!((used.kind, freed), (EndKind::Signal, vec![0, 0, 1]));
        assert_eq!(used.status.end.address, INPUT_BASE + 0x6000 - 4);
        let (moved, freed) = run_on_object(&mut fixture, REALLOCATES, 0, 0);
        assert_eq!((moved.kind, moved.result, freed), (EndKind::Returned, 7, vec![0, 0, 1]));
    }
    // The argument block is no object of the caller's.
    assert_eq!(fixture.run(FREES, &[ARGUMENTS as i64, 1, 0]).kind, EndKind::BadFree);
}

#[test]
fn calls_of_stubs_are_counted_and_told_in_their_order() {
    let mut fixture = Fixture::new("ends");
    for _ in 0..2 {
        assert_eq!(fixture.run(CALLS_STUBS, &[]).result, 100);
        assert_eq!(fixture.worker.segment().stub_calls(4), [0, 1, 0, 2]);
        assert_eq!(fixture.worker.segment().stub_order(3), [3, 1, 3]);
    }
}

#[test]
fn handlers_of_atexit_run_last_in_first_out_and_are_forgotten() {
    let mut fixture = Fixture::new("ends");
    let outcome = fixture.run(AT_EXIT, &[]);
    assert_eq!((outcome.kind, outcome.status.end.code), (EndKind::Exit, 4));
    assert_eq!(fixture.run(ORDER_SEEN, &[]).result, 211);
    fixture.run(EXITS, &[0]);
    assert_eq!(fixture.run(ORDER_SEEN, &[]).result, 211, "nothing ran again");
}

#[test]
fn a_failed_assertion_aborts_with_the_message_of_the_c_library() {
    let mut fixture = Fixture::new("ends");
    assert_eq!(fixture.run(ASSERTS, &[]).kind, EndKind::Abort);
    assert_eq!(fixture.output(), "file.c:12: f: Assertion `x > 0' failed.\n");
    let quiet = fixture.run(RETURNS, &[1, 2]);
    assert_eq!((fixture.output().as_str(), quiet.status.output_length), ("", 0));
}

#[test]
fn a_raised_signal_ends_the_run_unless_the_code_handles_it() {
    let mut fixture = Fixture::new("ends");
    for number in [libc::SIGUSR1, libc::SIGTERM, libc::SIGINT, libc::SIGSEGV] {
        let outcome = fixture.run(RAISES, &[number.into()]);
        assert_eq!((outcome.kind, outcome.status.end.code), (EndKind::Signal, number));
    }
    let handled = fixture.run(RAISES_HANDLED, &[]);
    assert_eq!((handled.kind, handled.result), (EndKind::Returned, 100 + i64::from(libc::SIGUSR1)));
    assert_eq!(
        fixture.run(RAISES, &[libc::SIGUSR1.into()]).kind,
        EndKind::Signal,
        "the handler is forgotten"
    );
    let killed = fixture.run(RAISES, &[libc::SIGKILL.into()]);
    assert_eq!(killed.kind, EndKind::None);
    assert!(matches!(killed.answer, Answer::Died { .. }));
}

#[test]
fn commands_without_sense_are_refused_and_the_worker_goes_on() {
    let mut fixture = Fixture::new("ends");
    let kind = CommandKind::Run;
    let mut outside = command(kind, RETURNS);
    let span = Span { address: 0x1000, length: 8 };
    let request = Request { objects: &[span], ..Request::default() };
    fixture.worker.segment_mut().write_request(&mut outside, &request).unwrap();
    for (bad, words) in [
        (command(kind, NO_DRIVER), "no such driver"),
        (command(kind, 1000), "no such driver"),
        (testwright_abi::command::Command { library: 1, ..command(kind, 0) }, "no such library"),
        (testwright_abi::command::Command { kind: 99, ..command(kind, 0) }, "no such kind"),
        (testwright_abi::command::Command { draw_count: u32::MAX, ..command(kind, 0) }, "too many"),
        (testwright_abi::command::Command { outcome_count: u32::MAX, ..command(kind, 0) }, "too many"),
        (outside, "outside its area"),
    ] {
        let error = fixture.worker.command(&bad, LIMIT).unwrap_err();
        assert!(matches!(error, CommandError::Refused(Some(_))), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    assert_eq!(fixture.run(RETURNS, &[1, 2]).result, 3);
}

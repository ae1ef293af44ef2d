//! Batches keep what is interesting, can be redrawn by the host, and cost little more than the calls.

use testwright_abi::command::{Command, CommandKind, Span};
use testwright_abi::control::EndKind;
use testwright_abi::draw::{Draw, DrawKind, Rng, value};
use testwright_abi::memory::{INPUT_BASE, MAX_KEPT};
use testwright_process::{Answer, Request};

use crate::support::{ARGUMENTS, Fixture, LIMIT, Outcome, command};

pub const TRIANGLE: u32 = 0;
const ENDS: u32 = 1;
const FAULT: u32 = 2;
const OBJECT: u32 = 3;
const NEWS: u32 = 4;

fn draws(count: u64) -> Vec<Draw> {
    let draw = |index| Draw {
        address: ARGUMENTS + 8 * index,
        kind: DrawKind::Integer as u32,
        bytes: 4,
        low: 0,
        span: 0,
    };
    (0..count).map(draw).collect()
}

fn batch(fixture: &mut Fixture, entry: u32, draws: &[Draw], first: u64, count: u64) -> Outcome {
    fixture.write(&[0; 8]);
    let command = Command { seed: 5, first, count, ..command(CommandKind::Batch, entry) };
    fixture.give(command, &Request { draws, ..Request::default() }, LIMIT)
}

#[test]
fn an_iteration_that_was_kept_is_drawn_again_by_the_host_and_brings_the_same_news() {
    let mut fixture = Fixture::new("batch");
    let draws = draws(3);
    let outcome = batch(&mut fixture, TRIANGLE, &draws, 0, 100_000);
    assert!(matches!(outcome.answer, Answer::Done { .. }));
    assert_eq!((outcome.status.iteration, outcome.status.news), (100_000, 5));
    let coverage = fixture.worker.segment().coverage(5).to_vec();
    assert_eq!(coverage, [1; 5], "all five outcomes are found");
    let kept = fixture.worker.segment().kept().to_vec();
    assert_eq!(kept.len(), 5);
    let mut covered = [0; 5];
    for entry in kept {
        assert_eq!((entry.news, entry.end.kind), (1, EndKind::Returned as u32));
        let mut rng = Rng::new(5, entry.iteration);
        let values: Vec<i64> = draws.iter().map(|draw| i64::from(value(draw, &mut rng) as i32)).collect();
        let again = fixture.run(TRIANGLE, &values);
        assert_eq!(again.status.news, 1);
        for (sum, hit) in covered.iter_mut().zip(fixture.worker.segment().coverage(5)) {
            *sum += hit;
        }
    }
    assert_eq!(covered, [1; 5], "each kept iteration brought another outcome");
}

#[test]
fn what_is_already_covered_is_no_news_in_the_next_batch() {
    let mut fixture = Fixture::new("batch");
    batch(&mut fixture, TRIANGLE, &draws(3), 0, 100_000);
    let command = Command {
        seed: 5,
        first: 100_000,
        count: 100_000,
        clear: 0,
        ..command(CommandKind::Batch, TRIANGLE)
    };
    let draws = draws(3);
    let outcome = fixture.give(command, &Request { draws: &draws, ..Request::default() }, LIMIT);
    assert_eq!((outcome.status.kept_count, outcome.status.news), (0, 0));
}

#[test]
fn the_first_of_each_way_to_end_is_kept_and_the_batch_goes_on() {
    let mut fixture = Fixture::new("batch");
    let pid = fixture.process();
    let mut command = Command { seed: 5, count: 1000, steps: 1000, ..command(CommandKind::Batch, ENDS) };
    command.first = 7;
    let draws = draws(1);
    let outcome = fixture.give(command, &Request { draws: &draws, ..Request::default() }, LIMIT);
    assert!(matches!(outcome.answer, Answer::Done { .. }));
    assert_eq!((outcome.status.iteration, fixture.process()), (1007, pid));
    let kept = fixture.worker.segment().kept();
    let mut ways: Vec<_> = kept.iter().map(|kept| (kept.end.kind, kept.end.code, kept.end.site)).collect();
    ways.sort_unstable();
    let none = u32::MAX;
    let expected = [
        (EndKind::Returned as u32, 0, none),
        (EndKind::Trap as u32, 1, 10),
        (EndKind::Trap as u32, 1, 11),
        (EndKind::Exit as u32, 2, none),
        (EndKind::Abort as u32, 0, none),
        (EndKind::StepLimit as u32, 0, none),
    ];
    assert_eq!(ways, expected);
    for entry in kept {
        let expected = u64::from(entry.end.kind == EndKind::Returned as u32);
        assert_eq!(entry.news, expected);
    }
}

#[test]
fn a_fault_names_its_iteration_and_the_host_can_resume_after_it() {
    let mut fixture = Fixture::new("batch");
    let draws = draws(1);
    let (mut first, mut faults) = (0, 0);
    while first < 1000 {
        let outcome = batch(&mut fixture, FAULT, &draws, first, 1000 - first);
        first = outcome.status.iteration;
        if let Answer::Died { .. } = outcome.answer {
            let drawn = value(&draws[0], &mut Rng::new(5, first)) as i32;
            assert_eq!((outcome.kind, drawn), (EndKind::Signal, 3));
            faults += 1;
            first += 1;
        }
    }
    let expected = (0..1000).filter(|i| value(&draws[0], &mut Rng::new(5, *i)) as i32 == 3).count();
    assert!(expected > 2);
    assert_eq!(faults, expected);
}

#[test]
fn objects_are_the_same_at_the_start_of_every_iteration() {
    let mut fixture = Fixture::new("batch");
    let object = Span { address: INPUT_BASE + 0x8000, length: 16 };
    fixture.write(&[0, object.address as i64]);
    fixture.worker.segment_mut().write_input(object.address, &1234u64.to_le_bytes()).unwrap();
    let command = Command { seed: 5, count: 1000, ..command(CommandKind::Batch, OBJECT) };
    let draws = draws(1);
    let request = Request { objects: &[object], draws: &draws, ..Request::default() };
    let outcome = fixture.give(command, &request, LIMIT);
    assert!(matches!(outcome.answer, Answer::Done { .. }));
    assert_eq!(fixture.worker.segment().coverage(9)[7..], [0, 1]);
}

#[test]
fn a_full_list_stops_the_batch_where_the_host_can_resume() {
    let mut fixture = Fixture::new("batch");
    let outcome = batch(&mut fixture, NEWS, &[], 10, 1 << 20);
    assert_eq!((outcome.status.kept_count, outcome.status.iteration), (MAX_KEPT, 10 + MAX_KEPT));
    let last = fixture.worker.segment().kept().last().copied().unwrap();
    assert_eq!((last.iteration, last.news), (10 + MAX_KEPT - 1, 1));
}

#[test]
fn a_batch_costs_little_more_than_drawing_and_calling() {
    let mut fixture = Fixture::new("batch");
    let draws = draws(3);
    let request = Request { draws: &draws, ..Request::default() };
    let mut time = |kind| {
        let command = Command { seed: 1, count: 100_000, ..command(kind, TRIANGLE) };
        match fixture.give(command, &request, LIMIT).answer {
            Answer::Done { time } => time.as_nanos() as f64 / 1e5,
            other => panic!("{other:?}"),
        }
    };
    // Taken in turn, the fastest of each counts: what else the machine does meanwhile is left out.
    let (mut bare, mut batch) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..30 {
        bare = bare.min(time(CommandKind::Bare));
        batch = batch.min(time(CommandKind::Batch));
    }
    println!("bare {bare:.1} ns, batch {batch:.1} ns per run: {:.2} of the speed", bare / batch);
    assert!(bare / batch > 0.6, "bare {bare} ns, batch {batch} ns");
}

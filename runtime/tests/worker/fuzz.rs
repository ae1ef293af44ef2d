//! Runs that overwrite random words of every page they can reach: the host lives, nothing hangs, and clean runs in between
//! are what they always are.
//!
//! `TESTWRIGHT_FUZZ=100000` makes it that many runs instead of a few hundred.

use std::time::{Duration, Instant};
use std::{env, fs};

use testwright_abi::command::{CommandKind, Span};
use testwright_abi::memory::{
    CONTROL_OFFSET, COVERAGE_OFFSET, DISTANCE_OFFSET, EVENTS_OFFSET, FREED_OFFSET, HEAP_BASE, INPUT_BASE,
    KEPT_OFFSET, NODES_OFFSET, REQUEST_OFFSET, SHARED_BASE, STACK_TOP, STUB_CALLS_OFFSET, STUB_ORDER_OFFSET,
    STUB_TABLE_OFFSET, STUBS_BASE, TABLES_OFFSET, TARGET_SEARCH_OFFSET,
};
use testwright_abi::target_search::{ROWS_OFFSET, VALUES_OFFSET, VARIABLES_OFFSET};
use testwright_process::{Answer, CommandError, Request};

use crate::support::{ARGUMENTS, Fixture, LIMIT, RESULT, command};

const CLEAN: u32 = 0;
const OVERWRITES: u32 = 1;
const WAYS: u64 = 7;
const LOOP: i64 = 2;
/// Mappings larger than this are the sparse maps of tracing.
const LARGE: u64 = 64 << 20;

/// What a clean run shows.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    result: i64,
    news: u64,
    steps_left: i64,
    heap_peak: u64,
    coverage: Vec<u8>,
}

/// A run of the clean driver as a session makes it: one that meets the damage of another is made again.
fn clean(fixture: &mut Fixture, argument: i64) -> Result<Shown, String> {
    for _ in 0..2 {
        let was_fresh = fixture.worker.is_fresh();
        fixture.write(&[argument]);
        let mut command = command(CommandKind::Run, CLEAN);
        let objects = [Span { address: ARGUMENTS, length: 64 }, Span { address: RESULT, length: 64 }];
        let request = Request { objects: &objects, ..Request::default() };
        fixture.worker.segment_mut().write_request(&mut command, &request).unwrap();
        match fixture.worker.command(&command, LIMIT) {
            Ok(Answer::Done { .. }) => {
                let segment = fixture.worker.segment();
                let status = segment.status();
                let bytes = segment.input(RESULT, 8).unwrap();
                return Ok(Shown {
                    result: i64::from_le_bytes(bytes.try_into().unwrap()),
                    news: status.news,
                    steps_left: status.steps_left,
                    heap_peak: status.heap_peak,
                    coverage: segment.coverage(64),
                });
            }
            Ok(Answer::Damaged) | Err(CommandError::Refused(_)) => {}
            Ok(Answer::Died { .. }) if !was_fresh => {}
            other => return Err(format!("a clean run: {other:?}")),
        }
    }
    Err("a clean run is damaged in a new process too".to_owned())
}

/// What code under test can reach, as (start, length).
fn areas(server: u32) -> Vec<(u64, u64)> {
    let parts = [
        (CONTROL_OFFSET, 4096),
        (STUB_CALLS_OFFSET, 4096),
        (STUB_TABLE_OFFSET, 4096),
        (STUB_ORDER_OFFSET, 4096),
        (FREED_OFFSET, 4096),
        (COVERAGE_OFFSET, 4096),
        (DISTANCE_OFFSET, 4096),
        (EVENTS_OFFSET, 4096),
        (TABLES_OFFSET, 1 << 16),
        (REQUEST_OFFSET, 4096),
        (KEPT_OFFSET, 4096),
        (TARGET_SEARCH_OFFSET, 4096),
        (VARIABLES_OFFSET, 4096),
        (VALUES_OFFSET, 4096),
        (ROWS_OFFSET, 4096),
        (NODES_OFFSET, 1 << 16),
    ];
    let mut areas: Vec<(u64, u64)> =
        parts.into_iter().map(|(offset, length)| (SHARED_BASE + offset, length)).collect();
    areas.extend([
        (INPUT_BASE + 0x1000, 4096),
        (INPUT_BASE + 0x3000, 4096),
        (STUBS_BASE, 4096),
        (HEAP_BASE, 1 << 16),
        (STACK_TOP - (16 << 10), 16 << 10),
    ]);
    // Only root may look at a process that cannot be dumped. The child has the same map: addresses are not randomised.
    let maps = fs::read_to_string(format!("/proc/{server}/maps")).unwrap_or_default();
    for line in maps.lines().filter(|line| line.contains("rw-p")) {
        let (start, end) = line.split_whitespace().next().unwrap().split_once('-').unwrap();
        let number = |text| u64::from_str_radix(text, 16).unwrap();
        let (start, end) = (number(start), number(end));
        if end - start < LARGE && start != HEAP_BASE {
            areas.push((start, end - start));
        }
    }
    areas
}

struct Rng(u64);

impl Rng {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}

#[test]
fn runs_that_overwrite_random_words_change_no_other_run() {
    let runs: u64 = env::var("TESTWRIGHT_FUZZ").ok().and_then(|text| text.parse().ok()).unwrap_or(600);
    let mut fixture = Fixture::new("fuzz");
    let server = fixture.worker.id();
    let areas = areas(server);
    let expected = [0, 1].map(|argument| clean(&mut fixture, argument).unwrap());
    assert_ne!(expected[0].result, expected[1].result);
    assert_eq!(clean(&mut fixture, 0).unwrap(), expected[0]);
    let mut rng = Rng(env::var("TESTWRIGHT_SEED").map_or(0x1234_5678_9abc, |seed| seed.parse().unwrap()));
    let (mut answers, mut false_results, start) = ([0u64; 5], 0, Instant::now());
    for round in 0..runs {
        let (area, length) = areas[rng.below(areas.len() as u64) as usize];
        // Most ways end at once; a loop takes until the limit.
        let way = if rng.below(50) == 0 { LOOP } else { [0, 1, 3, 4, 5, 6, 0][rng.below(WAYS) as usize] };
        let count = [0, 1, 1, 1, 2, 5, 50, 500][rng.below(8) as usize];
        let arguments = [rng.below(1 << 50) as i64, area as i64, length as i64, count, way];
        let limit = if way == LOOP { Duration::from_millis(20) } else { LIMIT };
        fixture.write(&arguments);
        let mut overwriting = command(CommandKind::Run, OVERWRITES);
        let objects = [Span { address: ARGUMENTS, length: 64 }, Span { address: RESULT, length: 64 }];
        let request = Request { objects: &objects, ..Request::default() };
        fixture.worker.segment_mut().write_request(&mut overwriting, &request).unwrap();
        let began = Instant::now();
        let kind = match fixture.worker.command(&overwriting, limit.min(Duration::from_secs(2))) {
            Ok(Answer::Done { .. }) => 0,
            Ok(Answer::Died { .. }) => 1,
            Ok(Answer::TimedOut) => 2,
            Ok(Answer::Damaged) => 3,
            Err(CommandError::Refused(_)) => 4,
            Err(error) => panic!("round {round}, {arguments:x?}: {error}"),
        };
        answers[kind] += 1;
        assert!(began.elapsed() < Duration::from_secs(15), "round {round}, {arguments:x?} hung");
        let argument = rng.below(2);
        let shown = clean(&mut fixture, argument as i64);
        if shown.as_ref() != Ok(&expected[argument as usize]) {
            println!("round {round} after {arguments:x?}: {shown:?}");
            false_results += 1;
        }
    }
    println!(
        "{runs} runs over {} areas in {:.1} s: {} done, {} died, {} timed out, {} damaged, {} refused",
        areas.len(),
        start.elapsed().as_secs_f64(),
        answers[0],
        answers[1],
        answers[2],
        answers[3],
        answers[4]
    );
    assert_eq!(false_results, 0);
    assert_eq!(fixture.worker.id(), server, "the worker itself was never lost");
}

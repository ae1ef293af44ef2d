//! Traced runs that overwrite random words of every page they can reach: whatever stands in the record then, the host reads it
//! without harm, and clean traces in between are what they always are.
//!
//! `TESTWRIGHT_FUZZ=100000` makes it that many runs instead of a few hundred; `TESTWRIGHT_SEED` takes other words.

use crate::load;
use crate::vary::Random;
use std::fmt::Write;
use std::time::{Duration, Instant};
use testwright_abi::memory::{
    CONTROL_OFFSET, COVERAGE_OFFSET, EVENTS_OFFSET, HEAP_BASE, INPUT_BASE, NODES_OFFSET, REQUEST_OFFSET,
    SHARED_BASE, STACK_TOP, TABLES_OFFSET, TAINT_BELOW,
};
use testwright_base::build::Build;
use testwright_base::json::parse_case;
use testwright_exec::check::check_trace;
use testwright_exec::{Session, Trace};

/// The tables are read through a symbolic index, so that a trace has nodes, events and tables.
const SUBJECT: &str = "
static const unsigned char table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
static int look(unsigned x, double d)
{
    int sum = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (table[(x + i) & 15] > i)
            sum += table[(x * 7 + i) & 15];
        if (d * i > sum)
            sum += 3;
    }
    return sum;
}

int clean(unsigned x, double d)
{
    return look(x, d);
}

int overwrites(unsigned x, double d, unsigned long start, unsigned long length, unsigned long seed, int count)
{
    int sum = look(x, d);
    volatile unsigned long at = start, pages = length, word = seed;
    for (int i = 0; i < count; i++) {
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
        *(volatile unsigned long *)(at + word % pages / 8 * 8) = word & 1 ? word : word & 255;
    }
    return sum + look(x + 1, d);
}
";

fn trace(session: &mut Session, function: &str, case: &str) -> Trace {
    let id = session.subject().function_named(function).expect("a function");
    let case = parse_case(session.subject(), id, case).expect("a case");
    session.trace(&case).expect("a trace, whatever the run did")
}

/// What a clean trace shows.
fn clean(session: &mut Session, x: u64) -> String {
    let trace = trace(session, "clean", &format!("[{x}, 2.5]"));
    assert_eq!(check_trace(&trace), [""; 0], "{x}");
    let mut shown = format!("{:?} {:?} {:?}\n", trace.run.end, trace.run.result, trace.run.outcomes);
    for step in trace.path.steps() {
        writeln!(shown, "{step:?}").expect("text");
    }
    shown
}

#[test]
fn traces_that_overwrite_random_words_harm_nobody() {
    let runs: u64 = std::env::var("TESTWRIGHT_FUZZ").ok().and_then(|text| text.parse().ok()).unwrap_or(300);
    let seed = std::env::var("TESTWRIGHT_SEED").unwrap_or_else(|_| "1".to_owned());
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("subject.c");
    std::fs::write(&file, SUBJECT).expect("a file");
    let mut session = load::load(&file);
    session.limits.wall = Duration::from_secs(20);
    let shared = [
        (CONTROL_OFFSET, 4096),
        (COVERAGE_OFFSET, 4096),
        (EVENTS_OFFSET, 512),
        (EVENTS_OFFSET, 4096),
        (TABLES_OFFSET, 512),
        (TABLES_OFFSET, 1 << 16),
        (REQUEST_OFFSET, 4096),
        (NODES_OFFSET, 1024),
        (NODES_OFFSET, 1 << 14),
    ];
    let mut areas: Vec<(u64, u64)> =
        shared.into_iter().map(|(offset, length)| (SHARED_BASE + offset, length)).collect();
    areas.extend([(INPUT_BASE, 1 << 14), (HEAP_BASE, 1 << 14), (STACK_TOP - (16 << 10), 16 << 10)]);
    let below: Vec<(u64, u64)> = areas.iter().map(|(start, length)| (start - TAINT_BELOW, *length)).collect();
    areas.extend(below);
    let expected = [1, 2].map(|x| clean(&mut session, x));
    assert_ne!(expected[0], expected[1]);
    let mut random = Random::for_text(&seed);
    let mut ends = std::collections::BTreeMap::<String, u64>::new();
    for round in 0..runs {
        let (start, length) = areas[random.below(areas.len() as u64) as usize];
        let count = [0, 1, 1, 2, 5, 50, 500][random.below(7) as usize];
        let case =
            format!("[{}, 1.5, {start}, {length}, {}, {count}]", random.below(16), random.below(1 << 50));
        let began = Instant::now();
        let traced = trace(&mut session, "overwrites", &case);
        assert!(began.elapsed() < Duration::from_secs(60), "round {round}, {case} hung");
        *ends.entry(traced.run.end.to_string()).or_default() += 1;
        // A record that was overwritten may say anything; looking at it is safe.
        let _ = check_trace(&traced);
        let which = random.below(2) as usize;
        assert_eq!(clean(&mut session, which as u64 + 1), expected[which], "round {round} after {case}");
        let id = session.subject().function_named("clean").expect("a function");
        let case = parse_case(session.subject(), id, "[1, 2.5]").expect("a case");
        session.run(&case, Build::Run).expect("a run");
    }
    println!("{runs} runs: {ends:?}");
}

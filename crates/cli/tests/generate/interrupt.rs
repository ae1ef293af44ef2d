//! Ctrl-C ends the search; what was found is kept.

use crate::support::{Bench, check_success};
use std::io::{BufRead, BufReader};
use std::process::Command;

/// A search here does not end: a hash is looked for that no run will show, on paths without number.
pub const ENDLESS: &str = "
#include <stdint.h>

static uint32_t mix(uint32_t h)
{
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ h >> 16;
}

int find(uint32_t seed, uint32_t count)
{
    uint32_t h = seed;
    for (uint32_t i = 0; i < (count & 0xffff); i++) {
        h = mix(h + i * seed);
        if (h * h + seed * h == 0x12345678u && mix(seed) == h)
            return 2;
    }
    return count == 77;
}
";

/// The 3 of `  searching find  3/8 branches  ..`.
fn branches_met(line: &str) -> Option<u32> {
    let (before, _) = line.split_once('/')?;
    before.rsplit(' ').next()?.parse().ok()
}

#[test]
fn an_interrupted_search_writes_what_it_has_found() {
    let bench = Bench::new(ENDLESS);
    let mut child =
        bench.command(&["--function", "find", "--budget", "10m"]).spawn().expect("testwright starts");
    let progress = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut lines = progress.lines().map(|line| line.expect("a line"));
    assert!(lines.any(|line| branches_met(&line) >= Some(3)), "the search finds something");
    // A command of every shell, though not a program of every system.
    let kill = Command::new("sh").arg("-c").arg(format!("kill -INT {}", child.id())).status();
    assert!(kill.expect("sh starts").success());
    lines.for_each(drop);
    let report = check_success(&child.wait_with_output().expect("testwright ends"));
    assert!(report.contains("interrupted: what was found until then is kept"), "{report}");
    assert!(report.contains("compiled, passed twice"), "{report}");
    let summary = bench.summary();
    assert_eq!(summary["stop_reason"], "interrupted");
    assert!(bench.function("find")["tests"].as_u64() >= Some(1), "{summary:#}");
    assert!(bench.function("find")["branches"]["covered"].as_u64() >= Some(3), "{summary:#}");
    assert!(bench.uncovered("find").iter().any(|(.., reason)| reason.contains("the search was interrupted")));
    bench.check();
}

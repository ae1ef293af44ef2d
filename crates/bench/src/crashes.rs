//! Runs that crash or hang, one after the other: each recognised, nothing left behind.

use super::figures::{Aim, Figure};
use super::run_build::{case, sources};
use std::time::{Duration, Instant};
use std::{fs, process};
use testwright_base::build::Build;
use testwright_base::run::End;
use testwright_engine::Failure;
use testwright_engine::build;

const KINDS: usize = 6;

/// Six kinds of ends in turn.
pub fn measure(count: u64) -> Result<Vec<Figure>, Failure> {
    let folder = testwright_scratch::folder()?;
    let sources = sources(folder.path(), "ends.c", include_str!("../../../subjects/core/ends.c"))?;
    let mut session = build::load_uncached(&sources, &[Build::Run])?;
    session.limits.steps = 100_000;
    let cases = (0..KINDS)
        .map(|kind| case(&session, "end", &format!("[{kind}]")))
        .collect::<Result<Vec<_>, Failure>>()?;
    let mut wrong = 0;
    let mut by_kind = [Duration::ZERO; KINDS];
    let before = resident(session.process());
    let start = Instant::now();
    for index in 0..count {
        let kind = index as usize % KINDS;
        let turn = Instant::now();
        let run = session.run(&cases[kind], Build::Run)?;
        by_kind[kind] += turn.elapsed();
        wrong += u64::from(!is_right(kind, run.end));
    }
    let elapsed = start.elapsed().as_secs_f64();
    let grown = resident(session.process()).saturating_sub(before);
    let server = session.process();
    let processes = children(server);
    drop(session);
    let left = children(process::id()) + usize::from(fs::metadata(format!("/proc/{server}")).is_ok());
    let each = |kind: usize| by_kind[kind].as_secs_f64() * 1e6 * KINDS as f64 / count.max(1) as f64;
    let note = format!(
        "us each: null pointer {:.0}, trap {:.0}, abort {:.0}, stack {:.0}, endless {:.0}, exit {:.0}",
        each(0),
        each(1),
        each(2),
        each(3),
        each(4),
        each(5)
    );
    Ok(vec![
        Figure::new("crashing runs handled", count as f64 / elapsed, "/s", Aim::AtLeast(300.0), note),
        Figure::new(
            "crashing runs not recognised",
            wrong as f64,
            "",
            Aim::AtMost(0.0),
            format!("of {count}, six kinds"),
        ),
        Figure::new(
            "processes beside the one that waits",
            processes.saturating_sub(1) as f64,
            "",
            Aim::AtMost(0.0),
            "",
        ),
        Figure::new("processes left at the end", left as f64, "", Aim::AtMost(0.0), ""),
        Figure::new("growth of the fork server", grown as f64, " KiB", Aim::AtMost(512.0), ""),
    ])
}

fn is_right(kind: usize, end: End) -> bool {
    match kind {
        0 => matches!(end, End::Signal { signal: 11, address: 0, .. }),
        1 => matches!(end, End::Trap { site: Some(_), .. }),
        2 => end == End::Abort,
        3 => end == End::StackOverflow,
        4 => end == End::StepLimit,
        _ => end == End::Exit(3),
    }
}

/// Resident KiB of a process.
fn resident(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or(0)
}

/// How many children a process has, zombies included.
fn children(process: u32) -> usize {
    let path = format!("/proc/{process}/task/{process}/children");
    fs::read_to_string(path).map_or(0, |list| list.split_whitespace().count())
}

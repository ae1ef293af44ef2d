//! From a C file to both builds loaded, the first time and again.

use super::figures::{Aim, Figure};
use super::run_build::{case, sources};
use std::time::{Duration, Instant};
use testwright_base::build::Build;
use testwright_engine::Failure;
use testwright_engine::build;

/// Time until both builds of a file of a hundred lines can be run.
pub fn measure() -> Result<Vec<Figure>, Failure> {
    const BUILDS: [Build; 2] = [Build::RunWithDistances, Build::Trace];
    let folder = testwright_scratch::folder()?;
    let text = include_str!("../../../subjects/core/inventory.c");
    let (mut first, mut again) = (Duration::MAX, Duration::MAX);
    for turn in 0..5 {
        // A comment makes the file new to the cache.
        let changed = format!("/* {turn} {:?} */\n{text}", std::time::SystemTime::now());
        let sources = sources(folder.path(), &format!("inventory{turn}.c"), &changed)?;
        first = first.min(loaded_and_run(&sources, &BUILDS)?);
        for _ in 0..3 {
            again = again.min(loaded_and_run(&sources, &BUILDS)?);
        }
    }
    let note = format!("{} lines of C, best of 5", text.lines().count());
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    Ok(vec![
        Figure::new(
            "file to both builds loaded",
            milliseconds(first),
            " ms",
            Aim::AtMost(500.0),
            note.clone(),
        ),
        Figure::new("the same from the cache", milliseconds(again), " ms", Aim::AtMost(50.0), note),
    ])
}

/// Loading counts when the first run has come back from both builds.
fn loaded_and_run(
    sources: &testwright_code::frontend::Sources,
    builds: &[Build],
) -> Result<Duration, Failure> {
    let start = Instant::now();
    let mut session = build::load_sources(sources, builds)?;
    let case = case(&session, "price_of", "[100, 10]")?;
    for build in builds {
        session.run(&case, *build)?;
    }
    Ok(start.elapsed())
}

//! Verification: the suite is compiled in several builds and run in the sandbox before anybody is told of it.
//!
//! What fails is taken out: an assertion that does not hold everywhere, a test that ends otherwise than the search saw, a
//! test about which a sanitizer complains.

pub mod builds;
mod execute;
mod pace;
pub mod probe;
mod settle;
mod symbols;

pub use pace::Pace;

use crate::failure::Failure;
use crate::request::Request;
use crate::watch::Watch;
use crate::{build, publish};
use builds::Build;
use execute::{Compiled, Setting};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fmt, fs, thread};
use testwright_exec::{OnEffect, give_back_memory};
use testwright_suite::Suite;
use testwright_suite::emit::Format;
use testwright_suite::summary::Summary;

/// What came of trying the tests.
pub enum Verdict {
    /// They compiled and passed twice in each of these builds; so many assertions or tests were taken out before.
    Passed {
        /// How many.
        taken_out: usize,
        /// The builds in words.
        checked: String,
        /// What was not checked, and why.
        unchecked: Vec<String>,
    },
    /// They do not compile or pass, and what was said.
    Failed(String),
    /// There are none.
    Empty,
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Passed { taken_out, checked, unchecked } => {
                formatter.write_str("compiled, passed twice")?;
                if *taken_out > 0 {
                    write!(formatter, "; {taken_out} that did not compile or hold again were taken out")?;
                }
                write!(formatter, "\n            checked: {checked}")?;
                unchecked.iter().try_for_each(|what| write!(formatter, "\n            not checked: {what}"))
            }
            Verdict::Failed(message) => write!(formatter, "NOT VERIFIED: {message}"),
            Verdict::Empty => formatter.write_str("nothing to compile"),
        }
    }
}

/// How a suite is verified.
pub struct Manner {
    /// The builds; the first is what `make check` makes by itself.
    pub builds: Vec<Build>,
    /// What becomes of tests that want what the sandbox forbids.
    pub on_effect: OnEffect,
    /// What the code under test may read besides the system's files.
    pub read: Vec<PathBuf>,
    /// How long it may take.
    pub pace: Pace,
}

impl Manner {
    /// As a request wants it.
    pub fn new(request: &Request, pace: Pace) -> Result<Manner, Failure> {
        let builds = if request.all_builds { builds::all()? } else { vec![builds::first()] };
        let folder = |path: &PathBuf| Some(std::path::absolute(path).ok()?.parent()?.to_owned());
        Ok(Manner {
            builds,
            pace,
            on_effect: if request.allow_effects { OnEffect::GoOn } else { OnEffect::End },
            read: request.target.targets.iter().filter_map(folder).collect(),
        })
    }
}

/// How long the first build may take to compile.
const FIRST_LIMIT: Duration = Duration::from_secs(600);
/// How long a test may take. A run of the search takes a second at most, but sanitizers are slow, and so are busy machines.
const WALL: Duration = Duration::from_secs(15);

/// Writes the suite into an empty folder, tries it, and takes out what does not hold.
pub fn write_and_try(
    suite: &mut Suite,
    folder: &Path,
    manner: Manner,
    watch: &mut dyn Watch,
) -> Result<Verdict, Failure> {
    if suite.inputs().is_some() {
        write(suite, &suite.input.style.formats, folder)?;
        return Ok(Verdict::Empty);
    }
    let worker = build::worker_program()?;
    give_back_memory();
    let width = thread::available_parallelism().map_or(1, usize::from);
    let Manner { builds, on_effect, read, pace } = manner;
    let adds_names = symbols::can_be_added();
    let setting =
        Setting { folder, worker: &worker, on_effect, read: &read, wall: WALL, width, pace, adds_names };
    let mut verdict = settle::settle(suite, &setting, &builds, watch)?;
    let formats = &suite.input.style.formats;
    if formats[..] != [Format::PLAIN] && matches!(verdict, Verdict::Passed { .. } | Verdict::Empty) {
        write(suite, formats, folder)?;
        if let Some(said) = try_formats(suite, &setting, watch)? {
            verdict = Verdict::Failed(said);
        }
    }
    remove_products(folder)?;
    if let Verdict::Failed(message) = &verdict {
        suite.unverified = Some(message.clone());
        fs::write(folder.join("summary.json"), Summary::new(suite).to_json())?;
    }
    Ok(verdict)
}

/// What was built is of no use in another place.
fn remove_products(folder: &Path) -> Result<(), Failure> {
    Ok(testwright_scratch::remove_tree(&folder.join(publish::PRODUCTS))?)
}

/// Tries the programs of all formats that were asked for: they say the same as the tests that were tried, but in other words.
fn try_formats(
    suite: &Suite,
    setting: &Setting<'_>,
    watch: &mut dyn Watch,
) -> Result<Option<String>, Failure> {
    let build = builds::first();
    let limit = setting.pace.for_first(FIRST_LIMIT);
    let compile = || setting.compile_within(&build, limit);
    match watch.during(compile, || "compiling the tests in other formats".to_owned())? {
        Compiled::Done => {}
        Compiled::Refused(said) => return Ok(Some(said)),
        Compiled::Late | Compiled::NoTime => return Ok(Some("compiling took too long".to_owned())),
    }
    for format in suite.input.style.formats.iter().filter(|format| **format != Format::PLAIN) {
        for recipe in (format.recipes)(suite) {
            let program = setting.folder.join(&build.folder).join(&recipe.name);
            // Without its library, a format is not built.
            for _ in 0..if program.is_file() { 2 } else { 0 } {
                let run = || setting.run_whole(&build, &program);
                let ran = watch.during(run, || format!("running {}", recipe.name))?;
                if let Some(said) = ran {
                    return Ok(Some(said));
                }
            }
        }
    }
    Ok(None)
}

/// Writes the suite in these formats in place of what is in the folder.
fn write(suite: &Suite, formats: &[&'static Format], folder: &Path) -> Result<(), Failure> {
    Ok(publish::write(folder, &suite.files_in(formats))?)
}

//! Verification: the suite is compiled in several builds and run in the sandbox before anybody is told of it.
//!
//! What fails is taken out: an assertion that does not hold everywhere, a test that ends otherwise than the search saw, a
//! test about which a sanitizer complains. Then the suite is written and tried again, until all of it passes in every build.

pub mod builds;
mod pace;
pub mod probe;
mod trial;

pub use pace::Pace;

use crate::exit::Failure;
use crate::progress::Progress;
use crate::{load, publish};
use builds::Build;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fmt, fs, thread};
use testwright_exec::OnEffect;
use testwright_suite::emit::Format;
use testwright_suite::emit::stub::HEADER_NAME;
use testwright_suite::summary::Summary;
use testwright_suite::verdict::{Failure as Failed, How, refused, refused_stubs};
use testwright_suite::{Suite, Tried};
use trial::{Compiled, Setting};

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

/// How long the first build may take to compile.
const FIRST_LIMIT: Duration = Duration::from_secs(600);
/// How long any other build may take to compile, beyond four times what the first one took.
const OTHER_LIMIT: Duration = Duration::from_secs(20);
/// How long a test may take. A run of the search takes a second at most, but sanitizers are slow, and so are busy machines.
const WALL: Duration = Duration::from_secs(15);
/// How often the suite is tried.
const MOST_ROUNDS: usize = 8;
/// From this round on, a test that fails goes as a whole.
const IMPATIENT: usize = 3;

/// Writes the suite into an empty folder, tries it, and takes out what does not hold.
pub fn write_and_try(
    suite: &mut Suite<'_>,
    folder: &Path,
    manner: Manner,
    progress: &mut Progress,
) -> Result<Verdict, Failure> {
    if suite.inputs().is_some() {
        write(suite, &suite.input.style.formats, folder)?;
        return Ok(Verdict::Empty);
    }
    let worker = load::worker_program()?;
    let width = thread::available_parallelism().map_or(1, usize::from);
    let Manner { builds, on_effect, read, pace } = manner;
    let setting = Setting { folder, worker: &worker, on_effect, read: &read, wall: WALL, width, pace };
    let mut verdict = try_plain(suite, &setting, builds, progress)?;
    let formats = &suite.input.style.formats;
    if formats[..] != [Format::PLAIN] && matches!(verdict, Verdict::Passed { .. } | Verdict::Empty) {
        write(suite, formats, folder)?;
        if let Some(said) = try_formats(suite, &setting, progress)? {
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

/// Writes the suite in format plain, which can run each test by itself, and takes out what does not hold.
fn try_plain(
    suite: &mut Suite<'_>,
    setting: &Setting<'_>,
    mut builds: Vec<Build>,
    progress: &mut Progress,
) -> Result<Verdict, Failure> {
    let mut unchecked = Vec::new();
    for round in 0..MOST_ROUNDS {
        write(suite, &[Format::PLAIN], setting.folder)?;
        if suite.tests.is_empty() {
            return Ok(Verdict::Empty);
        }
        let started = Instant::now();
        let limit = setting.pace.for_first(FIRST_LIMIT);
        let first = compile_side_by_side(suite, setting, &builds[..1], limit, progress)?.remove(0);
        if let Compiled::Refused(said) = &first {
            if !take_out_refused(suite, setting.folder, said)? {
                return Ok(Verdict::Failed(said.clone()));
            }
            continue;
        }
        if let Compiled::Late | Compiled::NoTime = first {
            return Ok(Verdict::Failed(format!("compiling took more than {} s", limit.as_secs())));
        }
        let limit = OTHER_LIMIT + 4 * started.elapsed();
        let mut compiled = Vec::new();
        for some in builds[1..].chunks(setting.width) {
            compiled.extend(compile_side_by_side(suite, setting, some, limit, progress)?);
        }
        let mut is_shorter = false;
        let mut is_built = |build: &Build, compiled: &Compiled| {
            let why = match compiled {
                Compiled::Done => return Ok(true),
                Compiled::Late => format!("{}, because compiling took too long", build.name()),
                Compiled::NoTime => without_time(build),
                Compiled::Refused(said) => {
                    let line = said.lines().find(|line| line.contains("error")).unwrap_or_default();
                    is_shorter |= take_out_refused(suite, setting.folder, said)?;
                    format!("{}, which does not compile: {line}", build.name())
                }
            };
            if !is_shorter {
                unchecked.push(why);
            }
            Ok::<_, Failure>(false)
        };
        let mut kept = vec![builds[0].clone()];
        for (build, compiled) in builds[1..].iter().zip(&compiled) {
            if is_built(build, compiled)? {
                kept.push(build.clone());
            }
        }
        if is_shorter {
            continue;
        }
        let failed;
        (builds, failed) = run_in_time(suite, setting, &kept, &mut unchecked, progress)?;
        if failed.iter().all(Vec::is_empty) {
            let (taken_out, checked) = (suite.taken_out.len(), builds::in_words(&builds));
            return Ok(Verdict::Passed { taken_out, checked, unchecked });
        }
        take_out(suite, &builds, &failed, round);
    }
    Ok(Verdict::Failed("some tests fail each time they run".to_owned()))
}

/// `gcc -O2, because no time was left`
fn without_time(build: &Build) -> String {
    format!("{}, because no time was left", build.name())
}

/// Compiles some builds side by side.
fn compile_side_by_side(
    suite: &Suite<'_>,
    setting: &Setting<'_>,
    builds: &[Build],
    limit: Duration,
    progress: &mut Progress,
) -> Result<Vec<Compiled>, Failure> {
    let files = suite.plain_objects() * builds.len();
    let names = builds::in_words(builds);
    let how_far = || format!("compiling {names}  {} of {files} files", setting.compiled(builds));
    let compile = || {
        thread::scope(|scope| {
            let makes: Vec<_> =
                builds.iter().map(|build| scope.spawn(move || setting.compile(build, limit))).collect();
            let panicked = |_| Err(Failure::bug("a thread that compiles has panicked"));
            makes.into_iter().map(|make| make.join().unwrap_or_else(panicked)).collect()
        })
    };
    progress.during(compile, how_far)
}

/// Runs all tests in each build as long as there is time, in the first one always. The builds in which they ran, and what
/// failed there.
fn run_in_time(
    suite: &Suite<'_>,
    setting: &Setting<'_>,
    builds: &[Build],
    unchecked: &mut Vec<String>,
    progress: &mut Progress,
) -> Result<(Vec<Build>, Vec<trial::Failed>), Failure> {
    let started = Instant::now();
    let mut failed = setting.run(suite, &builds[..1], progress)?;
    let one_build = started.elapsed();
    let mut ran = builds[..1].to_vec();
    for some in builds[1..].chunks(setting.width) {
        if setting.pace.has(one_build) {
            failed.extend(setting.run(suite, some, progress)?);
            ran.extend_from_slice(some);
        } else {
            unchecked.extend(some.iter().map(without_time));
        }
    }
    Ok((ran, failed))
}

/// Takes out what failed. What a sanitizer reports explains what other builds only show; then the first build has the word, and
/// only what it does not see depends on the build.
fn take_out(suite: &mut Suite<'_>, builds: &[Build], failed: &[trial::Failed], round: usize) {
    let is_reported = |ways: &[How]| ways.iter().any(|how| matches!(how, How::Sanitizer(_)));
    let mut explained: BTreeSet<String> = BTreeSet::new();
    for reported in [true, false] {
        for (index, (build, failed)) in builds.iter().zip(failed).enumerate() {
            let name = build.name();
            let tried = if index == 0 { Tried::First } else { Tried::Another(&name) };
            let mut failures = Vec::new();
            for (test, ways) in failed.iter().filter(|(_, ways)| is_reported(ways) == reported) {
                if explained.contains(test) {
                    continue;
                }
                if ways.iter().any(|how| !matches!(how, How::Assertion(_))) {
                    explained.insert(test.clone());
                }
                failures.extend(ways.iter().map(|how| Failed { test: test.clone(), how: how.clone() }));
            }
            if round < IMPATIENT {
                suite.leave_out(&failures, &tried);
            } else {
                suite.leave_out_whole(&failures, &tried);
            }
        }
    }
}

/// Tries the programs of all formats that were asked for: they say the same as the tests that were tried, but in other words.
fn try_formats(
    suite: &Suite<'_>,
    setting: &Setting<'_>,
    progress: &mut Progress,
) -> Result<Option<String>, Failure> {
    let build = builds::first();
    let limit = setting.pace.for_first(FIRST_LIMIT);
    let compile = || setting.compile_within(&build, limit);
    match progress.during(compile, || "compiling the tests in other formats".to_owned())? {
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
                let ran = progress.during(run, || format!("running {}", recipe.name))?;
                if let Some(said) = ran {
                    return Ok(Some(said));
                }
            }
        }
    }
    Ok(None)
}

/// Takes out what the compiler's output complains about: stubs first, because tests that use one suffer with it. False if that
/// is none of ours.
fn take_out_refused(suite: &mut Suite<'_>, folder: &Path, said: &str) -> Result<bool, Failure> {
    let stubs = refused_stubs(said, HEADER_NAME, &suite.stubs().unwrap_or_default());
    if !stubs.is_empty() {
        suite.leave_out_refused_stubs(&stubs);
        return Ok(true);
    }
    let mut tests = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(".c") {
            tests.extend(refused(said, &name, &fs::read_to_string(&path)?));
        }
    }
    suite.leave_out_refused(&tests);
    Ok(!tests.is_empty())
}

/// Writes the suite in these formats in place of what is in the folder.
fn write(suite: &Suite<'_>, formats: &[&'static Format], folder: &Path) -> Result<(), Failure> {
    Ok(publish::write(folder, &suite.files_in(formats))?)
}

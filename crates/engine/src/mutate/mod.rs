//! Scoring a suite: its programs are built with all mutants of the code in them, and run once for each.
//!
//! ```text
//! make programs CC=cc-of-ours BUILD=scratch/build       the objects of the code hold mutants, numbers are noted
//! program                                               must pass: the original
//! TESTWRIGHT_MUTANT=n program                           killed if it fails
//! ```
//!
//! Nothing in the folder of the suite changes. What was built runs in the sandbox.

mod report;
mod unit;

pub use unit::{FOLDER, compile};

use crate::build::worker_program;
use crate::failure::{Failure, Fault};
use crate::watch::Watch;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use testwright_base::mutant::Mutant;
use testwright_code::{CHOOSER_VARIABLE, frontend};
use testwright_exec::{Addresses, Confined, ConfinedLimits, Forks, OnEffect, Way, end_with_us, run_within};
use testwright_suite::flags_seen_from;
use testwright_suite::replay::{INDEX, Index};

/// How long building may take.
const BUILDING: Duration = Duration::from_secs(600);
/// A mutant may take so many times as long as the original,
const TIMES: u32 = 10;
/// and so long at least.
const LEAST: Duration = Duration::from_secs(3);

/// What is scored.
#[derive(Debug, Clone)]
pub struct Scored {
    /// The folder of the suite.
    pub suite: PathBuf,
    /// The files whose mutants are tried; those that the suite was written for if there are none.
    pub sources: Vec<PathBuf>,
    /// Only mutants on lines that this change adds: a unified diff.
    pub diff: Option<PathBuf>,
}

/// What became of the mutants.
#[derive(Debug, Clone)]
pub struct Score {
    /// All of them, in the order of the code.
    pub mutants: Vec<Tried>,
}

/// A mutant and what became of it.
#[derive(Debug, Clone)]
pub struct Tried {
    /// The mutant.
    pub mutant: Mutant,
    /// The name of its function.
    pub function: String,
    /// What became of it.
    pub fate: Fate,
}

/// What becomes of a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// A test failed.
    Killed,
    /// The tests did not come to an end.
    TimedOut,
    /// All tests passed.
    Survived,
    /// It is the original in other words.
    Equivalent,
}

/// What the compiler of ours is told.
#[derive(Debug, Serialize, Deserialize)]
struct Plan {
    /// The files whose functions have mutants, by absolute name.
    files: Vec<String>,
}

/// A mutant as the compiler of ours notes it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Noted {
    mutant: Mutant,
    function: String,
}

/// Builds the suite with mutants, and tries each.
pub fn score(scored: &Scored, watch: &mut dyn Watch) -> Result<Score, Failure> {
    let diff = scored.diff.as_deref().map(report::added_lines).transpose()?;
    let folder = testwright_scratch::folder()?;
    let files = sources(scored)?;
    let programs = built(scored, &files, folder.path(), watch)?;
    let noted = unit::noted(folder.path())?;
    if noted.is_empty() {
        let named = files.join(", ");
        return Err(Failure::usage(format!(
            "no program of the suite has mutants of {named}: it does not compile these files"
        )));
    }
    let trial = Trial { worker: worker_program()?, programs, files };
    let limit = trial.original()?;
    let is_wanted = |noted: &Noted| {
        let place = &noted.mutant.place;
        diff.as_ref().is_none_or(|lines| {
            lines.iter().any(|(file, line)| *line == place.line && place.file.ends_with(file))
        })
    };
    let chosen: Vec<(usize, &Noted)> =
        noted.iter().enumerate().filter(|(_, noted)| is_wanted(noted)).collect();
    let fates = each(&chosen, watch, |(index, noted)| {
        if noted.mutant.equivalent { Ok(Fate::Equivalent) } else { trial.fate(*index, limit) }
    })?;
    let mut mutants: Vec<Tried> = chosen
        .iter()
        .zip(fates)
        .map(|((_, noted), fate)| Tried {
            mutant: noted.mutant.clone(),
            function: noted.function.clone(),
            fate,
        })
        .collect();
    mutants.sort_by_key(|tried| tried.mutant.place.clone());
    Ok(Score { mutants })
}

/// The files whose mutants are tried, by absolute name.
fn sources(scored: &Scored) -> Result<Vec<String>, Failure> {
    let mut files = scored.sources.clone();
    if files.is_empty() {
        let path = scored.suite.join(INDEX);
        let text = fs::read_to_string(&path).map_err(|error| {
            let hint = "name the code with --source if the suite is none of Testwright's";
            Failure::usage(format!("cannot read {}: {error}; {hint}", path.display()))
        })?;
        let index: Index = serde_json::from_str(&text)
            .map_err(|error| Failure::usage(format!("{} is damaged: {error}", path.display())))?;
        let targets: Vec<PathBuf> =
            index.origin.targets.iter().map(|target| scored.suite.join(target)).collect();
        let here = scored.suite.display().to_string();
        let flags = flags_seen_from(&here, &index.origin.flags, |path| scored.suite.join(path).exists());
        let named = frontend().resolve(&targets, &flags)?;
        files = named.files().into_iter().map(PathBuf::from).collect();
    }
    let absolute = |file: &PathBuf| {
        let found = fs::canonicalize(file);
        found
            .map(|file| file.display().to_string())
            .map_err(|error| Failure::usage(format!("{}: {error}", file.display())))
    };
    files.iter().map(absolute).collect()
}

/// The programs of the suite, with mutants in them.
fn built(
    scored: &Scored,
    files: &[String],
    folder: &Path,
    watch: &mut dyn Watch,
) -> Result<Vec<PathBuf>, Failure> {
    let plan = Plan { files: files.to_vec() };
    fs::write(
        folder.join(unit::PLAN),
        serde_json::to_string(&plan).map_err(|error| Failure::bug(error.to_string()))?,
    )?;
    fs::write(folder.join(unit::CHOOSER), frontend().chooser())?;
    let compiler = folder.join("cc");
    let own = std::env::current_exe()?;
    fs::write(&compiler, format!("#!/bin/sh\nexec '{}' mutate-unit \"$@\"\n", own.display()))?;
    fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755))?;
    let build = folder.join("build");
    let mut command = Command::new("make");
    command.args(["-s", "-C"]).arg(&scored.suite).arg("programs");
    command
        .arg(format!("CC={}", compiler.display()))
        .arg(format!("BUILD={}", build.display()))
        .arg("CFLAGS=-O0 -w");
    command.env_remove("MAKEFLAGS").env_remove("MAKELEVEL").env("LC_ALL", "C").env(FOLDER, folder);
    end_with_us(&mut command);
    let finished = watch
        .during(|| run_within(&mut command, BUILDING), || "building the suite with mutants".to_owned())?;
    let refused = |message: String| Failure { fault: Fault::Target, message };
    match finished {
        None => return Err(refused("building the suite with mutants takes too long".to_owned())),
        Some(finished) if !finished.status.success() => {
            let said = String::from_utf8_lossy(&finished.output).into_owned();
            return Err(refused(format!(
                "the suite does not build with mutants (`make programs CC=.. BUILD=..`):\n{said}"
            )));
        }
        Some(_) => {}
    }
    let mut programs: Vec<PathBuf> =
        fs::read_dir(&build)?.flatten().map(|entry| entry.path()).filter(|path| is_program(path)).collect();
    programs.sort();
    if programs.is_empty() {
        return Err(refused("`make programs` builds nothing that can be run".to_owned()));
    }
    Ok(programs)
}

fn is_program(path: &Path) -> bool {
    let runs = fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0);
    runs && path.extension().is_none()
}

/// The programs, ready to be run.
struct Trial {
    worker: PathBuf,
    programs: Vec<PathBuf>,
    files: Vec<String>,
}

impl Trial {
    /// Runs the original; how long a mutant may take.
    fn original(&self) -> Result<Duration, Failure> {
        let started = Instant::now();
        for program in &self.programs {
            let ended = self.run(program, None, BUILDING)?;
            if ended.way != Way::Exited(0) {
                let said = String::from_utf8_lossy(&ended.output).into_owned();
                let why = "a suite whose tests fail on the code as it is says nothing about changes";
                return Err(Failure::usage(format!("{why}:\n{}", said.trim_end())));
            }
        }
        Ok((started.elapsed() * TIMES).max(LEAST))
    }

    fn fate(&self, index: usize, limit: Duration) -> Result<Fate, Failure> {
        for program in &self.programs {
            match self.run(program, Some(index), limit)?.way {
                Way::Exited(0) => {}
                Way::TimedOut => return Ok(Fate::TimedOut),
                _ => return Ok(Fate::Killed),
            }
        }
        Ok(Fate::Survived)
    }

    fn run(
        &self,
        program: &Path,
        mutant: Option<usize>,
        wall: Duration,
    ) -> Result<testwright_exec::Ended, Failure> {
        let scratch = testwright_scratch::folder()?;
        let number: OsString = mutant.map_or(0, |index| index + 1).to_string().into();
        let read: Vec<PathBuf> = self.files.iter().map(PathBuf::from).collect();
        let confined = Confined {
            worker: &self.worker,
            program,
            arguments: &[],
            scratch: scratch.path(),
            read: &read,
            write: &[],
            environment: &[(CHOOSER_VARIABLE.into(), number)],
            on_effect: OnEffect::End,
            addresses: Addresses::Random,
            forks: Forks::Once,
            limits: ConfinedLimits { wall, ..ConfinedLimits::default() },
        };
        confined.run().map_err(|error| Failure::bug(format!("the suite cannot be run: {error}")))
    }
}

/// Finds out about all of a list, several at a time, while a watcher hears how far it is.
fn each<T: Sync, R: Send>(
    list: &[T],
    watch: &mut dyn Watch,
    act: impl Fn(&T) -> Result<R, Failure> + Sync,
) -> Result<Vec<R>, Failure> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(one) = list.get(index) else { break };
            let result = act(one);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
        }
    };
    let width = thread::available_parallelism().map_or(1, usize::from);
    let all = || thread::scope(|scope| (0..width).for_each(|_| _ = scope.spawn(work)));
    watch
        .during(all, || format!("mutant {} of {}", next.load(Ordering::Relaxed).min(list.len()), list.len()));
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

impl Score {
    /// How many mutants had this fate.
    #[must_use]
    pub fn count(&self, fate: Fate) -> usize {
        self.mutants.iter().filter(|tried| tried.fate == fate).count()
    }

    /// The files that have mutants.
    fn files(&self) -> BTreeSet<&str> {
        self.mutants.iter().map(|tried| tried.mutant.place.file.as_str()).collect()
    }
}

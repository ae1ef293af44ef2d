//! The tests in one build: its programs are compiled, and each test runs confined, in processes of its own.
//!
//! Compilers are trusted, the code under test is not: of what is built here nothing runs outside the sandbox.
//!
//! A program runs all its tests twice, the second time with perturbed memory (`MALLOC_PERTURB_`). A test that does not say that it
//! passed runs again by itself (`PROGRAM --here TEST`): so a hang or a crash costs one test, and a sanitizer's report has one culprit.

use super::builds::{self, Build};
use super::pace::Pace;
use super::symbols;
use crate::failure::Failure;
use crate::watch::Watch;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use testwright_base::effect::Effect;
use testwright_base::run::{End, signal_name};
use testwright_exec::{
    Addresses, Confined, ConfinedLimits, Ended, Forks, OnEffect, Way, effect, end_with_us, run_within,
};
use testwright_suite::verdict::{self, How, PASSED};
use testwright_suite::{Suite, Test};

/// What all builds of a suite share.
pub struct Setting<'a> {
    /// The folder of the suite.
    pub folder: &'a Path,
    /// The program that starts others in the sandbox.
    pub worker: &'a Path,
    /// Whether tests may want what the sandbox forbids.
    pub on_effect: OnEffect,
    /// What the code under test may read besides.
    pub read: &'a [PathBuf],
    /// How long a test may take.
    pub wall: Duration,
    /// How many processes at a time.
    pub width: usize,
    /// How long all of it may take.
    pub pace: Pace,
    /// Whether names are added to what sanitizers report.
    pub adds_names: bool,
}

/// What came of compiling.
pub enum Compiled {
    /// It is done.
    Done,
    /// The compiler said this.
    Refused(String),
    /// It took too long.
    Late,
    /// The time for all of it was over before, or meanwhile.
    NoTime,
}

/// What a program says that cannot have memory at the fixed addresses that the code under test uses.
const UNMAPPABLE: &str = "cannot map a page at ";

/// How much longer a program may take for each test that it runs.
const PER_TEST: Duration = Duration::from_millis(200);
/// How much of what a program says is kept: a megabyte, because code under test may print,
const OUTPUT: usize = 1 << 20;
/// and a line for each test that it runs; names have 60 characters at most.
const OUTPUT_PER_TEST: usize = 128;

/// A program in a build, to be started in one of two environments.
struct Program<'a> {
    build: usize,
    program: &'a Path,
    tests: &'a [Test],
    environment: Vec<(OsString, OsString)>,
}

/// A test in a build.
struct Run<'a> {
    build: usize,
    program: &'a Path,
    test: &'a Test,
}

/// What a test said, and how it ended.
struct Said {
    text: String,
    ended: Ended,
}

/// How a program is started.
struct Start<'a> {
    program: &'a Path,
    arguments: &'a [OsString],
    environment: &'a [(OsString, OsString)],
    on_effect: OnEffect,
    forks: Forks,
    wall: Duration,
    /// Bytes of output that are kept.
    output: usize,
}

/// The environments of two processes: in the second, memory that was never set or was freed holds something else.
fn environments() -> [Vec<(OsString, OsString)>; 2] {
    [vec![], vec![("MALLOC_PERTURB_".into(), "165".into())]]
}

/// How tests failed in a build: the test, and in which ways.
pub type Failed = Vec<(String, Vec<How>)>;

impl Setting<'_> {
    /// Compiles the programs of a build, as far as they are out of date. The first one need not keep to the pace.
    pub fn compile(&self, build: &Build, limit: Duration) -> Result<Compiled, Failure> {
        if build.is_first() {
            return self.compile_within(build, limit);
        }
        let time = self.pace.at_most(limit);
        if time.is_zero() {
            return Ok(Compiled::NoTime);
        }
        let compiled = self.compile_within(build, time)?;
        let is_over = matches!(compiled, Compiled::Late) && time < limit;
        Ok(if is_over { Compiled::NoTime } else { compiled })
    }

    /// How many files of these builds are compiled.
    pub fn compiled(&self, builds: &[Build]) -> usize {
        let is_object = |entry: &fs::DirEntry| entry.path().extension().is_some_and(|ending| ending == "o");
        let folders = builds.iter().filter_map(|build| fs::read_dir(self.folder.join(&build.folder)).ok());
        folders.flatten().flatten().filter(is_object).count()
    }

    /// Compiles the programs of a build within this time.
    pub fn compile_within(&self, build: &Build, limit: Duration) -> Result<Compiled, Failure> {
        let mut command = Command::new("make");
        command.arg("-s").arg("-k").arg(format!("-j{}", self.width)).arg("-C").arg(self.folder);
        command.arg(format!("BUILD={}", build.folder)).args(&build.variables).arg("programs");
        // What a make above this one said to it is not meant for ours.
        command.env_remove("MAKEFLAGS").env_remove("MAKELEVEL").env("LC_ALL", "C");
        // What compilers leave behind when they are killed goes with our own folders.
        let temporary = scratch()?;
        command.env("TMPDIR", temporary.path());
        end_with_us(&mut command);
        Ok(match run_within(&mut command, limit)? {
            None => Compiled::Late,
            Some(finished) if finished.status.success() => Compiled::Done,
            Some(finished) => Compiled::Refused(String::from_utf8_lossy(&finished.output).into_owned()),
        })
    }

    /// Runs every test twice in each of these builds, and tells for each build what failed.
    ///
    /// A program runs all its tests first, each in a child of its own, which takes little time. Whatever does not pass there
    /// gets a program start of its own, which tells why.
    pub fn run(
        &self,
        suite: &Suite,
        builds: &[Build],
        watch: &mut dyn Watch,
    ) -> Result<Vec<Failed>, Failure> {
        let own: Vec<String> = suite.files().into_iter().map(|(path, _)| path).collect();
        let mut of_builds: Vec<Failed> = vec![Vec::new(); builds.len()];
        let Some(name) = suite.plain_program() else { return Ok(of_builds) };
        let paths: Vec<PathBuf> =
            builds.iter().map(|build| self.folder.join(&build.folder).join(&name)).collect();
        let all: BTreeSet<&str> = suite.tests.iter().map(|test| test.name.as_str()).collect();
        let mut left = vec![all; builds.len()];
        let names = builds::in_words(builds);
        // Effects that are allowed may leave files behind, which other tests would see.
        if self.on_effect == OnEffect::End {
            let program = |build: usize, environment| Program {
                build,
                program: &paths[build],
                tests: &suite.tests,
                environment,
            };
            let programs: Vec<Program<'_>> = (0..builds.len())
                .flat_map(|build| environments().map(|environment| program(build, environment)))
                .collect();
            let what = format!("running {} tests with {names}", suite.tests.len());
            let failed = self.in_parallel(&programs, watch, &what, |program, scratch| {
                Ok((program.build, self.run_together(&builds[program.build], program, scratch)?))
            })?;
            left = vec![BTreeSet::new(); builds.len()];
            failed.into_iter().for_each(|(build, failed)| left[build].extend(failed));
        }
        let run = |build: usize, test| Run { build, program: &paths[build], test };
        let runs: Vec<Run<'_>> = left
            .iter()
            .enumerate()
            .flat_map(|(build, left)| {
                let tests = suite.tests.iter().filter(|test| left.contains(test.name.as_str()));
                tests.map(move |test| run(build, test))
            })
            .collect();
        let what = format!("running tests by themselves with {names}");
        let mut ran = self.in_parallel(&runs, watch, &what, |run, scratch| {
            Ok((run, self.run_alone(&builds[run.build], run, scratch)?))
        })?;
        for build in (0..builds.len()).filter(|build| builds[*build].sanitized && self.adds_names) {
            let of_build = ran.iter_mut().filter(|(run, _)| run.build == build);
            symbols::add(
                &paths[build],
                of_build.flat_map(|(_, said)| said.iter_mut().map(|said| &mut said.text)),
            )?;
        }
        for (run, said) in ran {
            let mut ways: Vec<How> = Vec::new();
            for how in said.iter().flat_map(|said| judge(run.test, said, &own, self.on_effect)) {
                if !ways.contains(&how) {
                    ways.push(how);
                }
            }
            if !ways.is_empty() {
                of_builds[run.build].push((run.test.name.clone(), ways));
            }
        }
        of_builds.iter_mut().for_each(|failed| failed.sort_by(|(one, _), (other, _)| one.cmp(other)));
        Ok(of_builds)
    }

    /// Does this for all of them, as many at a time as there are processors, each with a scratch folder that nobody else uses.
    fn in_parallel<'a, T: Sync, R: Send>(
        &self,
        all: &'a [T],
        watch: &mut dyn Watch,
        what: &str,
        one: impl Fn(&'a T, &Path) -> Result<R, Failure> + Sync,
    ) -> Result<Vec<R>, Failure> {
        let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(all.len())));
        let results = || done.lock().unwrap_or_else(PoisonError::into_inner);
        let act = || {
            thread::scope(|scope| {
                let workers: Vec<_> = (0..self.width.min(all.len()))
                    .map(|_| {
                        scope.spawn(|| -> Result<(), Failure> {
                            let scratch = scratch()?;
                            while let Some(item) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                                let result = one(item, scratch.path())?;
                                results().push(result);
                            }
                            Ok(())
                        })
                    })
                    .collect();
                workers.into_iter().try_for_each(|worker| {
                    worker
                        .join()
                        .unwrap_or_else(|_| Err(Failure::bug("a thread that runs tests has panicked")))
                })
            })
        };
        watch.during(act, || format!("{what}  {} of {}", results().len(), all.len()))?;
        Ok(done.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// The tests that do not pass in a process that runs all of them.
    fn run_together<'a>(
        &self,
        build: &Build,
        program: &Program<'a>,
        scratch: &Path,
    ) -> Result<Vec<&'a str>, Failure> {
        testwright_scratch::empty(scratch)?;
        let start = Start {
            program: program.program,
            arguments: &[],
            environment: &program.environment,
            on_effect: self.on_effect,
            forks: Forks::Once,
            wall: self.wall + PER_TEST * u32::try_from(program.tests.len()).unwrap_or(u32::MAX),
            output: OUTPUT + OUTPUT_PER_TEST * program.tests.len(),
        };
        let ended = self.confined(build, &start, scratch)?;
        let said = String::from_utf8_lossy(&ended.output);
        let passed = verdict::passed(&said);
        let names = program.tests.iter().map(|test| test.name.as_str());
        Ok(names.filter(|name| !passed.contains(name)).collect())
    }

    /// Runs a test in a process of its own, twice; a sanitizer says the same each time.
    fn run_alone(&self, build: &Build, run: &Run<'_>, scratch: &Path) -> Result<Vec<Said>, Failure> {
        let arguments = ["--here".into(), run.test.name.clone().into()];
        let without_names = vec![(symbols::WITHOUT.0.into(), symbols::WITHOUT.1.into())];
        let environments = match environments() {
            [plain, _] if build.sanitized => vec![if self.adds_names { without_names } else { plain }],
            both => both.to_vec(),
        };
        let mut said = Vec::new();
        for environment in &environments {
            testwright_scratch::empty(scratch)?;
            let start = Start {
                program: run.program,
                arguments: &arguments,
                environment,
                on_effect: self.on_effect,
                forks: Forks::Never,
                wall: self.wall,
                output: OUTPUT,
            };
            let ended = self.confined(build, &start, scratch)?;
            said.push(Said { text: String::from_utf8_lossy(&ended.output).into_owned(), ended });
        }
        Ok(said)
    }

    /// Runs a program of a format whose library runs all tests; what it said if it failed.
    pub fn run_whole(&self, build: &Build, program: &Path) -> Result<Option<String>, Failure> {
        let scratch = scratch()?;
        let start = Start {
            program,
            arguments: &[],
            environment: &[],
            on_effect: OnEffect::GoOn,
            // For a test, and within it for a call that exits.
            forks: Forks::Twice,
            wall: 4 * self.wall,
            output: OUTPUT,
        };
        let ended = self.confined(build, &start, scratch.path())?;
        let said = String::from_utf8_lossy(&ended.output).into_owned();
        Ok(match ended.way {
            Way::Exited(0) => None,
            _ => Some(format!("{said}{}", in_words(&ended))),
        })
    }

    fn confined(&self, build: &Build, start: &Start<'_>, scratch: &Path) -> Result<Ended, Failure> {
        let Start { program, arguments, environment, on_effect, forks, wall, output } = *start;
        let defaults = ConfinedLimits::default();
        let confined = Confined {
            worker: self.worker,
            program,
            arguments,
            scratch,
            read: self.read,
            // Where `--coverage` keeps its counts.
            write: &[self.folder.join(&build.folder)],
            environment,
            on_effect,
            addresses: Addresses::Random,
            forks,
            limits: ConfinedLimits {
                wall,
                output,
                memory: defaults.memory.filter(|_| !build.sanitized),
                ..defaults
            },
        };
        confined.run().map_err(|error| Failure::bug(format!("a test cannot be run: {error}")))
    }
}

fn scratch() -> Result<testwright_scratch::Folder, Failure> {
    Ok(testwright_scratch::folder()?)
}

/// The signal of `abort`.
const SIGABRT: i32 = 6;

/// The ways in which a test failed; none if it passed.
fn judge(test: &Test, said: &Said, own: &[String], on_effect: OnEffect) -> Vec<How> {
    let Said { text, ended } = said;
    let expected = match test.end {
        End::Exit(status) => Way::Exited(status & 0xff),
        End::Abort => Way::Signal(SIGABRT),
        _ => Way::Exited(PASSED),
    };
    match ended.way {
        way if way == expected => Vec::new(),
        // Sanitizers use addresses that devices may have; such a build says nothing about the test.
        Way::Exited(1) if text.contains(UNMAPPABLE) => Vec::new(),
        Way::Effect if on_effect == OnEffect::End => {
            let words: Vec<&str> = effect::of_program(&ended.effects).iter().map(Effect::words).collect();
            vec![How::Effect(words.join(", "))]
        }
        _ => verdict::ways(&test.name, text, &in_words(ended), own),
    }
}

fn in_words(ended: &Ended) -> String {
    match ended.way {
        Way::Exited(status) => format!("it ended with exit status {status}"),
        Way::Signal(signal) => format!("it ended by signal {signal} ({})", signal_name(signal)),
        Way::TimedOut => "it took too long".to_owned(),
        Way::Effect => format!("it {}", effect::of_program(&ended.effects)),
    }
}

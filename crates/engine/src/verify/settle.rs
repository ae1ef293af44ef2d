//! Settling: the suite is tried in one build after the other, and what fails is taken out, until all that is left passes.
//!
//! Each test runs in a process of its own, so what is taken out changes nothing for the others, and a build that has seen them
//! need not see them again: a round goes on to the next stage of builds with what the last one left. Only a build in which an
//! assertion failed is asked again, because a test may fail behind it, and the first build always has the last word. Without a limit
//! in time all builds do.

use super::builds::{self, Build};
use super::execute::{Compiled, Failed as FailedTests, Setting};
use super::{FIRST_LIMIT, Verdict, write};
use crate::failure::Failure;
use crate::watch::Watch;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, thread};
use testwright_suite::emit::Format;
use testwright_suite::emit::c::stub::HEADER_NAME;
use testwright_suite::verdict::{Failure as Failed, How, refused, refused_stubs};
use testwright_suite::{Suite, Tried};

/// How long any other build may take to compile, beyond four times what the first one took.
const OTHER_LIMIT: Duration = Duration::from_secs(20);
/// How often the suite is tried.
const MOST_ROUNDS: usize = 8;
/// From this round on, a test that fails goes as a whole.
const IMPATIENT: usize = 3;

/// Writes the suite in format plain, which can run each test by itself, and takes out what does not hold.
pub fn settle(
    suite: &mut Suite,
    setting: &Setting<'_>,
    builds: &[Build],
    watch: &mut dyn Watch,
) -> Result<Verdict, Failure> {
    let mut settling =
        Settling { setting, open: builds.to_vec(), checked: BTreeSet::new(), unchecked: Vec::new() };
    for round in 0..MOST_ROUNDS {
        match settling.round(suite, round, watch)? {
            Round::Shorter => {}
            Round::Passed => {
                let is_checked = |build: &&Build| settling.checked.contains(&build.name());
                let checked = builds::in_words(builds.iter().filter(is_checked));
                let (taken_out, unchecked) = (suite.taken_out.len(), settling.unchecked);
                return Ok(Verdict::Passed { taken_out, checked, unchecked });
            }
            Round::Ended(verdict) => return Ok(verdict),
        }
    }
    Ok(Verdict::Failed("some tests fail each time they run".to_owned()))
}

/// What came of a round.
enum Round {
    /// Something was taken out: what is left has to be tried again.
    Shorter,
    /// All tests passed.
    Passed,
    /// It ends otherwise.
    Ended(Verdict),
}

/// A suite that is tried in rounds.
struct Settling<'a> {
    setting: &'a Setting<'a>,
    /// The builds of the next round; the first is what `make check` makes by itself.
    open: Vec<Build>,
    /// The builds in which the tests ran, by name.
    checked: BTreeSet<String>,
    /// What was not checked, and why.
    unchecked: Vec<String>,
}

impl Settling<'_> {
    /// Tries the suite in the open builds, stage by stage, each without what the one before took out.
    fn round(&mut self, suite: &mut Suite, round: usize, watch: &mut dyn Watch) -> Result<Round, Failure> {
        let (setting, started) = (self.setting, Instant::now());
        let limit = setting.pace.for_first(FIRST_LIMIT);
        write(suite, &[Format::PLAIN], setting.folder)?;
        if suite.tests.is_empty() {
            return Ok(Round::Ended(Verdict::Empty));
        }
        match compile_side_by_side(suite, setting, &self.open[..1], limit, watch)?.remove(0) {
            Compiled::Done => {}
            Compiled::Refused(said) if take_out_refused(suite, setting.folder, &said)? => {
                return Ok(Round::Shorter);
            }
            Compiled::Refused(said) => return Ok(Round::Ended(Verdict::Failed(said))),
            Compiled::Late | Compiled::NoTime => {
                let message = format!("compiling took more than {} s", limit.as_secs());
                return Ok(Round::Ended(Verdict::Failed(message)));
            }
        }
        let limit = OTHER_LIMIT + 4 * started.elapsed();
        let (mut is_shorter, mut one_run) = (false, Duration::ZERO);
        // Those that have to be asked again.
        let mut unsettled = BTreeSet::new();
        for stage in builds::stages(&self.open) {
            if is_shorter {
                write(suite, &[Format::PLAIN], setting.folder)?;
            }
            if suite.tests.is_empty() {
                return Ok(Round::Ended(Verdict::Empty));
            }
            let begun = Instant::now();
            let made = self.compile(suite, &stage, limit, &mut unsettled, watch)?;
            is_shorter |= !unsettled.is_empty();
            let (made, late): (Vec<Build>, Vec<Build>) =
                made.into_iter().partition(|build| build.is_first() || setting.pace.has(one_run));
            late.iter().for_each(|build| self.leave_unchecked(build, &without_time(build)));
            if made.is_empty() {
                continue;
            }
            let started = Instant::now();
            let failed = setting.run(suite, &made, watch)?;
            one_run = one_run.max(started.elapsed());
            is_shorter |= failed.iter().any(|failed| !failed.is_empty());
            for (build, _) in made.iter().zip(&failed).filter(|(_, failed)| asserts(failed)) {
                unsettled.insert(build.name());
            }
            // A build that cannot be asked again has no assertion left whose test may fail behind it.
            let is_patient =
                |build: &Build| round < IMPATIENT && (build.is_first() || setting.pace.has(begun.elapsed()));
            take_out(suite, &made, &failed, is_patient);
            self.checked.extend(made.iter().map(Build::name));
        }
        if !is_shorter {
            return Ok(Round::Passed);
        }
        if setting.pace.left().is_some() {
            self.open.retain(|build| build.is_first() || unsettled.contains(&build.name()));
        }
        Ok(Round::Shorter)
    }

    /// Compiles the builds of a stage; those that are made. One that refuses something which can be taken out is `unsettled`.
    fn compile(
        &mut self,
        suite: &mut Suite,
        stage: &[Build],
        limit: Duration,
        unsettled: &mut BTreeSet<String>,
        watch: &mut dyn Watch,
    ) -> Result<Vec<Build>, Failure> {
        let (mut made, mut others) = (Vec::new(), Vec::new());
        for build in stage {
            if build.is_first() { &mut made } else { &mut others }.push(build.clone());
        }
        for some in others.chunks(self.setting.width) {
            let compiled = compile_side_by_side(suite, self.setting, some, limit, watch)?;
            for (build, compiled) in some.iter().zip(compiled) {
                match compiled {
                    Compiled::Done => made.push(build.clone()),
                    Compiled::Late => {
                        let why = format!("{}, because compiling took too long", build.name());
                        self.leave_unchecked(build, &why);
                    }
                    Compiled::NoTime => self.leave_unchecked(build, &without_time(build)),
                    Compiled::Refused(said) if take_out_refused(suite, self.setting.folder, &said)? => {
                        unsettled.insert(build.name());
                    }
                    Compiled::Refused(said) => {
                        let line = said.lines().find(|line| line.contains("error")).unwrap_or_default();
                        self.leave_unchecked(
                            build,
                            &format!("{}, which does not compile: {line}", build.name()),
                        );
                    }
                }
            }
        }
        Ok(made)
    }

    /// Makes a build no more. If the tests never ran in it, that is told.
    fn leave_unchecked(&mut self, build: &Build, why: &str) {
        self.open.retain(|other| other != build);
        if !self.checked.contains(&build.name()) {
            self.unchecked.push(why.to_owned());
        }
    }
}

/// Whether an assertion failed: the test may fail again behind it.
fn asserts(failed: &FailedTests) -> bool {
    failed.iter().flat_map(|(_, ways)| ways).any(|how| matches!(how, How::Assertion(_)))
}

/// `gcc -O2, because no time was left`
fn without_time(build: &Build) -> String {
    format!("{}, because no time was left", build.name())
}

/// Compiles some builds side by side.
fn compile_side_by_side(
    suite: &Suite,
    setting: &Setting<'_>,
    builds: &[Build],
    limit: Duration,
    watch: &mut dyn Watch,
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
    watch.during(compile, how_far)
}

/// Takes out what failed: assertions where there is patience for another try, tests elsewhere. What a sanitizer reports explains what
/// other builds only show; then the first build has the word, and only what it does not see depends on the build.
fn take_out(
    suite: &mut Suite,
    builds: &[Build],
    failed: &[FailedTests],
    is_patient: impl Fn(&Build) -> bool,
) {
    let is_reported = |ways: &[How]| ways.iter().any(|how| matches!(how, How::Sanitizer(_)));
    let mut explained: BTreeSet<String> = BTreeSet::new();
    for reported in [true, false] {
        for (build, failed) in builds.iter().zip(failed) {
            let name = build.name();
            let tried = if build.is_first() { Tried::First } else { Tried::Another(&name) };
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
            if !is_patient(build) {
                let is_assertion = |failure: &Failed| matches!(failure.how, How::Assertion(_));
                let (asserted, others): (Vec<Failed>, _) = failures.into_iter().partition(is_assertion);
                suite.leave_out_whole(&asserted, &tried);
                failures = others;
            }
            suite.leave_out(&failures, &tried);
        }
    }
}

/// Takes out what the compiler's output complains about: stubs first, because tests that use one suffer with it. False if that
/// is none of ours.
fn take_out_refused(suite: &mut Suite, folder: &Path, said: &str) -> Result<bool, Failure> {
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

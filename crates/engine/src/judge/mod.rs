//! What a search kept is judged: the few cases that show everything, made lighter, and run twice more in the run build,
//! as their tests will run.
//!
//! Shrinking never makes a case stray beside its memory. A case that has the right member of a union for its tag keeps it.

pub mod doubts;
pub mod gaps;
mod mutants;
mod occurrences;
mod patience;
mod queries;
pub mod reasons;

pub use patience::Patience;

use mutants::Mutants;

use crate::build::loaded::LoadedSubject;
use crate::build::locate;
use crate::failure::Failure;
use crate::schedule;
use crate::schedule::{FunctionResult, Kept, Seeds};
use crate::watch::Watch;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use testwright_base::build::Build;
use testwright_base::case::{Case, Value};
use testwright_base::ids::{FunctionId, GlobalId, GoalId, OutcomeId};
use testwright_base::run::{End, Run};
use testwright_base::site::SiteKind;
use testwright_base::start::example_cases;
use testwright_base::stub::only_used;
use testwright_base::subject::Subject;
use testwright_base::tagged::{is_tied, tied};
use testwright_exec::Session;
use testwright_logic::solve::Statistics;
use testwright_search::execute::Execute as _;
use testwright_search::goals::Criteria;
use testwright_suite::assert::is_nameable;
use testwright_suite::minimise::{Candidate, greedy_size, minimise, most_telling};
use testwright_suite::shrink::shrink;
use testwright_suite::weight::weight;
use testwright_suite::{FIRST_DEMANDED, FIRST_MUTANT, Found, ends_by_itself};

/// Globals of more bytes than this together are not looked at.
const LOOKED_AT: u64 = 1 << 18;

/// From so many functions on it is worth to start another worker.
const MANY: usize = 8;
/// Mutants are worth so many times the tests that branches need.
const TIMES_THE_TESTS: usize = 3;
/// Where branches need few tests, a table or a formula may be worth so many more.
const TESTS_BESIDES: usize = 4;
/// A lighter case may take so many times the steps of the one that it stands for, and so many besides.
const TIMES_THE_STEPS: u64 = 2;
const STEPS_BESIDES: u64 = 10_000;

/// What came of trying what was kept.
#[derive(Default)]
pub struct Tried {
    /// The cases worth keeping and the findings, with what they do.
    pub found: Vec<Found>,
    /// How many cases a greedy cover of all that return takes, by function.
    pub greedy_covers: BTreeMap<FunctionId, usize>,
    /// What could not be tried by a fault of ours, by function.
    pub lost: BTreeMap<FunctionId, String>,
    /// What was asked of the solver: augmented path conditions, all of it.
    pub solver: Statistics,
}

impl Tried {
    fn add(&mut self, other: Tried) {
        self.found.extend(other.found);
        self.greedy_covers.extend(other.greedy_covers);
        self.lost.extend(other.lost);
        self.solver.add(&other.solver);
    }
}

/// The cases worth keeping and the findings, with what they do. What fails in one function costs the others nothing.
///
/// Many functions are tried side by side if there is a budget in time; runs have one order, so that the same seed gives the same suite.
pub fn tried_all(
    code: &mut LoadedSubject,
    explored: &[FunctionResult],
    seeds: &Seeds,
    patience: &Patience,
    criteria: &Criteria<'_>,
    watch: &mut dyn Watch,
) -> Tried {
    code.session.limits.wall = schedule::RUN;
    let width = if patience.is_timed() && explored.len() >= MANY {
        thread::available_parallelism().map_or(1, usize::from)
    } else {
        1
    };
    // A twin that cannot be started leaves its part to the others.
    let twins: Vec<Session> = (1..width).filter_map(|_| code.session.twin().ok()).collect();
    let (workers, off) = (twins.len() + 1, code.off());
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let tried = || done.lock().unwrap_or_else(PoisonError::into_inner);
    let work = |code: &mut LoadedSubject| {
        let mut patience = patience.clone();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(function) = explored.get(index) else { break };
            let left = (explored.len() - index).div_ceil(workers);
            let one = patience.for_one_of(left, |patience| {
                tried_one(code, function, seeds.of(function.function), patience, criteria)
            });
            tried().push((index, one));
        }
    };
    let act = || {
        thread::scope(|scope| {
            for twin in twins {
                scope.spawn(|| work(&mut LoadedSubject::new(twin).without(off)));
            }
            work(code);
        });
    };
    watch.during(act, || {
        format!(
            "trying what was found  function {} of {}",
            (tried().len() + 1).min(explored.len()),
            explored.len()
        )
    });
    let mut parts = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    parts.sort_by_key(|(index, _)| *index);
    let mut all = Tried::default();
    parts.into_iter().for_each(|(_, one)| all.add(one));
    all
}

/// What came of one function.
fn tried_one(
    code: &mut LoadedSubject,
    function: &FunctionResult,
    seeds: &[Case],
    patience: &mut Patience,
    criteria: &Criteria<'_>,
) -> Tried {
    let mut tried = Tried::default();
    if let Err(failure) = tried_function(code, function, seeds, patience, criteria, &mut tried) {
        tried.lost.insert(function.function, failure.message);
    }
    tried
}

/// Adds what came of one function.
fn tried_function(
    code: &mut LoadedSubject,
    function: &FunctionResult,
    seeds: &[Case],
    patience: &mut Patience,
    criteria: &Criteria<'_>,
    all: &mut Tried,
) -> Result<(), Failure> {
    let goals: BTreeSet<GoalId> = function.kept.iter().flat_map(|kept| &kept.goals).copied().collect();
    let subject = code.subject();
    let mutants = Mutants::of(&subject, function.function);
    let wanted = Wanted { criteria, goals: &goals, mutants: mutants.as_ref() };
    let (mut kept, mut earlier_findings) = (Vec::new(), Vec::new());
    for seed in seeds {
        let found = Found { earlier: true, ..tried(code, seed.clone(), wanted)? };
        if !found.again.as_ref().is_some_and(|again| again.end == found.run.end) {
            continue;
        }
        if returned(&found.run) { kept.push(found) } else { earlier_findings.push(found) }
    }
    let is_kept = |best: &&Kept| !kept.iter().any(|found: &Found| found.case == best.case);
    let others: Vec<&Kept> = function.kept.iter().filter(is_kept).collect();
    for best in others {
        let found = tried(code, best.case.clone(), wanted)?;
        // A case that ends badly or strays shows only what nothing better shows.
        let shows_all = returned(&found.run) && !found.strays;
        let goals = if shows_all { found.goals } else { best.goals.clone() };
        let earlier = seeds.contains(&found.case);
        kept.push(Found { goals, broke: best.broke.clone(), earlier, ..found });
    }
    patience
        .for_one_of(3, |patience| occurrences::augment(code, &mut kept, wanted, patience, &mut all.solver))?;
    all.greedy_covers.extend(greedy_cover(code.session.subject(), &kept));
    patience
        .for_one_of(2, |patience| mutants::kill_more(code, &mut kept, wanted, patience, &mut all.solver))?;
    let chosen = cover(code.session.subject(), kept);
    let findings = function.findings.len();
    let mut chosen = lightened(code, chosen, wanted, patience, findings)?;
    for case in example_cases(code.session.subject(), function.function) {
        let case = code.with_globals(case);
        let found = tried(code, case, wanted)?;
        // What is printed for a format is worth a test, whatever branches others show.
        if returned(&found.run) && !chosen.iter().any(|other| other.case == found.case) {
            chosen.push(found);
        }
    }
    look_at_globals(code, &mut chosen)?;
    patience.for_one_of(findings + 1, |patience| queries::ask(code, &mut chosen, patience));
    all.found.extend(chosen);
    for (index, (case, broke)) in function.findings.iter().enumerate() {
        let found = patience.for_case(findings - index, |patience| {
            smallest_finding(code, case, &earlier_findings, patience, criteria)
        })?;
        all.found.push(Found { broke: broke.clone(), ..found });
    }
    Ok(())
}

/// What cases are to show.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    criteria: &'a Criteria<'a>,
    goals: &'a BTreeSet<GoalId>,
    /// The mutants that they are to kill, if anybody asks for that.
    mutants: Option<&'a Mutants>,
}

impl<'a> Wanted<'a> {
    fn nothing(criteria: &'a Criteria<'a>) -> Wanted<'a> {
        Wanted { criteria, goals: const { &BTreeSet::new() }, mutants: None }
    }
}

/// Runs a case twice, without what it does not use. Its goals are all that it hits.
fn tried(code: &mut LoadedSubject, case: Case, wanted: Wanted<'_>) -> Result<Found, Failure> {
    let Wanted { criteria, goals, mutants } = wanted;
    let mut run = code.session.run(&case, Build::RunWithDistances)?;
    let mut case = case;
    // A run without end takes seconds, and no test comes of it: it is seen once.
    let again = if is_endless(run.end) {
        run.clone()
    } else {
        (case, run) = with_used_answers(code, case, run)?;
        locate(&mut code.session, &case, &mut run)?;
        let mut again = code.session.run(&case, Build::RunWithDistances)?;
        locate(&mut code.session, &case, &mut again)?;
        again
    };
    let traced = criteria.need_trace(goals).then(|| code.trace(&case).ok()).flatten();
    let met = criteria.met(&code.subject(), &run.outcomes, traced.as_ref());
    let goals = met.into_iter().filter(|goal| goals.contains(goal)).collect();
    let strays = ends_by_itself(&run) && code.strays(&case).is_some();
    let can_be_test = ends_by_itself(&run) && !strays;
    let killed = |mutants: &Mutants| mutants.killed(code, &case);
    let kills = mutants.filter(|_| can_be_test).map(killed).unwrap_or_default();
    let again = Some(again);
    let (broke, earlier, demanded, queries) = (None, false, false, Vec::new());
    Ok(Found { case, run, again, goals, kills, broke, strays, earlier, demanded, queries })
}

/// How many of the cases that can be tests a greedy cover takes.
fn greedy_cover(subject: &Subject, found: &[Found]) -> Option<(FunctionId, usize)> {
    let (function, _) = found.first()?.case.call()?;
    let tests = found.iter().filter(|found| ends_by_itself(&found.run));
    let candidates: Vec<Candidate> = candidates(subject, tests);
    Some((function, greedy_size(&candidates).max(usize::from(!candidates.is_empty()))))
}

/// Cases by what they show. One that is demanded shows what no other one does.
fn candidates<'f>(subject: &Subject, found: impl Iterator<Item = &'f Found>) -> Vec<Candidate> {
    let numbered = (FIRST_DEMANDED..).zip(found);
    let made = numbered.map(|(number, found)| {
        let mut candidate = candidate(subject, found);
        candidate.goals.extend(found.demanded.then_some(number));
        candidate
    });
    made.collect()
}

/// A case by what it shows. A function without goals has one case that returns all the same.
fn candidate(subject: &Subject, found: &Found) -> Candidate {
    let returns = returned(&found.run).then_some(if found.strays { u32::MAX - 1 } else { u32::MAX });
    Candidate {
        goals: found.goals.iter().map(|goal| goal.0).chain(returns).collect(),
        weight: weight(subject, &found.case),
        earlier: found.earlier,
    }
}

/// The few that show everything and kill every mutant.
fn cover(subject: &Subject, found: Vec<Found>) -> Vec<Found> {
    let chosen = covering(subject, &found);
    let numbered = found.into_iter().enumerate();
    numbered.filter(|(index, _)| chosen.contains(index)).map(|(_, found)| found).collect()
}

/// Which these are: at most three times as many as show everything, and a few besides.
fn covering(subject: &Subject, found: &[Found]) -> BTreeSet<usize> {
    let mut candidates = candidates(subject, found.iter());
    let showing = minimise(&candidates);
    for (candidate, found) in candidates.iter_mut().zip(found) {
        candidate.goals.extend(found.kills.iter().map(|mutant| FIRST_MUTANT + mutant.0));
    }
    let most = TIMES_THE_TESTS * showing.len() + TESTS_BESIDES;
    let chosen: BTreeSet<usize> = minimise(&candidates).into_iter().collect();
    if chosen.len() <= most {
        return chosen;
    }
    showing.iter().for_each(|index| candidates[*index].earlier = true);
    most_telling(&candidates, most)
}

/// Each case made as light as it can be while it shows what no other one does. As many findings come after them.
fn lightened(
    code: &mut LoadedSubject,
    mut list: Vec<Found>,
    wanted: Wanted<'_>,
    patience: &mut Patience,
    findings: usize,
) -> Result<Vec<Found>, Failure> {
    let criteria = wanted.criteria;
    let count = list.len() + findings;
    for index in 0..list.len() {
        // What was in the suite before was made light then; what solves a condition would not solve it any more.
        if !ends_by_itself(&list[index].run) || list[index].earlier || list[index].demanded {
            continue;
        }
        let others: BTreeSet<GoalId> = list
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != index)
            .flat_map(|(_, found)| found.goals.iter().copied())
            .collect();
        let own: Vec<GoalId> =
            list[index].goals.iter().copied().filter(|goal| !others.contains(goal)).collect();
        let end = list[index].run.end;
        let needed: Vec<&[OutcomeId]> = own.iter().map(|goal| criteria.goals().needed(*goal)).collect();
        let came_to = |run: &Run, any: &&[OutcomeId]| any.iter().any(|hit| run.outcomes.contains(hit));
        let shows = |run: &Run| run.end == end && needed.iter().all(|any| came_to(run, any));
        let needing = if criteria.need_trace(&own) { own } else { Vec::new() };
        let lighter = patience.for_case(count - index, |patience| {
            lighter(code, &list[index], patience, (wanted, &needing), shows)
        });
        let mut lighter = tried(code, lighter, wanted)?;
        if !returned(&lighter.run) || lighter.strays {
            lighter.goals.retain(|goal| list[index].goals.contains(goal));
        }
        // What does not behave the same twice is no test, however light.
        if lighter.again.as_ref().is_some_and(|again| again.end == lighter.run.end) {
            list[index] = lighter;
        }
    }
    Ok(list)
}

/// Adds what the cases of a function do to globals: all of those that one of them changes, in every case; what stubs are given, and what the
/// result points to.
fn look_at_globals(code: &mut LoadedSubject, list: &mut [Found]) -> Result<(), Failure> {
    let Some((function, _)) = list.first().and_then(|found| found.case.call()) else { return Ok(()) };
    let mut left = LOOKED_AT;
    let mut fits = |global: &GlobalId| {
        let size = code.session.subject().globals[global.index()].size;
        left.checked_sub(size).map(|rest| left = rest).is_some()
    };
    let globals = (0..code.session.subject().globals.len()).map(GlobalId::of);
    let nameable = |global: &GlobalId| is_nameable(code.session.subject(), function, *global);
    let given = code.session.subject().given_within(function);
    let all: Vec<GlobalId> = globals.filter(nameable).filter(|global| fits(global)).chain(given).collect();
    let mut changed = BTreeSet::new();
    // Tests only come of runs that end.
    for found in list.iter().filter(|found| !all.is_empty() && ends_by_itself(&found.run)) {
        let run = code.session.run_looking_at(&found.case, Build::RunWithDistances, &all)?;
        changed.extend(run.globals.iter().filter(|seen| seen.before != seen.after).map(|seen| seen.global));
        let called =
            code.session.subject().stubs.iter().zip(&run.stub_calls).filter(|(_, calls)| **calls > 0);
        changed.extend(called.flat_map(|(stub, _)| stub.given.iter().map(|given| given.global)));
    }
    let changed: Vec<GlobalId> = changed.into_iter().collect();
    let points = |found: &Found| matches!(found.run.result, Some(Value::Address(_)));
    let is_seen = |found: &Found| ends_by_itself(&found.run) && (!changed.is_empty() || points(found));
    for found in list.iter_mut().filter(|found| is_seen(found)) {
        let mut look = || code.session.run_looking_at(&found.case, Build::RunWithDistances, &changed);
        let (first, second) = (look()?, look()?);
        (found.run.globals, found.run.behind) = (first.globals, first.behind);
        if let Some(again) = &mut found.again {
            (again.globals, again.behind) = (second.globals, second.behind);
        }
    }
    Ok(())
}

/// The finding made as small as it can be; an earlier one that ends in the same way is small already.
fn smallest_finding(
    code: &mut LoadedSubject,
    case: &Case,
    earlier: &[Found],
    patience: &mut Patience,
    criteria: &Criteria<'_>,
) -> Result<Found, Failure> {
    let wanted = Wanted::nothing(criteria);
    let found = tried(code, case.clone(), wanted)?;
    let same = |earlier: &&Found| {
        let subject = code.session.subject();
        earlier.run.end == found.run.end
            && error_calls(subject, &earlier.run) == error_calls(subject, &found.run)
    };
    if let Some(earlier) = earlier.iter().find(same) {
        return Ok(Found { goals: Vec::new(), ..earlier.clone() });
    }
    if !matches!(found.run.end, End::Trap { .. } | End::Signal { .. } | End::Abort) {
        return Ok(found);
    }
    // As runs of this build end, without the place that another one tells.
    let end = code.session.run(&found.case, Build::RunWithDistances)?.end;
    let errors = error_calls(code.session.subject(), &found.run);
    let lighter = lighter(code, &found, patience, (wanted, &[]), |run| {
        run.end == end && errors.iter().all(|error| run.outcomes.contains(error))
    });
    let lighter = tried(code, lighter, wanted)?;
    // A signal elsewhere is another finding.
    Ok(if lighter.run.end == found.run.end { lighter } else { found })
}

/// The calls of error functions that a run made: those that end elsewhere are other findings.
fn error_calls(subject: &Subject, run: &Run) -> Vec<OutcomeId> {
    let is_error = |outcome: &OutcomeId| {
        let site = subject.outcome(*outcome).and_then(|(site, _)| subject.site(site));
        site.is_some_and(|site| site.kind == SiteKind::Error)
    };
    run.outcomes.iter().copied().filter(is_error).collect()
}

/// The case made lighter as long as runs of both builds show what they should, and there is patience for them. A run that takes
/// many more steps than the one at hand is not lighter.
fn lighter(
    code: &mut LoadedSubject,
    found: &Found,
    patience: &mut Patience,
    (wanted, needing): (Wanted<'_>, &[GoalId]),
    shows: impl Fn(&Run) -> bool,
) -> Case {
    // Shared, because what runs the cases has the subject too.
    let subject = code.subject();
    let steps = code.session.limits.steps;
    let enough = found.run.steps.saturating_mul(TIMES_THE_STEPS).saturating_add(STEPS_BESIDES);
    code.session.limits.steps = steps.min(enough);
    let mut is_shown = |case: &Case| {
        if !subject.is_within_contracts(case) {
            return Some(false);
        }
        if !patience.has_run() {
            return None;
        }
        let shown = code.session.run(case, Build::RunWithDistances).is_ok_and(|run| shows(&run))
            // An optimised build leaves out reads whose values nobody uses, and with them their faults; the trace
            // build reads whatever may be an input.
            && code.session.trace(case).is_ok_and(|trace| shows(&trace.run))
            && shows_in_trace(code, case, wanted.criteria, needing)
            && wanted.mutants.is_none_or(|mutants| mutants.kills_all(code, case, &found.kills))
            && (found.strays || !ends_by_itself(&found.run) || code.strays(case).is_none());
        Some(shown)
    };
    // A test reads better if its unions have the members of their tags, so what has them keeps them.
    let tied = tied(&subject, &found.case);
    let is_readable = tied == found.case || is_shown(&tied) == Some(true);
    let start = if is_readable { &tied } else { &found.case };
    let lighter = shrink(&subject, start, |case| {
        if is_readable && !is_tied(&subject, case) { Some(false) } else { is_shown(case) }
    });
    code.session.limits.steps = steps;
    lighter
}

/// Whether a trace of a case shows these goals, which only a trace can show.
fn shows_in_trace(
    code: &mut LoadedSubject,
    case: &Case,
    criteria: &Criteria<'_>,
    needing: &[GoalId],
) -> bool {
    if needing.is_empty() {
        return true;
    }
    let Ok(traced) = code.trace(case) else { return false };
    let met = criteria.met(&code.subject(), &traced.outcomes, Some(&traced));
    needing.iter().all(|goal| met.contains(goal))
}

fn returned(run: &Run) -> bool {
    matches!(run.end, End::Returned | End::Exit(_))
}

fn is_endless(end: End) -> bool {
    matches!(end, End::StepLimit | End::Timeout)
}

/// The case without answers of stubs that its run does not use, if the run is the same without them; and that run.
fn with_used_answers(code: &mut LoadedSubject, case: Case, run: Run) -> Result<(Case, Run), Failure> {
    if code.session.subject().stubs.is_empty() {
        return Ok((case, run));
    }
    let shorter = only_used(code.session.subject(), &case, &run.stub_calls);
    if shorter == case {
        return Ok((case, run));
    }
    let again = code.session.run(&shorter, Build::RunWithDistances)?;
    let same = (run.end, &run.outcomes, &run.result) == (again.end, &again.outcomes, &again.result);
    Ok(if same { (shorter, again) } else { (case, run) })
}

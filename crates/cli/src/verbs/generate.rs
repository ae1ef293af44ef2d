//! `testwright generate`: explore, keep the shortest case per goal, write tests, compile and run them.

use crate::args;
use crate::code::Code;
use crate::exit::{Exit, Failure};
use crate::load;
use crate::workshop;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};
use testwright_base::build::Build;
use testwright_base::case::Case;
use testwright_base::graph::CallGraph;
use testwright_base::ids::{FunctionId, OutcomeId};
use testwright_base::site::{Place, SiteKind};
use testwright_base::start::plainest_case;
use testwright_base::subject::{Callee, Param, Subject};
use testwright_base::types::Shape;
use testwright_logic::solve::{Chain, Statistics};
use testwright_search::explore::{Config, Counts, Limits, Search, StopReason};
use testwright_search::strategy::Strategy;
use testwright_suite::{Effort, Found, Input, Reason, RunCounts, SolverCounts, Suite, Unmet};

/// What exploring one function brought.
struct Explored {
    kept: Vec<(Case, Vec<OutcomeId>)>,
    findings: Vec<Case>,
    open: Vec<OutcomeId>,
    /// Whether the inputs were all there is: no pointers, nothing that became concrete.
    complete: bool,
    runs: u64,
    counts: Counts,
    stop: StopReason,
}

/// Generates tests for the named functions, or for all that can be called.
pub fn perform(arguments: &args::Generate) -> Result<Exit, Failure> {
    let strategy: Strategy = arguments
        .strategy
        .parse()
        .map_err(|error: testwright_search::strategy::StrategyError| Failure::usage(error.to_string()))?;
    // Refused before anything is compiled.
    arguments.budget()?;
    let started = Instant::now();
    let session = load::load(&arguments.target, &[Build::RunWithDistances, Build::Trace])?;
    let subject = session.subject().clone();
    let functions = chosen(&subject, &arguments.functions)?;
    let built = started.elapsed();
    let mut code = Code { session };
    let mut solver = crate::solver::chain(arguments.dump_queries.as_deref())?;
    let mut explored = Vec::new();
    for (index, function) in functions.iter().enumerate() {
        let share =
            arguments.budget()?.saturating_sub(started.elapsed() - built) / (functions.len() - index) as u32;
        explored.push(explore(arguments, &strategy, &subject, *function, share, &mut code, &mut solver)?);
    }
    let elapsed = started.elapsed();
    let found = found(&mut code, &explored)?;
    let line = |place: &Place| source_line(place);
    let effort = effort(&explored, solver.statistics(), elapsed);
    let input = Input {
        subject: &subject,
        target: arguments
            .target
            .targets
            .iter()
            .map(|path| path.display().to_string())
            .collect::<Vec<_>>()
            .join(" "),
        seed: arguments.seed,
        sources: workshop::sources(&arguments.target, &subject, &functions, &found, &arguments.out)?,
        functions: functions.clone(),
        found,
        unmet: unmet(&explored),
        effort,
        line: &line,
    };
    let mut suite = Suite::new(&input);
    let verdict = workshop::write_and_try(&mut suite, &arguments.out)?;
    report(&suite, &verdict, solver.statistics(), built, elapsed, arguments);
    Ok(Exit::Done)
}

fn chosen(subject: &Subject, names: &[String]) -> Result<Vec<FunctionId>, Failure> {
    if !names.is_empty() {
        return names.iter().map(|name| load::function(subject, name)).collect();
    }
    let callable = |id: &FunctionId| {
        let function = subject.function(*id);
        !function.model && function.uncallable.is_none() && plainest_case(subject, *id).is_ok()
    };
    Ok((0..subject.functions.len()).map(FunctionId::of).filter(callable).collect())
}

fn explore(
    arguments: &args::Generate,
    strategy: &Strategy,
    subject: &Subject,
    function: FunctionId,
    budget: Duration,
    code: &mut Code,
    solver: &mut Chain,
) -> Result<Explored, Failure> {
    let start = plainest_case(subject, function)?;
    let config = Config { strategy: strategy.clone(), seed: arguments.seed, ..Config::default() };
    let mut search = Search::new(config, subject, function, start);
    let limits = Limits {
        runs: arguments.runs,
        deadline: arguments.runs.is_none().then(|| Instant::now() + budget),
        until_covered: true,
        interrupted: Some(crate::interrupt::flag()),
    };
    let stop = search.run(code, solver, &limits, &mut |_| {});
    let mut kept: BTreeMap<u64, (Case, Vec<OutcomeId>)> = BTreeMap::new();
    for (outcome, best) in search.archive().best() {
        let entry = kept.entry(u64::from(best.run.0)).or_insert_with(|| ((*best.case).clone(), Vec::new()));
        entry.1.push(*outcome);
    }
    Ok(Explored {
        kept: kept.into_values().collect(),
        findings: search.archive().findings().iter().map(|finding| (*finding.case).clone()).collect(),
        open: search.coverage().open_goals().iter().copied().collect(),
        complete: is_complete(subject, function)
            && search.counts().unknown == 0
            && search.counts().overflowed == 0,
        runs: search.runs().len() as u64,
        counts: search.counts().clone(),
        stop,
    })
}

/// Whether all inputs of a function are scalars that a search varies, and it calls nothing that is not traced.
fn is_complete(subject: &Subject, function: FunctionId) -> bool {
    let Some(signature) = &subject.function(function).signature else { return false };
    let scalar = |param: &Param| {
        !matches!(subject.types.get(param.ty).shape, Shape::Pointer(_) | Shape::Record { .. })
    };
    let calls = CallGraph::new(subject);
    let all = calls.all_callees(function).into_iter().chain([function]);
    let external = |id: FunctionId| {
        subject.function(id).calls.iter().any(|call| matches!(call.callee, Callee::External(_)))
    };
    signature.params.iter().all(scalar) && subject.globals.is_empty() && !all.into_iter().any(external)
}

/// Every kept case, run twice more in the run build.
fn found(code: &mut Code, explored: &[Explored]) -> Result<Vec<Found>, Failure> {
    let mut list = Vec::new();
    for function in explored {
        let cases = function
            .kept
            .iter()
            .cloned()
            .chain(function.findings.iter().map(|case| (case.clone(), Vec::new())));
        for (case, goals) in cases {
            let run = code.session.run(&case, Build::RunWithDistances)?;
            let again = Some(code.session.run(&case, Build::RunWithDistances)?);
            list.push(Found { case, run, again, goals });
        }
    }
    Ok(list)
}

fn unmet(explored: &[Explored]) -> Vec<Unmet> {
    let mut list = Vec::new();
    for function in explored {
        let reason = match &function.stop {
            StopReason::Exhausted if function.complete => {
                Reason::Infeasible("every path was explored".to_owned())
            }
            StopReason::Exhausted => Reason::NeverReached(
                "every path was explored, but for other shapes of what pointers lead to".to_owned(),
            ),
            StopReason::Declined if function.counts.unknown > 0 => Reason::SolverLimit,
            StopReason::Failed(why) => Reason::NeverReached(why.clone()),
            _ => Reason::Budget,
        };
        list.extend(function.open.iter().map(|outcome| Unmet { outcome: *outcome, reason: reason.clone() }));
    }
    list
}

fn effort(explored: &[Explored], solver: &Statistics, elapsed: Duration) -> Effort {
    let reasons: Vec<String> = explored.iter().map(|function| stop_text(&function.stop)).collect();
    Effort {
        elapsed_s: elapsed.as_secs_f64(),
        stop_reason: reasons.first().cloned().unwrap_or_default(),
        runs: RunCounts {
            concolic: explored.iter().map(|function| function.runs).sum(),
            ..RunCounts::default()
        },
        solver: SolverCounts {
            queries: solver.queries,
            sat: solver.sat,
            unsat: solver.unsat,
            unknown: solver.unknown,
            time_s: solver.time.as_secs_f64(),
        },
        divergences: explored.iter().map(|function| function.counts.divergences).sum(),
    }
}

fn stop_text(stop: &StopReason) -> String {
    match stop {
        StopReason::GoalsMet => "all goals met".to_owned(),
        StopReason::Exhausted => "all paths explored".to_owned(),
        StopReason::Declined => "nothing left to try".to_owned(),
        StopReason::Runs => "runs spent".to_owned(),
        StopReason::Deadline => "time spent".to_owned(),
        StopReason::Interrupted => "interrupted".to_owned(),
        StopReason::Failed(why) => format!("failed: {why}"),
    }
}

fn source_line(place: &Place) -> Option<String> {
    let text = std::fs::read_to_string(Path::new(&place.file)).ok()?;
    text.lines().nth(place.line.checked_sub(1)? as usize).map(str::to_owned)
}

fn report(
    suite: &Suite<'_>,
    verdict: &workshop::Verdict,
    solver: &Statistics,
    built: Duration,
    elapsed: Duration,
    arguments: &args::Generate,
) {
    let input = suite.input;
    let summary = testwright_suite::summary::Summary::new(suite);
    if arguments.json {
        println!("{}", summary.to_json());
        return;
    }
    let branches: u32 = input
        .subject
        .sites
        .iter()
        .filter(|site| input.functions.contains(&site.function) && !matches!(site.kind, SiteKind::Check(_)))
        .map(|site| site.outcome_count)
        .sum();
    println!(
        "  built     {}: {} functions, {branches} outcomes, {:.1} s",
        input.target,
        input.functions.len(),
        built.as_secs_f64()
    );
    let by_z3 = solver.layers.last().map_or(0, |layer| layer.sat + layer.unsat);
    println!(
        "  searched  {} concolic runs, {} solver queries ({by_z3} by Z3), {:.1} s, {}",
        input.effort.runs.concolic,
        solver.queries,
        elapsed.as_secs_f64(),
        input.effort.stop_reason
    );
    println!("  suite     {} tests; {verdict}", suite.tests.len());
    for function in &summary.functions {
        println!(
            "\n  {:<30} {}/{} branches, {} tests, {} findings",
            function.name,
            function.branches.covered,
            function.branches.total,
            function.tests,
            function.findings.len()
        );
        for finding in &function.findings {
            println!("    finding  {}:{}  {}", finding.file, finding.line, finding.kind);
        }
        for left in &function.uncovered {
            println!("    left     {}:{}  {}: {}", left.file, left.line, left.outcome, left.reason);
        }
    }
    println!("\n  {}   make -C {} check", arguments.out.display(), arguments.out.display());
}

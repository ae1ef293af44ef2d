//! All checks of one fixture.

use crate::fixture::{self, Claim, Expected, Line};
use crate::vary::{Random, vary};
use crate::{batch, load, native, predict};
use std::collections::BTreeMap;
use std::path::Path;
use testwright_base::build::Build;
use testwright_base::case::Case;
use testwright_base::json::{describe_in, parse_case};
use testwright_base::run::{End, Run};
use testwright_base::subject::Subject;
use testwright_exec::check::{check_trace, compare};
use testwright_exec::{Session, Trace};
use testwright_logic::path::{EventKind, Step};

/// How many variations of each case are run.
const VARIATIONS: usize = 10;
/// How many runs of a function are held against each other.
const COMPARED: usize = 24;

/// A case that was run in both builds.
struct Traced {
    title: String,
    trace: Trace,
    /// How C names its inputs.
    names: Vec<String>,
}

/// Checks every line of the fixture; fails with everything that is wrong.
pub fn check(path: &Path) {
    let lines = fixture::read(path);
    let mut session = load::load(path);
    let mut problems = Vec::new();
    let mut traced: BTreeMap<String, Vec<Traced>> = BTreeMap::new();
    let mut calls = Vec::new();
    for line in &lines {
        let title = format!("{}: {} {}", line.number, line.function, line.case);
        let case = case_of(&session, line);
        let (run, trace) = both(&mut session, &case, &title, &mut problems);
        problems.extend(
            claims(session.subject(), line, &case, &run, &trace).map(|text| format!("{title}: {text}")),
        );
        let heap_peak = run.heap_peak;
        if run.end == End::Returned && !line.claims.contains(&Claim::Own) {
            calls.push(native::Call { title: title.clone(), case: case.clone(), run });
        }
        // A function that fills the heap takes too long to be run hundreds of times.
        if !traced.contains_key(&line.function) && heap_peak < 1 << 22 {
            problems.extend(batch::disagreement(&mut session, &case).map(|text| format!("{title}: {text}")));
        }
        let runs = traced.entry(line.function.clone()).or_default();
        let names = trace.names(session.subject(), &case);
        runs.push(Traced { title, trace, names });
        if !line.claims.contains(&Claim::Fixed) {
            variations(&mut session, line, &case, runs, &mut calls, &mut problems);
        }
    }
    for runs in traced.values() {
        problems.extend(predictions(runs));
    }
    problems.extend(native::compare(path, session.subject(), &calls));
    assert!(problems.is_empty(), "{}\n{}\n", path.display(), problems.join("\n"));
}

fn case_of(session: &Session, line: &Line) -> Case {
    let subject = session.subject();
    let function = subject
        .function_named(&line.function)
        .unwrap_or_else(|| panic!("line {}: there is no function {}", line.number, line.function));
    parse_case(subject, function, &line.case).unwrap_or_else(|error| panic!("line {}: {error}", line.number))
}

/// Runs a case in both builds, with the self-check.
fn both(session: &mut Session, case: &Case, title: &str, problems: &mut Vec<String>) -> (Run, Trace) {
    let run = session.run(case, Build::RunWithDistances).unwrap_or_else(|error| panic!("{title}: {error}"));
    let trace = session.trace(case).unwrap_or_else(|error| panic!("{title}: {error}"));
    let found = compare(&run, &trace.run).into_iter().chain(check_trace(&trace));
    problems.extend(found.map(|problem| format!("{title}: {problem}")));
    (run, trace)
}

/// Runs variations of a case. Those that return are compared with native code, too, unless they have pointers:
/// other contents may lead out of bounds, where native code shows nothing.
fn variations(
    session: &mut Session,
    line: &Line,
    case: &Case,
    runs: &mut Vec<Traced>,
    calls: &mut Vec<native::Call>,
    problems: &mut Vec<String>,
) {
    let mut random = Random::for_text(&format!("{}{}", line.function, line.case));
    let scalars = case.statements.len() == 1;
    for _ in 0..VARIATIONS {
        let varied = vary(session.subject(), case, &mut random);
        let written = testwright_base::json::case_to_json(session.subject(), &varied);
        let title = format!("{}: {} {written}", line.number, line.function);
        let (run, trace) = both(session, &varied, &title, problems);
        let names = trace.names(session.subject(), &varied);
        if scalars && run.end == End::Returned && !line.claims.contains(&Claim::Own) {
            calls.push(native::Call { title: title.clone(), case: varied, run });
        }
        runs.push(Traced { title, trace, names });
    }
}

/// What the paths of a function's runs say wrongly about each other.
fn predictions(runs: &[Traced]) -> Vec<String> {
    let mut problems = Vec::new();
    let runs = &runs[..runs.len().min(COMPARED)];
    for one in runs {
        for other in runs {
            let alike = one.names == other.names
                && !(one.trace.overflowed || other.trace.overflowed)
                && one.trace.stale + other.trace.stale == 0;
            if alike && let Some(problem) = predict::disagreement(&one.trace, &other.trace) {
                problems.push(format!("{} against {}: {problem}", one.title, other.title));
            }
        }
    }
    // One mistake shows in many pairs.
    problems.truncate(3);
    problems
}

fn claims(
    subject: &Subject,
    line: &Line,
    case: &Case,
    run: &Run,
    trace: &Trace,
) -> impl Iterator<Item = String> + use<> {
    let mut problems = Vec::new();
    problems.extend(outcome(subject, line, case, run));
    if trace.overflowed || trace.stale > 0 {
        problems.push(format!(
            "the trace lost something: overflowed {}, stale {}",
            trace.overflowed, trace.stale
        ));
    }
    let steps = trace.path.steps();
    let kept: Vec<String> = steps.iter().filter_map(|step| kept(subject, step)).collect();
    let expected: Vec<&str> = line
        .claims
        .iter()
        .filter_map(|claim| if let Claim::Keeps(text) = claim { Some(text.as_str()) } else { None })
        .collect();
    for text in kept.iter().filter(|text| !expected.iter().any(|expected| text.starts_with(expected))) {
        problems.push(format!("a value was made concrete: {text}"));
    }
    for text in expected.iter().filter(|expected| !kept.iter().any(|text| text.starts_with(*expected))) {
        problems.push(format!("nothing was made concrete for this reason: {text}"));
    }
    let inputs = trace.names(subject, case);
    let names = decisive_inputs(trace, &inputs);
    let concrete = line.claims.contains(&Claim::Concrete);
    if !trace.leaves.is_empty() && names.is_empty() != concrete {
        problems.push(format!("decisions depend on {names:?}"));
    }
    let smt = trace
        .path
        .to_smt(&trace.exprs, &|input| inputs[input as usize].clone(), &|step| format!("{:?}", step.kind));
    for claim in &line.claims {
        match claim {
            Claim::Smt(text) if !smt.contains(text) => {
                problems.push(format!("the path condition does not contain {text}:\n{smt}"));
            }
            Claim::On(wanted) => {
                let missing = wanted.iter().filter(|name| !names.contains(name));
                problems
                    .extend(missing.map(|name| format!("no decision depends on {name}, only on {names:?}")));
            }
            Claim::Prints(text) if !String::from_utf8_lossy(&run.output).contains(text) => {
                problems.push(format!("it printed {:?}", String::from_utf8_lossy(&run.output)));
            }
            _ => {}
        }
    }
    problems.into_iter()
}

fn outcome(subject: &Subject, line: &Line, case: &Case, run: &Run) -> Option<String> {
    let (function, _) = case.call()?;
    let result = subject.function(function).signature.as_ref()?.result;
    let text = match (&run.result, run.end) {
        (Some(value), End::Returned) => Expected::Returns(describe_in(subject, case, value, result)),
        (None, End::Returned) => Expected::Returns(String::new()),
        (_, end) => Expected::Ends(end.to_string()),
    };
    let right = match (&line.outcome, &text) {
        (Expected::Returns(wanted), Expected::Returns(found)) => wanted == found,
        (Expected::Ends(wanted), Expected::Ends(found)) => found.starts_with(wanted.as_str()),
        _ => false,
    };
    (!right).then(|| format!("expected {:?}, got {text:?}", line.outcome))
}

/// Why a step made a value concrete, if it did.
fn kept(subject: &Subject, step: &Step) -> Option<String> {
    let named = |list: &[String]| list.get(step.extra as usize).cloned().unwrap_or_default();
    Some(match step.kind {
        EventKind::Branch | EventKind::Switch | EventKind::Compare | EventKind::Bounds => return None,
        // Nearly every case follows its pointers.
        EventKind::Pointer | EventKind::Related => return None,
        EventKind::Address => "address".to_owned(),
        EventKind::Size => "size".to_owned(),
        EventKind::Callee => "callee".to_owned(),
        EventKind::Native => format!("native {}", named(&subject.externals)),
        EventKind::Unsupported => format!("unsupported {}", named(&subject.unsupported)),
    })
}

/// Names of the inputs that branches, switches, comparisons and table reads depend on.
fn decisive_inputs(trace: &Trace, names: &[String]) -> Vec<String> {
    let decides = |step: &&Step| {
        matches!(step.kind, EventKind::Branch | EventKind::Switch | EventKind::Compare | EventKind::Bounds)
    };
    let mut inputs: Vec<u32> =
        trace.path.steps().iter().filter(decides).flat_map(|step| trace.exprs.inputs_of(step.expr)).collect();
    inputs.sort_unstable();
    inputs.dedup();
    inputs.into_iter().map(|input| names[input as usize].clone()).collect()
}

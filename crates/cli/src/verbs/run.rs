//! `testwright run`: one case, and what happened.

use super::outcomes::{end_place, missed, outcome_text};
use super::put;
use super::report::{self, Detail, changed_objects};
use crate::args;
use crate::exit::{Exit, Failure};
use crate::load;
use serde_json::json;
use testwright_base::build::Build;
use testwright_base::case::Case;
use testwright_base::ids::{FunctionId, OutcomeId};
use testwright_base::json::{case_to_json, describe_in};
use testwright_base::run::Run;
use testwright_base::subject::Subject;
use testwright_exec::{Session, check};

/// Runs the case and prints the run.
pub fn perform(arguments: &args::Run) -> Result<Exit, Failure> {
    let limits = load::limits(arguments.case.limits)?;
    let text = load::case_text(&arguments.case.case)?;
    let mut session = load::load(&arguments.target.target(), &[Build::RunWithDistances, Build::Trace])?;
    session.limits = limits;
    let function = load::function(session.subject(), &arguments.case.function)?;
    let case = load::case(session.subject(), function, &text)?;
    let mut run = session.run(&case, Build::RunWithDistances)?;
    load::locate(&mut session, &case, &mut run)?;
    let problems = if arguments.self_check { self_check(&mut session, &case, &run)? } else { Vec::new() };
    if arguments.json {
        put(&format!("{:#}\n", to_json(session.subject(), &case, function, &run, &problems)))?;
    } else {
        let detail = if arguments.all { Detail::All } else { Detail::Short };
        put(&report::text(session.subject(), &case, &run, detail))?;
        put(&report::notes(session.sandbox()))?;
    }
    if !problems.is_empty() {
        return Err(Failure::bug(format!("the self-check failed:\n  {}", problems.join("\n  "))));
    }
    if arguments.self_check && !arguments.json {
        put("  checked   run build, trace build and evaluator agree\n")?;
    }
    Ok(Exit::Done)
}

fn self_check(session: &mut Session, case: &Case, run: &Run) -> Result<Vec<String>, Failure> {
    let trace = session.trace(case)?;
    let mut problems = check::compare(run, &trace.run);
    problems.extend(check::check_trace(&trace));
    Ok(problems)
}

fn to_json(
    subject: &Subject,
    case: &Case,
    function: FunctionId,
    run: &Run,
    problems: &[String],
) -> serde_json::Value {
    let info = subject.function(function);
    let result = match (&run.result, &info.signature) {
        (Some(value), Some(signature)) => Some(describe_in(subject, case, value, signature.result)),
        _ => None,
    };
    let changed: Vec<_> = changed_objects(subject, case, run)
        .into_iter()
        .map(|change| json!({"name": change.name, "before": change.before, "after": change.after}))
        .collect();
    let named = |id: &OutcomeId| json!({"outcome": id, "text": outcome_text(subject, *id)});
    let distances: Vec<_> = missed(subject, run)
        .into_iter()
        .map(|(id, distance)| {
            json!({"outcome": id, "text": outcome_text(subject, id), "distance": distance.to_json()})
        })
        .collect();
    json!({
        "function": info.name,
        "case": case_to_json(subject, case),
        "end": {"kind": run.end.name(), "text": run.end.to_string(), "place": end_place(subject, run.end)},
        "result": result,
        "changed": changed,
        "output": String::from_utf8_lossy(&run.output),
        "effects": run.effects,
        "hit": run.outcomes.iter().map(named).collect::<Vec<_>>(),
        "distances": distances,
        "steps": run.steps,
        "heap_peak": run.heap_peak,
        "self_check": problems,
    })
}

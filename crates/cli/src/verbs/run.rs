//! `testwright run`: one case, and what happened.

use crate::args;
use crate::exit::{Exit, Failure};
use crate::load;
use serde_json::json;
use testwright_base::build::Build;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::{FunctionId, OutcomeId, SiteId};
use testwright_base::json::{describe, describe_in, parse_case};
use testwright_base::run::{End, Run};
use testwright_base::site::SiteKind;
use testwright_base::subject::Subject;
use testwright_exec::{Session, check};

/// Runs the case and prints the run.
pub fn perform(arguments: &args::Run) -> Result<Exit, Failure> {
    let mut session = load::load(&arguments.target, &[Build::RunWithDistances, Build::Trace])?;
    session.limits = load::limits(arguments.case.limits)?;
    let function = load::function(session.subject(), &arguments.case.function)?;
    let case = parse_case(session.subject(), function, &load::case_text(&arguments.case.case)?)?;
    let mut run = session.run(&case, Build::RunWithDistances)?;
    locate(&mut session, &case, &mut run)?;
    let problems = if arguments.self_check { self_check(&mut session, &case, &run)? } else { Vec::new() };
    if arguments.json {
        println!("{:#}", to_json(session.subject(), &case, function, &run, &problems));
    } else {
        print(&session, &case, function, &run);
    }
    if !problems.is_empty() {
        return Err(Failure::bug(format!("the self-check failed:\n  {}", problems.join("\n  "))));
    }
    if arguments.self_check && !arguments.json {
        println!("  checked   run build, trace build and evaluator agree");
    }
    Ok(Exit::Done)
}

fn self_check(session: &mut Session, case: &Case, run: &Run) -> Result<Vec<String>, Failure> {
    let trace = session.trace(case)?;
    let mut problems = check::compare(run, &trace.run);
    problems.extend(check::check_trace(&trace));
    Ok(problems)
}

/// The run build does not know where a signal struck; the trace build does.
fn locate(session: &mut Session, case: &Case, run: &mut Run) -> Result<(), Failure> {
    if let End::Signal { signal, site: None, .. } = run.end
        && let End::Signal { signal: again, address, site } = session.run(case, Build::Trace)?.end
        && again == signal
    {
        run.end = End::Signal { signal, address, site };
    }
    Ok(())
}

fn print(session: &Session, case: &Case, function: FunctionId, run: &Run) {
    let subject = session.subject();
    println!("{}", call_text(subject, case, function));
    let place = end_site(run.end).and_then(|site| place_of(subject, site));
    match (&run.end, &run.result, &subject.function(function).signature) {
        (End::Returned, Some(value), Some(signature)) => {
            println!("  returned  {}", describe_in(subject, case, value, signature.result));
        }
        (End::Returned, _, _) => println!("  returned"),
        (end, _, _) => {
            let place = place.map(|place| format!(" at {place}")).unwrap_or_default();
            println!("  ended     {end}{place}");
        }
    }
    for (name, before, after) in changed_objects(subject, case, run) {
        println!("  changed   {name}: {before} -> {after}");
    }
    for line in String::from_utf8_lossy(&run.output).lines() {
        println!("  printed   {line}");
    }
    print_outcomes(subject, run);
    println!("  used      {} steps, {} heap bytes", run.steps, run.heap_peak);
    let sandbox = session.sandbox();
    if sandbox.landlock.is_none() {
        println!("  note      this kernel has no landlock: the code can write files that you can write");
    }
    if !sandbox.seccomp {
        println!("  note      this kernel has no seccomp: the code can open connections and start processes");
    }
}

fn print_outcomes(subject: &Subject, run: &Run) {
    let mut hit: Vec<String> = Vec::new();
    for outcome in run.outcomes.iter().filter_map(|id| outcome_text(subject, *id)) {
        hit.push(outcome);
    }
    println!("  hit       {} of {} outcomes", run.outcomes.len(), subject.own_outcome_count());
    for line in hit {
        println!("            {line}");
    }
    let mut missed: Vec<(u64, OutcomeId)> =
        run.distances.iter().map(|(id, distance)| (*distance, *id)).collect();
    missed.sort_unstable();
    for (index, (distance, id)) in missed.iter().enumerate() {
        let Some(text) = outcome_text(subject, *id) else { continue };
        let heading = if index == 0 { "missed by" } else { "" };
        println!("  {heading:<9} {text}: {}", distance_text(subject, *id, *distance));
    }
}

fn distance_text(subject: &Subject, outcome: OutcomeId, distance: u64) -> String {
    let float = subject.outcome(outcome).is_some_and(|(site, _)| is_float_site(subject, site));
    if float { format!("{:?}", f64::from_bits(distance)) } else { distance.to_string() }
}

/// Whether the comparison at a site, or the one that feeds it, is one of floats.
fn is_float_site(subject: &Subject, id: SiteId) -> bool {
    let float = |predicate: &str| {
        predicate.starts_with('o')
            || (predicate.starts_with('u')
                && predicate.len() == 3
                && !matches!(predicate, "ugt" | "uge" | "ult" | "ule"))
    };
    subject.sites.iter().enumerate().any(|(index, site)| match &site.kind {
        SiteKind::Compare { predicate, feeds } => {
            (*feeds == Some(id) || index == id.index()) && float(predicate)
        }
        _ => false,
    })
}

/// `triangle.c:8:11 branch true`
pub fn outcome_text(subject: &Subject, id: OutcomeId) -> Option<String> {
    let (site, index) = subject.outcome(id)?;
    let info = subject.site(site)?;
    if subject.function(info.function).model {
        return None;
    }
    let place = info.place.as_ref().map_or_else(|| "?".to_owned(), ToString::to_string);
    Some(format!("{place} {} {}", info.kind_name(), info.outcome_name(index)))
}

fn end_site(end: End) -> Option<SiteId> {
    match end {
        End::Trap { site, .. } | End::Signal { site, .. } => site,
        _ => None,
    }
}

fn place_of(subject: &Subject, site: SiteId) -> Option<String> {
    subject.site(site)?.place.as_ref().map(ToString::to_string)
}

/// `triangle(3, 4, 5)`
pub fn call_text(subject: &Subject, case: &Case, function: FunctionId) -> String {
    let info = subject.function(function);
    let params = info.signature.as_ref().map(|signature| signature.params.as_slice()).unwrap_or_default();
    let arguments = case.call().map(|(_, arguments)| arguments).unwrap_or_default();
    let texts: Vec<String> = params
        .iter()
        .zip(arguments)
        .map(|(param, value)| describe_in(subject, case, value, param.ty))
        .collect();
    format!("{}({})", info.name, texts.join(", "))
}

/// Objects of the case that the run changed: name, before, after.
fn changed_objects(subject: &Subject, case: &Case, run: &Run) -> Vec<(String, String, String)> {
    let mut list = Vec::new();
    for (index, statement) in case.statements.iter().enumerate() {
        let Statement::Object { element, values } = statement else { continue };
        let Some(Some(Value::Array(after))) = run.objects.get(index) else { continue };
        if values == after {
            continue;
        }
        let text = |values: &[Value]| {
            let parts: Vec<String> = values.iter().map(|value| describe(subject, value, *element)).collect();
            format!("{{{}}}", parts.join(", "))
        };
        list.push((object_name(subject, case, index), text(values), text(after)));
    }
    list
}

/// The parameter that points to an object, or its number.
fn object_name(subject: &Subject, case: &Case, object: usize) -> String {
    let name = case.call().and_then(|(function, arguments)| {
        let signature = subject.function(function).signature.as_ref()?;
        let points =
            |value: &Value| matches!(value, Value::Pointer { object: target, .. } if *target == object);
        let index = arguments.iter().position(points)?;
        Some(format!("*{}", signature.params.get(index)?.name))
    });
    name.unwrap_or_else(|| format!("object {object}"))
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
        .map(|(name, before, after)| json!({"name": name, "before": before, "after": after}))
        .collect();
    let named = |id: &OutcomeId| json!({"outcome": id, "text": outcome_text(subject, *id)});
    let distances: Vec<_> = run
        .distances
        .iter()
        .map(|(id, distance)| {
            json!({"outcome": id, "text": outcome_text(subject, *id), "distance": distance_text(subject, *id, *distance)})
        })
        .collect();
    json!({
        "function": info.name,
        "case": testwright_base::json::case_to_json(subject, case),
        "end": {"kind": run.end.name(), "text": run.end.to_string(),
                "place": end_site(run.end).and_then(|site| place_of(subject, site))},
        "result": result,
        "changed": changed,
        "output": String::from_utf8_lossy(&run.output),
        "hit": run.outcomes.iter().map(named).collect::<Vec<_>>(),
        "distances": distances,
        "steps": run.steps,
        "heap_peak": run.heap_peak,
        "self_check": problems,
    })
}

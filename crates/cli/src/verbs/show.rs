//! `testwright show`: every intermediate product.

use super::graph;
use super::run::call_text;
use crate::args::{BuildName, CaseOf, Show, Target};
use crate::exit::{Exit, Failure};
use crate::load;
use testwright_base::build::Build;
use testwright_base::json::parse_case;
use testwright_base::site::Site;
use testwright_base::subject::Subject;
use testwright_exec::Trace;
use testwright_logic::path::Step;

/// Shows what was asked for.
pub fn perform(show: &Show) -> Result<Exit, Failure> {
    match show {
        Show::Bitcode { target } => {
            print!("{}", testwright_code::bitcode_text(&load::until_prepared(target)?)?);
        }
        Show::Instrumented { target, build } => {
            let prepared = load::until_prepared(target)?;
            print!("{}", testwright_code::instrumented_text(&prepared, build_named(*build))?);
        }
        Show::Graph { target, function, kind } => {
            let subject = load::until_prepared(target)?.subject;
            print!("{}", graph::text(&subject, function.as_deref(), *kind)?);
        }
        Show::Sites { target, function, json } => sites(target, function.as_deref(), *json)?,
        Show::Trace { target, case } => trace(target, case)?,
    }
    Ok(Exit::Done)
}

fn build_named(name: BuildName) -> Build {
    match name {
        BuildName::Bare => Build::Bare,
        BuildName::Run => Build::Run,
        BuildName::RunDistances => Build::RunWithDistances,
        BuildName::Trace => Build::Trace,
    }
}

fn sites(target: &Target, function: Option<&str>, json: bool) -> Result<(), Failure> {
    let subject = load::until_prepared(target)?.subject;
    let only = function.map(|name| load::function(&subject, name)).transpose()?;
    let shown: Vec<(usize, &Site)> = subject
        .sites
        .iter()
        .enumerate()
        .filter(|(_, site)| {
            only.is_none_or(|only| site.function == only) && !subject.function(site.function).model
        })
        .collect();
    if json {
        let list: Vec<_> =
            shown.iter().map(|(id, site)| serde_json::json!({"id": id, "site": site})).collect();
        println!("{:#}", serde_json::Value::from(list));
        return Ok(());
    }
    println!("{:>5}  {:<28} {:<20} {:<9} outcomes", "site", "place", "function", "kind");
    for (id, site) in &shown {
        let place = site.place.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
        let function = &subject.function(site.function).name;
        println!("{id:>5}  {place:<28} {function:<20} {:<9} {}", site.kind_name(), outcomes_text(site));
    }
    let outcomes: u32 = shown.iter().map(|(_, site)| site.outcome_count).sum();
    println!("{} sites, {outcomes} outcomes", shown.len());
    Ok(())
}

fn outcomes_text(site: &Site) -> String {
    let names = (0..site.outcome_count)
        .map(|index| format!("{}:{}", site.first_outcome.0 + index, site.outcome_name(index)));
    names.collect::<Vec<_>>().join(" ")
}

fn trace(target: &Target, case: &CaseOf) -> Result<(), Failure> {
    let mut session = load::load(target, &[Build::RunWithDistances, Build::Trace])?;
    session.limits = load::limits(case.limits)?;
    let function = load::function(session.subject(), &case.function)?;
    let parsed = parse_case(session.subject(), function, &load::case_text(&case.case)?)?;
    let trace = session.trace(&parsed)?;
    let subject = session.subject();
    println!("; path condition of {}", call_text(subject, &parsed, function));
    println!(
        "; the run {}: {}",
        if trace.overflowed { "(cut short: too many expressions)" } else { "ended" },
        trace.run.end
    );
    print!("{}", path_text(subject, &trace));
    Ok(())
}

/// The path condition as an SMT-LIB script.
pub fn path_text(subject: &Subject, trace: &Trace) -> String {
    let name =
        |input: u32| trace.inputs.get(input as usize).cloned().unwrap_or_else(|| format!("input{input}"));
    trace.path.to_smt(&trace.exprs, &name, &|step| step_text(subject, step))
}

/// `triangle.c:8:11 branch 3 true`
fn step_text(subject: &Subject, step: &Step) -> String {
    use testwright_logic::path::EventKind::*;
    let site = step.site.and_then(|site| subject.sites.get(site as usize).map(|info| (site, info)));
    let place = match site {
        Some((number, info)) => {
            let place = match &info.place {
                Some(place) => place.to_string(),
                None => format!("in {}", subject.function(info.function).name),
            };
            format!("{place} {} {number}", info.kind_name())
        }
        None => "no place".to_owned(),
    };
    let why = match step.kind {
        Branch | Switch | Compare => {
            site.map(|(_, info)| info.outcome_name(u32::from(step.outcome))).unwrap_or_default()
        }
        Address => "address kept as it was".to_owned(),
        Bounds => "index inside the table".to_owned(),
        Callee => "function pointer kept as it was".to_owned(),
        Native => {
            let name = subject.externals.get(step.extra as usize).map_or("?", String::as_str);
            format!("argument of {name}, called natively, kept as it was")
        }
        Size => "size kept as it was".to_owned(),
        Unsupported => {
            let reason = subject.unsupported.get(step.extra as usize).map_or("?", String::as_str);
            format!("not expressible ({reason}), kept as it was")
        }
    };
    format!("{place} {why}")
}

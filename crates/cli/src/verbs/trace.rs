//! `testwright show trace`: the path condition of a run, as SMT-LIB with a comment per step.

use super::outcomes::end_text;
use super::put;
use super::report::call_text;
use crate::args::CaseOf;
use crate::exit::Failure;
use crate::load;
use std::fmt::Write;
use testwright_base::build::Build;
use testwright_base::ids::SiteId;
use testwright_base::run::End;
use testwright_base::site::{Site, SiteKind};
use testwright_base::subject::Subject;
use testwright_engine::request::Target;
use testwright_exec::Trace;
use testwright_logic::path::{EventKind, Step};

/// How the names of library models begin.
const MODEL: &str = "tw_model_";

/// Traces the case and shows its path condition.
pub fn perform(target: &Target, given: &CaseOf) -> Result<(), Failure> {
    let limits = load::limits(given.limits)?;
    let text = load::case_text(&given.case)?;
    let mut session = load::load(target, &[Build::RunWithDistances, Build::Trace])?;
    session.limits = limits;
    let function = load::function(session.subject(), &given.function)?;
    let case = load::case(session.subject(), function, &text)?;
    let trace = session.trace(&case)?;
    let subject = session.subject();
    let mut head = format!("; path condition of {}\n", call_text(subject, &case));
    let _ = writeln!(head, "; the run ended: {}", end_text(subject, trace.run.end));
    if trace.overflowed {
        head.push_str("; incomplete: the run made more expressions than can be recorded\n");
    }
    if trace.stale > 0 {
        let _ = writeln!(
            head,
            "; {} values were overwritten by native code and are taken as they are",
            trace.stale
        );
    }
    put(&(head + &path_text(subject, &trace, &trace.names(subject, &case))))
}

/// The path condition as an SMT-LIB script.
fn path_text(subject: &Subject, trace: &Trace, names: &[String]) -> String {
    let name = |input: u32| names.get(input as usize).cloned().unwrap_or_else(|| format!("input{input}"));
    let last = trace.path.steps().last();
    trace.path.to_smt(&trace.exprs, &name, &|step| {
        let is_last = last.is_some_and(|last| std::ptr::eq(last, step));
        let trapped = matches!(trace.run.end, End::Trap { site, .. } if site.map(|site| site.0) == step.site);
        step_text(subject, step, is_last && trapped)
    })
}

/// `triangle.c:8:11 branch 3 false`. Why a value was pinned stands in a line of its own.
fn step_text(subject: &Subject, step: &Step, trapped: bool) -> String {
    let site = step.site.and_then(|id| Some((id, subject.site(SiteId(id))?)));
    let mut parts =
        vec![site.map_or_else(|| "no place".to_owned(), |(id, site)| site_text(subject, id, site))];
    match step.kind {
        EventKind::Branch | EventKind::Switch | EventKind::Compare => match site {
            Some((_, Site { kind: SiteKind::Check(kind), .. })) => {
                parts.push(format!("{} ({kind})", if trapped { "failed" } else { "passed" }));
            }
            Some((_, site)) => parts.push(site.outcome_name(u32::from(step.outcome))),
            None => {}
        },
        EventKind::Bounds => parts.push("index inside the table".to_owned()),
        EventKind::Native => parts.extend(subject.externals.get(step.extra as usize).cloned()),
        EventKind::Unsupported => parts.extend(subject.unsupported.get(step.extra as usize).cloned()),
        EventKind::Pointer => parts.push("pointer used".to_owned()),
        EventKind::Related => parts.push("pointers into the same object".to_owned()),
        EventKind::Address | EventKind::Callee | EventKind::Size => {}
    }
    parts.join(" ")
}

/// The place, kind and number of a site; for library models, which have no place, the C function's name.
fn site_text(subject: &Subject, id: u32, site: &Site) -> String {
    let function = subject.function(site.function);
    let place = match &site.place {
        Some(place) => place.to_string(),
        None => match function.name.strip_prefix(MODEL) {
            // Helpers that several models share have names that mean nothing to the user.
            Some(name) if name.starts_with("_ZN") => "in the C library".to_owned(),
            Some(name) => format!("in {name}"),
            None if function.place.is_none() => "in the C library".to_owned(),
            None => format!("in {}", function.name),
        },
    };
    format!("{place} {} {id}", site.kind_name())
}

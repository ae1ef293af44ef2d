//! Findings: of all runs that ended badly the simplest of each kind and place.

use super::{Assumption, Finding, base_name, called};
use crate::input::{Found, Input};
use crate::name;
use crate::replay::end_text;
use crate::weight::weight;
use std::collections::{BTreeMap, BTreeSet};
use testwright_base::ids::{FunctionId, OutcomeId};
use testwright_base::json::describe_in;
use testwright_base::run::{End, Run};
use testwright_base::site::{Place, SiteKind};

/// The findings among these runs, by function and then by place.
pub(super) fn findings(input: &Input<'_>, found: &[&Found]) -> Vec<Finding> {
    let mut lightest: BTreeMap<(FunctionId, Option<Place>, String), &Found> = BTreeMap::new();
    for found in found {
        let Some(function) = called(found) else { continue };
        let (place, kind) = assertion(&found.run).map_or_else(
            || (place_of(input, &found.run, function), kind(&found.run)),
            |(place, kind)| (Some(place), kind),
        );
        let simplest = lightest.entry((function, place, kind)).or_insert(found);
        if weight(input.subject, &found.case) < weight(input.subject, &simplest.case) {
            *simplest = found;
        }
    }
    let mut taken = BTreeSet::new();
    let mut make = |((function, place, kind), found): ((FunctionId, Option<Place>, String), &Found)| {
        let line = place.as_ref().map(|place| format!("_line_{}", place.line)).unwrap_or_default();
        let wanted =
            format!("{}_{}{line}", input.subject.function(function).name, name::words::identifier(&kind));
        let at =
            place.as_ref().map(|place| Place { file: base_name(&place.file).to_owned(), ..place.clone() });
        let at = at.map_or_else(
            || format!("somewhere in {}", input.subject.function(function).name),
            |place| place.to_string(),
        );
        let call = call_text(input, found);
        Finding {
            name: name::unique(&mut taken, &[name::words::identifier(&wanted)]),
            function,
            case: found.case.clone(),
            end: found.run.end,
            freed: found.run.freed.clone(),
            place,
            comment: format!("{at}  {kind}: {call}"),
            call,
            kind,
        }
    };
    lightest.into_iter().map(&mut make).collect()
}

/// What a run ended in.
fn kind(run: &Run) -> String {
    if run.used_after_free { "use after free".to_owned() } else { end_text(&run.end) }
}

/// What the runs broke of what is assumed about inputs, each assumption once, with the simplest run.
pub(super) fn assumptions(input: &Input<'_>, found: &[&Found]) -> Vec<Assumption> {
    let mut lightest: BTreeMap<(FunctionId, &str), &Found> = BTreeMap::new();
    for found in found {
        let (Some(function), Some(text)) = (called(found), &found.broke) else { continue };
        let simplest = lightest.entry((function, text)).or_insert(found);
        if weight(input.subject, &found.case) < weight(input.subject, &simplest.case) {
            *simplest = found;
        }
    }
    let assumption = |((function, text), found): ((FunctionId, &str), &Found)| {
        let broken_by = findings(input, &[found]).into_iter().next()?;
        Some(Assumption { function, text: text.to_owned(), broken_by })
    };
    lightest.into_iter().filter_map(assumption).collect()
}

/// Where an `assert` failed, and what it asserted: the last line that the run printed says so,
/// ``share.c:3: int share(int, int): Assertion `people > 0' failed.``
fn assertion(run: &Run) -> Option<(Place, String)> {
    let output = String::from_utf8_lossy(&run.output);
    let line = output.lines().last().filter(|_| run.end == End::Abort)?;
    let (before, text) = line.strip_suffix("' failed.")?.split_once("Assertion `")?;
    let (file, rest) = before.split_once(':')?;
    let (line, _) = rest.split_once(':')?;
    let place = Place { file: file.to_owned(), line: line.parse().ok()?, column: 0 };
    Some((place, format!("assertion failed, {text}")))
}

/// Where a run ended. Of the calls that led to an `abort`, that in the function under test is shown.
fn place_of(input: &Input<'_>, run: &Run, function: FunctionId) -> Option<Place> {
    if let End::Trap { site: Some(site), .. } | End::Signal { site: Some(site), .. } = run.end {
        return input.subject.site(site)?.place.clone();
    }
    let of_outcome = |outcome: &OutcomeId| input.subject.site(input.subject.outcome(*outcome)?.0);
    let sites = || run.outcomes.iter().filter_map(of_outcome).filter(|site| site.kind == SiteKind::Error);
    let site = sites().find(|site| site.function == function).or_else(|| sites().next());
    site.filter(|_| run.end == End::Abort)?.place.clone()
}

/// The call as C writes it, cut if it is long.
fn call_text(input: &Input<'_>, found: &Found) -> String {
    const LONGEST: usize = 120;
    let Some((function, arguments)) = found.case.call() else { return String::new() };
    let function = input.subject.function(function);
    let params = function.signature.as_ref().map(|signature| &signature.params);
    let written: Vec<String> = params
        .into_iter()
        .flatten()
        .zip(arguments)
        .map(|(param, value)| describe_in(input.subject, &found.case, value, param.ty))
        .collect();
    let failing = input.subject.failing_allocations(&found.case);
    let failing: Vec<String> = failing.iter().map(ToString::to_string).collect();
    let failing = match failing.is_empty() {
        true => String::new(),
        false => format!(" with allocation {} failing", failing.join(", ")),
    };
    let text = format!("{}({}){failing}", function.name, written.join(", "));
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text,
    }
}

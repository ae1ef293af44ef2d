//! Findings: of all runs that ended badly the simplest of each kind and place.

use super::{Assumption, Finding, Test, Wanted, base_name, called};
use crate::emit::c::list::listed;
use crate::emit::c::spelt;
use crate::input::{Found, Input};
use crate::name;
use crate::replay::{Purpose, end_text};
use crate::verdict::sanitizer::Report;
use crate::weight::weight;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::effect::Effect;
use testwright_base::ids::{FunctionId, GlobalId, OutcomeId};
use testwright_base::json::describe_briefly;
use testwright_base::run::{End, Run};
use testwright_base::site::{Place, SiteKind};
use testwright_base::stub::Role;
use testwright_base::subject::Subject;

/// The findings among these runs, by function and then by place.
pub(super) fn findings(input: &Input, found: &[&Found]) -> Vec<Finding> {
    let mut lightest: BTreeMap<(FunctionId, Option<Place>, String), &Found> = BTreeMap::new();
    for found in found {
        let Some(function) = called(found) else { continue };
        let (place, kind) = assertion(&input.subject, &found.run).map_or_else(
            || (place_of(input, &found.run, function), kind(&found.run)),
            |(place, kind)| (Some(place), kind),
        );
        let simplest = lightest.entry((function, place, kind)).or_insert(found);
        if weight(&input.subject, &found.case) < weight(&input.subject, &simplest.case) {
            *simplest = found;
        }
    }
    let mut taken: BTreeSet<String> = lightest
        .iter()
        .filter_map(|((.., kind), found)| earlier_name(input, &found.case, kind))
        .cloned()
        .collect();
    let mut make = |((function, place, kind), found): ((FunctionId, Option<Place>, String), &Found)| {
        let line = place.as_ref().map(|place| format!("_line_{}", place.line)).unwrap_or_default();
        let wanted = format!(
            "{}_{}{line}",
            spelt(&input.subject.function(function).name),
            name::words::identifier(&kind)
        );
        let at =
            place.as_ref().map(|place| Place { file: base_name(&place.file).to_owned(), ..place.clone() });
        let at = at.map_or_else(
            || format!("somewhere in {}", input.subject.function(function).name),
            |place| place.to_string(),
        );
        let call = call_text(input, found);
        let effects = wants(found).map(|what| format!("; it wants to {what}")).unwrap_or_default();
        Finding {
            name: earlier_name(input, &found.case, &kind)
                .cloned()
                .unwrap_or_else(|| name::unique(&mut taken, &[name::words::identifier(&wanted)])),
            function,
            case: found.case.clone(),
            end: found.run.end,
            freed: found.run.freed.clone(),
            place,
            comment: format!("{at}  {kind}: {call}{effects}"),
            call,
            kind,
        }
    };
    lightest.into_iter().map(&mut make).collect()
}

/// What the earlier suite called a finding.
fn earlier_name<'a>(input: &'a Input, case: &Case, kind: &str) -> Option<&'a String> {
    let purpose = Purpose::Finding(kind.to_owned());
    input.earlier.named(&input.subject, case, purpose).map(|named| &named.name)
}

/// The finding that a sanitizer's report about a test makes; its name differs from those of the others.
pub(super) fn of_report(
    input: &Input,
    others: &[Finding],
    test: &Test,
    report: &Report,
    place: &Place,
) -> Finding {
    let (kind, case) = (report.kind.clone(), test.case.clone());
    let function = spelt(&input.subject.function(test.function).name);
    // Sanitizers name files as the compiler does.
    let source = input.sources.iter().find(|source| base_name(&source.path) == base_name(&place.file));
    let file = source.map_or_else(|| place.file.clone(), |source| source.file.clone());
    let place = Place { file, ..place.clone() };
    let wanted = format!("{function}_{}_line_{}", name::words::identifier(&kind), place.line);
    let mut taken: BTreeSet<String> = others.iter().map(|other| other.name.clone()).collect();
    let earlier = earlier_name(input, &case, &kind).filter(|name| !taken.contains(*name)).cloned();
    let call = call_of(input, test);
    let at = Place { file: base_name(&place.file).to_owned(), ..place.clone() };
    Finding {
        name: earlier.unwrap_or_else(|| name::unique(&mut taken, &[name::words::identifier(&wanted)])),
        function: test.function,
        case,
        end: test.end,
        freed: test.freed.clone(),
        comment: format!("{at}  {kind}: {call}"),
        place: Some(place),
        call,
        kind,
    }
}

/// What a run wants that the sandbox forbids: `delete files, use the network`.
pub(super) fn wants(found: &Found) -> Option<String> {
    let again = found.again.iter().flat_map(|again| again.effects.iter());
    let all: BTreeSet<Effect> = found.run.effects.iter().chain(again).collect();
    let words: Vec<&str> = all.into_iter().map(Effect::words).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// What the runs want, with the simplest call of a function for each.
pub(super) fn wanted(input: &Input) -> Vec<Wanted> {
    let mut lightest: BTreeMap<(FunctionId, String), &Found> = BTreeMap::new();
    for found in &input.found {
        let (Some(function), Some(what)) = (called(found), wants(found)) else { continue };
        let simplest = lightest.entry((function, what)).or_insert(found);
        if weight(&input.subject, &found.case) < weight(&input.subject, &simplest.case) {
            *simplest = found;
        }
    }
    let one = |((function, what), found): ((FunctionId, String), &Found)| Wanted {
        function,
        what,
        call: call_text(input, found),
    };
    lightest.into_iter().map(one).collect()
}

/// The call of a test, as C writes it.
pub(super) fn call_of(input: &Input, test: &Test) -> String {
    let found = input.found.iter().find(|found| found.case == test.case);
    found.map_or_else(|| input.subject.function(test.function).name.clone(), |found| call_text(input, found))
}

/// What a run ended in.
fn kind(run: &Run) -> String {
    if run.used_after_free { "use after free".to_owned() } else { end_text(&run.end) }
}

/// What the runs broke of what is assumed about inputs, each assumption once, with the simplest run.
pub(super) fn assumptions(input: &Input, found: &[&Found]) -> Vec<Assumption> {
    let mut lightest: BTreeMap<(FunctionId, &str), &Found> = BTreeMap::new();
    for found in found {
        let (Some(function), Some(text)) = (called(found), &found.broke) else { continue };
        let simplest = lightest.entry((function, text)).or_insert(found);
        if weight(&input.subject, &found.case) < weight(&input.subject, &simplest.case) {
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
fn assertion(subject: &Subject, run: &Run) -> Option<(Place, String)> {
    let output = String::from_utf8_lossy(&run.output);
    let line = output.lines().last().filter(|_| run.end == End::Abort)?;
    let (before, text) = line.strip_suffix("' failed.")?.split_once("Assertion `")?;
    let (file, rest) = before.split_once(':')?;
    let (line, _) = rest.split_once(':')?;
    // The code may have been compiled under a longer name of the file.
    let known = subject.files.iter().find(|known| Path::new(file).ends_with(known));
    let file = known.map_or(file, String::as_str);
    let place = Place { file: file.to_owned(), line: line.parse().ok()?, column: 0 };
    Some((place, format!("assertion failed, {text}")))
}

/// Where a run ended. Of the calls that led to an `abort`, that in the function under test is shown.
fn place_of(input: &Input, run: &Run, function: FunctionId) -> Option<Place> {
    if let End::Trap { site: Some(site), .. } | End::Signal { site: Some(site), .. } = run.end {
        return input.subject.site(site)?.place.clone();
    }
    let of_outcome = |outcome: &OutcomeId| input.subject.site(input.subject.outcome(*outcome)?.0);
    let sites = || run.outcomes.iter().filter_map(of_outcome).filter(|site| site.kind == SiteKind::Error);
    let site = sites().find(|site| site.function == function).or_else(|| sites().next());
    site.filter(|_| run.end == End::Abort)?.place.clone()
}

/// What a call meets besides its arguments: `read_clock() returning 5, 7`, `limit = 3`.
fn circumstances(subject: &Subject, case: &Case) -> Vec<String> {
    let set = case.statements.iter().filter_map(|statement| match statement {
        Statement::Set { global, value } => Some((*global, value)),
        _ => None,
    });
    let told = |(global, value): (GlobalId, &Value)| {
        let definition = subject.globals.get(global.index())?;
        let Some((stub, role)) = subject.answers_of(global) else {
            let text = describe_briefly(subject, case, value, definition.ty?);
            return Some(format!("{} = {text}", spelt(&definition.name)));
        };
        let stub = subject.stubs.get(stub.index()).filter(|stub| !stub.is_allocation())?;
        let (Role::Result, Value::Array(values)) = (role, value) else { return None };
        let answers =
            values.iter().map(|value| describe_briefly(subject, case, value, stub.signature.result));
        Some(format!("{}() returning {}", stub.name, answers.collect::<Vec<_>>().join(", ")))
    };
    set.filter_map(told).collect()
}

/// The call as C writes it, cut if it is long.
fn call_text(input: &Input, found: &Found) -> String {
    const LONGEST: usize = 120;
    let Some((function, arguments)) = found.case.call() else { return String::new() };
    let function = input.subject.function(function);
    let params = function.signature.as_ref().map(|signature| &signature.params);
    let written: Vec<String> = params
        .into_iter()
        .flatten()
        .zip(arguments)
        .flat_map(|(param, value)| match input.subject.types.is_list(param.ty) {
            true => listed(&input.subject.types, &found.case, value),
            false => vec![(param.ty, value)],
        })
        .map(|(ty, value)| describe_briefly(&input.subject, &found.case, value, ty))
        .collect();
    let failing = input.subject.failing_allocations(&found.case);
    let failing: Vec<String> = failing.iter().map(ToString::to_string).collect();
    let mut circumstances = circumstances(&input.subject, &found.case);
    if !failing.is_empty() {
        circumstances.push(format!("allocation {} failing", failing.join(", ")));
    }
    let with =
        if circumstances.is_empty() { String::new() } else { format!(" with {}", circumstances.join(", ")) };
    let text = format!("{}({}){with}", spelt(&function.name), written.join(", "));
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text,
    }
}

//! A run in words: what was called, how it ended, which outcomes it hit and how far it was from others.

use super::outcomes::{end_text, missed, outcome_text};
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::FunctionId;
use testwright_base::json::{describe, describe_in, returned_name};
use testwright_base::run::{End, Run};
use testwright_base::subject::Subject;
use testwright_exec::Sandbox;

/// How many outcomes that were hit are listed.
const MOST_HIT: usize = 20;
/// How many outcomes that were missed are listed.
const MOST_MISSED: usize = 10;
/// How many characters of a value are written.
const MOST_CHARACTERS: usize = 240;

/// How much is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// The first outcomes of long lists, the beginning of long values.
    Short,
    /// Everything.
    All,
}

impl Detail {
    /// The text, or its beginning.
    fn cut(self, text: &str) -> String {
        match text.char_indices().nth(MOST_CHARACTERS) {
            Some((end, _)) if self == Detail::Short => format!("{} ..", &text[..end]),
            _ => text.to_owned(),
        }
    }

    fn most(self, short: usize) -> usize {
        if self == Detail::Short { short } else { usize::MAX }
    }
}

/// The run as lines of a heading and what belongs to it.
pub fn text(subject: &Subject, case: &Case, run: &Run, detail: Detail) -> String {
    let mut lines = Lines { text: String::new() };
    lines.text = format!("{}\n", detail.cut(&call_text(subject, case)));
    lines.add(
        if run.end == End::Returned { "returned" } else { "ended" },
        &detail.cut(&ending(subject, case, run)),
    );
    for change in changed_objects(subject, case, run) {
        let (before, after) = (detail.cut(&change.before), detail.cut(&change.after));
        lines.add("changed", &format!("{}: {before} -> {after}", change.name));
    }
    for line in String::from_utf8_lossy(&run.output).lines() {
        lines.add("printed", &detail.cut(line));
    }
    if !run.effects.is_empty() {
        lines.add("effects", &run.effects.to_string());
    }
    add_hit(&mut lines, subject, run, detail);
    add_missed(&mut lines, subject, run, detail);
    let used = [(run.steps, "steps"), (run.heap_peak, "heap bytes")];
    let used: Vec<String> =
        used.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    if !used.is_empty() {
        lines.add("used", &used.join(", "));
    }
    lines.text
}

/// What the user should know about the isolation of the run; nothing if it is complete.
pub fn notes(sandbox: Sandbox) -> String {
    let mut lines = Lines { text: String::new() };
    if sandbox.landlock.is_none() {
        lines.add("note", "this kernel has no landlock: the code can write files that you can write");
    }
    if !sandbox.seccomp {
        lines.add("note", "this kernel has no seccomp: the code can open connections and start processes");
    }
    lines.text
}

struct Lines {
    text: String,
}

impl Lines {
    fn add(&mut self, heading: &str, text: &str) {
        let line = format!("  {heading:<9} {text}");
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }
}

/// The returned value, or how else the run ended.
pub fn ending(subject: &Subject, case: &Case, run: &Run) -> String {
    let signature = case.call().and_then(|(function, _)| subject.function(function).signature.as_ref());
    match (&run.end, &run.result, signature) {
        (End::Returned, Some(value), Some(signature)) => describe_in(subject, case, value, signature.result),
        (End::Returned, _, _) => String::new(),
        (end, _, _) => end_text(subject, *end),
    }
}

fn add_hit(lines: &mut Lines, subject: &Subject, run: &Run, detail: Detail) {
    let hit: Vec<String> = run.outcomes.iter().filter_map(|id| outcome_text(subject, *id)).collect();
    lines.add("hit", &format!("{} of {} outcomes", run.outcomes.len(), subject.own_outcome_count()));
    let shown = hit.len().min(detail.most(MOST_HIT));
    for line in &hit[..shown] {
        lines.add("", line);
    }
    if shown < hit.len() {
        lines.add("", &format!("and {} more; --all lists them", hit.len() - shown));
    }
}

fn add_missed(lines: &mut Lines, subject: &Subject, run: &Run, detail: Detail) {
    let missed: Vec<(String, String)> = missed(subject, run)
        .into_iter()
        .filter_map(|(id, distance)| Some((distance.text(), outcome_text(subject, id)?)))
        .collect();
    let shown = missed.len().min(detail.most(MOST_MISSED));
    let width = missed[..shown].iter().map(|(distance, _)| distance.len()).max().unwrap_or(0);
    for (index, (distance, text)) in missed[..shown].iter().enumerate() {
        lines.add(if index == 0 { "missed by" } else { "" }, &format!("{distance:<width$}  {text}"));
    }
    if shown < missed.len() {
        lines.add("", &format!("and {} farther ones; --all lists them", missed.len() - shown));
    }
}

/// `triangle(3, 4, 5)`; with calls before it, `r0 = ring_new(3); ring_push(r0, 4)`.
pub fn call_text(subject: &Subject, case: &Case) -> String {
    let one = |function: FunctionId, arguments: &[Value]| {
        let info = subject.function(function);
        let params = info.signature.as_ref().map(|signature| signature.params.as_slice()).unwrap_or_default();
        let texts: Vec<String> = params
            .iter()
            .zip(arguments)
            .map(|(param, value)| describe_in(subject, case, value, param.ty))
            .collect();
        format!("{}({})", info.name, texts.join(", "))
    };
    let mut text = String::new();
    for (index, function, arguments) in case.calls_before() {
        if case.is_used(index) {
            text += &format!("{} = ", returned_name(case.number_of_call(index)));
        }
        text += &format!("{}; ", one(function, arguments));
    }
    text + &case.call().map(|(function, arguments)| one(function, arguments)).unwrap_or_default()
}

/// An object of the case that the run changed.
pub struct Change {
    /// The parameter that points to it, or its number.
    pub name: String,
    /// Its value in the case.
    pub before: String,
    /// Its value after the run.
    pub after: String,
}

/// The objects of the case that the run changed.
pub fn changed_objects(subject: &Subject, case: &Case, run: &Run) -> Vec<Change> {
    let mut changes = Vec::new();
    for (index, statement) in case.statements.iter().enumerate() {
        let Statement::Object { element, values } = statement else { continue };
        let Some(Some(Value::Array(after))) = run.objects.get(index) else { continue };
        if values == after {
            continue;
        }
        let text = |values: &[Value]| {
            let parts: Vec<String> = values.iter().map(|value| describe(subject, value, *element)).collect();
            // One struct is written as such, an array in braces.
            if parts.len() == 1 { parts.concat() } else { format!("{{{}}}", parts.join(", ")) }
        };
        changes.push(Change {
            name: subject.object_name(case, index),
            before: text(values),
            after: text(after),
        });
    }
    changes
}

//! The report on the terminal: what was built, searched and written, then each function with what is left.

use crate::load::first_of;
use std::collections::BTreeMap;
use std::fmt::Write;
use testwright_engine::{Finished, counted};
use testwright_suite::missing::{Kind, Missing};
use testwright_suite::summary::{FunctionSummary, MUTATION, Summary, Uncovered};
use testwright_suite::{LeftOut, Reason, Stop};

/// Where times stand.
const TIME_COLUMN: usize = 78;
/// How many reasons of one function are listed.
const MOST_LEFT: usize = 12;
/// At most so many assumptions of a function are shown.
const MOST_ASSUMED: usize = 6;

/// What is told of a finished suite.
pub struct Report<'a>(pub &'a Finished);

impl Report<'_> {
    /// The summary, as in the file.
    pub fn json(&self) -> String {
        Summary::new(&self.0.suite).to_json()
    }

    /// The report in words.
    pub fn text(&self) -> String {
        let summary = Summary::new(&self.0.suite);
        let mut text = self.overview(&summary);
        let is_searched = |function: &&FunctionSummary| function.not_searched.is_none();
        for function in summary.functions.iter().filter(is_searched) {
            text += &self.function(function);
        }
        text += &not_searched(&summary.functions);
        text.push('\n');
        for (file, remark) in self.files() {
            let line = format!("  {}   {remark}", self.0.folder.join(file).display());
            text += line.trim_end();
            text.push('\n');
        }
        text
    }

    fn overview(&self, summary: &Summary) -> String {
        let effort = &self.0.suite.input.effort;
        let functions = summary.functions.iter();
        let (met, all) = functions.fold((0, 0), |(met, all), function| {
            (met + function.branches.covered, all + function.branches.total)
        });
        let what = format!(
            "{}: {}, {}",
            self.0.suite.input.target,
            counted(summary.functions.len(), "function"),
            counted(all, "branch")
        );
        let mut text = timed("built", &what, &format!("{:.1} s", self.0.built.as_secs_f64()));
        for note in &self.0.suite.input.notes {
            let _ = writeln!(text, "            note: {note}");
        }
        text += &missing(&summary.missing);
        let what = if all == 0 { "no branches".to_owned() } else { format!("branches {met}/{all}") };
        text += &timed("searched", &what, &format!("{:.1} s, {}", effort.elapsed_s, summary.stop_reason));
        let by_z3 = self.0.solver.layers.last().map_or(0, |layer| layer.sat + layer.unsat);
        let queries = match self.0.solver.queries {
            1 => "1 solver query".to_owned(),
            queries => format!("{queries} solver queries"),
        };
        let mut runs = counted(effort.runs.concolic as usize, "concolic run");
        if effort.runs.random > 0 {
            let _ = write!(runs, ", {} random", effort.runs.random);
        }
        if effort.runs.search > 0 {
            let _ = write!(runs, ", {} by search", effort.runs.search);
        }
        let _ = writeln!(text, "            {runs}, {queries} ({by_z3} by Z3)");
        if effort.divergences > 0 {
            let runs = counted(effort.divergences as usize, "run");
            let _ = writeln!(text, "            {runs} took another path than predicted");
        }
        let what = match self.0.suite.inputs() {
            Some(inputs) => counted(inputs.len(), "test case"),
            None => {
                let assertions = self.0.suite.tests.iter().map(|test| test.assertions.len()).sum();
                let tests = counted(self.0.suite.tests.len(), "test");
                format!("{tests}, {}", counted(assertions, "assertion"))
            }
        };
        let _ = writeln!(text, "  suite     {what}; {}", self.0.verdict);
        let mutants = summary.functions.iter().filter_map(|function| function.goals.get(MUTATION));
        let (killed, all) = mutants
            .fold((0, 0), |(killed, all), one| (killed + one.covered, all + one.total - one.infeasible));
        if all > 0 {
            let _ = writeln!(text, "            kills {killed} of {}", counted(all, "mutant"));
        }
        let clauses = summary.functions.iter().filter_map(|function| function.mcdc.as_ref());
        let (shown, all) = clauses.fold((0, 0), |(shown, all), one| {
            (shown + one.counts.covered, all + one.counts.total - one.counts.infeasible)
        });
        if all > 0 {
            let _ = writeln!(
                text,
                "            shows that {shown} of {} decide (masking MC/DC)",
                counted(all, "clause")
            );
        }
        if self.0.suite.input.stops.values().any(|stop| *stop == Stop::Interrupted) {
            text += "            interrupted: what was found until then is kept\n";
        }
        text
    }

    /// Whether a case of the function is no test for this reason.
    fn has(&self, function: &FunctionSummary, reason: &Reason) -> bool {
        self.left_out_of(function).any(|left_out| left_out.reason == *reason)
    }

    /// Whether a case of the function is no test because builds disagree about it.
    fn depends_on_build(&self, function: &FunctionSummary) -> bool {
        self.left_out_of(function).any(|left_out| matches!(left_out.reason, Reason::DependsOnBuild(_)))
    }

    fn left_out_of(&self, function: &FunctionSummary) -> impl Iterator<Item = &LeftOut> {
        let subject = &self.0.suite.input.subject;
        let is_meant = move |left_out: &&LeftOut| subject.function(left_out.function).name == function.name;
        self.0.suite.left_out.iter().filter(is_meant)
    }

    fn function(&self, function: &FunctionSummary) -> String {
        let skipped = self
            .0
            .skipped
            .iter()
            .find(|(id, _)| self.0.suite.input.subject.function(*id).name == function.name);
        if let Some((_, why)) = skipped {
            return format!("\n  {:<30} skipped: {why}\n", function.name);
        }
        let branches = match (function.branches.total, function.tests) {
            (0, 0) if self.has(function, &Reason::Unstable) => {
                "no branches, and what it returns differs from process to process: no test can say what to expect"
                    .to_owned()
            }
            (0, 0) if self.depends_on_build(function) => {
                "no branches, and what it returns depends on the compiler: no test can say what to expect".to_owned()
            }
            (0, 0) if self.has(function, &Reason::NothingToAssert) => {
                "no branches, and nothing that a test could assert".to_owned()
            }
            (0, 0) if !function.effects.is_empty() => {
                "no branches, and what it wants is forbidden; --allow-effects writes a test".to_owned()
            }
            (0, 0) => "no branches, and no run returned".to_owned(),
            (0, 1) => "no branches: one test of its result".to_owned(),
            (0, tests) => format!("no branches: {tests} tests of its result"),
            (total, _) => format!("{}/{total} branches", function.branches.covered),
        };
        let mut text = format!("\n  {:<30} {branches}", function.name);
        if function.branches.total > 0 {
            let _ = write!(text, "   {}", counted(function.tests, "test"));
        }
        if !function.findings.is_empty() {
            let _ = write!(text, "   {}", counted(function.findings.len(), "finding"));
        }
        text.push('\n');
        for finding in &function.findings {
            let place = finding.place(&function.name);
            let _ = writeln!(text, "    finding  {place:<20} {}: {}", finding.kind, finding.call);
        }
        for effect in &function.effects {
            let _ = writeln!(text, "    effect   wants to {}: {}", effect.wants_to, effect.call);
        }
        if !function.assumptions.is_empty() {
            let all: Vec<&str> = function.assumptions.iter().map(|it| it.assumed.as_str()).collect();
            let mut shown: Vec<&str> = all.iter().copied().filter(|one| !follows(one, &all)).collect();
            let more = shown.len().saturating_sub(MOST_ASSUMED);
            shown.truncate(MOST_ASSUMED);
            let more = if more > 0 { format!("; and {more} more") } else { String::new() };
            let _ = writeln!(text, "    assumes  {}{more}", shown.join("; "));
        }
        if let Some(why) = &function.lost {
            let _ = writeln!(text, "    lost     the search failed by a fault of Testwright: {why}");
        }
        text += &self.taken_out(function);
        let groups: Vec<&[Uncovered]> = function.uncovered.chunk_by(same_reason).collect();
        for group in groups.iter().take(MOST_LEFT) {
            let _ = writeln!(text, "    left     {}", left(group));
        }
        let more: usize = groups.iter().skip(MOST_LEFT).map(|group| group.len()).sum();
        if more > 0 {
            let _ = writeln!(text, "    left     and {more} more; summary.json lists them");
        }
        text
    }

    /// What was taken out when the tests were tried, each with its test and cause.
    fn taken_out(&self, function: &FunctionSummary) -> String {
        let subject = &self.0.suite.input.subject;
        let own = self.0.suite.taken_out.iter();
        let own: Vec<_> =
            own.filter(|taken| subject.function(taken.function).name == function.name).collect();
        let mut text = String::new();
        for taken in own.iter().take(MOST_LEFT) {
            let heading = if taken.cause.is_loss() { "lost" } else { "dropped" };
            let _ = writeln!(text, "    {heading:<8} {taken}");
        }
        let more = own.len().saturating_sub(MOST_LEFT);
        if more > 0 {
            let _ = writeln!(text, "    dropped  and {more} more; summary.json lists them");
        }
        text
    }

    /// The files that a user looks at, with what to do about them.
    fn files(&self) -> Vec<(String, String)> {
        let mut files = Vec::new();
        for program in self.0.suite.programs() {
            let remark = if program.findings {
                counted(program.count, "reproducer")
            } else {
                format!("make -C {} check", self.0.folder.display())
            };
            files.push((program.file, remark));
        }
        for format in self.0.suite.input.style.formats.iter().filter(|format| format.inputs.is_some()) {
            let all = (format.files)(&self.0.suite);
            let folder = all.first().and_then(|(file, _)| file.split_once('/'));
            files.extend(folder.map(|(folder, _)| (format!("{folder}/"), format.about.to_owned())));
        }
        files.push(("summary.json".to_owned(), String::new()));
        let width = files.iter().map(|(file, _)| file.len()).max().unwrap_or(0);
        files.into_iter().map(|(file, remark)| (format!("{file:<width$}"), remark)).collect()
    }
}

/// What nobody defines, told together; what a file of the project would define, with that file.
fn missing(all: &[Missing]) -> String {
    let mut text = String::new();
    for (kind, heading) in
        [(Kind::Function, "stubbed"), (Kind::Variable, "inputs, because nobody defines them")]
    {
        let mut groups: BTreeMap<Option<(&String, &String)>, Vec<&str>> = BTreeMap::new();
        for one in all.iter().filter(|one| one.kind == kind) {
            let elsewhere = one.defined_in.as_ref().zip(one.why.as_ref());
            groups.entry(elsewhere).or_default().push(&one.name);
        }
        for (elsewhere, names) in groups {
            let them = if names.len() == 1 { "it" } else { "them" };
            let names = first_of(&names);
            let _ = match elsewhere {
                Some((file, why)) => {
                    writeln!(text, "            {heading}: {names}; {file} would define {them}, but {why}")
                }
                None => writeln!(text, "            {heading}: {names}"),
            };
        }
    }
    text
}

/// The functions for which there was no time, told together.
fn not_searched(functions: &[FunctionSummary]) -> String {
    let list: Vec<&FunctionSummary> =
        functions.iter().filter(|function| function.not_searched.is_some()).collect();
    let Some(why) = list.first().and_then(|function| function.not_searched.as_ref()) else {
        return String::new();
    };
    let names: Vec<&str> = list.iter().map(|function| function.name.as_str()).collect();
    let count = counted(names.len(), "function");
    format!("\n  {count} not searched, {why}\n    {}\n", first_of(&names))
}

fn same_reason(one: &Uncovered, other: &Uncovered) -> bool {
    (&one.file, &one.reason) == (&other.file, &other.reason)
}

/// `sum.c:4  true: why`; branches in a row that share their reason are told together.
fn left(group: &[Uncovered]) -> String {
    let [first, .., last] = group else {
        return group.iter().map(left_alone).collect();
    };
    let lines = if first.line == last.line {
        format!("{}:{}", first.file, first.line)
    } else {
        format!("{}:{}-{}", first.file, first.line, last.line)
    };
    format!("{lines:<20} {}: {}", counted(group.len(), "branch"), first.reason)
}

fn left_alone(one: &Uncovered) -> String {
    let place = format!("{}:{}", one.file, one.line);
    let condition = one.condition.as_deref().map(|text| format!("{} ", cut(text))).unwrap_or_default();
    format!("{place:<20} {condition}{}: {}", one.outcome, one.reason)
}

/// A condition, without its end if it is long.
fn cut(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

/// A line with a time at its end.
fn timed(heading: &str, what: &str, time: &str) -> String {
    let what = format!("  {heading:<9} {what}");
    format!("{what:<TIME_COLUMN$}  {time}\n")
}

/// Whether `a or b is not null` says nothing new, because `a is not null` is assumed anyway.
fn follows(assumed: &str, all: &[&str]) -> bool {
    let Some((first, rest)) = assumed.split_once(" or ") else { return false };
    [" is not null", " has all elements that are read"].iter().any(|ending| {
        let second = rest.strip_suffix(ending);
        second.is_some_and(|second| {
            [first, second].iter().any(|name| all.iter().any(|other| *other == format!("{name}{ending}")))
        })
    })
}

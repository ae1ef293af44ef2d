//! `testwright explore`: what a function does, as a table of inputs and outputs, one line per behaviour.

use super::put;
use super::report::{changed_objects, ending};
use crate::args;
use crate::exit::{Exit, Failure};
use crate::progress::Progress;
use serde_json::json;
use testwright_base::case::{Case, Statement};
use testwright_base::json::{describe, describe_in};
use testwright_base::run::{End, Run};
use testwright_base::subject::Subject;
use testwright_engine::request::Wanted;
use testwright_engine::{Searched, search};
use testwright_suite::summary::Summary;
use testwright_suite::{Earlier, Found, Suite};

/// How many characters of a value fit into the table.
const WIDEST: usize = 32;

/// Searches as `generate` does, and prints what it found instead of writing tests.
pub fn perform(arguments: &args::Explore) -> Result<Exit, Failure> {
    let wanted = Wanted { names: vec![arguments.function.clone()], ignored: Vec::new() };
    let (target, searching) = (arguments.target.target(), arguments.searching.searching()?);
    let watch = &mut Progress::on_stderr();
    let searched = search(&target, &wanted, &searching, &Earlier::default(), watch)?;
    let suite = Suite::new(searched.input(&target));
    let rows = rows(&searched, &suite);
    if arguments.json {
        put(&in_json(&rows))?;
        return Ok(Exit::Done);
    }
    put(&table(&rows))?;
    for function in Summary::new(&suite).functions {
        let branches = function.branches;
        put(&format!("\n  {}/{} branches\n", branches.covered, branches.total))?;
        for left in &function.uncovered {
            put(&format!("  left      {}:{} {}: {}\n", left.file, left.line, left.outcome, left.reason))?;
        }
    }
    Ok(Exit::Done)
}

/// One behaviour.
struct Row {
    /// The inputs by name.
    inputs: Vec<(String, String)>,
    /// What is returned, or how else the run ends.
    outcome: String,
    /// What else it leaves behind.
    effects: Vec<String>,
    /// What the case shows.
    shows: String,
}

fn rows(searched: &Searched, suite: &Suite) -> Vec<Row> {
    let tests = suite.tests.iter().map(|test| (&test.case, test.comment.clone()));
    let findings = suite.findings.iter().map(|finding| (&finding.case, String::from("finding")));
    let row = |(case, shows): (&Case, String)| {
        let found: &Found = searched.found.iter().find(|found| found.case == *case)?;
        Some(row(&searched.subject, case, &found.run, shows))
    };
    tests.chain(findings).filter_map(row).collect()
}

fn row(subject: &Subject, case: &Case, run: &Run, shows: String) -> Row {
    let mut inputs = Vec::new();
    for statement in &case.statements {
        if let Statement::Set { global, value } = statement {
            let global = &subject.globals[global.index()];
            let text = global.ty.map(|ty| describe(subject, value, ty)).unwrap_or_default();
            inputs.push((global.name.clone(), text));
        }
    }
    if let Some((function, arguments)) = case.call()
        && let Some(signature) = &subject.function(function).signature
    {
        for (param, value) in signature.params.iter().zip(arguments) {
            inputs.push((param.name.clone(), describe_in(subject, case, value, param.ty)));
        }
    }
    let outcome = match run.end {
        End::Returned => ending(subject, case, run),
        _ => ending(subject, case, run).replace("trapped: ", ""),
    };
    let effects = changed_objects(subject, case, run)
        .into_iter()
        .map(|change| format!("{} becomes {}", change.name, change.after))
        .collect();
    Row { inputs, outcome, effects, shows }
}

/// Columns as wide as they must be: the inputs, then what came of them.
fn table(rows: &[Row]) -> String {
    let Some(first) = rows.iter().max_by_key(|row| row.inputs.len()) else {
        return "  no run was worth keeping\n".to_owned();
    };
    let names: Vec<&str> = first.inputs.iter().map(|(name, _)| name.as_str()).collect();
    let mut lines = vec![names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()];
    lines[0].extend(["result".to_owned(), "changes".to_owned(), "shows".to_owned()]);
    for row in rows {
        let input = |name: &&str| row.inputs.iter().find(|(of, _)| of == name).map(|(_, text)| cut(text));
        let mut cells: Vec<String> = names.iter().map(|name| input(name).unwrap_or_default()).collect();
        cells.push(cut(&row.outcome));
        cells.push(row.effects.iter().map(|effect| cut(effect)).collect::<Vec<_>>().join("; "));
        cells.push(row.shows.clone());
        lines.push(cells);
    }
    let changes = lines[0].len() - 2;
    if lines.iter().skip(1).all(|cells| cells[changes].is_empty()) {
        for cells in &mut lines {
            cells.remove(changes);
        }
    }
    aligned(&lines)
}

fn aligned(lines: &[Vec<String>]) -> String {
    let count = lines.first().map_or(0, Vec::len);
    let width = |column: usize| lines.iter().map(|cells| cells[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut text = String::new();
    for cells in lines {
        let cells: Vec<String> =
            cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        text += format!("  {}", cells.join("   ")).trim_end();
        text.push('\n');
    }
    text
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(WIDEST) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

fn in_json(rows: &[Row]) -> String {
    let list: Vec<_> = rows
        .iter()
        .map(|row| {
            let inputs: serde_json::Map<String, serde_json::Value> =
                row.inputs.iter().map(|(name, text)| (name.clone(), text.as_str().into())).collect();
            json!({"inputs": inputs, "result": row.outcome, "changes": row.effects, "shows": row.shows})
        })
        .collect();
    format!("{:#}\n", json!(list))
}

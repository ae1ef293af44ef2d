//! `testwright replay`: the saved cases of a suite, run again; what changed since.

use super::put;
use crate::args;
use crate::exit::{Exit, Failure};
use crate::load;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use testwright_base::build::Build;
use testwright_base::case::Case;
use testwright_base::run::End;
use testwright_engine::request::Target;
use testwright_exec::Session;
use testwright_suite::flags_seen_from;
use testwright_suite::replay::{INDEX, Index, Observed, SavedCase, SavedQuery};

/// Runs every saved case and prints what is different.
pub fn perform(arguments: &args::Replay) -> Result<Exit, Failure> {
    let limits = load::limits(arguments.limits)?;
    let index = read_index(&arguments.folder)?;
    let mut session =
        load::load(&target(&arguments.folder, &index, &arguments.allow_read), &[Build::RunWithDistances])?;
    session.limits = limits;
    let mut changed = Vec::new();
    for saved in &index.cases {
        let changes = replay(&mut session, &arguments.folder, saved)?;
        if !changes.is_empty() {
            changed.push((saved, changes));
        }
    }
    put(&if arguments.json { in_json(&index, &changed) } else { in_words(&index, &changed) })?;
    Ok(if changed.is_empty() { Exit::Done } else { Exit::Found })
}

fn read_index(folder: &Path) -> Result<Index, Failure> {
    let path = folder.join(INDEX);
    let text = fs::read_to_string(&path).map_err(|error| {
        let hint = "is this the folder of a suite, as `testwright generate` writes it?";
        Failure::usage(format!("cannot read {}: {error}; {hint}", path.display()))
    })?;
    serde_json::from_str(&text)
        .map_err(|error| Failure::usage(format!("{} is damaged: {error}", path.display())))
}

/// The target as seen from here.
fn target(folder: &Path, index: &Index, allow_read: &[PathBuf]) -> Target {
    Target {
        targets: index.origin.targets.iter().map(|path| folder.join(path)).collect(),
        flags: flags_seen_from(&folder.display().to_string(), &index.origin.flags, |path| {
            folder.join(path).exists()
        }),
        allow_read: allow_read.to_vec(),
        alone: index.origin.alone,
    }
}

/// Runs one case; what is different, one line each.
fn replay(session: &mut Session, folder: &Path, saved: &SavedCase) -> Result<Vec<String>, Failure> {
    let path = folder.join(&saved.file);
    let text = fs::read_to_string(&path)
        .map_err(|error| Failure::usage(format!("cannot read the case {}: {error}", path.display())))?;
    let Some(function) = session.subject().function_named(&saved.function) else {
        return Ok(vec!["the function is gone".to_owned()]);
    };
    // A function may have got other parameters since: that is a change too, and not the user's mistake.
    let case = match load::case(session.subject(), function, &text) {
        Ok(case) => case,
        Err(failure) => return Ok(vec![failure.message]),
    };
    let run = session.run(&case, Build::RunWithDistances)?;
    let mut changes = saved.observed.changes(&Observed::of(session.subject(), &case, &run));
    if run.end == End::Returned {
        for query in &saved.queries {
            changes.extend(ask(session, &case, query)?);
        }
    }
    Ok(changes)
}

/// What the code says otherwise when it is asked about an object.
fn ask(session: &mut Session, case: &Case, saved: &SavedQuery) -> Result<Option<String>, Failure> {
    let Some(query) = saved.query(session.subject(), case) else {
        return Ok(Some(format!("leaves nothing to ask {} about", saved.function)));
    };
    let after = query.after(session.subject(), case);
    let run = session.run_looking_at(&after, Build::RunWithDistances, &[])?;
    Ok(saved.change(session.subject(), query, &run))
}

type Changed<'a> = (&'a SavedCase, Vec<String>);

fn in_words(index: &Index, changed: &[Changed<'_>]) -> String {
    let mut text = String::new();
    for (saved, changes) in changed {
        text += &format!("{}\n", saved.file);
        for change in changes {
            text += &format!("  changed   {} {change}\n", saved.function);
        }
    }
    let all = index.cases.len();
    text += &match changed.len() {
        0 => format!("  replayed  {all} cases: all as before\n"),
        some => format!("  replayed  {all} cases: {some} changed\n"),
    };
    text
}

fn in_json(index: &Index, changed: &[Changed<'_>]) -> String {
    let list: Vec<_> = changed
        .iter()
        .map(|(saved, changes)| json!({"case": saved.file, "function": saved.function, "changes": changes}))
        .collect();
    format!("{:#}\n", json!({"replayed": index.cases.len(), "changed": list}))
}

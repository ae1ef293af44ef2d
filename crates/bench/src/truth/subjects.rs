//! Our own subjects: every goal that counts says what it is, and a program beside each file shows those that are feasible.

use super::claims::Claims;
use super::{Judged, annotated, native};
use crate::args::BenchTruth;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use testwright_engine::Failure;

/// What the programs beside the subjects are called.
const WITNESS: &str = ".witness.c";

/// Judges what is claimed about all subjects.
pub fn judge(arguments: &BenchTruth) -> Result<Vec<Judged>, Failure> {
    let mut judged = Vec::new();
    for file in files(&arguments.subjects)? {
        let kind = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !arguments.only.is_empty() && !arguments.only.contains(&kind) {
            continue;
        }
        let text = fs::read_to_string(&file)?;
        let goals = annotated(&text);
        let shown = witnessed(&file)?;
        let feasible = goals.iter().filter(|(_, feasible)| *feasible).count();
        if shown.len() != feasible {
            let message =
                format!("{}: {} of {feasible} goals are shown natively", file.display(), shown.len());
            return Err(Failure::bug(message));
        }
        let runs = arguments.runs.to_string();
        let claims = Claims::of(std::slice::from_ref(&file), &["--runs", &runs])?;
        judged.extend(goals.into_iter().map(|(goal, feasible)| Judged {
            kind: kind.clone(),
            place: format!("{}:{}", file.display(), goal.line),
            feasible,
            verdict: claims.verdict(&goal),
        }));
    }
    Ok(judged)
}

/// The subjects, in order.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(folder).map_err(|error| {
        Failure::usage(format!("{}: {error}; --subjects names the folder", folder.display()))
    })?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| {
        let name = file.to_string_lossy();
        name.ends_with(".c") && !name.ends_with(WITNESS)
    });
    files.sort();
    Ok(files)
}

/// The calls that came to their goals in the program beside a subject.
fn witnessed(file: &Path) -> Result<BTreeSet<String>, Failure> {
    let witness = file.with_extension("witness.c");
    if !witness.is_file() {
        return Ok(BTreeSet::new());
    }
    let folder = testwright_scratch::folder()?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let includes = fs::read_to_string(&witness)?.contains(&format!("#include \"{name}\""));
    let files = if includes { vec![witness] } else { vec![witness, file.to_owned()] };
    let output = native::output(&files, &[], folder.path())?;
    Ok(output.lines().map(str::to_owned).collect())
}

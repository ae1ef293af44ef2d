//! The input of a suite: what it is made of besides what the search found: sources, origin, earlier names, metadata.

use crate::build::{self, first_of};
use crate::failure::Failure;
use crate::request::{Request, Target};
use crate::search::Searched;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};
use testwright_base::decision::{MAX_CLAUSES, MAX_WAYS};
use testwright_base::ids::FunctionId;
use testwright_base::subject::Subject;
use testwright_code::frontend;
use testwright_code::frontend::Unit;
use testwright_search::goals::Logical;
use testwright_suite::constant::{Constants, Mentions};
use testwright_suite::emit::Format;
use testwright_suite::replay::{INDEX, Index, Origin};
use testwright_suite::{
    Access, Earlier, EffectPolicy, Found, Input, Metadata, Source, Style, flags_seen_from,
};

/// What a suite in this folder is made of.
pub fn input(request: &Request, searched: &Searched, earlier: Earlier, out: &Path) -> Result<Input, Failure> {
    let target = &request.target;
    let (sources, notes) =
        sources(target, &searched.subject, &searched.chosen.functions, &searched.found, out)?;
    let notes = notes.into_iter().chain(large_decisions(searched)).collect();
    let origin = origin(target, out)?;
    let effects = if request.allow_effects { EffectPolicy::Write } else { EffectPolicy::Report };
    let (float_tolerance, max_tests) = (request.float_tolerance, request.max_tests);
    let formats = request.formats.clone();
    let metadata = metadata(&formats, &sources, out);
    let style = Style { formats, float_tolerance, effects, max_tests, metadata };
    Ok(Input { sources, notes, origin, style, earlier, ..searched.input(target) })
}

/// The decisions that have no goals because they are too large, if goals were searched for in decisions.
fn large_decisions(searched: &Searched) -> impl Iterator<Item = String> {
    let is_asked = searched.goals.sought.contains(Logical::NAME);
    let named = searched.chosen.all();
    let decisions = searched.subject.decisions.iter();
    let large = decisions
        .filter(move |decision| is_asked && named.contains(&decision.function) && !decision.is_small());
    large.map(|decision| {
        let place = decision.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
        let (clauses, what) = (decision.clauses.len(), "has no logical goals");
        match clauses > MAX_CLAUSES {
            true => format!("{place}a decision of {clauses} clauses {what}; {MAX_CLAUSES} are the most"),
            false => {
                format!("{place}a decision of {} ways {what}; {MAX_WAYS} are the most", decision.way_count())
            }
        }
    })
}

/// The files of the subject as the folder of the suite sees them, and what the user should know about their flags.
fn sources(
    target: &Target,
    subject: &Subject,
    functions: &[FunctionId],
    found: &[Found],
    out: &Path,
) -> Result<(Vec<Source>, Vec<String>), Failure> {
    let resolved = build::sources(target)?;
    let (mut sources, mut notes) = (Vec::new(), BTreeSet::new());
    let is_kept = |unit: &&Unit| subject.files.contains(&unit.file.display().to_string());
    notes.extend(subject.left_out.iter().cloned());
    let companions: Vec<String> =
        resolved.neighbours.iter().filter(is_kept).map(|unit| unit.file.display().to_string()).collect();
    if !companions.is_empty() {
        let names: Vec<&str> = companions.iter().map(String::as_str).collect();
        notes.insert(format!("compiled too, because they define what is called: {}", first_of(&names)));
    }
    let units: Vec<&Unit> = resolved.all_units().filter(is_kept).collect();
    let tested: BTreeSet<&str> =
        functions.iter().filter_map(|id| Some(subject.function(*id).place.as_ref()?.file.as_str())).collect();
    let constants = |unit: &&Unit| match tested.contains(unit.file.display().to_string().as_str()) {
        true => constants(unit),
        false => Constants::default(),
    };
    // A compiler is started for most files.
    let width = thread::available_parallelism().map_or(1, usize::from);
    let constants: Vec<Constants> = thread::scope(|scope| {
        let read = |units: &[&Unit]| units.iter().map(constants).collect::<Vec<_>>();
        let parts = units.chunks(units.len().div_ceil(width).max(1));
        let readers: Vec<_> = parts.map(|units| scope.spawn(move || read(units))).collect();
        let panicked = |panic| std::panic::resume_unwind(panic);
        readers.into_iter().flat_map(|reader| reader.join().unwrap_or_else(panicked)).collect()
    });
    let access = Access::choose(subject, functions, found, &constants);
    for (unit, constants) in units.into_iter().zip(constants) {
        let used = frontend().used_flags(unit)?;
        notes.extend(used.notes);
        sources.push(Source {
            file: unit.file.display().to_string(),
            path: relative(&without_links(&unit.file)?, out).display().to_string(),
            flags: flags_seen_from(&unit.directory.display().to_string(), &used.flags, |path| {
                unit.directory.join(path).exists()
            }),
            access: access.clone(),
            constants,
        });
    }
    Ok((sources, notes.into_iter().collect()))
}

/// What a file calls numbers.
fn constants(unit: &Unit) -> Constants {
    let text = fs::read(&unit.file).unwrap_or_default();
    let mentions = Mentions::read(&String::from_utf8_lossy(&text));
    // Tests without names are tests all the same.
    mentions.with_values(&frontend().constants(unit, &mentions.names()).unwrap_or_default())
}

/// What the user named, as the folder of the suite sees it.
fn origin(target: &Target, out: &Path) -> Result<Origin, Failure> {
    let seen = |path: &PathBuf| Ok(relative(&without_links(path)?, out).display().to_string());
    let targets = target.targets.iter().map(seen).collect::<std::io::Result<Vec<_>>>()?;
    let here = relative(&std::env::current_dir()?, out).display().to_string();
    let flags = flags_seen_from(&here, &target.flags, |path| Path::new(path).exists());
    Ok(Origin { targets, flags, alone: target.alone })
}

/// The names in the suite that is to be replaced, if there is one. Everything in a folder that was claimed is as we wrote it.
pub fn earlier(out: &Path) -> Earlier {
    let read = |path: &str| fs::read_to_string(out.join(path)).ok();
    let index = read(INDEX).and_then(|text| serde_json::from_str::<Index>(&text).ok());
    index.map(|index| Earlier::new(&index, read)).unwrap_or_default()
}

/// What formats for other tools want to know. Nothing is asked of the system if no such format is written.
fn metadata(formats: &[&'static Format], sources: &[Source], out: &Path) -> Metadata {
    if !formats.iter().any(|format| format.name == "testcomp") {
        return Metadata::default();
    }
    let hash = sources.first().and_then(|source| {
        // Paths of sources lead from the folder of the suite, which may not be there yet.
        let file = if source.file.is_empty() { out.join(&source.path) } else { PathBuf::from(&source.file) };
        let output = Command::new("sha256sum").arg(file).output().ok()?;
        String::from_utf8_lossy(&output.stdout).split_whitespace().next().map(str::to_owned)
    });
    let stated = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
    Metadata { program_hash: hash.unwrap_or_default(), created: utc(stated.unwrap_or_else(now)) }
}

/// Seconds since 1970 as `2026-11-15T08:30:00Z`.
fn utc(seconds: u64) -> String {
    // Years begin in March here, so that the day that is not always there comes last; an era has 400 of them.
    let days = seconds / 86_400 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The path of a file with no links above it: the system follows `..` in a path past links, not back through them.
fn without_links(path: &Path) -> std::io::Result<PathBuf> {
    let absolute = std::path::absolute(path)?;
    match (absolute.parent(), absolute.file_name()) {
        (Some(above), Some(name)) => Ok(fs::canonicalize(above)?.join(name)),
        _ => fs::canonicalize(absolute),
    }
}

/// `path` as seen from `folder`; both absolute and without links.
fn relative(path: &Path, folder: &Path) -> PathBuf {
    let common = path.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(common).map(|_| Path::new(".."));
    up.chain(path.components().skip(common).map(|part| Path::new(part.as_os_str()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_calendars_have_them() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(utc(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(utc(1_794_731_405), "2026-11-15T08:30:05Z");
    }

    #[test]
    fn paths_lead_from_one_folder_to_another() {
        assert_eq!(relative(Path::new("/a/b/c.c"), Path::new("/a/d/e")), Path::new("../../b/c.c"));
        assert_eq!(relative(Path::new("/a/b"), Path::new("/a/b")), Path::new(""));
    }
}

//! The workshop: the suite is written, compiled and run before anybody is told of it.

use crate::args;
use crate::exit::Failure;
use crate::publish;
use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};
use testwright_base::ids::FunctionId;
use testwright_base::subject::Subject;
use testwright_code::c::Clang;
use testwright_suite::emit::Format;
use testwright_suite::replay::Origin;
use testwright_suite::summary::Summary;
use testwright_suite::verdict::{Refused, failures, refused};
use testwright_suite::{Access, Found, Metadata, Source, Style, Suite, flags_seen_from};

/// What came of trying the tests.
pub enum Verdict {
    /// They compiled and passed in two fresh processes; so many assertions or tests were taken out before.
    Passed {
        /// How many.
        taken_out: usize,
    },
    /// They do not compile or pass, and what was said.
    Failed(String),
    /// There are none.
    Empty,
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Passed { taken_out: 0 } => formatter.write_str("compiled, passed twice"),
            Verdict::Passed { taken_out } => {
                write!(
                    formatter,
                    "compiled, passed twice; {taken_out} that did not compile or hold again were taken out"
                )
            }
            Verdict::Failed(message) => write!(formatter, "NOT VERIFIED: {message}"),
            Verdict::Empty => formatter.write_str("nothing to compile"),
        }
    }
}

/// The files of the subject as the folder of the suite sees them, and what the user should know about their flags.
pub fn sources(
    target: &args::Target,
    subject: &Subject,
    functions: &[FunctionId],
    found: &[Found],
    out: &Path,
) -> Result<(Vec<Source>, Vec<String>), Failure> {
    let access = Access::choose(subject, functions, found);
    let resolved = testwright_code::c::resolve(&target.targets, &target.flags)?;
    let clang = Clang::find()?;
    let (mut sources, mut notes) = (Vec::new(), BTreeSet::new());
    for unit in &resolved.units {
        let absolute = std::path::absolute(&unit.file)?;
        let used = unit.used_flags(&clang)?;
        notes.extend(used.notes);
        sources.push(Source {
            file: unit.file.display().to_string(),
            path: relative(&absolute, &std::path::absolute(out)?).display().to_string(),
            flags: flags_seen_from(&unit.directory.display().to_string(), &used.flags, |path| {
                unit.directory.join(path).exists()
            }),
            access: access.clone(),
        });
    }
    Ok((sources, notes.into_iter().collect()))
}

/// What the user named, as the folder of the suite sees it.
pub fn origin(target: &args::Target, out: &Path) -> Result<Origin, Failure> {
    let out = std::path::absolute(out)?;
    let seen = |path: &PathBuf| Ok(relative(&std::path::absolute(path)?, &out).display().to_string());
    let targets = target.targets.iter().map(seen).collect::<std::io::Result<Vec<_>>>()?;
    let here = relative(&std::env::current_dir()?, &out).display().to_string();
    Ok(Origin { targets, flags: flags_seen_from(&here, &target.flags, |path| Path::new(path).exists()) })
}

/// What formats for other tools want to know. Nothing is asked of the system if no such format is written.
pub fn metadata(style: &Style, sources: &[Source], out: &Path) -> Metadata {
    if !style.formats.iter().any(|format| format.name == "testcomp") {
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

/// `path` as seen from `folder`; both absolute.
fn relative(path: &Path, folder: &Path) -> PathBuf {
    let common = path.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(common).map(|_| Path::new(".."));
    up.chain(path.components().skip(common).map(|part| Path::new(part.as_os_str()))).collect()
}

/// Writes the suite into an empty folder, compiles it, runs it twice, and takes out what does not hold. The summary says what
/// came of it.
pub fn write_and_try(suite: &mut Suite<'_>, folder: &Path) -> Result<Verdict, Failure> {
    let verdict = tried(suite, folder)?;
    if let Verdict::Failed(message) = &verdict {
        suite.unverified = Some(message.clone());
        fs::write(folder.join("summary.json"), Summary::new(suite).to_json())?;
    }
    Ok(verdict)
}

/// What comes of writing and trying the suite.
fn tried(suite: &mut Suite<'_>, folder: &Path) -> Result<Verdict, Failure> {
    let verdict = try_plain(suite, folder)?;
    let formats = &suite.input.style.formats;
    if formats[..] == [Format::PLAIN] || matches!(verdict, Verdict::Failed(_)) {
        return Ok(verdict);
    }
    // What is kept is what was asked for; it says the same as the tests that were tried, but that is checked too.
    write(suite, formats, folder)?;
    for _ in 0..2 {
        let (passed, said) = check(folder)?;
        if !passed {
            return Ok(Verdict::Failed(said));
        }
    }
    Ok(verdict)
}

/// Writes the suite in format plain, whose output tells which assertion fails, and takes out what does not hold.
fn try_plain(suite: &mut Suite<'_>, folder: &Path) -> Result<Verdict, Failure> {
    write(suite, &[Format::PLAIN], folder)?;
    if suite.tests.is_empty() {
        return Ok(Verdict::Empty);
    }
    let mut taken_out = 0;
    for _ in 0..4 {
        let first = check(folder)?;
        let failed = failures(&first.1);
        if failed.is_empty() && !first.0 {
            let refused = refused_in(folder, &first.1)?;
            if refused.is_empty() {
                return Ok(Verdict::Failed(first.1));
            }
            taken_out += refused.len();
            suite.leave_out_refused(&refused);
            write(suite, &[Format::PLAIN], folder)?;
            if suite.tests.is_empty() {
                return Ok(Verdict::Empty);
            }
            continue;
        }
        if failed.is_empty() {
            let second = check(folder)?;
            return Ok(if second.0 { Verdict::Passed { taken_out } } else { Verdict::Failed(second.1) });
        }
        taken_out += failed.len();
        suite.leave_out(&failed);
        write(suite, &[Format::PLAIN], folder)?;
        if suite.tests.is_empty() {
            return Ok(Verdict::Empty);
        }
    }
    Ok(Verdict::Failed("some tests fail each time they run".to_owned()))
}

/// The tests and reproducers in a folder that the compiler's output complains about.
fn refused_in(folder: &Path, said: &str) -> Result<Vec<Refused>, Failure> {
    let mut list = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(".c") {
            list.extend(refused(said, &name, &fs::read_to_string(&path)?));
        }
    }
    Ok(list)
}

/// Writes the suite in these formats in place of what is in the folder.
fn write(suite: &Suite<'_>, formats: &[&'static Format], folder: &Path) -> Result<(), Failure> {
    publish::empty(folder)?;
    for (path, contents) in suite.files_in(formats) {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(&path, contents)?;
    }
    Ok(())
}

/// Whether `make check` succeeds, and what it prints.
fn check(folder: &Path) -> Result<(bool, String), Failure> {
    let output = Command::new("make").arg("-s").arg("-C").arg(folder).arg("check").output()?;
    let text = [output.stdout, output.stderr].concat();
    Ok((output.status.success(), String::from_utf8_lossy(&text).into_owned()))
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

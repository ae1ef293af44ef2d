//! The workshop: the suite is written, compiled and run before anybody is told of it.

use crate::args;
use crate::exit::Failure;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use testwright_base::ids::FunctionId;
use testwright_base::subject::Subject;
use testwright_suite::verdict::failures;
use testwright_suite::{Access, Found, Source, Suite};

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
                    "compiled, passed twice; {taken_out} that did not hold again were taken out"
                )
            }
            Verdict::Failed(message) => write!(formatter, "NOT VERIFIED: {message}"),
            Verdict::Empty => formatter.write_str("nothing to compile"),
        }
    }
}

/// The files of the subject as the folder of the suite sees them.
pub fn sources(
    target: &args::Target,
    subject: &Subject,
    functions: &[FunctionId],
    found: &[Found],
    out: &Path,
) -> Result<Vec<Source>, Failure> {
    let access = Access::choose(subject, functions, found.iter().map(|found| &found.case));
    let resolved = testwright_code::c::resolve(&target.targets, &target.flags)?;
    let files = resolved.units.iter().map(|unit| {
        let absolute = std::path::absolute(&unit.file)?;
        Ok(Source {
            file: unit.file.display().to_string(),
            path: relative(&absolute, &std::path::absolute(out)?).display().to_string(),
            flags: unit.flags.iter().map(|flag| absolute_flag(flag, &unit.directory)).collect(),
            access: access.clone(),
        })
    });
    files.collect::<std::io::Result<Vec<_>>>().map_err(Failure::from)
}

/// Include folders are named from the compiler's folder; the tests are compiled elsewhere.
fn absolute_flag(flag: &str, directory: &Path) -> String {
    match flag.strip_prefix("-I") {
        Some(folder) if !folder.is_empty() => format!("-I{}", directory.join(folder).display()),
        _ => flag.to_owned(),
    }
}

/// `path` as seen from `folder`; both absolute.
fn relative(path: &Path, folder: &Path) -> PathBuf {
    let common = path.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(common).map(|_| Path::new(".."));
    up.chain(path.components().skip(common).map(|part| Path::new(part.as_os_str()))).collect()
}

/// Writes the suite, compiles it, runs it twice, and takes out what does not hold. The previous folder is kept as `.old`.
pub fn write_and_try(suite: &mut Suite<'_>, out: &Path) -> Result<Verdict, Failure> {
    if out.exists() {
        let old = PathBuf::from(format!("{}.old", out.display()));
        if old.exists() {
            fs::remove_dir_all(&old)?;
        }
        fs::rename(out, &old)?;
    }
    write(suite, out)?;
    if suite.tests.is_empty() {
        return Ok(Verdict::Empty);
    }
    let mut taken_out = 0;
    for _ in 0..4 {
        let first = check(out)?;
        let failed = failures(&first.1);
        if failed.is_empty() && !first.0 {
            return Ok(Verdict::Failed(first.1));
        }
        if failed.is_empty() {
            let second = check(out)?;
            return Ok(if second.0 { Verdict::Passed { taken_out } } else { Verdict::Failed(second.1) });
        }
        taken_out += failed.len();
        suite.leave_out(&failed);
        fs::remove_dir_all(out)?;
        write(suite, out)?;
    }
    Ok(Verdict::Failed("some tests fail each time they run".to_owned()))
}

fn write(suite: &Suite<'_>, out: &Path) -> Result<(), Failure> {
    for (path, contents) in suite.files() {
        let path = out.join(path);
        fs::create_dir_all(path.parent().unwrap_or(out))?;
        fs::write(&path, contents)?;
    }
    Ok(())
}

/// Whether `make check` succeeds, and what it prints.
fn check(out: &Path) -> Result<(bool, String), Failure> {
    let output = Command::new("make").arg("-s").arg("-C").arg(out).arg("check").output()?;
    let text = [output.stdout, output.stderr].concat();
    Ok((output.status.success(), String::from_utf8_lossy(&text).into_owned()))
}

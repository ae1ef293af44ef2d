//! `testwright doctor`: what is installed that Testwright uses, and what would help.

use super::put;
use crate::exit::{Exit, Failure};
use crate::load;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use testwright_code::cache::Cache;
use testwright_code::frontend;
use testwright_engine::verify::probe::{self, Compiler};
use testwright_exec::{Addresses, Confined, ConfinedLimits, Forks, OnEffect, Way, end_with_us, run_within};
use testwright_suite::emit::Format;

/// What came of looking for something.
struct Looked {
    what: &'static str,
    /// What was found, or what to do about it.
    found: Result<String, String>,
    /// Whether nothing works without it.
    needed: bool,
}

/// Nothing that is asked here takes longer, unless something is wrong.
const LIMIT: Duration = Duration::from_secs(60);

/// Says what is there and what is not. Status 1 if something is missing without which nothing works.
pub fn perform() -> Result<Exit, Failure> {
    let cache = Cache::open();
    let clang = frontend().compiler();
    let clang_path = clang.as_ref().ok().map(|clang| clang.path.clone());
    let program = |name: &str, advice: &str| {
        probe::on_path(name).map(|path| path.display().to_string()).ok_or_else(|| advice.to_owned())
    };
    let needed = |what, found| Looked { what, found, needed: true };
    let useful = |what, found| Looked { what, found, needed: false };
    let mut all = vec![
        needed(
            "clang",
            clang
                .map(|clang| format!("{}: {}", clang.path.display(), clang.version))
                .map_err(|error| format!("{error} (Debian: apt install clang)")),
        ),
        needed("cc", program("cc", "it links what is run; Debian: apt install gcc")),
        needed("make", program("make", "it builds the tests; Debian: apt install make")),
        needed("worker", worker()),
        needed(
            "cache",
            cache
                .as_ref()
                .map(|cache| cache.folder().display().to_string())
                .map_err(|error| format!("{error}; TESTWRIGHT_CACHE names a folder that can be written")),
        ),
        useful("sandbox", sandbox()),
        useful("Z3", Ok("part of this program".to_owned())),
    ];
    let compilers = [probe::on_path("gcc"), clang_path].into_iter().flatten();
    if let Ok(cache) = &cache {
        all.extend(compilers.filter_map(|path| probe::compiler(&path, cache)).map(|it| sanitizers(&it)));
    }
    let formats = Format::ALL.iter().filter_map(|format| Some((format.name, format.library?)));
    for (name, library) in formats {
        let compiler = if library.language == "c" { "cc" } else { "c++" };
        let advice = format!("its tests are skipped; Debian: apt install {}", library.package);
        let found = has_header(compiler, library.language, library.header);
        all.push(useful(name, if found { Ok(format!("<{}>", library.header)) } else { Err(advice) }));
    }
    put(&table(&all))?;
    let is_missing = all.iter().any(|looked| looked.needed && looked.found.is_err());
    Ok(if is_missing { Exit::Usage } else { Exit::Done })
}

fn table(all: &[Looked]) -> String {
    let mut text = String::new();
    for Looked { what, found, needed } in all {
        let (mark, words) = match found {
            Ok(found) => ("ok", found.clone()),
            Err(advice) if *needed => ("MISSING", advice.clone()),
            Err(advice) => ("without", advice.clone()),
        };
        let _ = writeln!(text, "  {what:<12} {mark:<8} {}", words.lines().next().unwrap_or_default());
    }
    text
}

fn worker() -> Result<String, String> {
    load::worker_program().map(|path| path.display().to_string()).map_err(|failure| failure.message)
}

/// Runs a program confined that does nothing.
fn sandbox() -> Result<String, String> {
    let worker = load::worker_program().map_err(|failure| failure.message)?;
    let scratch = testwright_scratch::folder().map_err(|error| error.to_string())?;
    let program = probe::on_path("true").ok_or("there is no program `true` to try it with")?;
    let confined = Confined {
        worker: &worker,
        program: &program,
        arguments: &[],
        scratch: scratch.path(),
        read: &[],
        write: &[],
        environment: &[],
        on_effect: OnEffect::End,
        addresses: Addresses::Random,
        forks: Forks::Never,
        limits: ConfinedLimits::default(),
    };
    let ended = confined.run().map_err(|error| format!("seccomp: {error}"))?;
    match (ended.way, ended.landlock) {
        (Way::Exited(0), Some(version)) => Ok(format!("seccomp, landlock {version}")),
        (Way::Exited(0), None) => {
            Err("the kernel has no landlock, so code under test can read and write files; Linux 5.13 has it"
                .to_owned())
        }
        _ => Err("a program that does nothing does not end well in it".to_owned()),
    }
}

fn sanitizers(compiler: &Compiler) -> Looked {
    let name = compiler.name();
    let advice = format!(
        "{name} has no sanitizers; Debian: apt install libclang-rt-dev, or libasan8 and libubsan1 for gcc"
    );
    let found =
        if compiler.sanitizes { Ok(format!("{name} -fsanitize=address,undefined")) } else { Err(advice) };
    Looked { what: "sanitizers", found, needed: false }
}

/// Whether a compiler finds a header.
fn has_header(compiler: &str, language: &str, header: &str) -> bool {
    let Ok(folder) = testwright_scratch::folder() else { return false };
    let source = folder.path().join("includes");
    let text = format!("#include <{header}>\n");
    let preprocess = |source: &Path| {
        let mut command = Command::new(compiler);
        command.args(["-E", "-x", language]).arg(source);
        end_with_us(&mut command);
        run_within(&mut command, LIMIT)
    };
    std::fs::write(&source, text).is_ok()
        && preprocess(&source).is_ok_and(|it| it.is_some_and(|it| it.status.success()))
}

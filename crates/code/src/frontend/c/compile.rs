//! Sources compiled to bitcode, with undefined behaviour as explicit checks.

use super::clang::Clang;
use super::known::{complaints, is_known_elsewhere};
use super::{companion, declared, dependencies, flags};
use crate::error::{CodeError, CompileError};
use crate::frontend::{Bitcode, Parameters, Sources, Unit};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, thread};

/// What stands for our side of the bargain: debug information for types and places, code that keeps every branch,
/// undefined behaviour as explicit checks.
///
/// * No `optnone`, so that the instrumented code can be optimised; no builtins, so that models see every call.
/// * Uninitialised variables hold a pattern, so that runs are repeatable.
/// * Static functions that nothing calls are compiled too: somebody may want to test them.
/// * Null is an address like any other to the optimiser, so that an access through it faults.
/// * What older compilers only warn about is no error, whichever clang there is.
/// * `__TESTWRIGHT__` makes the macros of `testwright.h` say something.
/// * Array bounds only in the front end: the pass behind `local-bounds` numbers its traps arbitrarily.
pub(super) const OPTIONS: &[&str] = &[
    "-D__TESTWRIGHT__=1",
    "-g",
    "-gcolumn-info",
    "-O0",
    "-Xclang",
    "-disable-O0-optnone",
    "-fno-builtin",
    "-ffp-contract=off",
    "-ftrivial-auto-var-init=pattern",
    "-fno-stack-protector",
    "-fno-delete-null-pointer-checks",
    EMIT_ALL,
    "-fno-color-diagnostics",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-pointer-types",
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=return-mismatch",
    "-Wno-error=return-type",
    "-w",
    "-fsanitize=signed-integer-overflow,integer-divide-by-zero,shift,array-bounds,float-cast-overflow,unreachable,\
     return,vla-bound,builtin",
    "-fsanitize-trap=all",
    "-emit-llvm",
    "-c",
];

/// Compiles what nobody calls.
const EMIT_ALL: &str = "-femit-all-decls";

/// For comparison: as the compiler's own optimiser would get it.
const NATIVE_OPTIONS: &[&str] = &[
    "-g",
    "-O2",
    "-Xclang",
    "-disable-llvm-passes",
    "-ffp-contract=off",
    "-fno-color-diagnostics",
    "-w",
    "-emit-llvm",
    "-c",
];

/// Compiles every file, several at a time.
///
/// # Errors
/// With the compiler's messages if a file does not compile.
pub(crate) fn compile(sources: &Sources, clang: &Clang) -> Result<Bitcode, CodeError> {
    compile_adding(sources, clang, &Additions::new())
}

/// Text that is added to the end of a file, by the number of its unit.
pub(super) type Additions = BTreeMap<usize, String>;

/// As [`compile`], with text added to some files.
pub(super) fn compile_adding(
    sources: &Sources,
    clang: &Clang,
    additions: &Additions,
) -> Result<Bitcode, CodeError> {
    let mut bitcode = compile_with(sources, clang, OPTIONS, additions)?;
    declared::with_types(sources, clang, OPTIONS, additions, &mut bitcode)?;
    for (unit, module) in sources.units.iter().zip(&mut bitcode.modules) {
        if unit.companion {
            *module = companion::marked(module)?;
        }
    }
    Ok(bitcode)
}

/// The text of a unit with what is added to it.
pub(super) fn longer_text(unit: &Unit, addition: &str) -> Result<Vec<u8>, CodeError> {
    let source = fs::read(&unit.file).map_err(|error| CodeError::io("read", &unit.file, error))?;
    Ok([source.as_slice(), b"\n", addition.as_bytes()].concat())
}

/// Compiles every file as for production, without checks: what our builds are measured against.
///
/// # Errors
/// With the compiler's messages if a file does not compile.
pub(super) fn compile_natively(sources: &Sources, clang: &Clang) -> Result<Bitcode, CodeError> {
    let none = Additions::new();
    let mut bitcode = compile_with(sources, clang, NATIVE_OPTIONS, &none)?;
    declared::with_types(sources, clang, NATIVE_OPTIONS, &none, &mut bitcode)?;
    Ok(bitcode)
}

fn compile_with(
    sources: &Sources,
    clang: &Clang,
    options: &[&str],
    additions: &Additions,
) -> Result<Bitcode, CodeError> {
    let one = |index: usize, unit: &Unit| {
        let text = additions.get(&index).map(|addition| longer_text(unit, addition)).transpose()?;
        compile_unit(unit, clang, options, text.as_deref())
    };
    collect(side_by_side(&sources.units, one))
}

/// Compiles every file, several at a time; what becomes of each.
pub(super) fn compile_each(
    units: &[Unit],
    clang: &Clang,
    options: &[&str],
) -> Vec<Result<Compiled, CodeError>> {
    side_by_side(units, |_, unit| compile_unit(unit, clang, options, None))
}

/// Does something with every file, several at a time.
fn side_by_side<R: Send>(units: &[Unit], one: impl Fn(usize, &Unit) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let workers = thread::available_parallelism().map_or(1, usize::from).min(units.len());
    let work = || {
        let mut results = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(unit) = units.get(index) else { return results };
            results.push((index, one(index, unit)));
        }
    };
    let mut results = thread::scope(|scope| {
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        handles
            .into_iter()
            .flat_map(|handle| handle.join().expect("compiling does not panic"))
            .collect::<Vec<_>>()
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// The results of all files; all messages if some of them do not compile.
fn collect(results: Vec<Result<Compiled, CodeError>>) -> Result<Bitcode, CodeError> {
    let mut bitcode =
        Bitcode { modules: Vec::new(), dependencies: Vec::new(), parameters: Parameters::new() };
    let mut messages = String::new();
    for result in results {
        match result {
            Ok(compiled) => {
                bitcode.modules.push(compiled.module);
                bitcode.dependencies.extend(compiled.dependencies);
            }
            Err(CodeError::Compile(error)) => messages.push_str(&error.message),
            Err(other) => return Err(other),
        }
    }
    if !messages.is_empty() {
        return Err(CompileError { message: messages }.into());
    }
    bitcode.dependencies.sort();
    bitcode.dependencies.dedup();
    Ok(bitcode)
}

fn absolute(file: &Path) -> Result<PathBuf, CodeError> {
    std::path::absolute(file).map_err(|error| CodeError::io("find", file, error))
}

pub(super) struct Compiled {
    pub(super) module: Vec<u8>,
    dependencies: Vec<PathBuf>,
}

/// Compiles a file, with this text instead of its own if there is one; flags that clang does not know are left out if they
/// are those of the build system, or if another compiler knows them.
pub(super) fn compile_unit(
    unit: &Unit,
    clang: &Clang,
    options: &[&str],
    text: Option<&[u8]>,
) -> Result<Compiled, CodeError> {
    with_known_flags(unit, |unit| {
        let compiled = compile_once(unit, clang, options, text);
        // Some headers of compilers do not compile as a whole: they have functions for processors that nobody asked for.
        match compiled {
            Err(CodeError::Compile(error)) if error.message.contains("error: always_inline function '") => {
                let called_only: Vec<&str> =
                    options.iter().copied().filter(|option| *option != EMIT_ALL).collect();
                compile_once(unit, clang, &called_only, text)
            }
            compiled => compiled,
        }
    })
}

/// The declarations and definitions of a file, as the compiler prints them.
pub(super) fn printed_unit(unit: &Unit, clang: &Clang) -> Result<String, CodeError> {
    with_known_flags(unit, |unit| print_once(unit, clang))
}

/// The macros that are defined at the end of a file, one `#define` per line.
pub(super) fn macros_of(unit: &Unit, clang: &Clang) -> Result<String, CodeError> {
    with_known_flags(unit, |unit| {
        let folder = scratch()?;
        let mut command = command(unit, clang, folder.path());
        command.args(&unit.build_flags).args(&unit.flags).args(["-w", "-E", "-dM", "--"]);
        let defined = output(command.arg(seen_file(unit)?), clang)?;
        Ok(String::from_utf8_lossy(&defined).into_owned())
    })
}

/// Does something with a file, without those of its flags that clang complains about and that may be left out.
fn with_known_flags<R>(unit: &Unit, act: impl Fn(&Unit) -> Result<R, CodeError>) -> Result<R, CodeError> {
    let mut unit = unit.clone();
    loop {
        let result = act(&unit);
        let Err(CodeError::Compile(error)) = &result else { return result };
        let unknown = complaints(&error.message);
        let before = unit.build_flags.len() + unit.flags.len();
        unit.build_flags.retain(|flag| !unknown.contains(&flag.as_str()));
        unit.flags.retain(|flag| !(unknown.contains(&flag.as_str()) && is_known_elsewhere(flag)));
        if unit.build_flags.len() + unit.flags.len() == before {
            return result;
        }
    }
}

fn compile_once(
    unit: &Unit,
    clang: &Clang,
    options: &[&str],
    text: Option<&[u8]>,
) -> Result<Compiled, CodeError> {
    let folder = scratch()?;
    let (module, list) = (folder.path().join("module.bc"), folder.path().join("module.d"));
    let mut command = command(unit, clang, folder.path());
    // Older versions check every trailing array but those of length 0 or 1; newer ones do when told so.
    if clang.major >= 16 {
        command.arg("-fstrict-flex-arrays=1");
    }
    let file = seen_file(unit)?;
    command.args(&unit.build_flags).args(&unit.flags).args(options);
    if flags::wraps(unit.build_flags.iter().chain(&unit.flags)) {
        command.arg("-fno-sanitize=signed-integer-overflow");
    }
    if let Some(text) = text {
        let replacement = folder.path().join("text.c");
        fs::write(&replacement, text).map_err(|error| CodeError::io("write", &replacement, error))?;
        let both = format!("{};{}", file.display(), replacement.display());
        command.args(["-Xclang", "-remap-file", "-Xclang", &both]);
    }
    command.arg("-MD").arg("-MF").arg(&list).arg("-o").arg(&module).arg("--").arg(file);
    output(&mut command, clang)?;
    let dependencies = fs::read_to_string(&list).map_err(|error| CodeError::io("read", &list, error))?;
    Ok(Compiled {
        module: fs::read(&module).map_err(|error| CodeError::io("read", &module, error))?,
        dependencies: dependencies::parse(&dependencies, &unit.directory),
    })
}

fn print_once(unit: &Unit, clang: &Clang) -> Result<String, CodeError> {
    let folder = scratch()?;
    let mut command = command(unit, clang, folder.path());
    command.args(&unit.build_flags).args(&unit.flags).args([
        "-w",
        "-fsyntax-only",
        "-Xclang",
        "-ast-print",
        "--",
    ]);
    let printed = output(command.arg(seen_file(unit)?), clang)?;
    Ok(String::from_utf8_lossy(&printed).into_owned())
}

fn scratch() -> Result<testwright_scratch::Folder, CodeError> {
    testwright_scratch::folder().map_err(|error| CodeError::io("write in", &env::temp_dir(), error))
}

/// The compiler, where a file wants to be compiled. What it leaves behind when it is killed goes with our own folders.
fn command(unit: &Unit, clang: &Clang, scratch: &Path) -> Command {
    let mut command = Command::new(&clang.path);
    command.current_dir(&unit.directory).env("TMPDIR", scratch);
    command
}

/// A file that is named from our folder must be found from the compiler's.
fn seen_file(unit: &Unit) -> Result<PathBuf, CodeError> {
    let here = env::current_dir().is_ok_and(|here| here == unit.directory);
    if here { Ok(unit.file.clone()) } else { absolute(&unit.file) }
}

/// What the compiler prints if it has nothing to complain about.
fn output(command: &mut Command, clang: &Clang) -> Result<Vec<u8>, CodeError> {
    let output = command.output().map_err(|error| CodeError::io("start", &clang.path, error))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let mut message = String::from_utf8_lossy(&output.stderr).into_owned();
    if message.trim().is_empty() {
        message = format!("{} ended with {}\n", clang.path.display(), output.status);
    }
    Err(CompileError { message }.into())
}

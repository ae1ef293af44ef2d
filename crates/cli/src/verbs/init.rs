//! `testwright init`: looks at a project and writes a `testwright.toml` in which everything is a comment.
//!
//! The file says what there is to test and shows what may be stated about it, with names of the project. A file that is
//! there already is left alone.

use super::put;
use crate::args;
use crate::exit::{Exit, Failure};
use crate::load;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use testwright_base::layout::integer;
use testwright_base::stub::{Origin, Stub};
use testwright_base::subject::{Function, Subject};
use testwright_base::types::Shape;
use testwright_engine::own_functions;
use testwright_engine::request::Target;

/// The file that is written, in the current folder, where `generate` looks for it.
const NAME: &str = "testwright.toml";
/// What says how files are compiled.
const DATABASE: &str = "compile_commands.json";
/// Where sources usually are, below the folder of a project.
const SOURCE_FOLDERS: [&str; 3] = ["", "src", "lib"];
/// How many functions are named.
const MOST: usize = 20;

/// Looks at the project and writes the file.
pub fn perform(arguments: &args::Init) -> Result<Exit, Failure> {
    let exists = || Failure::usage(format!("{NAME} exists already; it is left as it is"));
    if Path::new(NAME).exists() {
        return Err(exists());
    }
    let targets = targets(&arguments.folder)?;
    let target = Target { targets, allow_read: Vec::new(), alone: false, flags: Vec::new() };
    let looked = load::until_prepared(&target).map(|prepared| prepared.subject);
    let text = text(&target, &looked);
    let mut file = OpenOptions::new().write(true).create_new(true).open(NAME).map_err(|error| {
        if error.kind() == std::io::ErrorKind::AlreadyExists {
            exists()
        } else {
            Failure::usage(format!("cannot write {NAME}: {error}"))
        }
    })?;
    file.write_all(text.as_bytes())?;
    put(&format!("wrote {NAME}; try: {}\n", command(&target)))?;
    Ok(Exit::Done)
}

/// What there is to test: the folder of the nearest compilation database, or the C files.
fn targets(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unreadable =
        |error: std::io::Error| Failure::usage(format!("cannot read {}: {error}", folder.display()));
    let mut below: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        below.push(entry.map_err(unreadable)?.path());
    }
    below.sort();
    let folders = std::iter::once(folder).chain(below.iter().map(PathBuf::as_path));
    if let Some(built) = folders.into_iter().find(|folder| folder.join(DATABASE).is_file()) {
        return Ok(vec![built.to_owned()]);
    }
    let sources: Vec<PathBuf> = SOURCE_FOLDERS.iter().flat_map(|name| c_files(&folder.join(name))).collect();
    if sources.is_empty() {
        return Err(Failure::usage(format!(
            "{} has no {DATABASE}, not even one folder below, and no C files in itself, src or lib; \
             name the folder of the project",
            folder.display()
        )));
    }
    Ok(sources)
}

/// The C files of a folder by name; none if there is no such folder.
fn c_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_c = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "c");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_c).collect();
    files.sort();
    files
}

/// `testwright generate src/list.c src/tree.c`
fn command(target: &Target) -> String {
    let names: Vec<String> = target.targets.iter().map(|path| path.display().to_string()).collect();
    format!("testwright generate {}", names.join(" "))
}

/// The text of the file. What could be stated has no blank after the number sign, what explains it has one.
fn text(target: &Target, looked: &Result<Subject, Failure>) -> String {
    let mut text = format!(
        "# What Testwright is told about this project. All of it is a comment: take away a number sign to state something.\n\
         # The chapter book/generate.md has all keys.\n#\n#   {}\n",
        command(target)
    );
    match looked {
        Ok(subject) => text += &about(subject),
        Err(failure) => {
            let problem = failure.message.lines().next().unwrap_or_default();
            let _ = writeln!(text, "#\n# It does not build yet: {problem}");
        }
    }
    text
}

/// What the functions of the project could have stated about them.
fn about(subject: &Subject) -> String {
    let functions: Vec<&Function> = own_functions(subject).map(|id| subject.function(id)).collect();
    let names: Vec<&str> = functions.iter().map(|function| function.name.as_str()).collect();
    let mut text = format!("#\n# {} functions in {} files.\n", names.len(), subject.files.len());
    text += "\n# Functions whose decisions are tried first, or last if the number is below 0.\n#[priority]\n";
    for name in names.iter().take(MOST) {
        let _ = writeln!(text, "#{name} = 1");
    }
    if names.len() > MOST {
        let _ = writeln!(text, "# .. and {} more", names.len() - MOST);
    }
    text += "\n# What callers of a function promise; no test breaks it.\n";
    for function in functions.iter().filter(|function| pointer(subject, function).is_some()).take(MOST) {
        let param = pointer(subject, function).unwrap_or_default();
        let _ = writeln!(text, "#[function.{}]\n#non_null = [\"{param}\"]", function.name);
    }
    let is_number =
        |stub: &&Stub| integer(&subject.types, stub.signature.result).is_some_and(|(bits, _)| bits > 1);
    let missing = subject.stubs.iter().filter(|stub| stub.origin == Origin::Missing);
    let stubs: Vec<&Stub> = missing.filter(is_number).take(MOST).collect();
    if !stubs.is_empty() {
        text += "\n# What functions do that nobody defines.\n";
    }
    for stub in stubs {
        let _ = writeln!(text, "#[stub.{}]\n#returns = \"0..100\"", stub.name);
    }
    text += "\n# Settings of searches over inputs; `testwright generate --help` lists them.\n#[set]\n";
    text
}

/// The first parameter that is a pointer.
fn pointer<'s>(subject: &'s Subject, function: &'s Function) -> Option<&'s str> {
    let params = &function.signature.as_ref()?.params;
    let is_pointer = |shape: &Shape| matches!(shape, Shape::Pointer(_));
    let param = params.iter().find(|param| is_pointer(&subject.types.get(param.ty).shape))?;
    Some(param.name.as_str()).filter(|name| !name.is_empty())
}

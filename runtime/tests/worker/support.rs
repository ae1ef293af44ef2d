//! Compiling C subjects, starting workers on them, laying out arguments.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, process};

use tempfile::TempDir;
use testwright_abi::address_of;
use testwright_abi::command::{Command, CommandKind, Span};
use testwright_abi::control::EndKind;
use testwright_abi::memory::{COVERAGE_OFFSET, INPUT_BASE, INPUT_OFFSET, SHARED_BASE};
use testwright_abi::table::{FUNCTIONS, Type};
use testwright_process::{Answer, Request, Start, StartError, Status, Worker};

/// Where tests put the argument block and the result, each at the end of a page of its own.
pub const ARGUMENTS: u64 = INPUT_BASE + 0x2000 - 64;
pub const RESULT: u64 = INPUT_BASE + 0x4000 - 64;
pub const LIMIT: Duration = Duration::from_secs(20);

/// A worker with its folder.
pub struct Fixture {
    pub worker: Worker,
    pub scratch: PathBuf,
    _folder: TempDir,
}

/// What a command left behind.
#[derive(Debug)]
pub struct Outcome {
    pub answer: Answer,
    pub status: Status,
    pub kind: EndKind,
    pub result: i64,
}

/// The worker program that belongs to this test.
pub fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_testwright-runtime-worker"))
}

/// Compiles `subjects/<name>.c` into a library in `folder`.
pub fn compile(folder: &Path, name: &str) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/worker/subjects");
    fs::write(folder.join("runtime.h"), header()).unwrap();
    let library = folder.join(format!("{name}.so"));
    let compiler = process::Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-w", "-fno-builtin", "-Wl,-z,relro,-z,now", "-I"])
        .arg(folder)
        .arg("-I")
        .arg(&sources)
        .arg(sources.join(format!("{name}.c")))
        .arg("-o")
        .arg(&library)
        .args(["-lm"])
        .output()
        .unwrap();
    assert!(compiler.status.success(), "{}", String::from_utf8_lossy(&compiler.stderr));
    library
}

/// The contract as C: `TW_malloc` and so on call through the table, as instrumented code does.
fn header() -> String {
    let name = |ty: &Type| match ty {
        Type::Unit | Type::Never => "void",
        Type::U32 => "unsigned",
        Type::U64 => "unsigned long",
        Type::U128 => "unsigned __int128",
    };
    let mut text = String::new();
    for function in FUNCTIONS {
        let params: Vec<_> = function.params.iter().map(name).collect();
        let (result, address) = (name(&function.result), address_of!(table) + function.offset);
        let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
        writeln!(text, "#define TW_{} (*({result} (**)({params})){address:#x}ul)", function.name).unwrap();
    }
    for (field, address) in [("STEPS", address_of!(steps_left)), ("NEWS", address_of!(news))] {
        writeln!(text, "#define TW_{field} (*(volatile long *){address:#x}ul)").unwrap();
    }
    writeln!(text, "#define TW_SITE (*(volatile unsigned *){:#x}ul)", address_of!(site)).unwrap();
    writeln!(text, "#define TW_COVERAGE ((volatile unsigned char *){:#x}ul)", SHARED_BASE + COVERAGE_OFFSET)
        .unwrap();
    for (name, value) in [("SEGMENT", SHARED_BASE), ("SEGMENT_LENGTH", INPUT_OFFSET)] {
        writeln!(text, "#define TW_{name} {value:#x}ul").unwrap();
    }
    text
}

impl Fixture {
    /// A worker on one subject.
    pub fn new(name: &str) -> Fixture {
        Fixture::try_new(&[name]).unwrap()
    }

    pub fn try_new(names: &[&str]) -> Result<Fixture, StartError> {
        let folder = TempDir::new().unwrap();
        let scratch = folder.path().join("scratch");
        fs::create_dir(&scratch).unwrap();
        let libraries: Vec<_> = names.iter().map(|name| compile(folder.path(), name)).collect();
        let start = Start {
            program: program(),
            libraries: &libraries,
            scratch: &scratch,
            readable: &[],
            wall_limit: LIMIT,
        };
        let worker = Worker::spawn(&start)?;
        Ok(Fixture { worker, scratch, _folder: folder })
    }

    /// One run of a driver with these 64-bit arguments.
    pub fn run(&mut self, entry: u32, arguments: &[i64]) -> Outcome {
        self.run_within(entry, arguments, LIMIT)
    }

    pub fn run_within(&mut self, entry: u32, arguments: &[i64], limit: Duration) -> Outcome {
        self.write(arguments);
        let command = command(CommandKind::Run, entry);
        self.give(command, &Request::default(), limit)
    }

    pub fn write(&mut self, arguments: &[i64]) {
        let bytes: Vec<u8> = arguments.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.worker.segment_mut().write_input(ARGUMENTS, &bytes).unwrap();
        self.worker.segment_mut().write_input(RESULT, &[0; 8]).unwrap();
    }

    /// Gives a command, with argument block and result besides the objects of the request.
    pub fn give(&mut self, mut command: Command, request: &Request, limit: Duration) -> Outcome {
        let own = [Span { address: ARGUMENTS, length: 64 }, Span { address: RESULT, length: 64 }];
        let objects = [&own, request.objects].concat();
        let request = Request { objects: &objects, ..*request };
        self.worker.segment_mut().write_request(&mut command, &request).unwrap();
        let answer = self.worker.command(&command, limit).unwrap();
        let status = self.worker.segment().status();
        let bytes = self.worker.segment().input(RESULT, 8).unwrap();
        let result = i64::from_le_bytes(bytes.try_into().unwrap());
        Outcome { answer, status, kind: status.end_kind(), result }
    }

    /// The process that runs commands.
    pub fn process(&self) -> u32 {
        children_of(self.worker.id())[0].0
    }

    pub fn output(&self) -> String {
        String::from_utf8(self.worker.output(1 << 20).unwrap()).unwrap()
    }
}

/// A command with the usual limits.
pub fn command(kind: CommandKind, entry: u32) -> Command {
    Command {
        kind: kind as u32,
        entry,
        clear: 1,
        arguments: ARGUMENTS,
        result: RESULT,
        steps: 1_000_000,
        heap: 16 << 20,
        outcome_count: 64,
        ..Command::default()
    }
}

/// Kills a process with SIGKILL; whether it was there.
pub fn kill(pid: u32) -> bool {
    let pid = i32::try_from(pid).unwrap();
    assert!(pid > 1, "{pid} is no worker");
    // SAFETY: a system call that touches no memory of ours.
    unsafe { libc::kill(pid, libc::SIGKILL) == 0 }
}

/// Processes whose parent is `parent`, as (pid, state).
pub fn children_of(parent: u32) -> Vec<(u32, char)> {
    let mut children = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse() else { continue };
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        let fields: Vec<_> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        if fields[1] == parent.to_string() {
            children.push((pid, fields[0].chars().next().unwrap()));
        }
    }
    children
}

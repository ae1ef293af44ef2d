//! A finished program runs confined, and what it wants is noticed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, process};

use tempfile::TempDir;
use testwright_abi::effect::Effect;
use testwright_process::{Addresses, Confined, ConfinedLimits, Ended, Forks, OnEffect, Way};

use crate::support::program;

/// A compiled `subjects/confined.c`, a scratch folder and a file outside of it.
struct Fixture {
    folder: TempDir,
    program: PathBuf,
    memory: Option<u64>,
    on_effect: OnEffect,
    forks: Forks,
}

impl Fixture {
    fn new(flags: &[&str]) -> Fixture {
        let folder = TempDir::new().unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/worker/subjects/confined.c");
        fs::create_dir(folder.path().join("bin")).unwrap();
        fs::create_dir(folder.path().join("scratch")).unwrap();
        fs::write(folder.path().join("precious"), "as it was").unwrap();
        let program = folder.path().join("bin/confined");
        let compiler = process::Command::new("cc")
            .args(["-w", "-g"])
            .args(flags)
            .arg(source)
            .arg("-o")
            .arg(&program)
            .output();
        let compiler = compiler.unwrap();
        assert!(compiler.status.success(), "{}", String::from_utf8_lossy(&compiler.stderr));
        Fixture { folder, program, memory: Some(1 << 30), on_effect: OnEffect::End, forks: Forks::Never }
    }

    fn run(&self, arguments: &[&str]) -> Ended {
        self.run_within(arguments, Duration::from_secs(60))
    }

    fn run_within(&self, arguments: &[&str], wall: Duration) -> Ended {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let environment = [("GIVEN".into(), "1".into()), ("ASAN_OPTIONS".into(), "detect_leaks=0".into())];
        let confined = Confined {
            worker: program(),
            program: &self.program,
            arguments: &arguments,
            scratch: &self.folder.path().join("scratch"),
            read: &[],
            write: &[self.folder.path().join("given")],
            environment: &environment,
            on_effect: self.on_effect,
            addresses: Addresses::Random,
            forks: self.forks,
            limits: ConfinedLimits { wall, memory: self.memory, file: 1 << 20, output: 4096 },
        };
        confined.run().unwrap()
    }

    fn precious(&self) -> String {
        self.folder.path().join("precious").to_str().unwrap().to_owned()
    }

    /// How many processes were started with something in this folder, whoever their parent is.
    fn processes(&self) -> usize {
        let folder = self.folder.path().to_str().unwrap();
        let command = |entry: fs::DirEntry| fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let entries = fs::read_dir("/proc").unwrap().flatten();
        entries
            .filter(|entry| entry.path().join("cmdline").is_file())
            .map(command)
            .filter(|text| String::from_utf8_lossy(text).contains(folder))
            .count()
    }

    /// Nothing outside has changed.
    #[track_caller]
    fn check_outside(&self) {
        assert_eq!(fs::read_to_string(self.precious()).unwrap(), "as it was");
        assert_eq!(fs::read_dir(self.folder.path()).unwrap().count(), 3);
    }
}

#[test]
fn a_program_without_effects_runs_as_it_would_elsewhere() {
    let fixture = Fixture::new(&[]);
    for what in ["nothing", "core", "catch", "descriptors", "environment"] {
        let ended = fixture.run(&[what]);
        assert_eq!((ended.way, ended.effects), (Way::Exited(0), vec![]), "{what}");
    }
    let ended = fixture.run(&["print"]);
    assert_eq!((ended.way, ended.output.as_slice()), (Way::Exited(7), &b"out\nerr\n"[..]));
    assert_eq!(fixture.run(&["crash"]).way, Way::Signal(libc::SIGSEGV));
    for path in ["/usr/include/stdio.h", "/proc/self/maps"] {
        assert_eq!(fixture.run(&["read", path]).way, Way::Exited(0), "{path}");
    }
    assert_eq!(fixture.run(&["write", "/dev/null"]).way, Way::Exited(0));
}

#[test]
fn every_effect_ends_the_program_and_is_named() {
    let fixture = Fixture::new(&[]);
    let precious = fixture.precious();
    let attempts: [(&[&str], Effect); 22] = [
        (&["delete", &precious], Effect::Delete),
        (&["delete", "not-there"], Effect::Delete),
        (&["rename", &precious], Effect::Rename),
        (&["write", &precious], Effect::Write),
        (&["write", "inside"], Effect::Write),
        (&["append", &precious], Effect::Write),
        (&["large", "inside"], Effect::Write),
        (&["make", "folder"], Effect::Make),
        (&["change", &precious], Effect::Change),
        (&["connect"], Effect::Network),
        (&["fork"], Effect::Process),
        (&["system"], Effect::Process),
        (&["exec"], Effect::Process),
        (&["thread"], Effect::Thread),
        (&["kill"], Effect::Signal),
        (&["trace"], Effect::Trace),
        (&["outlive"], Effect::System),
        (&["limit"], Effect::System),
        (&["old"], Effect::Foreign),
        (&["x32"], Effect::Foreign),
        (&["delete", "/dev/null"], Effect::Delete),
        (&["write", "../given"], Effect::Write),
    ];
    for (arguments, effect) in attempts {
        let ended = fixture.run(arguments);
        assert_eq!((ended.way, ended.effects), (Way::Effect, vec![effect]), "{arguments:?}");
    }
    fixture.check_outside();
}

#[test]
fn a_program_that_goes_on_changes_files_in_its_scratch_folder_only() {
    let fixture = Fixture { on_effect: OnEffect::GoOn, ..Fixture::new(&[]) };
    let ended = fixture.run(&["write", "inside"]);
    assert_eq!((ended.way, ended.effects), (Way::Exited(0), vec![Effect::Write]));
    assert_eq!(fs::read_to_string(fixture.folder.path().join("scratch/inside")).unwrap(), "x");
    let precious = fixture.precious();
    for arguments in [&["delete", precious.as_str()], &["rename", &precious], &["write", &precious]] {
        let ended = fixture.run(arguments);
        if ended.landlock.is_none() {
            println!("not tried, this kernel has no landlock: {arguments:?}");
            return;
        }
        assert_ne!(ended.way, Way::Exited(0), "{arguments:?}");
    }
    for what in ["connect", "system", "thread", "kill"] {
        assert!(matches!(fixture.run(&[what]).way, Way::Exited(1..)), "{what}");
    }
    assert_eq!(fixture.run(&["large", "big"]).way, Way::Signal(libc::SIGXFSZ));
    fixture.check_outside();
}

#[test]
fn files_of_others_cannot_be_read() {
    let fixture = Fixture::new(&[]);
    let ended = fixture.run(&["read", &fixture.precious()]);
    if ended.landlock.is_some() {
        assert_eq!(ended.way, Way::Exited(1));
        assert_eq!(fixture.run(&["read", "/etc/passwd"]).way, Way::Exited(1));
    }
}

#[test]
fn limits_hold_and_nothing_is_left() {
    let fixture = Fixture::new(&[]);
    let moment = Duration::from_millis(700);
    for what in ["loop", "sleep", "flood"] {
        assert_eq!(fixture.run_within(&[what], moment).way, Way::TimedOut, "{what}");
    }
    // Long enough for a program to start beside much other work.
    assert_eq!(fixture.run_within(&["flood"], 10 * moment).output.len(), 4096);
    assert_eq!(fixture.run(&["memory"]).way, Way::Exited(1));
    assert_eq!(fixture.processes(), 0);
}

#[test]
fn programs_with_sanitizers_run_confined() {
    let flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let fixture = Fixture { memory: None, ..Fixture::new(&flags) };
    let ended = fixture.run(&["nothing"]);
    let said = String::from_utf8_lossy(&ended.output);
    assert_eq!((ended.way, ended.effects), (Way::Exited(0), vec![]), "{said}");
    let ended = fixture.run(&["overflow"]);
    let said = String::from_utf8_lossy(&ended.output);
    assert!(matches!(ended.way, Way::Exited(1)), "{said}");
    assert!(said.contains("out of bounds") || said.contains("stack-buffer-overflow"), "{said}");
    assert_eq!(fixture.run(&["delete", &fixture.precious()]).effects, [Effect::Delete]);
    fixture.check_outside();
}

#[test]
fn a_program_that_may_start_processes_leaves_none_behind_and_they_start_no_others() {
    let fixture = Fixture { forks: Forks::Once, ..Fixture::new(&[]) };
    let ended = fixture.run(&["fork"]);
    assert_eq!((ended.way, ended.effects), (Way::Exited(0), vec![]));
    let ended = fixture.run(&["nest"]);
    assert_eq!((ended.way, ended.effects), (Way::Exited(5), vec![Effect::Process]));
    let twice = Fixture { forks: Forks::Twice, ..Fixture::new(&[]) };
    let ended = twice.run(&["nest"]);
    assert_eq!((ended.way, ended.effects), (Way::Exited(6), vec![]));
    let ended = twice.run(&["nest deeper"]);
    assert_eq!((ended.way, ended.effects), (Way::Exited(7), vec![Effect::Process]));
    let ended = fixture.run(&["raise"]);
    assert_eq!((ended.way, ended.effects), (Way::Exited(libc::SIGUSR1), vec![]));
    assert_eq!(fixture.processes(), 0);
    fixture.check_outside();
}

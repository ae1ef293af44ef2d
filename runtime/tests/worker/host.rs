//! The host is never hurt: crashes, hangs, bad libraries and its own end leave nothing behind.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use testwright_abi::command::StartFailure;
use testwright_abi::control::EndKind;
use testwright_process::{Answer, CommandError, Start, StartError, Worker};

use crate::ends::{
    ABORTS, ALLOCATES, DIVIDES, DOUBLE_FREE, EXITS, HANGS, ILLEGAL, LOOPS, NATIVE_ABORT, NULL_WRITE,
    RECURSES, RETURNS, TRAPS,
};
use crate::support::{Fixture, LIMIT, children_of, command, compile, kill, program};

/// Resident memory of a process in KiB.
fn resident(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn two_thousand_crashes_in_a_row_are_classified_and_nothing_is_left_over() {
    let kinds = [
        (NULL_WRITE, EndKind::Signal),
        (DIVIDES, EndKind::Signal),
        (RECURSES, EndKind::StackOverflow),
        (NATIVE_ABORT, EndKind::Abort),
        (ILLEGAL, EndKind::Signal),
        (TRAPS, EndKind::Trap),
        (EXITS, EndKind::Exit),
        (ABORTS, EndKind::Abort),
        (DOUBLE_FREE, EndKind::BadFree),
        (ALLOCATES, EndKind::OutOfMemory),
    ];
    let mut fixture = Fixture::new("ends");
    let server = fixture.worker.id();
    for (entry, kind) in kinds {
        assert_eq!(fixture.run(entry, &[]).kind, kind);
    }
    let (before, start) = (resident(server), Instant::now());
    let mut deaths = 0;
    for round in 0..2000 {
        let (entry, kind) = kinds[round % kinds.len()];
        let outcome = fixture.run(entry, &[]);
        assert_eq!(outcome.kind, kind, "{entry} in round {round}");
        deaths += u32::from(matches!(outcome.answer, Answer::Died { .. }));
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{deaths} deaths in 2000 runs, {:.0} runs/s, {:.0} deaths/s",
        2000.0 / seconds,
        f64::from(deaths) / seconds
    );
    assert_eq!(deaths, 1000);
    let children = children_of(server);
    assert_eq!(children.len(), 1, "{children:?}");
    assert!(resident(server) < before + 1024, "{} KiB, before {before}", resident(server));
    // Only root may look at the files of a process that cannot be dumped.
    if let Ok(files) = fs::read_dir(format!("/proc/{server}/fd")) {
        assert!(files.count() < 16);
    }
    assert_eq!(fixture.run(RETURNS, &[1, 2]).result, 3);
}

#[test]
fn a_hang_is_killed_at_the_wall_limit_and_the_next_run_works() {
    let mut fixture = Fixture::new("ends");
    for _ in 0..3 {
        let start = Instant::now();
        let outcome = fixture.run_within(HANGS, &[], Duration::from_millis(50));
        assert_eq!(outcome.answer, Answer::TimedOut);
        assert!(start.elapsed().as_millis() >= 50);
        assert_eq!(fixture.run(RETURNS, &[3, 4]).result, 7);
    }
}

#[test]
fn commands_that_end_just_at_the_wall_limit_never_confuse_the_answers() {
    let mut fixture = Fixture::new("ends");
    for round in 0..200 {
        fixture.run_within(LOOPS, &[], Duration::from_micros(round * 20));
        assert_eq!(fixture.run(RETURNS, &[round as i64, 1]).result, round as i64 + 1, "{round}");
    }
}

#[test]
fn a_process_that_is_killed_while_it_waits_is_replaced_unnoticed() {
    let mut fixture = Fixture::new("ends");
    for round in 0..20 {
        assert!(kill(fixture.process()));
        assert_eq!(fixture.run(RETURNS, &[round, 1]).result, round + 1);
    }
}

#[test]
fn a_worker_that_is_dropped_leaves_no_process() {
    let mut fixture = Fixture::new("ends");
    fixture.run(RETURNS, &[1, 1]);
    let server = fixture.worker.id();
    let child = children_of(server)[0].0;
    drop(fixture);
    assert!(!Path::new(&format!("/proc/{server}")).exists());
    assert!(!Path::new(&format!("/proc/{child}")).exists());
}

#[test]
fn a_hanging_child_ends_with_its_server() {
    let mut fixture = Fixture::new("ends");
    let server = fixture.worker.id();
    let child = children_of(server)[0].0;
    // The host kills the server while the child is inside a run.
    let killer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        kill(server);
    });
    let lost = fixture
        .worker
        .command(&command(testwright_abi::command::CommandKind::Run, HANGS), LIMIT)
        .unwrap_err();
    killer.join().unwrap();
    assert!(matches!(lost, CommandError::WorkerLost { .. }), "{lost}");
    let start = Instant::now();
    while Path::new(&format!("/proc/{child}")).exists()
        && children_of(1).iter().all(|(pid, state)| *pid != child || *state != 'Z')
    {
        assert!(start.elapsed() < LIMIT, "the child lives on");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_missing_program_library_or_folder_is_named() {
    let folder = TempDir::new().unwrap();
    let library = compile(folder.path(), "ends");
    let libraries = [library];
    let good = Start {
        program: program(),
        libraries: &libraries,
        scratch: folder.path(),
        readable: &[],
        wall_limit: LIMIT,
    };
    let nowhere = Path::new("/nowhere/at/all");
    for bad in [
        Start { program: nowhere, ..good },
        Start { scratch: nowhere, ..good },
        Start { libraries: &[nowhere.to_path_buf()], ..good },
    ] {
        let error = Worker::spawn(&bad).unwrap_err();
        assert!(error.to_string().contains("/nowhere/at/all"), "{error}");
    }
}

#[test]
fn a_library_that_does_not_load_is_reported_in_the_words_of_the_loader() {
    let folder = TempDir::new().unwrap();
    let text = folder.path().join("text.so");
    fs::write(&text, "this is no library").unwrap();
    let libraries = [text];
    let start = Start {
        program: program(),
        libraries: &libraries,
        scratch: folder.path(),
        readable: &[],
        wall_limit: LIMIT,
    };
    let Err(StartError::Failed { failure, message }) = Worker::spawn(&start) else {
        panic!("it does not start")
    };
    assert_eq!(failure, Some(StartFailure::Library));
    assert!(message.contains("text.so") && message.contains("too short"), "{message}");

    let Err(error) = Fixture::try_new(&["not_by_contract"]) else { panic!("it does not start") };
    assert!(error.to_string().contains("does not define tw_entries"), "{error}");
}

#[test]
fn a_constructor_that_crashes_or_hangs_does_not_take_the_host_with_it() {
    let Err(error) = Fixture::try_new(&["crashing_constructor"]) else { panic!("it does not start") };
    assert!(matches!(error, StartError::Ended { .. }), "{error}");
    assert!(error.to_string().contains("about to crash"), "{error}");

    let folder = TempDir::new().unwrap();
    let libraries = [compile(folder.path(), "hanging_constructor")];
    let wall_limit = Duration::from_millis(200);
    let start = Start {
        program: program(),
        libraries: &libraries,
        scratch: folder.path(),
        readable: &[],
        wall_limit,
    };
    let error = Worker::spawn(&start).unwrap_err();
    assert!(matches!(error, StartError::TimedOut(_)), "{error}");
}

#[test]
fn several_libraries_share_a_worker() {
    let mut fixture = Fixture::try_new(&["ends", "batch"]).unwrap();
    assert_eq!(fixture.run(RETURNS, &[5, 6]).result, 11);
    fixture.write(&[7, 7, 7]);
    let kind = testwright_abi::command::CommandKind::Run;
    let other = testwright_abi::command::Command { library: 1, ..command(kind, crate::batch::TRIANGLE) };
    assert_eq!(fixture.give(other, &testwright_process::Request::default(), LIMIT).result, 3);
}

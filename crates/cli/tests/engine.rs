//! The engine as a library: from a request to a finished suite, without a terminal.

use std::sync::atomic::AtomicBool;
use testwright_engine::request::{FitnessName, Request, Searching, Target, Times, Wanted};
use testwright_engine::technique::{TechniqueName, Techniques};
use testwright_engine::verify::Verdict;
use testwright_engine::{Event, Fault, Watch, generate};
use testwright_search::augmentation::Augmentation;
use testwright_search::heuristics::Off;
use testwright_search::strategy::Strategy;
use testwright_suite::emit::Format;

static GO_ON: AtomicBool = AtomicBool::new(false);

/// Notes the events in a word each.
#[derive(Default)]
struct Notes(Vec<String>);

impl Watch for Notes {
    fn tell(&mut self, event: Event<'_>) {
        self.0.push(match event {
            Event::Searching { functions, .. } => format!("searching {functions}"),
            Event::Function(name) => format!("function {name}"),
            Event::Moment(_) => return,
            Event::PhaseBegins | Event::Phase(_) | Event::PhaseEnds => "phase".to_owned(),
            Event::Note(note) => format!("note {note}"),
        });
        self.0.dedup();
    }
}

fn request(folder: &std::path::Path, text: &str) -> Request {
    let source = folder.join("subject.c");
    std::fs::write(&source, text).expect("a source");
    Request {
        target: Target { targets: vec![source], allow_read: Vec::new(), alone: false, flags: Vec::new() },
        wanted: Wanted::default(),
        searching: Searching {
            times: Times::default(),
            runs: Some(100),
            augmentation: Augmentation::default(),
            criteria: vec!["branch"],
            strategy: Strategy::default(),
            techniques: Techniques::new(&[TechniqueName::All]).expect("a technique"),
            scope: None,
            fitness: FitnessName::Symbolic,
            settings: Vec::new(),
            config: None,
            seed: 1,
            off: Off::default(),
            log_steps: None,
            dump_queries: None,
            interrupted: &GO_ON,
        },
        max_tests: None,
        formats: vec![Format::PLAIN],
        float_tolerance: None,
        out: folder.join("out"),
        all_builds: false,
        allow_effects: false,
    }
}

#[test]
fn a_request_becomes_a_suite_and_a_watcher_hears_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "int sign(int x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }\nint twice(int x) { return 2 * x; }\n";
    let mut notes = Notes::default();
    let finished = generate(&request(folder.path(), text), &mut notes).expect("a suite");
    assert!(matches!(finished.verdict, Verdict::Passed { .. }), "{}", finished.verdict);
    assert!(finished.problem.is_none() && finished.folder.join("subject_test.c").is_file());
    assert_eq!(finished.suite.input.goals.len(), finished.suite.input.goals.iter().count());
    assert!(finished.suite.tests.len() >= 4, "{}", finished.suite.tests.len());
    assert_eq!(&notes.0[..3], ["searching 2", "function sign", "function twice"], "{:?}", notes.0);
    assert_eq!(notes.0.last().map(String::as_str), Some("phase"));
}

#[test]
fn failures_say_whose_fault_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let fault =
        |request: &Request| generate(request, &mut Notes::default()).err().map(|failure| failure.fault);
    assert_eq!(fault(&request(folder.path(), "int f( {\n")), Some(Fault::Target));
    let mut nobody = request(folder.path(), "int f(int x) { return x; }\n");
    nobody.wanted.names.push("g".to_owned());
    assert_eq!(fault(&nobody), Some(Fault::Request));
    assert!(!folder.path().join("out").exists(), "nothing is written");
}

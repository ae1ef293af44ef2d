//! A worker whose fork server is killed or stopped from outside: it costs the run under way at most.

use crate::{folder, load};
use std::process::Command;
use std::time::Duration;
use testwright_base::build::Build;
use testwright_base::json::parse_case;
use testwright_base::run::End;
use testwright_exec::Session;

fn signal(process: u32, signal: &str) -> bool {
    let command = format!("kill -{signal} {process} 2>/dev/null");
    Command::new("sh").args(["-c", &command]).status().expect("a shell starts").success()
}

fn end(session: &mut Session, function: &str, case: &str) -> End {
    let id = session.subject().function_named(function).expect("a function");
    let case = parse_case(session.subject(), id, case).expect("a case");
    session.run(&case, Build::Run).expect("a run, whatever becomes of its worker").end
}

/// Runs cases until there is another server; what they show is right all the time, but for one at most.
fn await_another(session: &mut Session, before: u32) {
    let mut damaged = 0;
    while session.process() == before {
        for (function, case, right) in [
            ("leaves", "[0]", End::Returned),
            ("leaves", "[3]", End::Exit(3)),
            ("gives_up", "[1]", End::Abort),
        ] {
            match end(session, function, case) {
                End::Damaged => damaged += 1,
                end => assert_eq!(end, right),
            }
        }
    }
    assert!(damaged <= 1, "{damaged} runs were lost");
    assert_eq!(end(session, "leaves", "[0]"), End::Returned);
}

#[test]
fn a_killed_server_costs_one_run_at_most() {
    let mut session = load::load(&folder().join("ends.c"));
    for _ in 0..10 {
        let before = session.process();
        assert!(signal(before, "KILL"));
        await_another(&mut session, before);
    }
}

#[test]
fn a_stopped_server_is_given_up_and_replaced() {
    let mut session = load::load(&folder().join("ends.c"));
    session.limits.wall = Duration::from_millis(100);
    let before = session.process();
    assert!(signal(before, "STOP"));
    assert_eq!(
        end(&mut session, "leaves", "[0]"),
        End::Returned,
        "the process that runs cases is not stopped"
    );
    // A signal ends that process, and nobody says so: the case is run again in another worker.
    let ended = end(&mut session, "wild", "[1]");
    assert!(matches!(ended, End::Signal { signal: 11, .. }), "{ended:?}");
    session.limits.wall = Duration::from_secs(600);
    assert_eq!(end(&mut session, "leaves", "[0]"), End::Returned);
    assert_ne!(session.process(), before, "there is another server");
    assert!(!signal(before, "0"), "nothing is left of the stopped one");
}

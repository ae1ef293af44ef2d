//! Killed at any moment: the old or the new suite is whole, and the next start leaves nothing behind.

use crate::support::{Bench, check_success, names_in, send, whole};
use std::fs;
use std::process::{Child, Command, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Nothing takes as long as this, however busy the machine is.
const HANGS: Duration = Duration::from_secs(300);

const SIGNALS: [&str; 4] = ["KILL", "TERM", "INT", "HUP"];

/// Code whose suite is written and written again, with a folder of its own for temporary things.
struct Killed {
    bench: Bench,
    /// How long a run takes that nobody kills.
    usual: Duration,
}

impl Killed {
    fn new() -> Killed {
        let bench = Bench::new("int sign(int x) { if (x < 0) return -1; return x > 0; }\n");
        fs::create_dir(bench.path("tmp")).expect("a folder is made");
        let mut killed = Killed { bench, usual: Duration::ZERO };
        let started = Instant::now();
        killed.run_to_the_end();
        killed.usual = started.elapsed();
        killed
    }

    fn command(&self) -> Command {
        let mut command = self.bench.command(&["--runs", "8"]);
        command.env("TMPDIR", self.bench.path("tmp"));
        command
    }

    fn run_to_the_end(&self) {
        check_success(&self.command().output().expect("testwright starts"));
        self.check("after a run to the end");
    }

    /// Kills a run after this share of its usual time; whether it was still running.
    fn kill(&self, signal: &str, share: f64) -> bool {
        let when = format!("{signal} at {share:.3} of {:?}", self.usual);
        let mut child: Child = self.command().spawn().expect("testwright starts");
        sleep(self.usual.mul_f64(share));
        send(&child, signal);
        let status = ended(&mut child, &when);
        // Ctrl-C during the search ends only that.
        assert!(status.code().is_none_or(|code| code == 0), "{when}: {status}");
        whole(&self.bench.path("out"));
        if signal == "KILL" {
            self.start_others();
        }
        self.check(&when);
        status.code().is_none()
    }

    /// Starts others, which clean up. Compilers that the killed run had started may still be about to end, so several are.
    fn start_others(&self) {
        for _ in 0..50 {
            let mut next = self.bench.verb("show");
            next.args(["sites"]).arg(self.bench.source()).env("TMPDIR", self.bench.path("tmp"));
            check_success(&next.output().expect("testwright starts"));
            let is_left = names_in(&self.bench.path("")).iter().any(|name| name.starts_with(".out."));
            if !is_left && names_in(&self.bench.path("tmp")).is_empty() {
                break;
            }
            sleep(Duration::from_millis(100));
        }
    }

    #[track_caller]
    fn check(&self, when: &str) {
        whole(&self.bench.path("out"));
        let names = names_in(&self.bench.path(""));
        if names.iter().any(|name| name == "out.old") {
            whole(&self.bench.path("out.old"));
        }
        let known = ["out", "out.old", "subject.c", "tmp"];
        assert!(names.iter().all(|name| known.contains(&name.as_str())), "{when}: {names:?}");
        assert_eq!(names_in(&self.bench.path("tmp")), [""; 0], "{when}");
    }
}

/// How a process ended. One that hangs is killed, and told.
#[track_caller]
fn ended(child: &mut Child, when: &str) -> ExitStatus {
    let started = Instant::now();
    while started.elapsed() < HANGS {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            return status;
        }
        sleep(Duration::from_millis(5));
    }
    child.kill().expect("it is killed");
    panic!("{when}: it does not end");
}

#[test]
fn a_signal_that_comes_when_the_suite_is_put_into_its_place_ends_the_run_all_the_same() {
    let killed = Killed::new();
    for moment in 0..16 {
        killed.kill("TERM", 0.88 + 0.01 * f64::from(moment));
    }
    killed.run_to_the_end();
}

#[test]
fn whenever_a_run_is_killed_a_suite_is_whole_and_nothing_is_left_behind() {
    const MOMENTS: usize = 6;
    let killed = Killed::new();
    for moment in 0..MOMENTS {
        for (index, signal) in SIGNALS.iter().enumerate() {
            let share = (moment * SIGNALS.len() + index) as f64 / (MOMENTS * SIGNALS.len()) as f64;
            killed.kill(signal, share);
        }
    }
    killed.run_to_the_end();
}

/// `TESTWRIGHT_KILLS=100` makes as many kills as the manual tells of; without it a few are made.
#[test]
fn kills_at_random_moments_leave_a_whole_suite_and_nothing_else() {
    let killed = Killed::new();
    let mut random = 1_u64;
    let mut counts = [[0; 2]; SIGNALS.len()];
    let kills = std::env::var("TESTWRIGHT_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(4);
    for number in 0..kills {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let share = (random >> 33) as f64 / (1_u64 << 31) as f64;
        let index = number % SIGNALS.len();
        let was_running = killed.kill(SIGNALS[index], share);
        counts[index][usize::from(!was_running)] += 1;
    }
    killed.run_to_the_end();
    for (signal, [died, ended]) in SIGNALS.iter().zip(counts) {
        println!("{signal}: {died} died of it, {ended} wrote their suite");
    }
}

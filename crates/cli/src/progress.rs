//! Progress: one line on the terminal, rewritten while something takes long and gone when it is over.
//!
//! The phases of `generate` follow each other on it: the search, judging what it kept, compiling, running tests.
//!
//! What cannot rewrite a line gets a new one every second: a file, a pipe, a terminal with `TERM=dumb`. With
//! `TESTWRIGHT_PROGRESS=never` there is none. There are no colours, so there is nothing for `NO_COLOR` to turn off.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};
use testwright_engine::{Event, Moment, Watch};

/// How a terminal shows progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// A line that is written over.
    Rewritten,
    /// A line after the other.
    Appended,
    /// Not at all.
    Never,
}

impl Style {
    /// What the user asks for comes before what the terminal can do.
    fn of(wanted: Option<&str>, is_terminal: bool, term: Option<&str>) -> Style {
        if wanted == Some("never") {
            return Style::Never;
        }
        match (is_terminal, term) {
            (false, _) | (true, Some("dumb") | None) => Style::Appended,
            (true, Some(_)) => Style::Rewritten,
        }
    }

    /// The least time between two updates.
    fn interval(self) -> Duration {
        Duration::from_millis(if self == Style::Rewritten { 100 } else { 1000 })
    }
}

/// The line.
pub struct Progress {
    style: Style,
    width: usize,
    output: Box<dyn Write>,
    functions: usize,
    /// The functions that had a turn.
    names: Vec<String>,
    number: usize,
    name: String,
    limit: String,
    started: Instant,
    shown: Option<Instant>,
}

impl Progress {
    /// Progress on standard error.
    pub fn on_stderr() -> Progress {
        let [wanted, term] = ["TESTWRIGHT_PROGRESS", "TERM"].map(|name| std::env::var(name).ok());
        let style = Style::of(wanted.as_deref(), io::stderr().is_terminal(), term.as_deref());
        let width = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).unwrap_or(80);
        Progress::new(style, width, Box::new(io::stderr()))
    }

    fn new(style: Style, width: usize, output: Box<dyn Write>) -> Progress {
        let (name, limit) = (String::new(), String::new());
        let started = Instant::now();
        Progress {
            style,
            width,
            output,
            functions: 0,
            names: Vec::new(),
            number: 0,
            name,
            limit,
            started,
            shown: None,
        }
    }

    /// A search in so many functions begins, with this budget.
    fn search(&mut self, functions: usize, runs: Option<u64>, budget: Duration) {
        self.functions = functions;
        self.limit = match runs {
            Some(runs) => format!("of {runs} runs"),
            None => format!("of {}", seconds(budget)),
        };
        self.begin_phase();
    }

    /// The search in another function begins.
    fn begin(&mut self, name: &str) {
        // A function may have several turns.
        let known = self.names.iter().position(|known| known == name);
        self.number = known.unwrap_or(self.names.len()) + 1;
        if known.is_none() {
            self.names.push(name.to_owned());
        }
        name.clone_into(&mut self.name);
    }

    /// Shows a moment, unless one was shown just now.
    fn show_at(&mut self, moment: &Moment<'_>, now: Instant) {
        if self.is_due(now) {
            let line = self.line(moment, now.duration_since(self.started));
            self.put(&line, now);
        }
    }

    /// Another phase begins; its line comes if it takes long enough.
    fn begin_phase(&mut self) {
        self.clear();
        (self.started, self.shown) = (Instant::now(), None);
    }

    /// Shows what the phase is about and how long it takes, unless that was shown just now.
    fn tell_at(&mut self, what: &str, now: Instant) {
        if self.is_due(now) {
            self.put(&format!("  {what}  {}", seconds(now.duration_since(self.started))), now);
        }
    }

    /// Whether it is time for another line.
    fn is_due(&self, now: Instant) -> bool {
        let since = now.duration_since(self.shown.unwrap_or(self.started));
        self.style != Style::Never && since >= self.style.interval()
    }

    fn put(&mut self, line: &str, now: Instant) {
        self.shown = Some(now);
        // A terminal that is gone is no reason to end the search.
        let _ = match self.style {
            // The last column stays free: some terminals begin a new line there.
            Style::Rewritten => {
                write!(self.output, "\r{}\x1b[K", fitting(line, self.width.saturating_sub(1)))
            }
            _ => writeln!(self.output, "{line}"),
        };
        let _ = self.output.flush();
    }

    /// Takes the line away.
    fn clear(&mut self) {
        if self.style == Style::Rewritten && self.shown.is_some() {
            let _ = write!(self.output, "\r\x1b[K");
            let _ = self.output.flush();
        }
    }

    /// `  searching triangle (1 of 3)  18/22 branches  231 runs  random  0.8 s of 5.0 s`
    fn line(&self, moment: &Moment<'_>, elapsed: Duration) -> String {
        let Moment { runs, met, goals, by } = moment;
        let number = if self.functions > 1 {
            format!(" ({} of {})", self.number, self.functions)
        } else {
            String::new()
        };
        let by = if by.is_empty() { String::new() } else { format!("  {by}") };
        let spent = if self.limit.ends_with("runs") {
            format!("{runs} {}{by}  {}", self.limit, seconds(elapsed))
        } else {
            format!("{runs} runs{by}  {} {}", seconds(elapsed), self.limit)
        };
        format!("  searching {}{number}  {met}/{goals} branches  {spent}", self.name)
    }
}

impl Watch for Progress {
    fn tell(&mut self, event: Event<'_>) {
        match event {
            Event::Searching { functions, runs, budget } => self.search(functions, runs, budget),
            Event::Function(name) => self.begin(name),
            Event::Moment(moment) => self.show_at(&moment, Instant::now()),
            Event::PhaseBegins => self.begin_phase(),
            Event::Phase(what) => self.tell_at(what, Instant::now()),
            Event::PhaseEnds => self.clear(),
            Event::Note(note) => {
                self.clear();
                // A terminal that is gone is no reason to end the search.
                let _ = writeln!(self.output, "testwright: note: {note}");
            }
        }
    }
}

/// As much of a line as fits. It ends between two of its parts, which two blanks separate, or between two words of the
/// first part.
fn fitting(line: &str, width: usize) -> &str {
    let Some((end, _)) = line.char_indices().nth(width) else { return line };
    let shown = &line[..end];
    // A part ends here if blanks follow.
    let is_end = |at: usize, blanks: &str| line[at..].starts_with(blanks) && !line[..at].trim().is_empty();
    let last = |blanks: &str| (0..=end).rev().find(|at| line.is_char_boundary(*at) && is_end(*at, blanks));
    match last("  ").or_else(|| last(" ")) {
        Some(at) => line[..at].trim_end(),
        None => shown,
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::rc::Rc;

    #[derive(Clone, Default)]
    struct Screen(Rc<RefCell<Vec<u8>>>);

    impl Screen {
        fn text(&self) -> String {
            String::from_utf8(self.0.borrow().clone()).expect("progress is text")
        }
    }

    impl Write for Screen {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    const MOMENT: Moment<'_> = Moment { runs: 231, met: 18, goals: 22, by: "random" };

    fn progress(style: Style, width: usize, functions: usize, runs: Option<u64>) -> (Progress, Screen) {
        let screen = Screen::default();
        let budget = Duration::from_secs(5);
        let output = Box::new(screen.clone());
        let mut progress = Progress::new(style, width, output);
        progress.search(functions, runs, budget);
        progress.begin("triangle");
        (progress, screen)
    }

    fn line(functions: usize, runs: Option<u64>) -> String {
        progress(Style::Rewritten, 80, functions, runs).0.line(&MOMENT, Duration::from_millis(840))
    }

    #[test]
    fn a_line_tells_function_goals_runs_and_time() {
        assert_eq!(line(1, None), "  searching triangle  18/22 branches  231 runs  random  0.8 s of 5.0 s");
        assert_eq!(
            line(3, None),
            "  searching triangle (1 of 3)  18/22 branches  231 runs  random  0.8 s of 5.0 s"
        );
        assert_eq!(
            line(1, Some(900)),
            "  searching triangle  18/22 branches  231 of 900 runs  random  0.8 s"
        );
    }

    #[test]
    fn a_function_keeps_its_number_when_it_has_another_turn() {
        let (mut progress, _) = progress(Style::Rewritten, 80, 2, None);
        let numbers = ["f", "g", "f"].map(|name| {
            progress.begin(name);
            progress.number
        });
        assert_eq!(numbers, [2, 3, 2], "the first is another function");
    }

    #[test]
    fn a_line_ends_before_the_last_column_and_never_within_a_word() {
        let line = line(1, None);
        let check = |width: usize, expected: &str| assert_eq!(fitting(&line, width), expected, "{width}");
        check(80, "  searching triangle  18/22 branches  231 runs  random  0.8 s of 5.0 s");
        check(69, "  searching triangle  18/22 branches  231 runs  random");
        check(50, "  searching triangle  18/22 branches  231 runs");
        check(20, "  searching triangle");
        check(19, "  searching");
        check(3, "  s");
    }

    #[test]
    fn a_phase_tells_what_it_is_about() {
        let (mut progress, screen) = progress(Style::Appended, 40, 1, None);
        let after = |milliseconds| progress.started + Duration::from_millis(milliseconds);
        let moments = [900, 1200].map(after);
        progress.tell_at("compiling gcc -O2", moments[0]);
        assert_eq!(screen.text(), "");
        progress.tell_at("compiling gcc -O2: 3 of 20 files of a rather long list", moments[1]);
        assert_eq!(screen.text(), "  compiling gcc -O2: 3 of 20 files of a rather long list  1.2 s\n");
    }

    #[test]
    fn only_terminals_that_can_rewrite_a_line_are_made_to() {
        assert_eq!(Style::of(None, false, Some("xterm")), Style::Appended);
        assert_eq!(Style::of(None, true, Some("xterm")), Style::Rewritten);
        assert_eq!(Style::of(None, true, Some("dumb")), Style::Appended);
        assert_eq!(Style::of(None, true, None), Style::Appended);
    }

    #[test]
    fn who_wants_no_progress_gets_none() {
        assert_eq!(Style::of(Some("never"), true, Some("xterm")), Style::Never);
        assert_eq!(Style::of(Some(""), true, Some("xterm")), Style::Rewritten);
        let (mut progress, screen) = progress(Style::Never, 80, 1, None);
        let moment = progress.started + Duration::from_secs(9);
        progress.show_at(&MOMENT, moment);
        progress.clear();
        assert_eq!(screen.text(), "");
    }

    #[test]
    fn updates_come_at_most_ten_times_a_second_and_are_cleared() {
        let (mut progress, screen) = progress(Style::Rewritten, 80, 1, None);
        let after = |milliseconds| progress.started + Duration::from_millis(milliseconds);
        let moments = [90, 160, 250].map(after);
        progress.show_at(&MOMENT, moments[0]);
        assert_eq!(screen.text(), "", "too early");
        progress.show_at(&MOMENT, moments[1]);
        progress.show_at(&MOMENT, moments[2]);
        progress.clear();
        let expected =
            "\r  searching triangle  18/22 branches  231 runs  random  0.2 s of 5.0 s\x1b[K\r\x1b[K";
        assert_eq!(screen.text(), expected);
    }

    #[test]
    fn files_and_dumb_terminals_get_a_plain_line_per_second() {
        let (mut progress, screen) = progress(Style::Appended, 80, 1, None);
        let after = |milliseconds| progress.started + Duration::from_millis(milliseconds);
        let moments = [990, 1500, 2400].map(after);
        progress.show_at(&MOMENT, moments[0]);
        assert_eq!(screen.text(), "", "a search of less than a second says nothing");
        progress.show_at(&MOMENT, moments[1]);
        progress.show_at(&MOMENT, moments[2]);
        progress.clear();
        assert_eq!(screen.text().lines().count(), 1);
        assert!(!screen.text().contains(['\r', '\x1b']));
    }
}

//! Requests: what somebody wants of the engine, in values that make sense.

use crate::failure::Failure;
use crate::technique::Techniques;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use testwright_search::augmentation::Augmentation;
use testwright_search::heuristics::Off;
use testwright_search::sbst::Settings;
use testwright_search::strategy::Strategy;
use testwright_suite::emit::Format;

/// The code under test.
#[derive(Debug, Clone)]
pub struct Target {
    /// C files, linked together, or a folder with `compile_commands.json`.
    pub targets: Vec<PathBuf>,
    /// What the code may read besides its sources and what the system has.
    pub allow_read: Vec<PathBuf>,
    /// Whether what other files define is stubbed, instead of taking those files from the compilation database.
    pub alone: bool,
    /// Flags for the compiler.
    pub flags: Vec<String>,
}

impl Target {
    /// What the user named, in words.
    pub fn text(&self) -> String {
        let names: Vec<String> = self.targets.iter().map(|path| path.display().to_string()).collect();
        names.join(" ")
    }
}

/// Which functions are wanted.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Those to test; all that can be called if none is named.
    pub names: Vec<String>,
    /// Those to leave out, by name or pattern.
    pub ignored: Vec<String>,
}

/// How a search goes.
#[derive(Debug, Clone)]
pub struct Searching {
    /// How much time there is.
    pub times: Times,
    /// Runs per function instead of time.
    pub runs: Option<u64>,
    /// The criteria whose goals are searched for, by name.
    pub criteria: Vec<&'static str>,
    /// How path conditions are augmented for goals that no flip leads to.
    pub augmentation: Augmentation,
    /// Which path to try next.
    pub strategy: Strategy,
    /// How goals are searched for.
    pub techniques: Techniques,
    /// Whose branches are searched for from a function; by the time that there is if nobody says.
    pub scope: Option<Scope>,
    /// What guides searches over inputs.
    pub fitness: FitnessName,
    /// Settings of searches over inputs, as `NAME=VALUE`.
    pub settings: Vec<String>,
    /// The heuristics that the search does without.
    pub off: Off,
    /// The config file, if it is not the usual one.
    pub config: Option<PathBuf>,
    /// Decides all random choices.
    pub seed: u64,
    /// Where to write who bid what for every step.
    pub log_steps: Option<PathBuf>,
    /// Where to write the queries that reach Z3.
    pub dump_queries: Option<PathBuf>,
    /// Set when the user wants to stop.
    pub interrupted: &'static AtomicBool,
}

impl Searching {
    /// The settings of a search over inputs: those of the config file, changed by the request.
    pub fn settings(&self, mut settings: Settings) -> Result<Settings, Failure> {
        let refused = |problem: String| Failure::usage(format!("--set: {problem}"));
        for text in &self.settings {
            settings.set(text).map_err(refused)?;
        }
        if !self.settings.is_empty() && !self.techniques.searches_inputs() {
            return Err(Failure::usage(
                "--set is for the techniques avm and ga, which are not among those named",
            ));
        }
        settings.check().map_err(refused)?;
        Ok(settings)
    }
}

/// Whose branches are searched for from a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Its own, and those of functions it calls that are not tested themselves.
    Own,
    /// Those of all functions it calls, too.
    Callees,
}

/// A fitness function, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FitnessName {
    /// Approach level and distance of the nearest decision.
    Standard,
    /// Path conditions from the decisions to the target, computed beforehand.
    Symbolic,
}

/// The times for a search, as far as they were given.
#[derive(Debug, Clone, Copy, Default)]
pub struct Times {
    /// For all functions together.
    pub budget: Option<Duration>,
    /// The most for each function.
    pub per_function: Option<Duration>,
}

/// The time for a search if nobody says anything.
const DEFAULT_BUDGET: Duration = Duration::from_secs(10);

impl Times {
    /// The time for so many functions together.
    pub fn budget(&self, functions: usize) -> Duration {
        let each = |time: Duration| time.saturating_mul(u32::try_from(functions).unwrap_or(u32::MAX));
        self.budget.or(self.per_function.map(each)).unwrap_or(DEFAULT_BUDGET)
    }
}

/// The time that a flag was given.
pub fn duration(flag: &str, text: &str) -> Result<Duration, Failure> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let scale = match unit {
        "ms" => 1e-3,
        "s" | "" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => f64::NAN,
    };
    let seconds = number.parse::<f64>().unwrap_or(f64::NAN) * scale;
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|time| !time.is_zero())
        .ok_or_else(|| Failure::usage(format!("{flag} takes a time such as 500ms, 10s or 2m; not `{text}`")))
}

/// A suite that is wanted.
#[derive(Debug, Clone)]
pub struct Request {
    /// The code under test.
    pub target: Target,
    /// Which functions are wanted.
    pub wanted: Wanted,
    /// How the search goes.
    pub searching: Searching,
    /// The most tests to write.
    pub max_tests: Option<usize>,
    /// What the tests are written for.
    pub formats: Vec<&'static Format>,
    /// How far floating-point results may be off.
    pub float_tolerance: Option<f64>,
    /// Where the suite goes.
    pub out: PathBuf,
    /// Whether the tests are tried in all builds that the machine can make.
    pub all_builds: bool,
    /// Whether tests of runs that want what the sandbox forbids are written too.
    pub allow_effects: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_for_each_function_adds_up_unless_there_is_a_budget_for_all() {
        let second = Duration::from_secs(1);
        assert_eq!(Times::default().budget(3), DEFAULT_BUDGET);
        assert_eq!(Times { budget: None, per_function: Some(second) }.budget(3), 3 * second);
        assert_eq!(Times { budget: Some(2 * second), per_function: Some(second) }.budget(3), 2 * second);
    }
}

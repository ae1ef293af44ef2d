//! One measurement: a suite is searched for with some criteria, and all mutants of the file are tried on its tests.

use super::Sought;
use super::rows::Row;
use crate::console;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};
use testwright_base::build::Build;
use testwright_base::ids::{FunctionId, GlobalId, MutantId};
use testwright_base::mutant::{Mutant, Shown};
use testwright_base::subject::Subject;
use testwright_engine::request::{FitnessName, Searching, Target, Times, Wanted};
use testwright_engine::technique::{TechniqueName, Techniques};
use testwright_engine::watch::Unwatched;
use testwright_engine::{Failure, build, search};
use testwright_search::augmentation::{Augmentation, Keeps};
use testwright_search::heuristics::Off;
use testwright_search::strategy::Strategy;
use testwright_suite::assert::is_nameable;
use testwright_suite::summary::{FunctionSummary, Summary};
use testwright_suite::{Earlier, SolverCounts, Suite};

/// What is measured.
pub struct Job<'a> {
    /// The subject.
    pub row: &'static Row,
    /// What is searched for.
    pub sought: &'a Sought,
    /// Where the subjects are.
    pub folder: &'a Path,
    /// Whether every occurrence of a location is augmented.
    pub every_occurrence: bool,
    /// Decides all random choices.
    pub seed: u64,
    /// The time for the search. What follows it has part of what is left, and 1.7 s.
    pub budget: Duration,
}

/// What was measured.
#[derive(Debug)]
pub struct Measured {
    /// The subject.
    pub row: &'static Row,
    /// What was searched for.
    pub sought: &'static str,
    /// What decided random choices.
    pub seed: u64,
    /// How many tests there are.
    pub tests: usize,
    /// The goals that were searched for.
    pub goals: Goals,
    /// What the solver did.
    pub solver: SolverCounts,
    /// How long search and choice took, without building.
    pub seconds: f64,
    /// What became of the mutants.
    pub mutants: Vec<Tried>,
}

/// Goals that were searched for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Goals {
    /// All of them.
    pub sought: usize,
    /// Those that a test shows.
    pub met: usize,
    /// Those that were proved infeasible.
    pub infeasible: usize,
}

/// A mutant, and the most that a test shows of it.
#[derive(Debug)]
pub struct Tried {
    /// The mutant.
    pub mutant: Mutant,
    /// What the tests show.
    pub shown: Shown,
}

/// What is scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kill {
    /// A mutant computes another value at its place.
    Weak,
    /// Something differs that a test could observe.
    Strong,
}

/// Searches for a suite, and scores it.
pub fn measure(job: &Job<'_>) -> Result<Measured, Failure> {
    let target = Target {
        targets: vec![job.folder.join(job.row.file)],
        allow_read: Vec::new(),
        alone: false,
        flags: Vec::new(),
    };
    let started = Instant::now();
    let searched =
        search(&target, &Wanted::default(), &searching(job)?, &Earlier::default(), &mut Unwatched)?;
    let seconds = started.elapsed().saturating_sub(searched.built).as_secs_f64();
    let suite = Suite::new(searched.input(&target));
    let summary = Summary::new(&suite);
    Ok(Measured {
        row: job.row,
        sought: job.sought.name,
        seed: job.seed,
        tests: suite.tests.len(),
        goals: goals(&summary.functions, &job.sought.criteria),
        solver: summary.effort.solver,
        seconds,
        mutants: tried(&target, &suite)?,
    })
}

/// As `generate` searches if nothing else is said.
fn searching(job: &Job<'_>) -> Result<Searching, Failure> {
    Ok(Searching {
        times: Times { budget: Some(job.budget), per_function: None },
        runs: None,
        criteria: job.sought.criteria.clone(),
        augmentation: Augmentation { keeps: Keeps::Prefix, every_occurrence: job.every_occurrence },
        strategy: Strategy::default(),
        techniques: Techniques::new(&[TechniqueName::All])?,
        scope: None,
        fitness: FitnessName::Standard,
        settings: Vec::new(),
        off: Off::default(),
        config: None,
        seed: job.seed,
        log_steps: None,
        dump_queries: None,
        interrupted: console::interrupted(),
    })
}

/// The goals of these criteria in all functions. Mutants are no places that runs come to; they are scored.
fn goals(functions: &[FunctionSummary], criteria: &[&str]) -> Goals {
    let mut goals = Goals::default();
    for function in functions {
        let others =
            function.goals.iter().filter(|(name, _)| **name != "mutation" && criteria.contains(name));
        for counts in others.map(|(_, counts)| counts).chain([&function.branches]) {
            goals.sought += counts.total;
            goals.met += counts.covered;
            goals.infeasible += counts.infeasible;
        }
    }
    goals
}

/// Tries all mutants of the file on all tests.
fn tried(target: &Target, suite: &Suite) -> Result<Vec<Tried>, Failure> {
    let mut session = build::load(target, &[Build::Mutants])?;
    let subject = session.subject().clone();
    let list: Vec<MutantId> = (0..subject.mutants.len()).map(MutantId::of).collect();
    let mut most = vec![Shown::Same; list.len()];
    for test in &suite.tests {
        let globals = observed(&subject, test.function);
        // What behaves differently each time tells nothing of mutants.
        let shown = session.try_mutants(&test.case, &list, &globals)?.unwrap_or_default();
        most.iter_mut().zip(shown).for_each(|(most, shown)| *most = (*most).max(shown));
    }
    let mutants = subject.mutants.into_iter().zip(most);
    Ok(mutants.map(|(mutant, shown)| Tried { mutant, shown }).collect())
}

/// The globals that tests of a function can look at.
fn observed(subject: &Subject, function: FunctionId) -> Vec<GlobalId> {
    let globals = (0..subject.globals.len()).map(GlobalId::of);
    globals
        .filter(|global| is_nameable(subject, function, *global))
        .chain(subject.given_within(function))
        .collect()
}

impl Measured {
    /// Percent of the mutants that are not proved equivalent, or of all; the mean over methods.
    pub fn score(&self, kill: Kill, is_raw: bool) -> f64 {
        let mut by_function: BTreeMap<FunctionId, (f64, f64)> = BTreeMap::new();
        for tried in self.mutants.iter().filter(|tried| is_raw || !tried.mutant.equivalent) {
            // One method is one subject, helpers and all.
            let function = if self.row.methods == 1 { FunctionId::of(0) } else { tried.mutant.function };
            let (killed, all) = by_function.entry(function).or_default();
            *all += 1.0;
            *killed += f64::from(u8::from(tried.is(kill)));
        }
        let count = by_function.len().max(1) as f64;
        by_function.values().map(|(killed, all)| 100.0 * killed / all).sum::<f64>() / count
    }

    /// Something of each method.
    pub fn each(&self, number: f64) -> f64 {
        number / self.row.methods as f64
    }

    fn count(&self, kill: Kill) -> usize {
        self.mutants.iter().filter(|tried| !tried.mutant.equivalent && tried.is(kill)).count()
    }

    /// A line for somebody who waits.
    pub fn line(&self) -> String {
        format!(
            "  {:<12} {:<9} {:>5.1} % weak, {:>5.1} % strong, {:>3} tests, {:>3} of {:>3} goals, {:>4.1} s",
            self.row.name,
            self.sought,
            self.score(Kill::Weak, false),
            self.score(Kill::Strong, false),
            self.tests,
            self.goals.met,
            self.goals.sought,
            self.seconds
        )
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let equivalent = self.mutants.iter().filter(|tried| tried.mutant.equivalent).count();
        let scores = |kill| json!({"killed": self.count(kill), "score": self.score(kill, false), "raw": self.score(kill, true)});
        let alive = self.mutants.iter().filter(|tried| !tried.mutant.equivalent && !tried.is(Kill::Strong));
        let alive: Vec<Value> = alive.map(Tried::json).collect();
        json!({
            "row": self.row.name, "criteria": self.sought, "seed": self.seed, "methods": self.row.methods,
            "tests": self.tests, "seconds": self.seconds,
            "goals": {"sought": self.goals.sought, "met": self.goals.met, "infeasible": self.goals.infeasible},
            "solver": self.solver,
            "mutants": {"total": self.mutants.len(), "equivalent": equivalent},
            "weak": scores(Kill::Weak), "strong": scores(Kill::Strong), "survivors": alive,
        })
    }
}

impl Tried {
    fn is(&self, kill: Kill) -> bool {
        match kill {
            Kill::Weak => self.shown != Shown::Same,
            Kill::Strong => self.shown == Shown::Killed,
        }
    }

    fn json(&self) -> Value {
        let place = &self.mutant.place;
        let weakly = self.is(Kill::Weak);
        json!({"line": place.line, "column": place.column, "kind": self.mutant.kind, "change": self.mutant.change,
               "weakly_killed": weakly})
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::ROWS;
    use super::*;
    use testwright_base::site::Place;

    fn tried(function: u32, equivalent: bool, shown: Shown) -> Tried {
        let place = Place { file: "a.c".to_owned(), line: 1, column: 1 };
        let (kind, change) = ("ROR".to_owned(), "`<` -> `<=`".to_owned());
        Tried { mutant: Mutant { function: FunctionId(function), place, kind, change, equivalent }, shown }
    }

    fn measured(row: &'static Row, mutants: Vec<Tried>) -> Measured {
        let (goals, solver) = (Goals::default(), SolverCounts::default());
        Measured { row, sought: "plain", seed: 1, tests: 1, goals, solver, seconds: 0.0, mutants }
    }

    #[test]
    fn a_mutant_that_nobody_sees_is_killed_weakly_only_and_one_proved_equivalent_counts_raw() {
        let mutants = vec![
            tried(0, false, Shown::Killed),
            tried(1, false, Shown::Unseen),
            tried(1, false, Shown::Same),
            tried(1, true, Shown::Same),
        ];
        let one = measured(&ROWS[0], mutants);
        let score = |kill, is_raw| one.score(kill, is_raw).round();
        assert_eq!((score(Kill::Weak, false), score(Kill::Strong, false)), (67.0, 33.0));
        assert_eq!((score(Kill::Weak, true), score(Kill::Strong, true)), (50.0, 25.0));
    }

    #[test]
    fn a_row_of_many_methods_is_their_mean() {
        let row = ROWS.iter().find(|row| row.methods > 1).expect("there is one");
        let mutants = vec![
            tried(0, false, Shown::Killed),
            tried(1, false, Shown::Killed),
            tried(1, false, Shown::Same),
            tried(1, false, Shown::Same),
            tried(1, false, Shown::Same),
        ];
        assert_eq!(measured(row, mutants).score(Kill::Strong, false), 62.5);
    }
}

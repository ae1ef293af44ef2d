//! Searches for targets in loaded code: what [`testwright_search::sbst`] needs, done by a session.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use testwright_base::build::Build;
use testwright_base::case::Case;
use testwright_base::ids::OutcomeId;
use testwright_code::path_conditions::{Analysis, Fallback, TargetConditions};
use testwright_exec::{
    Climber, Fitness, KnownEnd, Level, SearchEnd, SearchLimits, SearchTarget, Session, Variable,
};
use testwright_search::sbst::Evaluate;

/// How long a search goes on before it is asked whether it should stop.
const SLICE: Duration = Duration::from_millis(250);

/// The measure of one target.
pub struct Measure {
    /// The outcomes on the way to it.
    pub levels: Vec<Level>,
    /// The path conditions of its nodes; none for the standard fitness.
    pub nodes: Option<Vec<Vec<u32>>>,
}

impl Measure {
    /// The standard fitness.
    pub fn standard(levels: Vec<Level>) -> Measure {
        Measure { levels, nodes: None }
    }

    /// The symbolic fitness, or the standard one and why.
    pub fn symbolic(
        levels: Vec<Level>,
        analysis: &Analysis,
        target: OutcomeId,
    ) -> (Measure, Option<Fallback>) {
        match analysis.targets.get(&target) {
            Some(TargetConditions::Nodes(nodes)) => {
                let nodes = nodes.iter().map(|node| node.words.clone()).collect();
                // Marks of other outcomes are not looked at, so only that of the target is cleared before each run.
                let levels = levels.into_iter().take(1).collect();
                (Measure { levels, nodes: Some(nodes) }, None)
            }
            Some(TargetConditions::Fallback(fallback)) => (Measure::standard(levels), Some(fallback.clone())),
            None => (Measure::standard(levels), Some(Fallback::NoPath)),
        }
    }
}

/// A search for one target.
pub struct SessionEvaluator<'a> {
    /// Runs the cases.
    pub session: &'a mut Session,
    /// The case whose scalars are varied.
    pub case: &'a Case,
    /// The target.
    pub target: OutcomeId,
    /// The scalars.
    pub variables: &'a [Variable],
    /// How far runs are from the target.
    pub measure: &'a Measure,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// When to stop, too.
    pub interrupted: &'a AtomicBool,
    /// Takes note of runs that end in a new way, if somebody wants to know.
    pub ends: Option<&'a mut Ends>,
}

/// The ways in which runs ended, and values that led there.
#[derive(Debug, Default)]
pub struct Ends {
    /// All that are known.
    pub known: Vec<KnownEnd>,
    /// Values of the variables that led to the last new ones.
    pub values: Vec<Vec<u64>>,
}

impl<'a> SessionEvaluator<'a> {
    fn target(&self) -> SearchTarget<'a> {
        let build = if self.measure.nodes.is_some() { Build::Fitness } else { Build::RunWithDistances };
        SearchTarget {
            case: self.case,
            build,
            target: self.target,
            variables: self.variables,
            levels: &self.measure.levels,
            nodes: self.measure.nodes.as_deref(),
        }
    }

    /// The time that is left; none if the search is to stop.
    fn time_left(&self) -> Option<Duration> {
        if self.interrupted.load(Ordering::Relaxed) {
            return None;
        }
        let left = self.deadline.map_or(SLICE, |deadline| deadline.saturating_duration_since(Instant::now()));
        (!left.is_zero()).then_some(left.min(SLICE))
    }
}

impl Evaluate for SessionEvaluator<'_> {
    fn variables(&self) -> &[Variable] {
        self.variables
    }

    fn score(&mut self, rows: &[Vec<u64>]) -> Result<Vec<Fitness>, String> {
        if self.time_left().is_none() {
            return Ok(Vec::new());
        }
        let target = self.target();
        self.session.score(&target, rows).map_err(|error| error.to_string())
    }

    fn climb(
        &mut self,
        climber: &mut Climber,
        values: &mut Vec<u64>,
        evaluations: u64,
    ) -> Result<bool, String> {
        let target = self.target();
        while let Some(time) = self.time_left() {
            let known = self.ends.as_ref().map(|ends| ends.known.clone());
            let limits = SearchLimits { evaluations, time, known_ends: known.as_deref() };
            let ended =
                self.session.climb(&target, climber, values, &limits).map_err(|error| error.to_string())?;
            match ended {
                SearchEnd::Hit => return Ok(true),
                SearchEnd::Evaluations => return Ok(false),
                SearchEnd::Time => {}
                SearchEnd::NewEnd(end) => {
                    let tried = std::mem::replace(values, self.session.climber_values(self.variables.len()));
                    if let Some(ends) = &mut self.ends {
                        ends.known.push(end);
                        ends.values.push(tried);
                    }
                }
            }
        }
        Ok(false)
    }
}

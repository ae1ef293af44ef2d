//! Target searches: many runs that are searched for one target inside the worker.

use super::{Plan, Session};
use crate::ExecError;
use std::time::{Duration, Instant};
use testwright_abi::climb::{Climber, Variable};
use testwright_abi::command::CommandKind;
use testwright_abi::fitness::{Fitness, Level};
use testwright_abi::memory::DISTANCE_NONE;
use testwright_abi::target_search::{KnownEnd, MAX_KNOWN, Stop, TargetSearch, judge};
use testwright_base::build::Build;
use testwright_base::case::Case;
use testwright_base::ids::OutcomeId;
use testwright_base::run::End;
use testwright_process::{Answer, SearchProblem};

/// What is searched for, in which case, by which measure.
#[derive(Debug, Clone, Copy)]
pub struct SearchTarget<'a> {
    /// The case whose scalars are varied.
    pub case: &'a Case,
    /// The build that measures.
    pub build: Build,
    /// The outcome to be hit.
    pub target: OutcomeId,
    /// The scalars that are varied, see [`crate::image::Image::variables`].
    pub variables: &'a [Variable],
    /// The outcomes on the way to the target, the target itself among them.
    pub levels: &'a [Level],
    /// The path conditions of each node of the target, in words; none for the standard fitness.
    pub nodes: Option<&'a [Vec<u32>]>,
}

/// When a target search ends at the latest.
#[derive(Debug, Clone, Copy)]
pub struct SearchLimits<'a> {
    /// After so many evaluations in all.
    pub evaluations: u64,
    /// After so much time.
    pub time: Duration,
    /// As soon as a run ends in another way than these; never, if there is no list.
    pub known_ends: Option<&'a [KnownEnd]>,
}

/// Why a target search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchEnd {
    /// The target was hit.
    Hit,
    /// All evaluations are done.
    Evaluations,
    /// The time is over.
    Time,
    /// A run ended in a new way.
    NewEnd(KnownEnd),
}

/// The longest that one command takes: its process is killed if it does not come back, and the user may want to stop.
const SLICE: Duration = Duration::from_millis(250);
/// Kinds of ends that the worker does not record.
const TIMED_OUT: u32 = u32::MAX;
const DAMAGED: u32 = u32::MAX - 1;

impl Session {
    /// Moves a climber on. `values` are those of its variables; after a hit or a new end, those that led there.
    ///
    /// # Errors
    /// If the case cannot be laid out, there is too much of something, or the worker fails.
    pub fn climb(
        &mut self,
        target: &SearchTarget<'_>,
        climber: &mut Climber,
        values: &mut Vec<u64>,
        limits: &SearchLimits<'_>,
    ) -> Result<SearchEnd, ExecError> {
        values.resize(target.variables.len(), 0);
        let deadline = Instant::now() + limits.time;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if climber.evaluations >= limits.evaluations {
                return Ok(SearchEnd::Evaluations);
            }
            if left.is_zero() {
                return Ok(SearchEnd::Time);
            }
            let mut search = TargetSearch {
                evaluations: limits.evaluations,
                climber: *climber,
                ..self.area(target, left)
            };
            search.set_known(limits.known_ends);
            self.worker.segment_mut().set_values(values);
            let (answer, fitness) = self.command(target, &mut search, CommandKind::Climb)?;
            *climber = search.climber;
            if answer != Answer::Damaged {
                *values = self.worker.segment().values(values.len());
            }
            match (answer, search.stop) {
                (Answer::Done { .. }, stop) if stop == Stop::Hit as u32 => return Ok(SearchEnd::Hit),
                (Answer::Done { .. }, stop) if stop != Stop::NewEnd as u32 => {}
                (answer, _) => {
                    let (tried, end) = (values.clone(), self.known_end(answer));
                    climber.tell(target.variables, values, fitness);
                    if fitness.is_hit() {
                        *values = tried;
                        return Ok(SearchEnd::Hit);
                    }
                    if limits.known_ends.is_some_and(|known| !known.contains(&end)) {
                        // The climber goes on from its own values when it is asked next.
                        let own = std::mem::replace(values, tried);
                        self.worker.segment_mut().set_values(&own);
                        return Ok(SearchEnd::NewEnd(end));
                    }
                }
            }
        }
    }

    /// The values that the climber goes on from after [`SearchEnd::NewEnd`].
    #[must_use]
    pub fn climber_values(&self, count: usize) -> Vec<u64> {
        self.worker.segment().values(count)
    }

    /// The fitness of rows of values. If one hits the target it is the last.
    ///
    /// # Errors
    /// As [`Session::climb`].
    pub fn score(&mut self, target: &SearchTarget<'_>, rows: &[Vec<u64>]) -> Result<Vec<Fitness>, ExecError> {
        let mut scores: Vec<Fitness> = Vec::new();
        while scores.len() < rows.len() && !scores.last().is_some_and(Fitness::is_hit) {
            let count = self.worker.segment_mut().write_rows(&rows[scores.len()..]);
            if count == 0 {
                return Err(ExecError::Damaged("a case has too many scalars to be searched".to_owned()));
            }
            let mut search = TargetSearch { row_count: count as u32, ..self.area(target, SLICE) };
            let (answer, fitness) = self.command(target, &mut search, CommandKind::Score)?;
            let done = (search.row as usize).min(count - 1);
            let whole =
                if search.stop == Stop::Hit as u32 { done + 1 } else { (search.row as usize).min(count) };
            scores.extend(self.worker.segment().scores(whole));
            // A command that evaluated nothing and says that it is done would be given again and again.
            if !matches!(answer, Answer::Done { .. }) || whole == 0 {
                scores.push(fitness);
            }
        }
        Ok(scores)
    }

    fn area(&self, target: &SearchTarget<'_>, time: Duration) -> TargetSearch {
        TargetSearch {
            target: target.target.0,
            symbolic: u32::from(target.nodes.is_some()),
            nanoseconds: time.min(SLICE).as_nanos() as u64,
            ..TargetSearch::default()
        }
    }

    /// Gives a command; then `search` is as the worker left it. Also judges the run that was the last.
    fn command(
        &mut self,
        target: &SearchTarget<'_>,
        search: &mut TargetSearch,
        kind: CommandKind,
    ) -> Result<(Answer, Fitness), ExecError> {
        let mut plan: Plan = self.lay_out(target.case, target.build, kind)?;
        plan.command.clear = 0;
        let nodes = target.nodes.unwrap_or_default();
        let problem = SearchProblem { variables: target.variables, levels: target.levels, nodes };
        let segment = self.worker.segment_mut();
        segment.write_problem(search, &problem)?;
        segment.set_target_search(search);
        let given = *search;
        let answer = self.send(&mut plan)?;
        if answer == Answer::Damaged {
            search.climber.evaluations += 1;
            return Ok((answer, Fitness::WORST));
        }
        let segment = self.worker.segment();
        *search = after(&given, &segment.target_search());
        let outcomes = self.subject.outcome_count as usize;
        let (marks, distances) = (segment.coverage(outcomes), segment.distances(outcomes));
        let is_hit = |outcome: u32| marks.get(outcome as usize).is_some_and(|mark| *mark != 0);
        let distance = |outcome: u32| {
            distances.get(outcome as usize).copied().filter(|distance| *distance != DISTANCE_NONE)
        };
        let fitness = judge(search, target.levels, is_hit, distance);
        Ok((answer, fitness))
    }

    /// How the last run ended, as target searches tell ends apart.
    fn known_end(&self, answer: Answer) -> KnownEnd {
        let status = self.worker.segment().status();
        match answer {
            Answer::TimedOut => return KnownEnd { kind: TIMED_OUT, code: 0, site: u32::MAX },
            Answer::Damaged => return KnownEnd { kind: DAMAGED, code: 0, site: u32::MAX },
            Answer::Done { .. } | Answer::Died { .. } => {}
        }
        KnownEnd { kind: status.end.kind, code: status.end.code, site: status.end.site }
    }

    /// An end that a target search told apart from others.
    #[must_use]
    pub fn end_of_known(&self, end: &KnownEnd) -> End {
        match end.kind {
            TIMED_OUT => return End::Timeout,
            DAMAGED => return End::Damaged,
            _ => {}
        }
        let (kind, code, site) = (end.kind, end.code, end.site);
        self.end_of(&testwright_abi::control::End { kind, code, site, ..Default::default() })
    }
}

/// The target search that was given, with what the worker may have changed. Code under test may have overwritten all of it: the
/// search must go on in any case, and its counts must not run backwards.
fn after(given: &TargetSearch, found: &TargetSearch) -> TargetSearch {
    let mut climber = found.climber;
    climber.evaluations = climber.evaluations.max(given.climber.evaluations + 1).min(given.evaluations);
    let row = found.row.clamp(given.row, given.row_count);
    TargetSearch { climber, row, stop: found.stop, fitness: found.fitness, ..*given }
}

/// Lists of known ends go into the area of a target search.
trait SetKnown {
    fn set_known(&mut self, known: Option<&[KnownEnd]>);
}

impl SetKnown for TargetSearch {
    fn set_known(&mut self, known: Option<&[KnownEnd]>) {
        let Some(known) = known.filter(|known| known.len() < MAX_KNOWN) else { return };
        self.stop_at_new_end = 1;
        self.known_count = known.len() as u32;
        self.known[..known.len()].copy_from_slice(known);
    }
}

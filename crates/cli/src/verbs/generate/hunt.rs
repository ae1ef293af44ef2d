//! Search-based generation of one function: goal after goal is hunted, and what is found is run and kept like any other case.

use super::bounded::Bounded;
use super::explore::{Setting, Share};
use super::progress::{Moment, Progress};
use super::reasons::Tally;
use crate::exit::Failure;
use crate::hunting::{Chase, Ends, Measure};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::time::Instant;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::{FunctionId, OutcomeId};
use testwright_base::layout::is_character;
use testwright_base::pairs::pairs;
use testwright_base::subject::Subject;
use testwright_base::types::Shape;
use testwright_code::fitness::influence::Influence;
use testwright_code::fitness::{Analysis, Fallback, TargetConditions};
use testwright_exec::Variable;
use testwright_exec::image::{Domains, Image, Start};
use testwright_logic::solve::Chain;
use testwright_search::explore::{Limits, Search, StopReason};
use testwright_search::sbst::{Settings, Targets, Technique, seek};

/// Evaluations per goal in the rounds before the one that has all: most goals are easy, and one that cannot be met must not
/// use up the time of the others.
const ROUNDS: [u64; 3] = [500, 5_000, 50_000];
/// In later rounds there is more room, up to so many times.
const MORE_ROOM: usize = 4;

/// How goals are hunted.
pub struct Hunting {
    /// With these settings.
    pub settings: Settings,
    /// The path conditions, for symbolic fitness.
    pub analysis: Option<Analysis>,
    /// What can influence the branches of each function.
    pub influences: BTreeMap<FunctionId, BTreeMap<OutcomeId, Influence>>,
}

impl Hunting {
    /// A line for every target of these functions that has the standard fitness because of a limit or of its conditions.
    pub fn fallbacks(&self, subject: &Subject, functions: &[FunctionId]) -> Vec<String> {
        let Some(analysis) = &self.analysis else { return Vec::new() };
        let scope: BTreeSet<FunctionId> =
            functions.iter().flat_map(|function| Targets::new(subject, *function).scope().clone()).collect();
        let line = |(outcome, conditions): (&OutcomeId, &TargetConditions)| {
            let TargetConditions::Fallback(why) = conditions else { return None };
            let (site, way) = subject.outcome(*outcome)?;
            let site = &subject.sites[site.index()];
            let is_told = scope.contains(&site.function) && *why != Fallback::NoPath;
            let place = site.place.as_ref().map_or_else(String::new, ToString::to_string);
            is_told.then(|| format!("{place} {}: standard fitness, because {why}", site.outcome_name(way)))
        };
        analysis.targets.iter().filter_map(line).collect()
    }
}

/// A hunt for the goals of one function.
pub struct Session<'a, 'b> {
    /// What all functions have in common.
    pub setting: &'a Setting<'a>,
    /// By which technique goals are hunted.
    pub technique: Technique,
    /// The function.
    pub function: FunctionId,
    /// Its plainest case.
    pub start: &'a Case,
    /// The code.
    pub bounded: &'a mut Bounded<'b>,
    /// What may be used.
    pub share: Share,
}

impl Session<'_, '_> {
    /// Hunts all goals. Says why it ended, and how many runs it judged.
    pub fn run(
        &mut self,
        search: &mut Search<'_>,
        solver: &mut Chain,
        tally: &mut Tally,
        progress: &mut Progress,
    ) -> Result<(StopReason, u64), Failure> {
        let goals = search.coverage().goals().clone();
        let (deadline, interrupted) = (self.share.deadline, self.setting.interrupted);
        let mut keep = |search: &mut Search<'_>, bounded: &mut Bounded<'_>, tally: &mut Tally| {
            let limits = Limits {
                runs: Some(search.runs().len() as u64 + 1),
                deadline,
                until_covered: false,
                interrupted: Some(interrupted),
            };
            search.run(bounded, solver, &limits, &mut |record| tally.note(record, &goals))
        };
        keep(search, self.bounded, tally);
        let targets = Targets::new(self.setting.subject, self.function);
        let (mut evaluations, mut ends) = (0, Ends::default());
        for round in 0..=ROUNDS.len() {
            let shape = self.shape(round);
            for target in search.coverage().open_goals().clone() {
                if let Some(reason) = self.limit_reached(evaluations) {
                    return Ok((reason, evaluations));
                }
                if !search.coverage().open_goals().contains(&target) {
                    continue;
                }
                let (found, spent) = self.hunt(&targets, target, &shape, round, evaluations, &mut ends)?;
                evaluations += spent;
                for case in found {
                    search.offer(case);
                    keep(search, self.bounded, tally);
                }
                progress.show(&Moment { runs: evaluations, met: tally.met, goals: goals.len() });
            }
            if search.coverage().open_goals().is_empty() {
                return Ok((StopReason::GoalsMet, evaluations));
            }
        }
        Ok((StopReason::Declined, evaluations))
    }

    fn limit_reached(&self, evaluations: u64) -> Option<StopReason> {
        if self.setting.interrupted.load(Ordering::Relaxed) {
            return Some(StopReason::Interrupted);
        }
        if self.share.runs.is_some_and(|runs| evaluations >= runs) {
            return Some(StopReason::Runs);
        }
        self.share.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(StopReason::Deadline)
    }

    /// Hunts one goal. The cases that are worth running, and how many runs were judged.
    fn hunt(
        &mut self,
        targets: &Targets<'_>,
        target: OutcomeId,
        shape: &Case,
        round: usize,
        spent: u64,
        ends: &mut Ends,
    ) -> Result<(Vec<Case>, u64), Failure> {
        let Hunting { settings, analysis, .. } = &self.setting.hunting;
        let subject = self.setting.subject;
        let image = Image::lay_out(subject, shape).map_err(|error| Failure::usage(error.to_string()))?;
        let domains =
            Domains { start: Start::Mixed, precision: settings.precision, null_pointers: round > 0 };
        let mut named = image.named_variables(subject, shape, &domains);
        named.retain(|(_, name)| self.has_influence(target, name));
        // What needs a failing allocation is hunted when nothing else helped.
        named.retain(|(_, name)| round > 1 || !name.starts_with("failing allocations"));
        let variables: Vec<Variable> = named.into_iter().map(|(variable, _)| variable).collect();
        let levels = targets.levels(target);
        let measure = match analysis {
            Some(analysis) => Measure::symbolic(levels, analysis, target).0,
            None => Measure::standard(levels),
        };
        let most = ROUNDS.get(round).copied().unwrap_or(settings.evaluations).min(settings.evaluations);
        let most = self.share.runs.map_or(most, |runs| most.min(runs.saturating_sub(spent)));
        let seed =
            self.setting.seed.wrapping_add(u64::from(target.0) << 32).wrapping_add((round as u64) << 56);
        let mut chase = Chase {
            session: self.bounded.session(),
            case: shape,
            target,
            variables: &variables,
            measure: &measure,
            deadline: self.share.deadline,
            interrupted: self.setting.interrupted,
            ends: Some(ends),
        };
        let sought = seek(&mut chase, self.technique, settings, seed, most).map_err(Failure::usage)?;
        let worth = sought.found.into_iter().chain(std::mem::take(&mut ends.values));
        let cases = worth.map(|values| image.with_values(subject, shape, &variables, &values)).collect();
        Ok((cases, sought.evaluations))
    }

    /// Whether the scalar of this name can influence a target; what it is part of is a parameter or a global.
    fn has_influence(&self, target: OutcomeId, name: &str) -> bool {
        let influences = self.setting.hunting.influences.get(&self.function);
        let Some(influence) = influences.and_then(|targets| targets.get(&target)) else { return true };
        let subject = self.setting.subject;
        let whole = name.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(name);
        let signature = subject.function(self.function).signature.as_ref();
        let param =
            signature.and_then(|signature| signature.params.iter().position(|param| param.name == whole));
        match (param, subject.global_named(whole), &influence.globals) {
            (Some(param), _, _) => influence.params.contains(&param),
            (None, Some(global), Some(globals)) => globals.contains(&global),
            _ => true,
        }
    }

    /// The start case with room to search in.
    fn shape(&self, round: usize) -> Case {
        let room = self.setting.hunting.settings.room as usize * if round > 1 { MORE_ROOM } else { 1 };
        roomy(self.setting.subject, self.start.clone(), room, round > 1)
    }
}

/// The case with `room` elements in every buffer whose length is a parameter, and as many characters in every text. If
/// `all`, pointers to single numbers lead to as many, too.
pub fn roomy(subject: &Subject, mut case: Case, room: usize, all: bool) -> Case {
    let Some((function, arguments)) = case.call() else { return case };
    let contract = &subject.function(function).contract;
    let mut counted = Vec::new();
    for pair in pairs(subject, function) {
        if let Value::Pointer { object, offset: 0 } = arguments[pair.pointer] {
            counted.push((object, pair.length, contract.nearest(pair.length, room as i128)));
        }
    }
    for (index, statement) in case.statements.iter_mut().enumerate() {
        let Statement::Object { element, values } = statement else { continue };
        let is_text = is_character(&subject.types, *element);
        let is_number = matches!(
            subject.types.get(*element).shape,
            Shape::Int { .. } | Shape::Float { .. } | Shape::Bool
        );
        let length = match counted.iter().find(|(object, ..)| *object == index) {
            Some((_, _, length)) => usize::try_from(*length).unwrap_or(0),
            None if is_text => room + 1,
            None if is_number && all => room,
            None => continue,
        };
        if let (Some(last), true) = (values.last().cloned(), length > values.len()) {
            values.resize(length, last);
        }
    }
    if let Some(Statement::Call { arguments, .. }) = case.statements.last_mut() {
        for (_, param, length) in counted {
            arguments[param] = Value::Int(length);
        }
    }
    case
}

//! Input search as a bidder: goal after goal is searched for over the inputs, each with more evaluations in every round.

use super::{Bidder, Step};
use crate::failure::Failure;
use crate::schedule::SearchState;
use crate::schedule::Setting;
use crate::technique::evaluator::{Ends, Measure, SessionEvaluator};
use crate::watch::Event;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::{FunctionId, OutcomeId};
use testwright_base::layout::is_character;
use testwright_base::pairs::pairs;
use testwright_base::subject::Subject;
use testwright_base::types::Shape;
use testwright_code::path_conditions::influence::Influence;
use testwright_code::path_conditions::{Analysis, Fallback, TargetConditions};
use testwright_exec::image::{Domains, Image, Root, Start};
use testwright_exec::{Session, Variable};
use testwright_search::concolic::StopReason;
use testwright_search::heuristics::{Heuristic, Off};
use testwright_search::sbst::{Settings, Targets, Technique, seek};

/// Evaluations per goal in the rounds before the one that has all: most goals are easy, and one that cannot be met must not
/// use up the time of the others.
const ROUNDS: [u64; 3] = [500, 5_000, 50_000];
/// In later rounds there is more room, up to so many times.
const MORE_ROOM: usize = 4;
/// What a first search is expected to cost, in seconds.
const FIRST: f64 = 0.05;
/// Where nobody asked for it, so many paths are analysed per node at most.
const FEW_PATHS: u32 = 16;
/// Where nobody asked for it, paths are analysed if so few goals are open.
const FEW_GOALS: u64 = 64;
/// .. in code with so few outcomes of branches, impossible ones included.
const FEW_BRANCHES: u32 = 160;
/// How long one search for one goal may take if others bid too.
const BRIEF: Duration = Duration::from_millis(500);

/// Finds out what is known about a function, by the scope of its search and the number of paths.
pub type Prepare<'a> =
    dyn Fn(FunctionId, &BTreeSet<FunctionId>, Option<u32>) -> Result<FunctionAnalysis, Failure> + 'a;

/// How goals are searched for.
pub struct InputSearchSetting<'a> {
    /// With these settings.
    pub settings: Settings,
    /// What is known about a function and the scope of its search before it is searched for in; with path conditions if there is a number of paths per node that
    /// they may have at most, which takes a while.
    pub prepare: &'a Prepare<'a>,
    /// The outcomes that a call of a function may come to, if that can be told.
    pub reachable: &'a dyn Fn(FunctionId) -> Result<Option<BTreeSet<OutcomeId>>, Failure>,
}

/// What input searches know about a function.
pub struct FunctionAnalysis {
    /// The path conditions and the code that evaluates them, for symbolic fitness.
    pub symbolic: Option<(Analysis, Session)>,
    /// What can influence its branches.
    pub influences: BTreeMap<OutcomeId, Influence>,
}

impl FunctionAnalysis {
    /// A line for every target that has the standard fitness because of a limit or of its conditions.
    fn fallbacks(&self, subject: &Subject, scope: &BTreeSet<FunctionId>) -> Vec<String> {
        let Some((analysis, _)) = &self.symbolic else { return Vec::new() };
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

/// A search over inputs.
pub struct InputSearch {
    technique: Technique,
    /// Whether the user asked for it by name: then the code is analysed at once, as far as the settings say, and what falls
    /// back is told.
    named: bool,
    /// Whether it is the only bidder.
    alone: bool,
    round: usize,
    /// How often all rounds were gone through.
    pass: u64,
    waiting: VecDeque<OutcomeId>,
    ends: Ends,
}

impl InputSearch {
    /// Before the first search.
    pub fn new(technique: Technique, named: bool, alone: bool) -> InputSearch {
        let (waiting, ends) = (VecDeque::new(), Ends::default());
        InputSearch { technique, named, alone, round: 0, pass: 0, waiting, ends }
    }

    /// The goal to search for next, and in which round; none when all rounds are over.
    fn next(&mut self, open: &BTreeSet<OutcomeId>) -> Option<(OutcomeId, usize)> {
        loop {
            while let Some(goal) = self.waiting.pop_front() {
                if open.contains(&goal) {
                    // The first round is the one that fills the list.
                    return Some((goal, self.round - 1));
                }
            }
            if self.round > ROUNDS.len() || open.is_empty() {
                (self.round, self.pass) = (0, self.pass + 1);
                return None;
            }
            self.waiting.extend(open);
            self.round += 1;
        }
    }
}

impl Bidder for InputSearch {
    fn name(&self) -> String {
        self.technique.name().to_owned()
    }

    fn first_cost(&self, timed: bool) -> f64 {
        match self.technique {
            Technique::Avm if timed => FIRST,
            Technique::Genetic if timed => 4.0 * FIRST,
            Technique::Avm => ROUNDS[0] as f64,
            Technique::Genetic => 2.0 * ROUNDS[0] as f64,
        }
    }

    fn step(&mut self, state: &mut SearchState<'_, '_>) -> Result<Step, Failure> {
        if state.analysis.is_none() && self.is_worth_preparing(state) {
            self.prepare(state)?;
            if !self.named {
                return Ok(Step::Taken(Some("analysis".to_owned())));
            }
        }
        let Some((target, round)) = self.next(&state.search.coverage().outcomes_aimed_at()) else {
            return Ok(Step::Declined(StopReason::Declined));
        };
        for case in self.seek_goal(state, target, round)? {
            if let Err(reason) = state.offer(case) {
                return Ok(Step::Declined(reason));
            }
        }
        state.show();
        Ok(Step::Taken(None))
    }
}

/// How many outcomes the branches have that the function and what it calls consist of.
fn branches(state: &SearchState<'_, '_>) -> u32 {
    let scope = state.search.coverage().scope();
    let sites = state.setting.subject.sites.iter();
    let sites = sites.filter(|site| site.kind.is_branch() && scope.contains(&site.function));
    sites.map(|site| site.outcome_count).sum()
}

impl InputSearch {
    /// Whether the code should be analysed now. If nobody asked for it, that waits until goals were searched for without it, in vain.
    fn is_worth_preparing(&self, state: &SearchState<'_, '_>) -> bool {
        self.named
            || (state.keeps(Heuristic::HuntsAnalyse)
                && state.has_time_for_analysis()
                && (self.round > 1 || (self.round == 1 && self.waiting.is_empty())))
    }

    fn prepare(&self, state: &mut SearchState<'_, '_>) -> Result<(), Failure> {
        let InputSearchSetting { settings, prepare, .. } = &state.setting.input_search;
        if state.keeps(Heuristic::RuleOut) {
            state.rule_out()?;
        }
        // With very many goals there is no time to search for each of them anyway, and the paths through much code take long to find.
        let is_small = state.open() <= FEW_GOALS && branches(state) <= FEW_BRANCHES;
        let paths = match self.named {
            true => Some(settings.paths),
            false => is_small.then(|| settings.paths.min(FEW_PATHS)),
        };
        let scope = state.search.coverage().scope();
        let analysis = prepare(state.function, scope, paths)?;
        // Who names the technique or its limit wants to know; otherwise it is one of many.
        let is_told = self.named || settings.paths < FEW_PATHS;
        let told = if is_told { analysis.fallbacks(state.setting.subject, scope) } else { Vec::new() };
        told.iter().for_each(|line| state.watch.tell(Event::Note(line)));
        state.analysis = Some(analysis);
        Ok(())
    }

    /// Searches for one goal. The cases that are worth running.
    fn seek_goal(
        &mut self,
        state: &mut SearchState<'_, '_>,
        target: OutcomeId,
        round: usize,
    ) -> Result<Vec<Case>, Failure> {
        let Setting { subject, input_search, seed, interrupted, off, .. } = state.setting;
        let off = *off;
        let (subject, settings): (&Subject, &Settings) = (subject, &input_search.settings);
        let shape = shape(subject, settings, (state.start, off), round);
        // With more room than there is memory, nothing can be searched for.
        let Ok(image) = Image::lay_out(subject, &shape) else { return Ok(Vec::new()) };
        let domains =
            Domains { start: Start::Mixed, precision: settings.precision, null_pointers: round > 0 };
        let mut rooted = image.rooted_variables(subject, &shape, &domains);
        let influence = state.analysis.as_ref().and_then(|analysis| analysis.influences.get(&target));
        let influence = influence.filter(|_| off.keeps(Heuristic::HuntsByInfluence));
        rooted.retain(|(_, root)| has_influence(subject, influence, *root));
        // What needs a failing allocation is searched for when nothing else helped.
        let may_fail = |root: &Root| matches!(root, Root::Global(global) if subject.says_what_fails(*global));
        let all = round > 1 || !off.keeps(Heuristic::AllocationsLast);
        rooted.retain(|(_, root)| all || !may_fail(root));
        let variables: Vec<Variable> = rooted.into_iter().map(|(variable, _)| variable).collect();
        let levels = Targets::within(subject, state.search.coverage().scope().clone()).levels(target);
        let left = state.runs_left();
        let symbolic = state.analysis.as_mut().and_then(|analysis| analysis.symbolic.as_mut());
        let (measure, session) = match symbolic {
            Some((analysis, session)) => {
                session.limits.wall = crate::schedule::RUN;
                (Measure::symbolic(levels, analysis, target).0, Some(session))
            }
            None => (Measure::standard(levels), None),
        };
        let in_round = ROUNDS.get(round).copied().filter(|_| off.keeps(Heuristic::HuntsInRounds));
        let most = in_round.unwrap_or(settings.evaluations).min(settings.evaluations);
        let most = left.map_or(most, |left| most.min(left));
        let seed = seed
            .wrapping_add(u64::from(target.0) << 32)
            .wrapping_add((round as u64) << 56)
            .wrapping_add(self.pass << 16);
        let is_brief = !self.alone && off.keeps(Heuristic::BriefHunts);
        let own_end = (is_brief && state.setting.runs.is_none()).then(|| Instant::now() + BRIEF);
        let mut chase = SessionEvaluator {
            // The build with path conditions lies in a worker of its own.
            session: session.filter(|_| measure.nodes.is_some()).unwrap_or_else(|| state.bounded.session()),
            case: &shape,
            target,
            variables: &variables,
            measure: &measure,
            deadline: [own_end, state.deadline].into_iter().flatten().min(),
            interrupted,
            ends: Some(&mut self.ends),
        };
        let sought = seek(&mut chase, self.technique, settings, seed, most).map_err(Failure::bug)?;
        state.judged += sought.evaluations;
        let worth = sought.found.into_iter().chain(std::mem::take(&mut self.ends.values));
        Ok(worth.map(|values| image.with_values(subject, &shape, &variables, &values)).collect())
    }
}

/// Whether a scalar can influence a target, by what leads to it. What stubs answer is not known to the analysis.
fn has_influence(subject: &Subject, influence: Option<&Influence>, root: Root) -> bool {
    let Some(influence) = influence else { return true };
    match (root, &influence.globals) {
        (Root::Parameter(param), _) => influence.params.contains(&param),
        (Root::Global(global), Some(globals)) => {
            globals.contains(&global) || subject.answers_of(global).is_some()
        }
        (Root::Global(_), None) | (Root::Nothing, _) => true,
    }
}

/// The start case with room to search in.
fn shape(subject: &Subject, settings: &Settings, (start, off): (&Case, Off), round: usize) -> Case {
    let has_more = round > 1 && off.keeps(Heuristic::HuntsWithRoom);
    let room = settings.room as usize * if has_more { MORE_ROOM } else { 1 };
    roomy(subject, start.clone(), room, has_more)
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

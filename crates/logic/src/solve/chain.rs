//! The chain: layers of solvers, the cheap ones first, composed in one place.
//!
//! Each layer answers what it can and asks the next one for the rest, as KLEE's solvers do. The chain slices the
//! query before the first layer sees it, and believes nobody: every model is evaluated by `crate::expr::eval`
//! against all constraints of the query, where it came from and where it was changed. A model that is wrong is
//! counted and never returned.

use std::time::{Duration, Instant};

use super::{Answer, Cache, Model, Query, Quick, Search, Simplify, Solve};
use crate::expr::eval::Evaluator;
use crate::path::{Constraint, Independence};

/// Something that answers some queries and passes on the others.
pub trait Layer {
    /// What statistics call it.
    fn name(&self) -> &'static str;

    /// Answers a query, with the help of `next` if need be.
    fn solve(&mut self, query: &Query<'_>, next: &mut dyn Solve) -> Answer;
}

/// The layers in their order; `last` come after ours.
#[must_use]
pub fn standard(last: Vec<Box<dyn Layer>>) -> SolverChain {
    let mut layers: Vec<Box<dyn Layer>> =
        vec![Box::new(Cache::default()), Box::new(Simplify), Box::new(Quick), Box::new(Search::default())];
    layers.extend(last);
    SolverChain::new(layers)
}

/// A solver at the end of the chain, which has nobody to ask.
pub struct Backend<S> {
    /// What statistics call it.
    pub name: &'static str,
    /// The solver.
    pub solver: S,
}

impl<S: Solve> Layer for Backend<S> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn solve(&mut self, query: &Query<'_>, _next: &mut dyn Solve) -> Answer {
        self.solver.solve(query)
    }
}

/// What the chain did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Queries asked.
    pub queries: u64,
    /// Answered with a model.
    pub sat: u64,
    /// Proved infeasible.
    pub unsat: u64,
    /// Not answered.
    pub unknown: u64,
    /// Time spent in all.
    pub time: Duration,
    /// What each layer did, in their order.
    pub layers: Vec<LayerStatistics>,
}

impl Statistics {
    /// Adds what another chain of the same layers did.
    pub fn add(&mut self, other: &Statistics) {
        self.queries += other.queries;
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        self.time += other.time;
        for layer in &other.layers {
            match self.layers.iter_mut().find(|own| own.name == layer.name) {
                Some(own) => own.add(layer),
                None => self.layers.push(layer.clone()),
            }
        }
    }
}

/// What one layer did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LayerStatistics {
    /// Its name.
    pub name: &'static str,
    /// Queries it saw.
    pub queries: u64,
    /// Queries it answered itself with a model.
    pub sat: u64,
    /// Queries it proved infeasible itself.
    pub unsat: u64,
    /// Queries it gave up on, where others would have been of no use.
    pub unknown: u64,
    /// Queries it passed on.
    pub passed: u64,
    /// Models of its own that were wrong: each one is a bug.
    pub refuted: u64,
    /// Time spent, without that of the layers after it.
    pub time: Duration,
}

impl LayerStatistics {
    fn add(&mut self, other: &LayerStatistics) {
        self.queries += other.queries;
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        self.passed += other.passed;
        self.refuted += other.refuted;
        self.time += other.time;
    }
}

/// A chain of layers.
pub struct SolverChain {
    layers: Vec<Box<dyn Layer>>,
    statistics: Statistics,
    independence: Option<Independence>,
}

impl SolverChain {
    /// These layers, asked in this order.
    #[must_use]
    pub fn new(layers: Vec<Box<dyn Layer>>) -> SolverChain {
        let names = layers.iter().map(|layer| LayerStatistics { name: layer.name(), ..Default::default() });
        let statistics = Statistics { layers: names.collect(), ..Default::default() };
        SolverChain { layers, statistics, independence: None }
    }

    /// What was done so far.
    #[must_use]
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }
}

impl Solve for SolverChain {
    fn solve(&mut self, query: &Query<'_>) -> Answer {
        let started = Instant::now();
        if !self.independence.as_ref().is_some_and(|known| known.is_about(query.exprs)) {
            self.independence = None;
        }
        let independence = self.independence.get_or_insert_with(|| Independence::new(query.exprs));
        let mut judge = Judge::new(query, independence);
        let constraints = judge.slice();
        let mut rest = Rest {
            layers: &mut self.layers,
            statistics: &mut self.statistics.layers,
            judge: &mut judge,
            answer: None,
            time: Duration::ZERO,
        };
        let answer = rest.solve(&Query { constraints: &constraints, ..*query });
        let counter = match &answer {
            Answer::Sat(_) => &mut self.statistics.sat,
            Answer::Unsat => &mut self.statistics.unsat,
            Answer::Unknown(_) => &mut self.statistics.unknown,
        };
        *counter += 1;
        self.statistics.queries += 1;
        self.statistics.time += started.elapsed();
        answer
    }
}

/// The layers that were not asked yet.
struct Rest<'r, 'j> {
    layers: &'r mut [Box<dyn Layer>],
    statistics: &'r mut [LayerStatistics],
    judge: &'r mut Judge<'j>,
    /// What was answered, if anybody asked.
    answer: Option<Answer>,
    time: Duration,
}

impl Solve for Rest<'_, '_> {
    fn solve(&mut self, query: &Query<'_>) -> Answer {
        let answer = self.ask(query);
        self.answer = Some(answer.clone());
        answer
    }
}

impl Rest<'_, '_> {
    fn ask(&mut self, query: &Query<'_>) -> Answer {
        let started = Instant::now();
        let (Some((layer, layers)), Some((own, statistics))) =
            (self.layers.split_first_mut(), self.statistics.split_first_mut())
        else {
            return Answer::Unknown("no layer found an answer".into());
        };
        if query.deadline.is_some_and(|deadline| started >= deadline) {
            return Answer::Unknown("the time is over".into());
        }
        let mut below = Rest { layers, statistics, judge: self.judge, answer: None, time: Duration::ZERO };
        let mut answer = layer.solve(query, &mut below);
        own.queries += 1;
        if let Answer::Sat(model) = &answer
            && !below.judge.accepts(model)
        {
            own.refuted += 1;
            answer = below.answer.clone().unwrap_or_else(|| below.solve(query));
        }
        let counter = match (&below.answer, &answer) {
            (Some(_), _) => &mut own.passed,
            (None, Answer::Sat(_)) => &mut own.sat,
            (None, Answer::Unsat) => &mut own.unsat,
            (None, Answer::Unknown(_)) => &mut own.unknown,
        };
        *counter += 1;
        let spent = started.elapsed();
        own.time += spent.saturating_sub(below.time);
        self.time += spent;
        answer
    }
}

/// Knows the whole query, and whether a model satisfies it.
struct Judge<'j> {
    query: &'j Query<'j>,
    independence: &'j mut Independence,
    /// Whether the inputs are those of the recorded run, so that the recorded values are right for them.
    is_recorded: bool,
    /// The constraints that the inputs do not satisfy.
    missed: Vec<usize>,
    /// The model that was accepted last.
    accepted: Option<Model>,
}

impl<'j> Judge<'j> {
    fn new(query: &'j Query<'j>, independence: &'j mut Independence) -> Judge<'j> {
        let mut inputs = query.exprs.inputs();
        let is_recorded = inputs.all(|(index, id)| query.exprs.get(id).value == query.value(index));
        let mut judge = Judge { query, independence, is_recorded, missed: vec![], accepted: None };
        judge.missed = judge.find_missed();
        judge
    }

    fn find_missed(&self) -> Vec<usize> {
        let mut evaluator = (!self.is_recorded).then(|| self.evaluator(&Model::new()));
        let mut holds = |constraint: &Constraint| match &mut evaluator {
            Some(evaluator) => constraint.holds(evaluator) == Ok(true),
            None => self.holds_as_recorded(constraint),
        };
        let constraints = self.query.constraints;
        (0..constraints.len()).filter(|&index| !holds(&constraints[index])).collect()
    }

    fn holds_as_recorded(&self, constraint: &Constraint) -> bool {
        let value = |id| self.query.exprs.get(id).value;
        match constraint {
            Constraint::IsTrue(id) => value(*id) == 1,
            Constraint::IsFalse(id) => value(*id) == 0,
            Constraint::Equals(id, wanted) => value(*id) == *wanted,
            Constraint::NoneOf(id, values) => !values.contains(&value(*id)),
            Constraint::OneOf(id, values) => values.contains(&value(*id)),
            Constraint::Nothing => true,
        }
    }

    fn evaluator(&self, model: &Model) -> Evaluator<'j> {
        let highest = self.query.exprs.inputs().last().map_or(0, |(index, _)| index as usize + 1);
        let mut values = self.query.values.to_vec();
        values.resize(values.len().max(highest), 0);
        for (&index, &value) in model {
            if let Some(old) = values.get_mut(index as usize) {
                *old = value;
            }
        }
        Evaluator::new(self.query.exprs, &values)
    }

    /// The constraints that share inputs with the last one or with one that the inputs do not satisfy; each
    /// once.
    fn slice(&mut self) -> Vec<Constraint> {
        let Query { exprs, constraints, .. } = *self.query;
        let goals = self.missed.iter().copied().chain(constraints.len().checked_sub(1));
        let kept = self.independence.slice(exprs, constraints, goals);
        let mut seen = std::collections::HashSet::new();
        let mut slice: Vec<Constraint> = vec![];
        // Loops repeat conditions; the last occurrence stays, so that the goal remains the last constraint.
        for &index in kept.iter().rev() {
            let repeats = match &constraints[index] {
                Constraint::IsTrue(id) => !seen.insert((*id, 1)),
                Constraint::IsFalse(id) => !seen.insert((*id, 0)),
                Constraint::Nothing => true,
                _ => false,
            };
            if !repeats {
                slice.push(constraints[index].clone());
            }
        }
        slice.reverse();
        slice
    }

    /// Whether the model satisfies every constraint of the whole query.
    fn accepts(&mut self, model: &Model) -> bool {
        if self.accepted.as_ref() == Some(model) {
            return true;
        }
        let query = self.query;
        let mut evaluator = self.evaluator(model);
        let is_allowed = query.exprs.inputs().all(|(index, id)| {
            let input = query.input(index, query.exprs.get(id).width());
            model
                .get(&index)
                .is_none_or(|&value| value <= crate::expr::mask(input.width) && input.allows(value))
        });
        // What holds and depends on nothing that changes goes on to hold; all else is evaluated.
        let mut is_touched = vec![false; query.constraints.len()];
        self.missed.iter().for_each(|&index| is_touched[index] = true);
        let ids = query.constraints.iter().filter_map(Constraint::expr);
        let mut depends =
            self.independence.dependent(query.exprs, ids, |input| model.contains_key(&input)).into_iter();
        for (constraint, is_touched) in query.constraints.iter().zip(is_touched) {
            let depends = constraint.expr().is_some() && depends.next().unwrap_or(true);
            if (is_touched || depends) && constraint.holds(&mut evaluator) != Ok(true) {
                return false;
            }
        }
        if is_allowed {
            self.accepted = Some(model.clone());
        }
        is_allowed
    }
}

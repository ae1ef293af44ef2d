//! One step of a search: a case from outside, or a flip.

use super::{AnswerKind, Divergence, FlipRecord, Search, Source, StepRecord, StopReason, Way, view};
use crate::archive::Ended;
use crate::coverage::{News, Shown};
use crate::execute::{Execute, Traced};
use crate::flip;
use crate::frontier::{Flip, Pick, View};
use crate::heuristics::Heuristic;
use crate::measure::Distances;
use crate::run_fitness::Move;
use crate::tree::{Attempt, Branch, Inserted, Kind, NodeId, RunId, Tree};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};
use testwright_base::case::Case;
use testwright_base::ids::{GoalId, OutcomeId, SiteId};
use testwright_base::run::End;
use testwright_logic::solve::{Answer, Model, Query, Solve};

/// How many divergences are remembered in full.
const REMEMBERED_DIVERGENCES: usize = 256;
/// After so many cases in a row that cannot be run, something is wrong for good.
const FAILURES_IN_A_ROW: u64 = 16;
/// After so many runs that brought nothing, sites that are a last resort have their turns.
const PATIENCE: u64 = 16;

/// A run and what came of adding it.
pub(super) struct Ran {
    run: RunId,
    traced: Rc<Traced>,
    /// Whether it used memory that is not its own.
    strayed: bool,
    inserted: Inserted,
    news: Vec<OutcomeId>,
    new_goals: Vec<GoalId>,
    forward: bool,
    /// The way that it went at the node that was flipped to get it.
    went: Option<u16>,
}

/// Where a case comes from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Origin {
    Outside,
    /// The flip of a node on the path of a run.
    Flip(NodeId, RunId),
    /// An edit of the case of a run.
    Edit(Move, RunId),
}

impl Origin {
    fn flip(self) -> Option<(NodeId, RunId)> {
        match self {
            Origin::Flip(node, from) => Some((node, from)),
            Origin::Outside | Origin::Edit(..) => None,
        }
    }
}

impl Search<'_> {
    /// One step: runs a case from outside if one waits, otherwise picks a node in this way and tries to flip it.
    ///
    /// # Errors
    /// Why there was nothing to do.
    pub fn step(
        &mut self,
        execute: &mut dyn Execute,
        solve: &mut dyn Solve,
        way: Way,
        deadline: Option<Instant>,
    ) -> Result<StepRecord, StopReason> {
        if let Some((case, by)) = self.given() {
            return self.run_given(execute, case, by);
        }
        let desk = match way {
            Way::Planned => return self.planned(execute, solve, deadline),
            Way::Strategy(desk) => desk,
        };
        if let Some((case, by, from)) = self.splice(execute) {
            return match self.run_case(execute, case, Origin::Edit(by, from)) {
                Ok(ran) => {
                    self.splicing.edited(ran.forward);
                    Ok(self.accept(Source::Edited, &ran))
                }
                Err(problem) => self.after_failure(Source::Edited, None, problem),
            };
        }
        let Some(pick) = self.pick(desk) else {
            if let Some(case) = self.larger.pop_front() {
                return self.run_given(execute, case, Source::Grown);
            }
            let exhausted = self.tree.open_count() == 0;
            return Err(if exhausted { StopReason::Exhausted } else { StopReason::Declined });
        };
        self.flip(execute, solve, pick, deadline)
    }

    /// A case that waits to be run. Larger ones take turns with flips, or a loop that runs off every buffer would be all
    /// that is tried for long.
    fn given(&mut self) -> Option<(Case, Source)> {
        if let Some(case) = self.waiting.pop_front() {
            return Some((case, Source::Given));
        }
        self.grew = !self.grew || !self.keeps(Heuristic::TurnsWithLarger);
        let larger = if self.grew { self.larger.pop_front() } else { None };
        larger.map(|case| (case, Source::Grown))
    }

    pub(super) fn run_given(
        &mut self,
        execute: &mut dyn Execute,
        case: Case,
        by: Source,
    ) -> Result<StepRecord, StopReason> {
        match self.run_case(execute, case, Origin::Outside) {
            Ok(ran) => {
                if let Some(planner) = &mut self.planner {
                    planner.offer_shape(ran.run);
                }
                Ok(self.accept(by, &ran))
            }
            Err(problem) if self.runs.is_empty() && self.waiting.is_empty() => {
                Err(StopReason::Failed(problem))
            }
            Err(problem) => Ok(without_run(by, None, Some(problem))),
        }
    }

    /// Announces a run that no flip led to.
    pub(super) fn accept(&mut self, by: Source, ran: &Ran) -> StepRecord {
        self.announce(ran.run, &ran.inserted.nodes);
        record(by, None, ran, false)
    }

    /// The next node by a strategy. When that has brought nothing for a while, sites that are a last resort have every other
    /// turn.
    fn pick(&mut self, desk: usize) -> Option<Pick> {
        let view = view!(self);
        let desk = self.desks.get_mut(desk)?;
        let (tree, weights) = (&self.tree, &self.config.weights);
        let open = tree.ids().filter(|node| tree.is_open(*node));
        desk.open(&view, open.map(|node| (node, weight(tree, weights, node))));
        let is_their_turn = self.config.off.keeps(Heuristic::LastResort)
            && self.fruitless >= PATIENCE
            && self.fruitless.is_multiple_of(2);
        desk.next(&view, &mut self.random, is_their_turn)
    }

    pub(super) fn flip(
        &mut self,
        execute: &mut dyn Execute,
        solve: &mut dyn Solve,
        pick: Pick,
        deadline: Option<Instant>,
    ) -> Result<StepRecord, StopReason> {
        let node = self.tree.node(pick.node);
        let site = node.site();
        let from = pick.run.filter(|run| self.runs.case(*run).is_some()).unwrap_or(node.run);
        let mut flip = FlipRecord {
            node: pick.node,
            site,
            from,
            answer: AnswerKind::Unknown(String::new()),
            solver_time: Duration::ZERO,
        };
        let (traced, answer) = match self.ask(execute, solve, &mut flip, pick.outcome, deadline) {
            Ok(asked) => asked,
            Err(problem) => {
                self.conclude(pick, Attempt::Unknown, None);
                flip.answer = AnswerKind::Unknown(problem.clone());
                return self.after_failure(Source::Flipped, Some(flip), problem);
            }
        };
        let Answer::Sat(model) = answer else {
            let attempt = if answer == Answer::Unsat { Attempt::Infeasible } else { Attempt::Unknown };
            self.conclude(pick, attempt, None);
            return Ok(without_run(Source::Flipped, Some(flip), None));
        };
        let case = self.changed(execute, from, &model);
        // A repeated flip may lead back to where an earlier run was.
        if pick.outcome.is_some() && self.runs.has(&case) {
            self.conclude(pick, Attempt::Unknown, None);
            return Ok(without_run(Source::Flipped, Some(flip), None));
        }
        match self.run_case(execute, case, Origin::Flip(pick.node, from)) {
            Ok(ran) => {
                self.rewards.judge(&traced, &ran.traced, ran.forward);
                self.splicing.flipped(ran.forward);
                let diverged = self.diverged(pick, &ran);
                let attempt = if diverged { Attempt::Diverged } else { Attempt::Flipped };
                self.conclude(pick, attempt, Some(&ran));
                Ok(record(Source::Flipped, Some(flip), &ran, diverged))
            }
            Err(problem) => {
                self.conclude(pick, Attempt::Unknown, None);
                self.after_failure(Source::Flipped, Some(flip), problem)
            }
        }
    }

    /// Asks the solver how to flip a node on the path of `flip.from`; gives back that run's trace too.
    fn ask(
        &mut self,
        execute: &mut dyn Execute,
        solve: &mut dyn Solve,
        flip: &mut FlipRecord,
        outcome: Option<u16>,
        deadline: Option<Instant>,
    ) -> Result<(Rc<Traced>, Answer), String> {
        let traced = self.trace_of(execute, flip.from)?;
        let Some(visit) = self.tree.find(&traced.exprs, &traced.path, flip.node) else {
            self.counts.divergences += 1;
            let why = "the run took another path when it was repeated".to_owned();
            flip.answer = AnswerKind::Unknown(why.clone());
            return Ok((traced, Answer::Unknown(why)));
        };
        let path = (&traced.exprs, &traced.path);
        let constraints = flip::constraints(self.subject, &self.tree, flip.node, path, visit.step, outcome);
        let constraints = constraints.ok_or("nothing is left to flip")?;
        let query = Query {
            exprs: &traced.exprs,
            constraints: &constraints,
            inputs: &traced.inputs,
            values: &traced.values,
            deadline,
        };
        let start = Instant::now();
        let mut answer = solve.solve(&query);
        let is_needed = answer == Answer::Unsat && self.leads_to_goal(flip.node);
        if is_needed && !traced.wide.is_empty() && self.keeps(Heuristic::WideInputs) {
            answer = solve.solve(&Query { inputs: &traced.wide, ..query });
        }
        if is_needed && answer == Answer::Unsat && self.keeps(Heuristic::UnpinnedFlips) {
            for free in flip::unpinned(&traced.path, visit.step, &constraints) {
                if let Answer::Sat(model) = solve.solve(&Query { constraints: &free, ..query }) {
                    let case = self.changed(execute, flip.from, &model);
                    self.waiting.extend((!self.runs.has(&case)).then_some(case));
                    break;
                }
            }
        }
        flip.solver_time = start.elapsed();
        if let Answer::Sat(model) = answer {
            answer = Answer::Sat(if self.keeps(Heuristic::PreferredValues) {
                self.rewards.prefer(&traced, &constraints, model, &mut self.random)
            } else {
                model
            });
        }
        self.counts.solver_time += flip.solver_time;
        self.counts.queries += 1;
        flip.answer = match &answer {
            Answer::Sat(_) => AnswerKind::Sat,
            Answer::Unsat => AnswerKind::Unsat,
            Answer::Unknown(why) => AnswerKind::Unknown(why.clone()),
        };
        match &answer {
            Answer::Sat(_) => self.counts.sat += 1,
            Answer::Unsat => self.counts.unsat += 1,
            Answer::Unknown(_) => self.counts.unknown += 1,
        }
        Ok((traced, answer))
    }

    pub(super) fn keeps(&self, heuristic: Heuristic) -> bool {
        self.config.off.keeps(heuristic)
    }

    /// Whether an outcome of a node's site is a goal that was not met yet.
    fn leads_to_goal(&self, node: NodeId) -> bool {
        let site = self.tree.node(node).site().and_then(|site| self.subject.sites.get(site as usize));
        let is_open = |outcome| self.coverage.is_open(outcome);
        site.is_some_and(|site| site.outcomes().any(is_open))
    }

    /// The trace of an earlier run, made again if it was dropped.
    pub(super) fn trace_of(&mut self, execute: &mut dyn Execute, run: RunId) -> Result<Rc<Traced>, String> {
        if let Some(traced) = self.traces.get(run) {
            return Ok(traced);
        }
        let case = self.runs.case(run).ok_or("the case of the run was dropped")?;
        let traced = Rc::new(execute.trace(case)?);
        self.counts.retraced += 1;
        self.traces.put(run, Rc::clone(&traced));
        Ok(traced)
    }

    pub(super) fn changed(&self, execute: &dyn Execute, from: RunId, model: &Model) -> Case {
        let case = self.runs.case(from).map(|case| case.as_ref().clone()).unwrap_or_default();
        let is_filled = self.keeps(Heuristic::FilledElements);
        let fill = if is_filled { self.rewards.values() } else { Vec::new() };
        execute.change(&case, model, &fill)
    }

    pub(super) fn run_case(
        &mut self,
        execute: &mut dyn Execute,
        case: Case,
        origin: Origin,
    ) -> Result<Ran, String> {
        let case = Rc::new(case);
        let mut traced = execute.trace(&case).inspect_err(|_| self.counts.failures += 1)?;
        let goals = self.criteria.met(self.subject, &traced.outcomes, Some(&traced));
        let strayed = self.strayed(execute, &case, &mut traced, &goals);
        let distances = self.distances(execute, &case, &traced);
        self.counts.overflowed += u64::from(traced.overflowed);
        let run = self.runs.add(Rc::clone(&case), origin.flip());
        let inserted = self.tree.insert(self.subject, run, &traced.exprs, &traced.path);
        let shown = if self.keeps(Heuristic::Doubt) { shown(&traced, strayed) } else { Shown::Well };
        let news = self.coverage.add(run, &traced.outcomes, &goals, shown);
        let News { outcomes: news, goals: new_goals, met } = news;
        self.note_close(run, &traced.outcomes);
        if met {
            self.map.update(self.subject, &self.coverage);
        }
        let went = origin.flip().and_then(|(node, _)| self.went(node, &traced));
        let path = (run, traced.path.steps().len());
        let fitter = self.fitness.ran(&self.coverage, &distances, path, self.made_by(origin, went));
        if let Some(planner) = &mut self.planner {
            let start = Instant::now();
            planner.ran(self.subject, &self.tree, &traced, &inserted.nodes, &news);
            self.counts.planning += start.elapsed();
        }
        let end = if strayed { Ended::Strayed } else { Ended::As(traced.end) };
        self.archive.add(run, &case, end, traced.broke.as_deref(), &goals);
        self.larger.extend(traced.larger.iter().filter(|larger| !self.runs.has(larger)).cloned());
        let open = inserted.nodes.iter().filter(|node| self.tree.is_open(**node)).count();
        self.runs.describe(run, news.len() as u32, &inserted, open as u32);
        let traced = Rc::new(traced);
        self.traces.put(run, Rc::clone(&traced));
        self.failures_in_a_row = 0;
        let forward = fitter || met || !news.is_empty();
        self.fruitless = if forward { 0 } else { self.fruitless + 1 };
        if self.fitness.target_count() > 0 {
            self.splicing.ran(self.subject, run, &traced, forward);
        }
        Ok(Ran { run, traced, strayed, inserted, forward, went, news, new_goals })
    }

    /// How close a run came to each outcome, if anybody looks at that.
    fn distances(&self, execute: &mut dyn Execute, case: &Case, traced: &Traced) -> Distances {
        if self.fitness.target_count() == 0 {
            return Distances::default();
        }
        let is_measured = self.keeps(Heuristic::MeasuredDistances);
        let measured = if is_measured { execute.distances(case) } else { Vec::new() };
        let sees_strings = self.keeps(Heuristic::StringDistances);
        Distances::seen(self.subject, traced, &measured, sees_strings)
    }

    /// Whether a run that would make a test used memory that is not its own. Then what it shows is better shown by another one, such
    /// as those that have more there.
    fn strayed(
        &mut self,
        execute: &mut dyn Execute,
        case: &Case,
        traced: &mut Traced,
        goals: &[GoalId],
    ) -> bool {
        let ends_well = matches!(traced.end, End::Returned | End::Exit(_) | End::Abort);
        let is_asked = ends_well && self.keeps(Heuristic::StrayChecks);
        if !is_asked || (self.returned && !self.coverage.wants(goals)) {
            return false;
        }
        match execute.strays(case) {
            Some(strayed) => {
                traced.larger.extend(strayed.larger);
                true
            }
            None => {
                self.returned |= traced.end != End::Abort;
                false
            }
        }
    }

    /// The way that a run went at a node; none if it did not get there.
    fn went(&self, node: NodeId, traced: &Traced) -> Option<u16> {
        let visit = self.tree.find(&traced.exprs, &traced.path, node)?;
        Some(traced.path.steps()[visit.step].outcome)
    }

    /// How a run was made from another one; a flip that did not lead to its node is no such way.
    fn made_by(&self, origin: Origin, went: Option<u16>) -> Option<(Move, RunId)> {
        match origin {
            Origin::Outside => None,
            Origin::Edit(by, from) => Some((by, from)),
            Origin::Flip(node, from) => {
                let branch = Branch { site: self.tree.node(node).branch().site, outcome: went? };
                Some((Move::flip(&self.tree, self.config.off, (node, from), branch), from))
            }
        }
    }

    /// Whether a run failed to leave its parent's path at the node, in the way that was asked for.
    fn diverged(&mut self, pick: Pick, ran: &Ran) -> bool {
        let node = pick.node;
        let went_there = ran.went.is_some() && ran.went == pick.outcome;
        // A trace that was cut short says nothing about what it does not show.
        if ran.inserted.turned_at == Some(node) || ran.traced.overflowed || went_there {
            return false;
        }
        let visits = self.tree.follow(&ran.traced.exprs, &ran.traced.path);
        let way: Vec<NodeId> = self.tree.ancestry(node).collect();
        let shared = visits.iter().zip(way.iter().rev()).take_while(|(visit, above)| visit.node == **above);
        let left_at = shared.last().map(|(visit, _)| visit.node);
        // An access that faults at the address it was sent to is not recorded.
        let is_pin = self.tree.node(node).kind == Kind::Pin;
        let arrived =
            left_at == self.tree.node(node).parent() && left_at == visits.last().map(|visit| visit.node);
        if is_pin && arrived && matches!(ran.traced.end, End::Signal { .. }) {
            return false;
        }
        self.counts.divergences += 1;
        if self.divergences.len() < REMEMBERED_DIVERGENCES {
            let reached = left_at == Some(node);
            self.divergences.push(Divergence { node, run: ran.run, left_at, reached });
        }
        true
    }

    /// Takes note of what came of a flip and tells the frontiers.
    fn conclude(&mut self, pick: Pick, attempt: Attempt, ran: Option<&Ran>) {
        let node = pick.node;
        let was_open = self.tree.is_open(node);
        match pick.outcome {
            // A failure says something about one way of several only.
            Some(outcome) if self.tree.node(node).kind == Kind::Switch => {
                self.tree.rule_out(node, outcome, self.subject);
            }
            _ => self.tree.attempted(node, attempt),
        }
        let is_open = self.tree.is_open(node);
        if was_open && !is_open {
            self.runs.exhausted(self.tree.node(node).run);
        }
        let news = ran.map_or_else(Vec::new, |ran| ran.news.clone());
        let flip = Flip { node, attempt, run: ran.map(|ran| ran.run), news };
        let view = view!(self);
        self.desks.iter_mut().for_each(|desk| desk.flipped(&view, &flip, was_open && !is_open));
        if let Some(ran) = ran {
            self.announce(ran.run, &ran.inserted.nodes);
        }
        if is_open && was_open {
            self.announce_node(node);
        }
    }

    fn announce(&mut self, run: RunId, nodes: &[NodeId]) {
        let view = view!(self);
        self.desks.iter_mut().for_each(|desk| desk.ran(&view, run));
        for node in nodes {
            self.announce_node(*node);
        }
    }

    fn announce_node(&mut self, node: NodeId) {
        if !self.tree.is_open(node) {
            return;
        }
        let weight = weight(&self.tree, &self.config.weights, node);
        let view = view!(self);
        self.desks.iter_mut().for_each(|desk| desk.added(&view, node, weight));
    }

    pub(super) fn after_failure(
        &mut self,
        by: Source,
        flip: Option<FlipRecord>,
        problem: String,
    ) -> Result<StepRecord, StopReason> {
        self.failures_in_a_row += 1;
        if self.failures_in_a_row >= FAILURES_IN_A_ROW {
            return Err(StopReason::Failed(problem));
        }
        Ok(without_run(by, flip, Some(problem)))
    }
}

/// The weight of a node's site.
fn weight(tree: &Tree, weights: &BTreeMap<SiteId, i32>, node: NodeId) -> i32 {
    let site = tree.node(node).site().map(SiteId);
    site.and_then(|site| weights.get(&site)).copied().unwrap_or(0)
}

fn record(by: Source, flip: Option<FlipRecord>, ran: &Ran, diverged: bool) -> StepRecord {
    StepRecord {
        by,
        flip,
        bid: None,
        run: Some(ran.run),
        end: Some(ran.traced.end),
        strayed: ran.strayed,
        new_outcomes: ran.news.clone(),
        new_goals: ran.new_goals.clone(),
        diverged,
        failure: None,
    }
}

pub(super) fn without_run(by: Source, flip: Option<FlipRecord>, failure: Option<String>) -> StepRecord {
    StepRecord {
        by,
        flip,
        bid: None,
        run: None,
        end: None,
        strayed: false,
        new_outcomes: Vec::new(),
        new_goals: Vec::new(),
        diverged: false,
        failure,
    }
}

/// How much a run shows of what it hit. A failed assertion is how the code wants to end.
fn shown(traced: &Traced, strayed: bool) -> Shown {
    match traced.end {
        _ if strayed => Shown::Badly,
        End::Returned | End::Exit(_) | End::Abort => Shown::Well,
        _ if traced.broke.is_some() => Shown::Unfairly,
        _ => Shown::Badly,
    }
}

//! The greedy technique on real code: a random run or the flip of a node, whatever promises most new goals per cost.
//!
//! Candidates are nodes of the tree with an outcome that no run had: everything before it is covered, as the paper asks. For each outcome
//! the cheapest [`PER_OUTCOME`] nodes are kept, which bounds the iterations of loops. A node that could not be flipped is no longer open,
//! so it is ignored from then on. Random runs vary the numbers of an earlier case of any shape.

use crate::coverage::Coverage;
use crate::execute::{Execute, Traced};
use crate::plan::bid::Bid;
use crate::plan::cost::{CostModel, Counter, Operations};
use crate::plan::greedy::{Candidate, Choice, local_optimal};
use crate::plan::markov::Estimate;
use crate::plan::program::Abstraction;
use crate::random::Random;
use crate::runs::Runs;
use crate::tree::{Kind, NodeId, RunId, Tree};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use testwright_base::case::Case;
use testwright_base::ids::{FunctionId, OutcomeId};
use testwright_base::subject::Subject;

/// How many nodes are kept per outcome.
const PER_OUTCOME: usize = 16;
/// What a random run is taken to cost if nothing is measured, in seconds.
const RUN: f64 = 1e-4;
/// How much the latest run says about what a run costs.
const LATEST: f64 = 0.05;
/// How many shapes are varied.
const SHAPES: usize = 32;
/// After so many draws in a row that were known already, drawing is given up.
const REPEATS: u32 = 100;

/// How the greedy technique is set up.
#[derive(Debug, Clone, Default)]
pub struct Planning {
    /// How probabilities are estimated.
    pub estimate: Estimate,
    /// What solving is known to cost.
    pub costs: CostModel,
    /// Whether costs are measured. If not, they are counted, so that the same seed gives the same steps.
    pub timed: bool,
}

/// What the planner decided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Next {
    /// A random run.
    Random,
    /// Flip a node; in a switch to this outcome.
    Flip(NodeId, Option<u16>, Operations),
}

/// Chooses between random runs and flips.
#[derive(Debug)]
pub struct Planner {
    planning: Planning,
    abstraction: Abstraction,
    pending: BTreeMap<OutcomeId, Vec<Pending>>,
    /// Runs whose cases are varied, one per shape.
    shapes: Vec<RunId>,
    run_cost: f64,
    repeats: u32,
}

/// A node that could be flipped to an outcome that no run had.
#[derive(Debug, Clone, PartialEq)]
struct Pending {
    node: NodeId,
    outcome: u16,
    operations: Operations,
}

impl Planner {
    /// Before the first run.
    #[must_use]
    pub fn new(planning: Planning, subject: &Subject, function: FunctionId, coverage: &Coverage) -> Planner {
        let abstraction = Abstraction::new(subject, function, coverage, planning.estimate);
        let (pending, shapes) = (BTreeMap::new(), Vec::new());
        Planner { planning, abstraction, pending, shapes, run_cost: RUN, repeats: 0 }
    }

    /// What solving is known to cost by now.
    #[must_use]
    pub fn costs(&self) -> &CostModel {
        &self.planning.costs
    }

    /// What to do next, and its bid.
    pub fn choose(&mut self, subject: &Subject, tree: &Tree) -> (Next, Bid) {
        self.pending.retain(|outcome, _| self.abstraction.uncovered(*outcome).is_some());
        for nodes in self.pending.values_mut() {
            nodes.retain(|one| {
                tree.is_open(one.node) && tree.unexplored(one.node, subject).contains(&one.outcome)
            });
        }
        let (mut candidates, mut all) = (Vec::new(), Vec::new());
        for (outcome, nodes) in &self.pending {
            let Some(end) = self.abstraction.uncovered(*outcome) else { continue };
            candidates.extend(nodes.iter().map(|one| Candidate { end, cost: self.cost(&one.operations) }));
            all.extend(nodes);
        }
        // Where nothing can be drawn any more, drawing costs without end.
        let run_cost = if self.can_draw() { self.run_cost } else { f64::INFINITY };
        let (choice, bid) =
            local_optimal(self.abstraction.rewards(), self.abstraction.entry(), run_cost, &candidates);
        let chosen = match choice {
            Choice::Random => None,
            Choice::Solve(chosen) => candidates.iter().position(|candidate| *candidate == chosen),
        };
        let next = chosen.map_or(Next::Random, |position| {
            let one: &Pending = all[position];
            let outcome = (tree.node(one.node).kind == Kind::Switch).then_some(one.outcome);
            Next::Flip(one.node, outcome, one.operations)
        });
        (next, bid)
    }

    /// A random case; none if that keeps bringing cases that are known.
    pub fn draw(&mut self, execute: &dyn Execute, runs: &Runs, random: &mut Random) -> Option<Case> {
        while self.can_draw() {
            let shape = self.shapes[random.below(self.shapes.len())];
            let case = runs.case(shape).and_then(|case| execute.drawn(case, random.bits()));
            if let Some(case) = case.filter(|case| !runs.has(case)) {
                self.repeats = 0;
                return Some(case);
            }
            self.repeats += 1;
        }
        None
    }

    fn can_draw(&self) -> bool {
        !self.shapes.is_empty() && self.repeats < REPEATS
    }

    /// Learns from a run: where it went, and which of its new nodes could be flipped to something new.
    pub fn ran(
        &mut self,
        subject: &Subject,
        tree: &Tree,
        traced: &Traced,
        nodes: &[NodeId],
        news: &[OutcomeId],
    ) {
        self.abstraction.ran(subject, traced, news);
        let fresh: BTreeSet<NodeId> = nodes.iter().copied().collect();
        let mut counter = Counter::default();
        let mut counted = 0;
        for visit in tree.follow(&traced.exprs, &traced.path) {
            for step in &traced.path.steps()[counted..=visit.step] {
                counter.add(&traced.exprs, &step.constraint);
            }
            counted = visit.step + 1;
            if fresh.contains(&visit.node) && tree.is_open(visit.node) {
                self.consider(subject, tree, visit.node, &counter.operations());
            }
        }
    }

    fn consider(&mut self, subject: &Subject, tree: &Tree, node: NodeId, operations: &Operations) {
        let site = tree.node(node).site().and_then(|site| subject.sites.get(site as usize));
        let Some(site) = site else { return };
        for outcome in tree.unexplored(node, subject) {
            let goal = OutcomeId(site.first_outcome.0 + u32::from(outcome));
            if self.abstraction.uncovered(goal).is_none() {
                continue;
            }
            let mut nodes = self.pending.remove(&goal).unwrap_or_default();
            nodes.push(Pending { node, outcome, operations: *operations });
            if nodes.len() > PER_OUTCOME {
                let cost = |one: &Pending| self.cost(&one.operations);
                nodes.sort_by(|one, other| cost(one).total_cmp(&cost(other)));
                nodes.truncate(PER_OUTCOME);
            }
            self.pending.insert(goal, nodes);
        }
    }

    /// Takes note of a run that no flip led to: its case has a shape that may be varied.
    pub fn offer_shape(&mut self, run: RunId) {
        if self.shapes.len() < SHAPES {
            self.shapes.push(run);
            self.repeats = 0;
        }
    }

    /// Learns what solving took.
    pub fn solved(&mut self, operations: &Operations, time: Duration) {
        if self.planning.timed {
            self.planning.costs.learn(operations, time.as_secs_f64());
        }
    }

    /// Learns what a random run took.
    pub fn drew(&mut self, time: Duration) {
        if self.planning.timed {
            self.run_cost += LATEST * (time.as_secs_f64() - self.run_cost);
        }
    }

    /// A solved path is also run.
    fn cost(&self, operations: &Operations) -> f64 {
        self.planning.costs.predict(operations) + self.run_cost
    }
}

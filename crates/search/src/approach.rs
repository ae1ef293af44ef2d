//! Approach level: how many decisions still keep a run from even reaching a target.
//!
//! A run that never evaluates the predicate of a target approaches it over the control-dependence graph: the decisions
//! that the target's block depends on are level 1, those that *their* blocks depend on level 2, and so on; where a
//! function depends on nothing more, the blocks that call it carry on. A run is as close as its best decision: level plus
//! normalised distance d / (d + 1).
//!
//! Flips and input searches walk the same way and count differently ([`Count`]), because they change different things. Every check
//! and every call on a path is a node that a flip has to pass. An input search varies inputs and asks how many decisions of the
//! program went wrong, so checks and calls weigh nothing.

use crate::measure::Distances;
use crate::scope::callers;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use testwright_base::graph::{FlowGraph, decision_flow};
use testwright_base::ids::{BlockId, FunctionId, OutcomeId};
use testwright_base::subject::Subject;

/// What counts as a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// Every block that something depends on, and every call.
    Blocks,
    /// Only decisions whose outcomes are recorded: no sanitizer checks, no decisions on constants, no calls.
    Decisions,
}

/// Finds what has to be decided to approach a target.
#[derive(Debug)]
pub struct Approach<'a> {
    subject: &'a Subject,
    count: Count,
    /// The blocks that call each function.
    callers: BTreeMap<FunctionId, Vec<(FunctionId, BlockId)>>,
    /// How control flows in each function, once somebody asked.
    flows: BTreeMap<FunctionId, FlowGraph>,
}

/// The outcomes that lead towards a target, and their levels.
pub type Levels = Vec<(OutcomeId, u32)>;

impl<'a> Approach<'a> {
    /// Within these functions.
    #[must_use]
    pub fn new(subject: &'a Subject, scope: &BTreeSet<FunctionId>, count: Count) -> Approach<'a> {
        Approach { subject, count, callers: callers(subject, scope), flows: BTreeMap::new() }
    }

    /// The outcomes that lead towards `target`, nearest first.
    pub fn levels(&mut self, target: OutcomeId) -> Levels {
        let Some((site, _)) = self.subject.outcome(target) else { return Vec::new() };
        let site = &self.subject.sites[site.index()];
        let mut levels = Vec::new();
        let mut seen = BTreeSet::new();
        let mut open = VecDeque::from([(site.function, site.block, 1)]);
        while let Some((function, block, level)) = open.pop_front() {
            if !seen.insert((function, block)) {
                continue;
            }
            let flow = self.flows.entry(function).or_insert_with(|| match self.count {
                Count::Blocks => self.subject.flow(function),
                Count::Decisions => decision_flow(self.subject, function),
            });
            let edges = flow.dependences(block);
            let (is_always_reached, call) = match self.count {
                Count::Blocks => (edges.is_empty(), 1),
                Count::Decisions => (flow.post_dominates(block, BlockId(0)), 0),
            };
            for (source, position) in edges {
                let outcome = outcome(self.subject, function, *source, *position);
                levels.extend(outcome.map(|outcome| (outcome, level)));
                if outcome.is_none() && self.count == Count::Decisions {
                    open.push_front((function, *source, level));
                } else {
                    open.push_back((function, *source, level + 1));
                }
            }
            if is_always_reached {
                let callers = self.callers.get(&function).into_iter().flatten();
                open.extend(callers.map(|(caller, block)| (*caller, *block, level + call)));
            }
        }
        levels
    }
}

/// The outcome that an edge stands for, if it is recorded: checks record only that they fail.
fn outcome(subject: &Subject, function: FunctionId, block: BlockId, position: usize) -> Option<OutcomeId> {
    let site = subject.function(function).blocks[block.index()].decides?;
    let site = subject.site(site)?;
    (site.outcome_count > 1 && position < site.outcome_count as usize)
        .then(|| OutcomeId(site.first_outcome.0 + position as u32))
}

/// How close a run came by these levels; none if it evaluated none of the decisions.
#[must_use]
pub fn closeness(levels: &Levels, distances: &Distances) -> Option<f64> {
    let values = levels.iter().filter_map(|(outcome, level)| {
        let distance = distances.get(*outcome)?;
        Some(f64::from(*level) + distance / (distance + 1.0))
    });
    values.min_by(f64::total_cmp)
}

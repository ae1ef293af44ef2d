//! Approach level: how many decisions still keep a run from even reaching a target.
//!
//! A target whose own predicate no run evaluates is approached over the control-dependence graph: the decisions that its
//! block depends on are level 1, those that *their* blocks depend on level 2, and so on; where a function depends on
//! nothing more, the blocks that call it carry on. A run is as close as its best decision: level plus
//! normalised distance d / (d + 1).

use crate::measure::Distances;
use crate::scope::callers;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use testwright_base::graph::FlowGraph;
use testwright_base::ids::{BlockId, FunctionId, OutcomeId};
use testwright_base::subject::Subject;

/// Finds what has to be decided to approach a target.
#[derive(Debug)]
pub struct Approach<'a> {
    subject: &'a Subject,
    /// The blocks that call each function.
    callers: BTreeMap<FunctionId, Vec<(FunctionId, BlockId)>>,
    flows: BTreeMap<FunctionId, FlowGraph>,
}

/// The outcomes that lead towards a target, and their levels.
pub type Levels = Vec<(OutcomeId, u32)>;

impl<'a> Approach<'a> {
    /// Within these functions.
    #[must_use]
    pub fn new(subject: &'a Subject, scope: &BTreeSet<FunctionId>) -> Approach<'a> {
        Approach { subject, callers: callers(subject, scope), flows: BTreeMap::new() }
    }

    /// The outcomes that lead towards `target`, nearest first.
    pub fn levels(&mut self, target: OutcomeId) -> Levels {
        let Some((site, _)) = self.subject.outcome(target) else { return Vec::new() };
        let site = &self.subject.sites[site.index()];
        let mut levels = Vec::new();
        let mut seen = BTreeSet::from([(site.function, site.block)]);
        let mut open = VecDeque::from([(site.function, site.block, 1)]);
        while let Some((function, block, level)) = open.pop_front() {
            let edges = self.dependences(function, block);
            for (source, position) in &edges {
                levels.extend(self.outcome(function, *source, *position).map(|outcome| (outcome, level)));
            }
            let above = if edges.is_empty() {
                self.callers.get(&function).cloned().unwrap_or_default()
            } else {
                edges.iter().map(|(source, _)| (function, *source)).collect()
            };
            for (function, block) in above {
                if seen.insert((function, block)) {
                    open.push_back((function, block, level + 1));
                }
            }
        }
        levels
    }

    fn dependences(&mut self, function: FunctionId, block: BlockId) -> Vec<(BlockId, usize)> {
        let flow = self.flows.entry(function).or_insert_with(|| self.subject.flow(function));
        flow.dependences(block).to_vec()
    }

    /// The outcome that an edge stands for, if it is recorded: checks record only that they fail.
    fn outcome(&self, function: FunctionId, block: BlockId, position: usize) -> Option<OutcomeId> {
        let site = self.subject.function(function).blocks[block.index()].decides?;
        let site = self.subject.site(site)?;
        (site.outcome_count > 1 && position < site.outcome_count as usize)
            .then(|| OutcomeId(site.first_outcome.0 + position as u32))
    }
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

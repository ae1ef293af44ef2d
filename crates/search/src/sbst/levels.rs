//! Approach levels: which decisions lead to a target, and how many of them lie between.
//!
//! The target has level 0. The decisions that its block depends on have level 1, those that *their* blocks depend on level 2,
//! and so on; from a block that every call of its function comes to, the blocks that call the function carry
//! on. Sanitizer checks and decisions on constants are no levels.

use crate::scope::{callers, scope};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use testwright_abi::fitness::Level;
use testwright_abi::hunt::MAX_LEVELS;
use testwright_base::graph::{FlowGraph, decision_flow};
use testwright_base::ids::{BlockId, FunctionId, OutcomeId, SiteId};
use testwright_base::site::{Site, SiteKind};
use testwright_base::subject::Subject;

/// The targets of a function: outcomes of branches and switches in it and in what it may call.
#[derive(Debug)]
pub struct Targets<'a> {
    subject: &'a Subject,
    scope: BTreeSet<FunctionId>,
    /// The blocks that call each function.
    callers: BTreeMap<FunctionId, Vec<(FunctionId, BlockId)>>,
    /// How control flows from decision to decision, once somebody asked.
    flows: BTreeMap<FunctionId, FlowGraph>,
    floats: BTreeSet<SiteId>,
}

impl<'a> Targets<'a> {
    /// The targets that calls of `function` may reach.
    #[must_use]
    pub fn new(subject: &'a Subject, function: FunctionId) -> Targets<'a> {
        Targets::within(subject, scope(subject, function, &BTreeSet::new()))
    }

    /// The targets in these functions.
    #[must_use]
    pub fn within(subject: &'a Subject, scope: BTreeSet<FunctionId>) -> Targets<'a> {
        let floats = subject.sites.iter().filter_map(|site| match &site.kind {
            SiteKind::Compare { floats: true, feeds, .. } => *feeds,
            _ => None,
        });
        let callers = callers(subject, &scope);
        Targets { subject, scope, callers, flows: BTreeMap::new(), floats: floats.collect() }
    }

    /// The functions whose outcomes are targets.
    #[must_use]
    pub fn scope(&self) -> &BTreeSet<FunctionId> {
        &self.scope
    }

    /// All targets, in the order of the code.
    #[must_use]
    pub fn all(&self) -> Vec<OutcomeId> {
        let decides = |site: &&Site| {
            self.scope.contains(&site.function)
                && matches!(site.kind, SiteKind::Branch | SiteKind::Switch { .. })
        };
        self.subject.sites.iter().filter(decides).flat_map(Site::outcomes).collect()
    }

    /// The outcomes that lead to `target`, itself first.
    #[must_use]
    pub fn levels(&mut self, target: OutcomeId) -> Vec<Level> {
        let Some((site, _)) = self.subject.outcome(target) else { return Vec::new() };
        let float = self.floats.contains(&site);
        let site = &self.subject.sites[site.index()];
        let mut levels = vec![level(target, 0, float)];
        let mut seen = BTreeSet::new();
        let mut open = VecDeque::from([(site.function, site.block, 1)]);
        while let Some((function, block, next)) = open.pop_front() {
            if !seen.insert((function, block)) || levels.len() as u64 >= MAX_LEVELS {
                continue;
            }
            if !self.scope.contains(&function) {
                continue;
            }
            let (dependences, always) = self.dependences(function, block);
            for (source, position) in &dependences {
                match self.outcome(function, *source, *position) {
                    Some((outcome, float)) => {
                        if outcome != target {
                            levels.push(level(outcome, next, float));
                        }
                        open.push_back((function, *source, next + 1));
                    }
                    None => open.push_front((function, *source, next)),
                }
            }
            if always {
                let callers = self.callers.get(&function).into_iter().flatten();
                open.extend(callers.map(|(caller, block)| (*caller, *block, next)));
            }
        }
        levels.truncate(MAX_LEVELS as usize);
        levels
    }

    /// The outcome that an edge stands for, if it is recorded, and whether floats decide.
    fn outcome(&self, function: FunctionId, block: BlockId, position: usize) -> Option<(OutcomeId, bool)> {
        let id = self.subject.function(function).blocks[block.index()].decides?;
        let site = self.subject.site(id)?;
        (position < site.outcome_count as usize)
            .then(|| (OutcomeId(site.first_outcome.0 + position as u32), self.floats.contains(&id)))
    }

    /// What a block depends on, and whether every call of its function comes to it.
    fn dependences(&mut self, function: FunctionId, block: BlockId) -> (Vec<(BlockId, usize)>, bool) {
        let flow = self.flows.entry(function).or_insert_with(|| decision_flow(self.subject, function));
        (flow.dependences(block).to_vec(), flow.post_dominates(block, BlockId(0)))
    }
}

fn level(outcome: OutcomeId, level: u32, float: bool) -> Level {
    Level { outcome: outcome.0, level, float: u32::from(float), reserved: 0 }
}

//! Approach levels: which decisions lead to a target, and how many of them lie between.
//!
//! The target has level 0. The decisions that its block depends on have level 1, those that *their* blocks depend on level 2,
//! and so on; from a block that every call of its function comes to, the blocks that call the function carry
//! on. Sanitizer checks and decisions on constants are no levels.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use testwright_abi::fitness::Level;
use testwright_abi::hunt::MAX_LEVELS;
use testwright_base::graph::{CallGraph, FlowGraph, decision_flow};
use testwright_base::ids::{BlockId, FunctionId, OutcomeId, SiteId};
use testwright_base::site::{Site, SiteKind};
use testwright_base::subject::{Callee, Subject};

/// The targets of a function: outcomes of branches and switches in it and in what it may call.
#[derive(Debug)]
pub struct Targets<'a> {
    subject: &'a Subject,
    scope: BTreeSet<FunctionId>,
    flows: BTreeMap<FunctionId, FlowGraph>,
    floats: BTreeSet<SiteId>,
}

impl<'a> Targets<'a> {
    /// The targets that calls of `function` may reach.
    #[must_use]
    pub fn new(subject: &'a Subject, function: FunctionId) -> Targets<'a> {
        let mut scope: BTreeSet<FunctionId> =
            CallGraph::callees_from(subject, function).into_iter().collect();
        scope.insert(function);
        scope.retain(|function| subject.function(*function).is_named());
        let flows = scope.iter().map(|function| (*function, decision_flow(subject, *function))).collect();
        let floats = subject.sites.iter().filter_map(|site| match &site.kind {
            SiteKind::Compare { floats: true, feeds, .. } => *feeds,
            _ => None,
        });
        Targets { subject, scope, flows, floats: floats.collect() }
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
    pub fn levels(&self, target: OutcomeId) -> Vec<Level> {
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
            let Some(flow) = self.flows.get(&function) else { continue };
            for (source, position) in flow.dependences(block) {
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
            if flow.post_dominates(block, BlockId(0)) {
                open.extend(self.callers(function).map(|(caller, block)| (caller, block, next)));
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

    /// The blocks that call a function.
    fn callers(&self, callee: FunctionId) -> impl Iterator<Item = (FunctionId, BlockId)> + '_ {
        let calls = self.scope.iter().flat_map(|caller| {
            let calls = self.subject.function(*caller).calls.iter();
            calls.map(move |call| (*caller, call))
        });
        let calling = calls.filter(move |(_, call)| match &call.callee {
            Callee::Defined(function) => *function == callee,
            Callee::Pointer(candidates) => candidates.contains(&callee),
            Callee::External(_) => false,
        });
        calling.map(|(caller, call)| (caller, call.block))
    }
}

fn level(outcome: OutcomeId, level: u32, float: bool) -> Level {
    Level { outcome: outcome.0, level, float: u32::from(float), reserved: 0 }
}

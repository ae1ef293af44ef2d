//! A subject as a Markov chain: its blocks, and the outcomes of the branches between them.
//!
//! A block that a branch or switch ends leads to one state per outcome, and each of these to its block, so that goals are states.
//! A call adds the reward of the callee's entry to that of the calling block: what a call brings does not depend on
//! who calls, and control comes back. A call through a pointer adds a share of each function that it may enter; one that leads back into
//! its own loop or recursion adds nothing, and code outside the subject has no reward. Library models belong to the program, as in
//! the paper: their outcomes are no goals, but getting to new ones is what leads to new results of library functions.
//!
//! Runs are counted by what a trace shows: decisions that depend on inputs as often as they were made, others once
//! per run and outcome.

use super::markov::{Estimate, MarkovChain, State};
use super::rewards::Rewards;
use crate::coverage::Coverage;
use crate::execute::Traced;
use std::collections::{BTreeMap, BTreeSet};
use testwright_base::ids::{FunctionId, OutcomeId};
use testwright_base::subject::{Callee, Subject};
use testwright_logic::path::EventKind;

/// The chain of a subject, and what is expected where.
#[derive(Debug, Clone)]
pub struct Abstraction {
    rewards: Rewards,
    entry: State,
    /// Per outcome of a branch or switch: its state, and the state of the block that decides.
    outcomes: BTreeMap<OutcomeId, (State, State)>,
    /// Other goals, such as the outcomes of `?:` without a branch: the block that shows them.
    within: BTreeMap<OutcomeId, State>,
}

impl Abstraction {
    /// The abstraction of what a call of `function` may reach. What counts are the open goals.
    #[must_use]
    pub fn new(
        subject: &Subject,
        function: FunctionId,
        coverage: &Coverage,
        estimate: Estimate,
    ) -> Abstraction {
        let scope = Scope::new(subject, function, coverage);
        let layout = Layout::new(subject, &scope);
        let mut chain = MarkovChain::new(&layout.successors, estimate);
        for (caller, callee, share) in layout.calls(subject, &scope) {
            chain.add_call(caller, callee, share);
        }
        let entry = layout.starts.get(&function).copied().unwrap_or(0);
        let mut within = BTreeMap::new();
        let open = coverage.open_outcomes();
        for goal in open.iter().filter(|goal| !layout.outcomes.contains_key(goal)) {
            let site = subject.outcome(*goal).map(|(site, _)| &subject.sites[site.index()]);
            let start = site.and_then(|site| Some((layout.starts.get(&site.function)?, site.block.index())));
            within.extend(start.map(|(start, block)| (*goal, start + block)));
        }
        let mut rewards = Rewards::new(chain);
        (0..rewards.chain().len()).for_each(|state| rewards.set_worth(state, 0.0));
        for goal in &open {
            match (layout.outcomes.get(goal), within.get(goal)) {
                (Some((state, _)), _) => rewards.set_worth(*state, 1.0),
                (None, Some(block)) => rewards.set_worth(*block, rewards.worth(*block) + 1.0),
                (None, None) => {}
            }
        }
        for site in subject.sites.iter().filter(|site| subject.function(site.function).model) {
            let states = site.outcomes().filter_map(|outcome| layout.outcomes.get(&outcome));
            states.for_each(|(state, _)| rewards.set_worth(*state, 1.0));
        }
        rewards.update();
        Abstraction { rewards, entry, outcomes: layout.outcomes, within }
    }

    /// Learns from a run, and from what it was the first to hit.
    pub fn ran(&mut self, subject: &Subject, traced: &Traced, news: &[OutcomeId]) {
        let mut traced_sites = BTreeSet::new();
        for step in traced.path.steps() {
            let decides = matches!(step.kind, EventKind::Branch | EventKind::Switch);
            let site = step.site.filter(|_| decides).and_then(|site| subject.sites.get(site as usize));
            if let Some(site) = site {
                let outcome = OutcomeId(site.first_outcome.0 + u32::from(step.outcome));
                traced_sites.insert(site.first_outcome);
                self.observe(outcome);
                // What library models hit is not among the outcomes of a run.
                if subject.function(site.function).model {
                    self.meet(outcome);
                }
            }
        }
        for outcome in &traced.outcomes {
            let site = subject.outcome(*outcome).map(|(site, _)| subject.sites[site.index()].first_outcome);
            if site.is_some_and(|site| !traced_sites.contains(&site)) {
                self.observe(*outcome);
            }
        }
        news.iter().for_each(|outcome| self.meet(*outcome));
        self.rewards.update();
    }

    /// What is expected where.
    #[must_use]
    pub fn rewards(&self) -> &Rewards {
        &self.rewards
    }

    /// Where runs begin.
    #[must_use]
    pub fn entry(&self) -> State {
        self.entry
    }

    /// The state of an outcome of a branch or switch, if it counts and no run had it.
    #[must_use]
    pub fn uncovered(&self, outcome: OutcomeId) -> Option<State> {
        let state = self.outcomes.get(&outcome).map(|(state, _)| *state);
        state.filter(|state| self.rewards.worth(*state) > 0.0)
    }

    fn observe(&mut self, outcome: OutcomeId) {
        if let Some((state, block)) = self.outcomes.get(&outcome).copied()
            && let Some(edge) = self.rewards.chain().edge(block, state)
        {
            self.rewards.observe(block, edge, 1);
        }
    }

    fn meet(&mut self, outcome: OutcomeId) {
        if let Some((state, _)) = self.outcomes.get(&outcome) {
            self.rewards.set_worth(*state, 0.0);
        } else if let Some(block) = self.within.remove(&outcome) {
            self.rewards.set_worth(block, self.rewards.worth(block) - 1.0);
        }
    }
}

/// The functions that a call may reach, library models included; those whose goals are not searched for from here have no reward.
struct Scope {
    functions: BTreeSet<FunctionId>,
    /// The models of library functions, by name.
    models: BTreeMap<String, FunctionId>,
}

impl Scope {
    fn new(subject: &Subject, function: FunctionId, coverage: &Coverage) -> Scope {
        let models = subject.functions.iter().enumerate().filter(|(_, function)| function.model);
        let name = |name: &str| name.strip_prefix("tw_model_").unwrap_or(name).to_owned();
        let models = models.map(|(index, function)| (name(&function.name), FunctionId::of(index))).collect();
        let mut scope = Scope { functions: BTreeSet::new(), models };
        let mut open = vec![function];
        while let Some(function) = open.pop() {
            if scope.functions.insert(function) {
                let calls = subject.function(function).calls.iter();
                let callees = calls.flat_map(|call| scope.callees(&call.callee));
                let is_meant = |callee: &FunctionId| {
                    !subject.function(*callee).is_named() || coverage.scope().contains(callee)
                };
                open.extend(callees.filter(is_meant));
            }
        }
        scope
    }

    fn callees(&self, callee: &Callee) -> Vec<FunctionId> {
        match callee {
            Callee::Defined(function) => vec![*function],
            Callee::Pointer(candidates) => candidates.clone(),
            Callee::External(name) => self.models.get(name).copied().into_iter().collect(),
        }
    }
}

/// Which states there are: the blocks of the functions in scope, then the outcomes.
struct Layout {
    starts: BTreeMap<FunctionId, State>,
    successors: Vec<Vec<State>>,
    outcomes: BTreeMap<OutcomeId, (State, State)>,
}

impl Layout {
    fn new(subject: &Subject, scope: &Scope) -> Layout {
        let mut layout =
            Layout { starts: BTreeMap::new(), successors: Vec::new(), outcomes: BTreeMap::new() };
        let mut count = 0;
        for function in &scope.functions {
            layout.starts.insert(*function, count);
            count += subject.function(*function).blocks.len();
        }
        layout.successors = vec![Vec::new(); count];
        for (function, start) in layout.starts.clone() {
            for (index, block) in subject.function(function).blocks.iter().enumerate() {
                let site = block.decides.and_then(|site| subject.sites.get(site.index()));
                let targets = block.successors.iter().map(|target| start + target.index());
                let targets: Vec<State> = targets.collect();
                match site.filter(|site| site.outcome_count as usize == targets.len()) {
                    Some(site) => layout.branch(start + index, site.outcomes(), &targets),
                    None => layout.successors[start + index] = distinct(targets),
                }
            }
        }
        layout
    }

    fn branch(&mut self, block: State, outcomes: impl Iterator<Item = OutcomeId>, targets: &[State]) {
        for (outcome, target) in outcomes.zip(targets) {
            let state = self.successors.len();
            self.successors.push(vec![*target]);
            self.successors[block].push(state);
            self.outcomes.insert(outcome, (state, block));
        }
    }

    /// Who calls whom, and which share of the calls it is.
    fn calls(&self, subject: &Subject, scope: &Scope) -> Vec<(State, State, f64)> {
        let mut calls = Vec::new();
        for (function, start) in &self.starts {
            for call in &subject.function(*function).calls {
                let callees = scope.callees(&call.callee);
                let share = 1.0 / callees.len().max(1) as f64;
                let entries = callees.iter().filter_map(|callee| self.starts.get(callee));
                calls.extend(entries.map(|entry| (start + call.block.index(), *entry, share)));
            }
        }
        calls
    }
}

fn distinct(mut states: Vec<State>) -> Vec<State> {
    states.sort_unstable();
    states.dedup();
    states
}

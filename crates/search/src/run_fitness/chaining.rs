//! Chains: what sets the variable that a target asks about, and where the target asks.
//!
//! The chaining approach of Ferguson and Korel (1996). A branch on a flag, on the state of a machine or on a counter depends on
//! decisions that came before: those on which the variable was set. The subject knows them by data dependence
//! ([`Subject::after`]). A sequence that should meet the target has to come through one of them, and then to
//! the target's predicate.
//!
//! A target waits until a run has come through one of them: what leads there is what is missing. Then splicing puts fragments that set the
//! variable before rounds that ask about it. A branch on the result of `strchr` or `strstr` works alike
//! (`crates/code/src/inspect/results.rs`): only matches of that function bring it closer.

use super::RunFitness;
use crate::approach::Levels;
use std::collections::BTreeSet;
use testwright_base::ids::{FunctionId, OutcomeId};
use testwright_base::subject::Subject;

/// What a target needs to happen, and in which order. Outcomes come with a level: 0 is the outcome that is meant,
/// and where it leaves no trace, because no input decides it directly, the outcomes that it depends on
/// stand for it, the nearest first.
#[derive(Debug, Clone, Default)]
pub struct Prerequisites {
    /// What sets the variable, for each place that does.
    setting: Vec<Levels>,
    /// What leads to the predicate that asks for it.
    asking: Levels,
    /// The models of library functions whose results the predicate asks about.
    models: Vec<FunctionId>,
}

impl Prerequisites {
    /// The outcomes that stand for setting the variable, given which outcomes leave a trace.
    #[must_use]
    pub fn setting(&self, leaves_trace: impl Fn(OutcomeId) -> bool) -> BTreeSet<OutcomeId> {
        self.setting.iter().flat_map(|levels| nearest(levels, &leaves_trace)).collect()
    }

    /// The outcomes that stand for asking.
    #[must_use]
    pub fn asking(&self, leaves_trace: impl Fn(OutcomeId) -> bool) -> BTreeSet<OutcomeId> {
        nearest(&self.asking, &leaves_trace)
    }

    /// Whether the predicate asks what this library function returned.
    #[must_use]
    pub fn asks_result_of(&self, model: FunctionId) -> bool {
        self.models.contains(&model)
    }

    /// Whether nothing is known to set the variable.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.setting.is_empty()
    }
}

/// The outcomes of the lowest level that leave a trace.
fn nearest(levels: &Levels, leaves_trace: &impl Fn(OutcomeId) -> bool) -> BTreeSet<OutcomeId> {
    let seen = || levels.iter().filter(|(outcome, _)| leaves_trace(*outcome));
    let lowest = seen().map(|(_, level)| *level).min();
    seen().filter(|(_, level)| Some(*level) == lowest).map(|(outcome, _)| *outcome).collect()
}

impl RunFitness {
    /// What a target needs to happen before, and in which order.
    #[must_use]
    pub fn prerequisites(&self, target: usize, subject: &Subject) -> Prerequisites {
        let outcome = self.targets[target].outcome;
        let with_own = |outcome: OutcomeId| {
            let own = std::iter::once((outcome, 0));
            let target = self.targets.iter().find(|target| target.outcome == outcome);
            own.chain(target.into_iter().flat_map(|target| target.levels.iter().copied())).collect()
        };
        let setting = subject.after(outcome).iter().map(|setting| with_own(*setting)).collect();
        let site = subject.outcome(outcome).map(|(site, _)| &subject.sites[site.index()]);
        let own = site.into_iter().flat_map(|site| site.outcomes().map(|outcome| (outcome, 0)));
        let asking = own.chain(self.targets[target].levels.iter().copied()).collect();
        let asked = subject.outcome(outcome).into_iter().flat_map(|(site, _)| subject.asks_results_of(site));
        Prerequisites { setting, asking, models: asked.collect() }
    }
}

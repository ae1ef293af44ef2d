//! The targets of an input search, and the levels by which the worker judges how close a run came.
//!
//! The target has level 0. The levels of the decisions that lead to it are those of [`Approach`], counted in decisions.

use crate::approach::{Approach, Count};
use crate::scope::scope;
use std::collections::BTreeSet;
use testwright_abi::fitness::Level;
use testwright_abi::target_search::MAX_LEVELS;
use testwright_base::ids::{FunctionId, OutcomeId, SiteId};
use testwright_base::site::{Compared, Site, SiteKind};
use testwright_base::subject::Subject;

/// The targets of a function: outcomes of branches and switches in it and in what it may call.
#[derive(Debug)]
pub struct Targets<'a> {
    subject: &'a Subject,
    scope: BTreeSet<FunctionId>,
    approach: Approach<'a>,
    /// The sites that compare floats.
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
            SiteKind::Compare { compared: Compared::Floats, feeds, .. } => *feeds,
            _ => None,
        });
        let approach = Approach::new(subject, &scope, Count::Decisions);
        Targets { subject, scope, approach, floats: floats.collect() }
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
        let mut levels = vec![(target, 0)];
        if self.scope.contains(&self.subject.sites[site.index()].function) {
            let above = self.approach.levels(target);
            levels.extend(above.into_iter().filter(|(outcome, _)| *outcome != target));
        }
        levels.truncate(MAX_LEVELS as usize);
        levels.into_iter().map(|(outcome, level)| self.level(outcome, level)).collect()
    }

    fn level(&self, outcome: OutcomeId, level: u32) -> Level {
        let site = self.subject.outcome(outcome).map(|(site, _)| site);
        let is_float = site.is_some_and(|site| self.floats.contains(&site));
        Level { outcome: outcome.0, level, float: u32::from(is_float), reserved: 0 }
    }
}

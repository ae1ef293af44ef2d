//! How close one run came to every outcome that it decided about.
//!
//! Taken from the trace: each evaluation of a predicate tells how far it was from each of its outcomes, and the
//! smallest counts. What the trace cannot see, decisions on values that control flow alone computed, is taken
//! from the outcomes hit and from distances that an untraced run measured.
//!
//! **Strings.** A branch on the result of `strcmp` or its like sees one byte difference only, or a flat truth value.
//! The model of the function compares byte by byte, at sites of its own, right before that branch. So if the last decisions
//! before a branch were a model's, the branch is farther away the fewer bytes matched: [`STRING_SPAN`]
//! divided by one more than their number, plus the distance of the last comparison scaled to a byte. Where the result itself
//! is concrete, such as the pointer that `strstr` returns, there is no such branch on the path. The measured distance has
//! to do, and a little less than one is added: the less, the longer the longest match that this function, or if nobody
//! knows which it was any function, found in the run.

use crate::distance::{FARTHEST, difference, distance};
use crate::execute::Traced;
use std::collections::BTreeMap;
use testwright_abi::expr::Op;
use testwright_base::ids::{FunctionId, OutcomeId};
use testwright_base::site::{Site, SiteKind};
use testwright_base::subject::Subject;
use testwright_logic::path::{EventKind, Step};

/// What a comparison of strings that fails at its first byte adds to the distance of a branch on its result.
pub const STRING_SPAN: f64 = 1024.0;

/// How close a run came to each outcome.
#[derive(Debug, Clone, Default)]
pub struct Distances {
    values: Vec<f64>,
}

impl Distances {
    /// The distance to an outcome: 0 if it was hit; none if its site was not reached.
    #[must_use]
    pub fn get(&self, outcome: OutcomeId) -> Option<f64> {
        self.values.get(outcome.index()).copied().filter(|value| value.is_finite())
    }

    /// What a traced run says, and `measured` by an untraced run of the same case.
    #[must_use]
    pub fn new(subject: &Subject, traced: &Traced, measured: &[(OutcomeId, u64)]) -> Distances {
        Distances::seen(subject, traced, measured, true)
    }

    pub(crate) fn seen(
        subject: &Subject,
        traced: &Traced,
        measured: &[(OutcomeId, u64)],
        sees_strings: bool,
    ) -> Distances {
        let mut distances = Distances { values: vec![f64::INFINITY; subject.outcome_count as usize] };
        let mut strings = Strings::default();
        let mut longest: BTreeMap<FunctionId, u32> = BTreeMap::new();
        for step in traced.path.steps() {
            let Some(site) = step.site.and_then(|site| subject.sites.get(site as usize)) else { continue };
            if subject.function(site.function).model {
                if !sees_strings {
                    continue;
                }
                strings.enter(site.function);
                strings.compared(traced, step);
                let by_model = longest.entry(site.function).or_default();
                *by_model = (*by_model).max(strings.in_a_row);
            } else {
                distances.decided(traced, site, step, strings.rest());
                strings = Strings::default();
            }
        }
        for (outcome, value) in measured {
            // Only where the trace is blind: there, values are exact and strings are seen.
            if distances.get(*outcome).is_none() {
                let site = subject.outcome(*outcome).map(|(site, _)| site);
                let models = site.into_iter().flat_map(|site| subject.asks_results_of(site));
                let matched = models.map(|model| longest.get(&model).copied().unwrap_or(0)).min();
                let matched = matched.or_else(|| longest.values().copied().max()).unwrap_or(0);
                let strings = 1.0 / f64::from(2 + matched);
                distances.lower(*outcome, *value as f64 + if *value > 0 { strings } else { 0.0 });
            }
        }
        for outcome in &traced.outcomes {
            distances.lower(*outcome, 0.0);
        }
        distances
    }

    fn decided(&mut self, traced: &Traced, site: &Site, step: &Step, strings: f64) {
        let exprs = &traced.exprs;
        let outcome = |index: u32| OutcomeId(site.first_outcome.0 + index);
        match (&site.kind, step.kind) {
            (SiteKind::Branch | SiteKind::Clause, EventKind::Branch)
            | (SiteKind::Compare { .. }, EventKind::Compare | EventKind::Branch) => {
                for index in 0..site.outcome_count.min(2) {
                    let plain = distance(exprs, step.expr, index == 0);
                    // The difference of two bytes must not outweigh how many bytes are the same.
                    let plain = if strings > 0.0 && plain < 256.0 { plain / 256.0 } else { plain };
                    self.lower(outcome(index), if plain > 0.0 { plain + strings } else { 0.0 });
                }
            }
            (SiteKind::Switch { cases, bits }, EventKind::Switch) => {
                let value = exprs.get(step.expr).value;
                for (index, case) in (0u32..).zip(cases) {
                    self.lower(outcome(index), difference(value, *case, *bits));
                }
                self.lower(outcome(cases.len() as u32), if cases.contains(&value) { 1.0 } else { 0.0 });
            }
            _ => {}
        }
    }

    fn lower(&mut self, outcome: OutcomeId, value: f64) {
        if let Some(lowest) = self.values.get_mut(outcome.index()) {
            *lowest = lowest.min(value.min(FARTHEST));
        }
    }
}

/// The comparisons that a library model made since the last decision of the code under test.
#[derive(Default)]
struct Strings {
    /// The model that compared last.
    model: Option<FunctionId>,
    seen: bool,
    matched: u32,
    /// Matches since the last mismatch.
    in_a_row: u32,
    last: f64,
}

impl Strings {
    /// A match does not go on in another model.
    fn enter(&mut self, model: FunctionId) {
        if self.model.replace(model) != Some(model) {
            self.in_a_row = 0;
        }
    }

    fn compared(&mut self, traced: &Traced, step: &Step) {
        if !matches!(step.kind, EventKind::Branch) {
            return;
        }
        self.seen = true;
        let mut expr = traced.exprs.get(step.expr);
        while let (Op::Not, Some(inner)) = (expr.op, expr.operands().next()) {
            expr = traced.exprs.get(inner);
        }
        let operands: Vec<_> = expr.operands().map(|operand| traced.exprs.get(operand)).collect();
        let [a, b] = operands.as_slice() else { return };
        // Comparisons with 0 look for the end of a string; they say nothing about likeness.
        if a.value == b.value && a.value != 0 {
            self.matched += 1;
            self.in_a_row += 1;
            self.last = 0.0;
        } else if b.value != 0 && a.value != 0 {
            self.in_a_row = 0;
            self.last = difference(a.value, b.value, a.width()).min(255.0) / 256.0;
        } else {
            self.last = difference(a.value, b.value, a.width()).min(255.0) / 256.0;
        }
    }

    fn rest(&self) -> f64 {
        if self.seen { STRING_SPAN / f64::from(1 + self.matched) + self.last } else { 0.0 }
    }
}

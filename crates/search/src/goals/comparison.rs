//! Comparison: both outcomes of every comparison whose result is computed with rather than branched on.

use super::Criterion;
use testwright_base::goal::{Goal, at_outcomes};
use testwright_base::site::SiteKind;
use testwright_base::subject::Subject;

/// The criterion.
pub struct Comparison;

impl Criterion for Comparison {
    fn name(&self) -> &'static str {
        "comparison"
    }

    fn about(&self) -> &'static str {
        "Both outcomes of every comparison whose result is computed with"
    }

    fn goals(&self, subject: &Subject) -> Vec<Goal> {
        let is_computed_with = |kind: &SiteKind| matches!(kind, SiteKind::Compare { chooses: false, .. });
        at_outcomes(subject, self.name(), |site| is_computed_with(&site.kind))
    }
}

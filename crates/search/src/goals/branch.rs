//! Branch: every way that a branch, a switch or a `?:` can go.

use super::Criterion;
use testwright_base::goal::{Goal, at_outcomes};
use testwright_base::subject::Subject;

/// The criterion.
pub struct Branch;

impl Criterion for Branch {
    fn name(&self) -> &'static str {
        "branch"
    }

    fn about(&self) -> &'static str {
        "Every way that a branch, a switch or a ?: can go"
    }

    fn is_decided_by_paths(&self, _: &Subject, _: &Goal) -> bool {
        true
    }

    fn goals(&self, subject: &Subject) -> Vec<Goal> {
        at_outcomes(subject, self.name(), |site| site.kind.is_branch())
    }
}

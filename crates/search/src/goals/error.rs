//! Error: every check that can fail, and every call of a function that ends the program as an error.

use super::Criterion;
use testwright_base::goal::{Goal, at_outcomes};
use testwright_base::site::SiteKind;
use testwright_base::subject::Subject;

/// The criterion.
pub struct Error;

impl Criterion for Error {
    fn name(&self) -> &'static str {
        "error"
    }

    fn about(&self) -> &'static str {
        "Every check that can fail, and every call of abort and the like"
    }

    fn is_decided_by_paths(&self, _: &Subject, _: &Goal) -> bool {
        true
    }

    fn goals(&self, subject: &Subject) -> Vec<Goal> {
        at_outcomes(subject, self.name(), |site| matches!(site.kind, SiteKind::Check(_) | SiteKind::Error))
    }
}

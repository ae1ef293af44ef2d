//! Mutation: small changes of the code, each of which some test should notice.
//!
//! A mutant is no place that a run comes to: whether a case kills one is told by runs of the build that holds them all. So the search
//! has no goals here. What follows it tries the mutants, varies cases to kill more of them, and counts
//! (`crates/engine/src/judge/mutants.rs`).

use super::Criterion;
use testwright_base::goal::Goal;
use testwright_base::subject::Subject;

/// The criterion.
pub struct Mutation;

impl Mutation {
    /// Its name.
    pub const NAME: &'static str = "mutation";
}

impl Criterion for Mutation {
    fn name(&self) -> &'static str {
        Mutation::NAME
    }

    fn about(&self) -> &'static str {
        "Small changes of the code that make a test fail"
    }

    fn goals(&self, _subject: &Subject) -> Vec<Goal> {
        Vec::new()
    }
}

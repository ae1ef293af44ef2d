//! Samples: many random runs inside the worker, of which only those count that hit what nobody has hit.

use super::{Batch, Draws, Session};
use crate::ExecError;
use crate::image::Image;
use std::collections::BTreeSet;
use testwright_abi::climb::Variable;
use testwright_abi::command::CommandKind;
use testwright_abi::draw::{Draw, Rng, value};
use testwright_base::build::Build;
use testwright_base::case::Case;
use testwright_base::ids::OutcomeId;

/// What is drawn, and what is looked for.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    /// The case whose scalars are drawn.
    pub case: &'a Case,
    /// The build that runs.
    pub build: Build,
    /// The scalars, none of them a pointer; see [`Image::variables`].
    pub variables: &'a [Variable],
    /// The outcomes that make a run worth keeping.
    pub open: &'a BTreeSet<OutcomeId>,
}

impl Session {
    /// Runs the case many times with its variables drawn at random. Runs are kept that hit an open outcome, and the first that
    /// end in another way than by returning. [`Draws::clear`] does not matter.
    ///
    /// # Errors
    /// If the case cannot be laid out or the worker fails.
    pub fn sample(&mut self, sample: &Sample<'_>, draws: Draws) -> Result<Batch, ExecError> {
        let mut plan = self.lay_out(sample.case, sample.build, CommandKind::Batch)?;
        plan.draws = sample.variables.iter().map(Variable::draw).collect();
        let mut marks = vec![1; self.subject.outcome_count as usize];
        for outcome in sample.open {
            if let Some(mark) = marks.get_mut(outcome.index()) {
                *mark = 0;
            }
        }
        self.worker.segment_mut().set_coverage(&marks);
        self.finish_batch(plan, Draws { clear: false, ..draws })
    }

    /// The case of an iteration of [`Session::sample`].
    ///
    /// # Errors
    /// If the case cannot be laid out.
    pub fn sampled(&self, sample: &Sample<'_>, seed: u64, iteration: u64) -> Result<Case, ExecError> {
        let image = Image::lay_out(&self.subject, sample.case)?;
        let mut rng = Rng::new(seed, iteration);
        let draws: Vec<Draw> = sample.variables.iter().map(Variable::draw).collect();
        let values: Vec<u64> = draws.iter().map(|draw| value(draw, &mut rng)).collect();
        Ok(image.with_values(&self.subject, sample.case, sample.variables, &values))
    }
}

//! Samples: many random runs inside the worker, of which only those count that hit what nobody has hit.

use super::{Batch, Draws, Session};
use crate::ExecError;
use crate::image::Image;
use std::collections::BTreeSet;
use testwright_abi::climb::Variable;
use testwright_abi::command::CommandKind;
use testwright_abi::draw::{Draw, DrawKind, Rng, value};
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
    /// For each of them, the earlier one of the same kind and size whose value it takes over, if it does.
    pub same: &'a [Option<usize>],
    /// The outcomes that make a run worth keeping.
    pub open: &'a BTreeSet<OutcomeId>,
}

impl Sample<'_> {
    fn same_as(&self, index: usize) -> Option<usize> {
        self.same.get(index).copied().flatten().filter(|other| *other < index)
    }

    fn draws(&self) -> Vec<Draw> {
        let draw = |(index, variable): (usize, &Variable)| match self.same_as(index) {
            Some(other) => {
                Draw { kind: DrawKind::Same as u32, low: self.variables[other].address, ..variable.draw() }
            }
            None => variable.draw(),
        };
        self.variables.iter().enumerate().map(draw).collect()
    }
}

impl Session {
    /// Runs the case many times with its variables drawn at random. Runs are kept that hit an open outcome, and the first that
    /// end in another way than by returning. [`Draws::clear`] does not matter.
    ///
    /// # Errors
    /// If the case cannot be laid out or the worker fails.
    pub fn sample(&mut self, sample: &Sample<'_>, draws: Draws) -> Result<Batch, ExecError> {
        let mut plan = self.lay_out(sample.case, sample.build, CommandKind::Batch)?;
        plan.draws = sample.draws();
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
        let mut values: Vec<u64> = Vec::new();
        for (index, variable) in sample.variables.iter().enumerate() {
            let same = sample.same_as(index).map(|other| values[other]);
            values.push(same.unwrap_or_else(|| value(&variable.draw(), &mut rng)));
        }
        Ok(image.with_values(&self.subject, sample.case, sample.variables, &values))
    }
}

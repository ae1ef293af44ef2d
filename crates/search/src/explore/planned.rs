//! A planned step: the best bid of random runs and flips.

use super::planner::Next;
use super::step::Origin;
use super::{Search, StepRecord, StopReason};
use crate::execute::Execute;
use crate::frontier::Pick;
use std::time::Instant;
use testwright_logic::solve::Solve;

impl Search<'_> {
    /// One step, chosen by the planner.
    pub(super) fn planned(
        &mut self,
        execute: &mut dyn Execute,
        solve: &mut dyn Solve,
        deadline: Option<Instant>,
    ) -> Result<StepRecord, StopReason> {
        let planner = self.planner.as_mut().ok_or(StopReason::Declined)?;
        let (next, bid) = planner.choose(self.subject, &self.tree);
        let record = match next {
            Next::Random => self.draw(execute)?,
            Next::Flip(node, outcome, operations) => {
                let pick = Pick { node, run: None, outcome };
                let record = self.flip(execute, solve, pick, deadline)?;
                if let (Some(planner), Some(flip)) = (&mut self.planner, &record.flip) {
                    planner.solved(&operations, flip.solver_time);
                }
                record
            }
        };
        Ok(StepRecord { bid: Some(bid), ..record })
    }

    /// A random run.
    fn draw(&mut self, execute: &mut dyn Execute) -> Result<StepRecord, StopReason> {
        let start = Instant::now();
        let planner = self.planner.as_mut().ok_or(StopReason::Declined)?;
        let Some(case) = planner.draw(execute, &self.runs, &mut self.random) else {
            // Nothing can be drawn and no flip is worth anything: larger cases are all that is left.
            return match self.larger.pop_front() {
                Some(case) => self.run_given(execute, case),
                None => Err(StopReason::Declined),
            };
        };
        match self.run_case(execute, case, Origin::Outside) {
            Ok(ran) => {
                self.counts.drawn += 1;
                if let Some(planner) = &mut self.planner {
                    planner.drew(start.elapsed());
                }
                Ok(self.accept(&ran))
            }
            Err(problem) => self.after_failure(None, problem),
        }
    }
}

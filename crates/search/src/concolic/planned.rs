//! A planned step: the best bid of random runs and flips.

use super::planner::Next;
use super::step::Origin;
use super::{Search, Source, StepRecord, StopReason};
use crate::execute::Execute;
use crate::frontier::Pick;
use std::time::Instant;
use testwright_base::case::Case;
use testwright_logic::solve::Solve;

impl Search<'_> {
    /// One step, chosen by the planner.
    pub(super) fn planned(
        &mut self,
        execute: &mut dyn Execute,
        solve: &mut dyn Solve,
        deadline: Option<Instant>,
    ) -> Result<StepRecord, StopReason> {
        let start = Instant::now();
        let planner = self.planner.as_mut().ok_or(StopReason::Declined)?;
        let (mut next, mut bid) = planner.choose(self.subject, &self.tree);
        self.counts.planning += start.elapsed();
        let mut drawn = None;
        if next == Next::Random {
            drawn = planner.draw(execute, &self.runs, &mut self.random);
            if drawn.is_none() {
                // Nothing can be drawn any more, which the planner now knows.
                (next, bid) = planner.choose(self.subject, &self.tree);
            }
        }
        let record = match (next, drawn) {
            (Next::Flip(node, outcome, operations), _) => {
                let pick = Pick { node, run: None, outcome };
                let record = self.flip(execute, solve, pick, deadline)?;
                if let (Some(planner), Some(flip)) = (&mut self.planner, &record.flip) {
                    planner.solved(&operations, flip.solver_time);
                }
                record
            }
            (Next::Random, Some(case)) => self.run_drawn(execute, case, start)?,
            (Next::Random, None) => {
                let case = self.larger.pop_front().ok_or(StopReason::Declined)?;
                return self.run_given(execute, case, Source::Grown);
            }
        };
        Ok(StepRecord { bid: Some(bid), ..record })
    }

    /// A random run; planning and drawing began at `start`.
    fn run_drawn(
        &mut self,
        execute: &mut dyn Execute,
        case: Case,
        start: Instant,
    ) -> Result<StepRecord, StopReason> {
        match self.run_case(execute, case, Origin::Outside) {
            Ok(ran) => {
                self.counts.drawn += 1;
                if let Some(planner) = &mut self.planner {
                    planner.drew(start.elapsed());
                }
                Ok(self.accept(Source::Drawn, &ran))
            }
            Err(problem) => self.after_failure(Source::Drawn, None, problem),
        }
    }
}

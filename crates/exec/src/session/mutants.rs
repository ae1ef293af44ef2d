//! Mutants: which of them a case kills, tried in the worker without a message per run.

use super::Session;
use crate::ExecError;
use testwright_abi::command::{CommandKind, status as exit};
use testwright_abi::mutant::result;
use testwright_base::build::Build;
use testwright_base::case::Case;
use testwright_base::ids::{GlobalId, MutantId};
use testwright_base::mutant::Shown;
use testwright_process::Answer;

impl Session {
    /// What a case shows of each of these mutants, if tests look at these globals. None if runs of the original differ from each
    /// other, or do not survive.
    ///
    /// # Errors
    /// If the case cannot be laid out, there are too many mutants, or the worker fails.
    pub fn try_mutants(
        &mut self,
        case: &Case,
        mutants: &[MutantId],
        globals: &[GlobalId],
    ) -> Result<Option<Vec<Shown>>, ExecError> {
        let list: Vec<u32> = mutants.iter().map(|mutant| mutant.0).collect();
        let mut shown = Vec::new();
        while shown.len() < list.len() {
            let first = shown.len();
            let mut plan = self.lay_out(case, Build::Mutants, CommandKind::Mutants)?;
            plan.looked_at = globals.to_vec();
            plan.command.clear = 0;
            plan.command.outcome_count = 0;
            plan.command.first = first as u64;
            plan.command.count = list.len() as u64;
            self.worker.segment_mut().set_mutants(&list)?;
            let answer = self.send(&mut plan)?;
            let results = self.worker.segment().mutant_results(list.len());
            let was_last = match answer {
                Answer::Done { .. } => list.len(),
                // What it had overwritten was noticed in the end.
                Answer::Died { status } if status.code() == Some(exit::DAMAGED) => list.len(),
                _ => {
                    let begun = self.worker.segment().status().iteration;
                    usize::try_from(begun).unwrap_or(first).clamp(first, list.len() - 1) + 1
                }
            };
            let known: Option<Vec<Shown>> =
                results[first..was_last].iter().map(|result| read(*result)).collect();
            let Some(known) = known else { return Ok(None) };
            shown.extend(known);
        }
        Ok(Some(shown))
    }
}

fn read(number: u8) -> Option<Shown> {
    match number {
        result::SAME => Some(Shown::Same),
        result::UNSEEN => Some(Shown::Unseen),
        result::KILLED => Some(Shown::Killed),
        _ => None,
    }
}

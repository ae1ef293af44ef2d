//! Runs that show more of a case than how it ends: whether it keeps to its own memory, which pointer it follows.

use super::Session;
use crate::ExecError;
use crate::image::{Image, Lacking};
use testwright_abi::command::CommandKind;
use testwright_base::build::Build;
use testwright_base::case::Case;
use testwright_base::ids::OutcomeId;
use testwright_base::run::End;

/// Where nothing lies in a worker: everything of ours lies above 4 GiB. Pointers that lead there are so far from each other.
const NOTHING_AT: u64 = 0x2000_0000;
const NOTHING: u64 = 0x10_0000;

impl Session {
    /// How a run ends that is not let near anything but the objects of the case and the blocks it allocated, and how these were laid
    /// out: one byte before the start of an object, or behind the end of a block, is a fault.
    ///
    /// # Errors
    /// As [`Session::run`].
    pub fn run_fenced(&mut self, case: &Case, build: Build) -> Result<(End, Image), ExecError> {
        let mut plan = self.lay_out(case, build, CommandKind::Run)?;
        plan.image = Image::lay_out_at_starts(&self.subject, case)?;
        plan.command.arguments = plan.image.arguments;
        plan.command.result = plan.image.result;
        plan.command.fenced = 1;
        let answer = self.send(&mut plan)?;
        let end = self.end(answer, &plan.image, &self.worker.segment().status());
        Ok((end, plan.image))
    }

    /// Which of these pointers a run follows, if they are all it lacks. Each is given an address of its own at which there is nothing,
    /// so the fault tells which it was. The outcomes that were hit until then are those of the run.
    ///
    /// # Errors
    /// As [`Session::run`].
    pub fn first_followed(
        &mut self,
        case: &Case,
        build: Build,
        pointers: &[Lacking],
    ) -> Result<Option<(usize, Vec<OutcomeId>)>, ExecError> {
        let mut plan = self.lay_out(case, build, CommandKind::Run)?;
        let leaves = plan.image.leaves(&self.subject, case);
        for (number, pointer) in (0..).zip(pointers) {
            let leaf = leaves.get(pointer.leaf as usize);
            leaf.into_iter().for_each(|leaf| plan.image.patch(leaf, (NOTHING_AT + number * NOTHING).into()));
        }
        let answer = self.send(&mut plan)?;
        let End::Signal { address, .. } = self.end(answer, &plan.image, &self.worker.segment().status())
        else {
            return Ok(None);
        };
        // Somewhat before an address belongs to it as well.
        let number = address
            .saturating_add(NOTHING / 2)
            .checked_sub(NOTHING_AT)
            .map(|distance| (distance / NOTHING) as usize);
        Ok(number.filter(|number| *number < pointers.len()).map(|number| (number, self.hit())))
    }
}

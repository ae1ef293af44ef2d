//! What a driver tells after it has checked what the function requires of its callers.

use super::ending::finish;
use crate::shared::{COMMAND, coverage, distances, end};
use testwright_abi::command::CommandKind;
use testwright_abi::control::EndKind;
use testwright_abi::memory::{DISTANCE_NONE, MAX_OUTCOMES};

/// A stated precondition does not hold for the case.
pub unsafe extern "C" fn c_tw_outside() -> ! {
    finish(end(EndKind::Outside))
}

/// The stated preconditions hold for the case. What they covered is forgotten; coverage that many runs share is left alone.
pub unsafe extern "C" fn c_tw_inside() {
    // SAFETY: the maps are mapped; the number of outcomes was checked when the command came.
    unsafe {
        let command = COMMAND.read();
        let is_single = [CommandKind::Run as u32, CommandKind::Trace as u32].contains(&command.kind);
        if is_single && command.clear == 1 {
            let outcomes = u64::from(command.outcome_count).min(MAX_OUTCOMES) as usize;
            coverage().write_bytes(0, outcomes);
            core::slice::from_raw_parts_mut(distances(), outcomes).fill(DISTANCE_NONE);
        }
    }
}

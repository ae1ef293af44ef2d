//! A target search: runs that are searched for one target, evaluated inside the worker without a message per run.
//!
//! The host describes variables and fitness in the area of target searches of the segment, then gives one of two commands: `Climb`
//! moves the [`Climber`] there on, `Score` evaluates rows of values. Progress stands in the area as
//! well, so that either can go on in the next process if a run takes its own with it.
//!
//! The fitness is either standard, from marks and distances of the [`Level`]s, or symbolic: instrumented code
//! that comes to a node of the target puts distances of path conditions into the distance cells and calls `path_distance`.

use crate::climb::Climber;
use crate::fitness::{Fitness, Level, standard};
use crate::memory::{SHARED_BASE, TARGET_SEARCH_OFFSET, TARGET_SEARCH_SIZE};

/// The start of the area of target searches.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TargetSearch {
    /// The outcome that is to be hit; instrumented code compares it with the targets that its nodes know.
    pub target: u32,
    /// 1: symbolic fitness, 0: standard.
    pub symbolic: u32,
    /// How many [`crate::climb::Variable`]s there are.
    pub variable_count: u32,
    /// How many [`Level`]s there are; also which marks and distances are cleared before each run.
    pub level_count: u32,
    /// Symbolic: how many nodes have path conditions.
    pub node_count: u32,
    /// `Score`: how many rows there are.
    pub row_count: u32,
    /// `Score`: how many of them are evaluated.
    pub row: u32,
    /// 1: stop also when a run ends in a way that is not among the known ones.
    pub stop_at_new_end: u32,
    /// `Climb`: stop after so many evaluations in all.
    pub evaluations: u64,
    /// Stop after so many nanoseconds.
    pub nanoseconds: u64,
    /// Symbolic: the best fitness of the run under way.
    pub fitness: Fitness,
    /// `Climb`: the state of the search.
    pub climber: Climber,
    /// Why the command ended; one of [`Stop`].
    pub stop: u32,
    /// How many entries of `known` count.
    pub known_count: u32,
    /// Ends that are known.
    pub known: [KnownEnd; MAX_KNOWN],
}

/// What tells one way of ending from another.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KnownEnd {
    /// As in [`crate::control::End`].
    pub kind: u32,
    /// As there.
    pub code: i32,
    /// As there.
    pub site: u32,
}

/// Why a command of a target search ended.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It has not ended, or its process died.
    None = 0,
    /// The target was hit; values or row are those that did.
    Hit = 1,
    /// All evaluations are done.
    Evaluations = 2,
    /// The time is over.
    Time = 3,
    /// The last run ended in a new way.
    NewEnd = 4,
}

/// The fitness of the run that is over.
#[inline]
pub fn judge(
    search: &TargetSearch,
    levels: &[Level],
    is_hit: impl Fn(u32) -> bool,
    distance: impl Fn(u32) -> Option<u64>,
) -> Fitness {
    if is_hit(search.target) {
        return Fitness::HIT;
    }
    // Path conditions are approximate: that they all hold does not mean that the target was hit.
    let least = Fitness::new(0, 1);
    if search.symbolic == 1 {
        search.fitness.max(least)
    } else {
        standard(levels, is_hit, distance).max(least)
    }
}

/// How many ends can be known.
pub const MAX_KNOWN: usize = 32;
/// How many variables a target search may have.
pub const MAX_VARIABLES: u64 = 8192;
/// How many levels a target may have.
pub const MAX_LEVELS: u64 = 4096;
/// How many rows one command may evaluate.
pub const MAX_ROWS: u64 = 4096;
/// How many values all rows may have together.
pub const MAX_ROW_VALUES: u64 = (TARGET_SEARCH_OFFSET + TARGET_SEARCH_SIZE - ROWS_OFFSET) / 8;
/// How many words the path conditions of a target may take.
pub const MAX_WORDS: u64 = 0x14_0000 / 4;
/// How many nodes a target may have.
pub const MAX_NODES: u64 = 4096;

/// Offset of the variables in the segment.
pub const VARIABLES_OFFSET: u64 = TARGET_SEARCH_OFFSET + 0x1_0000;
/// Offset of the levels.
pub const LEVELS_OFFSET: u64 = TARGET_SEARCH_OFFSET + 0x9_0000;
/// Offset of the values of the climber, one `u64` per variable.
pub const VALUES_OFFSET: u64 = TARGET_SEARCH_OFFSET + 0xa_0000;
/// Offset of the starts of each node's words, and one more for the end.
pub const NODES_OFFSET: u64 = TARGET_SEARCH_OFFSET + 0xb_0000;
/// Offset of the words of path conditions, see [`crate::fitness::over_paths`].
pub const WORDS_OFFSET: u64 = TARGET_SEARCH_OFFSET + 0xc_0000;
/// Offset of the distance cells that instrumented code fills.
pub const CELLS_OFFSET: u64 = TARGET_SEARCH_OFFSET + 0x20_0000;
/// Offset of the fitness of the rows.
pub const SCORES_OFFSET: u64 = TARGET_SEARCH_OFFSET + 0x22_0000;
/// Offset of the rows, one `u64` per variable each.
pub const ROWS_OFFSET: u64 = TARGET_SEARCH_OFFSET + 0x24_0000;

/// Address of [`TargetSearch::target`] in the worker.
pub const TARGET_ADDRESS: u64 =
    SHARED_BASE + TARGET_SEARCH_OFFSET + core::mem::offset_of!(TargetSearch, target) as u64;
/// Address of the distance cells in the worker.
pub const CELLS_ADDRESS: u64 = SHARED_BASE + CELLS_OFFSET;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::climb::Variable;

    #[test]
    fn the_parts_of_the_hunt_area_do_not_overlap() {
        let parts = [
            (TARGET_SEARCH_OFFSET, size_of::<TargetSearch>() as u64),
            (VARIABLES_OFFSET, MAX_VARIABLES * size_of::<Variable>() as u64),
            (LEVELS_OFFSET, MAX_LEVELS * size_of::<Level>() as u64),
            (VALUES_OFFSET, MAX_VARIABLES * 8),
            (NODES_OFFSET, (MAX_NODES + 1) * 4),
            (WORDS_OFFSET, MAX_WORDS * 4),
            (CELLS_OFFSET, crate::fitness::MAX_CONDITIONS as u64 * 8),
            (SCORES_OFFSET, MAX_ROWS * size_of::<Fitness>() as u64),
            (ROWS_OFFSET, MAX_ROW_VALUES * 8),
            (TARGET_SEARCH_OFFSET + TARGET_SEARCH_SIZE, 0),
        ];
        for pair in parts.windows(2) {
            assert!(pair[0].0 + pair[0].1 <= pair[1].0, "{pair:x?}");
        }
    }
}

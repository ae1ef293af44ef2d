//! Random numbers that depend on the query alone, so that the same query has the same answer.

use super::super::program::Program;

/// A generator of the `splitmix64` family.
#[derive(Debug, Clone, Copy)]
pub(super) struct Random(u64);

impl Random {
    /// Starts from what the program is about.
    pub(super) fn new(program: &Program) -> Random {
        let mut random = Random(program.places.len() as u64);
        for variable in &program.variables {
            random.0 ^= variable.current as u64 ^ u64::from(variable.index) << 32;
            random.next();
        }
        random
    }

    /// The next number.
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `end`, which is not 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// All 128 bits.
    pub(super) fn bits(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }
}

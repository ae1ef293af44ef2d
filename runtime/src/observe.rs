//! What a test could observe of a run, as a number: how it ended, the result, the objects and globals afterwards, the heap blocks
//! that can be reached from them, and which stubs were called.
//!
//! A heap block counts by its contents, not by its address. What was never written in it does not count.

use std::ptr::with_exposed_provenance;

use testwright_abi::command::Span;

use crate::protect::Way;
use crate::replacements::{heap, stubs};
use crate::request::{Read, Request};
use crate::shared::{control, freed};

/// So many bytes of a global are looked at that the result points to,
const MOST_BEHIND: u64 = 1 << 10;
/// and so many heap blocks,
const MOST_BLOCKS: usize = 64;
/// with so many bytes of each.
const MOST_BYTES: u64 = 1 << 14;

/// What a run shows. No code under test may be running.
pub fn observed(request: &Request, way: Way) -> u64 {
    let mut digest = Digest(1);
    // SAFETY: the control block is mapped.
    let end = unsafe { (*control()).end };
    digest.word(u64::from(end.kind) << 32 | u64::from(end.code as u32));
    for stub in stubs::called() {
        digest.word(u64::from(*stub));
    }
    if way == Way::Returned {
        let mut blocks = Blocks::default();
        for (index, object) in request.objects.iter().enumerate() {
            // SAFETY: there is a mark for each object.
            let is_freed = unsafe { freed().add(index).read() } != 0;
            digest.word(u64::from(is_freed));
            if !is_freed {
                blocks.scan(*object, &mut digest);
            }
        }
        request.reads.iter().filter_map(Read::global).for_each(|global| blocks.scan(global, &mut digest));
        let behind = request.global_behind_result().into_iter();
        behind
            .map(|span| Span { length: span.length.min(MOST_BEHIND), ..span })
            .for_each(|span| blocks.scan(span, &mut digest));
        let mut next = 0;
        while let Some(block) = blocks.known.get(next).copied() {
            blocks.scan(block, &mut digest);
            next += 1;
        }
    }
    digest.0
}

/// The heap blocks that were found so far.
#[derive(Default)]
struct Blocks {
    known: Vec<Span>,
}

impl Blocks {
    /// Adds what stands in a piece of memory. Words that lead to blocks count by which block that is.
    fn scan(&mut self, piece: Span, digest: &mut Digest) {
        let place = with_exposed_provenance::<u8>(piece.address as usize);
        // SAFETY: objects, globals and live blocks are accessible, and nothing is running.
        let bytes = unsafe { core::slice::from_raw_parts(place, piece.length as usize) };
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            let word = u64::from_le_bytes(word.try_into().unwrap_or_default());
            digest.word(self.block(word).map_or(word, |index| index as u64));
        }
        for byte in words.remainder() {
            digest.word(u64::from(*byte));
        }
    }

    /// The number of the block that begins at an address.
    fn block(&mut self, address: u64) -> Option<usize> {
        if !heap::holds(address) {
            return None;
        }
        if let Some(index) = self.known.iter().position(|block| block.address == address) {
            return Some(index);
        }
        let length = heap::written(address, MOST_BYTES)?;
        if self.known.len() == MOST_BLOCKS {
            return Some(MOST_BLOCKS);
        }
        self.known.push(Span { address, length });
        Some(self.known.len() - 1)
    }
}

/// A number that differs, most likely, where what goes into it differs.
pub struct Digest(pub u64);

impl Digest {
    /// Adds a word.
    #[inline]
    pub fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_zeros_count() {
        let digest = |words: &[u64]| {
            let mut digest = Digest(1);
            words.iter().for_each(|word| digest.word(*word));
            digest.0
        };
        assert_ne!(digest(&[1, 2]), digest(&[2, 1]));
        assert_ne!(digest(&[0]), digest(&[0, 0]));
        assert_eq!(digest(&[7, 0, 9]), digest(&[7, 0, 9]));
    }
}

//! The index of nodes by what they are: an open hash table of handles, private to the process.
//!
//! A slot holds a handle and some bits of the hash, 0 if it is vacant. The table is as large as the run needs:
//! it grows when a quarter full, and starts with the size that the run before it needed. It is sparse
//! so that most searches end at the first slot, and a branch that always goes one way costs nothing.

use std::io;

use testwright_abi::expr::{Node, Op};
use testwright_abi::memory::MAX_NODES;

use super::region;

const HANDLE_BITS: u32 = MAX_NODES.trailing_zeros();
const MAX_SLOTS: usize = 4 * MAX_NODES as usize;
const MIN_SLOTS: usize = 1 << 10;

/// Where nodes are found.
pub(super) struct Index {
    slots: &'static mut [u32],
    /// Number of slots in use, less one; a power of two, less one.
    last_slot: usize,
}

/// A free slot, and what to put there besides the handle.
pub(super) struct Vacancy {
    slot: usize,
    fragment: u32,
}

impl Index {
    pub(super) const fn unmapped() -> Index {
        Index { slots: &mut [], last_slot: 0 }
    }

    pub(super) fn map() -> io::Result<Index> {
        Ok(Index { slots: region::reserve(MAX_SLOTS)?, last_slot: MIN_SLOTS - 1 })
    }

    /// Forgets all nodes; `previous` is how many there were.
    pub(super) fn clear(&mut self, previous: u32) {
        self.slots[..=self.last_slot].fill(0);
        let wanted = (4 * previous as usize).next_power_of_two();
        self.last_slot = wanted.clamp(MIN_SLOTS, MAX_SLOTS) - 1;
    }

    /// The handle of the node with this key, or where to enter it.
    #[inline]
    pub(super) fn find(&self, key: Key, nodes: &[Node]) -> Result<u32, Vacancy> {
        let hash = key.hash();
        let fragment = fragment(hash);
        let mut probe = Probe::new(key, hash, self.last_slot);
        loop {
            let slot = self.slots[probe.slot];
            if slot == 0 {
                return Err(Vacancy { slot: probe.slot, fragment });
            }
            let handle = slot ^ fragment;
            if u64::from(handle) < MAX_NODES && Key::of(&nodes[handle as usize]) == key {
                return Ok(handle);
            }
            probe.advance(hash, self.last_slot);
        }
    }

    /// Enters the latest of `nodes`, just made.
    #[inline]
    pub(super) fn enter(&mut self, vacancy: Vacancy, handle: u32, nodes: &[Node]) {
        self.slots[vacancy.slot] = vacancy.fragment | handle;
        if 4 * handle as usize > self.last_slot {
            self.grow(&nodes[..=handle as usize]);
        }
    }

    /// Makes the table four times larger and enters these nodes again.
    #[cold]
    fn grow(&mut self, nodes: &[Node]) {
        if self.last_slot + 1 >= MAX_SLOTS {
            return;
        }
        self.slots[..=self.last_slot].fill(0);
        self.last_slot = (4 * (self.last_slot + 1)).min(MAX_SLOTS) - 1;
        for (handle, node) in nodes.iter().enumerate().skip(1) {
            // Inputs are made at the start, once each, and never looked for.
            if node.op != Op::Input as u8
                && let Err(vacancy) = self.find(Key::of(node), nodes)
            {
                self.slots[vacancy.slot] = vacancy.fragment | handle as u32;
            }
        }
    }
}

/// Hash bits kept in a slot: they tell most other nodes apart without looking at them.
#[inline]
fn fragment(hash: u64) -> u32 {
    (hash >> 32) as u32 >> HANDLE_BITS << HANDLE_BITS
}

/// The slots where a node may be, one after the other.
///
/// Most new nodes use recent ones. Slots near the number of the latest operand are therefore tried
/// first: they are in the cache. When those are taken, the hash decides.
struct Probe {
    slot: usize,
    near: u32,
}

impl Probe {
    #[inline]
    fn new(key: Key, hash: u64, last_slot: usize) -> Probe {
        let latest = (key.low >> 32).max(key.high & 0xffff_ffff) as usize;
        Probe { slot: (4 * latest + (hash as usize & 31)) & last_slot, near: 8 }
    }

    #[inline]
    fn advance(&mut self, hash: u64, last_slot: usize) {
        self.near = self.near.wrapping_sub(1);
        self.slot = if self.near == 0 { hash as usize >> 8 } else { self.slot + 1 } & last_slot;
    }
}

/// What makes a node: its first 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    low: u64,
    high: u64,
}

impl Key {
    #[inline]
    pub(super) fn new(op: Op, width: u16, a: u32, b: u32, c: u32) -> Key {
        let low = op as u64 | u64::from(width) << 16 | u64::from(a) << 32;
        Key { low, high: u64::from(b) | u64::from(c) << 32 }
    }

    /// As it is, of the libm function with this number.
    pub(super) fn with_function(self, function: u8) -> Key {
        Key { low: self.low | u64::from(function) << 8, ..self }
    }

    #[inline]
    pub(super) fn width(self) -> u16 {
        (self.low >> 16) as u16
    }

    #[inline]
    pub(super) fn of(node: &Node) -> Key {
        let low = u64::from(node.op)
            | u64::from(node.function) << 8
            | u64::from(node.width) << 16
            | u64::from(node.a) << 32;
        Key { low, high: u64::from(node.b) | u64::from(node.c) << 32 }
    }

    #[inline]
    pub(super) fn node(self, value: u128) -> Node {
        Node {
            op: self.low as u8,
            function: (self.low >> 8) as u8,
            width: (self.low >> 16) as u16,
            a: (self.low >> 32) as u32,
            b: self.high as u32,
            c: (self.high >> 32) as u32,
            value,
        }
    }

    /// Both halves of a 128-bit product, so that every bit of the key reaches every bit of the hash.
    #[inline]
    fn hash(self) -> u64 {
        let product =
            u128::from(self.low ^ 0x9e37_79b9_7f4a_7c15) * u128::from(self.high ^ 0xd1b5_4a32_d192_ed03);
        (product >> 64) as u64 ^ product as u64
    }
}

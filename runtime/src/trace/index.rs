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
/// How many slots from the first one on are tried before the hash decides.
const NEAR: u32 = 8;

type Nodes = [Node; MAX_NODES as usize];

/// Where nodes are found.
pub(super) struct Index {
    slots: &'static mut [u32; MAX_SLOTS],
    /// Number of slots in use, less one; a power of two, less one.
    last_slot: usize,
}

/// What is in a slot, for one who looks for a node.
enum Seen {
    /// The node, with this handle.
    Node(u32),
    Another,
    Nothing,
}

/// A free slot, and what to put there besides the handle.
pub(super) struct Vacancy {
    slot: usize,
    fragment: u32,
}

impl Index {
    pub(super) fn map() -> io::Result<Index> {
        let slots = region::reserve(MAX_SLOTS)?.try_into().expect("as long as asked for");
        Ok(Index { slots, last_slot: MIN_SLOTS - 1 })
    }

    /// Forgets all nodes; `previous` is how many there were.
    pub(super) fn clear(&mut self, previous: u32) {
        self.slots[..=self.last_slot].fill(0);
        let wanted = (4 * previous as usize).next_power_of_two();
        self.last_slot = wanted.clamp(MIN_SLOTS, MAX_SLOTS) - 1;
    }

    /// The handle of the node with this key, or where to enter it.
    #[inline]
    pub(super) fn find(&self, key: Key, nodes: &Nodes) -> Result<u32, Vacancy> {
        let hash = key.hash();
        let home = Vacancy { slot: key.home(hash) & self.last_slot, fragment: fragment(hash) };
        match self.look(&home, key, nodes) {
            Seen::Node(handle) => Ok(handle),
            Seen::Nothing => Err(home),
            Seen::Another => self.search(home, hash, key, nodes),
        }
    }

    /// As `find`, when another node is at home where this one should be.
    #[inline(never)]
    fn search(&self, home: Vacancy, hash: u64, key: Key, nodes: &Nodes) -> Result<u32, Vacancy> {
        let mut place = home;
        let mut near = NEAR;
        loop {
            near = near.wrapping_sub(1);
            place.slot = if near == 0 { hash as usize >> 8 } else { place.slot + 1 } & self.last_slot;
            match self.look(&place, key, nodes) {
                Seen::Node(handle) => return Ok(handle),
                Seen::Nothing => return Err(place),
                Seen::Another => {}
            }
        }
    }

    #[inline]
    fn look(&self, place: &Vacancy, key: Key, nodes: &Nodes) -> Seen {
        let slot = self.slots[place.slot % MAX_SLOTS];
        let handle = slot ^ place.fragment;
        if slot == 0 {
            Seen::Nothing
        } else if u64::from(handle) < MAX_NODES && Key::of(&nodes[handle as usize]) == key {
            Seen::Node(handle)
        } else {
            Seen::Another
        }
    }

    /// Enters the node `handle`, the latest, where it was not found.
    #[inline]
    pub(super) fn enter(&mut self, vacancy: &Vacancy, handle: u32, nodes: &Nodes) {
        self.slots[vacancy.slot % MAX_SLOTS] = vacancy.fragment | handle;
        if 4 * handle as usize > self.last_slot {
            self.grow(handle, nodes);
        }
    }

    /// Makes the table four times larger and enters all nodes up to `last` again.
    #[cold]
    fn grow(&mut self, last: u32, nodes: &Nodes) {
        if self.last_slot + 1 >= MAX_SLOTS {
            return;
        }
        self.slots[..=self.last_slot].fill(0);
        self.last_slot = (4 * (self.last_slot + 1)).min(MAX_SLOTS) - 1;
        for handle in 1..=last {
            let node = &nodes[handle as usize];
            // Inputs are made at the start, once each, and never looked for.
            if node.op != Op::Input as u8
                && let Err(vacancy) = self.find(Key::of(node), nodes)
            {
                self.slots[vacancy.slot] = vacancy.fragment | handle;
            }
        }
    }
}

/// Hash bits kept in a slot: they tell most other nodes apart without looking at them.
#[inline]
fn fragment(hash: u64) -> u32 {
    (hash >> 32) as u32 >> HANDLE_BITS << HANDLE_BITS
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

    /// The slot to look in first.
    ///
    /// Most new nodes use a recent one and a constant or another recent one. The sum of their numbers grows
    /// with time then, and nodes made together lie together: in the cache, however large the table is.
    #[inline]
    fn home(self, hash: u64) -> usize {
        let sum = (self.low >> 32) + (self.high & 0xffff_ffff) + (self.high >> 32);
        16 * sum as usize + (hash as usize & 63)
    }

    /// Both halves of a 128-bit product, so that every bit of the key reaches every bit of the hash.
    #[inline]
    fn hash(self) -> u64 {
        let product =
            u128::from(self.low ^ 0x9e37_79b9_7f4a_7c15) * u128::from(self.high ^ 0xd1b5_4a32_d192_ed03);
        (product >> 64) as u64 ^ product as u64
    }
}

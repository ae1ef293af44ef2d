//! Hash consing: nodes that agree in operation and operands are one node.
//!
//! Nodes lie in the shared segment. A private table of slots finds a node by its first 16 bytes. A slot
//! packs an epoch, some bits of the hash and the handle; slots of other epochs are free, so that
//! a new run costs nothing. The table is as large as the run needs: it grows when half full, and
//! starts with the size that the run before it needed.

use std::io;

use testwright_abi::expr::{Node, Op};
use testwright_abi::memory::MAX_NODES;

use super::counters;
use super::region;
use super::term::{Term, mask};

const HANDLE_BITS: u32 = MAX_NODES.trailing_zeros();
/// Hash bits kept in a slot: they tell most other nodes apart without looking at them.
const FRAGMENT_BITS: u32 = 22;
const EPOCH_SHIFT: u32 = HANDLE_BITS + FRAGMENT_BITS;
const LAST_EPOCH: u64 = u64::MAX >> EPOCH_SHIFT;
const MAX_SLOTS: usize = 2 * MAX_NODES as usize;
const MIN_SLOTS: usize = 1 << 10;

/// The nodes of the run under way.
pub(super) struct Arena {
    nodes: &'static mut [Node],
    slots: &'static mut [u64],
    /// Number of slots in use, less one; a power of two, less one.
    last_slot: usize,
    epoch: u64,
}

impl Arena {
    pub(super) const fn unmapped() -> Arena {
        Arena { nodes: &mut [], slots: &mut [], last_slot: 0, epoch: 0 }
    }

    /// # Safety
    /// As for [`region::nodes`].
    pub(super) unsafe fn map() -> io::Result<Arena> {
        let slots = region::reserve(MAX_SLOTS)?;
        // SAFETY: by contract.
        let nodes = unsafe { region::nodes() };
        Ok(Arena { nodes, slots, last_slot: MIN_SLOTS - 1, epoch: 0 })
    }

    /// Forgets all nodes; `previous` is how many there were.
    pub(super) fn clear(&mut self, previous: u32) {
        let wanted = (2 * previous as usize).next_power_of_two();
        self.last_slot = wanted.clamp(MIN_SLOTS, MAX_SLOTS) - 1;
        self.start_epoch();
    }

    fn start_epoch(&mut self) {
        if self.epoch == LAST_EPOCH {
            self.slots.fill(0);
            self.epoch = 0;
        }
        self.epoch += 1;
    }

    /// The node of `handle`, which is not 0.
    #[inline]
    pub(super) fn node(&self, handle: u32) -> Node {
        self.nodes[handle as usize]
    }

    /// The operand with this handle, which is not 0; constants lose their handle.
    #[inline]
    pub(super) fn term(&self, handle: u32) -> Term {
        let node = &self.nodes[handle as usize];
        let handle = if self.is_constant(node) { 0 } else { handle };
        Term { value: node.value, handle, width: node.width }
    }

    #[inline]
    fn is_constant(&self, node: &Node) -> bool {
        let constant = Op::Const as u8;
        node.op == constant
            || (node.op == Op::Concat as u8
                && self.nodes[node.a as usize].op == constant
                && self.nodes[node.b as usize].op == constant)
    }

    /// The handle for `term` as an operand; constants get a node. 0 if there is no room.
    #[inline]
    fn operand(&mut self, term: Term) -> u32 {
        if term.handle == 0 { self.constant(term) } else { term.handle }
    }

    fn constant(&mut self, term: Term) -> u32 {
        if term.width <= 64 {
            let key = Key::new(Op::Const, term.width, 0, term.value as u32, (term.value >> 32) as u32);
            return self.intern(key, term.value);
        }
        let high = self.constant(Term::constant(term.value >> 64, term.width - 64));
        let low = self.constant(Term::constant(term.value, 64));
        self.intern(Key::new(Op::Concat, term.width, high, low, 0), term.value)
    }

    /// The node `op(x)`.
    pub(super) fn one(&mut self, op: Op, width: u16, x: Term, value: u128) -> Term {
        let a = self.operand(x);
        self.build(Key::new(op, width, a, 0, 0), value)
    }

    /// The node `op(x, y)`.
    pub(super) fn two(&mut self, op: Op, width: u16, x: Term, y: Term, value: u128) -> Term {
        let (a, b) = (self.operand(x), self.operand(y));
        self.build(Key::new(op, width, a, b, 0), value)
    }

    /// The node `op(x, y, z)`.
    pub(super) fn three(&mut self, op: Op, x: Term, y: Term, z: Term, value: u128) -> Term {
        let (a, b, c) = (self.operand(x), self.operand(y), self.operand(z));
        self.build(Key::new(op, y.width, a, b, c), value)
    }

    /// The node of the input with this number.
    pub(super) fn input(&mut self, number: u32, width: u16, value: u128) -> Term {
        self.build(Key::new(Op::Input, width, number, 0, 0), value)
    }

    /// The node that is `width` bits of `x` from bit `low`, just as it is.
    pub(super) fn slice(&mut self, x: Term, low: u16, width: u16, value: u128) -> Term {
        let a = self.operand(x);
        self.build(Key::new(Op::Extract, width, a, low.into(), 0), value)
    }

    /// The node that reads table number `table` at `offset`.
    pub(super) fn table_read(&mut self, table: u32, offset: Term, width: u16, value: u128) -> Term {
        let b = self.operand(offset);
        self.build(Key::new(Op::Table, width, table, b, 0), value)
    }

    /// The node that applies libm function number `function`; absent operands have width 0.
    pub(super) fn application(&mut self, function: u8, width: u16, terms: [Term; 3], value: u128) -> Term {
        let [a, b, c] = terms.map(|term| if term.width == 0 { 0 } else { self.operand(term) });
        let key = Key::new(Op::App, width, a, b, c);
        self.build(Key { low: key.low | u64::from(function) << 8, ..key }, value)
    }

    /// The term for a node; a constant if there is no room for it.
    #[inline]
    fn build(&mut self, key: Key, value: u128) -> Term {
        let width = (key.low >> 16) as u16;
        let value = value & mask(width);
        Term { value, handle: self.intern(key, value), width }
    }

    /// The handle of the node with this key, which is made if there is none; 0 if there is no room.
    #[inline]
    fn intern(&mut self, key: Key, value: u128) -> u32 {
        let hash = key.hash();
        let tag = self.epoch << EPOCH_SHIFT | hash >> (64 - FRAGMENT_BITS) << HANDLE_BITS;
        let mut probe = Probe::new(key, hash, self.last_slot);
        loop {
            let slot = self.slots[probe.index];
            let difference = slot ^ tag;
            if difference < MAX_NODES {
                if Key::of(&self.nodes[difference as usize]) == key {
                    return difference as u32;
                }
            } else if difference >> EPOCH_SHIFT != 0 {
                return self.append(probe.index, tag, key, value);
            }
            probe.advance(hash, self.last_slot);
        }
    }

    #[inline]
    fn append(&mut self, index: usize, tag: u64, key: Key, value: u128) -> u32 {
        let handle = counters::node_count();
        // The node is complete before it is counted: a run may end at any instruction.
        let Some(node) = self.nodes.get_mut(handle as usize) else {
            counters::overflow();
            return 0;
        };
        *node = key.node(value);
        self.slots[index] = tag | u64::from(handle);
        counters::set_node_count(handle + 1);
        if 2 * handle as usize >= self.last_slot {
            self.grow(handle);
        }
        handle
    }

    /// Makes the table four times larger; `last` is the last handle.
    #[cold]
    fn grow(&mut self, last: u32) {
        if self.last_slot + 1 >= MAX_SLOTS {
            return;
        }
        self.last_slot = (4 * (self.last_slot + 1)).min(MAX_SLOTS) - 1;
        self.start_epoch();
        for handle in 1..=last {
            let key = Key::of(&self.nodes[handle as usize]);
            let hash = key.hash();
            let mut probe = Probe::new(key, hash, self.last_slot);
            while self.slots[probe.index] >> EPOCH_SHIFT == self.epoch {
                probe.advance(hash, self.last_slot);
            }
            let fragment = hash >> (64 - FRAGMENT_BITS) << HANDLE_BITS;
            self.slots[probe.index] = self.epoch << EPOCH_SHIFT | fragment | u64::from(handle);
        }
    }
}

/// The slots where a node may be, one after the other.
///
/// Most new nodes use recent ones. Slots near the number of the latest operand are therefore tried
/// first: they are in the cache. When those are taken, the hash decides.
struct Probe {
    index: usize,
    near: u32,
}

impl Probe {
    #[inline]
    fn new(key: Key, hash: u64, last_slot: usize) -> Probe {
        let latest = (key.low >> 32).max(key.high & 0xffff_ffff) as usize;
        Probe { index: (2 * latest + (hash as usize & 31)) & last_slot, near: 8 }
    }

    #[inline]
    fn advance(&mut self, hash: u64, last_slot: usize) {
        self.near = self.near.wrapping_sub(1);
        self.index = if self.near == 0 { hash as usize >> 8 } else { self.index + 1 } & last_slot;
    }
}

/// What makes a node: its first 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    low: u64,
    high: u64,
}

impl Key {
    #[inline]
    fn new(op: Op, width: u16, a: u32, b: u32, c: u32) -> Key {
        let low = op as u64 | u64::from(width) << 16 | u64::from(a) << 32;
        Key { low, high: u64::from(b) | u64::from(c) << 32 }
    }

    #[inline]
    fn of(node: &Node) -> Key {
        let low = u64::from(node.op)
            | u64::from(node.function) << 8
            | u64::from(node.width) << 16
            | u64::from(node.a) << 32;
        Key { low, high: u64::from(node.b) | u64::from(node.c) << 32 }
    }

    #[inline]
    fn node(self, value: u128) -> Node {
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

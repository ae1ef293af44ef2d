//! Hash consing: nodes that agree in operation and operands are one node.
//!
//! Nodes lie in the shared segment; `index` finds them by what they are. Node 0 is never written and is of
//! no operation, so that a look at the node of a constant term finds nothing.

use std::io;

use testwright_abi::expr::{Node, Op};
use testwright_abi::memory::MAX_NODES;

use super::counters;
use super::index::{Index, Key};
use super::region;
use super::term::Term;
use super::word::Word;

/// How many constants are remembered.
const CONSTANTS: usize = 64;
/// How many pairs of pointers a run may show to belong together.
const MAX_RELATED: usize = 64;

/// The nodes of the run under way.
pub(super) struct Arena {
    nodes: &'static mut [Node; MAX_NODES as usize],
    index: Index,
    /// Constants used of late, by a hash of their own: most operations take one of few.
    constants: [u32; CONSTANTS],
    /// By handle, as far as there are inputs: which of them are pointers.
    pointers: Vec<Pointer>,
    /// Pointers that were used and are not pinned yet.
    used: Vec<u32>,
    /// Pairs of pointers that were subtracted or put in order, and how many of them are recorded.
    related: Vec<(u32, u32)>,
    related_recorded: usize,
}

/// What an input is to pointers.
#[derive(Clone, Copy, PartialEq)]
enum Pointer {
    No,
    /// One that was compared at most.
    Unused,
    Used,
}

impl Arena {
    /// # Safety
    /// As for [`region::nodes`].
    pub(super) unsafe fn map() -> io::Result<Arena> {
        let index = Index::map()?;
        // SAFETY: by contract.
        let nodes = unsafe { region::nodes() };
        Ok(Arena {
            nodes,
            index,
            constants: [0; CONSTANTS],
            pointers: Vec::new(),
            used: Vec::new(),
            related: Vec::new(),
            related_recorded: 0,
        })
    }

    /// Forgets all nodes; `previous` is how many there were.
    pub(super) fn clear(&mut self, previous: u32) {
        self.index.clear(previous);
        self.constants.fill(0);
        self.pointers.clear();
        self.used.clear();
        self.related.clear();
        self.related_recorded = 0;
    }

    /// The handle of an operand of anything but a comparison for equality: an input that is a pointer counts as its
    /// value, or every access through it would be about the address it happens to have. From then on it must stay.
    #[inline]
    pub(super) fn unless_pointer(&mut self, handle: u32) -> u32 {
        match self.pointers.get_mut(handle as usize) {
            None | Some(Pointer::No) => return handle,
            Some(Pointer::Used) => {}
            Some(state) => {
                *state = Pointer::Used;
                self.used.push(handle);
            }
        }
        0
    }

    /// Notes that two operands belong together if both are pointers: code takes their difference, or asks which comes
    /// first.
    #[inline]
    pub(super) fn relate(&mut self, begin: u32, end: u32) {
        let is_pointer =
            |handle: u32| !matches!(self.pointers.get(handle as usize), None | Some(Pointer::No));
        if begin != end
            && is_pointer(begin)
            && is_pointer(end)
            && !self.related.contains(&(begin, end))
            && self.related.len() < MAX_RELATED
        {
            self.related.push((begin, end));
        }
    }

    /// A pair of pointers that belong together and are not recorded yet.
    #[inline]
    pub(super) fn related_pair(&mut self) -> Option<(u32, u32)> {
        let pair = self.related.get(self.related_recorded).copied();
        self.related_recorded += usize::from(pair.is_some());
        pair
    }

    /// A pointer that was used and is not pinned yet.
    #[inline]
    pub(super) fn used_pointer(&mut self) -> Option<u32> {
        self.used.pop()
    }

    /// The node of `handle`.
    #[inline]
    pub(super) fn node(&self, handle: u32) -> &Node {
        &self.nodes[handle as usize]
    }

    /// The operand with this handle, which is not 0; constants lose their handle.
    #[inline]
    pub(super) fn term<W: Word>(&self, handle: u32) -> Term<W> {
        let node = self.node(handle);
        let handle = if self.is_constant::<W>(node) { 0 } else { handle };
        debug_assert!(node.width <= W::BITS, "{node:?} does not fit in {} bits", W::BITS);
        Term::new(W::low(node.value), handle, node.width)
    }

    #[inline]
    fn is_constant<W: Word>(&self, node: &Node) -> bool {
        let constant = Op::Const as u8;
        node.op == constant
            || (W::BITS > 64
                && node.op == Op::Concat as u8
                && self.node(node.a).op == constant
                && self.node(node.b).op == constant)
    }

    /// The handle for `term` as an operand; constants get a node. 0 if there is no room.
    #[inline]
    fn operand<W: Word>(&mut self, term: Term<W>) -> u32 {
        if term.is_constant() { self.constant(term) } else { term.handle() }
    }

    #[inline]
    fn constant<W: Word>(&mut self, term: Term<W>) -> u32 {
        let value: u128 = term.value.into();
        if term.width() <= 64 {
            self.word(value as u64, term.width())
        } else {
            self.pair(value, term.width())
        }
    }

    /// The node of a constant of up to 64 bits.
    #[inline]
    fn word(&mut self, value: u64, width: u16) -> u32 {
        let key = Key::new(Op::Const, width, 0, value as u32, (value >> 32) as u32);
        let mixed = (value as u32 ^ u32::from(width) << 7).wrapping_mul(0x9e37_79b9);
        let place = (mixed >> (u32::BITS - CONSTANTS.trailing_zeros())) as usize % CONSTANTS;
        let remembered = self.constants[place];
        if Key::of(self.node(remembered)) == key {
            return remembered;
        }
        let handle = self.intern(key, value.into());
        self.constants[place] = handle;
        handle
    }

    /// The node of a constant of more than 64 bits.
    #[cold]
    fn pair(&mut self, value: u128, width: u16) -> u32 {
        let high = self.word((value >> 64) as u64, width - 64);
        let low = self.word(value as u64, 64);
        self.intern(Key::new(Op::Concat, width, high, low, 0), value)
    }

    /// The node `op(x)`.
    #[inline]
    pub(super) fn one<W: Word>(&mut self, op: Op, width: u16, x: Term<W>, value: W) -> Term<W> {
        let a = self.operand(x);
        self.build(Key::new(op, width, a, 0, 0), value)
    }

    /// The node `op(x, y)`.
    #[inline]
    pub(super) fn two<W: Word>(&mut self, op: Op, width: u16, x: Term<W>, y: Term<W>, value: W) -> Term<W> {
        let (a, b) = (self.operand(x), self.operand(y));
        self.build(Key::new(op, width, a, b, 0), value)
    }

    /// The node `op(x, y, z)`.
    pub(super) fn three<W: Word>(&mut self, op: Op, x: Term<W>, y: Term<W>, z: Term<W>, value: W) -> Term<W> {
        let (a, b, c) = (self.operand(x), self.operand(y), self.operand(z));
        self.build(Key::new(op, y.width(), a, b, c), value)
    }

    /// The node of the input with this number, which has none yet.
    pub(super) fn input(&mut self, number: u32, width: u16, value: u128, pointer: bool) -> u32 {
        let handle = self.append(Key::new(Op::Input, width, number, 0, 0), value & u128::mask(width));
        if pointer {
            self.pointers.resize(handle as usize + 1, Pointer::No);
            self.pointers[handle as usize] = Pointer::Unused;
        }
        handle
    }

    /// The node that is `width` bits of `x` from bit `low`, just as it is.
    #[inline]
    pub(super) fn slice<W: Word>(&mut self, x: Term<W>, low: u16, width: u16) -> Term<W> {
        let a = self.operand(x);
        self.build(Key::new(Op::Extract, width, a, low.into(), 0), x.value >> u32::from(low))
    }

    /// The node that reads table number `table` at `offset`.
    pub(super) fn table_read<W: Word>(
        &mut self,
        table: u32,
        offset: Term<u64>,
        width: u16,
        value: W,
    ) -> Term<W> {
        let b = self.operand(offset);
        self.build(Key::new(Op::Table, width, table, b, 0), value)
    }

    /// The node that applies libm function number `function`; absent operands have width 0.
    pub(super) fn application(
        &mut self,
        function: u8,
        width: u16,
        terms: [Term<u64>; 3],
        value: u64,
    ) -> Term<u64> {
        let [a, b, c] = terms.map(|term| if term.width() == 0 { 0 } else { self.operand(term) });
        self.build(Key::new(Op::App, width, a, b, c).with_function(function), value)
    }

    /// The term for a node; a constant if there is no room for it.
    #[inline]
    fn build<W: Word>(&mut self, key: Key, value: W) -> Term<W> {
        let width = key.width();
        let value = value & W::mask(width);
        Term::new(value, self.intern(key, value.into()), width)
    }

    /// The handle of the node with this key, which is made if there is none; 0 if there is no room.
    fn intern(&mut self, key: Key, value: u128) -> u32 {
        match self.index.find(key, self.nodes) {
            Ok(handle) => handle,
            Err(vacancy) => {
                let handle = self.append(key, value);
                if handle != 0 {
                    self.index.enter(&vacancy, handle, self.nodes);
                }
                handle
            }
        }
    }

    #[inline]
    fn append(&mut self, key: Key, value: u128) -> u32 {
        let handle = counters::node_count();
        let Some(node) = self.nodes.get_mut(handle as usize) else {
            counters::overflow();
            return 0;
        };
        // The node is complete before it is counted: a run may end at any instruction.
        *node = key.node(value);
        counters::set_node_count(handle + 1);
        handle
    }
}

//! The frame: where a call of a function keeps the handles of its values, and whether it has any.
//!
//! Handles are rarely there, and if they lived in registers like other values, concrete code would have to keep as many
//! registers free for zeros. So they lie in an array on the stack, and one bit, which does live in a register, says whether
//! anything symbolic has come up in this call. As long as nothing has, nobody reads or writes the array, and a region is a
//! test of that bit and of the taint that it loads. The optimiser follows the bit, and makes a copy of the code in which it
//! is known to be zero.
//!
//! ```text
//! %frame = alloca [n x i32];  %seen = alloca i1              n is known when all regions are made
//! seen = (handles of parameters) != 0;  if (seen) { clear the frame;  frame[parameter] = handle; }
//! ```
//!
//! The first region that is entered clears the array. From then on each region either computes its handles or, if all that
//! goes into it is concrete, sets them to zero.

use super::Tracer;
use super::copies::{self, Turn};
use crate::instrument::emitter::{Emitter, Memory};
use std::collections::HashMap;
use testwright_llvm::{Block, IntPredicate, Kind, Type, Value};

/// The frame of the function that is being instrumented.
pub struct Frame<'c> {
    /// The array, of a preliminary size.
    array: Value<'c>,
    /// Whether anything was symbolic so far.
    seen: Value<'c>,
    /// Clears the array if nothing was; gets its body at the end.
    clear: Value<'c>,
    /// Where the handles of values lie.
    cells: HashMap<Value<'c>, u64>,
    /// Where handles of phis wait on their way along an edge.
    incoming: HashMap<Value<'c>, u64>,
    size: u64,
}

impl<'c> Frame<'c> {
    /// A frame for the function in whose entry block the builder stands.
    pub fn new(emitter: &Emitter<'c, '_>, function: Value<'c>) -> Frame<'c> {
        let builder = &emitter.builder;
        let array = builder.alloca(emitter.i32);
        let seen = builder.alloca(emitter.i1);
        emitter.ours(builder.store(emitter.i1.zero(), seen), Memory::Cells);
        let ty = emitter.module.context().void().function(&[emitter.pointer, emitter.i1], false);
        let clear = emitter.module.add_function(&format!("tw_clear_{}", function.name()), ty);
        clear.set_internal(true);
        clear.add_attribute("alwaysinline");
        clear.add_attribute("nounwind");
        Frame { array, seen, clear, cells: HashMap::new(), incoming: HashMap::new(), size: 0 }
    }

    /// Gives the array its size and the function that clears it its body.
    pub fn complete(&self, emitter: &Emitter<'c, '_>) {
        let builder = &emitter.builder;
        let ty = emitter.i32.array(self.size.max(1));
        builder.before(self.array);
        let array = builder.alloca(ty);
        array.set_alignment(16);
        self.array.replace_all_uses(array);
        let [entry, body, done] = ["entry", "clear", "done"].map(|name| self.clear.append_block(name));
        let [array, seen] = [self.clear.params()[0], self.clear.params()[1]];
        builder.at_end(entry);
        builder.branch(seen, done, body);
        builder.at_end(body);
        emitter.ours(builder.store(ty.zero(), array), Memory::Cells);
        builder.jump(done);
        builder.at_end(done);
        builder.ret(None);
    }

    fn reserve(&mut self, count: usize) -> u64 {
        self.size += count as u64;
        self.size - count as u64
    }
}

impl<'c> Tracer<'c, '_, '_> {
    /// Where the handles of a value lie.
    pub fn cell_of(&mut self, value: Value<'c>) -> u64 {
        if let Some(cell) = self.frame.cells.get(&value) {
            return *cell;
        }
        let cell = self.frame.reserve(Self::cell_count(value.ty()));
        self.frame.cells.insert(value, cell);
        cell
    }

    /// Where the handles of a phi wait.
    pub fn incoming_cell(&mut self, phi: Value<'c>) -> u64 {
        if let Some(cell) = self.frame.incoming.get(&phi) {
            return *cell;
        }
        let cell = self.frame.reserve(Self::cell_count(phi.ty()));
        self.frame.incoming.insert(phi, cell);
        cell
    }

    /// Whether anything was symbolic so far in this call.
    pub fn seen(&self) -> Value<'c> {
        let load = self.emitter.builder.load(self.emitter.i1, self.frame.seen);
        self.emitter.ours(load, Memory::Cells)
    }

    /// From here on something is symbolic.
    pub fn set_seen(&self) {
        let store = self.emitter.builder.store(self.emitter.i1.constant(1), self.frame.seen);
        self.emitter.ours(store, Memory::Cells);
    }

    /// Clears the frame unless something was symbolic already.
    pub fn clear_frame(&self, seen: Value<'c>) {
        self.emitter.builder.call_function(self.frame.clear, &[self.frame.array, seen]);
    }

    /// Reads handles from consecutive cells of the frame.
    pub fn load_frame(&self, ty: Type<'c>, cell: u64) -> Value<'c> {
        self.load_frame_from(ty, &mut { cell })
    }

    fn load_frame_from(&self, ty: Type<'c>, cell: &mut u64) -> Value<'c> {
        let builder = &self.emitter.builder;
        if ty.kind() == Kind::Struct {
            let mut value = ty.poison();
            for (index, part) in ty.parts().into_iter().enumerate() {
                value = builder.insert(value, self.load_frame_from(part, cell), index as u32);
            }
            return value;
        }
        let load = builder.load(self.emitter.i32, self.place(*cell));
        *cell += 1;
        self.emitter.ours(load, Memory::Cells)
    }

    /// Writes handles to consecutive cells of the frame.
    pub fn store_frame(&self, shadow: Value<'c>, cell: u64) {
        for (index, leaf) in self.leaves(shadow).into_iter().enumerate() {
            let store = self.emitter.builder.store(leaf, self.place(cell + index as u64));
            self.emitter.ours(store, Memory::Cells);
        }
    }

    /// Whether any of these cells is not zero. What the frame holds before it is cleared is not looked into by the optimiser,
    /// which would take it for undefined.
    pub fn load_any(&self, cells: &[(u64, usize)]) -> Option<Value<'c>> {
        let builder = &self.emitter.builder;
        let all = cells.iter().flat_map(|(first, count)| *first..*first + *count as u64);
        all.map(|cell| {
            let load = builder.load(self.emitter.i32, self.place(cell));
            load.set_volatile();
            builder.resize(load, self.emitter.i64)
        })
        .reduce(|all, next| builder.or(all, next))
    }

    /// The handles of values outside of regions, before `instruction`: zeros as long as nothing was symbolic.
    ///
    /// ```text
    /// head:  br seen, cold, tail      cold: %h = frame[..]; br tail       tail: phi [0, head], [%h, cold]
    /// ```
    pub fn shadows_before(&mut self, instruction: Value<'c>, values: &[Value<'c>]) -> Vec<Value<'c>> {
        let zeros: Vec<Value<'c>> = values.iter().map(|value| self.shadow_type(value.ty()).zero()).collect();
        let known: Vec<Option<u64>> =
            values.iter().map(|value| self.maybe.contains(*value).then(|| self.cell_of(*value))).collect();
        let emitter = self.emitter;
        emitter.builder.before(instruction);
        if known.iter().all(Option::is_none) {
            return zeros;
        }
        let seen = self.seen();
        let mut loaded = Vec::new();
        let (head, cold) = emitter.if_unlikely(seen, instruction, || {
            loaded = zeros
                .iter()
                .zip(&known)
                .map(|(zero, cell)| cell.map_or(*zero, |cell| self.load_frame(zero.ty(), cell)))
                .collect();
        });
        mark_turn(emitter, head, Turn::Seen);
        emitter.builder.before(instruction);
        let join = |(zero, loaded): (Value<'c>, Value<'c>)| {
            let phi = emitter.builder.phi(zero.ty());
            phi.add_incoming(&[(zero, head), (loaded, cold)]);
            phi
        };
        zeros.into_iter().zip(loaded).map(join).collect()
    }

    /// At the entry, before `first`: the handles of parameters go to the frame if there are any.
    pub fn keep_parameters(&mut self, first: Value<'c>, shadows: &[(Value<'c>, Value<'c>)]) {
        let emitter = self.emitter;
        let builder = &emitter.builder;
        builder.before(first);
        let leaves: Vec<Value<'c>> = shadows.iter().flat_map(|(_, shadow)| self.leaves(*shadow)).collect();
        let any = leaves.into_iter().reduce(|all, leaf| builder.or(all, leaf)).unwrap_or(emitter.i32.zero());
        let any = builder.compare(IntPredicate::LLVMIntNE, any, emitter.i32.zero());
        let cells: Vec<(Value<'c>, u64)> =
            shadows.iter().map(|(param, shadow)| (*shadow, self.cell_of(*param))).collect();
        let (head, _) = emitter.if_unlikely(any, first, || {
            self.clear_frame(emitter.i1.zero());
            for (shadow, cell) in &cells {
                self.store_frame(*shadow, *cell);
            }
            self.set_seen();
        });
        mark_turn(emitter, head, Turn::Entry);
    }

    fn place(&self, cell: u64) -> Value<'c> {
        self.emitter.builder.offset(self.frame.array, self.emitter.i64.constant(4 * cell))
    }
}

fn mark_turn<'c>(emitter: &Emitter<'c, '_>, head: Block<'c>, turn: Turn) {
    copies::mark(emitter, head.terminator().expect("the head of a cold path ends with a branch"), turn);
}

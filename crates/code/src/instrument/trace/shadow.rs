//! Handles of values: their types, and how they pass through parameters and results.

use super::Tracer;
use super::maybe::has_shadow;
use crate::instrument::emitter::Memory;
use testwright_abi::control::{ARGUMENT_CELLS, RESULT_CELLS};
use testwright_llvm::{Kind, Opcode, Type, Value};

impl<'c> Tracer<'c, '_, '_> {
    /// The type of the handles of a value: `i32`, or a struct of such.
    pub fn shadow_type(&self, ty: Type<'c>) -> Type<'c> {
        match ty.kind() {
            Kind::Struct | Kind::Array | Kind::Vector => {
                let parts: Vec<Type<'c>> =
                    ty.parts().into_iter().map(|part| self.shadow_type(part)).collect();
                self.emitter.module.context().structure(&parts)
            }
            _ => self.emitter.i32,
        }
    }

    /// The handles of a value; zero if it is concrete.
    pub fn shadow(&self, value: Value<'c>) -> Value<'c> {
        if let Some(shadow) = self.inside.get(&value).or_else(|| self.shadows.get(&value)) {
            return *shadow;
        }
        self.shadow_type(value.ty()).zero()
    }

    /// The single handles that a value's handles consist of.
    pub fn leaves(&self, shadow: Value<'c>) -> Vec<Value<'c>> {
        if shadow.ty().kind() != Kind::Struct {
            return vec![shadow];
        }
        let count = shadow.ty().parts().len() as u32;
        (0..count).flat_map(|index| self.leaves(self.emitter.builder.extract(shadow, index))).collect()
    }

    /// How many cells a value of this type takes.
    pub fn cell_count(ty: Type<'c>) -> usize {
        match ty.kind() {
            Kind::Struct | Kind::Array | Kind::Vector => ty.parts().into_iter().map(Self::cell_count).sum(),
            _ => 1,
        }
    }

    /// At the entry: reads the calling context and the handles of the parameters, and clears their cells.
    pub fn parameters(&mut self, entry: &[Value<'c>]) {
        let Some(first) = entry.iter().find(|i| i.opcode() != Some(Opcode::LLVMAlloca)) else { return };
        self.emitter.builder.before(*first);
        self.enter_context();
        let mut cell = 0;
        for param in self.function.params() {
            let count = Self::cell_count(param.ty());
            if has_shadow(param.ty()) && cell + count <= ARGUMENT_CELLS {
                let shadow =
                    self.load_cells(self.shadow_type(param.ty()), Cells::Arguments, &mut { cell }, true);
                self.shadows.insert(param, shadow);
            }
            cell += count;
        }
    }

    /// At a return: the handles of the result, or zeros.
    pub fn returned(&mut self, ret: Value<'c>) {
        if ret.operand_count() == 0 {
            return;
        }
        let value = ret.operand(0);
        if Self::cell_count(value.ty()) > RESULT_CELLS {
            return;
        }
        self.emitter.builder.before(ret);
        let shadow = self.shadow(value);
        self.store_cells(shadow, Cells::Results, 0);
    }

    /// Loads handles from consecutive cells; clears them if asked.
    pub fn load_cells(&self, ty: Type<'c>, cells: Cells, cell: &mut usize, clear: bool) -> Value<'c> {
        let builder = &self.emitter.builder;
        if ty.kind() == Kind::Struct {
            let mut value = ty.poison();
            for (index, part) in ty.parts().into_iter().enumerate() {
                value = builder.insert(value, self.load_cells(part, cells, cell, clear), index as u32);
            }
            return value;
        }
        let place = self.cell(cells, *cell);
        *cell += 1;
        let handle = self.emitter.ours(builder.load(self.emitter.i32, place), Memory::Cells);
        if clear {
            self.store_cell(self.emitter.i32.zero(), cells, *cell - 1);
        }
        handle
    }

    /// Stores handles to consecutive cells from `cell` on.
    pub fn store_cells(&self, shadow: Value<'c>, cells: Cells, cell: usize) {
        for (index, leaf) in self.leaves(shadow).into_iter().enumerate() {
            self.store_cell(leaf, cells, cell + index);
        }
    }

    /// Stores one handle.
    pub fn store_cell(&self, handle: Value<'c>, cells: Cells, cell: usize) {
        let place = self.cell(cells, cell);
        self.emitter.ours(self.emitter.builder.store(handle, place), Memory::Cells);
    }

    /// The place of a cell. The cells are a variable of the module, so that the optimiser knows all its uses.
    fn cell(&self, cells: Cells, cell: usize) -> Value<'c> {
        let (name, count) = match cells {
            Cells::Arguments => ("tw_arguments", ARGUMENT_CELLS),
            Cells::Results => ("tw_results", RESULT_CELLS),
        };
        let emitter = self.emitter;
        let array = emitter.module.global(name).unwrap_or_else(|| {
            let ty = emitter.i32.array(count as u64);
            let global = emitter.module.add_global(name, ty);
            global.set_initializer(ty.zero());
            global.set_internal(true);
            global
        });
        emitter.builder.offset(array, emitter.i64.constant(4 * cell as u64))
    }
}

/// Where handles wait between caller and callee.
///
/// Argument cells are all zero except between a caller's stores and the entry of the callee, which reads and clears them;
/// so a callee that native code calls finds zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cells {
    /// Handles of arguments, one cell per scalar leaf.
    Arguments,
    /// Handles of the value returned last.
    Results,
}

//! What all instrumentation shares: types, fixed addresses, calls of table functions, cold paths.

use testwright_abi::address_of;
use testwright_abi::memory::{COVERAGE_OFFSET, SHARED_BASE};
use testwright_abi::table::{Function, Type as TableType};
use testwright_llvm::{Block, Builder, Context, IntPredicate, Module, Opcode, Type, Value};

/// Memory effects "touches only memory the program cannot see", in LLVM's encoding.
const INACCESSIBLE_ONLY: u64 = 0b1100;

/// What our own loads and stores touch: kinds of memory that never overlap, nor the program's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// The step counter.
    Steps,
    /// The counter of news.
    News,
    /// Marks of outcomes.
    Coverage,
    /// The distance map.
    Distance,
    /// The taint map.
    Taint,
    /// Argument and result cells.
    Cells,
    /// The site under way.
    Site,
    /// The table of functions.
    Table,
}

/// In the order of [`Memory`].
const MEMORY_NAMES: [&str; 8] = ["steps", "news", "coverage", "distance", "taint", "cells", "site", "table"];

/// No table function touches what only instrumented code uses, so these may stay in registers across a call.
const UNTOUCHED: [Memory; 5] =
    [Memory::Coverage, Memory::Distance, Memory::News, Memory::Steps, Memory::Table];

fn scopes<'c>(module: &Module<'c>) -> Vec<(Value<'c>, Value<'c>)> {
    MEMORY_NAMES
        .iter()
        .map(|name| {
            let others: Vec<&str> = MEMORY_NAMES.into_iter().filter(|other| other != name).collect();
            (module.alias_scopes(&[name]), module.alias_scopes(&others))
        })
        .collect()
}

/// How an outcome is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marks {
    /// Only the first time, and then the news are counted: for batches that look for something new.
    CountNews,
    /// Always, without looking: for single runs.
    Store,
}

/// Emits code that both builds have in common.
pub struct Emitter<'c, 'm> {
    /// The module that is instrumented.
    pub module: &'m Module<'c>,
    /// Makes the instructions.
    pub builder: Builder<'c>,
    /// 1 bit.
    pub i1: Type<'c>,
    /// 8 bits.
    pub i8: Type<'c>,
    /// 32 bits.
    pub i32: Type<'c>,
    /// 64 bits.
    pub i64: Type<'c>,
    /// 128 bits.
    pub i128: Type<'c>,
    /// Pointers.
    pub pointer: Type<'c>,
    /// Metadata kind that carries site numbers.
    pub site_kind: u32,
    marks: Marks,
    /// For each kind of memory: its scope, and all others.
    scopes: Vec<(Value<'c>, Value<'c>)>,
    /// The scopes of memory that no table function touches.
    untouched: Value<'c>,
    scope_kind: u32,
    noalias_kind: u32,
    invariant_kind: u32,
}

impl<'c, 'm> Emitter<'c, 'm> {
    /// An emitter for this module.
    pub fn new(module: &'m Module<'c>, marks: Marks) -> Emitter<'c, 'm> {
        let context: &'c Context = module.context();
        Emitter {
            module,
            builder: Builder::new(context),
            i1: context.int(1),
            i8: context.int(8),
            i32: context.int(32),
            i64: context.int(64),
            i128: context.int(128),
            pointer: context.pointer(),
            site_kind: context.metadata_kind("tw.site"),
            marks,
            scopes: scopes(module),
            untouched: module.alias_scopes(&UNTOUCHED.map(|memory| MEMORY_NAMES[memory as usize])),
            scope_kind: context.metadata_kind("alias.scope"),
            noalias_kind: context.metadata_kind("noalias"),
            invariant_kind: context.metadata_kind("invariant.load"),
        }
    }

    /// Site number and first outcome of a numbered instruction.
    pub fn site(&self, instruction: Value<'c>) -> Option<(u32, u32)> {
        let numbers = instruction.numbers(self.site_kind)?;
        Some((numbers[0] as u32, numbers[1] as u32))
    }

    /// Site number for calls that want one: `u32::MAX` if there is none.
    pub fn site_constant(&self, instruction: Value<'c>) -> Value<'c> {
        let site = self.site(instruction).map_or(u32::MAX, |(site, _)| site);
        self.i32.constant(u64::from(site))
    }

    /// The loads and stores of the program never touch what is ours: says so to the optimiser.
    pub fn separate_program_memory(&self) {
        let all = self.module.alias_scopes(&MEMORY_NAMES);
        for function in self.module.functions() {
            for block in function.blocks() {
                for instruction in block.instructions() {
                    if matches!(instruction.opcode(), Some(Opcode::LLVMLoad | Opcode::LLVMStore)) {
                        instruction.set_metadata(self.noalias_kind, all);
                    }
                }
            }
        }
    }

    /// Marks a load or store as ours.
    pub fn ours(&self, access: Value<'c>, memory: Memory) -> Value<'c> {
        let (scope, others) = self.scopes[memory as usize];
        access.set_metadata(self.scope_kind, scope);
        access.set_metadata(self.noalias_kind, others);
        access
    }

    /// A load of ours from a fixed address.
    pub fn load_fixed(&self, ty: Type<'c>, address: u64, memory: Memory) -> Value<'c> {
        self.ours(self.builder.load(ty, self.pointer.address(address)), memory)
    }

    /// A store of ours to a fixed address.
    pub fn store_fixed(&self, value: Value<'c>, address: u64, memory: Memory) {
        self.ours(self.builder.store(value, self.pointer.address(address)), memory);
    }

    /// Calls a table function.
    ///
    /// ```text
    /// %f = load ptr, ptr inttoptr (i64 <address of the table's field>), !invariant.load
    /// %r = call <result> %f(<arguments>)
    /// ```
    pub fn call(&self, name: &str, arguments: &[Value<'c>]) -> Value<'c> {
        let function = Function::named(name).expect("the name of a table function");
        debug_assert_eq!(function.params.len(), arguments.len(), "{name}");
        let callee = self.load_fixed(self.pointer, address_of!(table) + function.offset, Memory::Table);
        callee.set_numbers(self.invariant_kind, &[]);
        let call = self.builder.call(self.function_type(function), callee, arguments);
        call.add_attribute("nounwind");
        if function.result == TableType::Never {
            call.add_attribute("noreturn");
            call.add_attribute("cold");
        } else {
            call.set_metadata(self.noalias_kind, self.untouched);
        }
        call
    }

    /// Calls a table function that only makes expressions or records events: it reads and writes nothing that
    /// the program or its taint map can see.
    pub fn call_recorder(&self, name: &str, arguments: &[Value<'c>]) -> Value<'c> {
        let call = self.call(name, arguments);
        call.set_memory_effects(INACCESSIBLE_ONLY);
        call.add_attribute("willreturn");
        call
    }

    /// The LLVM type of a table function.
    pub fn function_type(&self, function: &Function) -> Type<'c> {
        let params: Vec<Type<'c>> = function.params.iter().map(|param| self.table_type(*param)).collect();
        self.table_type(function.result).function(&params, false)
    }

    fn table_type(&self, ty: TableType) -> Type<'c> {
        match ty {
            TableType::Unit | TableType::Never => self.module.context().void(),
            TableType::U32 => self.i32,
            TableType::U64 => self.i64,
            TableType::U128 => self.i128,
        }
    }

    /// Code that runs before `instruction` if `condition` holds, which is unlikely. The builder must stand before
    /// `instruction`; `build` gets the cold block, must end with the builder in the block that falls through.
    ///
    /// ```text
    /// before:  b: A; I; B     after:  h: A; br condition, cold, b    cold: ..; br b    b: I; B
    /// ```
    ///
    /// Returns (head, last cold block).
    pub fn if_unlikely(
        &self,
        condition: Value<'c>,
        instruction: Value<'c>,
        build: impl FnOnce(),
    ) -> (Block<'c>, Block<'c>) {
        let tail = instruction.block();
        let cold = tail.function().append_block("cold");
        let head = tail.split_before(instruction, &self.builder);
        self.builder.at_end(head);
        self.builder.branch(condition, cold, tail).set_branch_weights(&[1, 100_000]);
        self.builder.at_end(cold);
        build();
        let last = self.builder.block();
        self.builder.jump(tail);
        self.builder.before(instruction);
        (head, last)
    }

    /// Calls a table function that does not return if `condition` holds, in the block that is being built at its end.
    pub fn call_if(&self, condition: Value<'c>, name: &str) {
        let function = self.builder.block().function();
        let (call, rest) = (function.append_block("cold"), function.append_block("rest"));
        self.builder.branch(condition, call, rest).set_branch_weights(&[1, 100_000]);
        self.builder.at_end(call);
        self.call(name, &[]);
        self.builder.unreachable();
        self.builder.at_end(rest);
    }

    /// Adds one to the counter of news.
    pub fn count_news(&self) {
        let news = self.load_fixed(self.i64, address_of!(news), Memory::News);
        let more = self.builder.add(news, self.i64.constant(1));
        self.store_fixed(more, address_of!(news), Memory::News);
    }

    /// Marks an outcome as hit, before `instruction`.
    ///
    /// ```text
    /// if (coverage[outcome] == 0) { coverage[outcome] = 1; news += 1; }      or just  coverage[outcome] = 1
    /// ```
    pub fn hit(&self, outcome: u32, instruction: Value<'c>) {
        self.hit_at(self.pointer.address(SHARED_BASE + COVERAGE_OFFSET + u64::from(outcome)), instruction);
    }

    /// As [`Emitter::hit`], for the mark at this address.
    pub fn hit_at(&self, mark: Value<'c>, instruction: Value<'c>) {
        let set = || {
            self.ours(self.builder.store(self.i8.constant(1), mark), Memory::Coverage);
        };
        if self.marks == Marks::Store {
            set();
            return;
        }
        let seen = self.ours(self.builder.load(self.i8, mark), Memory::Coverage);
        let fresh = self.builder.compare(IntPredicate::LLVMIntEQ, seen, self.i8.zero());
        self.if_unlikely(fresh, instruction, || {
            set();
            self.count_news();
        });
    }

    /// A block on the edge from the terminator `from` to its successor `index`; it holds only a jump, which is
    /// returned. Phis of the successor are made anew.
    pub fn edge_block(&self, from: Value<'c>, index: usize) -> Value<'c> {
        let target = from.successors()[index];
        let edge = from.block().function().append_block("edge");
        self.builder.at_end(edge);
        let jump = self.builder.jump(target);
        from.set_successor(index, edge);
        target.retarget_phis(from.block(), edge, &self.builder);
        jump
    }
}

//! Calls: how handles travel to callees and back, and what leaves the traced code.

use super::Tracer;
use super::classify::{CallKind, classify};
use super::maybe::has_shadow;
use super::region::Pending;
use super::shadow::Cells;
use crate::instrument::emitter::Memory;
use testwright_abi::address_of;
use testwright_abi::control::{ARGUMENT_CELLS, RESULT_CELLS};
use testwright_abi::event::EventKind;
use testwright_llvm::{Kind, Value};

impl<'c> Tracer<'c, '_, '_> {
    /// Instruments a call.
    pub fn call(&mut self, call: Value<'c>) {
        match classify(call, self.traced) {
            CallKind::Nothing => {}
            CallKind::Pure(_) => {
                if self.maybe.contains(call) {
                    self.pending.push(Pending::Value(call));
                }
            }
            CallKind::Copy => self.copy_memory(call, false),
            CallKind::Fill => self.copy_memory(call, true),
            CallKind::VariadicStart => self.variadic_start(call),
            CallKind::VariadicCopy => {
                self.flush(call);
                let emitter = self.emitter;
                emitter.builder.before(call);
                let target = self.bits(call.operand(0));
                emitter.call("fill", &[target, emitter.i32.zero(), emitter.i64.constant(24)]);
            }
            CallKind::Traced => self.traced_call(call, false),
            CallKind::Pointer => {
                self.pin_if_maybe(EventKind::Callee, call, call.callee(), 0);
                self.traced_call(call, true);
            }
            CallKind::Native => self.native_call(call),
            CallKind::Assembly => self.assembly(call),
            CallKind::Unknown => {
                let what = format!("intrinsic `{}`", call.callee().name());
                self.unsupported(call, &what);
                self.flush(call);
            }
        }
    }

    /// A call of code that is not traced: its symbolic arguments are pinned, its result is concrete.
    fn native_call(&mut self, call: Value<'c>) {
        let name = call.callee().name();
        let allocates = crate::redirect::is_heap_thunk(call.callee());
        let index = self.external(&name);
        let kind = if allocates { EventKind::Size } else { EventKind::Native };
        for argument in call.call_arguments() {
            self.pin_if_maybe(kind, call, argument, index);
        }
        self.flush(call);
        if !allocates && !ignores_contents(&name) {
            self.given(call, index);
        }
        self.guard_callbacks(call, index);
        self.pass_context(call, None);
        self.note_call(call);
    }

    /// What a callee that is not traced may read through its arguments is pinned too.
    fn given(&self, call: Value<'c>, index: u32) {
        let emitter = self.emitter;
        let arguments = call.call_arguments();
        let takes_list = call.callee().name().trim_start_matches('_').starts_with('v');
        emitter.builder.before(call);
        for (position, argument) in arguments.iter().enumerate() {
            if argument.ty().kind() == Kind::Pointer && !argument.is_constant() {
                let list = u64::from(takes_list && position + 1 == arguments.len());
                let given = [
                    emitter.site_constant(call),
                    self.bits(*argument),
                    emitter.i32.constant(list),
                    emitter.i32.constant(u64::from(index)),
                ];
                emitter.call("given", &given);
            }
        }
    }

    /// A call of code that is traced, or may be: handles go through cells.
    ///
    /// ```text
    /// arguments[i] = <handle of argument i>;  %r = call @f(..);  %r.handle = results[0]
    /// ```
    fn traced_call(&mut self, call: Value<'c>, may_be_native: bool) {
        self.flush(call);
        // A traced callee notes its own accesses; through a pointer the call itself may be what faults.
        if may_be_native {
            self.note_call(call);
        }
        self.pass_context(call, (!may_be_native).then(|| call.callee()));
        let emitter = self.emitter;
        emitter.builder.before(call);
        let fixed = call.call_type().params().len();
        let arguments = call.call_arguments();
        let mut cell = 0;
        let mut stored = Vec::new();
        for argument in &arguments[..fixed.min(arguments.len())] {
            let count = Self::cell_count(argument.ty());
            if let Some(shadow) = self.shadows.get(argument)
                && has_shadow(argument.ty())
                && cell + count <= ARGUMENT_CELLS
            {
                self.store_cells(*shadow, Cells::Arguments, cell);
                stored.push((cell, count));
            }
            cell += count;
        }
        if call.call_type().is_variadic() {
            self.variadic_arguments(call);
        }
        let returns = has_shadow(call.ty()) && Self::cell_count(call.ty()) <= RESULT_CELLS;
        if may_be_native && returns {
            for index in 0..Self::cell_count(call.ty()) {
                self.store_cell(emitter.i32.zero(), Cells::Results, index);
            }
        }
        let Some(next) = call.next() else { return };
        emitter.builder.before(next);
        if may_be_native {
            // A native callee has not taken them.
            for (cell, count) in stored {
                for index in cell..cell + count {
                    self.store_cell(emitter.i32.zero(), Cells::Arguments, index);
                }
            }
        }
        if returns {
            let ty = self.shadow_type(call.ty());
            let shadow = self.load_cells(ty, Cells::Results, &mut 0, false);
            self.shadows.insert(call, shadow);
        }
    }

    fn note_call(&self, call: Value<'c>) {
        if let Some((site, _)) = self.emitter.site(call) {
            self.emitter.builder.before(call);
            self.emitter.store_fixed(
                self.emitter.i32.constant(u64::from(site)),
                address_of!(site),
                Memory::Site,
            );
        }
    }
}

/// Whether a C function does not look at what its pointers lead to, or only puts it out. Nothing in the run depends on
/// that, so inputs that are printed stay free.
fn ignores_contents(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "free",
        "printf",
        "vprintf",
        "fprintf",
        "vfprintf",
        "dprintf",
        "puts",
        "fputs",
        "fputs_unlocked",
        "fwrite",
        "perror",
        "write",
        "syslog",
        "vsyslog",
    ];
    NAMES.contains(&name)
}

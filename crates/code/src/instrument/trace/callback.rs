//! Callbacks: functions that native code calls, and what they tell it.

use super::Tracer;
use super::maybe::has_shadow;
use super::shadow::Cells;
use testwright_abi::event::EventKind;
use testwright_llvm::{IntPredicate, Type, Value};

impl<'c> Tracer<'c, '_, '_> {
    /// Hands native code not a traced function itself but one that calls it and pins what it returns, on which native code
    /// may decide without a trace.
    ///
    /// ```text
    /// before:  call ptr @lfind(.., ptr @same)       after:  call ptr @lfind(.., ptr @tw_callback_lfind_same)
    ///
    /// define i32 @tw_callback_lfind_same(ptr %a, ptr %b) {
    ///   %r = call i32 @same(ptr %a, ptr %b);  %h = results[0];  if (%h != 0) pin(native, %h, lfind);  ret i32 %r
    /// }
    /// ```
    pub fn guard_callbacks(&mut self, call: Value<'c>, external: u32) {
        for (index, argument) in call.call_arguments().into_iter().enumerate() {
            if argument.is_function() && self.traced.contains(&argument) && is_plain(argument.global_type()) {
                call.set_operand(index, self.guard(argument, &call.callee().name(), external));
            }
        }
    }

    fn guard(&self, function: Value<'c>, native: &str, external: u32) -> Value<'c> {
        let emitter = self.emitter;
        let builder = &emitter.builder;
        let name = format!("tw_callback_{native}_{}", function.name());
        if let Some(known) = emitter.module.function(&name) {
            return known;
        }
        let guard = emitter.module.add_function(&name, function.global_type());
        guard.set_internal(true);
        builder.at_end(guard.append_block("entry"));
        let result = builder.call_function(function, &guard.params());
        let cells = self.load_cells(self.shadow_type(result.ty()), Cells::Results, &mut 0, false);
        let handles = self.leaves(cells);
        let ret = builder.ret(Some(result));
        let kind = emitter.i32.constant(EventKind::Native as u64);
        let (site, external) =
            (emitter.i32.constant(u64::from(u32::MAX)), emitter.i32.constant(u64::from(external)));
        for handle in handles {
            builder.before(ret);
            let symbolic = builder.compare(IntPredicate::LLVMIntNE, handle, emitter.i32.zero());
            emitter.if_unlikely(symbolic, ret, || {
                emitter.call_recorder("pin", &[kind, site, handle, external]);
            });
        }
        guard
    }
}

/// Whether arguments and result of a function travel without attributes that a call would have to repeat.
fn is_plain(ty: Type<'_>) -> bool {
    let whole = |ty: Type<'_>| ty.int_width() == 0 || ty.int_width() >= 32;
    !ty.is_variadic()
        && has_shadow(ty.result())
        && ty.params().into_iter().chain([ty.result()]).all(|ty| whole(ty) && ty.scalar_width().is_some())
}

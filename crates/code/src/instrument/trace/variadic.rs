//! Variadic calls: which way each argument travels, told to the callee's `va_start`.

use super::Tracer;
use crate::instrument::emitter::Memory;
use std::mem::offset_of;
use testwright_abi::address_of;
use testwright_abi::control::{VARIADIC_CELLS, Variadic, VariadicClass};
use testwright_llvm::{Kind, Type, Value};

/// One entry of the list that the callee gets.
struct Entry<'c> {
    handle: Value<'c>,
    class: VariadicClass,
    size: u64,
}

impl<'c> Tracer<'c, '_, '_> {
    /// The variadic part of a call; the builder stands before it.
    ///
    /// ```text
    /// variadic[0] = {<handle>, <class>, <size>};  ..  variadic_count = n;  call void (i32, ...) @f(..)
    /// ```
    pub fn variadic_arguments(&mut self, call: Value<'c>) {
        let emitter = self.emitter;
        let fixed = call.call_type().params().len();
        let arguments = call.call_arguments().into_iter().enumerate().skip(fixed);
        let mut entries: Vec<Entry<'c>> = arguments
            .flat_map(|(index, argument)| match call.parameter_type_attribute(index, "byval") {
                Some(ty) => self.pieces(argument, ty),
                None => vec![self.entry(argument)],
            })
            .collect();
        entries.truncate(VARIADIC_CELLS);
        for (index, entry) in entries.iter().enumerate() {
            let base = address_of!(variadic) + (index * size_of::<Variadic>()) as u64;
            let set = |value, offset: usize| emitter.store_fixed(value, base + offset as u64, Memory::Cells);
            set(entry.handle, offset_of!(Variadic, handle));
            set(emitter.i32.constant(entry.class as u64), offset_of!(Variadic, class));
            set(emitter.i32.constant(entry.size), offset_of!(Variadic, size));
        }
        let count = emitter.i64.constant(entries.len() as u64);
        emitter.store_fixed(count, address_of!(variadic_count), Memory::Cells);
    }

    fn entry(&self, argument: Value<'c>) -> Entry<'c> {
        let class = match argument.ty().kind() {
            Kind::Float | Kind::Double | Kind::Vector => VariadicClass::Float,
            Kind::X87 => VariadicClass::Memory16,
            _ => VariadicClass::Integer,
        };
        let scalar = argument.ty().scalar_width().is_some();
        let handle = if scalar { self.shadow(argument) } else { self.emitter.i32.zero() };
        Entry { handle, class, size: self.emitter.module.store_size(argument.ty()) }
    }

    /// A struct that the call copies to the stack: its pieces, as long as its alignment.
    fn pieces(&self, pointer: Value<'c>, ty: Type<'c>) -> Vec<Entry<'c>> {
        let emitter = self.emitter;
        let (length, class) =
            if is_aligned_to_16(ty) { (16, VariadicClass::Memory16) } else { (8, VariadicClass::Memory) };
        let size = emitter.module.store_size(ty);
        (0..size.div_ceil(length))
            .map(|piece| {
                let offset = piece * length;
                let bytes = length.min(size - offset);
                let place = emitter.builder.offset(pointer, emitter.i64.constant(offset));
                let value = emitter.builder.load(emitter.module.context().int(bytes as u32 * 8), place);
                value.set_alignment(1);
                Entry { handle: self.handle_in_memory(value, place, bytes), class, size: bytes }
            })
            .collect()
    }

    /// The handle of `value`, which was just loaded from a place that is not symbolic.
    fn handle_in_memory(&self, value: Value<'c>, place: Value<'c>, bytes: u64) -> Value<'c> {
        let emitter = self.emitter;
        let (name, ty) = if bytes <= 8 { ("load", emitter.i64) } else { ("load_wide", emitter.i128) };
        let arguments = [
            emitter.i32.constant(u64::from(u32::MAX)),
            emitter.i32.zero(),
            self.bits(place),
            emitter.i32.constant(bytes),
            emitter.builder.resize(value, ty),
        ];
        emitter.call(name, &arguments)
    }

    /// After `va_start`: the callee's copies of the arguments get their handles.
    pub fn variadic_start(&mut self, call: Value<'c>) {
        self.flush(call);
        let emitter = self.emitter;
        emitter.builder.before(call.next().expect("va_start does not end a block"));
        emitter.call("variadic", &[self.bits(call.operand(0))]);
    }
}

/// Whether the convention aligns values of this type to 16 bytes on the stack.
fn is_aligned_to_16(ty: Type<'_>) -> bool {
    match ty.kind() {
        Kind::Struct | Kind::Array => ty.parts().into_iter().any(is_aligned_to_16),
        Kind::Int => ty.int_width() == 128,
        Kind::X87 | Kind::Vector => true,
        _ => false,
    }
}

//! Lowering before tracing: rare forms become common ones, so that tracing knows few instructions.
//!
//! Vectors are scalarised, aggregates are loaded and stored part by part, `byval` becomes an explicit copy, and
//! arithmetic intrinsics become plain arithmetic. The optimiser finds the intrinsics again afterwards.

use super::fpclass;
use crate::instrument::emitter::{Emitter, Marks};
use testwright_llvm::{Error, IntPredicate, Kind, Module, Opcode, Target, Type, Value};

/// Lowers a whole module.
///
/// # Errors
/// If a pass of LLVM's fails.
pub fn lower(module: &Module<'_>, target: &Target) -> Result<(), Error> {
    module.run_passes("function(lower-expect,scalarizer<load-store>)", target)?;
    let emitter = Emitter::new(module, Marks::Store);
    for function in module.functions() {
        lower_parameters(&emitter, function);
    }
    for function in module.functions() {
        for block in function.blocks() {
            for instruction in block.instructions() {
                lower_instruction(&emitter, instruction);
            }
        }
    }
    Ok(())
}

fn lower_instruction<'c>(emitter: &Emitter<'c, '_>, instruction: Value<'c>) {
    emitter.builder.before(instruction);
    match instruction.opcode() {
        Some(Opcode::LLVMLoad) if is_aggregate(instruction.ty()) => {
            let value = load_parts(emitter, instruction, instruction.ty(), instruction.operand(0));
            instruction.replace_all_uses(value);
            instruction.erase();
        }
        Some(Opcode::LLVMStore) if is_aggregate(instruction.operand(0).ty()) => {
            store_parts(emitter, instruction, instruction.operand(0), instruction.operand(1));
            instruction.erase();
        }
        Some(Opcode::LLVMCall) if instruction.callee().is_intrinsic() => {
            if let Some(value) = lower_intrinsic(emitter, instruction) {
                instruction.replace_all_uses(value);
                instruction.erase();
            }
        }
        Some(Opcode::LLVMCall) => {
            copy_by_value_arguments(emitter, instruction);
            join_variadic_vectors(emitter, instruction);
        }
        _ => {}
    }
}

fn is_aggregate(ty: Type<'_>) -> bool {
    matches!(ty.kind(), Kind::Struct | Kind::Array)
}

/// Offset of part `index` of an aggregate.
fn part_offset<'c>(emitter: &Emitter<'c, '_>, ty: Type<'c>, index: usize) -> u64 {
    match ty.kind() {
        Kind::Struct => emitter.module.offset_of(ty, index as u32),
        _ => emitter.module.alloc_size(ty.element()) * index as u64,
    }
}

/// ```text
/// before:  %v = load {i64, double}, ptr %p
/// after:   %a = load i64, ptr %p;  %b = load double, ptr (%p + 8);  insertvalue ..
/// ```
fn load_parts<'c>(
    emitter: &Emitter<'c, '_>,
    origin: Value<'c>,
    ty: Type<'c>,
    pointer: Value<'c>,
) -> Value<'c> {
    let builder = &emitter.builder;
    let mut value = ty.poison();
    for (index, part) in ty.parts().into_iter().enumerate() {
        let offset = emitter.i64.constant(part_offset(emitter, ty, index));
        let place = builder.offset(pointer, offset);
        let loaded = if is_aggregate(part) {
            load_parts(emitter, origin, part, place)
        } else {
            let load = builder.load(part, place);
            load.set_alignment(1);
            copy_site(emitter, origin, load);
            load
        };
        value = builder.insert(value, loaded, index as u32);
    }
    value
}

fn store_parts<'c>(emitter: &Emitter<'c, '_>, origin: Value<'c>, value: Value<'c>, pointer: Value<'c>) {
    let builder = &emitter.builder;
    let ty = value.ty();
    for (index, part) in ty.parts().into_iter().enumerate() {
        let offset = emitter.i64.constant(part_offset(emitter, ty, index));
        let place = builder.offset(pointer, offset);
        let element = builder.extract(value, index as u32);
        if is_aggregate(part) {
            store_parts(emitter, origin, element, place);
        } else {
            let store = builder.store(element, place);
            store.set_alignment(1);
            copy_site(emitter, origin, store);
        }
    }
}

fn copy_site<'c>(emitter: &Emitter<'c, '_>, from: Value<'c>, to: Value<'c>) {
    if let Some(numbers) = from.numbers(emitter.site_kind) {
        to.set_numbers(emitter.site_kind, &numbers);
    }
}

/// Structs passed in memory: the callee gets a plain pointer, the caller makes the copy.
fn lower_parameters<'c>(_emitter: &Emitter<'c, '_>, function: Value<'c>) {
    if function.is_declaration() {
        return;
    }
    for index in 0..function.params().len() {
        if function.parameter_type_attribute(index, "byval").is_some() {
            function.remove_parameter_attribute(index, "byval");
        }
    }
}

/// ```text
/// before:  call void @f(ptr byval(%T) %p)
/// after:   %copy = alloca %T (in the entry block);  memcpy(%copy, %p, sizeof %T);  call void @f(ptr %copy)
/// ```
///
/// Calls of functions defined elsewhere keep the convention of the platform.
fn copy_by_value_arguments<'c>(emitter: &Emitter<'c, '_>, call: Value<'c>) {
    let callee = call.callee();
    if callee.is_inline_assembly() || (callee.is_function() && callee.is_declaration()) {
        return;
    }
    // A variadic callee finds such arguments where the convention puts them.
    for index in 0..call.call_type().params().len() {
        let Some(ty) = call.parameter_type_attribute(index, "byval") else { continue };
        let entry = call.block().function().blocks()[0];
        let first = entry.instructions()[0];
        emitter.builder.before(first);
        let copy = emitter.builder.alloca(ty);
        copy.set_alignment(16);
        emitter.builder.before(call);
        let size = emitter.i64.constant(emitter.module.alloc_size(ty));
        let types = [emitter.pointer, emitter.pointer, emitter.i64];
        let memcpy = emitter.module.intrinsic("llvm.memcpy", &types);
        emitter.builder.call_function(memcpy, &[copy, call.operand(index), size, emitter.i1.zero()]);
        call.set_operand(index, copy);
        call.remove_parameter_attribute(index, "byval");
    }
}

/// Two floats that travel together as a variadic argument are one scalar, in the same register.
///
/// ```text
/// before:  call void (i32, ...) @f(i32 1, <2 x float> %v)
/// after:   %d = bitcast <2 x float> %v to double;  call void (i32, ...) @f(i32 1, double %d)
/// ```
fn join_variadic_vectors<'c>(emitter: &Emitter<'c, '_>, call: Value<'c>) {
    let fixed = call.call_type().params().len();
    for (index, argument) in call.call_arguments().into_iter().enumerate().skip(fixed) {
        if argument.ty().kind() == Kind::Vector && emitter.module.store_size(argument.ty()) == 8 {
            let double = emitter.module.context().simple(Kind::Double);
            call.set_operand(index, emitter.builder.cast(Opcode::LLVMBitCast, argument, double));
        }
    }
}

/// The value of an arithmetic intrinsic in plain arithmetic; none if it is kept.
fn lower_intrinsic<'c>(emitter: &Emitter<'c, '_>, call: Value<'c>) -> Option<Value<'c>> {
    use IntPredicate::*;
    let name = call.callee().name();
    let mut words = name.split('.').skip(1);
    let builder = &emitter.builder;
    let ty = call.ty();
    let int = ty.kind() == Kind::Int;
    let choose = |predicate| {
        let (a, b) = (call.operand(0), call.operand(1));
        int.then(|| builder.select(builder.compare(predicate, a, b), a, b))
    };
    match (words.next()?, words.next()) {
        ("smax", _) => choose(LLVMIntSGT),
        ("smin", _) => choose(LLVMIntSLT),
        ("umax", _) => choose(LLVMIntUGT),
        ("umin", _) => choose(LLVMIntULT),
        ("abs", _) if int => {
            let a = call.operand(0);
            let negative = builder.compare(LLVMIntSLT, a, ty.zero());
            Some(builder.select(negative, builder.sub(ty.zero(), a), a))
        }
        ("fshl" | "fshr", _) if int => funnel_shift(emitter, call, name.starts_with("llvm.fshl")),
        ("uadd", Some("sat")) if int => {
            let sum = builder.add(call.operand(0), call.operand(1));
            let over = builder.compare(LLVMIntULT, sum, call.operand(0));
            Some(builder.select(over, ty.constant_wide(u128::MAX), sum))
        }
        ("usub", Some("sat")) if int => {
            let under = builder.compare(LLVMIntULT, call.operand(0), call.operand(1));
            Some(builder.select(under, ty.zero(), builder.sub(call.operand(0), call.operand(1))))
        }
        ("fmuladd", _) if matches!(ty.kind(), Kind::Float | Kind::Double) => {
            let product = builder.binary(Opcode::LLVMFMul, call.operand(0), call.operand(1));
            Some(builder.binary(Opcode::LLVMFAdd, product, call.operand(2)))
        }
        ("is", Some("fpclass")) => fpclass::lower(emitter, call),
        _ => None,
    }
}

/// ```text
/// fshl(a, b, s), w a power of two:  s' = s & (w-1);  (a << s') | ((b >> 1) >> (w-1 - s'))
/// ```
fn funnel_shift<'c>(emitter: &Emitter<'c, '_>, call: Value<'c>, left: bool) -> Option<Value<'c>> {
    let builder = &emitter.builder;
    let ty = call.ty();
    let width = u64::from(ty.int_width());
    if !width.is_power_of_two() {
        return None;
    }
    let (a, b) = (call.operand(0), call.operand(1));
    let most = ty.constant(width - 1);
    let amount = builder.binary(Opcode::LLVMAnd, call.operand(2), most);
    let rest = builder.sub(most, amount);
    let one = ty.constant(1);
    let (high, low) = if left {
        let half = builder.binary(Opcode::LLVMLShr, b, one);
        (builder.binary(Opcode::LLVMShl, a, amount), builder.binary(Opcode::LLVMLShr, half, rest))
    } else {
        let double = builder.binary(Opcode::LLVMShl, a, one);
        (builder.binary(Opcode::LLVMShl, double, rest), builder.binary(Opcode::LLVMLShr, b, amount))
    };
    Some(builder.or(high, low))
}

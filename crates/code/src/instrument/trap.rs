//! Traps: failed sanitizer checks end the run and say where.

use super::emitter::Emitter;
use testwright_base::site::CheckKind;
use testwright_llvm::{Opcode, Value};

/// Replaces trap instructions.
///
/// ```text
/// before:  call void @llvm.ubsantrap(i8 0)       (check site 5, outcome 9)
/// after:   if (coverage[9] == 0) { coverage[9] = 1; news += 1; }   call trap(5, 0)
/// ```
pub fn instrument(emitter: &Emitter<'_, '_>) {
    for function in emitter.module.functions() {
        for block in function.blocks() {
            for instruction in block.instructions() {
                if instruction.opcode() == Some(Opcode::LLVMCall) && instruction.callee().is_function() {
                    replace(emitter, instruction);
                }
            }
        }
    }
}

fn replace<'c>(emitter: &Emitter<'c, '_>, call: Value<'c>) {
    let kind = match call.callee().name().as_str() {
        "llvm.ubsantrap" => call.operand(0).constant_int().unwrap_or_default() as u32,
        "llvm.trap" | "llvm.debugtrap" => CheckKind::TRAP.0,
        _ => return,
    };
    emitter.builder.before(call);
    if let Some((_, outcome)) = emitter.site(call) {
        emitter.hit(outcome, call);
    }
    emitter.call("trap", &[emitter.site_constant(call), emitter.i32.constant(u64::from(kind))]);
    call.erase();
}

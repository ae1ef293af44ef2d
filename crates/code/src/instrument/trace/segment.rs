//! Stores relative to the segment register, on their way to machine code.

use testwright_abi::memory::TAINT_ADDRESS_SPACE;
use testwright_llvm::{Module, Opcode};

/// Keeps LLVM's code generator from merging neighbouring stores of taint; to be done after optimisation.
///
/// When it merges stores to the stack, it forgets their address space (`InferPointerInfo` takes any place in the
/// frame for one of address space 0), and the wider store would hit the program's own memory. It leaves volatile
/// stores alone.
///
/// ```text
/// before:  store i32 0, ptr addrspace(256) %a         after:  store volatile i32 0, ptr addrspace(256) %a
/// ```
pub fn keep_stores_apart(module: &Module<'_>) {
    for function in module.functions() {
        for block in function.blocks() {
            for instruction in block.instructions() {
                if instruction.opcode() == Some(Opcode::LLVMStore)
                    && instruction.operand(1).ty().address_space() == TAINT_ADDRESS_SPACE
                {
                    instruction.set_volatile();
                }
            }
        }
    }
}

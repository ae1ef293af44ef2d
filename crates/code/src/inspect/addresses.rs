//! Which functions look at the bits of addresses: code that copies whole words asks how its pointers are aligned.
//!
//! Differences and comparisons of addresses do not count: they stay the same when an object lies elsewhere.

use super::function_values;
use testwright_base::graph::CallGraph;
use testwright_base::ids::FunctionId;
use testwright_base::subject::Subject;
use testwright_llvm::{Module, Opcode, Value};

/// Finds the functions that do so themselves, or call one that does. Locals must be values already. Models of ours
/// compute the same wherever objects lie.
pub fn find_looks_at_addresses(module: &Module<'_>, subject: &mut Subject) {
    let values = function_values(module);
    let all = (0..subject.functions.len()).map(FunctionId::of).zip(values);
    let own = all.filter(|(id, value)| !subject.function(*id).model && looks_at_addresses(*value));
    let own: Vec<FunctionId> = own.map(|(id, _)| id).collect();
    let graph = CallGraph::new(subject);
    for id in own.iter().flat_map(|id| graph.all_callers(*id)).chain(own.iter().copied()) {
        subject.functions[id.index()].looks_at_addresses = true;
    }
}

fn looks_at_addresses(function: Value<'_>) -> bool {
    let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
    let mut addresses = instructions.filter(|one| one.opcode() == Some(Opcode::LLVMPtrToInt));
    addresses.any(|address| address.users().into_iter().any(looks))
}

/// Whether an instruction looks at the bits of an operand, or keeps it where others may.
fn looks(user: Value<'_>) -> bool {
    !matches!(
        user.opcode(),
        Some(Opcode::LLVMSub | Opcode::LLVMAdd | Opcode::LLVMICmp | Opcode::LLVMIntToPtr | Opcode::LLVMRet)
    )
}

#[cfg(test)]
mod tests {
    use crate::inspect::testing::{bitcode, clangs};
    use crate::prepare::prepare;

    #[test]
    fn code_that_asks_how_pointers_are_aligned_is_known_and_so_is_what_calls_it() {
        let text = "#include <stdint.h>\n\
                    static int is_aligned(const char *p) { uintptr_t bits = (uintptr_t)p; return bits % 8 == 0; }\n\
                    int first(const char *p) { return is_aligned(p) ? 1 : *p; }\n\
                    long between(const char *p, const char *end) { return p < end ? end - p : 0; }\n\
                    int same(const char *p, const char *q) { return (uintptr_t)p == (uintptr_t)q; }";
        for clang in clangs() {
            let folder = tempfile::tempdir().unwrap();
            let (bitcode, files) = bitcode(folder.path(), &[text], &clang).unwrap();
            let subject = prepare(&bitcode, &files).unwrap().subject;
            let looking = subject.functions.iter().filter(|function| function.looks_at_addresses);
            let names: Vec<&str> = looking.map(|function| function.name.as_str()).collect();
            assert_eq!(names, ["is_aligned", "first"], "{}", clang.version);
        }
    }
}

//! Which functions look at the bits of addresses: code that copies whole words asks how its pointers are aligned.
//!
//! Differences and comparisons of addresses do not count: they stay the same when an object lies elsewhere.

use testwright_base::graph::CallGraph;
use testwright_base::ids::FunctionId;
use testwright_base::subject::Subject;
use testwright_llvm::{Block, Opcode, Value};

/// Whether the function itself does.
pub fn looks_at_addresses(function: Value<'_>) -> bool {
    let instructions = function.blocks().into_iter().flat_map(Block::instructions);
    let mut addresses = instructions.filter(|one| one.opcode() == Some(Opcode::LLVMPtrToInt));
    addresses.any(|address| address.users().into_iter().any(looks))
}

/// What a function does, those that call it do too.
pub fn spread_to_callers(subject: &mut Subject) {
    let ids = (0..subject.functions.len()).map(FunctionId::of);
    let looking: Vec<FunctionId> = ids.filter(|id| subject.function(*id).looks_at_addresses).collect();
    let graph = CallGraph::new(subject);
    for caller in looking.into_iter().flat_map(|id| graph.all_callers(id)) {
        subject.functions[caller.index()].looks_at_addresses = true;
    }
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
            let subject = prepare(crate::frontend(), &bitcode, &files).unwrap().subject;
            let looking = subject.functions.iter().filter(|function| function.looks_at_addresses);
            let names: Vec<&str> = looking.map(|function| function.name.as_str()).collect();
            assert_eq!(names, ["is_aligned", "first"], "{}", clang.version);
        }
    }
}

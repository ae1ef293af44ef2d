//! Missing functions: called by the code, and defined neither there nor in the C library.

use testwright_llvm::{Module, Opcode, Value};

/// How the variable is called that has a pointer to a missing function as its type.
const TYPE: &str = "tw_type_";

/// The functions that the module calls and nobody defines, in the order of the module.
#[must_use]
pub fn functions<'c>(module: &Module<'c>) -> Vec<Value<'c>> {
    let mut list = module.functions();
    list.retain(|function| is_missing(*function));
    list
}

/// Whether nobody defines a function that is used. What is called `__atomic_..` belongs to a library of the compiler.
#[must_use]
pub fn is_missing(function: Value<'_>) -> bool {
    let name = function.name();
    let reserved = ["llvm.", "tw_", "__atomic_", "__sync_"].iter().any(|start| name.starts_with(start));
    function.is_declaration()
        && !function.is_intrinsic()
        && !function.users().is_empty()
        && !reserved
        && !testwright_libm::provides(&name)
}

/// Whether a function is declared not to return. A compiler that checks what comes after its calls drops the attribute, so
/// what comes after them counts too.
#[must_use]
pub fn never_returns(function: Value<'_>) -> bool {
    let ends = |user: Value<'_>| {
        let after = user.is_instruction().then(|| user.next()).flatten();
        after.is_some_and(|after| match after.opcode() {
            Some(Opcode::LLVMUnreachable) => true,
            // br i1 false, label %never, label %trap
            Some(Opcode::LLVMBr) if after.is_conditional() && after.condition().constant_int() == Some(0) => {
                after
                    .successors()
                    .get(1)
                    .is_some_and(|block| block.instructions().first().is_some_and(is_trap))
            }
            _ => is_trap(&after),
        })
    };
    function.has_attribute("noreturn")
        || !function.users().is_empty() && function.users().into_iter().all(ends)
}

/// Whether an instruction is the trap of a place that must not be reached.
fn is_trap(instruction: &Value<'_>) -> bool {
    const UNREACHABLE: u128 = 1;
    instruction.opcode() == Some(Opcode::LLVMCall)
        && instruction.callee().name() == "llvm.ubsantrap"
        && instruction.operand(0).constant_int() == Some(UNREACHABLE)
}

/// The name of the variable whose debug information tells the type of a missing function.
#[must_use]
pub fn type_variable(function: &str) -> String {
    format!("{TYPE}{function}")
}

/// C text that defines those variables: compilers describe the types of variables, but not those of functions that
/// are only declared.
#[must_use]
pub fn declarations(functions: &[String]) -> String {
    let declaration =
        |name: &String| format!("__typeof__({name}) *{} __attribute__((__weak__));\n", type_variable(name));
    functions.iter().map(declaration).collect()
}

/// Takes the variables out again.
pub fn drop_type_variables(module: &Module<'_>) {
    for global in module.globals() {
        if global.name().starts_with(TYPE) && global.users().is_empty() {
            global.erase_global();
        }
    }
}

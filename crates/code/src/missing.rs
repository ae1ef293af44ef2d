//! What is missing: functions and variables that the code uses, defined neither there nor in the C library.

use testwright_abi::table::Function;
use testwright_base::subject::Undefined;
use testwright_llvm::{Module, Opcode, Value};

/// How the variable is called that has a pointer to something missing as its type.
const TYPE: &str = "tw_type_";
/// What a variable of unknown size gets.
pub const BYTES: u64 = 64;

/// The functions that the module calls and nobody defines, in the order of the module.
#[must_use]
pub fn functions<'c>(module: &Module<'c>) -> Vec<Value<'c>> {
    let mut list = module.functions();
    list.retain(|function| is_missing(*function));
    list
}

/// Whether nobody defines a function that is used. No library can define what is hidden from libraries. What is called `__atomic_..` belongs to a library of the compiler.
#[must_use]
pub fn is_missing(function: Value<'_>) -> bool {
    !function.is_intrinsic() && is_nowhere(function)
}

fn is_nowhere(value: Value<'_>) -> bool {
    let name = value.name();
    let reserved = ["llvm.", "tw_", "__atomic_", "__sync_"].iter().any(|start| name.starts_with(start));
    value.is_declaration()
        && !value.users().is_empty()
        && !reserved
        && (value.is_hidden() || !is_of_library(&name))
}

/// Whether the C library has it. Some of what we replace lies in a part of it that is linked into each program, such as `atexit`.
fn is_of_library(name: &str) -> bool {
    testwright_libm::provides(name) || Function::named(&format!("c_{name}")).is_some()
}

/// The variables that the module uses and nobody defines, in the order of the module.
#[must_use]
pub fn variables<'c>(module: &Module<'c>) -> Vec<Value<'c>> {
    let mut list = module.globals();
    list.retain(|global| is_nowhere(*global) && !global.is_weak_reference());
    list
}

/// Defines those variables, so that they are inputs like others. One whose type is not complete gets some bytes.
///
/// ```text
/// before:  @limit = external global i32          @zone = external global %struct.zone     (opaque)
/// after:   @limit = global i32 0                 @zone = global [64 x i8] zeroinitializer
/// ```
pub fn define_variables(module: &Module<'_>) -> Vec<Undefined> {
    let define = |global: Value<'_>| {
        let (name, ty) = (global.name(), global.global_type());
        let size = if ty.is_sized() { module.alloc_size(ty) } else { 0 };
        let thread_local = global.is_thread_local();
        if size > 0 {
            global.set_initializer(ty.zero());
            return Undefined { name, size, thread_local, unbounded: false };
        }
        let bytes = module.context().int(8).array(BYTES);
        global.set_name(&format!("tw_incomplete_{name}"));
        let defined = module.add_global(&name, bytes);
        defined.set_initializer(bytes.zero());
        defined.set_alignment(16);
        if global.is_global_constant() {
            defined.set_global_constant();
        }
        global.replace_all_uses(defined);
        global.erase_global();
        Undefined { name, size: BYTES, thread_local, unbounded: true }
    };
    variables(module).into_iter().map(define).collect()
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

/// The name of the variable whose debug information tells the type of something missing.
#[must_use]
pub fn type_variable(missing: &str) -> String {
    format!("{TYPE}{missing}")
}

/// C text that defines those variables: compilers describe the types of variables, but not those of what is only declared.
#[must_use]
pub fn declarations(missing: &[String]) -> String {
    let declaration =
        |name: &String| format!("__typeof__({name}) *{} __attribute__((__weak__));\n", type_variable(name));
    missing.iter().map(declaration).collect()
}

/// Takes the variables out again.
pub fn drop_type_variables(module: &Module<'_>) {
    for global in module.globals() {
        if global.name().starts_with(TYPE) && global.users().is_empty() {
            global.erase_global();
        }
    }
}

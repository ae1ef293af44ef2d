//! Library models: C functions in Rust, linked into the code so that they are traced like it.
//!
//! The models are compiled to bitcode when Testwright is built. Those that the subject calls are linked in before
//! sites are numbered; the trace build then calls them instead of the C library, the run build does not. Functions that allocate
//! and functions about streams are models in every build.

mod streams;

pub use streams::install as give_streams;

use crate::variadic::CHECKS;
use std::collections::HashSet;
use testwright_base::build::Build;
use testwright_base::contract::PRECONDITION;
use testwright_base::stub::ALLOCATION;
use testwright_llvm::{Error, Module, Opcode, Target, Value};

static BITCODE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/models.bc"));

/// Variadic functions cannot be written in stable Rust, so these forward to the model that takes a list. Nor can models end a run
/// where they are tested natively.
const VARIADIC: &str = r#"
%va = type { i32, i32, ptr, ptr }
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)
declare i32 @tw_model_vsnprintf(ptr, i64, ptr, ptr)
declare i32 @tw_model_vsprintf(ptr, ptr, ptr)
define i32 @tw_model_snprintf(ptr %to, i64 %size, ptr %format, ...) {
  %list = alloca %va, align 16
  call void @llvm.va_start.p0(ptr %list)
  %n = call i32 @tw_model_vsnprintf(ptr %to, i64 %size, ptr %format, ptr %list)
  call void @llvm.va_end.p0(ptr %list)
  ret i32 %n
}
define i32 @tw_model_sprintf(ptr %to, ptr %format, ...) {
  %list = alloca %va, align 16
  call void @llvm.va_start.p0(ptr %list)
  %n = call i32 @tw_model_vsprintf(ptr %to, ptr %format, ptr %list)
  call void @llvm.va_end.p0(ptr %list)
  ret i32 %n
}
define void @tw_model_testwright_argument(ptr %list) {
  %place = getelementptr i8, ptr %list, i64 16
  %registers = load ptr, ptr %place
  %inside = icmp ne ptr %registers, null
  br i1 %inside, label %yes, label %no
yes:
  ret void
no:
  call void @tw_outside()
  unreachable
}
declare i32 @tw_model_testwright_fits(ptr, ptr)
declare void @tw_outside()
define void @tw_model_testwright_format(ptr %format, ptr %list) {
  %fits = call i32 @tw_model_testwright_fits(ptr %format, ptr %list)
  %inside = icmp ne i32 %fits, 0
  br i1 %inside, label %yes, label %no
yes:
  ret void
no:
  call void @tw_outside()
  unreachable
}
"#;

const PREFIX: &str = "tw_model_";

/// Functions that allocate and may fail if the case says so, with the types of their parameters. They are models in every build.
const FAILING: &[(&str, &[&str])] = &[
    ("malloc", &["i64"]),
    ("calloc", &["i64", "i64"]),
    ("realloc", &["ptr", "i64"]),
    ("reallocarray", &["ptr", "i64", "i64"]),
    ("aligned_alloc", &["i64", "i64"]),
];

/// ```text
/// define ptr @tw_model_malloc(i64 %0) {
///   if (allocation.fails()) { errno = ENOMEM; return null; }
///   return malloc(%0);
/// }
/// ```
fn failing_models() -> String {
    let mut text = format!("declare zeroext i1 @\"{ALLOCATION}\"()\ndeclare ptr @__errno_location()\n");
    for (name, params) in FAILING {
        let given: Vec<String> = params.iter().enumerate().map(|(at, ty)| format!("{ty} %{at}")).collect();
        let (types, given) = (params.join(", "), given.join(", "));
        text += &format!(
            "declare ptr @{name}({types})\n\
             define ptr @{PREFIX}{name}({given}) {{\n\
             entry:\n  %fails = call zeroext i1 @\"{ALLOCATION}\"()\n  \
             br i1 %fails, label %refused, label %allowed\n\
             refused:\n  %errno = call ptr @__errno_location()\n  store i32 12, ptr %errno\n  ret ptr null\n\
             allowed:\n  %block = call ptr @{name}({given})\n  ret ptr %block\n}}\n"
        );
    }
    text
}

/// Links the models of the functions that the module declares and calls.
///
/// # Errors
/// If linking fails, which is a bug of ours.
pub fn link(module: &Module<'_>, target: &Target) -> Result<(), Error> {
    let context = module.context();
    let models = context.parse_bitcode(BITCODE, "models")?;
    models.link(context.parse_text(VARIADIC)?)?;
    models.link(context.parse_text(&failing_models())?)?;
    let has_streams = streams::are_inputs(module);
    if has_streams {
        models.link(context.parse_text(&streams::text())?)?;
    }
    let available: HashSet<String> =
        models.functions().iter().filter_map(|f| f.name().strip_prefix(PREFIX).map(str::to_owned)).collect();
    let wanted: HashSet<String> = module
        .functions()
        .into_iter()
        .filter(|f| f.is_declaration() && !f.users().is_empty() && available.contains(&f.name()))
        .map(Value::name)
        .filter(|name| has_streams || !streams::has(name))
        .collect();
    if wanted.is_empty() {
        return Ok(());
    }
    for function in models.functions() {
        if function.is_declaration() {
            continue;
        }
        let name = function.name();
        let kept = name.strip_prefix(PREFIX).is_some_and(|name| wanted.contains(name));
        function.set_internal(!kept);
        // What models share is a model too, and known by its name.
        if !name.starts_with(PREFIX) {
            function.set_name(&format!("{PREFIX}{name}"));
        }
    }
    for global in models.globals() {
        if !global.is_declaration() {
            global.set_internal(true);
        }
    }
    let_copies_fail(&models);
    models.set_target(target);
    models.run_passes("globaldce", target)?;
    module.link(models)?;
    divert_everywhere(module);
    Ok(())
}

/// Lets `strdup` and its like allocate through the model of `malloc`, which fails if the case says so.
fn let_copies_fail(models: &Module<'_>) {
    let (Some(malloc), Some(model)) = (models.function("malloc"), models.function("tw_model_malloc")) else {
        return;
    };
    let copies = |user: &Value<'_>| {
        let name = user.is_instruction().then(|| user.block().function().name());
        name.is_some_and(|name| name.strip_prefix(PREFIX).is_some_and(|name| ALLOCATING.contains(&name)))
    };
    for user in malloc.users().into_iter().filter(copies) {
        let operands = (0..user.operand_count()).filter(|index| user.operand(*index) == malloc);
        operands.collect::<Vec<_>>().into_iter().for_each(|index| user.set_operand(index, model));
    }
}

/// Lets the code allocate through the models that may fail, check lists, and use the models of streams if they are linked, also
/// where it takes the address of `malloc`. Models mean the function itself.
fn divert_everywhere(module: &Module<'_>) {
    let failing = FAILING.iter().map(|(name, _)| *name);
    for name in
        failing.chain(ALLOCATING.iter().copied()).chain(CHECKS.iter().copied()).chain(streams::names())
    {
        let (Some(function), Some(model)) =
            (module.function(name), module.function(&format!("{PREFIX}{name}")))
        else {
            continue;
        };
        if !function.is_declaration()
            || model.is_declaration()
            || model.global_type() != function.global_type()
        {
            continue;
        }
        // From here on calls are seen to lead to what may fail.
        let in_model = |user: &Value<'_>| user.is_instruction() && is_model(user.block().function());
        let own: Vec<(Value<'_>, usize)> = function
            .users()
            .into_iter()
            .filter(in_model)
            .flat_map(|user| (0..user.operand_count()).map(move |index| (user, index)))
            .filter(|(user, index)| user.operand(*index) == function)
            .collect();
        function.replace_all_uses(model);
        own.into_iter().for_each(|(user, index)| user.set_operand(index, function));
    }
}

/// Whether a function of the subject is a model of one that allocates, and fails if the case says so.
#[must_use]
pub fn may_refuse(name: &str) -> bool {
    name.strip_prefix(PREFIX).is_some_and(|name| FAILING.iter().any(|(failing, _)| *failing == name))
}

/// Whether a function of the module is a model.
#[must_use]
pub fn is_model(function: Value<'_>) -> bool {
    function.name().starts_with(PREFIX)
}

/// Functions that allocate inside the C library. Its heap is not ours, so a block of it could not be freed; these are models in
/// every build.
const ALLOCATING: &[&str] = &["strdup", "strndup"];

/// Lets calls of the C library go to the models, where the types agree: all of them in the trace build.
pub fn divert(module: &Module<'_>, build: Build) {
    for function in module.functions() {
        let wanted = build == Build::Trace || ALLOCATING.contains(&function.name().as_str());
        if !function.is_declaration() || !wanted {
            continue;
        }
        let Some(model) = module.function(&format!("{PREFIX}{}", function.name())) else { continue };
        if model.is_declaration() || model.global_type() != function.global_type() {
            continue;
        }
        // Inside the models themselves the C function is meant: `vsnprintf` falls back to the native one.
        for user in function.users() {
            let in_model = user.is_instruction() && {
                let name = user.block().function().name();
                name.starts_with(PREFIX) && !name.starts_with(PRECONDITION)
            };
            if in_model {
                continue;
            }
            for index in 0..user.operand_count() {
                if user.operand(index) == function && (user.is_instruction()) {
                    user.set_operand(index, model);
                }
            }
        }
        let remaining = function.users();
        let only_models = remaining.iter().all(|user| user.opcode() == Some(Opcode::LLVMCall));
        if !only_models {
            function.replace_all_uses(model);
        }
    }
}

//! C functions that we replace in every build, so that runs can be repeated and end where we can see it.
//!
//! A declared `malloc`, `time` or `exit` gets a body that calls the table function `c_malloc`, `c_time`, `c_exit`.
//! A declaration whose type differs from the C library's is left alone: it is somebody's own function.

use crate::instrument::emitter::{Emitter, Marks};
use testwright_abi::table::{FUNCTIONS, Function, Type as TableType};
use testwright_llvm::{Kind, Module, Opcode, Type, Value};

/// Gives every replaced function that the module declares its body.
///
/// ```text
/// before:  declare ptr @malloc(i64)
/// after:   define internal ptr @malloc(i64 %size) { <call c_malloc through the table>; inttoptr; ret }
/// ```
pub fn redirect(module: &Module<'_>) {
    let emitter = Emitter::new(module, Marks::Store);
    for function in FUNCTIONS {
        let Some(name) = function.name.strip_prefix("c_") else { continue };
        let Some(declared) = module.function(name) else { continue };
        if declared.is_declaration() && fits(declared.global_type(), function) {
            define(&emitter, declared, function);
        }
    }
}

/// Whether this is one of the bodies made by [`redirect`].
#[must_use]
pub fn is_thunk(function: Value<'_>) -> bool {
    let name = function.name();
    FUNCTIONS.iter().any(|table| table.name.strip_prefix("c_") == Some(&name))
        && !function.is_declaration()
        && {
            let blocks = function.blocks();
            blocks.len() == 1 && blocks[0].instructions().len() <= 16
        }
}

/// Whether this is a thunk that allocates.
#[must_use]
pub fn is_heap_thunk(function: Value<'_>) -> bool {
    const HEAP: &[&str] =
        &["malloc", "calloc", "realloc", "reallocarray", "aligned_alloc", "memalign", "posix_memalign"];
    HEAP.contains(&function.name().as_str()) && is_thunk(function)
}

fn fits(declared: Type<'_>, function: &Function) -> bool {
    let params = declared.params();
    let same = |ty: Type<'_>, table: TableType| match table {
        TableType::U32 => ty.int_width() == 32,
        TableType::U64 => ty.int_width() == 64 || ty.kind() == Kind::Pointer,
        TableType::Unit | TableType::Never => true,
        TableType::U128 => ty.int_width() == 128,
    };
    params.len() == function.params.len()
        && params.iter().zip(function.params).all(|(ty, table)| same(*ty, *table))
        && (declared.result().kind() == Kind::Void || same(declared.result(), function.result))
}

fn define<'c>(emitter: &Emitter<'c, '_>, declared: Value<'c>, function: &Function) {
    let builder = &emitter.builder;
    builder.at_end(declared.append_block("entry"));
    let arguments: Vec<Value<'c>> = declared
        .params()
        .into_iter()
        .map(|param| match param.ty().kind() {
            Kind::Pointer => builder.cast(Opcode::LLVMPtrToInt, param, emitter.i64),
            _ => param,
        })
        .collect();
    let result = emitter.call(function.name, &arguments);
    let wanted = declared.global_type().result();
    match (function.result, wanted.kind()) {
        (TableType::Never, _) => builder.unreachable(),
        (_, Kind::Void) => builder.ret(None),
        (_, Kind::Pointer) => builder.ret(Some(builder.cast(Opcode::LLVMIntToPtr, result, wanted))),
        _ => builder.ret(Some(result)),
    };
    declared.set_internal(true);
    declared.add_attribute("noinline");
}

/// C functions that change nothing but errno.
#[must_use]
pub fn is_pure(name: &str) -> bool {
    const PURE: &[&str] = &[
        "memcpy",
        "memmove",
        "memset",
        "memcmp",
        "memchr",
        "memrchr",
        "mempcpy",
        "memccpy",
        "memmem",
        "strlen",
        "strnlen",
        "strcpy",
        "strncpy",
        "stpcpy",
        "stpncpy",
        "strcat",
        "strncat",
        "strcmp",
        "strncmp",
        "strcasecmp",
        "strncasecmp",
        "strcoll",
        "strchr",
        "strrchr",
        "strchrnul",
        "strstr",
        "strcasestr",
        "strspn",
        "strcspn",
        "strpbrk",
        "strsep",
        "strtok_r",
        "bcmp",
        "bzero",
        "index",
        "rindex",
        "isalpha",
        "isdigit",
        "isalnum",
        "isspace",
        "isupper",
        "islower",
        "isxdigit",
        "ispunct",
        "iscntrl",
        "isprint",
        "isgraph",
        "isblank",
        "isascii",
        "toascii",
        "tolower",
        "toupper",
        "__ctype_b_loc",
        "__ctype_tolower_loc",
        "__ctype_toupper_loc",
        "strtol",
        "strtoul",
        "strtoll",
        "strtoull",
        "strtoimax",
        "strtoumax",
        "strtod",
        "strtof",
        "strtold",
        "atoi",
        "atol",
        "atoll",
        "atof",
        "__isoc23_strtol",
        "__isoc23_strtoul",
        "__isoc23_strtoll",
        "__isoc23_strtoull",
        "abs",
        "labs",
        "llabs",
        "imaxabs",
        "div",
        "ldiv",
        "lldiv",
        "qsort",
        "bsearch",
        "snprintf",
        "sprintf",
        "vsnprintf",
        "vsprintf",
        "sscanf",
        "__isoc99_sscanf",
        "__errno_location",
        "frexp",
        "modf",
        "fabs",
        "fabsf",
        "sqrt",
        "sqrtf",
        "floor",
        "floorf",
        "ceil",
        "ceilf",
        "trunc",
        "truncf",
        "rint",
        "rintf",
        "nearbyint",
        "nearbyintf",
        "round",
        "roundf",
        "fmod",
        "fmodf",
        "fma",
        "fmaf",
        "copysign",
        "copysignf",
        "setjmp",
        "_setjmp",
        "longjmp",
        "__isnan",
        "__isinf",
        "__finite",
        "isnan",
        "isinf",
        "finite",
    ];
    PURE.contains(&name) || testwright_abi::libm::Function::from_name(name).is_some()
}

/// C functions that write to streams and change nothing else.
#[must_use]
pub fn is_stream_function(name: &str) -> bool {
    const STREAMS: &[&str] = &[
        "printf", "fprintf", "vprintf", "vfprintf", "puts", "fputs", "putchar", "putc", "fputc", "fwrite",
        "fflush", "perror",
    ];
    STREAMS.contains(&name)
}

/// `fabs` and `copysign` are single instructions with exactly the meaning of LLVM's intrinsics.
pub fn use_exact_intrinsic<'c>(module: &Module<'c>, call: Value<'c>) {
    let callee = call.callee();
    let intrinsic = match callee.name().as_str() {
        "fabs" | "fabsf" => "llvm.fabs",
        "copysign" | "copysignf" => "llvm.copysign",
        _ => return,
    };
    let ty = call.ty();
    let float = matches!(ty.kind(), Kind::Float | Kind::Double);
    if !callee.is_declaration() || !float || call.call_arguments().iter().any(|argument| argument.ty() != ty)
    {
        return;
    }
    let builder = testwright_llvm::Builder::new(module.context());
    builder.before(call);
    let value = builder.call_function(module.intrinsic(intrinsic, &[ty]), &call.call_arguments());
    call.replace_all_uses(value);
    call.erase();
}

//! The functions that a search follows exactly: what they do is decided by what they are given, everywhere.
//!
//! Functions that depend on the locale, on rounding inside libm, on memory or on the system are not among them.

use testwright_llvm::{Kind, Value};

/// What a function does with the pointers it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It reads through all of them.
    Reads,
    /// It writes through the first and reads through the others.
    WritesFirst,
    /// It looks behind none of them.
    Nothing,
}

/// Functions of the C library whose models are exact.
const MODELS: &[(&str, Effect)] = &[
    ("abs", Effect::Nothing),
    ("labs", Effect::Nothing),
    ("llabs", Effect::Nothing),
    ("imaxabs", Effect::Nothing),
    ("isascii", Effect::Nothing),
    ("isdigit", Effect::Nothing),
    ("isxdigit", Effect::Nothing),
    ("toascii", Effect::Nothing),
    ("bcmp", Effect::Reads),
    ("index", Effect::Reads),
    ("memchr", Effect::Reads),
    ("memcmp", Effect::Reads),
    ("memmem", Effect::Reads),
    ("memrchr", Effect::Reads),
    ("rindex", Effect::Reads),
    ("strchr", Effect::Reads),
    ("strchrnul", Effect::Reads),
    ("strcmp", Effect::Reads),
    ("strcspn", Effect::Reads),
    ("strlen", Effect::Reads),
    ("strncmp", Effect::Reads),
    ("strnlen", Effect::Reads),
    ("strpbrk", Effect::Reads),
    ("strrchr", Effect::Reads),
    ("strspn", Effect::Reads),
    ("strstr", Effect::Reads),
    ("bzero", Effect::WritesFirst),
    ("memcpy", Effect::WritesFirst),
    ("memmove", Effect::WritesFirst),
    ("mempcpy", Effect::WritesFirst),
    ("memset", Effect::WritesFirst),
    ("stpcpy", Effect::WritesFirst),
    ("strcpy", Effect::WritesFirst),
    ("strncpy", Effect::WritesFirst),
    ("strcat", Effect::Reads),
    ("strncat", Effect::Reads),
];

/// Functions that end the run, or give back memory; those of ours end it where a stated condition does not hold.
const ENDS: &[&str] = &[
    "abort",
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "__assert_fail",
    "__stack_chk_fail",
    "free",
    "tw_outside",
    "tw_inside",
];

/// Functions of libm whose results are the same everywhere.
const EXACT: &[&str] = &["fabs", "sqrt", "floor", "ceil", "trunc", "round", "copysign", "fmod", "fma"];

/// Functions that allocate: whether they fail is an input, and what the memory holds is for its readers to doubt.
const ALLOCATES: &[&str] = &["malloc", "calloc", "realloc", "reallocarray", "aligned_alloc"];

/// Those of `MODELS` that return a pointer into what they were given first.
const RETURNS_FIRST: &[&str] = &[
    "index",
    "memchr",
    "memrchr",
    "rindex",
    "strchr",
    "strchrnul",
    "strpbrk",
    "strrchr",
    "strstr",
    "memcpy",
    "memmove",
    "mempcpy",
    "memset",
    "stpcpy",
    "strcpy",
    "strncpy",
    "strcat",
    "strncat",
];

/// How the names of library models begin.
const MODEL: &str = "tw_model_";

fn plain(name: &str) -> &str {
    name.strip_prefix(MODEL).unwrap_or(name)
}

/// What a function of the C library does that is followed exactly; none if it is not on the list.
pub fn library(function: Value<'_>) -> Option<Effect> {
    let name = function.name();
    let name = plain(&name);
    if let Some((_, effect)) = MODELS.iter().find(|(model, _)| *model == name) {
        return Some(*effect);
    }
    let is_exact = EXACT.contains(&name.strip_suffix('f').unwrap_or(name)) && takes_floats(function);
    (is_exact || ENDS.contains(&name) || ALLOCATES.contains(&name)).then_some(Effect::Nothing)
}

/// A user's own function may have the name of one of libm.
fn takes_floats(function: Value<'_>) -> bool {
    let ty = function.global_type();
    let is_float = |kind: Kind| matches!(kind, Kind::Float | Kind::Double);
    is_float(ty.result().kind()) && ty.params().into_iter().all(|param| is_float(param.kind()))
}

/// What an intrinsic does that is followed exactly; none if it is not on the list.
pub fn intrinsic(name: &str) -> Option<Effect> {
    let mut words = name.split('.').skip(1);
    let (first, second) = (words.next()?, words.next().unwrap_or_default());
    match (first, second) {
        ("memcpy" | "memmove" | "memset", _) => Some(Effect::WritesFirst),
        ("sadd" | "uadd" | "ssub" | "usub" | "smul" | "umul", "with")
        | ("uadd" | "usub", "sat")
        | ("is", "fpclass")
        | (
            "ctpop" | "ctlz" | "cttz" | "bswap" | "bitreverse" | "expect" | "dbg" | "lifetime" | "trap"
            | "ubsantrap" | "debugtrap" | "abs" | "smax" | "smin" | "umax" | "umin" | "fshl" | "fshr"
            | "donothing" | "prefetch" | "threadlocal" | "fmuladd",
            _,
        ) => Some(Effect::Nothing),
        (other, _) => EXACT.contains(&other).then_some(Effect::Nothing),
    }
}

/// Whether a call of a function sets as many bytes behind its first argument as its third says.
pub fn fills(name: &str) -> bool {
    let first = name.strip_prefix("llvm.").map(|name| name.split('.').next().unwrap_or_default());
    matches!(first.unwrap_or(name), "memcpy" | "memmove" | "memset")
}

/// The argument of a function that its result points into.
pub fn returns_argument(name: &str) -> Option<usize> {
    let is_known = RETURNS_FIRST.contains(&plain(name)) || name.starts_with("llvm.threadlocal.address");
    is_known.then_some(0)
}

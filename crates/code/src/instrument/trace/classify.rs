//! What kind of call a call is.

use std::collections::HashSet;
use testwright_abi::expr::Op;
use testwright_abi::libm;
use testwright_llvm::{Kind, Value};

/// What kind of call it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallKind {
    /// Nothing to do with values: debug information, lifetimes.
    Nothing,
    /// The result is computed from the arguments.
    Pure(Pure),
    /// `memcpy`, `memmove`.
    Copy,
    /// `memset`.
    Fill,
    /// `va_start`.
    VariadicStart,
    /// `va_copy`.
    VariadicCopy,
    /// A function that is traced too.
    Traced,
    /// A function pointer.
    Pointer,
    /// A function that is not traced, in the subject or elsewhere; also replaced ones.
    Native,
    /// Inline assembly.
    Assembly,
    /// An intrinsic that we have no expression for.
    Unknown,
}

/// How a pure call computes its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pure {
    /// It is the first argument.
    Same,
    /// One operation.
    Unary(Op),
    /// One operation.
    Binary(Op),
    /// Fused multiply-add.
    Fma,
    /// A value and whether it overflowed.
    Overflow(Op, Op),
    /// A function of libm.
    Apply(libm::Function),
}

/// The kind of a call.
pub fn classify<'c>(call: Value<'c>, traced: &HashSet<Value<'c>>) -> CallKind {
    let callee = call.callee();
    if callee.is_inline_assembly() {
        return CallKind::Assembly;
    }
    if !callee.is_function() {
        return CallKind::Pointer;
    }
    if traced.contains(&callee) {
        return CallKind::Traced;
    }
    let name = callee.name();
    if callee.is_intrinsic() {
        return intrinsic(&name, call);
    }
    if callee.is_declaration() {
        match name.as_str() {
            "memcpy" | "memmove" => return CallKind::Copy,
            "memset" => return CallKind::Fill,
            _ => {}
        }
        if let Some(pure) = library_function(&name)
            && has_float_signature(call)
        {
            return CallKind::Pure(pure);
        }
    }
    CallKind::Native
}

/// A user's own function may have the name of a C function: it must have its type too.
fn has_float_signature(call: Value<'_>) -> bool {
    let scalar = |value: &Value<'_>| matches!(value.ty().kind(), Kind::Float | Kind::Double | Kind::Int);
    scalar(&call) && call.call_arguments().iter().all(scalar) && !call.call_arguments().is_empty()
}

fn intrinsic(name: &str, call: Value<'_>) -> CallKind {
    let mut words = name.split('.').skip(1);
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let overflow = |op, flag| CallKind::Pure(Pure::Overflow(op, flag));
    match (first, second) {
        ("memcpy" | "memmove", _) => CallKind::Copy,
        ("memset", _) => CallKind::Fill,
        ("va_start", _) => CallKind::VariadicStart,
        ("va_copy", _) => CallKind::VariadicCopy,
        ("sadd", "with") => overflow(Op::Add, Op::SAddO),
        ("uadd", "with") => overflow(Op::Add, Op::UAddO),
        ("ssub", "with") => overflow(Op::Sub, Op::SSubO),
        ("usub", "with") => overflow(Op::Sub, Op::USubO),
        ("smul", "with") => overflow(Op::Mul, Op::SMulO),
        ("umul", "with") => overflow(Op::Mul, Op::UMulO),
        ("ctpop", _) => CallKind::Pure(Pure::Unary(Op::Ctpop)),
        ("ctlz", _) => CallKind::Pure(Pure::Unary(Op::Ctlz)),
        ("cttz", _) => CallKind::Pure(Pure::Unary(Op::Cttz)),
        ("bswap", _) => CallKind::Pure(Pure::Unary(Op::Bswap)),
        ("bitreverse", _) => CallKind::Pure(Pure::Unary(Op::Bitreverse)),
        ("expect" | "annotation" | "ssa", _) => CallKind::Pure(Pure::Same),
        (
            "dbg" | "lifetime" | "va_end" | "stacksave" | "stackrestore" | "assume" | "donothing"
            | "prefetch" | "trap" | "ubsantrap" | "debugtrap" | "experimental" | "invariant" | "frameaddress"
            | "returnaddress" | "var" | "launder" | "strip" | "sideeffect" | "pseudoprobe" | "fake",
            _,
        ) => CallKind::Nothing,
        _ if matches!(call.ty().kind(), Kind::Float | Kind::Double | Kind::Int) => {
            let suffix = if call.ty().kind() == Kind::Float { "f" } else { "" };
            let c_name = match first {
                "minnum" => "fmin",
                "maxnum" => "fmax",
                "roundeven" => "rint",
                other => other,
            };
            match library_function(&format!("{c_name}{suffix}")) {
                Some(pure) => CallKind::Pure(pure),
                None => CallKind::Unknown,
            }
        }
        _ => CallKind::Unknown,
    }
}

/// Functions of libm: those that are exact operations, then those that appear by name.
fn library_function(name: &str) -> Option<Pure> {
    let exact = match name.strip_suffix('f').unwrap_or(name) {
        "fabs" => Some(Pure::Unary(Op::FAbs)),
        "sqrt" => Some(Pure::Unary(Op::FSqrt)),
        "floor" => Some(Pure::Unary(Op::FFloor)),
        "ceil" => Some(Pure::Unary(Op::FCeil)),
        "trunc" => Some(Pure::Unary(Op::FTrunc)),
        "rint" | "nearbyint" => Some(Pure::Unary(Op::FRint)),
        "round" => Some(Pure::Unary(Op::FRound)),
        "copysign" => Some(Pure::Binary(Op::FCopysign)),
        "fmod" => Some(Pure::Binary(Op::FRem)),
        "fma" => Some(Pure::Fma),
        _ => None,
    };
    exact.or_else(|| libm::Function::from_name(name).map(Pure::Apply))
}

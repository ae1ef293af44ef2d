//! What Z3 can do and the `z3` crate does not offer: conversions from bit vectors to floats.

use z3::Sort;
use z3::ast::{Ast, BV, Float, RoundingMode};
use z3_sys::{
    Z3_ast, Z3_context, Z3_get_ast_id, Z3_mk_fpa_to_fp_bv, Z3_mk_fpa_to_fp_signed, Z3_mk_fpa_to_fp_unsigned,
    Z3_sort,
};

/// The sort of a float of 32 or 64 bits.
pub(crate) fn float_sort(width: u32) -> Sort {
    if width == 32 { Sort::float32() } else { Sort::double() }
}

/// The float of 32 or 64 bits that these bits are.
pub(crate) fn float_from_bits(bits: &BV, width: u32) -> Float {
    let sort = float_sort(width);
    // SAFETY: the bit vector and the sort live in the same context and outlive the call; their widths agree.
    let ast = unsafe { Z3_mk_fpa_to_fp_bv(context(bits), bits.get_z3_ast(), sort.get_z3_sort()) };
    wrap(bits, ast)
}

/// The float of `width` bits nearest to a signed integer.
pub(crate) fn float_from_signed(integer: &BV, width: u32) -> Float {
    from_integer(integer, width, Z3_mk_fpa_to_fp_signed)
}

/// The float of `width` bits nearest to an unsigned integer.
pub(crate) fn float_from_unsigned(integer: &BV, width: u32) -> Float {
    from_integer(integer, width, Z3_mk_fpa_to_fp_unsigned)
}

type Conversion = unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast, Z3_sort) -> Option<Z3_ast>;

fn from_integer(integer: &BV, width: u32, convert: Conversion) -> Float {
    let rounding = RoundingMode::round_nearest_ties_to_even();
    let sort = float_sort(width);
    // SAFETY: all arguments live in the same context and outlive the call.
    let ast =
        unsafe { convert(context(integer), rounding.get_z3_ast(), integer.get_z3_ast(), sort.get_z3_sort()) };
    wrap(integer, ast)
}

fn context(bits: &BV) -> Z3_context {
    bits.get_ctx().get_z3_context()
}

fn wrap(bits: &BV, ast: Option<Z3_ast>) -> Float {
    let ast = ast.expect("Z3 makes terms of fitting sorts");
    // SAFETY: the term was just made in this context and is a float.
    unsafe { Float::wrap(bits.get_ctx(), ast) }
}

/// The number by which Z3 tells the term from all others that are alive.
pub(crate) fn term_number(term: &impl Ast) -> u32 {
    // SAFETY: the term is alive in its context.
    unsafe { Z3_get_ast_id(term.get_ctx().get_z3_context(), term.get_z3_ast()) }
}

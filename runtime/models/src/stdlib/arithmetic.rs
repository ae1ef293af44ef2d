//! Absolute values and divisions of integers.

/// `div_t`
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Div {
    /// Quotient, rounded towards zero.
    pub quotient: i32,
    /// Remainder, with the sign of the dividend.
    pub remainder: i32,
}

/// `ldiv_t`, `lldiv_t`, `imaxdiv_t`
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongDiv {
    /// Quotient, rounded towards zero.
    pub quotient: i64,
    /// Remainder, with the sign of the dividend.
    pub remainder: i64,
}

/// `abs`; the smallest integer stays what it is, as in glibc.
#[unsafe(no_mangle)]
pub extern "C" fn tw_model_abs(value: i32) -> i32 {
    if value < 0 { value.wrapping_neg() } else { value }
}

/// `labs`
#[unsafe(no_mangle)]
pub extern "C" fn tw_model_labs(value: i64) -> i64 {
    if value < 0 { value.wrapping_neg() } else { value }
}

/// `llabs`
#[unsafe(no_mangle)]
pub extern "C" fn tw_model_llabs(value: i64) -> i64 {
    tw_model_labs(value)
}

/// `imaxabs`
#[unsafe(no_mangle)]
pub extern "C" fn tw_model_imaxabs(value: i64) -> i64 {
    tw_model_labs(value)
}

// A division that is undefined in C must reach the processor, which then stops the program as it does in
// libc's own `div`; so the results that Rust would check for are declared impossible here.
macro_rules! divide {
    ($dividend:expr, $divisor:expr) => {
        match ($dividend.checked_div($divisor), $dividend.checked_rem($divisor)) {
            (Some(quotient), Some(remainder)) => (quotient, remainder),
            // SAFETY: the contract of `div` excludes a divisor of zero and a quotient that does not fit.
            _ => unsafe { core::hint::unreachable_unchecked() },
        }
    };
}

/// `div`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_div(dividend: i32, divisor: i32) -> Div {
    let (quotient, remainder) = divide!(dividend, divisor);
    Div { quotient, remainder }
}

/// `ldiv`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_ldiv(dividend: i64, divisor: i64) -> LongDiv {
    let (quotient, remainder) = divide!(dividend, divisor);
    LongDiv { quotient, remainder }
}

/// `lldiv`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_lldiv(dividend: i64, divisor: i64) -> LongDiv {
    tw_model_ldiv(dividend, divisor)
}

/// `imaxdiv`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_imaxdiv(dividend: i64, divisor: i64) -> LongDiv {
    tw_model_ldiv(dividend, divisor)
}

//! Absolute values and divisions against libc.

use proptest::prelude::*;
use testwright_models::stdlib::*;

mod native {
    use super::{Div, LongDiv};
    unsafe extern "C" {
        pub safe fn abs(value: i32) -> i32;
        pub safe fn labs(value: i64) -> i64;
        pub safe fn llabs(value: i64) -> i64;
        pub safe fn imaxabs(value: i64) -> i64;
        pub fn div(dividend: i32, divisor: i32) -> Div;
        pub fn ldiv(dividend: i64, divisor: i64) -> LongDiv;
        pub fn lldiv(dividend: i64, divisor: i64) -> LongDiv;
        pub fn imaxdiv(dividend: i64, divisor: i64) -> LongDiv;
    }
}

fn check(dividend: i64, divisor: i64) {
    let (short_dividend, short_divisor) = (dividend as i32, divisor as i32);
    assert_eq!(tw_model_abs(short_dividend), native::abs(short_dividend));
    assert_eq!(tw_model_labs(dividend), native::labs(dividend));
    assert_eq!(tw_model_llabs(dividend), native::llabs(dividend));
    assert_eq!(tw_model_imaxabs(dividend), native::imaxabs(dividend));
    // SAFETY: the divisions that are not defined are left out.
    unsafe {
        if short_dividend.checked_div(short_divisor).is_some() {
            assert_eq!(
                tw_model_div(short_dividend, short_divisor),
                native::div(short_dividend, short_divisor)
            );
        }
        if dividend.checked_div(divisor).is_some() {
            assert_eq!(tw_model_ldiv(dividend, divisor), native::ldiv(dividend, divisor));
            assert_eq!(tw_model_lldiv(dividend, divisor), native::lldiv(dividend, divisor));
            assert_eq!(tw_model_imaxdiv(dividend, divisor), native::imaxdiv(dividend, divisor));
        }
    }
}

#[test]
fn limits_and_small_numbers_agree() {
    let numbers = [0, 1, 2, 3, 7, 10, i64::from(i32::MAX), i64::MAX, 1 << 31, i64::MIN, i64::from(i32::MIN)];
    for dividend in numbers {
        for divisor in numbers {
            for (a, b) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
                check(dividend.wrapping_mul(a), divisor.wrapping_mul(b));
            }
        }
    }
}

proptest! {
    #[test]
    fn any_numbers_agree(dividend: i64, divisor: i64, shift in 0u32..63) {
        check(dividend, divisor >> shift);
    }
}

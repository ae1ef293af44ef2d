//! Integers from texts: value, end and `errno` against libc.

use proptest::prelude::*;
use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};
use testwright_models::stdlib::*;

type Signed = unsafe extern "C" fn(*const u8, *mut *const u8, i32) -> i64;
type Unsigned = unsafe extern "C" fn(*const u8, *mut *const u8, i32) -> u64;

mod native {
    unsafe extern "C" {
        pub fn strtol(text: *const u8, end: *mut *const u8, base: i32) -> i64;
        pub fn strtoll(text: *const u8, end: *mut *const u8, base: i32) -> i64;
        pub fn strtoimax(text: *const u8, end: *mut *const u8, base: i32) -> i64;
        pub fn strtoul(text: *const u8, end: *mut *const u8, base: i32) -> u64;
        pub fn strtoull(text: *const u8, end: *mut *const u8, base: i32) -> u64;
        pub fn strtoumax(text: *const u8, end: *mut *const u8, base: i32) -> u64;
        pub fn atoi(text: *const u8) -> i32;
        pub fn atol(text: *const u8) -> i64;
        pub fn atoll(text: *const u8) -> i64;
        pub safe fn __errno_location() -> *mut i32;
    }
}

const SIGNED: [(Signed, Signed); 3] = [
    (tw_model_strtol, native::strtol),
    (tw_model_strtoll, native::strtoll),
    (tw_model_strtoimax, native::strtoimax),
];
const UNSIGNED: [(Unsigned, Unsigned); 3] = [
    (tw_model_strtoul, native::strtoul),
    (tw_model_strtoull, native::strtoull),
    (tw_model_strtoumax, native::strtoumax),
];

/// The value, `errno` and the end as an offset, `None` if it was not stored.
fn convert<T>(text: &CStr, call: impl FnOnce(*const u8, *mut *const u8) -> T) -> (T, i32, Option<usize>) {
    let start: *const u8 = text.as_ptr().cast();
    let mut end = null();
    // SAFETY: the address of this thread's errno is valid.
    unsafe { *native::__errno_location() = 0 };
    let value = call(start, &raw mut end);
    // SAFETY: as above.
    let errno = unsafe { *native::__errno_location() };
    (value, errno, if end.is_null() { None } else { Some(end as usize - start as usize) })
}

fn check(text: &CStr, base: i32) {
    // SAFETY: the text ends with a zero byte.
    unsafe {
        for (ours, theirs) in SIGNED {
            let (ours, theirs) =
                (convert(text, |t, e| ours(t, e, base)), convert(text, |t, e| theirs(t, e, base)));
            assert_eq!(ours, theirs, "{text:?} in base {base}");
        }
        for (ours, theirs) in UNSIGNED {
            let (ours, theirs) =
                (convert(text, |t, e| ours(t, e, base)), convert(text, |t, e| theirs(t, e, base)));
            assert_eq!(ours, theirs, "{text:?} in base {base}");
        }
    }
}

fn check_decimal(text: &CStr) {
    // SAFETY: the text ends with a zero byte.
    unsafe {
        assert_eq!(convert(text, |t, _| tw_model_atoi(t)), convert(text, |t, _| native::atoi(t)), "{text:?}");
        assert_eq!(convert(text, |t, _| tw_model_atol(t)), convert(text, |t, _| native::atol(t)), "{text:?}");
        assert_eq!(
            convert(text, |t, _| tw_model_atoll(t)),
            convert(text, |t, _| native::atoll(t)),
            "{text:?}"
        );
    }
}

#[test]
fn corner_cases_agree_in_every_base() {
    let texts = [
        c"",
        c" ",
        c"+",
        c"-",
        c"+-1",
        c"- 1",
        c"0",
        c"-0",
        c"00",
        c"0x",
        c"0X",
        c"0xg",
        c"-0x",
        c" +0x1fG",
        c"0x0x1",
        c"x",
        c"0b",
        c"0b1",
        c"0B101",
        c"08",
        c"09",
        c"0789",
        c" \t\n\x0b\x0c\r12",
        c"\x1f12",
        c"\xa012",
        c"1_000",
        c"zZ9aA",
        c"12abc",
        c"9223372036854775807",
        c"9223372036854775808",
        c"-9223372036854775808",
        c"-9223372036854775809",
        c"18446744073709551615",
        c"18446744073709551616",
        c"-18446744073709551615",
        c"-18446744073709551616",
        c"99999999999999999999999999x",
        c"0xffffffffffffffff",
        c"0x10000000000000000",
        c"0x7fffffffffffffff",
        c"-0x8000000000000000",
        c"2147483647",
        c"2147483648",
        c"-2147483649",
        c"4294967296",
        c"3w5e11264sgsf",
        c"3w5e11264sgsg",
        c"1y2p0ij32e8e7",
        c"1y2p0ij32e8e8",
        c"1.5",
        c"\xff",
        c":",
        c"/",
        c"@",
        c"`",
    ];
    for text in texts {
        for base in -1..=37 {
            check(text, base);
        }
        check_decimal(text);
    }
}

#[test]
fn the_largest_number_of_every_base_and_its_neighbours_agree() {
    for base in 2..=36 {
        for largest in [i64::MAX as u64, u64::MAX, 1 << 63] {
            for difference in -2..=2 {
                let number = i128::from(largest) + difference;
                let digits = in_base(number as u128, base);
                check(&CString::new(digits.clone()).unwrap(), base as i32);
                check(&CString::new(format!("-{digits}")).unwrap(), base as i32);
            }
        }
    }
}

fn in_base(number: u128, base: u128) -> String {
    let digit = char::from_digit((number % base) as u32, base as u32).unwrap();
    if number < base { digit.to_string() } else { in_base(number / base, base) + &digit.to_string() }
}

#[test]
fn an_end_nobody_wants_is_not_stored() {
    // SAFETY: the text ends with a zero byte, and a null end is allowed.
    unsafe {
        assert_eq!(tw_model_strtol(c"12x".as_ptr().cast(), null_mut(), 10), 12);
        assert_eq!(tw_model_strtoul(c"x".as_ptr().cast(), null_mut(), 99), 0);
    }
}

#[test]
fn only_the_functions_of_c23_know_binary_prefixes() {
    let c23 = |text, base| {
        // SAFETY: the text ends with a zero byte.
        let signed = unsafe { convert(text, |t, e| tw_model___isoc23_strtol(t, e, base)) };
        for function in [tw_model___isoc23_strtoll, tw_model___isoc23_strtoimax] {
            // SAFETY: as above.
            assert_eq!(unsafe { convert(text, |t, e| function(t, e, base)) }, signed);
        }
        for function in [tw_model___isoc23_strtoul, tw_model___isoc23_strtoull, tw_model___isoc23_strtoumax] {
            // SAFETY: as above.
            let unsigned = unsafe { convert(text, |t, e| function(t, e, base)) };
            assert_eq!((unsigned.0 as i64, unsigned.1, unsigned.2), signed);
        }
        (signed.0, signed.2.unwrap())
    };
    assert_eq!(c23(c"0b101", 0), (5, 5));
    assert_eq!(c23(c"-0B11", 2), (-3, 5));
    assert_eq!(c23(c"0b2", 0), (0, 1));
    assert_eq!(c23(c"0b", 2), (0, 1));
    assert_eq!(c23(c"0b1", 16), (0xb1, 3));
    assert_eq!(c23(c"0b1", 10), (0, 1));
    assert_eq!(c23(c"0x1f", 0), (31, 4));
    assert_eq!(c23(c"017", 0), (15, 3));
    // SAFETY: the text ends with a zero byte.
    unsafe { assert_eq!(tw_model_strtol(c"0b101".as_ptr().cast(), null_mut(), 0), 0) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn numbers_with_anything_around_them_agree(text in "[ \t]{0,2}[+-]?(0[xXbB]?)?[0-9a-zA-Z]{0,25}.{0,2}", base in 0..=36) {
        if let Ok(text) = CString::new(text) {
            check(&text, base);
            check_decimal(&text);
        }
    }

    #[test]
    fn decimal_numbers_of_any_length_agree(text in " ?[+-]?[0-9]{1,22}") {
        let text = CString::new(text).unwrap();
        check(&text, 10);
        check(&text, 0);
        check_decimal(&text);
    }
}

//! Floating-point numbers from texts: bits, end and `errno` against libc.

use proptest::prelude::*;
use std::ffi::{CStr, CString};
use std::ptr::null;
use testwright_models::stdlib::{tw_model_atof, tw_model_strtod, tw_model_strtof};

mod native {
    unsafe extern "C" {
        pub fn strtod(text: *const u8, end: *mut *const u8) -> f64;
        pub fn strtof(text: *const u8, end: *mut *const u8) -> f32;
        pub safe fn __errno_location() -> *mut i32;
    }
}

/// The value, `errno` and the end as an offset.
fn convert<T>(text: &CStr, call: unsafe extern "C" fn(*const u8, *mut *const u8) -> T) -> (T, i32, usize) {
    let start: *const u8 = text.as_ptr().cast();
    let mut end = null();
    // SAFETY: the address of this thread's errno is valid, and the text ends with a zero byte.
    unsafe {
        *native::__errno_location() = 0;
        let value = call(start, &raw mut end);
        (value, *native::__errno_location(), end as usize - start as usize)
    }
}

fn check_text(text: &CStr) {
    let (ours, our_errno, our_end) = convert(text, tw_model_strtod);
    let (theirs, their_errno, their_end) = convert(text, native::strtod);
    assert_eq!(
        (ours.to_bits(), our_errno, our_end),
        (theirs.to_bits(), their_errno, their_end),
        "strtod({text:?}): {ours:e} instead of {theirs:e}"
    );
    let (ours, our_errno, our_end) = convert(text, tw_model_strtof);
    let (theirs, their_errno, their_end) = convert(text, native::strtof);
    assert_eq!(
        (ours.to_bits(), our_errno, our_end),
        (theirs.to_bits(), their_errno, their_end),
        "strtof({text:?}): {ours:e} instead of {theirs:e}"
    );
}

fn check(text: impl Into<Vec<u8>>) {
    check_text(&CString::new(text).unwrap());
}

/// SplitMix64: the heavy tests need numbers faster than proptest makes them.
fn random_numbers(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

#[test]
fn corner_cases_agree() {
    let texts = [
        "",
        " ",
        "+",
        "-",
        ".",
        "-.",
        "e5",
        ".e5",
        "0",
        "-0",
        "+0",
        "00.00",
        "0.",
        ".0",
        "-.5",
        "5.",
        "1.5.5",
        "1e",
        "1e+",
        "1e-",
        "1e5",
        "1E+5",
        "1e-5",
        "1e5.5",
        "1 e5",
        "0e",
        "0e+",
        "0e99999999999999999999",
        "-0e-99999999999999999999",
        "1..5",
        " \t\n\x0b\x0c\r1.5",
        "inf",
        "INF",
        "-inf",
        "infinity",
        "InFiNiTy",
        "infinit",
        "infx",
        "in",
        "i",
        "nan",
        "NAN",
        "-nan",
        "nan()",
        "nan(",
        "nan(1)",
        "nan(0x7ff)",
        "nan(077)",
        "nan(_a9)",
        "nan(1",
        "nan(-1)",
        "nan(4503599627370495)",
        "nan(99999999999999999999999)",
        "nan(0x)",
        "nan(0b1)",
        "na",
        "nanx",
        "1e308",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e309",
        "-1e309",
        "1e99999999999999999999999",
        "1e-99999999999999999999999",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "2.2250738585072013e-308",
        "4.9406564584124654e-324",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.5e-324",
        "1e-324",
        "1e-400",
        "3.4028234663852886e38",
        "3.4028235677973366e38",
        "3.40282357e38",
        "1.17549435e-38",
        "1.1754943e-38",
        "1.4e-45",
        "7e-46",
        "7.1e-46",
        "9007199254740993",
        "9007199254740992",
        "9007199254740995",
        "18446744073709551615",
        "18446744073709551616",
        "123456789012345678901234567890",
        "1e22",
        "1e23",
        "8.5e22",
        "9007199254740993e22",
        "9007199254740993e-22",
        "1e-22",
        "1e-23",
        "16777217",
        "16777219",
        "16777217e10",
        "16777217e-10",
        "0.1",
        "0.3",
        "1e10",
        "1e11",
        "1e-10",
        "1e-11",
    ];
    for text in texts {
        check(text);
    }
}

#[test]
fn hexadecimal_corner_cases_agree() {
    let texts = [
        "0x",
        "0X",
        "0xg",
        "-0x",
        "0x.",
        "0x.p1",
        "0xp1",
        "0x0",
        "-0x0",
        "0x0p",
        "0x0p99999999999999999999",
        "0x1",
        "0x1p",
        "0x1p+",
        "0x1p4",
        "0x1P-4",
        "0x1.8",
        "0x.8",
        "0x1.",
        "0x1.p4",
        "0x1.8p3x",
        "0x1.8e3",
        "0xABCDEFabcdefp0",
        "0x1p1023",
        "0x1p1024",
        "0x1.fffffffffffffp1023",
        "0x1.fffffffffffff7p1023",
        "0x1.fffffffffffff8p1023",
        "0x1p-1022",
        "0x0.fffffffffffffp-1022",
        "0x0.fffffffffffff8p-1022",
        "0x0.fffffffffffffcp-1022",
        "0x1.fffffffffffffp-1023",
        "0x1.fffffffffffff8p-1023",
        "0x1p-1074",
        "0x1p-1075",
        "0x1.00000001p-1075",
        "0x1p-1076",
        "0x1.8p-1074",
        "0x1.8p-1075",
        "0x1.00000000000008p0",
        "0x1.00000000000018p0",
        "0x1.000000000000080000000000000000001p0",
        "0x1.000001p0",
        "0x1.000003p0",
        "0x1.0000010000000000000001p0",
        "0x123456789abcdef123456789abcdefp-40",
        "0x0000000000000000000000001",
        "0x1p-126",
        "0x1p-149",
        "0x1p-150",
        "0x1.000002p-150",
        "0x1.fffffep127",
        "0x1.ffffffp127",
        "0x1.fffffefp127",
        "0x1.fffffep-127",
        "0x1.ffffffp-127",
        "0x1.fffffefp-127",
        "0x1p99999999999999999999999",
        "0x1p-99999999999999999999999",
        "0x.0000000000000000000000000000001p200",
    ];
    for text in texts {
        if glibc_rounds_rightly(text) {
            check(text);
        }
    }
}

/// glibc 2.36 forgets a bit when it rounds a subnormal number: the one after those of a normal number.
fn glibc_rounds_rightly(hexadecimal: &str) -> bool {
    let digits = hexadecimal.split(['p', 'P']).next().unwrap().chars().filter_map(|digit| digit.to_digit(16));
    let bits: String = digits.map(|digit| format!("{digit:04b}")).collect();
    let significant = bits.trim_matches('0').len();
    significant != 54 && significant != 25
}

#[test]
fn subnormal_numbers_that_glibc_rounds_wrongly_are_rounded_rightly() {
    let double = |text| convert(text, tw_model_strtod);
    assert_eq!(double(c"0x0.8000000000000cp-1022"), (f64::from_bits(0x8_0000_0000_0001), 34, 24));
    assert_eq!(double(c"0x0.80000000000004p-1022"), (f64::from_bits(0x8_0000_0000_0000), 34, 24));
    assert_eq!(double(c"0x0.fffffffffffffcp-1022"), (f64::MIN_POSITIVE, 0, 24));
    assert_eq!(convert(c"0x0.800003p-126", tw_model_strtof), (f32::from_bits(0x40_0002), 34, 15));
    assert_eq!(convert(c"0x0.800001p-126", tw_model_strtof), (f32::from_bits(0x40_0000), 34, 15));
}

#[test]
fn doubles_printed_with_17_digits_come_back() {
    let mut random = random_numbers(1);
    for _ in 0..100_000 {
        let value = f64::from_bits(random());
        if value.is_finite() {
            let text = CString::new(format!("{value:.16e}")).unwrap();
            assert_eq!(convert(&text, tw_model_strtod).0.to_bits(), value.to_bits());
            check_text(&text);
        }
    }
}

#[test]
fn subnormal_numbers_agree() {
    let mut random = random_numbers(2);
    for _ in 0..20_000 {
        let double = f64::from_bits(random() >> (12 + random() % 52));
        check(format!("{double:.16e}"));
        check(format!("{double:.4e}"));
        let single = f32::from_bits((random() >> 41 >> (random() % 23)) as u32);
        check(format!("{single:.8e}"));
    }
}

#[test]
fn numbers_of_few_digits_agree() {
    let mut random = random_numbers(3);
    for _ in 0..200_000 {
        let digits = random() % 10u64.pow((random() % 20) as u32);
        let exponent = random() % 60;
        check(format!("{digits}e{}", exponent as i64 - 30));
    }
}

#[test]
fn numbers_of_any_exponent_agree() {
    let mut random = random_numbers(4);
    for _ in 0..50_000 {
        let (whole, fraction) = (random() >> (random() % 64), random() >> (random() % 64));
        check(format!("{whole}.{fraction}e{}", (random() % 700) as i64 - 350));
    }
}

/// The exact decimal digits of a point half way between a double (or single) and the next one, and its neighbours.
#[test]
fn points_half_way_between_two_numbers_and_their_neighbours_agree() {
    let mut random = random_numbers(5);
    for i in 0..3000 {
        // Every third one lies among the subnormal numbers, which have the most digits.
        let bits = if i % 3 == 0 { random() >> 12 } else { random() >> 1 };
        let value = f64::from_bits(bits);
        if !value.is_finite() {
            continue;
        }
        for exact in [half_way(value), format!("{:.200}", f64::from(f32::from_bits((bits >> 33) as u32)))] {
            check(exact.clone());
            check(exact.clone() + "1");
            check(exact.clone() + "000000000000000000001");
            let mut below = exact.into_bytes();
            if let Some(last) = below.iter().rposition(|byte| (b'1'..=b'9').contains(byte)) {
                below[last] -= 1;
                below.extend(b"99999999");
                check(below);
            }
        }
    }
}

/// All digits of `value` plus half a unit in its last place.
fn half_way(value: f64) -> String {
    let bits = value.to_bits();
    let exponent = ((bits >> 52).max(1) as i32) - 1075;
    let hidden = if bits >> 52 == 0 { 0 } else { 1 << 52 };
    let significand = (((bits & ((1 << 52) - 1)) | hidden) << 1) + 1;
    // significand * 2^(exponent - 1), in decimal digits, least significant first.
    let mut digits: Vec<u8> = significand.to_string().bytes().rev().map(|byte| byte - b'0').collect();
    let power = exponent - 1;
    let factor = if power < 0 { 5 } else { 2 };
    for _ in 0..power.abs() {
        let mut carry = 0;
        for digit in &mut digits {
            carry += *digit * factor;
            *digit = carry % 10;
            carry /= 10;
        }
        if carry != 0 {
            digits.push(carry);
        }
    }
    let text: String = digits.iter().rev().map(|digit| char::from(b'0' + digit)).collect();
    // 2^-n is 5^n / 10^n.
    format!("{text}e{}", power.min(0))
}

#[test]
fn long_digit_strings_agree() {
    let mut random = random_numbers(6);
    for i in 0..1000u64 {
        let length = 700 + random() % 200;
        let digits: String = (0..length).map(|_| char::from(b'0' + (random() % 10) as u8)).collect();
        let point = (random() % (length + 1)) as usize;
        let exponent = if i % 2 == 0 { 0 } else { (random() % 1400) as i64 - 700 - point as i64 };
        check(format!("{}.{}e{exponent}", &digits[..point], &digits[point..]));
        check(format!("0.{}{digits}e{}", "0".repeat(point), random() % 400));
        check(format!("{digits}{}e-{}", "0".repeat(point), length + random() % 300));
    }
    for zeros in [760, 799, 800, 801, 802, 1000, 5000] {
        for end in ["", "1", "01"] {
            check(format!("1.{}{end}", "0".repeat(zeros)));
            check(format!("9007199254740993.{}{end}", "0".repeat(zeros)));
            check(format!("9007199254740993{}{end}e-{zeros}", "0".repeat(zeros)));
        }
    }
}

#[test]
fn atof_is_strtod_without_an_end() {
    // SAFETY: the texts end with a zero byte.
    unsafe {
        assert_eq!(tw_model_atof(c" -12.5e1x".as_ptr().cast()), -125.0);
        assert_eq!(tw_model_atof(c"x".as_ptr().cast()), 0.0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30_000))]

    #[test]
    fn texts_that_look_like_numbers_agree(text in " ?[+-]?[0-9]{0,20}[.]?[0-9]{0,20}([eE][+-]?[0-9]{0,4})?[ xe.]?") {
        check(text);
    }

    #[test]
    fn texts_that_look_like_hexadecimal_numbers_agree(
        text in " ?[+-]?0[xX][0-9a-fA-F]{0,18}[.]?[0-9a-fA-F]{0,18}([pP][+-]?[0-9]{0,4})?[ xp.]?"
    ) {
        prop_assume!(glibc_rounds_rightly(&text));
        check(text);
    }

    #[test]
    fn words_agree(text in "[+-]?([iI][nN][fF]?(inity)?|nan)[(]?[0-9a-zA-Z_]{0,6}[)]?") {
        check(text);
    }
}

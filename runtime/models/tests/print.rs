//! `vsnprintf` and `vsprintf` against libc, on the same hand-made lists of arguments.

use proptest::prelude::*;
use std::ffi::{CStr, CString};
use testwright_models::stdio::{VaList, tw_model_vsnprintf, tw_model_vsprintf};

mod native {
    use super::VaList;
    unsafe extern "C" {
        pub fn vsnprintf(target: *mut u8, size: usize, format: *const u8, list: *mut VaList) -> i32;
        pub fn vsprintf(target: *mut u8, format: *const u8, list: *mut VaList) -> i32;
        pub fn snprintf(target: *mut u8, size: usize, format: *const u8, ...) -> i32;
        pub safe fn __errno_location() -> *mut i32;
    }
}

/// Arguments as a variadic callee finds them: `skipped` registers are taken by named parameters.
struct Arguments {
    registers: Vec<u64>,
    stack: Vec<u64>,
    skipped: usize,
}

impl Arguments {
    fn new(values: &[u64], skipped: usize) -> Arguments {
        let in_registers = values.len().min(6 - skipped);
        // Behind the six integer registers come those for floats, which a fallback to libc may read.
        let mut registers = vec![0xdead_beef; skipped];
        registers.extend(&values[..in_registers]);
        registers.resize(6 + 16, 1.5f64.to_bits());
        let mut stack = values[in_registers..].to_vec();
        stack.resize(stack.len() + 32, 0x7777);
        Arguments { registers, stack, skipped }
    }

    fn list(&mut self) -> VaList {
        VaList {
            integer_offset: 8 * self.skipped as u32,
            float_offset: 48,
            stack: self.stack.as_mut_ptr().cast(),
            registers: self.registers.as_mut_ptr().cast(),
        }
    }
}

/// Result, `errno`, the whole buffer, and how far the list was read.
type Printed = (i32, i32, Vec<u8>, u32, usize);

fn print(arguments: &mut Arguments, call: impl FnOnce(*mut u8, *mut VaList) -> i32) -> Printed {
    let mut buffer = vec![0xaa; 400];
    let mut list = arguments.list();
    // SAFETY: the address of this thread's errno is valid.
    unsafe { *native::__errno_location() = 0 };
    let result = call(buffer.as_mut_ptr(), &raw mut list);
    // SAFETY: as above.
    let errno = unsafe { *native::__errno_location() };
    (result, errno, buffer, list.integer_offset, list.stack as usize)
}

/// Compares both functions for a format that needs no more than these arguments.
fn check(format: &CStr, values: &[u64], skipped: usize, size: usize) {
    let mut arguments = Arguments::new(values, skipped);
    let start = format.as_ptr().cast();
    // SAFETY: the callers see to it that the arguments suit the format, and that 400 bytes are enough.
    unsafe {
        let ours = print(&mut arguments, |b, list| tw_model_vsnprintf(b, size, start, list));
        let theirs = print(&mut arguments, |b, list| native::vsnprintf(b, size, start, list));
        assert_eq!(show(&ours), show(&theirs), "{format:?} {values:x?} in {size} bytes");
        assert_eq!(ours, theirs, "{format:?} {values:x?} in {size} bytes");
        if ours.0 < 400 {
            let ours = print(&mut arguments, |b, list| tw_model_vsprintf(b, start, list));
            let theirs = print(&mut arguments, |b, list| native::vsprintf(b, start, list));
            assert_eq!(ours, theirs, "{format:?} {values:x?}");
        }
    }
}

fn show(printed: &Printed) -> (i32, String) {
    (printed.0, printed.2.iter().take_while(|byte| **byte != 0).map(|byte| char::from(*byte)).collect())
}

/// A directive with the arguments that go with it.
fn directive() -> impl Strategy<Value = (String, Vec<u64>)> {
    let amount = || prop_oneof![Just((String::new(), None)), number().prop_map(fixed), star()];
    let precision = amount().prop_flat_map(|(text, argument)| {
        prop_oneof![Just((String::new(), None)), Just((format!(".{text}"), argument))]
    });
    ("[-+ #0]{0,3}", amount(), precision, conversion()).prop_map(|(flags, width, precision, conversion)| {
        let text = format!("%{flags}{}{}{}", width.0, precision.0, conversion.0);
        (text, [width.1, precision.1, Some(conversion.1)].into_iter().flatten().collect())
    })
}

fn number() -> impl Strategy<Value = i32> {
    0..25
}

/// A width must not start with a zero, which would be a flag.
fn fixed(number: i32) -> (String, Option<u64>) {
    if number == 0 { (String::new(), None) } else { (number.to_string(), None) }
}

/// The upper half of the place of an `int` holds anything.
fn star() -> impl Strategy<Value = (String, Option<u64>)> {
    (-25i32..25, any::<u32>())
        .prop_map(|(number, above)| ("*".into(), Some(u64::from(number as u32) | u64::from(above) << 32)))
}

fn conversion() -> impl Strategy<Value = (String, u64)> {
    let small =
        || prop_oneof![Just(0), Just(1), Just(8), Just(255), Just(u64::MAX), Just(1 << 31), Just(1 << 63)];
    let value =
        || prop_oneof![small(), any::<u64>(), (any::<u64>(), 0u32..64).prop_map(|(bits, by)| bits >> by)];
    let texts = [c"", c"a", c"hello", c"(null) and more", c"\x80\xff%d", c"a text of thirty characters .."];
    let text = prop::sample::select(texts.to_vec()).prop_map(|text| text.as_ptr() as u64);
    prop_oneof![
        6 => ("(hh|h|l|ll|z|j|t)?[diuxXo]", value()),
        1 => (Just("c".to_string()), 1u64..256),
        2 => (Just("s".to_string()), prop_oneof![9 => text, 1 => Just(0)]),
        1 => (Just("p".to_string()), value()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40_000))]

    #[test]
    fn any_directives_print_the_same(
        directives in prop::collection::vec(("[a-z ]{0,2}", directive()), 1..5),
        end in "(%%)?[a-z]{0,3}",
        skipped in 0usize..=6,
        size in prop_oneof![Just(0usize), Just(1), 2..40usize, Just(400)],
    ) {
        let mut format = String::new();
        let mut values = Vec::new();
        for (text, (directive, arguments)) in directives {
            format += &text;
            format += &directive;
            values.extend(arguments);
        }
        check(&CString::new(format + &end).unwrap(), &values, skipped, size);
    }
}

#[test]
fn formats_without_arguments_print_the_same() {
    for format in [c"", c"text", c"%%", c"100%% of %%", c"\x80\xff"] {
        for size in [0, 1, 3, 100] {
            check(format, &[], 3, size);
        }
    }
}

#[test]
fn what_the_model_cannot_print_is_printed_by_libc() {
    let text = c"text".as_ptr() as u64;
    for (format, values) in [
        (c"%d %f", vec![7]),
        (c"%5.1e|%g|%a", vec![]),
        (c"%'d", vec![1_234_567]),
        (c"%2$d %1$d", vec![1, 2]),
        (c"%qd", vec![1 << 40]),
        (c"%b", vec![5]),
        (c"%d%", vec![5]),
        (c"%k", vec![5]),
        (c"%5%", vec![]),
        (c"%hs", vec![text]),
        (c"%m", vec![]),
        (c"%.3s%99999999999d", vec![text, 1]),
    ] {
        let mut arguments = Arguments::new(&values, 2);
        let start = format.as_ptr().cast();
        // SAFETY: the lists hold what the formats ask for, floats included.
        unsafe {
            let ours = print(&mut arguments, |b, list| tw_model_vsnprintf(b, 400, start, list));
            assert_eq!(
                ours,
                print(&mut arguments, |b, list| native::vsnprintf(b, 400, start, list)),
                "{format:?}"
            );
            let ours = print(&mut arguments, |b, list| tw_model_vsprintf(b, start, list));
            assert_eq!(ours, print(&mut arguments, |b, list| native::vsprintf(b, start, list)), "{format:?}");
        }
    }
}

#[test]
fn the_smallest_int_as_a_precision_is_a_missing_one() {
    check(c"%.*d", &[u64::from(i32::MIN.cast_unsigned()), 1], 3, 100);
}

// glibc returns the same, after the seconds it takes to print so many spaces.
#[test]
fn a_text_is_too_long_when_its_length_does_not_fit_into_an_int() {
    let int_max = i32::MAX as u64;
    for (format, values, result, errno) in [
        (c"%*d", vec![int_max - 1, 1], i32::MAX - 1, 0),
        (c"%*d%d", vec![int_max - 1, 1, 22], -1, 75),
        (c"%.*d", vec![int_max - 1, 1], i32::MAX - 1, 0),
        (c"%*d", vec![int_max + 1, 1], -1, 75),
    ] {
        let mut arguments = Arguments::new(&values, 0);
        // SAFETY: the lists hold what the formats ask for.
        let ours = unsafe {
            print(&mut arguments, |b, list| tw_model_vsnprintf(b, 10, format.as_ptr().cast(), list))
        };
        assert_eq!((ours.0, ours.1), (result, errno), "{format:?} {values:x?}");
    }
}

#[test]
fn a_hand_made_list_is_what_a_variadic_call_passes() {
    let format = c"%d %s %ld %c %x %u %d %d";
    let mut real = [0; 100];
    // SAFETY: the arguments suit the format.
    let length = unsafe {
        native::snprintf(
            real.as_mut_ptr(),
            100,
            format.as_ptr().cast(),
            -1,
            c"two".as_ptr(),
            3i64,
            52,
            5,
            6,
            7,
            8,
        )
    };
    let values = [u64::MAX, c"two".as_ptr() as u64, 3, 52, 5, 6, 7, 8];
    let mut arguments = Arguments::new(&values, 3);
    // SAFETY: as above.
    let ours =
        unsafe { print(&mut arguments, |b, list| tw_model_vsnprintf(b, 100, format.as_ptr().cast(), list)) };
    assert_eq!((ours.0, &ours.2[..=length as usize]), (length, &real[..=length as usize]));
}

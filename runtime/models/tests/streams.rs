//! Streams that are inputs against temporary files of libc: the same calls, in random order.

use proptest::prelude::*;
use std::ffi::CStr;
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};
use testwright_models::stdio::{
    INPUT_BASE, Stream, TEXT, VaList, tw_model_fflush, tw_model_fgetc, tw_model_ftell, tw_scan_is_supported,
};

mod native {
    use super::{Stream, VaList};
    unsafe extern "C" {
        pub fn mmap(place: usize, size: usize, access: i32, kind: i32, file: i32, offset: i64) -> *mut u8;
        pub fn tmpfile() -> *mut Stream;
        pub fn fclose(stream: *mut Stream) -> i32;
        pub fn clearerr(stream: *mut Stream);
        pub fn feof(stream: *mut Stream) -> i32;
        pub fn ferror(stream: *mut Stream) -> i32;
        pub fn fflush(stream: *mut Stream) -> i32;
        pub fn fgetc(stream: *mut Stream) -> i32;
        pub fn fgets(target: *mut u8, size: i32, stream: *mut Stream) -> *mut u8;
        pub fn fputc(byte: i32, stream: *mut Stream) -> i32;
        pub fn fputs(text: *const u8, stream: *mut Stream) -> i32;
        pub fn fread(target: *mut u8, size: usize, count: usize, stream: *mut Stream) -> usize;
        pub fn fseek(stream: *mut Stream, offset: i64, from: i32) -> i32;
        pub fn ftell(stream: *mut Stream) -> i64;
        pub fn fwrite(source: *const u8, size: usize, count: usize, stream: *mut Stream) -> usize;
        pub fn getline(line: *mut *mut u8, size: *mut usize, stream: *mut Stream) -> isize;
        pub fn rewind(stream: *mut Stream);
        pub fn ungetc(byte: i32, stream: *mut Stream) -> i32;
        pub fn vfscanf(stream: *mut Stream, format: *const u8, list: *mut VaList) -> i32;
        pub fn vfprintf(stream: *mut Stream, format: *const u8, list: *mut VaList) -> i32;
        pub fn free(block: *mut u8);
    }
}

/// One call.
#[derive(Debug, Clone)]
enum Call {
    Fgetc,
    /// Pushes back what was read last, as C allows once.
    GetAndUngetc,
    Fgets(i32),
    Fread(usize, usize),
    Getline,
    Feof,
    Clearerr,
    Fseek(i64, i32),
    Ftell,
    Rewind,
    Fputc(u8),
    Fputs(String),
    Fwrite(Vec<u8>, usize),
    /// A text and a number.
    Printf(String, i32),
    /// The number of a format.
    Scanf(usize),
}

/// Formats that read up to four values, of eight bytes at most or short words.
const FORMATS: [&CStr; 9] = [
    c"%d",
    c" %d,%u",
    c"%3d%*d %x",
    c"%hhd %hu %ld",
    c"%c%2c",
    c"%7s %5s",
    c"a %d%n",
    c"%*s %llx",
    c"%% %2x%zu ",
];

impl Call {
    fn writes(&self) -> bool {
        matches!(self, Call::Fputc(_) | Call::Fputs(_) | Call::Fwrite(..) | Call::Printf(..))
    }

    fn reads(&self) -> bool {
        matches!(
            self,
            Call::Fgetc
                | Call::GetAndUngetc
                | Call::Fgets(_)
                | Call::Fread(..)
                | Call::Getline
                | Call::Scanf(_)
        )
    }
}

/// What a call gives: a number, and bytes.
type Given = (i64, Vec<u8>);

/// The functions under comparison.
macro_rules! apply {
    ($call:expr, $stream:expr, $module:ident) => {{
        let (call, stream) = ($call, $stream);
        let mut buffer = vec![0xaa; 300];
        let target = buffer.as_mut_ptr();
        // SAFETY: the stream is open, and the buffer is long enough for what the calls ask for.
        let number = unsafe {
            match call {
                Call::Fgetc => i64::from($module::fgetc(stream)),
                Call::GetAndUngetc => {
                    let byte = $module::fgetc(stream);
                    i64::from(byte) << 32 | i64::from($module::ungetc(byte, stream))
                }
                Call::Fgets(size) => i64::from($module::fgets(target, *size, stream).is_null()),
                Call::Fread(size, count) => $module::fread(target, *size, *count, stream) as i64,
                Call::Getline => {
                    let (mut line, mut size) = (null_mut(), 0);
                    let length = $module::getline(&raw mut line, &raw mut size, stream);
                    if length > 0 {
                        std::ptr::copy_nonoverlapping(line, target, length as usize + 1);
                    }
                    native::free(line);
                    length as i64
                }
                Call::Feof => i64::from($module::feof(stream)) << 1 | i64::from($module::ferror(stream)),
                Call::Clearerr => {
                    $module::clearerr(stream);
                    0
                }
                Call::Fseek(offset, from) => i64::from($module::fseek(stream, *offset, *from)),
                Call::Ftell => $module::ftell(stream),
                Call::Rewind => {
                    $module::rewind(stream);
                    0
                }
                Call::Fputc(byte) => i64::from($module::fputc(i32::from(*byte), stream)),
                Call::Fputs(text) => i64::from($module::fputs(text.as_ptr(), stream)),
                Call::Fwrite(bytes, size) => {
                    $module::fwrite(bytes.as_ptr(), *size, bytes.len() / size, stream) as i64
                }
                Call::Scanf(format) => {
                    let mut registers: Vec<u64> = (0..6).map(|at| target.add(8 * at) as u64).collect();
                    let mut list = VaList {
                        integer_offset: 0,
                        float_offset: 48,
                        stack: null_mut(),
                        registers: registers.as_mut_ptr().cast(),
                    };
                    let format = FORMATS[*format].as_ptr().cast();
                    assert!(tw_scan_is_supported(format));
                    i64::from($module::vfscanf(stream, format, &raw mut list))
                }
                Call::Printf(text, number) => {
                    let mut registers = [text.as_ptr() as u64, *number as u64, 0, 0, 0, 0];
                    let mut list = VaList {
                        integer_offset: 0,
                        float_offset: 48,
                        stack: null_mut(),
                        registers: registers.as_mut_ptr().cast(),
                    };
                    i64::from($module::vfprintf(stream, c"<%s: %d>\n".as_ptr().cast(), &raw mut list))
                }
            }
        };
        (number, buffer)
    }};
}

mod model {
    pub use testwright_models::stdio::{
        tw_model_clearerr as clearerr, tw_model_feof as feof, tw_model_ferror as ferror,
        tw_model_fgetc as fgetc, tw_model_fgets as fgets, tw_model_fputc as fputc, tw_model_fputs as fputs,
        tw_model_fread as fread, tw_model_fseek as fseek, tw_model_ftell as ftell, tw_model_fwrite as fwrite,
        tw_model_getline as getline, tw_model_rewind as rewind, tw_model_ungetc as ungetc,
        tw_model_vfprintf as vfprintf, tw_scan as vfscanf,
    };
}

/// A stream of ours with this text, where input objects lie.
fn own_stream(text: &[u8]) -> *mut Stream {
    const PRIVATE_ANONYMOUS_FIXED: i32 = 0x32;
    assert!(text.len() <= TEXT && size_of::<Stream>() <= 4096);
    // SAFETY: nothing of a test process lies there but the stream of the case before.
    unsafe {
        let place = native::mmap(INPUT_BASE, 4096, 3, PRIVATE_ANONYMOUS_FIXED, -1, 0).cast::<Stream>();
        assert_eq!(place as usize, INPUT_BASE);
        (*place).length = text.len() as u8;
        (&raw mut (*place).text).cast::<u8>().copy_from(text.as_ptr(), text.len());
        place
    }
}

/// A temporary file with this text.
fn native_stream(text: &[u8]) -> *mut Stream {
    // SAFETY: the stream is open.
    unsafe {
        let stream = native::tmpfile();
        assert!(!stream.is_null());
        native::fwrite(text.as_ptr(), 1, text.len(), stream);
        native::rewind(stream);
        stream
    }
}

/// Streams of ours lie at one address, so one test at a time has one.
static PLACE: Mutex<()> = Mutex::new(());

/// Makes the same calls of both, and compares what each call gives and what the files hold afterwards.
fn check(text: &[u8], calls: &[Call]) {
    let _alone = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    let (ours, theirs) = (own_stream(text), native_stream(text));
    let mut calls = calls.to_vec();
    // C wants a seek between reading and writing, and then the whole file is looked at.
    let mut last: Option<bool> = None;
    let mut all = Vec::new();
    for call in calls.drain(..) {
        let kind = if call.writes() { Some(true) } else { call.reads().then_some(false) };
        if last.is_some() && kind.is_some() && last != kind {
            all.push(Call::Fseek(0, 1));
        }
        last = kind.or(last);
        all.push(call);
    }
    all.extend([Call::Fseek(0, 2), Call::Ftell, Call::Rewind, Call::Fread(1, 300), Call::Feof]);
    for (index, call) in all.iter().enumerate() {
        let mine: Given = apply!(call, ours, model);
        let other: Given = apply!(call, theirs, native);
        assert_eq!(mine, other, "call {index} of {all:?} on {text:?}");
        // SAFETY: both are open.
        unsafe { assert_eq!(tw_model_fflush(ours), if call.writes() { native::fflush(theirs) } else { 0 }) };
    }
    // SAFETY: it is open.
    unsafe { native::fclose(theirs) };
}

fn call() -> impl Strategy<Value = Call> {
    let text = "[a-z\n]{0,6}";
    prop_oneof![
        Just(Call::Fgetc),
        Just(Call::Fgetc),
        Just(Call::GetAndUngetc),
        (1..9i32).prop_map(Call::Fgets),
        (0..4usize, 0..5usize).prop_map(|(size, count)| Call::Fread(size, count)),
        Just(Call::Getline),
        Just(Call::Feof),
        Just(Call::Clearerr),
        (-3..12i64, 0..3i32).prop_map(|(offset, from)| Call::Fseek(offset, from)),
        Just(Call::Ftell),
        Just(Call::Rewind),
        any::<u8>().prop_map(Call::Fputc),
        text.prop_map(|text| Call::Fputs(text + "\0")),
        (proptest::collection::vec(any::<u8>(), 0..6), 1..4usize)
            .prop_map(|(bytes, size)| Call::Fwrite(bytes, size)),
        (text, any::<i32>()).prop_map(|(text, number)| Call::Printf(text + "\0", number)),
        (0..FORMATS.len()).prop_map(Call::Scanf),
    ]
}

proptest! {
    #[test]
    fn a_stream_of_ours_does_what_a_temporary_file_does(
        text in proptest::collection::vec(prop_oneof![any::<u8>(), Just(b'\n'), Just(b'a')], 0..20),
        calls in proptest::collection::vec(call(), 0..16),
    ) {
        check(&text, &calls);
    }
}

proptest! {
    #[test]
    fn numbers_and_words_are_read_as_libc_reads_them(
        text in proptest::collection::vec("[-+]?(0x)?[0-9a-f]{0,3}|[0-9]{18,22}|[ ,a%\n\t]{1,2}", 0..8),
        calls in proptest::collection::vec((0..FORMATS.len()).prop_map(Call::Scanf), 1..6),
    ) {
        check(text.concat().as_bytes(), &calls);
    }
}

#[test]
fn formats_that_are_not_followed_are_known() {
    for format in [c"%f", c"%[a-z]", c"%p", c"%i", c"%ms", c"%lc", c"%", c"%d %*n"] {
        // SAFETY: the format ends with a zero.
        assert!(!unsafe { tw_scan_is_supported(format.as_ptr().cast()) }, "{format:?}");
    }
}

#[test]
fn a_long_text_is_printed_as_a_whole() {
    let long = "x".repeat(200) + "\0";
    let calls = [Call::Printf(long.clone(), 1), Call::Rewind, Call::Getline];
    check(b"before", &calls);
}

#[test]
fn streams_of_the_c_library_are_left_to_it() {
    let stream = native_stream(b"ab");
    // SAFETY: the stream is open until it is closed.
    unsafe {
        assert_eq!(tw_model_fgetc(stream), i32::from(b'a'));
        assert_eq!(tw_model_ftell(stream), 1);
        assert_eq!(native::fclose(stream), 0);
    }
}

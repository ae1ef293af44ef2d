//! Blocks of memory against libc.

use proptest::prelude::*;
use testwright_models::memory::*;

mod native {
    unsafe extern "C" {
        pub fn memcpy(target: *mut u8, source: *const u8, count: usize) -> *mut u8;
        pub fn mempcpy(target: *mut u8, source: *const u8, count: usize) -> *mut u8;
        pub fn memmove(target: *mut u8, source: *const u8, count: usize) -> *mut u8;
        pub fn memccpy(target: *mut u8, source: *const u8, stop: i32, count: usize) -> *mut u8;
        pub fn memset(target: *mut u8, value: i32, count: usize) -> *mut u8;
        pub fn bzero(target: *mut u8, count: usize);
        pub fn memcmp(left: *const u8, right: *const u8, count: usize) -> i32;
        pub fn bcmp(left: *const u8, right: *const u8, count: usize) -> i32;
        pub fn memchr(block: *const u8, wanted: i32, count: usize) -> *const u8;
        pub fn memrchr(block: *const u8, wanted: i32, count: usize) -> *const u8;
        pub fn memmem(block: *const u8, length: usize, needle: *const u8, needle_length: usize) -> *const u8;
    }
}

/// Runs model and libc function on copies of one buffer; buffers and offsets of the results must agree.
fn check_change(bytes: &[u8], ours: impl Fn(*mut u8) -> *mut u8, theirs: impl Fn(*mut u8) -> *mut u8) {
    let run = |change: &dyn Fn(*mut u8) -> *mut u8| {
        let mut copy = bytes.to_vec();
        let start = copy.as_mut_ptr();
        let result = change(start);
        let offset = if result.is_null() { None } else { Some(result as usize - start as usize) };
        (copy, offset)
    };
    assert_eq!(run(&ours), run(&theirs));
}

/// Bytes of few values, so that they often agree; some of them above 127.
fn bytes(length: impl Into<prop::collection::SizeRange>) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(vec![0, 1, b'a', b'b', 0x80, 0xff]), length)
}

/// A value for an `int` parameter that is meant as a byte.
fn byte_argument() -> impl Strategy<Value = i32> {
    prop_oneof![prop::sample::select(vec![0, 1, 97, 98, 128, 255, -1, 256, 0x161, 999]), any::<i32>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn copies_agree(bytes in bytes(64), stop in byte_argument(), count in 0usize..=32) {
        // SAFETY: source and target are halves of the buffer.
        unsafe {
            check_change(&bytes, |b| tw_model_memcpy(b, b.add(32), count), |b| native::memcpy(b, b.add(32), count));
            check_change(&bytes, |b| tw_model_mempcpy(b, b.add(32), count), |b| native::mempcpy(b, b.add(32), count));
            check_change(
                &bytes,
                |b| tw_model_memccpy(b, b.add(32), stop, count),
                |b| native::memccpy(b, b.add(32), stop, count),
            );
        }
    }

    #[test]
    fn overlapping_moves_agree(
        bytes in prop::collection::vec(any::<u8>(), 64),
        target in 0usize..=32,
        source in 0usize..=32,
        count in 0usize..=32,
    ) {
        // SAFETY: offset and count together are at most the length.
        unsafe {
            check_change(
                &bytes,
                |b| tw_model_memmove(b.add(target), b.add(source), count),
                |b| native::memmove(b.add(target), b.add(source), count),
            );
        }
    }

    #[test]
    fn fills_agree(bytes in bytes(32), value in byte_argument(), count in 0usize..=32) {
        // SAFETY: the count is at most the length.
        unsafe {
            check_change(&bytes, |b| tw_model_memset(b, value, count), |b| native::memset(b, value, count));
            check_change(
                &bytes,
                |b| { tw_model_bzero(b, count); b },
                |b| { native::bzero(b, count); b },
            );
        }
    }

    #[test]
    fn comparisons_agree(mut left in bytes(0..40), right in bytes(0..40), common in 0usize..40) {
        let count = left.len().min(right.len());
        let common = common.min(count);
        left[..common].copy_from_slice(&right[..common]);
        let (left, right) = (left.as_ptr(), right.as_ptr());
        for count in [0, common, count] {
            // SAFETY: both blocks have at least `count` bytes.
            unsafe {
                // How far apart they are is not stated: what libc says depends on the processor.
                let (ours, theirs) = (tw_model_memcmp(left, right, count), native::memcmp(left, right, count));
                prop_assert_eq!(ours.signum(), theirs.signum());
                let equal = tw_model_bcmp(left, right, count) == 0;
                prop_assert_eq!(equal, native::bcmp(left, right, count) == 0);
            }
        }
    }

    #[test]
    fn single_bytes_are_found_alike(block in bytes(0..40), wanted in byte_argument()) {
        let (start, count) = (block.as_ptr(), block.len());
        // SAFETY: the block has `count` bytes.
        unsafe {
            prop_assert_eq!(tw_model_memchr(start, wanted, count), native::memchr(start, wanted, count));
            prop_assert_eq!(tw_model_memrchr(start, wanted, count), native::memrchr(start, wanted, count));
        }
    }

    #[test]
    fn blocks_are_found_in_blocks_alike(block in bytes(0..40), needle in bytes(0..5)) {
        // SAFETY: the lengths are those of the blocks.
        unsafe {
            prop_assert_eq!(
                tw_model_memmem(block.as_ptr(), block.len(), needle.as_ptr(), needle.len()),
                native::memmem(block.as_ptr(), block.len(), needle.as_ptr(), needle.len())
            );
        }
    }
}

#[test]
fn a_comparison_returns_the_difference_of_unsigned_bytes() {
    // SAFETY: both blocks have three bytes.
    unsafe {
        assert_eq!(tw_model_memcmp(b"a\0\xff".as_ptr(), b"a\0\x01".as_ptr(), 3), 254);
        assert_eq!(tw_model_memcmp(b"a\0\xff".as_ptr(), b"a\0\x01".as_ptr(), 2), 0);
    }
}

#[test]
fn a_needle_longer_than_the_block_is_not_found() {
    // SAFETY: the lengths are those of the blocks.
    unsafe { assert!(tw_model_memmem(b"ab".as_ptr(), 2, b"abc".as_ptr(), 3).is_null()) }
}

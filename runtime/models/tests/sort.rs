//! `qsort` and `bsearch` against libc, down to the calls of the comparator.

use proptest::prelude::*;
use std::cell::RefCell;
use testwright_models::stdlib::{Compare, tw_model_bsearch, tw_model_qsort};

mod native {
    use super::Compare;
    unsafe extern "C" {
        pub fn qsort(base: *mut u8, count: usize, size: usize, compare: Compare);
        pub fn bsearch(
            key: *const u8,
            base: *const u8,
            count: usize,
            size: usize,
            compare: Compare,
        ) -> *const u8;
    }
}

thread_local! {
    /// What the comparator was asked.
    static ASKED: RefCell<Vec<(u8, u8)>> = const { RefCell::new(Vec::new()) };
}

/// Compares the first bytes only, so that the rest of an element shows whether the order is stable.
unsafe extern "C" fn by_first_byte(left: *const u8, right: *const u8) -> i32 {
    // SAFETY: `qsort` passes elements, which have at least one byte.
    let (left, right) = unsafe { (*left, *right) };
    ASKED.with_borrow_mut(|asked| asked.push((left, right)));
    i32::from(left) - i32::from(right)
}

fn asked() -> Vec<(u8, u8)> {
    ASKED.take()
}

fn check_sort(bytes: &[u8], size: usize) {
    let count = bytes.len() / size;
    let (mut ours, mut theirs) = (bytes.to_vec(), bytes.to_vec());
    // SAFETY: there are `count` elements of `size` bytes.
    unsafe { tw_model_qsort(ours.as_mut_ptr(), count, size, by_first_byte) };
    let our_questions = asked();
    // SAFETY: as above.
    unsafe { native::qsort(theirs.as_mut_ptr(), count, size, by_first_byte) };
    assert_eq!(our_questions, asked());
    assert_eq!(ours, theirs);
    assert!(ours.chunks_exact(size).is_sorted_by_key(|element| element[0]));
}

proptest! {
    #[test]
    fn arrays_are_sorted_as_libc_does(bytes in prop::collection::vec(any::<u8>(), 0..3000), size in 1usize..40) {
        check_sort(&bytes, size);
    }

    #[test]
    fn equal_elements_keep_their_order(keys in prop::collection::vec(0u8..4, 0..250)) {
        let bytes: Vec<u8> = keys.iter().enumerate().flat_map(|(i, key)| [*key, i as u8]).collect();
        let mut sorted = bytes.clone();
        // SAFETY: the elements have two bytes.
        unsafe { tw_model_qsort(sorted.as_mut_ptr(), keys.len(), 2, by_first_byte) };
        let mut expected: Vec<[u8; 2]> = bytes.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
        expected.sort_by_key(|element| element[0]);
        prop_assert_eq!(sorted, expected.concat());
    }

    #[test]
    fn elements_are_found_as_libc_finds_them(mut bytes in prop::collection::vec(any::<u8>(), 0..300), key: u8) {
        bytes.sort_unstable();
        asked();
        // SAFETY: the elements are the bytes.
        let ours = unsafe { tw_model_bsearch(&raw const key, bytes.as_ptr(), bytes.len(), 1, by_first_byte) };
        let our_questions = asked();
        // SAFETY: as above.
        let theirs = unsafe { native::bsearch(&raw const key, bytes.as_ptr(), bytes.len(), 1, by_first_byte) };
        prop_assert_eq!(our_questions, asked());
        prop_assert_eq!(ours, theirs);
        prop_assert_eq!(ours.is_null(), !bytes.contains(&key));
    }
}

#[test]
fn arrays_of_sizes_around_the_stack_buffer_are_sorted() {
    for length in 1000..1050 {
        let bytes: Vec<u8> = (0..length).map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        check_sort(&bytes, 1);
        check_sort(&bytes, 2);
    }
}

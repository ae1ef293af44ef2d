//! `qsort` and `bsearch`.
//!
//! glibc 2.36 sorts by merging, so its `qsort` is stable, and programs have come to rely on it. The model halves and merges
//! in the same order, so that a comparator that counts or prints does the same in both builds.

use crate::libc::{free, malloc};
use crate::memory::{copy_byte, tw_model_memcpy};
use core::mem::MaybeUninit;
use core::ptr::null;

/// A comparator: negative, zero or positive.
pub type Compare = unsafe extern "C" fn(*const u8, *const u8) -> i32;

/// Arrays below this size are merged on the stack.
const STACK_BYTES: usize = 1024;

struct Sorter {
    size: usize,
    compare: Compare,
    /// Room for the whole array.
    scratch: *mut u8,
}

/// `qsort`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_qsort(base: *mut u8, count: usize, size: usize, compare: Compare) {
    if count < 2 {
        return;
    }
    let bytes = count.wrapping_mul(size);
    if bytes < STACK_BYTES {
        let mut stack = MaybeUninit::<[u8; STACK_BYTES]>::uninit();
        let sorter = Sorter { size, compare, scratch: stack.as_mut_ptr().cast() };
        sorter.sort(base, count);
        return;
    }
    let scratch = malloc(bytes);
    if scratch.is_null() {
        insert_in_order(base, count, size, compare);
        return;
    }
    Sorter { size, compare, scratch }.sort(base, count);
    free(scratch);
}

impl Sorter {
    unsafe fn sort(&self, base: *mut u8, count: usize) {
        if count < 2 {
            return;
        }
        let half = count / 2;
        let middle = base.add(half.wrapping_mul(self.size));
        self.sort(base, half);
        self.sort(middle, count - half);
        self.merge(base, half, middle, count - half);
    }

    /// Merges two sorted neighbours; equal elements stay in the order they are in.
    unsafe fn merge(&self, base: *mut u8, left_count: usize, middle: *mut u8, right_count: usize) {
        let (mut left, mut left_count) = (base, left_count);
        let (mut right, mut right_count) = (middle, right_count);
        let mut out = self.scratch;
        while left_count > 0 && right_count > 0 {
            if (self.compare)(left, right) <= 0 {
                tw_model_memcpy(out, left, self.size);
                left = left.add(self.size);
                left_count -= 1;
            } else {
                tw_model_memcpy(out, right, self.size);
                right = right.add(self.size);
                right_count -= 1;
            }
            out = out.add(self.size);
        }
        // What is left of the right part is in its place already.
        let rest = left_count.wrapping_mul(self.size);
        tw_model_memcpy(out, left, rest);
        let merged = (out as usize).wrapping_sub(self.scratch as usize).wrapping_add(rest);
        tw_model_memcpy(base, self.scratch, merged);
    }
}

/// Sorts in place, for when there is no memory; stable too.
unsafe fn insert_in_order(base: *mut u8, count: usize, size: usize, compare: Compare) {
    let mut sorted = 1;
    while sorted < count {
        let mut place = sorted;
        while place > 0 {
            let right = base.add(place.wrapping_mul(size));
            let left = right.sub(size);
            if compare(left, right) <= 0 {
                break;
            }
            swap(left, right, size);
            place -= 1;
        }
        sorted += 1;
    }
}

unsafe fn swap(left: *mut u8, right: *mut u8, size: usize) {
    let mut i = 0;
    while i < size {
        let kept = *left.add(i).cast::<MaybeUninit<u8>>();
        copy_byte(left.add(i), right.add(i));
        *right.add(i).cast::<MaybeUninit<u8>>() = kept;
        i += 1;
    }
}

/// `bsearch`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_bsearch(
    key: *const u8,
    base: *const u8,
    count: usize,
    size: usize,
    compare: Compare,
) -> *const u8 {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low.wrapping_add(high) / 2;
        let element = base.add(middle.wrapping_mul(size));
        let order = compare(key, element);
        if order < 0 {
            high = middle;
        } else if order > 0 {
            low = middle + 1;
        } else {
            return element;
        }
    }
    null()
}

#[cfg(test)]
mod tests {
    use super::insert_in_order;

    unsafe extern "C" fn by_first_byte(left: *const u8, right: *const u8) -> i32 {
        i32::from(*left) - i32::from(*right)
    }

    #[test]
    fn without_memory_for_merging_elements_are_sorted_in_place_and_equal_ones_keep_their_order() {
        let mut pairs = *b"b1a1c1a2b2a3";
        // SAFETY: the array holds six elements of two bytes.
        unsafe { insert_in_order(pairs.as_mut_ptr(), 6, 2, by_first_byte) };
        assert_eq!(&pairs, b"a1a2a3b1b2c1");
    }
}

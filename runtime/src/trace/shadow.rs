//! Shadow memory: which bytes are symbolic, and which byte of which expression each of them is.
//!
//! The maps lie where [`testwright_abi::memory`] puts them. Only this file turns addresses into
//! pointers. Addresses without shadow are left alone: what is there cannot become symbolic.
//!
//! Pages that may hold taint are listed, so that a run is cleaned up at the cost of what it touched.

use std::io;

use testwright_abi::memory::{PAGE, SHADOWED, TAINT_RANGES, handle_address, taint_address, tainted_address};

use super::counters;
use super::region;

/// Taint bytes 1, 2, .. 16: a whole expression, little endian.
pub(super) const WHOLE: u128 = u128::from_le_bytes([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);

/// Room in the list of pages: as much memory as a subject can have.
const MAX_PAGES: usize = 1 << 24;
/// From this many pages on, memory of the maps is given back instead of cleared.
const MANY_PAGES: usize = 1 << 12;

/// The taint pages written by the run under way.
pub(super) struct Shadow {
    /// By page number of the taint byte: 1 if it is in the list.
    marks: &'static mut [u8],
    /// Addresses of taint pages.
    pages: &'static mut [u64],
    count: usize,
    /// The page entered last.
    latest: u64,
}

impl Shadow {
    pub(super) fn map() -> io::Result<Shadow> {
        let marks = region::reserve((TAINT_RANGES[1].1 / PAGE) as usize)?;
        Ok(Shadow { marks, pages: region::reserve(MAX_PAGES)?, count: 0, latest: 0 })
    }

    /// Makes everything concrete.
    pub(super) fn clear(&mut self) {
        for &page in &self.pages[..self.count] {
            clear_page(page, self.count >= MANY_PAGES);
            self.marks[(page / PAGE) as usize] = 0;
        }
        self.count = 0;
        self.latest = 0;
    }

    /// The `bytes` (1 to 16) bytes at `address` are the expression `handle`.
    #[inline]
    pub(super) fn set(&mut self, address: u64, bytes: u32, handle: u32) {
        if !has_shadow(address, bytes.into()) || !self.enter(address, bytes.into()) {
            return;
        }
        let taint = WHOLE.to_le_bytes();
        // SAFETY: the address has shadow, and at most 16 bytes are copied.
        unsafe {
            core::ptr::copy_nonoverlapping(taint.as_ptr(), taint_pointer(address), bytes as usize);
            core::slice::from_raw_parts_mut(handle_pointer(address), bytes as usize).fill(handle);
        }
    }

    /// Each of `length` bytes at `address` is the 8-bit expression `handle`.
    pub(super) fn fill(&mut self, address: u64, length: u64, handle: u32) {
        if !has_shadow(address, length) || !self.enter(address, length) {
            return;
        }
        // SAFETY: the range has shadow.
        unsafe {
            taint_pointer(address).write_bytes(1, length as usize);
            core::slice::from_raw_parts_mut(handle_pointer(address), length as usize).fill(handle);
        }
    }

    /// Taint and handles of `length` bytes go from `source` to `target`; both may overlap.
    pub(super) fn copy(&mut self, target: u64, source: u64, length: u64) {
        if !has_shadow(source, length) {
            return clear(target, length);
        }
        if !has_shadow(target, length) {
            return;
        }
        // Short pieces, because handles of untainted ones need no copy; in the order that overlap asks for.
        const PIECE: u64 = 256;
        let pieces = length.div_ceil(PIECE);
        for index in 0..pieces {
            let index = if target > source { pieces - 1 - index } else { index };
            let start = index * PIECE;
            self.copy_piece(target + start, source + start, PIECE.min(length - start));
        }
    }

    fn copy_piece(&mut self, target: u64, source: u64, length: u64) {
        if !is_tainted(source, length) {
            return clear(target, length);
        }
        if !self.enter(target, length) {
            return clear(target, length);
        }
        // SAFETY: both ranges have shadow; the copies allow overlap.
        unsafe {
            core::ptr::copy(taint_pointer(source), taint_pointer(target), length as usize);
            core::ptr::copy(handle_pointer(source), handle_pointer(target), length as usize);
        }
    }

    /// Puts the taint pages of a range with shadow in the list; false if they do not fit.
    #[inline]
    fn enter(&mut self, address: u64, length: u64) -> bool {
        let first = taint_address(address) & !(PAGE - 1);
        let last = (taint_address(address) + length - 1) & !(PAGE - 1);
        (first == self.latest && last == first) || self.enter_pages(first, last)
    }

    fn enter_pages(&mut self, first: u64, last: u64) -> bool {
        for page in (first..=last).step_by(PAGE as usize) {
            let mark = (page / PAGE) as usize;
            if self.marks[mark] == 0 {
                let Some(entry) = self.pages.get_mut(self.count) else {
                    counters::overflow();
                    return false;
                };
                // In this order: if the run ends in between, the page is listed twice, not never.
                *entry = page;
                self.count += 1;
                self.marks[mark] = 1;
            }
            self.latest = page;
        }
        true
    }
}

/// Whether all of the range, which is not empty, has shadow.
#[inline]
pub(super) fn has_shadow(address: u64, length: u64) -> bool {
    SHADOWED.iter().any(|&(low, high)| low <= address && address < high && length <= high - address)
}

/// The taint bytes of `bytes` (1 to 16) bytes, little endian; 0 if they have no shadow.
#[inline]
pub(super) fn taint_of(address: u64, bytes: u32) -> u128 {
    if !has_shadow(address, bytes.into()) {
        return 0;
    }
    let pointer = taint_pointer(address);
    // SAFETY: the range has shadow, and the reads stay in it.
    unsafe {
        match bytes {
            1 => (*pointer).into(),
            2 => pointer.cast::<u16>().read_unaligned().into(),
            4 => pointer.cast::<u32>().read_unaligned().into(),
            8 => pointer.cast::<u64>().read_unaligned().into(),
            _ => {
                let mut taint = [0; 16];
                core::ptr::copy_nonoverlapping(pointer, taint.as_mut_ptr(), bytes.min(16) as usize);
                u128::from_le_bytes(taint)
            }
        }
    }
}

/// The handle of a byte that is tainted.
#[inline]
pub(super) fn handle_of(address: u64) -> u32 {
    // SAFETY: every address has a cell in the handle map.
    unsafe { *handle_pointer(address) }
}

/// Whether any byte of a range with shadow is tainted.
fn is_tainted(address: u64, length: u64) -> bool {
    // SAFETY: the range has shadow, and nobody writes there meanwhile.
    let taint = unsafe { core::slice::from_raw_parts(taint_pointer(address), length as usize) };
    let (words, rest) = taint.as_chunks::<32>();
    words.iter().any(|word| *word != [0; 32]) || rest.iter().any(|&byte| byte != 0)
}

/// Makes a range concrete; taint that is zero already is not written.
pub(super) fn clear(address: u64, length: u64) {
    if length == 0 || !has_shadow(address, length) {
        return;
    }
    // SAFETY: the range has shadow, and there is no other reference to it.
    let taint = unsafe { core::slice::from_raw_parts_mut(taint_pointer(address), length as usize) };
    for piece in taint.chunks_mut(PAGE as usize) {
        if piece.iter().fold(0, |sum, &byte| sum | byte) != 0 {
            piece.fill(0);
        }
    }
}

/// Clears a taint page; with `release` its memory, and that of its handles, goes back to the system.
fn clear_page(page: u64, release: bool) {
    // The handles need not begin with a page. Those of neighbours go too, which are concrete, or will be in a moment.
    let handles = handle_address(tainted_address(page));
    let first = handles & !(PAGE - 1);
    let length = (handles + 4 * PAGE).next_multiple_of(PAGE) - first;
    // SAFETY: the page and its handles belong to the maps, which are anonymous private memory: after
    // `MADV_DONTNEED` they read as zero.
    unsafe {
        let released =
            release && libc::madvise(page as *mut libc::c_void, PAGE as usize, libc::MADV_DONTNEED) == 0;
        if released {
            libc::madvise(first as *mut libc::c_void, length as usize, libc::MADV_DONTNEED);
        } else {
            (page as *mut u8).write_bytes(0, PAGE as usize);
        }
    }
}

#[inline]
fn taint_pointer(address: u64) -> *mut u8 {
    taint_address(address) as *mut u8
}

#[inline]
fn handle_pointer(address: u64) -> *mut u32 {
    handle_address(address) as *mut u32
}

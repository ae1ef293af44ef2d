//! The heap of the code under test: the same calls give the same addresses and contents in every run and build.
//!
//! Blocks are cut from the start of the heap area upwards, each behind a 16-byte header; freed blocks
//! are reused last in, first out, by size class. Fresh memory is filled with [`PATTERN`], so that
//! reading it uninitialised is visible and repeatable. Pages well past the last block are inaccessible: the
//! accessible part grows by a quarter, and at least by [`STEP`].
//!
//! Above the first [`STEP`] the heap relies on the kernel's zero pages: there only the first [`FILLED`]
//! bytes of a block are filled, so that a huge sparse allocation stays cheap.
//!
//! A *fenced* heap is for runs that are to show whether code stays within its blocks and lets go of them when they are freed:
//!
//! ```text
//!   closed | ...header block | closed | ...............header
//!                       page ^                              block | closed |
//! ```

use testwright_abi::control::EndKind;
use testwright_abi::memory::{HEAP_BASE, HEAP_MAX, PAGE};

use super::ending::finish;
use super::{CHANGED, TRACED, inputs, set_errno, wrote};
use crate::intact::span_of;
use crate::shared::{Single, control, end};
use crate::space;
use testwright_abi::command::Span;

/// What fresh memory holds.
const PATTERN: u8 = 0xaa;
/// The accessible part is a multiple of this, and never less than one.
const STEP: u64 = 64 << 10;
/// How much of a block is filled at most.
const FILLED: u64 = 1 << 20;
const HEADER: u64 = 16;
const CLASSES: usize = 160;
/// Marks of the two states of a block; its address and class are mixed in.
const LIVE: u64 = 0xa11c_0000_0000_0000;
const FREE: u64 = 0xdead_0000_0000_0000;

/// What stands before a block.
#[repr(C)]
struct Header {
    /// Of a live block: the size that was asked for. Of a free one: the next free block of its class.
    size_or_next: u64,
    /// State, address and class.
    mark: u64,
}

/// Where runs begin to allocate: after what constructors of the libraries have allocated.
static FLOOR: Single<u64> = Single::new(HEAP_BASE);

struct Heap {
    /// End of the last block.
    top: u64,
    /// End of the accessible pages.
    open: u64,
    used: u64,
    peak: u64,
    limit: u64,
    /// Whether every block has pages of its own.
    fenced: bool,
    /// First free block of each class, 0 if none.
    free: [u64; CLASSES],
}

static HEAP: Single<Heap> = Single::new(Heap {
    top: HEAP_BASE,
    open: HEAP_BASE,
    used: 0,
    peak: 0,
    limit: HEAP_MAX,
    fenced: false,
    free: [0; CLASSES],
});

/// A block just allocated.
struct Block {
    address: u64,
    capacity: u64,
    /// Never used before in this run: above the first step its pages are zero.
    fresh: bool,
}

/// Class of blocks for `size` bytes: multiples of 16 up to 512, then four per power of two.
fn class_of(size: u64) -> usize {
    if size <= 512 {
        return (size.max(1).div_ceil(16) - 1) as usize;
    }
    let power = 63 - (size - 1).leading_zeros();
    let quarter = (size - 1) >> (power - 2) & 3;
    (32 + u64::from(power - 9) * 4 + quarter) as usize
}

/// Capacity of the blocks of a class.
fn capacity_of(class: usize) -> u64 {
    let class = class as u64;
    if class < 32 {
        return (class + 1) * 16;
    }
    let (power, quarter) = (9 + (class - 32) / 4, (class - 32) % 4);
    (1 << power) + (quarter + 1) * (1 << (power - 2))
}

/// How many bytes a block has on a fenced heap: addresses are multiples of 16.
fn fenced_length(size: u64) -> u64 {
    size.max(1).next_multiple_of(16)
}

fn header(block: u64) -> *mut Header {
    std::ptr::with_exposed_provenance_mut((block - HEADER) as usize)
}

fn bytes(address: u64) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

impl Heap {
    /// The class of a live block, `None` if `block` is none.
    fn class_of_live(&self, block: u64) -> Option<usize> {
        if block < HEAP_BASE + HEADER || block >= self.top || !block.is_multiple_of(16) {
            return None;
        }
        // SAFETY: everything below `top` is accessible, and headers are 16-byte aligned.
        let mark = unsafe { (*header(block)).mark };
        let class = (mark & 0xff) as usize;
        (class < CLASSES && mark == LIVE ^ block << 8 | class as u64).then_some(class)
    }

    /// A block, or `None` if the limit does not allow it.
    fn allocate(&mut self, size: u64, alignment: u64) -> Option<Block> {
        CHANGED.write(true);
        if size > HEAP_MAX {
            return None;
        }
        let class = class_of(size);
        let capacity = capacity_of(class);
        if self.used + capacity + HEADER > self.limit {
            return None;
        }
        self.used += capacity + HEADER;
        self.peak = self.peak.max(self.used);
        let (address, capacity, fresh) = if self.fenced {
            (self.cut_fenced(size, alignment)?, fenced_length(size), true)
        } else {
            match self.take_free(class, alignment) {
                Some(block) => (block, capacity, false),
                None => (self.cut(capacity, alignment)?, capacity, true),
            }
        };
        // SAFETY: the header lies in accessible heap memory.
        unsafe {
            header(address).write(Header { size_or_next: size, mark: LIVE ^ address << 8 | class as u64 });
        }
        Some(Block { address, capacity, fresh })
    }

    /// The free block of this class that was freed last, if it is aligned as asked.
    fn take_free(&mut self, class: usize, alignment: u64) -> Option<u64> {
        let block = self.free[class];
        if block == 0 || !block.is_multiple_of(alignment) {
            return None;
        }
        // SAFETY: free lists hold only blocks whose headers we wrote.
        self.free[class] = unsafe { (*header(block)).size_or_next };
        Some(block)
    }

    /// A new block at the end.
    fn cut(&mut self, capacity: u64, alignment: u64) -> Option<u64> {
        let block = (self.top + HEADER).checked_next_multiple_of(alignment)?;
        let top = block.checked_add(capacity).filter(|top| *top <= HEAP_BASE + HEAP_MAX)?;
        if top > self.open {
            let more = (self.open - HEAP_BASE) / 4;
            let open = top.max(self.open + more).next_multiple_of(STEP).min(HEAP_BASE + HEAP_MAX);
            if !space::open(self.open, open - self.open) {
                return None;
            }
            self.open = open;
        }
        self.top = top;
        Some(block)
    }

    /// A new block that ends where its pages do. The page behind them stays closed.
    fn cut_fenced(&mut self, size: u64, alignment: u64) -> Option<u64> {
        let start = self.top.max(kept());
        let length = fenced_length(size);
        let end = start + (HEADER + length + alignment).next_multiple_of(PAGE);
        let top = end.checked_add(PAGE).filter(|top| *top <= HEAP_BASE + HEAP_MAX)?;
        if !space::open(start, end - start) {
            return None;
        }
        (self.top, self.open) = (top, end);
        Some((end - length) / alignment * alignment)
    }

    fn release(&mut self, block: u64, class: usize) {
        // SAFETY: the caller has found a live block here.
        let header = unsafe { &mut *header(block) };
        self.used -= capacity_of(class) + HEADER;
        if self.fenced {
            let start = (block - HEADER) / PAGE * PAGE;
            let end = (block + fenced_length(header.size_or_next)).next_multiple_of(PAGE);
            space::close(start, end - start);
            return;
        }
        *header = Header { size_or_next: self.free[class], mark: FREE ^ block << 8 | class as u64 };
        self.free[class] = block;
    }
}

fn heap() -> &'static mut Heap {
    // SAFETY: one thread, and no caller keeps the reference over a call that comes back here.
    unsafe { &mut *HEAP.get() }
}

/// What constructors have allocated so far outlives every reset.
pub fn keep_what_is_there() {
    let heap = heap();
    FLOOR.write(heap.top);
    heap.used = 0;
    if heap.open == HEAP_BASE {
        heap.cut(0, 16);
        heap.top = FLOOR.read();
    }
}

/// Where that state lies.
pub fn state() -> Vec<Span> {
    vec![span_of(HEAP.get())]
}

/// The end of the part that stays accessible between runs.
fn kept() -> u64 {
    FLOOR.read().next_multiple_of(STEP).max(HEAP_BASE + STEP)
}

/// Empties the heap.
pub fn reset() {
    let heap = heap();
    let floor = FLOOR.read();
    let kept = kept();
    // The code under test may have overwritten these numbers.
    let used = heap.top.clamp(floor, kept) - floor;
    let open = heap.open.min(HEAP_BASE + HEAP_MAX);
    // SAFETY: this part is accessible and no code under test is running.
    unsafe { bytes(floor).write_bytes(0, used as usize) };
    if open > kept {
        space::drop_pages(kept, open - kept);
        space::close(kept, open - kept);
    }
    heap.open = kept;
    heap.top = floor;
    heap.used = 0;
    heap.peak = 0;
    heap.free = [0; CLASSES];
}

/// The limit of the coming runs, in bytes.
pub fn set_limit(limit: u64) {
    heap().limit = limit.min(HEAP_MAX);
}

/// Whether blocks of the coming runs have pages of their own.
pub fn set_fenced(fenced: bool) {
    heap().fenced = fenced;
}

/// End of the last block.
pub fn top() -> u64 {
    heap().top
}

/// Whether blocks may begin at an address.
pub fn holds(address: u64) -> bool {
    (HEAP_BASE + HEADER..heap().top).contains(&address)
}

/// How many bytes the live block that begins here has; none if there is no such block.
pub fn length_of(block: u64) -> Option<u64> {
    heap().class_of_live(block)?;
    // SAFETY: a live block has a header.
    Some(unsafe { (*header(block)).size_or_next })
}

/// How many bytes of the live block that begins here were written, as far as that can be seen, and of at most so many; none if there is
/// no such block.
pub fn written(block: u64, most: u64) -> Option<u64> {
    heap().class_of_live(block)?;
    // SAFETY: a live block has a header, and is accessible for as long as it says.
    unsafe {
        let length = (*header(block)).size_or_next.min(most);
        let contents = core::slice::from_raw_parts(bytes(block), length as usize);
        Some(contents.iter().rposition(|byte| *byte != PATTERN).map_or(0, |last| last as u64 + 1))
    }
}

/// Writes what the run used into the control block.
pub fn report() {
    let heap = heap();
    // SAFETY: the control block is mapped.
    unsafe {
        (*control()).heap_used = heap.used;
        (*control()).heap_peak = heap.peak;
    }
}

fn out_of_memory() -> ! {
    finish(end(EndKind::OutOfMemory))
}

fn bad_free(block: u64) -> ! {
    let mut end = end(EndKind::BadFree);
    end.address = block;
    finish(end)
}

/// A block for `size` bytes filled with the pattern; 0 for a size no object can have.
fn filled(size: u64, alignment: u64) -> u64 {
    if size > i64::MAX as u64 {
        set_errno(libc::ENOMEM);
        return 0;
    }
    let Some(block) = heap().allocate(size, alignment) else { out_of_memory() };
    // SAFETY: the block is accessible.
    unsafe { bytes(block.address).write_bytes(PATTERN, block.capacity.min(FILLED) as usize) };
    wrote(block.address, block.capacity);
    block.address
}

/// `malloc`
pub unsafe extern "C" fn c_malloc(size: u64) -> u64 {
    filled(size, 16)
}

/// `calloc`
pub unsafe extern "C" fn c_calloc(count: u64, size: u64) -> u64 {
    let Some(size) = count.checked_mul(size).filter(|size| *size <= i64::MAX as u64) else {
        set_errno(libc::ENOMEM);
        return 0;
    };
    let Some(block) = heap().allocate(size, 16) else { out_of_memory() };
    // Fresh memory is zero already: a reset leaves it so. Where it stays accessible, a run may have written to it unasked.
    if !block.fresh || block.address < kept() {
        // SAFETY: the block is accessible.
        unsafe { bytes(block.address).write_bytes(0, block.capacity as usize) };
    }
    wrote(block.address, block.capacity);
    block.address
}

/// `realloc`
pub unsafe extern "C" fn c_realloc(block: u64, size: u64) -> u64 {
    if block == 0 {
        return filled(size, 16);
    }
    let Some(class) = heap().class_of_live(block) else { return reallocate_input(block, size) };
    if size == 0 {
        heap().release(block, class);
        return 0;
    }
    // SAFETY: a live block has a header.
    let old = unsafe { (*header(block)).size_or_next };
    if class_of(size) == class && !heap().fenced {
        // SAFETY: as above.
        unsafe { (*header(block)).size_or_next = size };
        if size > old {
            wrote(block + old, size - old);
        }
        return block;
    }
    let target = filled(size, 16);
    if target == 0 {
        return 0;
    }
    // SAFETY: both blocks are live, distinct and at least this long.
    unsafe { move_over(target, block, old.min(size)) };
    heap().release(block, class);
    target
}

/// `realloc` of an input object: callers allocate it if the function reallocates it.
fn reallocate_input(object: u64, size: u64) -> u64 {
    let Some((number, length)) = inputs::find(object) else { bad_free(object) };
    let target = if size == 0 { 0 } else { filled(size, 16) };
    if target != 0 {
        // SAFETY: block and object are live, distinct and at least this long.
        unsafe { move_over(target, object, length.min(size)) };
    }
    if target != 0 || size == 0 {
        inputs::release(number, object, length);
    }
    target
}

/// Copies bytes with what is known about them.
///
/// # Safety
/// Both places have so many bytes, and do not overlap.
unsafe fn move_over(target: u64, source: u64, length: u64) {
    // SAFETY: the caller vouches for it.
    unsafe {
        if TRACED.read() {
            crate::trace::functions::copy(target, source, length);
        }
        bytes(target).copy_from_nonoverlapping(bytes(source), length as usize);
    }
}

/// `reallocarray`
pub unsafe extern "C" fn c_reallocarray(block: u64, count: u64, size: u64) -> u64 {
    let Some(size) = count.checked_mul(size) else {
        set_errno(libc::ENOMEM);
        return 0;
    };
    // SAFETY: the same contract.
    unsafe { c_realloc(block, size) }
}

/// `free`
pub unsafe extern "C" fn c_free(block: u64) {
    if block == 0 {
        return;
    }
    if let Some(class) = heap().class_of_live(block) {
        heap().release(block, class);
    } else if let Some((number, length)) = inputs::find(block) {
        inputs::release(number, block, length);
    } else {
        bad_free(block);
    }
}

/// `aligned_alloc`
pub unsafe extern "C" fn c_aligned_alloc(alignment: u64, size: u64) -> u64 {
    if !alignment.is_power_of_two() {
        set_errno(libc::EINVAL);
        return 0;
    }
    filled(size, alignment.max(16))
}

/// `memalign`
pub unsafe extern "C" fn c_memalign(alignment: u64, size: u64) -> u64 {
    // SAFETY: the same contract.
    unsafe { c_aligned_alloc(alignment, size) }
}

/// `posix_memalign`
pub unsafe extern "C" fn c_posix_memalign(target: u64, alignment: u64, size: u64) -> u32 {
    if !alignment.is_power_of_two() || !alignment.is_multiple_of(8) {
        return libc::EINVAL as u32;
    }
    if size > i64::MAX as u64 {
        return libc::ENOMEM as u32;
    }
    let block = filled(size, alignment.max(16));
    // SAFETY: if the address is bad, this is the fault of the code under test and ends the run as its own would.
    unsafe { bytes(target).cast::<u64>().write_unaligned(block) };
    wrote(target, 8);
    0
}

/// `malloc_usable_size`
pub unsafe extern "C" fn c_malloc_usable_size(block: u64) -> u64 {
    if block == 0 {
        return 0;
    }
    if heap().class_of_live(block).is_none() {
        let Some((_, length)) = inputs::find(block) else { bad_free(block) };
        return length;
    }
    // SAFETY: a live block has a header.
    unsafe { (*header(block)).size_or_next }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_fits_its_class_and_classes_grow() {
        let mut last = (0, 16);
        let sizes =
            (0..5000).chain((13..=36).flat_map(|power| [(1 << power) - 1, 1 << power, (1 << power) + 1]));
        for size in sizes {
            let class = class_of(size);
            let capacity = capacity_of(class);
            assert!(size <= capacity && capacity.is_multiple_of(16) && class < CLASSES, "{size}");
            assert!(capacity <= (size + 16).max(size + size / 4 + 16), "{size} wastes {}", capacity - size);
            assert!((class, capacity) >= last && (class == last.0) == (capacity == last.1), "{size}");
            last = (class, capacity);
        }
    }
}

//! Memory that costs nothing until it is touched, as slices.
//!
//! Private regions are mapped without reservation; the parts of the shared segment that only tracing
//! writes are lent out at their fixed address. Both last as long as the process.

use std::io;

use testwright_abi::event::{Event, MAX_TABLES, TableRecord};
use testwright_abi::expr::Node;
use testwright_abi::memory::{
    EVENTS_OFFSET, MAX_EVENTS, MAX_NODES, NODES_OFFSET, SHARED_BASE, TABLES_OFFSET, TABLES_SIZE,
};

/// Integers, for which zeroed memory is a value.
pub(super) trait Plain: Copy {}
impl Plain for u8 {}
impl Plain for u32 {}
impl Plain for u64 {}

/// A new private region of `length` zeros.
pub(super) fn reserve<T: Plain>(length: usize) -> io::Result<&'static mut [T]> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new anonymous mapping at an address of the kernel's choice disturbs nothing.
    let start = unsafe { libc::mmap(core::ptr::null_mut(), length * size_of::<T>(), access, flags, -1, 0) };
    if start == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: advice on memory of our own. It may fail on kernels without huge pages, which is fine: sparse
    // memory must not get them, or each place that is touched costs 2 MiB to clear.
    unsafe { libc::madvise(start, length * size_of::<T>(), libc::MADV_NOHUGEPAGE) };
    // SAFETY: the mapping is page aligned, as long as asked for, zeroed, never unmapped, and nobody
    // else knows its address.
    Ok(unsafe { core::slice::from_raw_parts_mut(start.cast::<T>(), length) })
}

/// The expression nodes.
///
/// # Safety
/// The shared segment is mapped, and this is called once in a process and its parents.
pub(super) unsafe fn nodes() -> &'static mut [Node; MAX_NODES as usize] {
    // SAFETY: the segment has room for the nodes there, any bits are a node, and by the contract
    // no other reference to them exists in this process.
    unsafe { &mut *((SHARED_BASE + NODES_OFFSET) as *mut [Node; MAX_NODES as usize]) }
}

/// The events.
///
/// # Safety
/// As for [`nodes`].
pub(super) unsafe fn events() -> &'static mut [Event] {
    // SAFETY: as in `nodes`.
    unsafe {
        core::slice::from_raw_parts_mut((SHARED_BASE + EVENTS_OFFSET) as *mut Event, MAX_EVENTS as usize)
    }
}

/// The tables area: the records at its start, and the rest.
///
/// # Safety
/// As for [`nodes`].
pub(super) unsafe fn tables() -> (&'static mut [TableRecord], &'static mut [u8]) {
    let records = (SHARED_BASE + TABLES_OFFSET) as *mut TableRecord;
    let count = MAX_TABLES as usize;
    let rest = TABLES_SIZE as usize - count * size_of::<TableRecord>();
    // SAFETY: as in `nodes`; the two parts do not overlap.
    unsafe {
        let bytes = records.add(count).cast::<u8>();
        (core::slice::from_raw_parts_mut(records, count), core::slice::from_raw_parts_mut(bytes, rest))
    }
}

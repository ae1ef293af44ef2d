//! The memory of this process.

/// Gives back to the system what is free in the heap. Starting a program copies the tables of all pages, which takes tens of
/// milliseconds in a process that has held a gigabyte.
pub fn give_back_memory() {
    // SAFETY: the allocator locks its heaps itself; nothing that is in use moves.
    unsafe { libc::malloc_trim(0) };
}

//! The address space of a worker: fixed mappings, and which pages of the input area are accessible.

use std::io;
use std::os::fd::RawFd;
use std::ptr::with_exposed_provenance_mut;

use testwright_abi::command::{Span, status};
use testwright_abi::memory::{
    HANDLE_BASE, HANDLE_SIZE, HEAP_BASE, HEAP_MAX, INPUT_BASE, INPUT_OFFSET, INPUT_SIZE, MAX_STUBS, PAGE,
    SHARED_BASE, SHARED_SIZE, STACK_SIZE, STACK_TOP, STUB_STEP, STUB_TABLE_OFFSET, STUBS_BASE, TAINT_RANGES,
    TAINT_SEGMENT_BASE, stub_address,
};

/// Lowest address of the stack of the code under test.
pub const STACK_LOW: u64 = STACK_TOP - STACK_SIZE;

const PRIVATE: i32 = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
const READ_WRITE: i32 = libc::PROT_READ | libc::PROT_WRITE;

/// Maps everything [`testwright_abi::memory`] names; `shared` is the file of the shared segment.
pub fn map(shared: RawFd) -> Result<(), String> {
    let after_input = INPUT_OFFSET + INPUT_SIZE;
    let file = |address, offset, length, protection| {
        fixed(address, length, protection, libc::MAP_SHARED, shared, offset)
    };
    // The input objects are left out of the segment: they are seen at their own place only, with guard pages.
    file(SHARED_BASE, 0, INPUT_OFFSET, READ_WRITE)?;
    file(SHARED_BASE + after_input, after_input, SHARED_SIZE - after_input, READ_WRITE)?;
    file(INPUT_BASE, INPUT_OFFSET, INPUT_SIZE, libc::PROT_NONE)?;

    let private = |address, length, protection| fixed(address, length, protection, PRIVATE, -1, 0);
    private(HEAP_BASE, HEAP_MAX, libc::PROT_NONE)?;
    private(STACK_LOW, STACK_SIZE, READ_WRITE)?;
    for (start, end) in TAINT_RANGES {
        private(start, end - start, READ_WRITE)?;
        small_pages(start, end - start);
    }
    private(HANDLE_BASE, HANDLE_SIZE, READ_WRITE)?;
    small_pages(HANDLE_BASE, HANDLE_SIZE);
    stub_jumps()?;
    set_segment()
}

/// Writes the jumps to stubs: each goes to the address that the table of stubs holds for it.
///
/// ```text
/// 49 bb <address>    movabs $address, %r11    the place in the table; a call may change r11
/// 41 ff 23           jmp *(%r11)
/// ```
fn stub_jumps() -> Result<(), String> {
    const LOAD: [u8; 2] = [0x49, 0xbb];
    const JUMP: [u8; 3] = [0x41, 0xff, 0x23];
    let length = MAX_STUBS * STUB_STEP;
    fixed(STUBS_BASE, length, READ_WRITE, PRIVATE, -1, 0)?;
    for stub in 0..MAX_STUBS {
        let entry = SHARED_BASE + STUB_TABLE_OFFSET + stub * 8;
        let place = with_exposed_provenance_mut::<u8>(stub_address(stub) as usize);
        // SAFETY: the pages were mapped above, and each jump is shorter than the step.
        unsafe {
            place.cast::<[u8; 2]>().write(LOAD);
            place.add(2).cast::<u64>().write_unaligned(entry);
            place.add(10).cast::<[u8; 3]>().write(JUMP);
        }
    }
    if protect(STUBS_BASE, length, libc::PROT_READ | libc::PROT_EXEC) {
        Ok(())
    } else {
        Err("the jumps to stubs cannot be made executable".to_owned())
    }
}

/// Lets the segment register GS point to the taint map. The base lies above user space, where only the instruction can
/// set it, not the system call.
fn set_segment() -> Result<(), String> {
    const FSGSBASE: u64 = 2;
    // SAFETY: reads what the kernel told the process.
    if unsafe { libc::getauxval(libc::AT_HWCAP2) } & FSGSBASE == 0 {
        return Err(
            "programs cannot set the GS base here; that takes Linux 5.9 and a processor of 2012".to_owned()
        );
    }
    // SAFETY: the kernel allows the instruction, as checked; nothing else in the process uses GS.
    unsafe { core::arch::asm!("wrgsbase {}", in(reg) TAINT_SEGMENT_BASE, options(nostack, preserves_flags)) };
    Ok(())
}

fn fixed(
    address: u64,
    length: u64,
    protection: i32,
    flags: i32,
    file: RawFd,
    offset: u64,
) -> Result<(), String> {
    let place = with_exposed_provenance_mut(address as usize);
    let flags = flags | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: NOREPLACE takes no memory that is in use.
    let got = unsafe { libc::mmap(place, length as usize, protection, flags, file, offset as i64) };
    if got == place {
        return Ok(());
    }
    let reason = if got == libc::MAP_FAILED {
        io::Error::last_os_error().to_string()
    } else {
        // Kernels before 4.17 take the address for a hint.
        "the kernel chose another place".to_owned()
    };
    Err(format!("cannot map {length:#x} bytes at {address:#x}: {reason}"))
}

/// Sparse maps must not get huge pages: one byte that is touched would cost 2 MiB to clear.
fn small_pages(address: u64, length: u64) {
    let place = with_exposed_provenance_mut(address as usize);
    // SAFETY: advice on memory of our own; it may fail on kernels without huge pages, which is fine.
    unsafe { libc::madvise(place, length as usize, libc::MADV_NOHUGEPAGE) };
}

/// Makes whole pages accessible.
pub fn open(address: u64, length: u64) -> bool {
    protect(address, length, READ_WRITE)
}

/// Makes whole pages inaccessible.
pub fn close(address: u64, length: u64) -> bool {
    protect(address, length, libc::PROT_NONE)
}

fn protect(address: u64, length: u64, protection: i32) -> bool {
    let place = with_exposed_provenance_mut(address as usize);
    // SAFETY: only called for the input area and the heap, of which we hold no references.
    unsafe { libc::mprotect(place, length as usize, protection) == 0 }
}

/// Gives whole private pages back; they read as zero afterwards.
pub fn drop_pages(address: u64, length: u64) {
    let place = with_exposed_provenance_mut(address as usize);
    // SAFETY: only called for heap and stack of the code under test while it is not running.
    unsafe { libc::madvise(place, length as usize, libc::MADV_DONTNEED) };
}

/// The pages of the input area that are accessible now.
#[derive(Default)]
pub struct InputPages {
    /// Disjoint ranges of whole pages, ascending: (start, end).
    open: Vec<(u64, u64)>,
    /// A number for those.
    digest: u64,
}

impl InputPages {
    /// Makes exactly the pages that hold `objects` accessible. False if an object lies outside the area.
    pub fn set(&mut self, objects: &[Span]) -> bool {
        let Some(wanted) = pages_of(objects) else { return false };
        if digest(&self.open) != self.digest {
            // A run has overwritten them.
            // SAFETY: `_exit` has no precondition.
            unsafe { libc::_exit(status::DAMAGED) };
        }
        if wanted == self.open {
            return true;
        }
        for range in self.open.iter().filter(|range| !wanted.contains(range)) {
            close(range.0, range.1 - range.0);
        }
        let opened = wanted
            .iter()
            .filter(|range| !self.open.contains(range))
            .all(|range| open(range.0, range.1 - range.0));
        self.digest = digest(&wanted);
        self.open = wanted;
        opened
    }
}

fn digest(ranges: &[(u64, u64)]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let add = |sum: u64, (start, end): &(u64, u64)| {
        ((sum ^ start).wrapping_mul(ODD).rotate_left(29) ^ end).wrapping_mul(ODD).rotate_left(29)
    };
    ranges.iter().fold(0, add)
}

fn pages_of(objects: &[Span]) -> Option<Vec<(u64, u64)>> {
    let mut ranges = Vec::with_capacity(objects.len());
    for object in objects {
        let end = object.address.checked_add(object.length)?;
        if object.address < INPUT_BASE || end > INPUT_BASE + INPUT_SIZE {
            return None;
        }
        ranges.push((object.address / PAGE * PAGE, end.div_ceil(PAGE) * PAGE));
    }
    ranges.sort_unstable();
    let mut merged: Vec<(u64, u64)> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.0 <= last.1 => last.1 = last.1.max(range.1),
            _ => merged.push(range),
        }
    }
    merged.retain(|range| range.0 < range.1);
    Some(merged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_on_neighbouring_pages_share_a_range_and_empty_ones_have_none() {
        let object = |offset, length| Span { address: INPUT_BASE + offset, length };
        let objects = [object(0x5ff8, 8), object(0, 0), object(0x2ff0, 0x20), object(0x4000, 1)];
        let pages = [(INPUT_BASE + 0x2000, INPUT_BASE + 0x6000)];
        assert_eq!(pages_of(&objects).unwrap(), pages);
        assert_eq!(pages_of(&[object(0x1000, 0)]).unwrap(), []);
    }

    #[test]
    fn an_object_outside_the_input_area_is_refused() {
        for (address, length) in [(INPUT_BASE - 1, 1), (INPUT_BASE + INPUT_SIZE, 1), (u64::MAX, 2), (0, 8)] {
            assert_eq!(pages_of(&[Span { address, length }]), None, "{address:x}");
        }
    }
}

//! The address space of a worker: fixed places, so that code can name them as constants.
//!
//! ```text
//! 0x00ff_fdcb_a000  taint of 0x51.. - 0x60.. (the worker's own image and brk)
//! 0x1fff_fdcb_a000  taint of 0x70.. - 0x80.. (inputs, heap, libraries, stack)
//! 0x3000_0abc_d000  expression handles, four bytes per byte of memory
//! 0x5555_5555_0000  the worker's executable (address randomisation is off)
//! 0x7100_0000_0000  shared segment (256 MiB memfd, also mapped by the host)
//! 0x7200_0000_0000  input objects (part of the shared segment, guard pages between objects)
//! 0x7200_8000_0000  jumps to the stubs of the library that runs
//! 0x7300_0000_0000  heap of the code under test
//! 0x7400_0080_0000  stack of the code under test
//! 0x7fff_f7ff_0000  libraries (the subject among them) and the worker's own stack
//! ```
//!
//! Nothing of ours lies below 4 GiB: code for small machines names registers and memory there as
//! constants, and must not find our data. Counters and coverage have constant addresses all the same, so
//! instrumented code needs no relocation, and the host sees the result even after a crash.
//!
//! **Taint map**: the byte at `a - TAINT_BELOW` says whether the byte at `a` is symbolic. 0 means
//! concrete; `k + 1` means "byte `k` (little endian) of the expression whose handle is stored at
//! [`handle_address`]`(a)`". A load of n bytes is concrete if the n taint bytes are all zero, which is
//! one load and one comparison; a store of a concrete value stores n zero bytes.
//!
//! **Caches** guess from the low bits of addresses. Zen processors find a line by its set (bits 6 to 11) and a hash of bits
//! 12 to 27; two lines that agree in both evict each other's guess on every access, which made the trace build four times
//! slower. Intel's let a load wait for an earlier store that agrees in bits 0 to 11. So a byte and its taint lie half a
//! page apart ([`TAINT_SKEW`]), which keeps both and their neighbours in different sets, and differ in bits 12 to 27 too.

/// Where the shared segment is mapped in a worker.
pub const SHARED_BASE: u64 = 0x7100_0000_0000;
/// Length of the shared segment; it is sparse, untouched pages cost nothing.
pub const SHARED_SIZE: u64 = 0x1000_0000;

/// Offset of the control block in the shared segment.
pub const CONTROL_OFFSET: u64 = 0;
/// Offset of the calls of stubs: one `u64` per stub, how often it was called in the run.
pub const STUB_CALLS_OFFSET: u64 = 0x8_0000;
/// How many stubs a subject may have.
pub const MAX_STUBS: u64 = 1 << 12;
/// Offset of the addresses of the stubs: one `u64` per stub, set for the library that runs.
pub const STUB_TABLE_OFFSET: u64 = STUB_CALLS_OFFSET + MAX_STUBS * 8;
/// Offset of the order of those calls: one `u16` per call, the number of the stub.
pub const STUB_ORDER_OFFSET: u64 = 0x9_0000;
/// How many calls of stubs are told in their order.
pub const MAX_STUB_ORDER: u64 = 1 << 16;
/// Offset of the marks of input objects that were freed: one byte per [`crate::command::Span`] of the command, 1 if the
/// code under test has freed the object.
pub const FREED_OFFSET: u64 = 0xc_0000;
/// How many input objects can be freed.
pub const MAX_OBJECTS: u64 = 1 << 14;
/// Offset of the coverage map: one byte per outcome.
pub const COVERAGE_OFFSET: u64 = 0x10_0000;
/// How many outcomes a subject may have.
pub const MAX_OUTCOMES: u64 = 1 << 20;
/// Offset of the distance map: one `u64` per outcome, see [`DISTANCE_NONE`].
pub const DISTANCE_OFFSET: u64 = 0x20_0000;
/// Offset of the recorded events ([`crate::event::Event`]).
pub const EVENTS_OFFSET: u64 = 0x100_0000;
/// How many events a run may record.
pub const MAX_EVENTS: u64 = 1 << 19;
/// Offset of the copies of constant tables that symbolic reads refer to.
pub const TABLES_OFFSET: u64 = 0x180_0000;
/// Room for those copies, in bytes.
pub const TABLES_SIZE: u64 = 0x80_0000;
/// Offset of the request area: descriptors that go with a command, in this order without gaps:
/// [`crate::command::Span`]s of objects, [`crate::command::Leaf`]s, [`crate::draw::Draw`]s,
/// [`crate::command::GlobalWrite`]s, [`crate::command::GlobalRead`]s. The bytes that those write and read lie at the end of
/// the area.
pub const REQUEST_OFFSET: u64 = 0x200_0000;
/// Room for those descriptors, in bytes.
pub const REQUEST_SIZE: u64 = 0x100_0000;
/// Offset of the list of iterations a batch found interesting ([`crate::command::Kept`]).
pub const KEPT_OFFSET: u64 = 0x300_0000;
/// How many of them one batch may report.
pub const MAX_KEPT: u64 = 1 << 16;
/// Offset of the area of target searches, see [`crate::target_search`].
pub const TARGET_SEARCH_OFFSET: u64 = 0x340_0000;
/// Room for a target search.
pub const TARGET_SEARCH_SIZE: u64 = 0xc0_0000;
/// Offset of the input objects; also mapped at [`INPUT_BASE`] in the worker.
pub const INPUT_OFFSET: u64 = 0x400_0000;
/// Room for input objects, guard pages included.
pub const INPUT_SIZE: u64 = 0x400_0000;
/// Offset of the expression nodes.
pub const NODES_OFFSET: u64 = 0x800_0000;
/// How many expression nodes a run may create.
pub const MAX_NODES: u64 = 1 << 22;

/// Where input objects are mapped in a worker. Pages that hold no object are inaccessible.
pub const INPUT_BASE: u64 = 0x7200_0000_0000;
/// Where function pointers that mean a stub lead to, in every library: a jump for each stub, see [`stub_address`].
pub const STUBS_BASE: u64 = INPUT_BASE + 0x8000_0000;
/// How many bytes lie between two of those jumps.
pub const STUB_STEP: u64 = 16;
/// Where the heap of the code under test begins.
pub const HEAP_BASE: u64 = 0x7300_0000_0000;
/// The largest heap limit that can be asked for.
pub const HEAP_MAX: u64 = 1 << 36;

/// Length of the stack of the code under test. It has a stack of its own so that its addresses do not
/// depend on the worker's arguments, and an overflow is known by its address.
pub const STACK_SIZE: u64 = 8 << 20;
/// The end of that stack; it grows down from here. Nothing is mapped between the heap and its start.
pub const STACK_TOP: u64 = 0x7400_0100_0000;

/// How far the taint map is moved from round addresses, lest caches take a byte and its taint for the same line.
pub const TAINT_SKEW: u64 = 0x0234_5800;
/// `address - TAINT_BELOW` is the address of the taint byte.
pub const TAINT_BELOW: u64 = 0x5000_0000_0000 + TAINT_SKEW;
/// Base of the segment register GS in a worker: instrumented code reaches the taint of an address at the same address
/// relative to GS, without computing anything. (x86 has no other use for GS in user space on Linux.)
pub const TAINT_SEGMENT_BASE: u64 = TAINT_BELOW.wrapping_neg();
/// LLVM's address space for memory relative to GS.
pub const TAINT_ADDRESS_SPACE: u32 = 256;
/// Addresses that have a taint byte: (start, end). What lies elsewhere is never symbolic.
pub const SHADOWED: [(u64, u64); 2] =
    [(0x5100_0000_0000, 0x6000_0000_0000), (0x7000_0000_0000, 0x8000_0000_0000)];
/// The taint maps of those, in whole pages: (start, end).
pub const TAINT_RANGES: [(u64, u64); 2] = [taint_pages(SHADOWED[0]), taint_pages(SHADOWED[1])];
/// Start of the handle map.
pub const HANDLE_BASE: u64 = 0x3000_0abc_d000;
/// Address bits that select a cell of the handle map. Everything the code under test can write lies
/// in four clusters (executable, inputs and heap, stack, libraries) that differ in these bits.
pub const HANDLE_MASK: u64 = (1 << 42) - 1;
/// Length of the handle map.
pub const HANDLE_SIZE: u64 = (HANDLE_MASK + 1) * 4;

/// "This outcome was never close": initial value of the distance map.
pub const DISTANCE_NONE: u64 = u64::MAX;

/// Page size; x86-64 only.
pub const PAGE: u64 = 4096;

/// What a function pointer holds that means the stub with this number.
#[must_use]
pub const fn stub_address(stub: u64) -> u64 {
    STUBS_BASE + stub * STUB_STEP
}

/// The number of the stub that a function pointer with this value means.
#[must_use]
pub const fn stub_at(address: u64) -> Option<u64> {
    let offset = address.wrapping_sub(STUBS_BASE);
    if offset.is_multiple_of(STUB_STEP) && offset / STUB_STEP < MAX_STUBS {
        Some(offset / STUB_STEP)
    } else {
        None
    }
}

/// Address of the taint byte for `address`.
#[must_use]
pub const fn taint_address(address: u64) -> u64 {
    address.wrapping_sub(TAINT_BELOW)
}

const fn taint_pages((start, end): (u64, u64)) -> (u64, u64) {
    (taint_address(start) / PAGE * PAGE, taint_address(end).next_multiple_of(PAGE))
}

/// The address that the taint byte at `taint` is about.
#[must_use]
pub const fn tainted_address(taint: u64) -> u64 {
    taint.wrapping_add(TAINT_BELOW)
}

/// Address of the 32-bit handle cell for the byte at `address`.
#[must_use]
pub const fn handle_address(address: u64) -> u64 {
    HANDLE_BASE + ((address & HANDLE_MASK) << 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_the_shared_segment_do_not_overlap() {
        let parts = [
            (CONTROL_OFFSET, size_of::<crate::control::Control>() as u64),
            (STUB_CALLS_OFFSET, MAX_STUBS * 8),
            (STUB_TABLE_OFFSET, MAX_STUBS * 8),
            (STUB_ORDER_OFFSET, MAX_STUB_ORDER * 2),
            (FREED_OFFSET, MAX_OBJECTS),
            (COVERAGE_OFFSET, MAX_OUTCOMES),
            (DISTANCE_OFFSET, MAX_OUTCOMES * 8),
            (EVENTS_OFFSET, MAX_EVENTS * size_of::<crate::event::Event>() as u64),
            (TABLES_OFFSET, TABLES_SIZE),
            (REQUEST_OFFSET, REQUEST_SIZE),
            (KEPT_OFFSET, MAX_KEPT * size_of::<crate::command::Kept>() as u64),
            (TARGET_SEARCH_OFFSET, TARGET_SEARCH_SIZE),
            (INPUT_OFFSET, INPUT_SIZE),
            (NODES_OFFSET, MAX_NODES * size_of::<crate::expr::Node>() as u64),
            (SHARED_SIZE, 0),
        ];
        for pair in parts.windows(2) {
            assert!(pair[0].0 + pair[0].1 <= pair[1].0, "{pair:x?}");
        }
    }

    #[test]
    fn function_pointers_tell_which_stub_they_mean() {
        assert_eq!(stub_at(stub_address(0)), Some(0));
        assert_eq!(stub_at(stub_address(MAX_STUBS - 1)), Some(MAX_STUBS - 1));
        assert_eq!(stub_at(stub_address(MAX_STUBS)), None);
        assert_eq!(stub_at(stub_address(3) + 1), None);
        assert_eq!(stub_at(0), None);
    }

    #[test]
    fn every_place_of_the_subject_has_a_taint_byte_that_is_mapped() {
        for address in
            [INPUT_BASE, HEAP_BASE, HEAP_BASE + HEAP_MAX, STACK_TOP - 1, 0x7fff_ffff_f000, 0x5555_5555_4000]
        {
            let taint = taint_address(address);
            assert!(TAINT_RANGES.iter().any(|&(low, high)| low <= taint && taint < high), "{address:x}");
            let handle = handle_address(address);
            assert!((HANDLE_BASE..HANDLE_BASE + HANDLE_SIZE).contains(&handle));
            assert_eq!(tainted_address(taint), address);
        }
    }

    #[test]
    fn maps_are_whole_pages_that_do_not_overlap() {
        let maps = [TAINT_RANGES[0], TAINT_RANGES[1], (HANDLE_BASE, HANDLE_BASE + HANDLE_SIZE)];
        assert!(maps.iter().all(|(low, high)| low.is_multiple_of(PAGE) && high.is_multiple_of(PAGE)));
        assert!(maps.windows(2).all(|pair| pair[0].1 <= pair[1].0));
        assert!(maps[2].1 <= 0x5555_5555_0000);
    }

    /// What processors of the Zen family guess a line of the first cache by: its set, and a hash of the bits above
    /// (Lipp et al., Take A Way, 2020).
    fn guess(address: u64) -> (u64, u64) {
        let bit = |bit: u32| address >> bit & 1;
        let pairs = [(12, 27), (13, 26), (14, 25), (15, 20), (16, 21), (17, 22), (18, 23), (19, 24)];
        let hash = pairs.iter().fold(0, |hash, &(low, high)| hash << 1 | (bit(low) ^ bit(high)));
        (address >> 6 & 63, hash)
    }

    #[test]
    fn caches_tell_a_byte_from_its_taint_and_its_handle() {
        const BLOCK: u64 = 1024;
        let (mut lines, mut alike) = (0, 0);
        for base in
            [INPUT_BASE + PAGE - BLOCK, HEAP_BASE, STACK_TOP - BLOCK, 0x7fff_f7d0_3000, 0x5555_5557_8000]
        {
            for page in 0..256 {
                let block = || (base + page * PAGE..).step_by(64).take((BLOCK / 64) as usize);
                for line in block() {
                    let (taint, handle) = (taint_address(line), handle_address(line));
                    assert!(block().all(|near| guess(near).0 != guess(taint).0), "{line:x} and neighbours");
                    assert_ne!(guess(taint).1, guess(line).1, "{line:x}");
                    assert_ne!(taint >> 12 & 0xffff, line >> 12 & 0xffff, "{line:x}");
                    lines += 1;
                    alike += u64::from(guess(handle) == guess(line) || guess(handle) == guess(taint));
                }
            }
        }
        // Handles take four times the room, so each line meets one of its own now and then, and its neighbours do not.
        assert!(alike * 1000 < lines, "{alike} of {lines}");
    }
}

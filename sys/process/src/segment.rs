//! The shared segment as the host sees it: typed copies of parts of a memory file that the worker maps too.
//!
//! Everything in the segment may have been overwritten by code under test, and a process that says that it is done may write
//! on: so parts are copied before anybody looks at them, counts are clamped, and only types for which
//! every bit pattern is a value are read.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd};
use std::ptr::{NonNull, null_mut};

use testwright_abi::climb::Variable;
use testwright_abi::command::{Command, GlobalRead, GlobalWrite, Kept, Leaf, Span, Step};
use testwright_abi::control::Control;
use testwright_abi::draw::Draw;
use testwright_abi::event::Event;
use testwright_abi::expr::Node;
use testwright_abi::fitness::{Fitness, Level};
use testwright_abi::memory::{
    CONTROL_OFFSET, COVERAGE_OFFSET, DISTANCE_OFFSET, EVENTS_OFFSET, FREED_OFFSET, INPUT_BASE, INPUT_OFFSET,
    INPUT_SIZE, KEPT_OFFSET, MAX_EVENTS, MAX_KEPT, MAX_NODES, MAX_OBJECTS, MAX_OUTCOMES, MAX_STUB_ORDER,
    MAX_STUBS, NODES_OFFSET, REQUEST_OFFSET, REQUEST_SIZE, SHARED_BASE, SHARED_SIZE, STUB_CALLS_OFFSET,
    STUB_ORDER_OFFSET, TABLES_OFFSET, TABLES_SIZE,
};
use testwright_abi::mutant::{LIST_OFFSET, MAX_LISTED, RESULTS_OFFSET, result};
use testwright_abi::target_search::TargetSearch;

use crate::status::Status;

/// The memory that host and worker share.
#[derive(Debug)]
pub struct SharedSegment {
    file: File,
    start: NonNull<u8>,
}

// SAFETY: the mapping belongs to this value alone and is not tied to a thread.
unsafe impl Send for SharedSegment {}
// SAFETY: shared references only copy out of it.
unsafe impl Sync for SharedSegment {}

/// What goes with a command.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'a> {
    /// The input objects; all other pages of the input area are inaccessible.
    pub objects: &'a [Span],
    /// What a traced run treats as symbolic.
    pub leaves: &'a [Leaf],
    /// What a batch draws. A draw for a global names a place in its bytes, see [`global_places`].
    pub draws: &'a [Draw],
    /// Globals that the case sets: index, and what their first bytes hold at the start of every run.
    pub globals: &'a [(u32, &'a [u8])],
    /// Globals to be seen before and after the call: index, and how many of their bytes; see [`SharedSegment::seen`].
    pub reads: &'a [(u32, u32)],
    /// What happens before the call.
    pub steps: &'a [Step],
}

/// Addresses in the worker at which the bytes for these globals will stand in the request area.
#[must_use]
pub fn global_places(globals: &[(u32, &[u8])]) -> Vec<u64> {
    let mut place = SHARED_BASE + REQUEST_OFFSET + REQUEST_SIZE;
    let next = |(_, bytes): &(u32, &[u8])| {
        place = place.saturating_sub(room_of(bytes));
        place
    };
    globals.iter().map(next).collect()
}

fn room_of(bytes: &[u8]) -> u64 {
    (bytes.len() as u64).next_multiple_of(16)
}

/// Addresses in the worker at which the bytes that a command reads will stand, below those that it writes.
fn read_places(request: &Request) -> Vec<u64> {
    let written: u64 = request.globals.iter().map(|(_, bytes)| room_of(bytes)).sum();
    let mut place = (SHARED_BASE + REQUEST_OFFSET + REQUEST_SIZE).saturating_sub(written);
    let next = |(_, length): &(u32, u32)| {
        place = place.saturating_sub(room_for_both(*length));
        place
    };
    request.reads.iter().map(next).collect()
}

/// Room for the bytes of a global before and after the call.
fn room_for_both(length: u32) -> u64 {
    (2 * u64::from(length)).next_multiple_of(16)
}

/// Something does not fit into its part of the segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{length} bytes at {address:#x} do not lie in the {part}")]
pub struct OutsideSegment {
    /// Which part.
    pub part: &'static str,
    /// Where it should have been, an address in the worker or an offset into the part.
    pub address: u64,
    /// How long it is.
    pub length: u64,
}

impl SharedSegment {
    /// A new segment, all zero. Its size cannot be changed by anybody.
    ///
    /// # Errors
    /// The system has no memory files, or no address space is left.
    pub fn new() -> io::Result<SharedSegment> {
        let file = memory_file(c"testwright-shared")?;
        file.set_len(SHARED_SIZE)?;
        let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
        // SAFETY: plain system calls on a file of ours; the mapping is new and lives until drop.
        let start = unsafe {
            if libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) < 0 {
                return Err(io::Error::last_os_error());
            }
            let access = libc::PROT_READ | libc::PROT_WRITE;
            libc::mmap(null_mut(), SHARED_SIZE as usize, access, libc::MAP_SHARED, file.as_raw_fd(), 0)
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        NonNull::new(start.cast())
            .map(|start| SharedSegment { file, start })
            .ok_or_else(|| io::Error::other("the segment was mapped at address 0"))
    }

    pub(crate) fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// What the worker says about the last run.
    #[must_use]
    pub fn status(&self) -> Status {
        let control = self.at(CONTROL_OFFSET).cast::<Control>();
        // SAFETY: the segment starts with a control block.
        unsafe { Status::read(control) }
    }

    /// Coverage of the first `count` outcomes: 0 or not.
    #[must_use]
    pub fn coverage(&self, count: usize) -> Vec<u8> {
        self.view(COVERAGE_OFFSET, count, MAX_OUTCOMES)
    }

    /// Takes outcomes for hit, or not, before runs that do not clear them. No run comes closer to any of them than they are.
    pub fn set_coverage(&mut self, marks: &[u8]) {
        let marks = &marks[..marks.len().min(MAX_OUTCOMES as usize)];
        self.write(COVERAGE_OFFSET, marks);
        self.write(DISTANCE_OFFSET, &vec![0u64; marks.len()]);
    }

    /// Distances of the first `count` outcomes.
    #[must_use]
    pub fn distances(&self, count: usize) -> Vec<u64> {
        self.view(DISTANCE_OFFSET, count, MAX_OUTCOMES)
    }

    /// How often each of the first `count` stubs was called in the last run.
    #[must_use]
    pub fn stub_calls(&self, count: usize) -> Vec<u64> {
        self.view(STUB_CALLS_OFFSET, count, MAX_STUBS)
    }

    /// Forgets the calls of the first `count` stubs.
    pub fn clear_stub_calls(&mut self, count: usize) {
        self.write(STUB_CALLS_OFFSET, &vec![0u64; count.min(MAX_STUBS as usize)]);
    }

    /// The numbers of the stubs that were called in the last run, in the order of the calls; `count` of them, or as many as
    /// there is room for.
    #[must_use]
    pub fn stub_order(&self, count: usize) -> Vec<u16> {
        self.view(STUB_ORDER_OFFSET, count, MAX_STUB_ORDER)
    }

    /// For each of the first `count` objects of the last command: 1 if the run freed it.
    #[must_use]
    pub fn freed(&self, count: usize) -> Vec<u8> {
        self.view(FREED_OFFSET, count, MAX_OBJECTS)
    }

    /// Forgets which of the first `count` objects were freed.
    pub fn clear_freed(&mut self, count: usize) {
        self.write(FREED_OFFSET, &vec![0u8; count.min(MAX_OBJECTS as usize)]);
    }

    /// Names the mutants that a command is about; nothing came of them yet.
    ///
    /// # Errors
    /// They are too many.
    pub fn set_mutants(&mut self, mutants: &[u32]) -> Result<(), OutsideSegment> {
        if mutants.len() as u64 > MAX_LISTED {
            return Err(OutsideSegment { part: "list of mutants", address: 0, length: mutants.len() as u64 });
        }
        self.write(LIST_OFFSET, mutants);
        self.write(RESULTS_OFFSET, &vec![result::UNSTABLE; mutants.len()]);
        Ok(())
    }

    /// What came of the first `count` of those mutants, each one of [`result`].
    #[must_use]
    pub fn mutant_results(&self, count: usize) -> Vec<u8> {
        self.view(RESULTS_OFFSET, count, MAX_LISTED)
    }

    /// The iterations that the last batch kept.
    #[must_use]
    pub fn kept(&self) -> Vec<Kept> {
        self.view(KEPT_OFFSET, self.status().kept_count as usize, MAX_KEPT)
    }

    /// The expression nodes of the last traced run; the one with index 0 is none.
    #[must_use]
    pub fn nodes(&self) -> Vec<Node> {
        self.view(NODES_OFFSET, self.status().node_count as usize, MAX_NODES)
    }

    /// The events of the last traced run.
    #[must_use]
    pub fn events(&self) -> Vec<Event> {
        self.view(EVENTS_OFFSET, self.status().event_count as usize, MAX_EVENTS)
    }

    /// The first `count` bytes of the area of constant tables.
    #[must_use]
    pub fn tables(&self, count: usize) -> Vec<u8> {
        self.view(TABLES_OFFSET, count, TABLES_SIZE)
    }

    /// `length` bytes of input at `address`, an address in the worker.
    ///
    /// # Errors
    /// They do not lie in the input area.
    pub fn input(&self, address: u64, length: usize) -> Result<Vec<u8>, OutsideSegment> {
        let offset = input_offset(address, length)?;
        Ok(self.view(INPUT_OFFSET + offset, length, INPUT_SIZE))
    }

    /// Writes input at `address`, an address in the worker.
    ///
    /// # Errors
    /// It does not lie in the input area.
    pub fn write_input(&mut self, address: u64, bytes: &[u8]) -> Result<(), OutsideSegment> {
        let offset = input_offset(address, bytes.len())?;
        self.write(INPUT_OFFSET + offset, bytes);
        Ok(())
    }

    /// Writes the descriptors of a command, and their counts into it.
    ///
    /// # Errors
    /// They are too many.
    pub fn write_request(&mut self, command: &mut Command, request: &Request) -> Result<(), OutsideSegment> {
        let Request { objects, leaves, draws, globals, reads, steps } = *request;
        let places = global_places(globals);
        let writes: Vec<GlobalWrite> = places
            .iter()
            .zip(globals)
            .map(|(address, (global, bytes))| GlobalWrite {
                address: *address,
                length: bytes.len() as u32,
                global: *global,
            })
            .collect();
        let looks: Vec<GlobalRead> = read_places(request)
            .into_iter()
            .zip(reads)
            .map(|(address, (global, length))| GlobalRead { address, length: *length, global: *global })
            .collect();
        let leaves_at = size_of_val(objects) as u64;
        let draws_at = leaves_at + size_of_val(leaves) as u64;
        let writes_at = draws_at + size_of_val(draws) as u64;
        let reads_at = writes_at + size_of_val(&writes[..]) as u64;
        let written: u64 = globals.iter().map(|(_, bytes)| room_of(bytes)).sum();
        let read: u64 = reads.iter().map(|(_, length)| room_for_both(*length)).sum();
        let steps_at = reads_at + size_of_val(&looks[..]) as u64;
        let length = steps_at + size_of_val(steps) as u64 + written + read;
        if length > REQUEST_SIZE {
            return Err(OutsideSegment { part: "request area", address: 0, length });
        }
        self.write(REQUEST_OFFSET, objects);
        self.write(REQUEST_OFFSET + leaves_at, leaves);
        self.write(REQUEST_OFFSET + draws_at, draws);
        self.write(REQUEST_OFFSET + writes_at, &writes);
        self.write(REQUEST_OFFSET + reads_at, &looks);
        self.write(REQUEST_OFFSET + steps_at, steps);
        for (place, (_, bytes)) in places.iter().zip(globals) {
            self.write(place - SHARED_BASE, bytes);
        }
        command.object_count = objects.len() as u32;
        command.leaf_count = leaves.len() as u32;
        command.draw_count = draws.len() as u32;
        command.global_count = writes.len() as u32;
        command.read_count = looks.len() as u32;
        command.step_count = steps.len() as u32;
        Ok(())
    }

    /// The bytes of the globals that a request asked to see, before and after the call; only after a return.
    #[must_use]
    pub fn seen(&self, request: &Request) -> Vec<(Vec<u8>, Vec<u8>)> {
        let both = |(address, (_, length)): (u64, &(u32, u32))| {
            let length = *length as usize;
            let mut before = self.view(address - SHARED_BASE, 2 * length, REQUEST_SIZE);
            let after = before.split_off(length.min(before.len()));
            (before, after)
        };
        read_places(request).into_iter().zip(request.reads).map(both).collect()
    }

    /// A copy of the first `count` values of a part that has room for `room`. Only for types made of numbers. A copy, because
    /// code under test that pretends to be done may still write: what was checked must not change afterwards.
    pub(crate) fn view<T: Plain>(&self, offset: u64, count: usize, room: u64) -> Vec<T> {
        let count = count.min(room as usize);
        let mut values: Vec<T> = Vec::with_capacity(count);
        // SAFETY: the part lies in the mapping and is aligned for its type; every bit pattern is a value, so what
        // another process writes meanwhile is one too.
        unsafe {
            values.as_mut_ptr().copy_from_nonoverlapping(self.at(offset).cast(), count);
            values.set_len(count);
        }
        values
    }

    /// Writes values at an offset; the caller has checked that they fit.
    pub(crate) fn write<T: Plain>(&mut self, offset: u64, values: &[T]) {
        let target = self.at(offset).cast::<T>();
        // SAFETY: they fit.
        unsafe { target.copy_from_nonoverlapping(values.as_ptr(), values.len()) };
    }

    fn at(&self, offset: u64) -> *mut u8 {
        debug_assert!(offset < SHARED_SIZE);
        // SAFETY: all parts lie inside the mapping.
        unsafe { self.start.as_ptr().add(offset as usize) }
    }
}

impl Drop for SharedSegment {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours and nothing refers to it.
        unsafe { libc::munmap(self.start.as_ptr().cast(), SHARED_SIZE as usize) };
    }
}

/// Types made of numbers only: every bit pattern is a value.
pub(crate) trait Plain: Copy {}
impl Plain for u8 {}
impl Plain for u16 {}
impl Plain for u32 {}
impl Plain for u64 {}
impl Plain for Kept {}
impl Plain for Node {}
impl Plain for Event {}
impl Plain for Span {}
impl Plain for Step {}
impl Plain for Leaf {}
impl Plain for Draw {}
impl Plain for GlobalWrite {}
impl Plain for GlobalRead {}
impl Plain for TargetSearch {}
impl Plain for Variable {}
impl Plain for Level {}
impl Plain for Fitness {}

fn input_offset(address: u64, length: usize) -> Result<u64, OutsideSegment> {
    let length = length as u64;
    address
        .checked_sub(INPUT_BASE)
        .filter(|offset| offset.checked_add(length).is_some_and(|end| end <= INPUT_SIZE))
        .ok_or(OutsideSegment { part: "input area", address, length })
}

/// A file that lives in memory and has no name.
pub(crate) fn memory_file(name: &CStr) -> io::Result<File> {
    // SAFETY: the name is terminated; a new descriptor is ours.
    unsafe {
        let file = libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING);
        if file < 0 { Err(io::Error::last_os_error()) } else { Ok(File::from_raw_fd(file)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_is_read_back_and_stays_inside_its_area() {
        let mut segment = SharedSegment::new().unwrap();
        let last = INPUT_BASE + INPUT_SIZE - 3;
        segment.write_input(last, b"abc").unwrap();
        assert_eq!(segment.input(last, 3).unwrap(), b"abc");
        for (address, length) in [(last, 4), (INPUT_BASE - 1, 1), (u64::MAX, 1), (0, 0)] {
            assert!(segment.input(address, length).is_err(), "{address:x} {length}");
            assert!(segment.write_input(address, &vec![0; length]).is_err(), "{address:x} {length}");
        }
    }

    #[test]
    fn a_request_that_does_not_fit_is_refused() {
        let mut segment = SharedSegment::new().unwrap();
        let mut command = Command::default();
        let objects = vec![Span::default(); REQUEST_SIZE as usize / size_of::<Span>()];
        let full = Request { objects: &objects, ..Request::default() };
        segment.write_request(&mut command, &full).unwrap();
        assert_eq!(command.object_count as usize, objects.len());
        for more in [
            Request { leaves: &[Leaf::default()], ..full },
            Request { globals: &[(0, b"x")], ..full },
            Request { globals: &[(0, &vec![0; REQUEST_SIZE as usize + 1])], ..Request::default() },
        ] {
            assert_eq!(segment.write_request(&mut command, &more).unwrap_err().part, "request area");
        }
    }

    #[test]
    fn nobody_can_shrink_the_segment() {
        let segment = SharedSegment::new().unwrap();
        assert!(segment.file.set_len(0).is_err());
    }

    #[test]
    fn what_a_command_writes_and_what_it_reads_lie_apart() {
        let (long, short) = ([1u8; 20], [2u8; 3]);
        let globals: [(u32, &[u8]); 2] = [(0, &long), (1, &short)];
        let request = Request { globals: &globals, reads: &[(2, 5), (3, 40)], ..Request::default() };
        let written = global_places(&globals).into_iter().zip(globals.map(|(_, bytes)| bytes.len() as u64));
        let read = read_places(&request).into_iter().zip([10, 80]);
        let mut spans: Vec<(u64, u64)> = written.chain(read).collect();
        spans.push((SHARED_BASE + REQUEST_OFFSET + REQUEST_SIZE, 0));
        spans.sort_unstable();
        for pair in spans.windows(2) {
            assert!(pair[0].0 + pair[0].1 <= pair[1].0, "{spans:x?}");
        }
    }

    #[test]
    fn what_was_read_is_seen_before_and_after() {
        let mut segment = SharedSegment::new().expect("a segment");
        let request = Request { reads: &[(7, 3)], ..Request::default() };
        let mut command = Command::default();
        segment.write_request(&mut command, &request).expect("it fits");
        assert_eq!(command.read_count, 1);
        segment.write(read_places(&request)[0] - SHARED_BASE, b"oldnew");
        assert_eq!(segment.seen(&request), [(b"old".to_vec(), b"new".to_vec())]);
    }
}

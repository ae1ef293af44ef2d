//! What goes with a command: the descriptors in the request area, checked and copied out of shared memory.

use testwright_abi::command::{Command, GlobalRead, GlobalWrite, Leaf, Refusal, Span};
use testwright_abi::draw::Draw;
use testwright_abi::memory::{MAX_OUTCOMES, REQUEST_OFFSET, REQUEST_SIZE, SHARED_BASE};

use crate::library::{Driver, Library};
use crate::replacements;
use crate::shared;
use crate::space::InputPages;

/// A command that makes sense, ready to run.
pub struct Request<'a> {
    pub command: Command,
    pub library: &'a Library,
    pub call: Call,
    pub objects: Vec<Span>,
    /// With absolute addresses.
    pub leaves: Vec<Leaf>,
    /// With absolute addresses.
    pub draws: Vec<Draw>,
    pub writes: Vec<Write>,
    pub reads: Vec<Read>,
}

/// What a global holds at the start of every run instead of what it held after loading.
pub struct Write {
    pub target: u64,
    pub bytes: Box<[u8]>,
    /// Where the host has put the bytes; draws that name a place there mean the global.
    source: u64,
}

/// A global that the host wants to see before and after the call.
pub struct Read {
    source: u64,
    length: usize,
    /// Where the host looks.
    place: u64,
}

/// The call of a driver.
#[derive(Clone, Copy)]
pub struct Call {
    driver: Driver,
    arguments: *mut u8,
    result: *mut u8,
}

impl Call {
    /// Calls the driver.
    ///
    /// # Safety
    /// Only inside a protected call: what happens is up to the code under test.
    #[inline]
    pub unsafe fn run(self) {
        // SAFETY: the caller vouches for the place; the driver has this type by contract.
        unsafe { (self.driver)(self.arguments, self.result) }
    }
}

impl<'a> Request<'a> {
    /// Checks the command and makes its objects accessible.
    pub fn read(command: Command, libraries: &'a [Library], pages: &mut InputPages) -> Result<Self, Refusal> {
        let library = libraries.get(command.library as usize).ok_or(Refusal::Library)?;
        let driver = library.driver(command.entry).ok_or(Refusal::Entry)?;
        library.aim_stubs();
        let counts = [
            command.object_count,
            command.leaf_count,
            command.draw_count,
            command.global_count,
            command.read_count,
        ];
        let sizes = [
            size_of::<Span>(),
            size_of::<Leaf>(),
            size_of::<Draw>(),
            size_of::<GlobalWrite>(),
            size_of::<GlobalRead>(),
        ];
        let room: u64 = counts.iter().zip(sizes).map(|(count, size)| u64::from(*count) * size as u64).sum();
        if room > REQUEST_SIZE || u64::from(command.outcome_count) > MAX_OUTCOMES {
            return Err(Refusal::Request);
        }
        let mut place = shared::request().cast_const();
        // SAFETY: the sum of the lengths was checked; all bit patterns are valid for these types, and
        // their sizes are multiples of their alignment.
        let (objects, leaves, mut draws): (Vec<Span>, Vec<Leaf>, Vec<Draw>) = unsafe {
            (
                take(&mut place, command.object_count),
                take(&mut place, command.leaf_count),
                take(&mut place, command.draw_count),
            )
        };
        // SAFETY: as above.
        let (writes, reads): (Vec<GlobalWrite>, Vec<GlobalRead>) =
            unsafe { (take(&mut place, command.global_count), take(&mut place, command.read_count)) };
        // What the last run freed is accessible again, or `pages` would be wrong about it.
        replacements::reset_all();
        if !pages.set(&objects) {
            return Err(Refusal::Object);
        }
        let leaves = leaves.into_iter().map(|leaf| library.resolve(leaf)).collect::<Result<_, _>>()?;
        let writes =
            writes.into_iter().map(|write| Write::read(write, library)).collect::<Result<Vec<_>, _>>()?;
        let reads = reads.into_iter().map(|read| Read::new(read, library)).collect::<Result<_, _>>()?;
        for draw in &mut draws {
            draw.address = redirected(&writes, draw.address);
        }
        let pointer = |address: u64| std::ptr::with_exposed_provenance_mut(address as usize);
        let call = Call { driver, arguments: pointer(command.arguments), result: pointer(command.result) };
        Ok(Request { command, library, call, objects, leaves, draws, writes, reads })
    }

    /// The place that an address of the host's means: one among the bytes of a global means the global.
    pub fn place(&self, address: u64) -> u64 {
        redirected(&self.writes, address)
    }
}

fn redirected(writes: &[Write], address: u64) -> u64 {
    writes.iter().find_map(|write| write.redirect(address)).unwrap_or(address)
}

impl Write {
    fn read(write: GlobalWrite, library: &Library) -> Result<Write, Refusal> {
        let length = u64::from(write.length);
        if !in_area(write.address, length) {
            return Err(Refusal::Object);
        }
        let target = library.global(write.global, 0, length)?;
        let source = std::ptr::with_exposed_provenance::<u8>(write.address as usize);
        // SAFETY: the bytes lie in the request area, which nothing writes to now.
        let bytes = unsafe { core::slice::from_raw_parts(source, write.length as usize) }.into();
        Ok(Write { target, bytes, source: write.address })
    }

    /// The place in the global that a place among the bytes stands for.
    fn redirect(&self, address: u64) -> Option<u64> {
        let offset = address.checked_sub(self.source)?;
        (offset < self.bytes.len() as u64).then_some(self.target + offset)
    }
}

impl Read {
    fn new(read: GlobalRead, library: &Library) -> Result<Read, Refusal> {
        let length = u64::from(read.length);
        if !in_area(read.address, 2 * length) {
            return Err(Refusal::Object);
        }
        let source = library.global(read.global, 0, length)?;
        Ok(Read { source, length: read.length as usize, place: read.address })
    }

    /// Copies the global to where the host looks for what it held before the call.
    pub fn before(&self) {
        self.copy(0);
    }

    /// Copies the global to where the host looks for what it holds after the call.
    pub fn after(&self) {
        self.copy(self.length);
    }

    fn copy(&self, offset: usize) {
        let source = std::ptr::with_exposed_provenance::<u8>(self.source as usize);
        let place = std::ptr::with_exposed_provenance_mut::<u8>(self.place as usize + offset);
        // SAFETY: both places were checked, one is a global of the library and one in the request area; no code under test
        // is running.
        unsafe { place.copy_from_nonoverlapping(source, self.length) };
    }
}

/// Whether so many bytes at an address lie in the request area.
fn in_area(address: u64, length: u64) -> bool {
    const AREA: u64 = SHARED_BASE + REQUEST_OFFSET;
    address >= AREA && address.checked_add(length).is_some_and(|end| end <= AREA + REQUEST_SIZE)
}

/// # Safety
/// `count` values must stand at `place`.
unsafe fn take<T: Copy>(place: &mut *const u8, count: u32) -> Vec<T> {
    // SAFETY: the caller vouches for it.
    unsafe {
        let values = core::slice::from_raw_parts(place.cast::<T>(), count as usize).to_vec();
        *place = place.add(count as usize * size_of::<T>());
        values
    }
}

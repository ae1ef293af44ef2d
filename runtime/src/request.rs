//! What goes with a command: the descriptors in the request area, checked and copied out of shared memory.

use std::cell::Cell;

use testwright_abi::command::{BEHIND_RESULT, Command, GlobalRead, GlobalWrite, Leaf, Refusal, Span, Step};
use testwright_abi::control::EndKind;
use testwright_abi::draw::Draw;
use testwright_abi::memory::{
    INPUT_BASE, INPUT_SIZE, MAX_OUTCOMES, REQUEST_OFFSET, REQUEST_SIZE, SHARED_BASE,
};

use crate::library::{Driver, Library};
use crate::own;
use crate::replacements::{self, heap};
use crate::shared;
use crate::space::InputPages;
use crate::{stepping, trace};

/// A text that has no end within so many bytes is not looked for further: paths have none longer, and the kernel looks no further.
const LONGEST_TEXT: usize = 4096;

/// A command that makes sense, ready to run.
pub struct Request<'a> {
    pub command: Command,
    pub library: &'a Library,
    driver: Driver,
    before: Vec<Before>,
    maps: Maps,
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
    source: Source,
    length: usize,
    /// Where the host looks.
    place: u64,
}

/// Where something is that the host wants to see.
#[derive(Clone, Copy)]
enum Source {
    /// In a global, which is here.
    Global(u64),
    /// Behind the pointer that is here after the call.
    Behind(u64),
}

/// The call under test, and what happens before it.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    before: &'a [Before],
    maps: &'a Maps,
    last: Driven,
}

/// What coverage and distances were before the calls that come before the one under test: what those do is no merit of the
/// case. As long as the maps if there are such calls, and empty otherwise.
struct Maps {
    coverage: Box<[Cell<u8>]>,
    distances: Box<[Cell<u64>]>,
    news: Cell<u64>,
}

impl Maps {
    fn new(outcomes: usize) -> Maps {
        let coverage = vec![Cell::new(0); outcomes].into();
        Maps { coverage, distances: vec![Cell::new(0); outcomes].into(), news: Cell::new(0) }
    }

    fn keep(&self) {
        // SAFETY: the maps of the segment have room for all outcomes, which was checked, and these are as long.
        unsafe {
            (self.coverage.as_ptr().cast_mut().cast::<u8>())
                .copy_from_nonoverlapping(shared::coverage(), self.coverage.len());
            (self.distances.as_ptr().cast_mut().cast::<u64>())
                .copy_from_nonoverlapping(shared::distances(), self.distances.len());
            self.news.set((*shared::control()).news);
            (&raw mut (*shared::control()).preparing).write_volatile(1);
        }
    }

    fn put_back(&self) {
        // SAFETY: as in `keep`.
        unsafe {
            shared::coverage().copy_from_nonoverlapping(self.coverage.as_ptr().cast(), self.coverage.len());
            shared::distances()
                .copy_from_nonoverlapping(self.distances.as_ptr().cast(), self.distances.len());
            (*shared::control()).news = self.news.get();
            (&raw mut (*shared::control()).preparing).write_volatile(0);
        }
    }
}

/// The call of a driver.
#[derive(Clone, Copy)]
struct Driven {
    driver: Driver,
    arguments: *mut u8,
    result: *mut u8,
}

/// What happens before the call under test.
enum Before {
    Call(Driven),
    /// What a call returned goes to where it is used.
    Copy {
        target: u64,
        source: u64,
        bytes: u64,
    },
}

impl Driven {
    fn new(driver: Driver, arguments: u64, result: u64) -> Driven {
        let pointer = |address: u64| std::ptr::with_exposed_provenance_mut(address as usize);
        Driven { driver, arguments: pointer(arguments), result: pointer(result) }
    }

    /// # Safety
    /// As [`Call::run`].
    #[inline]
    unsafe fn run(self) {
        // SAFETY: the caller vouches for the place; the driver has this type by contract.
        unsafe { (self.driver)(self.arguments, self.result) }
    }
}

impl Call<'_> {
    /// Calls the driver.
    ///
    /// # Safety
    /// Only inside a protected call: what happens is up to the code under test.
    #[inline]
    pub unsafe fn run(self) {
        // SAFETY: the caller vouches for the place.
        unsafe {
            if !self.before.is_empty() {
                self.prepare();
            }
            self.last.run();
        }
    }

    /// As [`Call::run`], and counts the instructions of the call under test.
    ///
    /// # Safety
    /// As [`Call::run`]; [`stepping::end`] must follow.
    pub unsafe fn step(self) {
        // SAFETY: the caller vouches for the place.
        unsafe {
            if !self.before.is_empty() {
                self.prepare();
            }
            stepping::call(self.last.driver, self.last.arguments, self.last.result);
        }
    }

    /// # Safety
    /// As [`Call::run`].
    #[cold]
    unsafe fn prepare(self) {
        self.maps.keep();
        for step in self.before {
            match step {
                // SAFETY: the caller vouches for the place.
                Before::Call(call) => unsafe { call.run() },
                Before::Copy { target, source, bytes } => {
                    let from = std::ptr::with_exposed_provenance::<u8>(*source as usize);
                    let to = std::ptr::with_exposed_provenance_mut::<u8>(*target as usize);
                    // SAFETY: both places were found in input objects; none of them is both.
                    unsafe { to.copy_from_nonoverlapping(from, *bytes as usize) };
                    trace::copied(*target, *source, *bytes);
                }
            }
        }
        self.maps.put_back();
    }

    /// The run was left by an escape. If that was before the call under test, nothing of it counts.
    ///
    /// # Safety
    /// The control block must be mapped, and no run under way.
    pub unsafe fn escaped(self) {
        // SAFETY: the caller vouches for it.
        unsafe {
            if !self.before.is_empty() && (*shared::control()).preparing == 1 {
                self.maps.put_back();
                (*shared::control()).end = shared::end(EndKind::Before);
            }
        }
    }
}

impl Before {
    fn read(step: Step, library: &Library, objects: &[Span]) -> Result<Before, Refusal> {
        let Step { source, target, entry, bytes } = step;
        if bytes == 0 {
            let driver = library.driver(entry).ok_or(Refusal::Entry)?;
            return Ok(Before::Call(Driven::new(driver, source, target)));
        }
        let bytes = u64::from(bytes);
        let holder = |address: u64| {
            objects.iter().position(|object| {
                let offset = address.wrapping_sub(object.address);
                offset < object.length && bytes <= object.length - offset
            })
        };
        match (holder(source), holder(target)) {
            (Some(from), Some(to)) if from != to => Ok(Before::Copy { target, source, bytes }),
            _ => Err(Refusal::Object),
        }
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
            command.step_count,
        ];
        let sizes = [
            size_of::<Span>(),
            size_of::<Leaf>(),
            size_of::<Draw>(),
            size_of::<GlobalWrite>(),
            size_of::<GlobalRead>(),
            size_of::<Step>(),
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
        // SAFETY: as above.
        let steps: Vec<Step> = unsafe { take(&mut place, command.step_count) };
        // What the last run freed is accessible again, or `pages` would be wrong about it.
        replacements::reset_all();
        if !pages.set(&objects) {
            return Err(Refusal::Object);
        }
        let leaves = leaves.into_iter().map(|leaf| library.resolve(leaf)).collect::<Result<_, _>>()?;
        let writes =
            writes.into_iter().map(|write| Write::read(write, library)).collect::<Result<Vec<_>, _>>()?;
        let reads: Vec<Read> =
            reads.into_iter().map(|read| Read::new(read, library, &command)).collect::<Result<_, _>>()?;
        for draw in &mut draws {
            draw.address = redirected(&writes, draw.address);
        }
        let maps = Maps::new(if steps.is_empty() { 0 } else { command.outcome_count as usize });
        let before =
            steps.into_iter().map(|step| Before::read(step, library, &objects)).collect::<Result<_, _>>()?;
        Ok(Request { command, library, driver, before, maps, objects, leaves, draws, writes, reads })
    }

    /// What a run calls.
    pub fn call(&self) -> Call<'_> {
        let last = Driven::new(self.driver, self.command.arguments, self.command.result);
        Call { before: &self.before, maps: &self.maps, last }
    }

    /// The global that the result points to, from there on, if it points to one.
    pub fn global_behind_result(&self) -> Option<Span> {
        let result = self.command.result;
        let holds_pointer = |object: &Span| {
            let offset = result.checked_sub(object.address);
            offset.is_some_and(|offset| offset + size_of::<u64>() as u64 <= object.length)
        };
        if result == 0 || !self.objects.iter().any(holds_pointer) {
            return None;
        }
        let result = std::ptr::with_exposed_provenance::<u64>(result as usize);
        // SAFETY: it lies in an object, which is accessible after a run that returned.
        let address = unsafe { result.read_unaligned() };
        let length = global_at(address, self.library)?;
        Some(Span { address, length })
    }

    /// Whether an object holds the arguments or the result of a call.
    pub fn is_of_driver(&self, object: &Span) -> bool {
        let holds = |address: u64| address.wrapping_sub(object.address) < object.length;
        let of_step = |step: &Before| match step {
            Before::Call(call) => holds(call.arguments.addr() as u64) || holds(call.result.addr() as u64),
            Before::Copy { .. } => false,
        };
        holds(self.command.arguments) || holds(self.command.result) || self.before.iter().any(of_step)
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
    fn new(read: GlobalRead, library: &Library, command: &Command) -> Result<Read, Refusal> {
        let length = u64::from(read.length);
        if !in_area(read.address, 2 * length) {
            return Err(Refusal::Object);
        }
        let source = match read.global {
            BEHIND_RESULT if command.result == 0 || length < 8 => return Err(Refusal::Object),
            BEHIND_RESULT => Source::Behind(command.result),
            global => Source::Global(library.global(global, 0, length)?),
        };
        Ok(Read { source, length: read.length as usize, place: read.address })
    }

    /// Where the global is, if it is one.
    pub fn global(&self) -> Option<Span> {
        match self.source {
            Source::Global(address) => Some(Span { address, length: self.length as u64 }),
            Source::Behind(_) => None,
        }
    }

    /// Copies the global to where the host looks for what it held before the call.
    pub fn before(&self) {
        if let Source::Global(source) = self.source {
            self.copy(0, source, self.length);
        }
    }

    /// Copies the global to where the host looks for what it holds after the call.
    pub fn after(&self, library: &Library) {
        match self.source {
            Source::Global(source) => self.copy(self.length, source, self.length),
            Source::Behind(result) => self.copy_behind(result, library),
        }
    }

    /// Copies how much can be read behind a pointer, and as much of that as there is room for.
    fn copy_behind(&self, result: u64, library: &Library) {
        const WORD: usize = size_of::<u64>();
        let result = std::ptr::with_exposed_provenance::<u64>(result as usize);
        // SAFETY: the result lies in an object, which is accessible after a run that returned.
        let pointer = unsafe { result.read_unaligned() };
        let readable = readable_at(pointer, library).unwrap_or(0);
        let place = std::ptr::with_exposed_provenance_mut::<u8>(self.place as usize + self.length);
        // SAFETY: there is room for a word and more, in the request area.
        unsafe { place.copy_from_nonoverlapping(readable.to_le_bytes().as_ptr(), WORD) };
        self.copy(self.length + WORD, pointer, readable.min((self.length - WORD) as u64) as usize);
    }

    fn copy(&self, offset: usize, source: u64, length: usize) {
        let source = std::ptr::with_exposed_provenance::<u8>(source as usize);
        let place = std::ptr::with_exposed_provenance_mut::<u8>(self.place as usize + offset);
        // SAFETY: both places were checked, one can be read and one lies in the request area; no code under test is
        // running.
        unsafe { place.copy_from_nonoverlapping(source, length) };
    }
}

/// How many bytes of a global are at an address and behind it.
fn global_at(address: u64, library: &Library) -> Option<u64> {
    let rest = |span: &Span| (span.address + span.length).checked_sub(address).filter(|rest| *rest > 0);
    library.globals().iter().filter(|span| span.address <= address).find_map(rest)
}

/// How many bytes can be read from an address on that code under test returned: of a live block that begins there, of a global, or of a
/// text anywhere.
fn readable_at(address: u64, library: &Library) -> Option<u64> {
    const EFAULT: i64 = -(libc::EFAULT as i64);
    if let Some(length) = heap::length_of(address) {
        return Some(length);
    }
    if let Some(length) = global_at(address, library) {
        return Some(length);
    }
    // What heap or objects hold beside that does not begin there, so nobody knows where it ends.
    let is_ours = heap::holds(address) || (INPUT_BASE..INPUT_BASE + INPUT_SIZE).contains(&address);
    // SAFETY: the kernel reads a text there, if there is one.
    if address == 0 || is_ours || unsafe { own::call(libc::SYS_access, address, 0, 0) } == EFAULT {
        return None;
    }
    // SAFETY: the kernel could read it up to its end, or for the length of the longest path.
    let length = unsafe { libc::strnlen(std::ptr::with_exposed_provenance(address as usize), LONGEST_TEXT) };
    Some(length as u64 + u64::from(length < LONGEST_TEXT))
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

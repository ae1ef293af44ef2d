//! A loaded library: its drivers, its globals and what they hold before the first run.

use core::ffi::{CStr, c_void};
use std::ffi::CString;
use std::io;
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

use testwright_abi::command::{Leaf, Refusal, Span, symbol};
use testwright_abi::memory::{MAX_STUBS, PAGE, SHARED_BASE, STUB_TABLE_OFFSET};

use crate::intact::seal;
use crate::space;

/// A driver: fetches the arguments from a block, calls the function, stores the result.
pub type Driver = unsafe extern "C" fn(arguments: *mut u8, result: *mut u8);

/// From this size on, a global that is all zero is reset by giving its pages back.
const LARGE: u64 = 16 * PAGE;

/// A library of the code under test. Everything is a sealed copy: its own data can be overwritten.
pub struct Library {
    /// The drivers; null where a function has none.
    drivers: &'static [*const ()],
    /// The globals of the subject's list and others to reset.
    globals: &'static [Span],
    /// Constant globals, from which symbolic reads may be made.
    pub tables: &'static [Span],
    /// Bits of [`testwright_abi::command::needs`].
    pub needs: u64,
    /// The addresses of the stubs that function pointers can mean.
    stubs: &'static [u64],
    snapshot: &'static [Piece],
}

/// A stretch of writable globals, and what it held after loading.
struct Piece {
    address: u64,
    length: u64,
    contents: Contents,
}

enum Contents {
    Bytes(&'static [u8]),
    /// All zero, in part on whole pages that the kernel fills with zeros when they are given back.
    Zero {
        pages: Span,
    },
}

impl Library {
    /// Loads a library; its constructors run.
    pub fn load(path: &str) -> Result<Library, String> {
        let name = CString::new(path).map_err(|_| format!("{path:?} is no file name"))?;
        // SAFETY: loading runs constructors of the code under test; memory and sandbox are ready for them.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            // SAFETY: after a failure there is a message.
            let message = unsafe { CStr::from_ptr(libc::dlerror()) };
            return Err(format!("cannot load {path}: {}", message.to_string_lossy()));
        }
        let find = |name| find(handle, name).map_err(|()| format!("{path} does not define {name}"));
        let (drivers, bytes) = find(symbol::ENTRIES)?;
        let count = |name| {
            find(name).map(|(place, _)| {
                // SAFETY: the contract makes this symbol a `u64`.
                unsafe { place.cast::<u64>().read() }
            })
        };
        let spans = |name, count_name| {
            let count = count(count_name)? as usize;
            let (first, _) = find(name)?;
            // SAFETY: the contract gives the symbol this type and length, and a library is never unloaded.
            Ok::<_, String>(unsafe { core::slice::from_raw_parts(first.cast::<Span>(), count) })
        };
        let globals = spans(symbol::GLOBALS, symbol::GLOBALS_COUNT)?;
        let tables = spans(symbol::TABLES, symbol::TABLES_COUNT)?;
        // SAFETY: the contract makes this symbol a list of pointers, and a library is never unloaded.
        let drivers = unsafe {
            core::slice::from_raw_parts(drivers.cast::<*const ()>(), bytes / size_of::<*const ()>())
        };
        let (stubs, stub_count) = (find(symbol::STUBS)?.0, count(symbol::STUBS_COUNT)?.min(MAX_STUBS));
        // SAFETY: the contract gives the symbol this type and length, and a library is never unloaded.
        let stubs = unsafe { core::slice::from_raw_parts(stubs.cast::<u64>(), stub_count as usize) };
        let needs = count(symbol::NEEDS)?;
        let sealed = || -> io::Result<Library> {
            Ok(Library {
                drivers: seal(drivers.to_vec())?,
                globals: seal(globals.to_vec())?,
                tables: seal(tables.to_vec())?,
                needs,
                stubs: seal(stubs.to_vec())?,
                snapshot: Piece::take_all(&merged(globals))?,
            })
        };
        sealed().map_err(|error| format!("cannot seal memory: {error}"))
    }

    /// The driver with this index.
    pub fn driver(&self, entry: u32) -> Option<Driver> {
        let driver = *self.drivers.get(entry as usize)?;
        // SAFETY: the contract gives all drivers this type.
        (!driver.is_null()).then(|| unsafe { core::mem::transmute::<*const (), Driver>(driver) })
    }

    /// Lets function pointers that mean a stub lead to the stubs of this library.
    pub fn aim_stubs(&self) {
        let table = with_exposed_provenance_mut::<u64>((SHARED_BASE + STUB_TABLE_OFFSET) as usize);
        // SAFETY: the table is part of the shared segment and has room for so many; nothing runs now.
        unsafe { table.copy_from_nonoverlapping(self.stubs.as_ptr(), self.stubs.len()) };
    }

    /// The globals.
    pub fn globals(&self) -> &'static [Span] {
        self.globals
    }

    /// Whether there is anything to restore.
    pub fn has_globals(&self) -> bool {
        !self.snapshot.is_empty()
    }

    /// Gives all globals the contents they had after loading.
    pub fn restore_globals(&self) {
        for piece in self.snapshot {
            piece.restore();
        }
    }

    /// The leaf with its absolute address.
    pub fn resolve(&self, leaf: Leaf) -> Result<Leaf, Refusal> {
        if leaf.global == u32::MAX {
            return Ok(leaf);
        }
        let address = self.global(leaf.global, leaf.address, leaf.bytes.into())?;
        Ok(Leaf { address, ..leaf })
    }

    /// The address of `length` bytes at an offset into a global.
    pub fn global(&self, index: u32, offset: u64, length: u64) -> Result<u64, Refusal> {
        let global = self.globals.get(index as usize).ok_or(Refusal::Object)?;
        let inside = offset.checked_add(length).is_some_and(|end| end <= global.length);
        if inside { Ok(global.address + offset) } else { Err(Refusal::Object) }
    }
}

/// Address and size of a symbol of a library.
fn find(handle: *mut c_void, name: &str) -> Result<(*const u8, usize), ()> {
    /// `RTLD_DL_SYMENT`: ask for the entry of the symbol table.
    const SYMBOL_ENTRY: i32 = 1;
    unsafe extern "C" {
        fn dladdr1(
            address: *const c_void,
            info: *mut libc::Dl_info,
            extra: *mut *mut c_void,
            flags: i32,
        ) -> i32;
    }
    let name = CString::new(name).map_err(|_| ())?;
    // SAFETY: the handle is that of a loaded library; the places for the answers are valid.
    unsafe {
        let place = libc::dlsym(handle, name.as_ptr());
        let mut info: libc::Dl_info = core::mem::zeroed();
        let mut entry = core::ptr::null_mut();
        if place.is_null()
            || dladdr1(place, &raw mut info, &raw mut entry, SYMBOL_ENTRY) == 0
            || entry.is_null()
        {
            return Err(());
        }
        Ok((place.cast_const().cast(), (*entry.cast::<libc::Elf64_Sym>()).st_size as usize))
    }
}

/// The same bytes as fewer spans: globals that touch are restored together.
fn merged(globals: &[Span]) -> Vec<Span> {
    let mut spans: Vec<Span> = globals.iter().copied().filter(|span| span.length > 0).collect();
    spans.sort_unstable_by_key(|span| span.address);
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        let end = span.address + span.length;
        match merged.last_mut() {
            Some(last) if span.address <= last.address + last.length => {
                last.length = last.length.max(end - last.address);
            }
            _ => merged.push(span),
        }
    }
    merged
}

impl Piece {
    /// What these spans hold, on sealed pages.
    fn take_all(spans: &[Span]) -> io::Result<&'static [Piece]> {
        let zero: Vec<Option<Span>> = spans.iter().map(|span| zero_pages(*span)).collect();
        let mut bytes = Vec::new();
        for (span, _) in spans.iter().zip(&zero).filter(|(_, zero)| zero.is_none()) {
            // SAFETY: the library says that its globals are there, and nothing changes them now.
            bytes.extend_from_slice(unsafe { contents(*span) });
        }
        let mut bytes = seal(bytes)?;
        let piece = |(span, zero): (&Span, Option<Span>)| {
            let contents = match zero {
                Some(pages) => Contents::Zero { pages },
                None => {
                    let own;
                    (own, bytes) = bytes.split_at(span.length as usize);
                    Contents::Bytes(own)
                }
            };
            Piece { address: span.address, length: span.length, contents }
        };
        seal(spans.iter().zip(zero).map(piece).collect())
    }

    fn restore(&self) {
        let place = |address: u64| with_exposed_provenance_mut::<u8>(address as usize);
        // SAFETY: these are writable globals, and no code under test is running.
        unsafe {
            match &self.contents {
                Contents::Bytes(bytes) => {
                    place(self.address).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
                }
                Contents::Zero { pages } => {
                    let end = pages.address + pages.length;
                    place(self.address).write_bytes(0, (pages.address - self.address) as usize);
                    space::drop_pages(pages.address, pages.length);
                    place(end).write_bytes(0, (self.address + self.length - end) as usize);
                }
            }
        }
    }
}

/// The whole pages of a large span that is all zero, and is zero again when they are given back.
fn zero_pages(span: Span) -> Option<Span> {
    let Span { address, length } = span;
    if length < LARGE || !is_zero(span) {
        return None;
    }
    let start = address.next_multiple_of(PAGE);
    let pages = Span { address: start, length: (address + length) / PAGE * PAGE - start };
    Piece { address, length, contents: Contents::Zero { pages } }.restore();
    // Pages of a file come back as they are in the file; only if that is zero too, this is right.
    if is_zero(span) {
        return Some(pages);
    }
    // SAFETY: these are writable globals, and nothing is running.
    unsafe { with_exposed_provenance_mut::<u8>(address as usize).write_bytes(0, length as usize) };
    None
}

/// # Safety
/// The span must be readable and nothing may change it while the slice lives.
unsafe fn contents<'a>(span: Span) -> &'a [u8] {
    // SAFETY: the caller vouches for it.
    unsafe {
        core::slice::from_raw_parts(with_exposed_provenance(span.address as usize), span.length as usize)
    }
}

fn is_zero(span: Span) -> bool {
    // SAFETY: the library says that its globals are there, and nothing changes them meanwhile.
    unsafe { contents(span) }.iter().all(|byte| *byte == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globals_that_touch_are_one_span_and_empty_ones_none() {
        let span = |address, length| Span { address, length };
        let merged = merged(&[span(32, 8), span(16, 0), span(8, 4), span(40, 2), span(12, 4)]);
        assert_eq!(merged, [span(8, 8), span(32, 10)]);
    }
}

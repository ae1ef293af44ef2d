//! Whether a run has left alone what later runs in the process depend on.
//!
//! Much cannot be overwritten at all: what is known of the libraries is *sealed*, on pages that nobody can write to. The writable
//! data of the worker itself is *watched*: a digest taken when the process began must be the same after each command. Left out
//! are variables that runs may change; those are set anew with every command. Globals of the subject are restored.
//! The C library keeps state of its own, which nobody watches.
//!
//! This finds accidents and blind attacks. Code that knows this file can undo what it did, or go on pretending: it falsifies results
//! of its own process, and nothing else.

use core::ffi::{c_int, c_void};
use std::io;
use std::ptr::with_exposed_provenance;

use testwright_abi::command::Span;

use crate::{quota, readable, replacements, sandbox, shared, signals, trace};

/// Copies values to pages of their own that cannot be written to.
pub fn seal<T>(values: Vec<T>) -> io::Result<&'static [T]> {
    let bytes = size_of_val(values.as_slice()).max(1);
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping disturbs nothing and is aligned for everything. The values move there, and are not dropped here.
    unsafe {
        let place = libc::mmap(core::ptr::null_mut(), bytes, access, flags, -1, 0);
        if place == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        place.cast::<T>().copy_from_nonoverlapping(values.as_ptr(), values.len());
        if libc::mprotect(place, bytes, libc::PROT_READ) < 0 {
            return Err(io::Error::last_os_error());
        }
        let count = values.len();
        core::mem::forget(values);
        Ok(core::slice::from_raw_parts(place.cast(), count))
    }
}

/// What is watched: spans of writable data, whose contents are the same after every command.
pub fn watched() -> io::Result<&'static [Span]> {
    let own = [replacements::state(), readable::state(), signals::state(), shared::state(), trace::place()];
    let mut left_out: Vec<Span> = own.into_iter().flatten().collect();
    left_out.extend([quota::state(), sandbox::state()].into_iter().flatten());
    left_out.sort_unstable_by_key(|span| span.address);
    let mut watched = Vec::new();
    for data in writable_data() {
        let mut start = data.address;
        let end = data.address + data.length;
        for hole in &left_out {
            let (from, to) = (hole.address.clamp(start, end), (hole.address + hole.length).clamp(start, end));
            watched.push(Span { address: start, length: from - start });
            start = to;
        }
        watched.push(Span { address: start, length: end - start });
    }
    watched.retain(|span| span.length > 0);
    seal(watched)
}

/// A number for the contents of these spans.
pub fn digest(spans: &[Span]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut lanes = [1u64, 2, 3, 4];
    for span in spans {
        let start = with_exposed_provenance::<u8>(span.address as usize);
        // SAFETY: these spans are data of programs that are never unloaded, and no code under test is running.
        let bytes = unsafe { core::slice::from_raw_parts(start, span.length as usize) };
        let (blocks, rest) = bytes.as_chunks::<32>();
        for block in blocks {
            let (words, _) = block.as_chunks::<8>();
            for (lane, word) in lanes.iter_mut().zip(words) {
                *lane = (*lane ^ u64::from_le_bytes(*word)).wrapping_mul(ODD).rotate_left(29);
            }
        }
        for byte in rest {
            lanes[0] = (lanes[0] ^ u64::from(*byte)).wrapping_mul(ODD).rotate_left(29);
        }
    }
    lanes.into_iter().fold(0, |sum, lane| (sum ^ lane).wrapping_mul(ODD).rotate_left(31))
}

/// The place of a value.
pub fn span_of<T>(place: *const T) -> Span {
    Span { address: place as u64, length: size_of::<T>() as u64 }
}

/// The writable segments of the worker, by ascending address.
fn writable_data() -> Vec<Span> {
    unsafe extern "C" fn note(info: *mut libc::dl_phdr_info, _: usize, found: *mut c_void) -> c_int {
        // SAFETY: the loader passes an entry with its headers, and we passed a list.
        unsafe {
            let (info, found) = (&*info, &mut *found.cast::<Vec<Span>>());
            let headers = core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
            // What the loader has made read-only lies at the start.
            let fixed = headers.iter().find(|header| header.p_type == libc::PT_GNU_RELRO);
            let fixed_end = fixed.map_or(0, |header| header.p_vaddr + header.p_memsz);
            for header in headers.iter().filter(|header| header.p_type == libc::PT_LOAD) {
                let end = header.p_vaddr + header.p_memsz;
                let start = fixed_end.clamp(header.p_vaddr, end);
                if header.p_flags & libc::PF_W != 0 {
                    found.push(Span { address: info.dlpi_addr + start, length: end - start });
                }
            }
        }
        // The program comes first; libraries are left out.
        1
    }
    let mut found: Vec<Span> = Vec::new();
    // SAFETY: the function has the type that is asked for, and gets the list.
    unsafe { libc::dl_iterate_phdr(Some(note), (&raw mut found).cast()) };
    found.sort_unstable_by_key(|span| span.address);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_depends_on_every_byte() {
        let mut bytes = [7u8; 100];
        let spans = [span_of(&raw const bytes[0]), Span { address: bytes.as_ptr() as u64 + 1, length: 99 }];
        let before = digest(&spans);
        let length = bytes.len();
        let flip = |index: usize, bytes: &mut [u8; 100]| bytes[index] ^= 1;
        for index in 0..length {
            flip(index, &mut bytes);
            assert_ne!(digest(&spans), before, "{index}");
            flip(index, &mut bytes);
        }
        assert_eq!(digest(&spans), before);
    }
}

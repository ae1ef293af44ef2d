//! Streams that are inputs: files in memory, whose content the case states.
//!
//! ```text
//! length | text               at | size | flags | content
//! what a case says            what happened since, zero before the call
//! ```
//!
//! A stream is read from its text until something is written. Then the text is copied to `content`, which has room for more,
//! and that is the file from there on. Functions that are given a `FILE *` of the C library leave it to the C library.

mod input;
mod output;
mod place;
mod rest;
mod scan;

pub use input::*;
pub use output::*;
pub use place::*;
pub use rest::*;
pub use scan::*;

/// What functions return at the end of a stream.
pub(crate) const EOF: i32 = -1;
/// How many bytes of text a case can state.
pub const TEXT: usize = 255;
/// How many bytes a file that was written to can have; what is beyond is not kept.
pub const CONTENT: usize = 4096 - 256 - 32;
/// How many bytes can be pushed back.
const PUSHED: usize = 12;
/// Where input objects lie in a worker; [`Stream::is_own`] knows streams by it.
pub const INPUT_BASE: usize = 0x7200_0000_0000;
/// How many bytes there are for input objects.
pub const INPUT_SIZE: usize = 0x400_0000;

/// A stream. `crates/base/src/stream.rs` describes the same memory as a C type.
#[repr(C)]
#[derive(Debug)]
pub struct Stream {
    /// How many bytes of `text` there are.
    pub length: u8,
    /// What the file holds before the call.
    pub text: [u8; TEXT],
    /// Where the next byte is read or written.
    pub at: u64,
    /// How long the file is, once it was written to.
    pub size: u64,
    /// Whether the end was met.
    pub end: u8,
    /// Whether it was written to.
    pub written: u8,
    /// Whether it was closed.
    pub closed: u8,
    /// How many bytes were pushed back.
    pub pushed_count: u8,
    /// Those bytes; the last one is read first.
    pub pushed: [u8; PUSHED],
    /// What the file holds, once it was written to.
    pub content: [u8; CONTENT],
}

impl Stream {
    /// Whether a stream is one of ours. One that does not exist is: using it is an error of the code under test, which is
    /// better seen here than inside of the C library.
    #[inline(never)]
    unsafe fn is_own(stream: *const Stream) -> bool {
        let address = stream as usize;
        address < 4096 || address.wrapping_sub(INPUT_BASE) < INPUT_SIZE
    }

    /// How many bytes the file has.
    unsafe fn size(stream: *const Stream) -> u64 {
        if (*stream).written != 0 { (*stream).size } else { u64::from((*stream).length) }
    }

    /// Takes the next byte, or says that there is none.
    unsafe fn get(stream: *mut Stream) -> i32 {
        let count = (*stream).pushed_count;
        if count != 0 {
            (*stream).pushed_count = count - 1;
            return i32::from(*(&raw const (*stream).pushed).cast::<u8>().add(usize::from(count - 1)));
        }
        if (*stream).end != 0 || (*stream).closed != 0 || (*stream).at >= Stream::size(stream) {
            (*stream).end = 1;
            return EOF;
        }
        let at = (*stream).at;
        (*stream).at = at + 1;
        if (*stream).written == 0 {
            return i32::from(*(&raw const (*stream).text).cast::<u8>().add(at as usize));
        }
        if at < CONTENT as u64 {
            i32::from(*(&raw const (*stream).content).cast::<u8>().add(at as usize))
        } else {
            0
        }
    }

    /// Writes a byte at the place where the stream is.
    unsafe fn put(stream: *mut Stream, byte: u8) {
        Stream::begin_writing(stream);
        let at = (*stream).at;
        while (*stream).size < at {
            let size = (*stream).size;
            Stream::set(stream, size, 0);
            (*stream).size = size + 1;
        }
        Stream::set(stream, at, byte);
        (*stream).at = at + 1;
        if (*stream).size < at + 1 {
            (*stream).size = at + 1;
        }
    }

    unsafe fn set(stream: *mut Stream, at: u64, byte: u8) {
        if at < CONTENT as u64 {
            *(&raw mut (*stream).content).cast::<u8>().add(at as usize) = byte;
        }
    }

    /// What was pushed back is forgotten, and the text becomes content.
    unsafe fn begin_writing(stream: *mut Stream) {
        Stream::forget_pushed(stream);
        if (*stream).written != 0 {
            return;
        }
        let mut copied = 0;
        while copied < u64::from((*stream).length) {
            let byte = *(&raw const (*stream).text).cast::<u8>().add(copied as usize);
            Stream::set(stream, copied, byte);
            copied += 1;
        }
        (*stream).size = copied;
        (*stream).written = 1;
    }

    /// Goes back by what was pushed back.
    unsafe fn forget_pushed(stream: *mut Stream) {
        (*stream).at = (*stream).at.saturating_sub(u64::from((*stream).pushed_count));
        (*stream).pushed_count = 0;
    }
}

//! What has little meaning for a file in memory: `fflush`, `fclose`, `fileno`, `setvbuf`.

use super::Stream;
use super::place::touch;
use crate::libc::{self, EBADF, set_errno};

/// `fflush`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_fflush(stream: *mut Stream) -> i32 {
    // Without a stream it means all of them.
    if !stream.is_null() && Stream::is_own(stream) { touch(stream) } else { libc::fflush(stream) }
}

/// `fclose`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_fclose(stream: *mut Stream) -> i32 {
    if !Stream::is_own(stream) {
        return libc::fclose(stream);
    }
    (*stream).closed = 1;
    0
}

/// `fileno`: memory has no descriptor.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_fileno(stream: *mut Stream) -> i32 {
    if !Stream::is_own(stream) {
        return libc::fileno(stream);
    }
    touch(stream);
    set_errno(EBADF);
    -1
}

/// `setvbuf`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_setvbuf(
    stream: *mut Stream,
    buffer: *mut u8,
    mode: i32,
    size: usize,
) -> i32 {
    if Stream::is_own(stream) { touch(stream) } else { libc::setvbuf(stream, buffer, mode, size) }
}

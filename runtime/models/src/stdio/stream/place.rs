//! Where a stream is: `fseek`, `ftell`, `rewind`, and whether its end was met.

use super::Stream;
use crate::libc::{self, EINVAL, set_errno};

/// `feof`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_feof(stream: *mut Stream) -> i32 {
    if Stream::is_own(stream) { i32::from((*stream).end) } else { libc::feof(stream) }
}

/// `feof_unlocked`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_feof_unlocked(stream: *mut Stream) -> i32 {
    tw_model_feof(stream)
}

/// `ferror`: memory does not fail.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_ferror(stream: *mut Stream) -> i32 {
    if Stream::is_own(stream) { touch(stream) } else { libc::ferror(stream) }
}

/// `ferror_unlocked`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_ferror_unlocked(stream: *mut Stream) -> i32 {
    tw_model_ferror(stream)
}

/// `clearerr`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_clearerr(stream: *mut Stream) {
    if Stream::is_own(stream) { (*stream).end = 0 } else { libc::clearerr(stream) }
}

/// `fseek`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_fseek(stream: *mut Stream, offset: i64, from: i32) -> i32 {
    if !Stream::is_own(stream) {
        return libc::fseek(stream, offset, from);
    }
    let base = match from {
        0 => 0,
        1 => tell(stream),
        2 => Stream::size(stream) as i64,
        _ => -1,
    };
    let place = base.wrapping_add(offset);
    if base < 0 || place < 0 {
        set_errno(EINVAL);
        return -1;
    }
    (*stream).pushed_count = 0;
    (*stream).end = 0;
    (*stream).at = place as u64;
    0
}

/// `fseeko`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_fseeko(stream: *mut Stream, offset: i64, from: i32) -> i32 {
    tw_model_fseek(stream, offset, from)
}

/// `ftell`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_ftell(stream: *mut Stream) -> i64 {
    if Stream::is_own(stream) { tell(stream) } else { libc::ftell(stream) }
}

/// `ftello`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_ftello(stream: *mut Stream) -> i64 {
    tw_model_ftell(stream)
}

/// `rewind`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_rewind(stream: *mut Stream) {
    if Stream::is_own(stream) {
        tw_model_fseek(stream, 0, 0);
    } else {
        libc::rewind(stream);
    }
}

/// Nothing, of a stream that exists.
pub(super) unsafe fn touch(stream: *mut Stream) -> i32 {
    (&raw const (*stream).closed).read_volatile();
    0
}

unsafe fn tell(stream: *const Stream) -> i64 {
    (*stream).at as i64 - i64::from((*stream).pushed_count)
}

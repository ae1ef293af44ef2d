//! Two names that change places, in one step.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Lets two files or folders change places. Whoever looks sees both before or both after it. Not every file system
/// can do that.
///
/// # Errors
/// What the system says; then nothing has changed.
pub fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    let name = |path: &Path| CString::new(path.as_os_str().as_bytes()).map_err(io::Error::other);
    let (one, other) = (name(one)?, name(other)?);
    // SAFETY: a plain system call; both names end with a zero and outlive it.
    let result = unsafe {
        libc::syscall(
            libc::SYS_renameat2,
            libc::AT_FDCWD,
            one.as_ptr(),
            libc::AT_FDCWD,
            other.as_ptr(),
            libc::RENAME_EXCHANGE,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

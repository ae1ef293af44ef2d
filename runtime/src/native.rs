//! State that native code keeps outside our reach: open files, streams, locale, environment, scratch folder.
//!
//! Only libraries that call functions we do not know can change it, so only for them it is reset.

use core::ffi::c_char;
use core::ptr::null_mut;
use std::os::fd::{IntoRawFd, RawFd};
use std::{fs, io};

use testwright_abi::command::descriptor;

use crate::observe::Digest;
use crate::own;
use crate::quota;
use crate::shared::{Single, control};

/// The worker's own files.
#[derive(Debug, Clone, Copy)]
pub struct Files {
    /// The server's line to the host; children have closed it.
    pub line: RawFd,
    output: RawFd,
    null: RawFd,
}

static FILES: Single<Files> = Single::new(Files { line: -1, output: -1, null: -1 });
static SCRATCH: Single<RawFd> = Single::new(-1);
static ENVIRONMENT: Single<*mut *mut c_char> = Single::new(null_mut());

unsafe extern "C" {
    static mut environ: *mut *mut c_char;
    static stdin: *mut libc::FILE;
}

/// Moves the files the worker was started with out of the way.
pub fn take_files() -> Result<Files, String> {
    let take = |file: RawFd, what: &str| {
        // SAFETY: plain system calls on numbers.
        let own = unsafe { libc::fcntl(file, libc::F_DUPFD_CLOEXEC, own::FIRST) };
        if own < 0 {
            return Err(format!("file {file} is not {what}: {}", io::Error::last_os_error()));
        }
        if file > libc::STDERR_FILENO {
            // SAFETY: the file was handed to us; its double is open.
            unsafe { libc::close(file) };
        }
        Ok(own)
    };
    let files = Files {
        line: take(descriptor::LINE, "the line to the host")?,
        output: take(descriptor::OUTPUT, "the output file")?,
        null: take(libc::STDIN_FILENO, "the null device")?,
    };
    FILES.write(files);
    // SAFETY: nothing changes the environment at the same time.
    ENVIRONMENT.write(unsafe { environ });
    Ok(files)
}

/// The current folder is the scratch folder: come back to it, and empty it, before every run.
pub fn remember_scratch() -> Result<(), String> {
    let folder = fs::File::open(".").map_err(|error| format!("cannot open the scratch folder: {error}"))?;
    let own = keep_aside(folder.into_raw_fd());
    SCRATCH.write(own.map_err(|error| format!("cannot keep the scratch folder open: {error}"))?);
    Ok(())
}

/// Moves a file of the worker's out of the way.
pub fn keep_aside(file: RawFd) -> io::Result<RawFd> {
    // SAFETY: plain system calls on a file of ours.
    unsafe {
        let own = libc::fcntl(file, libc::F_DUPFD_CLOEXEC, own::FIRST);
        if own < 0 {
            return Err(io::Error::last_os_error());
        }
        libc::close(file);
        Ok(own)
    }
}

/// Writes out what the code under test has printed.
pub fn flush() {
    // SAFETY: flushes all streams.
    unsafe { libc::fflush(null_mut()) };
}

/// Empties the output file.
pub fn truncate_output() {
    // SAFETY: a plain system call on a file of ours.
    unsafe { own::call(libc::SYS_ftruncate, FILES.read().output as u64, 0, 0) };
}

/// Tells the host how much was printed. Safe in a signal handler.
pub fn report_output() {
    // SAFETY: all fields of the answer may be zero; the control block is mapped.
    unsafe {
        let mut answer: libc::stat = core::mem::zeroed();
        own::call(libc::SYS_fstat, FILES.read().output as u64, (&raw mut answer) as u64, 0);
        (*control()).output_length = answer.st_size as u64;
    }
}

/// What was printed, as a number. The code under test must not be running.
pub fn output_digest() -> u64 {
    const MOST: u64 = 1 << 16;
    report_output();
    let mut digest = Digest(0);
    // SAFETY: the control block is mapped.
    let length = unsafe { (*control()).output_length };
    digest.word(length);
    let mut buffer = [0u8; 1024];
    let (file, mut place) = (FILES.read().output as u64, 0);
    // SAFETY: plain system calls on a file of ours, to whose end all writes go; the kernel writes at most the length of the buffer.
    unsafe { own::call(libc::SYS_lseek, file, 0, libc::SEEK_SET as u64) };
    while place < length.min(MOST) {
        // SAFETY: as above.
        let got = unsafe { own::call(libc::SYS_read, file, buffer.as_mut_ptr() as u64, buffer.len() as u64) };
        let Ok(got @ 1..) = usize::try_from(got) else { break };
        buffer[..got].iter().for_each(|byte| digest.word(u64::from(*byte)));
        place += got as u64;
    }
    digest.0
}

/// Undoes what native code may have changed.
pub fn reset() {
    const NO_SEED: [u16; 3] = [0; 3];
    let files = FILES.read();
    // SAFETY: plain libc calls; the constant strings are terminated, the empty signal set is valid.
    unsafe {
        own::call(libc::SYS_dup2, files.null as u64, libc::STDIN_FILENO as u64, 0);
        own::call(libc::SYS_dup2, files.output as u64, libc::STDOUT_FILENO as u64, 0);
        own::call(libc::SYS_dup2, files.output as u64, libc::STDERR_FILENO as u64, 0);
        libc::syscall(libc::SYS_close_range, libc::STDERR_FILENO + 1, own::FIRST - 1, 0);
        libc::clearerr(stdin);
        own::call(libc::SYS_fchdir, SCRATCH.read() as u64, 0, 0);
        libc::umask(0o022);
        libc::alarm(0);
        libc::setlocale(libc::LC_ALL, c"C".as_ptr());
        let mut seed = NO_SEED;
        seed48(seed.as_mut_ptr());
        environ = ENVIRONMENT.read();
        let mut none: libc::sigset_t = core::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, null_mut());
    }
    if !scratch_is_empty() {
        empty_scratch();
    }
    quota::reset();
}

unsafe extern "C" {
    fn seed48(seed: *mut u16) -> *mut u16;
}

/// Whether the scratch folder has no entries but itself and its parent.
fn scratch_is_empty() -> bool {
    /// Where the length of an entry and its name stand in it.
    const LENGTH: usize = 16;
    const NAME: usize = 19;
    let mut buffer = [0u8; 1024];
    // SAFETY: the kernel writes at most the length of the buffer.
    let filled = unsafe {
        let folder = SCRATCH.read() as u64;
        own::call(libc::SYS_lseek, folder, 0, libc::SEEK_SET as u64);
        own::call(libc::SYS_getdents64, folder, buffer.as_mut_ptr() as u64, buffer.len() as u64)
    };
    let mut entries = &buffer[..usize::try_from(filled).unwrap_or(0)];
    while entries.len() > NAME {
        let length = usize::from(u16::from_ne_bytes([entries[LENGTH], entries[LENGTH + 1]]));
        let name = &entries[NAME..length];
        if !name.starts_with(b".\0") && !name.starts_with(b"..\0") {
            return false;
        }
        entries = &entries[length..];
    }
    true
}

/// Removes everything in the scratch folder, which is the current folder; what resists stays.
fn empty_scratch() {
    for entry in fs::read_dir(".").into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            // An empty one may be closed to its owner.
            if fs::remove_dir(&path).is_err() {
                let _ = fs::remove_dir_all(path);
            }
        } else {
            let _ = fs::remove_file(path);
        }
    }
}

/// Empties the scratch folder once with something in it: the Rust library looks functions of the C library up when it first needs
/// them and keeps what it finds, which must not happen in a child that is watched.
pub fn rehearse() {
    let _ = fs::create_dir("folder");
    let _ = fs::write("folder/file", "");
    let _ = fs::write("file", "");
    empty_scratch();
}

/// Reads a message; false when the channel is broken.
pub fn read_exactly(file: RawFd, bytes: &mut [u8]) -> bool {
    // SAFETY: the kernel writes at most the length of the buffer. Messages this small are never split.
    unsafe {
        loop {
            let got = own::call(libc::SYS_read, file as u64, bytes.as_mut_ptr() as u64, bytes.len() as u64);
            if got != -i64::from(libc::EINTR) {
                return got == bytes.len() as i64;
            }
        }
    }
}

/// Writes a message; false when nobody reads it.
pub fn write_exactly(file: RawFd, bytes: &[u8]) -> bool {
    // SAFETY: the buffer is valid. Messages this small are never split.
    unsafe {
        loop {
            let put = own::call(libc::SYS_write, file as u64, bytes.as_ptr() as u64, bytes.len() as u64);
            if put != -i64::from(libc::EINTR) {
                return put == bytes.len() as i64;
            }
        }
    }
}

/// Writes a message for people to the output file.
pub fn say(message: &str) {
    // SAFETY: the buffer is valid; what does not fit is lost.
    unsafe {
        let file = FILES.read().output.max(libc::STDOUT_FILENO);
        own::call(libc::SYS_write, file as u64, message.as_ptr() as u64, message.len() as u64)
    };
}

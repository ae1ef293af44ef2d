//! The worker process from its start to the fork server.
//!
//! What it is started with, and what it answers, is described in [`testwright_abi::command`].

use std::ffi::CString;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::{env, fs, io};

use testwright_abi::command::{Reply, ReplyKind, StartFailure, descriptor, status};
use testwright_abi::confine::READ;

use crate::child::LoadedCode;
use crate::library::Library;
use crate::native::{self, Files};
use crate::replacements::heap;
use crate::shared::control;
use crate::{channel, confine, intact, sandbox, server, signals, space, table, trace};

/// The main function of `testwright-worker`.
pub fn main() -> ! {
    if confine::is_meant() {
        confine::main();
    }
    stop_randomisation();
    let files = match sandbox::limit_open_files().and_then(|()| native::take_files()) {
        Ok(files) => files,
        Err(message) => {
            native::say(&format!("testwright-worker is started by testwright only: {message}\n"));
            std::process::exit(status::FAILED)
        }
    };
    match start() {
        Ok(code) => server::serve(code, files.line),
        Err((failure, message)) => refuse(files, failure, &message),
    }
}

fn start() -> Result<LoadedCode, (StartFailure, String)> {
    let missing = |what: &str| (StartFailure::Contract, format!("no {what} is named"));
    let mut arguments = env::args_os().skip(1);
    let scratch = PathBuf::from(arguments.next().ok_or_else(|| missing("scratch folder"))?);
    let (mut libraries, mut readable) = (Vec::new(), Vec::new());
    while let Some(argument) = arguments.next() {
        if argument == READ {
            readable.push(PathBuf::from(arguments.next().ok_or_else(|| missing("file to read"))?));
        } else {
            readable.push(PathBuf::from(&argument));
            libraries.push(argument);
        }
    }
    let mut sizes = fs::File::open("/proc/self/statm").ok();
    space::map(descriptor::SHARED).map_err(|message| (StartFailure::Memory, message))?;
    trace::prepare()
        .map_err(|error| (StartFailure::Memory, format!("cannot reserve memory for tracing: {error}")))?;
    // SAFETY: the mapping stays; its file is not needed any more, and the control block is mapped.
    unsafe {
        libc::close(descriptor::SHARED);
        (*control()).table = table::filled();
        // Constructors of the libraries may count steps.
        (*control()).steps_left = i64::MAX;
    }
    signals::install();
    sandbox::enter(&scratch, &readable).map_err(|message| (StartFailure::Sandbox, message))?;
    native::remember_scratch().map_err(|message| (StartFailure::Sandbox, message))?;
    let libraries = libraries
        .iter()
        .map(|path| Library::load(&path.to_string_lossy()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|message| (StartFailure::Library, message))?;
    heap::keep_what_is_there();
    native::rehearse();
    native::flush();
    native::truncate_output();
    let mut text = String::new();
    if sizes.as_mut().is_some_and(|sizes| sizes.read_to_string(&mut text).is_ok()) {
        sandbox::remember_mapped(&text);
    }
    let sealed = intact::watched().and_then(|watched| Ok((intact::seal(libraries)?, watched)));
    let (libraries, watched) =
        sealed.map_err(|error| (StartFailure::Memory, format!("cannot seal memory: {error}")))?;
    Ok(LoadedCode { libraries, watched })
}

fn refuse(files: Files, failure: StartFailure, message: &str) -> ! {
    native::truncate_output();
    native::say(message);
    let reply = Reply { kind: ReplyKind::Failed as u32, status: failure as i32, ..Reply::default() };
    channel::announce(files.line, reply, &[]);
    std::process::exit(status::FAILED)
}

/// Starts the program anew without address randomisation, so that addresses are the same in all runs. Where that is
/// forbidden (in some containers) the worker goes on: everything it needs has a fixed place anyway.
fn stop_randomisation() {
    const ASK: libc::c_ulong = 0xffff_ffff;
    // SAFETY: plain system calls.
    let refused = unsafe {
        let now = libc::personality(ASK);
        now < 0
            || now & libc::ADDR_NO_RANDOMIZE != 0
            || libc::personality((now | libc::ADDR_NO_RANDOMIZE) as libc::c_ulong) < 0
            || libc::personality(ASK) & libc::ADDR_NO_RANDOMIZE == 0
    };
    if refused {
        return;
    }
    let arguments: Vec<CString> =
        env::args_os().filter_map(|argument| CString::new(argument.into_vec()).ok()).collect();
    let mut pointers: Vec<_> = arguments.iter().map(|argument| argument.as_ptr()).collect();
    pointers.push(core::ptr::null());
    let environment = [core::ptr::null()];
    // SAFETY: both lists are null-terminated and outlive the call, which returns only on failure.
    unsafe { libc::execve(c"/proc/self/exe".as_ptr(), pointers.as_ptr(), environment.as_ptr()) };
    native::say(&format!("cannot start anew: {}\n", io::Error::last_os_error()));
    std::process::exit(status::FAILED)
}

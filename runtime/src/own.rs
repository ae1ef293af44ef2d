//! The worker's own descriptors, out of reach of the code under test.
//!
//! They have the highest numbers. System calls on those numbers are answered with `EBADF`, as if nothing were open there,
//! unless they come from the one instruction in [`call`]. So code that closes or writes to everything it finds harms nobody.

use core::arch::naked_asm;
use std::os::fd::RawFd;

use seccompiler::sock_filter;

use crate::sandbox::MAX_OPEN;

/// The worker's own files have numbers from here on, so that the first file a run opens is number 3 as usual.
pub const FIRST: RawFd = 240;

/// System calls, and which of their arguments are descriptors.
const GUARDED: &[(i64, &[u32])] = &[
    (libc::SYS_write, &[0]),
    (libc::SYS_read, &[0]),
    (libc::SYS_close, &[0]),
    (libc::SYS_fstat, &[0]),
    (libc::SYS_lseek, &[0]),
    (libc::SYS_ioctl, &[0]),
    (libc::SYS_fcntl, &[0]),
    (libc::SYS_ftruncate, &[0]),
    (libc::SYS_pread64, &[0]),
    (libc::SYS_pwrite64, &[0]),
    (libc::SYS_readv, &[0]),
    (libc::SYS_writev, &[0]),
    (libc::SYS_preadv, &[0]),
    (libc::SYS_pwritev, &[0]),
    (libc::SYS_preadv2, &[0]),
    (libc::SYS_pwritev2, &[0]),
    (libc::SYS_dup, &[0]),
    (libc::SYS_dup2, &[0, 1]),
    (libc::SYS_dup3, &[0, 1]),
    (libc::SYS_flock, &[0]),
    (libc::SYS_fsync, &[0]),
    (libc::SYS_fdatasync, &[0]),
    (libc::SYS_fallocate, &[0]),
    (libc::SYS_getdents, &[0]),
    (libc::SYS_getdents64, &[0]),
    (libc::SYS_fchdir, &[0]),
    (libc::SYS_shutdown, &[0]),
    (libc::SYS_vmsplice, &[0]),
    (libc::SYS_sendfile, &[0, 1]),
    (libc::SYS_tee, &[0, 1]),
    (libc::SYS_splice, &[0, 2]),
    (libc::SYS_copy_file_range, &[0, 2]),
];

/// A system call on a descriptor of ours. Negative: the number of an error.
///
/// # Safety
/// As for the system call.
#[unsafe(naked)]
pub unsafe extern "C" fn call(number: i64, a: u64, b: u64, c: u64) -> i64 {
    naked_asm!("mov rax, rdi", "mov rdi, rsi", "mov rsi, rdx", "mov rdx, rcx", "syscall", "ret")
}

/// What the kernel takes for the place of the system call in [`call`]: four moves of three bytes and itself lie before it.
fn place_of_call() -> u64 {
    call as *const () as u64 + 4 * 3 + 2
}

/// Puts the descriptors out of reach, for good.
pub fn guard() -> Result<(), seccompiler::Error> {
    seccompiler::apply_filter(&program(place_of_call()))
}

/// Carries out a `close_range` that would have closed descriptors of ours too; the filter has turned it into a signal.
///
/// # Safety
/// `context` is that of the signal.
pub unsafe fn close_others(context: *mut libc::ucontext_t) -> bool {
    // SAFETY: the caller vouches for the context. Nothing is open above our own numbers.
    unsafe {
        let registers = &mut (*context).uc_mcontext.gregs;
        if registers[libc::REG_RAX as usize] != libc::SYS_close_range {
            return false;
        }
        let (first, flags) = (registers[libc::REG_RDI as usize] as u32, registers[libc::REG_RDX as usize]);
        if first < FIRST as u32 {
            libc::syscall(libc::SYS_close_range, first, FIRST - 1, flags);
        }
        registers[libc::REG_RAX as usize] = 0;
    }
    true
}

/// ```text
/// for each call:  if the number is another one, go on with the next
///                 for each descriptor: if it is ours and the instruction is not, refuse
///                 allow
/// allow
/// ```
fn program(place: u64) -> Vec<sock_filter> {
    const NUMBER: u32 = 0;
    const PLACE: u32 = 8;
    const ARGUMENTS: u32 = 16;
    let last = MAX_OPEN as u32 - 1;
    let instruction = |code: u32, jt, jf, k| sock_filter { code: code as u16, jt, jf, k };
    let load = |offset| instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, offset);
    let jump = |test: u32, k, jt, jf| instruction(libc::BPF_JMP | test | libc::BPF_K, jt, jf, k);
    let answer = |k| instruction(libc::BPF_RET | libc::BPF_K, 0, 0, k);
    let bad = libc::SECCOMP_RET_ERRNO | libc::EBADF as u32;
    let mut program = vec![load(NUMBER)];
    for (number, arguments) in GUARDED {
        let mut body = Vec::new();
        for argument in *arguments {
            body.extend([
                load(ARGUMENTS + 8 * argument),
                jump(libc::BPF_JGE, FIRST as u32, 0, 6),
                jump(libc::BPF_JGT, last, 5, 0),
                load(PLACE),
                jump(libc::BPF_JEQ, place as u32, 0, 2),
                load(PLACE + 4),
                jump(libc::BPF_JEQ, (place >> 32) as u32, 1, 0),
                answer(bad),
            ]);
        }
        body.push(answer(libc::SECCOMP_RET_ALLOW));
        program.push(jump(libc::BPF_JEQ, *number as u32, 0, body.len() as u8));
        program.extend(body);
    }
    program.extend([
        jump(libc::BPF_JEQ, libc::SYS_close_range as u32, 0, 5),
        load(ARGUMENTS + 8),
        jump(libc::BPF_JGE, FIRST as u32, 0, 3),
        load(ARGUMENTS),
        jump(libc::BPF_JGT, last, 1, 0),
        answer(libc::SECCOMP_RET_TRAP),
        answer(libc::SECCOMP_RET_ALLOW),
    ]);
    program
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_the_call_is_behind_its_instruction() {
        let behind = std::ptr::with_exposed_provenance::<[u8; 2]>(place_of_call() as usize - 2);
        // SAFETY: these are bytes of a function.
        assert_eq!(unsafe { behind.read() }, [0x0f, 0x05]);
    }
}

//! The gate: the one instruction from which calls about files go past the filter.
//!
//! The filter stops them everywhere else, so that they are noticed (`effects`), and lets them pass here, so that they
//! can be carried out then. Code that jumps here by force is not noticed; landlock holds for it all the same.

use core::arch::global_asm;

global_asm!(
    ".globl testwright_gate",
    ".hidden testwright_gate",
    ".globl testwright_gate_end",
    ".hidden testwright_gate_end",
    "testwright_gate:",
    "mov rax, rdi",
    "mov r11, rsi",
    "mov rdi, [r11]",
    "mov rsi, [r11 + 8]",
    "mov rdx, [r11 + 16]",
    "mov r10, [r11 + 24]",
    "mov r8, [r11 + 32]",
    "mov r9, [r11 + 40]",
    "syscall",
    "testwright_gate_end:",
    "ret",
);

unsafe extern "C" {
    fn testwright_gate(number: i64, arguments: *const [u64; 6]) -> i64;
    static testwright_gate_end: u8;
}

/// Makes a system call through the gate. Returns what the kernel does: negative numbers are errors. Leaves `errno` alone.
///
/// # Safety
/// As for the system call.
pub unsafe fn call(number: i64, arguments: &[u64; 6]) -> i64 {
    // SAFETY: the caller vouches for the call; the gate changes no register that a callee must preserve.
    unsafe { testwright_gate(number, arguments) }
}

/// What the kernel sees as the place of such a call: the address after the instruction.
pub fn address() -> u64 {
    (&raw const testwright_gate_end).expose_provenance() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gate_passes_all_arguments_and_the_result() {
        let place = [0u8; 8];
        let pid = [0; 6];
        // SAFETY: plain system calls; the last one writes nothing because its length is 0.
        unsafe {
            assert_eq!(call(libc::SYS_getpid, &pid), i64::from(std::process::id()));
            assert_eq!(call(libc::SYS_close, &[u64::MAX, 0, 0, 0, 0, 0]), -i64::from(libc::EBADF));
            let none = [0, place.as_ptr() as u64, 0, 0, 0, 0];
            assert_eq!(call(libc::SYS_getrandom, &[none[1], 0, 0, 0, 0, 0]), 0);
        }
        assert_eq!(place, [0; 8]);
    }
}

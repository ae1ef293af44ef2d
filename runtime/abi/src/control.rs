//! The control block: the first bytes of the shared segment.
//!
//! Instrumented code reads and writes the fields of the first group with absolute addresses
//! ([`address_of!`](crate::address_of)); worker and host use the rest.

use crate::table::Table;

/// Cells for argument handles: one per scalar leaf of the arguments of a call.
pub const ARGUMENT_CELLS: usize = 128;
/// Cells for the handles of a returned value.
pub const RESULT_CELLS: usize = 32;
/// How many variadic arguments of one call keep their handles.
pub const VARIADIC_CELLS: usize = 64;

/// The control block.
#[repr(C, align(4096))]
#[derive(Debug)]
pub struct Control {
    /// Counted down at every function entry and loop back edge; below zero the run ends.
    pub steps_left: i64,
    /// Counted up whenever an outcome is hit for the first time or a distance gets smaller.
    pub news: u64,
    /// Site of the memory access or call under way (trace build only).
    pub site: u32,
    /// 1 while a call before the one under test is under way.
    pub preparing: u32,
    /// The mutant that is selected (mutant build only), see [`crate::mutant`].
    pub mutant: u32,
    /// Keeps what follows aligned.
    pub reserved: u32,
    /// Variadic arguments of the call under way, in order; `variadic_count` of them are meant.
    pub variadic: [Variadic; VARIADIC_CELLS],
    /// How many cells of `variadic` are set; the callee's `va_start` uses them.
    pub variadic_count: u64,

    /// What instrumented code may call; filled by the worker at start.
    pub table: Table,

    /// How the run ended.
    pub end: End,
    /// Number of the command that was begun last.
    pub begun: u64,
    /// The iteration of the batch under way; after a batch, the one it would run next.
    pub iteration: u64,
    /// How many entries of the kept list are valid.
    pub kept_count: u64,
    /// Expression nodes created; handle 0 is "concrete", so nodes start at index 1.
    pub node_count: u32,
    /// Events recorded.
    pub event_count: u32,
    /// Bytes used in the tables area.
    pub tables_used: u32,
    /// Number of tables recorded in the tables area.
    pub table_count: u32,
    /// 1 when nodes, events or tables did not all fit; what is missing was made concrete.
    pub overflowed: u32,
    /// How often memory held something else than its expression says, because code that is not
    /// instrumented wrote there, or the machine computed something else, because C leaves the result
    /// undefined; the expression was dropped.
    pub stale_count: u32,
    /// Heap bytes in use at the end of the run, and the most that were in use.
    pub heap_used: u64,
    /// The most heap bytes that were in use during the run.
    pub heap_peak: u64,
    /// Bytes written to standard output and standard error during the run.
    pub output_length: u64,
    /// Landlock ABI in force in the worker; 0 when the kernel has none.
    pub landlock_abi: u32,
    /// 1 when the system call filter is in force.
    pub seccomp: u32,
    /// What the run wanted beyond its own memory: bits of [`crate::effect::Effect`].
    pub effects: u32,
    /// How many instructions the call took whose instructions were counted last.
    pub instructions: u64,
}

/// A variadic argument as the caller passes it.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Variadic {
    /// Handle of the value, 0 when concrete.
    pub handle: u32,
    /// Which register class or stack slot it travels in.
    pub class: VariadicClass,
    /// Size of the value in bytes.
    pub size: u32,
}

/// How the x86-64 calling convention passes a variadic argument.
#[repr(u32)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum VariadicClass {
    /// In a general register, or an 8-byte stack slot.
    #[default]
    Integer = 0,
    /// In a vector register, or an 8-byte stack slot.
    Float = 1,
    /// Always on the stack, 16-byte aligned (`long double`).
    Memory16 = 2,
    /// Always in an 8-byte stack slot: a piece of a struct that is passed in memory.
    Memory = 3,
}

/// How a run ended: kind and its details.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct End {
    /// One of the constants of [`EndKind`].
    pub kind: u32,
    /// Trap kind, signal number or exit code.
    pub code: i32,
    /// Site of a trap; in the trace build also of a signal. `u32::MAX` when unknown.
    pub site: u32,
    /// Keeps the address aligned.
    pub reserved: u32,
    /// Fault address of a signal.
    pub address: u64,
}

/// The kinds of [`End`].
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndKind {
    /// Nothing was run yet, or the run is under way.
    None = 0,
    /// The function returned.
    Returned = 1,
    /// A sanitizer check failed; `code` is the check's number in clang's `ubsantrap`.
    Trap = 2,
    /// A signal; `code` is its number.
    Signal = 3,
    /// `exit` and its relatives; `code` is the status.
    Exit = 4,
    /// `abort`, a failed `assert`.
    Abort = 5,
    /// The stack is used up.
    StackOverflow = 6,
    /// The step limit was reached.
    StepLimit = 7,
    /// The memory limit was reached.
    OutOfMemory = 8,
    /// `free` or `realloc` of something that is not a live allocation.
    BadFree = 9,
    /// A stated precondition does not hold for the case; the function was not called.
    Outside = 10,
    /// A call before the one under test did not return; the function was not called.
    Before = 11,
}

impl EndKind {
    /// The kind with this number.
    #[must_use]
    pub fn from_number(number: u32) -> Option<EndKind> {
        use EndKind::{
            Abort, BadFree, Before, Exit, None as Never, OutOfMemory, Outside, Returned, Signal,
            StackOverflow, StepLimit, Trap,
        };
        const ALL: [EndKind; 12] = [
            Never,
            Returned,
            Trap,
            Signal,
            Exit,
            Abort,
            StackOverflow,
            StepLimit,
            OutOfMemory,
            BadFree,
            Outside,
            Before,
        ];
        ALL.into_iter().find(|kind| *kind as u32 == number)
    }
}

/// Absolute address, in a worker, of a field of the control block.
#[macro_export]
macro_rules! address_of {
    ($($field:tt)+) => {
        $crate::memory::SHARED_BASE
            + $crate::memory::CONTROL_OFFSET
            + core::mem::offset_of!($crate::control::Control, $($field)+) as u64
    };
}

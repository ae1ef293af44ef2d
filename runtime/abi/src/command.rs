//! What host and worker tell each other, and the descriptors that go with it.
//!
//! The host starts a worker as `testwright-worker SCRATCH LIBRARY..` (`--read PATH` among them for what may be read besides) with an
//! empty environment, the open files of [`descriptor`], and the null device as standard input. There are two kinds of sockets, both of
//! whole messages:
//!
//! * the **line** between host and fork server. Only the server writes to it: one [`Reply`] for every process that it forks. `Hello`
//!   names the first one, `Died` tells how the last one ended and names the next, `Failed` says that there is none. With
//!   the first two come two descriptors: the host's end of the channel to the new process, and the process itself.
//! * a **channel** between host and that process. The host sends a [`Command`]; the process answers with a [`Reply`], `Done` or `Refused`.
//!
//! Code under test runs in the process, so it can write to its channel, but not to the line: whatever it sends costs its own
//! run, and the next process has a channel of its own. A process that dies before it reads a command resets
//! the channel; one that dies later closes it. So the host knows whether a command was begun.
//!
//! Commands have numbers that nobody can guess, and a reply with another one is not an answer. The worker ends when the line is closed.

use crate::control::End;

/// Numbers of the open files a worker is started with.
pub mod descriptor {
    /// Standard output and, doubled, standard error: the output file.
    pub const OUTPUT: i32 = 1;
    /// The memory file of the shared segment.
    pub const SHARED: i32 = 3;
    /// The server's end of the line.
    pub const LINE: i32 = 4;
}

/// Exit statuses of the processes of a worker.
pub mod status {
    /// The host is gone.
    pub const CLOSED: i32 = 95;
    /// The worker could not start; a `Failed` reply says why.
    pub const FAILED: i32 = 96;
    /// A run ended in a way the process does not survive; the control block says which.
    pub const RECORDED: i32 = 97;
    /// A signal came while no code under test was running: a fault of ours.
    pub const INTERNAL: i32 = 98;
    /// A run has damaged what later runs in the process would depend on.
    pub const DAMAGED: i32 = 99;
}

/// What the worker should do.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Command {
    /// One of [`CommandKind`].
    pub kind: u32,
    /// Which of the loaded libraries, in the order they were named at start.
    pub library: u32,
    /// Which entry of the library's table of drivers.
    pub entry: u32,
    /// 1: clear coverage and distances first.
    pub clear: u32,
    /// Address of the argument block in the worker (an input object).
    pub arguments: u64,
    /// Address of the place for the returned value (an input object), 0 if none.
    pub result: u64,
    /// Step limit of each run.
    pub steps: i64,
    /// Heap limit of each run, in bytes.
    pub heap: u64,
    /// How many [`Span`]s of input objects stand in the request area.
    pub object_count: u32,
    /// How many [`Leaf`]s follow them.
    pub leaf_count: u32,
    /// How many [`crate::draw::Draw`]s follow those.
    pub draw_count: u32,
    /// How many outcomes the library has: how much of the maps to clear.
    pub outcome_count: u32,
    /// How many [`GlobalWrite`]s follow the draws.
    pub global_count: u32,
    /// How many [`GlobalRead`]s follow those.
    pub read_count: u32,
    /// 1: every block of the heap has pages of its own, with an inaccessible one behind it.
    pub fenced: u32,
    /// How many [`Step`]s before the call follow the reads.
    pub step_count: u32,
    /// The mutant that is selected in a single run, see [`crate::mutant`].
    pub mutant: u32,
    /// Keeps what follows aligned.
    pub reserved: u32,
    /// Seed of a batch.
    pub seed: u64,
    /// First iteration of a batch.
    pub first: u64,
    /// Number of iterations of a batch.
    pub count: u64,
    /// Number of this command; the reply repeats it.
    pub number: u64,
}

impl Command {
    /// What stands for a command before the first one.
    pub const NONE: Command = Command {
        kind: 0,
        library: 0,
        entry: 0,
        clear: 0,
        arguments: 0,
        result: 0,
        steps: 0,
        heap: 0,
        object_count: 0,
        leaf_count: 0,
        draw_count: 0,
        outcome_count: 0,
        global_count: 0,
        read_count: 0,
        fenced: 0,
        step_count: 0,
        mutant: 0,
        reserved: 0,
        seed: 0,
        first: 0,
        count: 0,
        number: 0,
    };
}

/// The kinds of [`Command`].
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandKind {
    /// One run of the case that the host laid out in the input area.
    Run = 1,
    /// One run in a trace build: the leaves are symbolic.
    Trace = 2,
    /// Many runs with random draws; only the iterations that brought news are reported.
    Batch = 3,
    /// As `Batch`, but draw and call only: no reset, no check. For measuring.
    Bare = 4,
    /// `count` runs of the case as laid out, nothing kept. For measuring.
    Repeat = 5,
    /// `count` traced runs of the case as laid out. For measuring.
    RepeatTrace = 6,
    /// Moves the climber of the area of target searches on, see [`crate::target_search`].
    Climb = 7,
    /// Evaluates the rows of the area of target searches.
    Score = 8,
    /// `count` runs of the case as laid out; the instructions of the last are counted. For measuring.
    Count = 9,
    /// As `Count`, traced.
    CountTrace = 10,
    /// Tries the mutants of a list on the case as laid out, from the one with the index `first` on; `count` is the length of the
    /// list. See [`crate::mutant`].
    Mutants = 11,
}

/// A place in the worker's memory.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// First byte.
    pub address: u64,
    /// Length in bytes.
    pub length: u64,
}

/// What happens before the call under test: a call of another driver, or a copy of what one returned to where it is used.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Step {
    /// Of a call, the address of its argument block; of a copy, what is copied.
    pub source: u64,
    /// Of a call, the place for its result, 0 if none; of a copy, where to.
    pub target: u64,
    /// Of a call, which entry of the library's table of drivers.
    pub entry: u32,
    /// Of a copy, how many bytes; 0 for a call.
    pub bytes: u32,
}

/// A scalar that a traced run treats as symbolic: input number = its position in the list.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Leaf {
    /// Where it lies: in an input object, or, if `global` is not `u32::MAX`, an offset into a global.
    pub address: u64,
    /// Size in bytes, 1 to 16.
    pub bytes: u16,
    /// What it is to pointers: 0, [`Leaf::POINTER`] or [`Leaf::PLACE`].
    pub pointer: u16,
    /// Index of the global it belongs to, `u32::MAX` if none.
    pub global: u32,
}

impl Leaf {
    /// A pointer. It is symbolic where it is compared for equality; everything else takes its value as it is.
    pub const POINTER: u16 = 1;
    /// A pointer to a place in an object or to its end, which is symbolic like a number.
    pub const PLACE: u16 = 2;
}

/// A global variable that the case sets: its first `length` bytes, after the reset and before the draws of every run.
///
/// The bytes lie at the end of the request area, after all descriptors. A [`crate::draw::Draw`] whose address
/// is among them means the same byte of the global itself.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GlobalWrite {
    /// Where the bytes lie: an address in the worker, inside the request area.
    pub address: u64,
    /// How many bytes.
    pub length: u32,
    /// Index of the global.
    pub global: u32,
}

/// A global variable that the host wants to see: its first `length` bytes as they are just before the call, and after those
/// as they are when the call has returned. Batches copy nothing.
///
/// The place for them lies at the end of the request area too, below the bytes of the [`GlobalWrite`]s.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GlobalRead {
    /// Where twice `length` bytes are to be put: an address in the worker, inside the request area.
    pub address: u64,
    /// How many bytes of the global.
    pub length: u32,
    /// Index of the global, or [`BEHIND_RESULT`].
    pub global: u32,
}

/// Stands for what the result points to: how many bytes of that can be read, as eight bytes, and the first of them.
pub const BEHIND_RESULT: u32 = u32::MAX;

/// An iteration of a batch that brought news, or the first of the batch that ended in its way.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kept {
    /// The iteration; seed and iteration determine the draws.
    pub iteration: u64,
    /// How many news it brought.
    pub news: u64,
    /// How it ended.
    pub end: End,
}

/// A message of the worker; always of this size.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reply {
    /// One of [`ReplyKind`].
    pub kind: u32,
    /// `Died`: the wait status of the process. `Failed`: number of the [`StartFailure`].
    /// `Refused`: number of the [`Refusal`].
    pub status: i32,
    /// Nanoseconds the command took in the worker, where measured.
    pub nanoseconds: u64,
    /// Number of the command that is answered.
    pub number: u64,
}

/// The kinds of [`Reply`].
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyKind {
    /// The worker is ready, and its first process waits for commands.
    Hello = 1,
    /// The command was carried out; the control block says how the run ended.
    Done = 2,
    /// The process ended; the control block says how, unless it was killed. The next one waits for commands.
    Died = 3,
    /// The worker cannot start.
    Failed = 4,
    /// The command makes no sense; nothing was run.
    Refused = 5,
}

/// Why a command was refused.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// No such kind of command.
    Kind = 1,
    /// No such library.
    Library = 2,
    /// The library has no such driver.
    Entry = 3,
    /// The request area does not hold that many descriptors, or there are not that many outcomes.
    Request = 4,
    /// An object lies outside the input area, or a leaf outside its global.
    Object = 5,
}

impl Refusal {
    /// The refusal with this number.
    #[must_use]
    pub fn from_number(number: i32) -> Option<Refusal> {
        use Refusal::{Entry, Kind, Library, Object, Request};
        [Kind, Library, Entry, Request, Object].into_iter().find(|refusal| *refusal as i32 == number)
    }
}

/// Why a worker cannot start; the message stands in the output file.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartFailure {
    /// The arguments or open files are not as described above.
    Contract = 4,
    /// The address space is not as [`crate::memory`] needs it.
    Memory = 1,
    /// A library does not load.
    Library = 2,
    /// The sandbox was refused for another reason than a kernel without it.
    Sandbox = 3,
}

impl StartFailure {
    /// The failure with this number.
    #[must_use]
    pub fn from_number(number: i32) -> Option<StartFailure> {
        use StartFailure::{Contract, Library, Memory, Sandbox};
        [Contract, Memory, Library, Sandbox].into_iter().find(|failure| *failure as i32 == number)
    }
}

/// Description of a global variable, in the table `tw_globals` of a library.
pub type Global = Span;

/// What a library exports, by symbol name.
pub mod symbol {
    /// `[ptr; n]`: drivers `fn(arguments: *mut u8, result: *mut u8)`, null where a function has none.
    pub const ENTRIES: &str = "tw_entries";
    /// `[Span; n]`: every writable global, in the order of the subject's list, then others to reset.
    pub const GLOBALS: &str = "tw_globals";
    /// `u64`: how many.
    pub const GLOBALS_COUNT: &str = "tw_globals_count";
    /// `[Span; n]`: constant globals, as tables for symbolic reads.
    pub const TABLES: &str = "tw_tables";
    /// `u64`: how many.
    pub const TABLES_COUNT: &str = "tw_tables_count";
    /// `[ptr; n]`: the stubs that function pointers can mean, in the order of the subject's list; null for others.
    pub const STUBS: &str = "tw_stubs";
    /// `u64`: how many.
    pub const STUBS_COUNT: &str = "tw_stubs_count";
    /// `u64`: bits of [`super::needs`].
    pub const NEEDS: &str = "tw_needs";
}

/// What has to be reset between runs of a library, because it may be changed.
pub mod needs {
    /// The code may write to C streams: flush them after each run.
    pub const STREAMS: u64 = 1;
    /// The code may change the floating-point environment.
    pub const FLOAT_ENVIRONMENT: u64 = 2;
    /// The code may allocate.
    pub const HEAP: u64 = 4;
    /// The code calls functions that we do not know: reset everything.
    pub const UNKNOWN: u64 = 8;
}

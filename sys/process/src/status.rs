//! What the control block says after a command, copied field by field.

use testwright_abi::control::{Control, End, EndKind};

macro_rules! status {
    ($($(#[doc = $doc:literal])* $field:ident: $type:ty,)*) => {
        /// What the control block says after a command.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct Status { $($(#[doc = $doc])* pub $field: $type,)* }

        impl Status {
            /// Reads the fields that are made of numbers; the others are none of the host's business.
            ///
            /// # Safety
            /// `control` must point to a control block.
            pub(crate) unsafe fn read(control: *const Control) -> Status {
                // SAFETY: the caller vouches for the block; each field is a number or made of numbers. The
                // worker may write meanwhile when a run is under way.
                unsafe { Status { $($field: (&raw const (*control).$field).read_volatile(),)* } }
            }
        }
    };
}

status! {
    /// How the run ended.
    end: End,
    /// Number of the command that was begun last.
    begun: u64,
    /// 1 if a call before the one under test was under way.
    preparing: u32,
    /// News of the command.
    news: u64,
    /// Steps that were left.
    steps_left: i64,
    /// The iteration of the batch that was under way; after the batch, the next one.
    iteration: u64,
    /// How many iterations a batch kept.
    kept_count: u64,
    /// Expression nodes, the unused one with index 0 included.
    node_count: u32,
    /// Events recorded.
    event_count: u32,
    /// Bytes used in the tables area.
    tables_used: u32,
    /// Tables recorded there.
    table_count: u32,
    /// 1 when nodes, events or tables did not all fit.
    overflowed: u32,
    /// How often memory was changed behind the back of the trace.
    stale_count: u32,
    /// Heap bytes in use at the end of the run.
    heap_used: u64,
    /// The most heap bytes in use during the run.
    heap_peak: u64,
    /// Bytes printed during the run.
    output_length: u64,
    /// Landlock ABI in force; 0 when the kernel has none.
    landlock_abi: u32,
    /// 1 when the system call filter is in force.
    seccomp: u32,
    /// What the run wanted beyond its own memory: bits of [`testwright_abi::effect::Effect`].
    effects: u32,
    /// How many instructions the call took whose instructions were counted last.
    instructions: u64,
}

impl Status {
    /// How the run ended; `None` also for a number that is no kind.
    #[must_use]
    pub fn end_kind(&self) -> EndKind {
        EndKind::from_number(self.end.kind).unwrap_or(EndKind::None)
    }
}

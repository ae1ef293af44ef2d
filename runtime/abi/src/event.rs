//! Events: what a traced run records in order, besides expressions.

/// One recorded event, 16 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// What happened; one of [`EventKind`].
    pub kind: u16,
    /// Which way the site went (index of the outcome within the site), where that means something.
    pub outcome: u16,
    /// The site, `u32::MAX` if there is none.
    pub site: u32,
    /// Handle of the expression concerned; never 0.
    pub expr: u32,
    /// See the kind.
    pub extra: u32,
}

/// The kinds of events.
#[repr(u16)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// A conditional branch on the 1-bit `expr`; outcome 0 = true was taken, 1 = false. `extra` = the calling context:
    /// equal for equal stacks of calls, 0 in the function that the driver calls.
    Branch = 1,
    /// A switch on `expr`; the outcome is the case's index, the last one is the default. `extra` as for `Branch`.
    Switch = 2,
    /// A comparison that does not feed a branch: `expr` is 1 bit, outcome 0 = true. No constraint.
    Compare = 3,
    /// A symbolic address, pinned to its concrete value.
    Address = 4,
    /// The offset of a read from a constant table is inside the table: 1-bit `expr`, true.
    Bounds = 5,
    /// A symbolic function pointer, pinned to its concrete value.
    Callee = 6,
    /// An argument of a function that is called natively, pinned; `extra` = index of the callee.
    Native = 7,
    /// A symbolic size (of a copy, an allocation), pinned to its concrete value.
    Size = 8,
    /// An operation we have no expression for, its operand pinned; `extra` = index of the reason.
    Unsupported = 9,
    /// An input that is a pointer was used for what it leads to, or for where that lies, and not only compared for
    /// equality: it is pinned to its concrete value. Once per pointer; never flipped, because what else it could
    /// lead to is another shape of the inputs.
    Pointer = 10,
    /// Two inputs that are pointers were subtracted or put in order, so they belong to the same object: `expr` is the one
    /// that comes first if all is well, `extra` the handle of the other. No constraint.
    Related = 11,
}

impl EventKind {
    /// The kind with this number.
    #[must_use]
    pub fn from_number(number: u16) -> Option<EventKind> {
        use EventKind::{
            Address, Bounds, Branch, Callee, Compare, Native, Pointer, Related, Size, Switch, Unsupported,
        };
        [Branch, Switch, Compare, Address, Bounds, Callee, Native, Size, Unsupported, Pointer, Related]
            .into_iter()
            .find(|kind| *kind as u16 == number)
    }
}

/// How many tables a run may record.
pub const MAX_TABLES: u32 = 4096;

/// A constant table that [`crate::expr::Op::Table`] nodes refer to by number, 16 bytes.
///
/// The tables area begins with room for [`MAX_TABLES`] records, `table_count` of which are valid; the
/// bytes of the tables lie behind that.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableRecord {
    /// Where the table lies in the worker.
    pub address: u64,
    /// Its length in bytes.
    pub length: u32,
    /// Where its copy lies, from the start of the tables area.
    pub offset: u32,
}

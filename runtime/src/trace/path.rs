//! The path of a run: events in the order they happened.
//!
//! A value needs to be pinned only once in a run, so each node remembers what it was pinned as.

use std::io;

use testwright_abi::event::{Event, EventKind};
use testwright_abi::memory::MAX_NODES;

use super::counters;
use super::region;

/// The events of the run under way.
pub(super) struct Path {
    events: &'static mut [Event],
    /// By handle: bit k is set if an event of kind `Address` + k was recorded for it.
    marks: &'static mut [u8],
    /// Handles from here on have no mark.
    unmarked: usize,
}

impl Path {
    /// # Safety
    /// As for [`region::nodes`].
    pub(super) unsafe fn map() -> io::Result<Path> {
        let marks = region::reserve(MAX_NODES as usize)?;
        // SAFETY: by contract.
        let events = unsafe { region::events() };
        Ok(Path { events, marks, unmarked: 0 })
    }

    pub(super) fn clear(&mut self) {
        self.marks[..self.unmarked].fill(0);
        self.unmarked = 0;
    }

    /// Records an event about `expr`; nothing is recorded about what is concrete.
    #[inline]
    pub(super) fn record(&mut self, kind: EventKind, outcome: u32, site: u32, expr: u32, extra: u32) {
        if expr == 0 {
            return;
        }
        let count = counters::event_count();
        let Some(event) = self.events.get_mut(count as usize) else {
            counters::overflow();
            return;
        };
        // The event is complete before it is counted: a run may end at any instruction.
        *event = Event { kind: kind as u16, outcome: outcome as u16, site, expr, extra };
        counters::set_event_count(count + 1);
    }

    /// Records an event of a kind that says the same when repeated for `expr`, unless it is there already.
    #[inline]
    pub(super) fn record_once(&mut self, kind: EventKind, site: u32, expr: u32, extra: u32) {
        let Some(bit) = (kind as u16).checked_sub(EventKind::Address as u16) else { return };
        if expr == 0 {
            return;
        }
        let bit = 1u8 << bit;
        let mark = &mut self.marks[expr as usize];
        if *mark & bit == 0 {
            *mark |= bit;
            self.unmarked = self.unmarked.max(expr as usize + 1);
            self.record(kind, 0, site, expr, extra);
        }
    }
}

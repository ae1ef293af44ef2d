//! Reads from constant tables with a symbolic index.
//!
//! The first such read in a run copies the table to the tables area, where a
//! [`TableRecord`] tells the host about it. The read becomes a `Table` node on the offset, and
//! the path gets the condition that the offset stays inside. Elsewhere a symbolic address is pinned.

use testwright_abi::command::Span;
use testwright_abi::event::{EventKind, TableRecord};

use super::Trace;
use super::counters;
use super::region;
use super::term::Term;
use super::word::Word;

/// The largest table, in bytes, that becomes part of expressions.
const MAX_LENGTH: u64 = 4096;

/// A constant global of the library.
struct Table {
    span: Span,
    /// The run that copied it last.
    run: u64,
    /// Its number in that run.
    number: u32,
}

/// The constant tables of the library under test.
pub(super) struct Tables {
    records: &'static mut [TableRecord],
    /// The part of the tables area behind the records.
    bytes: &'static mut [u8],
    /// In the order of their addresses.
    tables: Vec<Table>,
    run: u64,
}

impl Tables {
    /// # Safety
    /// As for [`region::nodes`].
    pub(super) unsafe fn map() -> Tables {
        // SAFETY: by contract.
        let (records, bytes) = unsafe { region::tables() };
        Tables { records, bytes, tables: Vec::new(), run: 0 }
    }

    pub(super) fn set(&mut self, spans: &[Span]) {
        let usable = spans.iter().filter(|span| (1..=MAX_LENGTH).contains(&span.length));
        self.tables = usable.map(|&span| Table { span, run: 0, number: 0 }).collect();
        self.tables.sort_by_key(|table| table.span.address);
    }

    pub(super) fn clear(&mut self) {
        self.run += 1;
    }

    /// Number and place of the table that holds these bytes, copied if need be.
    fn find(&mut self, address: u64, bytes: u32) -> Option<(u32, Span)> {
        let index = self.tables.partition_point(|table| table.span.address <= address).checked_sub(1)?;
        let span = self.tables[index].span;
        if address - span.address + u64::from(bytes) > span.length {
            return None;
        }
        if self.tables[index].run != self.run {
            self.tables[index].number = self.enter(span)?;
            self.tables[index].run = self.run;
        }
        Some((self.tables[index].number, span))
    }

    /// Copies a table; none if it does not fit.
    fn enter(&mut self, span: Span) -> Option<u32> {
        let number = counters::table_count();
        let head = size_of_val(self.records);
        let start = (counters::tables_used() as usize).saturating_sub(head);
        let length = span.length as usize;
        let (Some(record), Some(copy)) =
            (self.records.get_mut(number as usize), self.bytes.get_mut(start..start + length))
        else {
            counters::overflow();
            return None;
        };
        // SAFETY: the library exports the span of a constant global, which nobody writes.
        copy.copy_from_slice(unsafe { core::slice::from_raw_parts(span.address as *const u8, length) });
        *record = TableRecord { address: span.address, length: length as u32, offset: (head + start) as u32 };
        counters::set_tables_used((head + start + length).next_multiple_of(16) as u32);
        counters::set_table_count(number + 1);
        Some(number)
    }
}

impl Trace {
    /// The expression read through the symbolic `pointer`, if from a table; otherwise the pointer is pinned.
    pub(super) fn table_load<W: Word>(
        &mut self,
        site: u32,
        pointer: u32,
        address: u64,
        bytes: u32,
        value: W,
    ) -> Option<u32> {
        let Some((number, span)) = self.tables.find(address, bytes) else {
            self.path.record_once(EventKind::Address, site, pointer, 0);
            return None;
        };
        let pointer = self.arena.given(pointer, address, 64);
        let offset = self.arena.sub(pointer, Term::constant(span.address, 64));
        let last = Term::constant(span.length - u64::from(bytes), 64);
        let inside = self.arena.ule(offset, last);
        if !inside.is_constant() {
            self.path.record_once(EventKind::Bounds, site, inside.handle(), 0);
        }
        if offset.is_constant() {
            return Some(0);
        }
        Some(self.arena.table_read(number, offset, 8 * bytes as u16, value).handle())
    }
}

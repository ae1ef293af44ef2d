//! Memory accesses of the code under test: expressions go to memory and come back.
//!
//! A load puts together what the taint of its bytes says. Code that is not instrumented may have
//! written there since: then the bytes differ from the value of their expression, and the
//! expression is dropped.

use testwright_abi::event::EventKind;

use super::Trace;
use super::arena::Arena;
use super::counters;
use super::shadow::{self, WHOLE};
use super::term::Term;
use super::word::Word;

/// How many bytes from a pointer on count as what code that is not traced reads; more than a `struct tm` and most texts.
const GIVEN: u64 = 256;

impl Trace {
    /// Handle of the `bytes` bytes at `address` that were just loaded as `value`.
    #[inline]
    pub(super) fn load<W: Word>(
        &mut self,
        site: u32,
        pointer: u32,
        address: u64,
        bytes: u32,
        value: W,
    ) -> u32 {
        if pointer != 0
            && let Some(handle) = self.table_load(site, pointer, address, bytes, value)
        {
            return handle;
        }
        let taint = shadow::taint_of(address, bytes);
        if taint == 0 {
            return 0;
        }
        let width = 8 * bytes as u16;
        if taint == WHOLE & u128::mask(width) {
            let handle = shadow::handle_of(address);
            let node = self.arena.node(handle);
            let same = (1..u64::from(bytes)).all(|i| shadow::handle_of(address + i) == handle);
            if same && node.width == width && W::low(node.value) == value & W::mask(width) {
                return handle;
            }
        }
        self.arena.assemble(address, bytes, value.into(), taint).handle()
    }

    /// Code that is not traced may read at `address`. Nobody knows how far: what is near counts.
    pub(super) fn given(&mut self, site: u32, address: u64, callee: u32) {
        for address in address..address.saturating_add(GIVEN) {
            if shadow::taint_of(address, 1) != 0 {
                let handle = self.arena.unless_pointer(shadow::handle_of(address));
                self.path.record_once(EventKind::Native, site, handle, callee);
            }
        }
    }

    /// The `bytes` bytes at `address` now hold the value of `handle`, or something concrete.
    #[inline]
    pub(super) fn store(&mut self, handle: u32, address: u64, bytes: u32) {
        let handle = if handle == 0 { 0 } else { self.arena.resized(handle, 8 * bytes as u16) };
        if handle == 0 {
            shadow::clear(address, bytes.into());
        } else {
            self.shadow.set(address, bytes, handle);
        }
    }

    /// `bytes` bytes are about to be copied from `source` to `target`.
    pub(super) fn copy(&mut self, target: u64, source: u64, bytes: u64) {
        if bytes == 0 || target == source {
            return;
        }
        probe(source, bytes);
        probe(target, bytes);
        self.shadow.copy(target, source, bytes);
    }

    /// `bytes` bytes at `target` are about to be set to the 8-bit `handle`, or something concrete.
    pub(super) fn fill(&mut self, target: u64, handle: u32, bytes: u64) {
        if bytes == 0 {
            return;
        }
        probe(target, bytes);
        let handle = if handle == 0 { 0 } else { self.arena.resized(handle, 8) };
        if handle == 0 {
            shadow::clear(target, bytes);
        } else {
            self.shadow.fill(target, bytes, handle);
        }
    }
}

impl Arena {
    /// The expression cut or zero-extended to `width`.
    #[inline]
    fn resized(&mut self, handle: u32, width: u16) -> u32 {
        if self.node(handle).width == width {
            return handle;
        }
        let term = self.term::<u128>(handle);
        let fits = term.width() <= width;
        if fits { self.zext(term, width) } else { self.extract(term, 0, width) }.handle()
    }

    /// Puts together loaded bytes that are not one whole expression.
    fn assemble(&mut self, address: u64, bytes: u32, value: u128, taint: u128) -> Term<u128> {
        let taint = taint.to_le_bytes();
        let mut result = Term::NONE;
        let mut start = 0;
        while start < bytes {
            let end = piece_end(address, start, bytes, &taint);
            let loaded = Term::constant(value >> (8 * start), 8 * (end - start) as u16);
            let piece = self.piece(address, start, taint[start as usize], loaded);
            result = if start == 0 { piece } else { self.concat(piece, result) };
            start = end;
        }
        result
    }

    /// The piece whose first byte is byte `start` of the load, with this taint; `loaded` is its value.
    fn piece(&mut self, address: u64, start: u32, taint: u8, loaded: Term<u128>) -> Term<u128> {
        if taint == 0 {
            return loaded;
        }
        let at = address + u64::from(start);
        let term = self.term::<u128>(shadow::handle_of(at));
        let low = 8 * (u16::from(taint) - 1);
        let inside = low + loaded.width() <= term.width();
        if inside && term.value >> low & u128::mask(loaded.width()) == loaded.value {
            return self.extract(term, low, loaded.width());
        }
        counters::stale();
        shadow::clear(at, u64::from(loaded.width() / 8));
        loaded
    }
}

/// Where the piece that begins at byte `start` ends: concrete bytes, or neighbours in one expression.
fn piece_end(address: u64, start: u32, bytes: u32, taint: &[u8; 16]) -> u32 {
    let first = taint[start as usize];
    let handle = if first == 0 { 0 } else { shadow::handle_of(address + u64::from(start)) };
    let mut end = start + 1;
    while end < bytes {
        let next = taint[end as usize];
        let joins = if first == 0 {
            next == 0
        } else {
            u32::from(next) == u32::from(first) + end - start
                && shadow::handle_of(address + u64::from(end)) == handle
        };
        if !joins {
            break;
        }
        end += 1;
    }
    end
}

/// Reads the last byte of a long range, as the code under test is about to do.
///
/// A length that went wrong would otherwise make us walk gigabytes of taint before the copy faults.
fn probe(address: u64, length: u64) {
    const LONG: u64 = 1 << 16;
    if length >= LONG {
        let last = address.wrapping_add(length - 1);
        // SAFETY: if this faults, so would the access of the code under test that follows, and the
        // worker's signal handler ends the run in the same way.
        unsafe { core::ptr::read_volatile(last as *const u8) };
    }
}

//! What symbolic fitness may read: its path conditions load from addresses that the program has not checked yet.

use std::arch::asm;

use testwright_abi::command::Span;
use testwright_abi::fitness::{MAX_CONDITIONS, over_paths};
use testwright_abi::memory::{HEAP_BASE, STACK_TOP};
use testwright_abi::target_search::{MAX_NODES, MAX_WORDS};

use crate::intact::span_of;
use crate::replacements::heap;
use crate::request::Request;
use crate::shared::{self, Single, target_search};

/// Input objects, globals and tables of the C library, by ascending address; those that overlap or touch are one.
static SPANS: Single<Vec<Span>> = Single::new(Vec::new());

/// Room to compute in.
static KNOWN: Single<[u128; MAX_CONDITIONS]> = Single::new([0; MAX_CONDITIONS]);

/// Where they lie.
pub fn state() -> Vec<Span> {
    vec![span_of(SPANS.get()), span_of(KNOWN.get())]
}

/// From now on the objects of this request and the globals of its library can be read.
pub fn set(request: &Request) {
    let library = request.library;
    let globals = library.globals().iter().chain(library.tables);
    let mut spans: Vec<Span> = request.objects.iter().chain(globals).copied().collect();
    spans.extend(character_tables());
    spans.retain(|span| span.length > 0);
    spans.sort_unstable_by_key(|span| span.address);
    spans.dedup_by(|next, span| {
        let touches = next.address <= span.address + span.length;
        if touches {
            span.length = span.length.max(next.address + next.length - span.address);
        }
        touches
    });
    // SAFETY: nothing else refers to the list: the functions below keep no reference.
    unsafe { *SPANS.get() = spans };
}

unsafe extern "C" {
    safe fn __ctype_b_loc() -> *const *const u16;
    safe fn __ctype_tolower_loc() -> *const *const i32;
    safe fn __ctype_toupper_loc() -> *const *const i32;
}

/// Where `isdigit`, `tolower` and the like look characters up: pointers to the entries of 0 in tables from -128 to 255.
fn character_tables() -> [Span; 6] {
    let of = |place: *const *const u8, entry: u64| {
        // SAFETY: the C library returns a valid pointer to a pointer.
        let zero = unsafe { *place } as u64;
        let pointer = Span { address: place as u64, length: size_of::<*const u8>() as u64 };
        [pointer, Span { address: zero - 128 * entry, length: 384 * entry }]
    };
    let [a, b] = of(__ctype_b_loc().cast(), 2);
    let [c, d] = of(__ctype_tolower_loc().cast(), 4);
    let [e, f] = of(__ctype_toupper_loc().cast(), 4);
    [a, b, c, d, e, f]
}

/// 1 if `bytes` bytes at `address` can be read.
///
/// # Safety
/// None is needed; the table of functions asks for the type.
pub unsafe extern "C" fn is_readable(address: u64, bytes: u64) -> u32 {
    let Some(end) = address.checked_add(bytes) else { return 0 };
    let stack_pointer: u64;
    // SAFETY: reads a register.
    unsafe { asm!("mov {}, rsp", out(reg) stack_pointer, options(nomem, nostack, preserves_flags)) };
    if (stack_pointer..STACK_TOP).contains(&address) {
        return u32::from(end <= STACK_TOP);
    }
    if address >= HEAP_BASE && end <= heap::top() {
        return 1;
    }
    // SAFETY: the list is changed only between commands.
    let spans = unsafe { &*SPANS.get() };
    let after = spans.partition_point(|span| span.address <= address);
    let inside = after > 0 && end <= spans[after - 1].address + spans[after - 1].length;
    u32::from(inside)
}

/// The run has come to a node of the target; its path conditions have these distances.
///
/// # Safety
/// Only instrumented code calls it, after it has filled the distance cells.
pub unsafe extern "C" fn path_distance(node: u32) {
    // SAFETY: the area of target searches is mapped; places in it are checked before they are used. No other reference is alive
    // while code under test runs.
    unsafe {
        let search = target_search();
        if node >= (*search).node_count || u64::from((*search).node_count) > MAX_NODES {
            return;
        }
        let start = shared::search_nodes().add(node as usize).read();
        let end = shared::search_nodes().add(node as usize + 1).read();
        if start > end || u64::from(end) > MAX_WORDS {
            return;
        }
        let words = core::slice::from_raw_parts(shared::words().add(start as usize), (end - start) as usize);
        let distance = |index: usize| shared::cells().add(index).read();
        (*search).fitness = over_paths(words, distance, &mut *KNOWN.get(), (*search).fitness);
    }
}

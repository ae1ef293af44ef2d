//! Tests of tracing, through the functions that instrumented code calls.

use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use testwright_abi::command::Leaf;
use testwright_abi::control::Control;
use testwright_abi::event::Event;
use testwright_abi::expr::{Node, Op, OpCode};
use testwright_abi::memory::{
    EVENTS_OFFSET, HANDLE_BASE, HANDLE_SIZE, INPUT_BASE, NODES_OFFSET, SHARED_BASE, SHARED_SIZE, TAINT_RANGES,
};
use testwright_abi::table::{Function, Type};

use super::{begin, functions};

mod evaluate;
mod expressions;
mod limits;
mod memory;
mod path;
mod rules;
mod speed;
mod tables;
mod variadic;

/// Bytes that tests may use as the memory of a subject, from [`MEMORY`].
const MEMORY_SIZE: u64 = 0x10_0000;
const MEMORY: u64 = INPUT_BASE;

/// The address space of a worker; tests take turns in it.
fn worker() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    static MAP: Once = Once::new();
    let guard = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    MAP.call_once(|| {
        map(SHARED_BASE, SHARED_SIZE);
        map(HANDLE_BASE, HANDLE_SIZE);
        map(MEMORY, MEMORY_SIZE);
        for (low, high) in TAINT_RANGES {
            map(low, high - low);
        }
    });
    guard
}

fn map(address: u64, length: u64) {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: NOREPLACE keeps what is mapped already.
    let result = unsafe { libc::mmap(address as *mut libc::c_void, length as usize, access, flags, -1, 0) };
    assert_ne!(result, libc::MAP_FAILED, "{address:x}: {}", std::io::Error::last_os_error());
}

fn control() -> &'static mut Control {
    // SAFETY: mapped by `worker`, whose guard every test holds; the reference is used at once.
    unsafe { &mut *(SHARED_BASE as *mut Control) }
}

fn node(handle: u32) -> Node {
    assert!(handle != 0 && handle < control().node_count, "no node {handle}");
    // SAFETY: the node exists.
    unsafe { *((SHARED_BASE + NODES_OFFSET) as *const Node).add(handle as usize) }
}

fn events() -> Vec<Event> {
    // SAFETY: so many events were recorded.
    unsafe {
        let first = (SHARED_BASE + EVENTS_OFFSET) as *const Event;
        core::slice::from_raw_parts(first, control().event_count as usize).to_vec()
    }
}

fn poke(address: u64, bytes: &[u8]) {
    assert!(address >= MEMORY && address + bytes.len() as u64 <= MEMORY + MEMORY_SIZE);
    // SAFETY: inside the memory that tests may use.
    unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, bytes.len()) };
}

fn peek(address: u64, bytes: u32) -> u128 {
    let mut value = [0; 16];
    // SAFETY: tests name addresses they mapped, and at most 16 bytes are copied.
    unsafe { core::ptr::copy_nonoverlapping(address as *const u8, value.as_mut_ptr(), bytes as usize) };
    u128::from_le_bytes(value)
}

/// Begins a run with one symbolic input per (size in bytes, value); returns their handles.
fn inputs(list: &[(u32, u128)]) -> Vec<u32> {
    let leaves: Vec<Leaf> =
        list.iter().enumerate().map(|(i, &(bytes, _))| leaf(16 * i as u64, bytes as u16)).collect();
    for (leaf, (bytes, value)) in leaves.iter().zip(list) {
        poke(leaf.address, &value.to_le_bytes()[..*bytes as usize]);
    }
    begin(&leaves);
    leaves.iter().map(|leaf| load(0, leaf.address, leaf.bytes.into())).collect()
}

fn leaf(offset: u64, bytes: u16) -> Leaf {
    Leaf { address: MEMORY + offset, bytes, pointer: 0, global: u32::MAX }
}

/// A load of what is in memory.
fn load(pointer: u32, address: u64, bytes: u32) -> u32 {
    let value = peek(address, bytes);
    // SAFETY: the test holds the turn.
    unsafe {
        if bytes > 8 {
            functions::load_wide(7, pointer, address, bytes, value)
        } else {
            functions::load(7, pointer, address, bytes, value as u64)
        }
    }
}

fn store(handle: u32, address: u64, bytes: u32) {
    // SAFETY: the test holds the turn.
    unsafe { functions::store(handle, address, bytes) };
}

/// An operand: a handle, and the value it has in the run.
type Operand = (u32, u128);

/// `op(x, y)` as instrumented code would do it.
fn binary(op: Op, result_width: u32, width: u32, x: Operand, y: Operand, result: u128) -> u32 {
    let code = OpCode { op, result: result_width, operand: width }.pack();
    // SAFETY: the test holds the turn.
    unsafe {
        if width > 64 || result_width > 64 {
            functions::binary_wide(code, x.0, y.0, x.1, y.1, result)
        } else {
            functions::binary(code, x.0, y.0, x.1 as u64, y.1 as u64, result as u64)
        }
    }
}

fn unary(op: Op, result_width: u32, width: u32, x: u32, low: u32, result: u128) -> u32 {
    let code = OpCode { op, result: result_width, operand: width }.pack();
    // SAFETY: the test holds the turn.
    unsafe {
        if result_width > 64 {
            functions::unary_wide(code, x, low, result)
        } else {
            functions::unary(code, x, low, result as u64)
        }
    }
}

fn select(width: u32, condition: Operand, x: Operand, y: Operand) -> u32 {
    let taken = condition.1 as u32;
    // SAFETY: the test holds the turn.
    unsafe {
        if width > 64 {
            functions::select_wide(width, condition.0, taken, x.0, y.0, x.1, y.1)
        } else {
            functions::select(width, condition.0, taken, x.0, y.0, x.1 as u64, y.1 as u64)
        }
    }
}

#[test]
fn the_functions_have_the_types_that_the_table_declares() {
    macro_rules! check {
        ($($name:ident($($param:ident: $type:ty),*) $(-> $result:ty)?;)*) => {$(
            let _: unsafe extern "C" fn($($type),*) $(-> $result)? = functions::$name;
            let declared = Function::named(stringify!($name)).expect(stringify!($name));
            let sizes: Vec<usize> = vec![$(size_of::<$type>()),*];
            let wanted: Vec<usize> = declared.params.iter().map(|param| size_of_type(*param)).collect();
            assert_eq!(sizes, wanted, stringify!($name));
        )*};
    }
    check! {
        binary(code: u32, a: u32, b: u32, x: u64, y: u64, result: u64) -> u32;
        binary_wide(code: u32, a: u32, b: u32, x: u128, y: u128, result: u128) -> u32;
        unary(code: u32, a: u32, extra: u32, result: u64) -> u32;
        unary_wide(code: u32, a: u32, extra: u32, result: u128) -> u32;
        ternary(code: u32, a: u32, b: u32, c: u32, x: u64, y: u64, z: u64, result: u64) -> u32;
        select(width: u32, condition: u32, taken: u32, a: u32, b: u32, x: u64, y: u64) -> u32;
        select_wide(width: u32, condition: u32, taken: u32, a: u32, b: u32, x: u128, y: u128) -> u32;
        element(a: u32, b: u32, x: u64, y: u64, scale: u64) -> u32;
        apply(function: u32, a: u32, b: u32, c: u32, x: u64, y: u64, z: u64, result: u64) -> u32;
        load(site: u32, pointer: u32, address: u64, bytes: u32, value: u64) -> u32;
        load_wide(site: u32, pointer: u32, address: u64, bytes: u32, value: u128) -> u32;
        store(handle: u32, address: u64, bytes: u32);
        copy(target: u64, source: u64, bytes: u64);
        fill(target: u64, handle: u32, bytes: u64);
        branch(site: u32, handle: u32, taken: u32, context: u32);
        switch(site: u32, handle: u32, outcome: u32, context: u32);
        compare(site: u32, handle: u32, taken: u32);
        pin(kind: u32, site: u32, handle: u32, extra: u32);
        variadic(list: u64);
    }
}

fn size_of_type(type_: Type) -> usize {
    match type_ {
        Type::U32 => 4,
        Type::U64 => 8,
        Type::U128 => 16,
        Type::Unit | Type::Never => 0,
    }
}

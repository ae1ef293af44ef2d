//! Variadic arguments are found where the calling convention puts them.

use testwright_abi::control::{Variadic, VariadicClass};

use super::{MEMORY, control, inputs, load, poke, store, worker};
use crate::trace::functions;

const LIST: u64 = MEMORY + 0x5000;
const SAVED: u64 = MEMORY + 0x5100;
const STACK: u64 = MEMORY + 0x5208;

fn start(general: u32, vector: u32, arguments: &[(u32, VariadicClass, u32)]) {
    let mut list = Vec::new();
    list.extend(general.to_le_bytes());
    list.extend(vector.to_le_bytes());
    list.extend(STACK.to_le_bytes());
    list.extend(SAVED.to_le_bytes());
    poke(LIST, &list);
    control().variadic_count = arguments.len() as u64;
    for (cell, &(handle, class, size)) in control().variadic.iter_mut().zip(arguments) {
        *cell = Variadic { handle, class, size };
    }
    // SAFETY: the test holds the turn, and the list is complete.
    unsafe { functions::variadic(LIST) };
}

/// The handle of a slot that holds `value`.
fn slot(address: u64, bytes: u32, value: u128) -> u32 {
    poke(address, &value.to_le_bytes()[..bytes as usize]);
    load(0, address, bytes)
}

#[test]
fn registers_come_first_and_then_the_stack() {
    let _turn = worker();
    let x = inputs(&[(8, 11), (8, 22), (4, 33), (16, 44)]);
    let (integer, float, memory) = (VariadicClass::Integer, VariadicClass::Float, VariadicClass::Memory16);
    store(x[0], STACK + 8, 8);
    let arguments = [
        (x[0], integer, 8),
        (x[2], integer, 4),
        (x[1], float, 8),
        (x[0], integer, 8),
        (0, integer, 8),
        (x[3], memory, 16),
        (x[1], float, 8),
        (x[2], integer, 4),
    ];
    start(32, 160, &arguments);
    assert_eq!(slot(SAVED + 32, 8, 11), x[0]);
    assert_eq!(slot(SAVED + 40, 4, 33), x[2]);
    assert_eq!(slot(SAVED + 44, 4, 0), 0, "the rest of a slot is concrete");
    assert_eq!(slot(SAVED + 160, 8, 22), x[1]);
    assert_eq!(slot(STACK, 8, 11), x[0]);
    assert_eq!(slot(STACK + 8, 8, 11), 0, "a concrete argument replaces what was there");
    assert_eq!(slot(STACK + 24, 16, 44), x[3], "aligned to 16");
    assert_eq!(slot(STACK + 40, 8, 22), x[1]);
    assert_eq!(slot(STACK + 48, 4, 33), x[2]);
    assert_eq!(control().stale_count, 0);
}

#[test]
fn a_wide_integer_needs_two_registers_or_an_aligned_slot() {
    let _turn = worker();
    let x = inputs(&[(16, 11), (8, 22)]);
    let integer = VariadicClass::Integer;
    start(24, 176, &[(x[0], integer, 16), (x[0], integer, 16), (x[1], integer, 8)]);
    assert_eq!(slot(SAVED + 24, 16, 11), x[0]);
    assert_eq!(slot(STACK + 8, 16, 11), x[0]);
    assert_eq!(slot(SAVED + 40, 8, 22), x[1], "the register left over is used later");
}

#[test]
fn pieces_of_a_struct_in_memory_take_no_register() {
    let _turn = worker();
    let x = inputs(&[(8, 11), (8, 22), (4, 33)]);
    let (integer, memory) = (VariadicClass::Integer, VariadicClass::Memory);
    start(0, 48, &[(x[0], memory, 8), (0, memory, 8), (x[2], memory, 4), (x[1], integer, 8)]);
    assert_eq!(slot(STACK, 8, 11), x[0]);
    assert_eq!(slot(STACK + 8, 8, 11), 0);
    assert_eq!(slot(STACK + 16, 4, 33), x[2]);
    assert_eq!(slot(SAVED, 8, 22), x[1], "all registers are left");
}

#[test]
fn taint_of_the_list_itself_is_dropped() {
    let _turn = worker();
    let x = inputs(&[(8, 11)])[0];
    store(x, LIST + 8, 8);
    start(0, 48, &[]);
    assert_eq!(load(0, LIST + 8, 8), 0);
    assert_eq!(control().stale_count, 0);
}

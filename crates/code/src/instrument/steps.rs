//! The step limit: loops and recursion count down, so that every run ends.
//!
//! A function without loops that is not recursive cannot run forever by itself, so only loop headers and
//! the entries of functions on a cycle of the call graph (and of those called through pointers) count.

use super::emitter::Emitter;
use std::collections::{HashMap, HashSet};
use testwright_abi::address_of;
use testwright_llvm::{Block, IntPredicate, Opcode, Value};

/// Instruments every loop header and recursive function.
///
/// ```text
/// header:  <phis>  steps_left -= 1;  if (steps_left < 0) step_limit();  ..
/// ```
pub fn instrument(emitter: &Emitter<'_, '_>) {
    let recursive = recursive_functions(emitter);
    for function in emitter.module.functions() {
        let blocks = function.blocks();
        if blocks.is_empty() {
            continue;
        }
        let mut places: Vec<Block<'_>> = loop_headers(&blocks).into_iter().collect();
        if recursive.contains(&function) && !places.contains(&blocks[0]) {
            places.push(blocks[0]);
        }
        for block in blocks {
            if places.contains(&block) {
                count_down(emitter, block);
            }
        }
    }
}

fn count_down<'c>(emitter: &Emitter<'c, '_>, block: Block<'c>) {
    let fixed = |i: &Value<'c>| matches!(i.opcode(), Some(Opcode::LLVMPHI | Opcode::LLVMAlloca));
    let Some(first) = block.instructions().into_iter().find(|i| !fixed(i)) else { return };
    let builder = &emitter.builder;
    builder.before(first);
    let left = builder.sub(emitter.load_fixed(emitter.i64, address_of!(steps_left)), emitter.i64.constant(1));
    emitter.store_fixed(left, address_of!(steps_left));
    let over = builder.compare(IntPredicate::LLVMIntSLT, left, emitter.i64.zero());
    emitter.if_unlikely(over, first, || {
        emitter.call("step_limit", &[]);
    });
}

/// Targets of edges that close a cycle, by depth-first search; also in irreducible graphs.
fn loop_headers<'c>(blocks: &[Block<'c>]) -> HashSet<Block<'c>> {
    #[derive(PartialEq, Clone, Copy)]
    enum Color {
        Open,
        Done,
    }
    let mut colors: HashMap<Block<'c>, Color> = HashMap::new();
    let mut headers = HashSet::new();
    let successors = |block: Block<'c>| block.terminator().map(Value::successors).unwrap_or_default();
    let mut stack = vec![(blocks[0], successors(blocks[0]), 0)];
    colors.insert(blocks[0], Color::Open);
    while let Some((block, next, index)) = stack.last_mut() {
        let Some(&successor) = next.get(*index) else {
            colors.insert(*block, Color::Done);
            stack.pop();
            continue;
        };
        *index += 1;
        match colors.get(&successor) {
            Some(Color::Open) => {
                headers.insert(successor);
            }
            Some(Color::Done) => {}
            None => {
                colors.insert(successor, Color::Open);
                stack.push((successor, successors(successor), 0));
            }
        }
    }
    headers
}

/// Functions that may call themselves, directly, through others, or through a pointer.
fn recursive_functions<'c>(emitter: &Emitter<'c, '_>) -> HashSet<Value<'c>> {
    let mut calls: HashMap<Value<'c>, Vec<Value<'c>>> = HashMap::new();
    let mut recursive = HashSet::new();
    for function in emitter.module.functions() {
        let mut callees = Vec::new();
        for block in function.blocks() {
            for instruction in block.instructions() {
                if instruction.opcode() == Some(Opcode::LLVMCall) && instruction.callee().is_function() {
                    callees.push(instruction.callee());
                }
            }
        }
        calls.insert(function, callees);
        let taken =
            |user: &Value<'c>| !(user.opcode() == Some(Opcode::LLVMCall) && user.callee() == function);
        if function.users().iter().any(taken) {
            recursive.insert(function);
        }
    }
    let functions: Vec<Value<'c>> = calls.keys().copied().collect();
    for function in functions {
        let mut seen = HashSet::new();
        let mut stack = calls[&function].clone();
        while let Some(callee) = stack.pop() {
            if callee == function {
                recursive.insert(function);
                break;
            }
            if seen.insert(callee) {
                stack.extend(calls.get(&callee).into_iter().flatten());
            }
        }
    }
    recursive
}

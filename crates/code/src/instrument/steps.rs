//! The step limit: loops and recursion count, so that every run ends.
//!
//! A function without loops that is not recursive cannot run forever by itself, so only loop iterations and
//! the entries of functions on a cycle of the call graph (and of those called through pointers) count.
//!
//! Counting in memory would cost a loop of a few instructions several times what it does, because each iteration
//! waits for the store of the one before. So a function counts in a variable of its own, which lives in a register,
//! and accounts for it every [`CHUNK`] iterations and when it returns. Loops that plainly end after a
//! few iterations are not counted.

use super::emitter::{Emitter, Memory};
use super::trip;
use crate::models;
use std::collections::{HashMap, HashSet};
use testwright_abi::address_of;
use testwright_llvm::{Block, IntPredicate, Opcode, Value};

/// After so many iterations a function accounts for them.
const CHUNK: u64 = 1024;

/// Instruments every loop and recursive function.
pub fn instrument(emitter: &Emitter<'_, '_>) {
    let recursive = recursive_functions(emitter);
    for function in emitter.module.functions() {
        let blocks = function.blocks();
        // What a model does is one step of its caller in the run build, where the C library does it. Models end by
        // themselves; so does what we added ourselves.
        if blocks.is_empty() || models::is_model(function) || function.name().starts_with("tw_switch_") {
            continue;
        }
        let headers: HashSet<Block<'_>> =
            loop_headers(&blocks).into_iter().filter(|header| !trip::is_short(*header)).collect();
        if !headers.is_empty() {
            count_loops(emitter, function, &headers);
        }
        if recursive.contains(&function)
            && let Some(first) = first_real_instruction(function.blocks()[0])
        {
            emitter.builder.before(first);
            account(emitter, emitter.i64.constant(1), first);
        }
    }
}

/// ```text
/// entry:   %count = alloca i64;  *%count = CHUNK
/// header:  <phis>  *%count -= 1;  if (*%count == 0) { steps_left -= CHUNK; check;  *%count = CHUNK; }  ..
/// exit:    steps_left -= CHUNK - *%count;  check;  ret
/// ```
fn count_loops<'c>(emitter: &Emitter<'c, '_>, function: Value<'c>, headers: &HashSet<Block<'c>>) {
    let builder = &emitter.builder;
    let chunk = emitter.i64.constant(CHUNK);
    let blocks = function.blocks();
    builder.before(blocks[0].instructions()[0]);
    let count = builder.alloca(emitter.i64);
    emitter.ours(builder.store(chunk, count), Memory::Steps);
    for block in &blocks {
        let Some(first) = first_real_instruction(*block).filter(|_| headers.contains(block)) else {
            continue;
        };
        builder.before(first);
        let left = builder.sub(builder.load(emitter.i64, count), emitter.i64.constant(1));
        builder.store(left, count);
        let over = builder.compare(IntPredicate::LLVMIntEQ, left, emitter.i64.zero());
        emitter.if_unlikely(over, first, || {
            builder.store(chunk, count);
            let steps = emitter.load_fixed(emitter.i64, address_of!(steps_left), Memory::Steps);
            let rest = builder.sub(steps, chunk);
            emitter.store_fixed(rest, address_of!(steps_left), Memory::Steps);
            let negative = builder.compare(IntPredicate::LLVMIntSLT, rest, emitter.i64.zero());
            emitter.call_if(negative, "step_limit");
        });
    }
    for block in function.blocks() {
        let Some(ret) = block.terminator().filter(|end| end.opcode() == Some(Opcode::LLVMRet)) else {
            continue;
        };
        builder.before(ret);
        let taken = builder.sub(chunk, builder.load(emitter.i64, count));
        account(emitter, taken, ret);
    }
}

/// Takes steps from those that are left, before `instruction`; the builder stands there.
fn account<'c>(emitter: &Emitter<'c, '_>, taken: Value<'c>, instruction: Value<'c>) {
    let builder = &emitter.builder;
    let left = builder.sub(emitter.load_fixed(emitter.i64, address_of!(steps_left), Memory::Steps), taken);
    emitter.store_fixed(left, address_of!(steps_left), Memory::Steps);
    let over = builder.compare(IntPredicate::LLVMIntSLT, left, emitter.i64.zero());
    emitter.if_unlikely(over, instruction, || {
        emitter.call("step_limit", &[]);
    });
}

fn first_real_instruction(block: Block<'_>) -> Option<Value<'_>> {
    let fixed = |i: &Value<'_>| matches!(i.opcode(), Some(Opcode::LLVMPHI | Opcode::LLVMAlloca));
    block.instructions().into_iter().find(|i| !fixed(i))
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

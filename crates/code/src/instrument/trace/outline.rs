//! Outlining: the code of a region goes to a function of its own that preserves registers.
//!
//! A region is rarely entered. Were its calls made in place, every value that lives across them would have to be
//! kept in memory or in one of the few registers that callees preserve, also when nothing is symbolic. A function
//! that preserves most registers leaves the concrete code as fast as if the region were not there.

use crate::instrument::emitter::Emitter;
use std::collections::{HashMap, HashSet};
use testwright_llvm::{Block, Type, Value};

const REGION: &str = "tw_region";

/// Moves the instructions of `block`, which has no terminator yet, to a new function and calls that instead.
///
/// ```text
/// before:  slow:  %h = load frame[3];  %x = call binary(.., %h, .., i32 %a);  frame[4] = %x
/// after:   slow:  call preserve_mostcc @tw_region(%frame, %a)
/// ```
pub fn outline<'c>(emitter: &Emitter<'c, '_>, block: Block<'c>) {
    let instructions = block.instructions();
    let inside: HashSet<Value<'c>> = instructions.iter().copied().collect();
    let inputs = inputs_of(&instructions, &inside);
    let builder = &emitter.builder;
    let types: Vec<Type<'c>> = inputs.iter().map(|input| input.ty()).collect();
    let function =
        emitter.module.add_function(REGION, emitter.module.context().void().function(&types, false));
    function.set_internal(true);
    function.set_preserve_most();
    for attribute in ["noinline", "cold", "nounwind"] {
        function.add_attribute(attribute);
    }
    let body = function.append_block("entry");
    block.move_instructions(body, builder);
    let params: HashMap<Value<'c>, Value<'c>> = inputs.iter().copied().zip(function.params()).collect();
    for instruction in &instructions {
        for index in 0..instruction.operand_count() {
            if let Some(param) = params.get(&instruction.operand(index)) {
                instruction.set_operand(index, *param);
            }
        }
    }
    builder.at_end(body);
    builder.ret(None);
    builder.at_end(block);
    builder.call_function(function, &inputs).set_preserve_most();
}

/// Whether this is the function of a region.
pub fn is_region(value: Value<'_>) -> bool {
    value.is_function() && value.name().starts_with(REGION)
}

/// Values of the function that the instructions use but do not make.
fn inputs_of<'c>(instructions: &[Value<'c>], inside: &HashSet<Value<'c>>) -> Vec<Value<'c>> {
    let mut inputs = Vec::new();
    let mut seen = HashSet::new();
    for value in instructions.iter().flat_map(|instruction| instruction.operands()) {
        let outside = value.is_argument() || (value.is_instruction() && !inside.contains(&value));
        if outside && seen.insert(value) {
            inputs.push(value);
        }
    }
    inputs
}

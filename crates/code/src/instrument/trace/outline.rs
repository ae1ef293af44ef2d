//! Outlining: the code of a region goes to a function of its own that preserves registers.
//!
//! A region is rarely entered. Were its calls made in place, every value that lives across them would have to be
//! kept in memory or in one of the few registers that callees preserve, also when nothing is symbolic. A function
//! that preserves most registers leaves the concrete code as fast as if the region were not there.

use crate::instrument::emitter::{Emitter, Memory};
use std::collections::{HashMap, HashSet};
use testwright_llvm::{Block, Kind, Type, Value};

/// How many handles a region can hand out.
const CELLS: u64 = 4096;

/// Moves the instructions of `block`, which has no terminator yet, to a new function and calls that instead. Returns
/// what stands for each of `results` in the block now.
///
/// ```text
/// before:  slow:  %x = call binary(.., %a.handle, .., i32 %a);  %y = ..%x..
/// after:   slow:  call preserve_mostcc @tw_region(%a.handle, %a);  %x' = load tw_made[0];  %y' = load tw_made[1]
/// ```
pub fn outline<'c>(emitter: &Emitter<'c, '_>, block: Block<'c>, results: &[Value<'c>]) -> Vec<Value<'c>> {
    let instructions = block.instructions();
    let inside: HashSet<Value<'c>> = instructions.iter().copied().collect();
    let inputs = inputs_of(&instructions, results, &inside);
    let builder = &emitter.builder;
    let types: Vec<Type<'c>> = inputs.iter().map(|input| input.ty()).collect();
    let function =
        emitter.module.add_function("tw_region", emitter.module.context().void().function(&types, false));
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
    let mut cell = 0;
    for result in results {
        store(emitter, params.get(result).copied().unwrap_or(*result), &mut cell);
    }
    builder.ret(None);
    builder.at_end(block);
    let call = builder.call_function(function, &inputs);
    call.set_preserve_most();
    let mut cell = 0;
    results.iter().map(|result| load(emitter, result.ty(), &mut cell)).collect()
}

/// Values of the function that the instructions use but do not make.
fn inputs_of<'c>(
    instructions: &[Value<'c>],
    results: &[Value<'c>],
    inside: &HashSet<Value<'c>>,
) -> Vec<Value<'c>> {
    let mut inputs = Vec::new();
    let mut seen = HashSet::new();
    let used =
        instructions.iter().flat_map(|instruction| instruction.operands()).chain(results.iter().copied());
    for value in used {
        let outside = value.is_argument() || (value.is_instruction() && !inside.contains(&value));
        if outside && seen.insert(value) {
            inputs.push(value);
        }
    }
    inputs
}

fn place<'c>(emitter: &Emitter<'c, '_>, cell: &mut u64) -> Value<'c> {
    const NAME: &str = "tw_made";
    let array = emitter.module.global(NAME).unwrap_or_else(|| {
        let ty = emitter.i32.array(CELLS);
        let global = emitter.module.add_global(NAME, ty);
        global.set_initializer(ty.zero());
        global.set_internal(true);
        global
    });
    let place = emitter.builder.offset(array, emitter.i64.constant(4 * *cell));
    *cell += 1;
    place
}

fn store<'c>(emitter: &Emitter<'c, '_>, handles: Value<'c>, cell: &mut u64) {
    let builder = &emitter.builder;
    if handles.ty().kind() == Kind::Struct {
        for index in 0..handles.ty().parts().len() as u32 {
            store(emitter, builder.extract(handles, index), cell);
        }
        return;
    }
    let place = place(emitter, cell);
    emitter.ours(builder.store(handles, place), Memory::Cells);
}

fn load<'c>(emitter: &Emitter<'c, '_>, ty: Type<'c>, cell: &mut u64) -> Value<'c> {
    let builder = &emitter.builder;
    if ty.kind() == Kind::Struct {
        let mut value = ty.poison();
        for (index, part) in ty.parts().into_iter().enumerate() {
            value = builder.insert(value, load(emitter, part, cell), index as u32);
        }
        return value;
    }
    let place = place(emitter, cell);
    emitter.ours(builder.load(emitter.i32, place), Memory::Cells)
}

//! Loops that plainly end after a few iterations.

use std::collections::HashSet;
use testwright_base::site::sign_extend;
use testwright_llvm::{Block, IntPredicate, Opcode, Value};

/// More iterations than this count as many.
const FEW: i128 = 256;

/// Whether the loop with this header is `for (i = A; i < B; i += C)` with constants that give few iterations.
///
/// ```text
/// header:  %i = phi [A, outside], [%next, inside]
///          %c = icmp slt %i, B
///          br %c, ..                           %next = add %i, C
/// ```
pub fn is_short(header: Block<'_>) -> bool {
    let Some(branch) = header.terminator().filter(|branch| branch.is_conditional()) else { return false };
    let compare = branch.condition();
    if compare.opcode() != Some(Opcode::LLVMICmp) || compare.block() != header {
        return false;
    }
    let (counter, bound) = (compare.operand(0), compare.operand(1));
    let (Some(bound), true) = (constant(bound), counter.opcode() == Some(Opcode::LLVMPHI)) else {
        return false;
    };
    if counter.block() != header || !leaves_on_failure(header, counter, branch.successors()[1]) {
        return false;
    }
    let Some((start, step)) = progression(counter) else { return false };
    match compare.int_predicate() {
        IntPredicate::LLVMIntSLT if step > 0 => (bound - start) / step < FEW,
        IntPredicate::LLVMIntSLE if step > 0 => (bound - start) / step < FEW,
        IntPredicate::LLVMIntSGT | IntPredicate::LLVMIntSGE if step < 0 => (start - bound) / -step < FEW,
        IntPredicate::LLVMIntULT | IntPredicate::LLVMIntULE if step > 0 && start >= 0 && bound >= 0 => {
            (bound - start) / step < FEW
        }
        _ => false,
    }
}

/// Start and step of a counter; none if it changes in any other way.
fn progression(counter: Value<'_>) -> Option<(i128, i128)> {
    let (mut start, mut step) = (None, None);
    for (value, _) in counter.incoming() {
        if let Some(number) = constant(value) {
            if start.is_some_and(|start| start != number) {
                return None;
            }
            start = Some(number);
        } else {
            let add = value;
            if add.opcode() != Some(Opcode::LLVMAdd) || add.operand(0) != counter {
                // Checked additions are calls whose result is taken apart.
                let (from, by) = checked_addition(add)?;
                if from != counter {
                    return None;
                }
                step = Some(by);
                continue;
            }
            step = Some(constant(add.operand(1))?);
        }
    }
    Some((start?, step?)).filter(|(_, step)| *step != 0)
}

/// `extractvalue (sadd.with.overflow(counter, constant)), 0`
fn checked_addition(value: Value<'_>) -> Option<(Value<'_>, i128)> {
    if value.opcode() != Some(Opcode::LLVMExtractValue) || value.indices() != [0] {
        return None;
    }
    let call = value.operand(0);
    if call.opcode() != Some(Opcode::LLVMCall) || !call.callee().name().starts_with("llvm.sadd.with.overflow")
    {
        return None;
    }
    Some((call.operand(0), constant(call.operand(1))?))
}

fn constant(value: Value<'_>) -> Option<i128> {
    value.constant_int().map(|number| sign_extend(number, value.ty().int_width()))
}

/// Whether control that takes this way comes back to the header only where the counter starts anew.
fn leaves_on_failure<'c>(header: Block<'c>, counter: Value<'c>, way: Block<'c>) -> bool {
    let steps: Vec<Block<'c>> = counter
        .incoming()
        .into_iter()
        .filter(|(value, _)| constant(*value).is_none())
        .map(|(_, block)| block)
        .collect();
    let mut seen = HashSet::from([header]);
    let mut stack = vec![way];
    while let Some(block) = stack.pop() {
        if !seen.insert(block) {
            continue;
        }
        if steps.contains(&block) {
            return false;
        }
        stack.extend(block.terminator().map(Value::successors).unwrap_or_default());
    }
    way != header
}

//! Reachable outcomes: what a call of one function may come to, as far as the optimiser can tell.
//!
//! A callee may check for what this function never passes. Every outcome of a branch is marked by a store that must not go away,
//! everything but the driver of the function is made internal, and the optimiser inlines, propagates constants and
//! removes what is dead. The marks that are left may be reached. Those that went cannot be, without undefined behaviour.
//! Variables keep their unknown values, because a case may set them.

use crate::error::CodeError;
use crate::instrument::coverage;
use crate::instrument::emitter::{Emitter, Marks};
use crate::{Prepared, driver, models};
use std::collections::BTreeSet;
use testwright_abi::memory::{COVERAGE_OFFSET, MAX_OUTCOMES, SHARED_BASE};
use testwright_base::build::Build;
use testwright_base::ids::{FunctionId, OutcomeId};
use testwright_llvm::{Context, Module, Opcode, Target, Value};

/// What hides a function from the optimiser.
const BARRIERS: [&str; 2] = ["noinline", "optnone"];
/// How deep addresses of marks are followed through choices between them.
const DEPTH: usize = 16;

/// The outcomes that a call of the function may come to; none if that cannot be told.
///
/// # Errors
/// If LLVM refuses, which is a bug of ours.
pub fn reachable_outcomes(
    prepared: &Prepared,
    function: FunctionId,
) -> Result<Option<BTreeSet<OutcomeId>>, CodeError> {
    let context = Context::new();
    let target = Target::x86_64()?;
    let module = context.parse_bitcode(&prepared.bitcode, "prepared")?;
    models::divert(&module, Build::Run);
    let entry = driver::name(function.index());
    for function in module.functions().into_iter().filter(|function| !function.is_declaration()) {
        function.set_internal(function.name() != entry);
        BARRIERS.iter().for_each(|attribute| function.remove_attribute(attribute));
    }
    for global in module.globals() {
        let is_variable = !global.name().starts_with("llvm.") && !global.is_declaration();
        if is_variable && !global.is_global_constant() {
            global.set_internal(false);
        }
    }
    module.run_passes("globaldce", &target)?;
    let emitter = Emitter::new(&module, Marks::Store);
    coverage::instrument(&emitter, &prepared.subject, None);
    for store in stores(&module) {
        if !marks(store.operand(1), DEPTH).is_some_and(|marks| marks.is_empty()) {
            store.set_volatile();
        }
    }
    module.run_passes("default<O3>", &target)?;
    let mut reachable = BTreeSet::new();
    for store in stores(&module).into_iter().filter(|store| store.is_volatile()) {
        match marks(store.operand(1), DEPTH) {
            Some(marks) => reachable.extend(marks),
            // The program has volatile stores of its own, to places that are no constants.
            None if store.operand(0).constant_int() == Some(1) => return Ok(None),
            None => {}
        }
    }
    Ok(Some(reachable))
}

fn stores<'c>(module: &Module<'c>) -> Vec<Value<'c>> {
    let blocks = module.functions().into_iter().flat_map(Value::blocks);
    let instructions = blocks.flat_map(testwright_llvm::Block::instructions);
    instructions.filter(|instruction| instruction.opcode() == Some(Opcode::LLVMStore)).collect()
}

/// The outcomes whose marks an address may be, none of them if it is a constant for something else; nothing if it is
/// no constant.
fn marks(address: Value<'_>, depth: usize) -> Option<Vec<OutcomeId>> {
    if address.is_constant_expression() {
        let number = address.operand(0).constant_int();
        let first = u128::from(SHARED_BASE + COVERAGE_OFFSET);
        let offset = number.and_then(|number| number.checked_sub(first));
        let outcome = offset.filter(|offset| *offset < u128::from(MAX_OUTCOMES));
        return Some(outcome.map(|outcome| OutcomeId(outcome as u32)).into_iter().collect());
    }
    if address.is_constant() {
        return Some(Vec::new());
    }
    let choices: Vec<Value<'_>> = match address.opcode() {
        Some(Opcode::LLVMSelect) => vec![address.operand(1), address.operand(2)],
        Some(Opcode::LLVMPHI) => address.incoming().into_iter().map(|(value, _)| value).collect(),
        _ => return None,
    };
    let depth = depth.checked_sub(1)?;
    let all: Option<Vec<Vec<OutcomeId>>> = choices.into_iter().map(|choice| marks(choice, depth)).collect();
    all.map(|all| all.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::testing::prepared;

    /// The outcomes that a call of `f` may come to, as `line true` and `line false`.
    fn reachable(text: &str) -> Vec<String> {
        let prepared = prepared(text);
        let subject = &prepared.subject;
        let found = reachable_outcomes(&prepared, subject.function_named("f").unwrap()).unwrap().unwrap();
        let describe = |outcome: &OutcomeId| {
            let (site, way) = subject.outcome(*outcome).unwrap();
            let site = subject.site(site).unwrap();
            format!("{} {}", site.place.as_ref().unwrap().line, site.outcome_name(way))
        };
        found.iter().map(describe).collect()
    }

    #[test]
    fn what_constant_arguments_exclude_is_not_reachable() {
        let text = "static double g(double x, int n) {\n  if (x < 1.0)\n    return n > 5 ? 1 : 2;\n  if (n > 7)\n    \
                    return 3;\n  return 4;\n}\n\ndouble f(int n) {\n  if (n < 0)\n    return 0;\n  return g(2.0, n);\n}\n";
        assert_eq!(
            reachable(text),
            ["2 false", "4 true", "4 false", "10 true", "10 false"],
            "x is always 2, whatever n is"
        );
    }

    #[test]
    fn variables_may_have_any_value_whoever_writes_them() {
        let text =
            "static int mode = 3;\n\nint f(void) {\n  if (mode == 7)\n    return 1;\n  return mode;\n}\n";
        assert_eq!(reachable(text), ["4 true", "4 false"]);
    }
}

//! Reachable outcomes: what a call of one function may come to, as far as the optimiser and ranges of values can tell.
//!
//! A callee may check for what this function never passes. Every outcome of a branch is marked by a store that must not go away,
//! everything but the driver of the function is made internal, and the optimiser inlines, propagates constants and
//! removes what is dead. Of the marks that are left, those may be reached that control can come to as far as ranges of values tell
//! (`ranges`). The others cannot be, without undefined behaviour. Variables keep their unknown values, because a case may set them.
//!
//! The optimiser inlines far more than it would for speed, so that each call is judged by itself. NaN is an input like others: a
//! check that only NaN passes stays a goal.

use crate::error::CodeError;
use crate::instrument::coverage;
use crate::instrument::emitter::{Emitter, Marks};
use crate::ranges::Reached;
use crate::{Prepared, driver, models};
use std::collections::BTreeSet;
use testwright_abi::memory::{COVERAGE_OFFSET, MAX_OUTCOMES, SHARED_BASE};
use testwright_base::build::Build;
use testwright_base::ids::{FunctionId, OutcomeId};
use testwright_llvm::{Context, Module, Opcode, Target, Tuning, Value};

/// What hides a function from the optimiser.
const BARRIERS: [&str; 2] = ["noinline", "optnone"];
/// How deep addresses of marks are followed through choices between them.
const DEPTH: usize = 16;
/// Callees up to this cost, as LLVM estimates it, are inlined wherever they are called..
const INLINE_THRESHOLD: i32 = 2000;
/// .. in code of up to so many instructions, marks included.
const MOST_TO_INLINE: usize = 20_000;

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
    // Otherwise every mark might change what the program has in memory.
    emitter.separate_program_memory();
    coverage::instrument(&emitter, &prepared.subject, None);
    let unmarked = Marked { reached: None };
    for store in stores(&module) {
        if unmarked.marks(store.operand(1), DEPTH).is_some_and(|marks| !marks.is_empty()) {
            store.set_volatile();
        }
    }
    module.run_tuned_passes("default<O3>", &target, &tuning(&module))?;
    Ok(Marked { reached: Reached::new(&module) }.outcomes(&module))
}

/// How much is inlined. Each call is then judged on its own, but large code would only become larger.
fn tuning(module: &Module<'_>) -> Tuning {
    let blocks = module.functions().into_iter().flat_map(Value::blocks);
    let instructions: usize = blocks.map(|block| block.instructions().len()).sum();
    let inline_threshold = (instructions <= MOST_TO_INLINE).then_some(INLINE_THRESHOLD);
    Tuning { inline_threshold, keeps_scalars: true }
}

/// Code with marks, and where control can come to in it, if that is known.
struct Marked<'c> {
    reached: Option<Reached<'c>>,
}

impl<'c> Marked<'c> {
    /// The outcomes whose marks control can come to; none if that cannot be told.
    fn outcomes(&self, module: &Module<'c>) -> Option<BTreeSet<OutcomeId>> {
        let mut reachable = BTreeSet::new();
        for store in stores(module).into_iter().filter(|store| store.is_volatile()) {
            if self.reached.as_ref().is_some_and(|reached| !reached.block(store.block())) {
                continue;
            }
            match self.marks(store.operand(1), DEPTH) {
                Some(marks) => reachable.extend(marks),
                // The program has volatile stores of its own, to places that are no constants.
                None if store.operand(0).constant_int() == Some(1) => return None,
                None => {}
            }
        }
        Some(reachable)
    }

    /// The outcomes whose marks an address may be, none of them if it is a constant for something else; nothing if it is
    /// no constant.
    fn marks(&self, address: Value<'c>, depth: usize) -> Option<Vec<OutcomeId>> {
        if address.is_constant() {
            return Some(mark(address).into_iter().collect());
        }
        let choices: Vec<Value<'c>> = match address.opcode() {
            Some(Opcode::LLVMSelect) => {
                let truth = self.reached.as_ref().and_then(|reached| reached.truth(address.operand(0)));
                let is_possible = |way: &bool| truth != Some(!way);
                let ways = [true, false].into_iter().filter(is_possible);
                ways.map(|way| address.operand(if way { 1 } else { 2 })).collect()
            }
            Some(Opcode::LLVMPHI) => {
                let to = address.block();
                let is_possible = |from| self.reached.as_ref().is_none_or(|reached| reached.edge(from, to));
                let incoming = address.incoming().into_iter().filter(|(_, from)| is_possible(*from));
                incoming.map(|(value, _)| value).collect()
            }
            _ => return None,
        };
        let depth = depth.checked_sub(1)?;
        let all: Option<Vec<Vec<OutcomeId>>> =
            choices.into_iter().map(|choice| self.marks(choice, depth)).collect();
        all.map(|all| all.into_iter().flatten().collect())
    }
}

fn stores<'c>(module: &Module<'c>) -> Vec<Value<'c>> {
    let blocks = module.functions().into_iter().flat_map(Value::blocks);
    let instructions = blocks.flat_map(testwright_llvm::Block::instructions);
    instructions.filter(|instruction| instruction.opcode() == Some(Opcode::LLVMStore)).collect()
}

/// The outcome whose mark lies at a constant address.
fn mark(address: Value<'_>) -> Option<OutcomeId> {
    let number = address.is_constant_expression().then(|| address.operand(0).constant_int()).flatten()?;
    let offset = number.checked_sub(u128::from(SHARED_BASE + COVERAGE_OFFSET))?;
    (offset < u128::from(MAX_OUTCOMES)).then_some(OutcomeId(offset as u32))
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

    #[test]
    fn an_integer_that_became_a_float_keeps_its_bounds() {
        let text = "static double gamma_of(double x) {\n  if (x < 0.5)\n    return x == 0.0 ? 1 : 2;\n  return 3;\n}\n\n\
                    double f(int n) {\n  if (n > 170)\n    return gamma_of(n + 1.0);\n  return 0;\n}\n";
        assert_eq!(reachable(text), ["2 false", "8 true", "8 false"]);
    }

    #[test]
    fn no_number_passes_a_check_that_numbers_fail() {
        let text = "static int g(double y) {\n  if (y > 3.0)\n    return 1;\n  if (y >= 0.0)\n    return 2;\n  \
                    return 3;\n}\n\nint f(double x) {\n  if (x < 0.0 || x > 2.0)\n    return 0;\n  return g(x + 1.0);\n}\n";
        let expected = ["2 false", "4 true", "4 false", "10 true", "10 false", "10 true", "10 false"];
        assert_eq!(reachable(text), expected, "y is between 1 and 3, or no number");
    }

    #[test]
    fn what_was_asked_for_zero_is_not_zero_in_a_callee() {
        let text = "static double depth(double x, int n) {\n  if (x == 0.0)\n    return 1;\n  \
                    return n > 9 ? x : depth(x, n + 1);\n}\n\ndouble f(double x, int n) {\n  if (x == 0.0)\n    return 0;\n  \
                    return depth(x, n);\n}\n";
        assert_eq!(reachable(text), ["2 false", "4 true", "4 false", "8 true", "8 false"]);
    }

    #[test]
    fn a_loop_goes_as_far_as_its_condition_lets_it() {
        let text = "int f(int n) {\n  double sum = 0.0;\n  for (int k = 1; k <= n; k++) {\n    sum += 0.5;\n    \
                    if (sum > 1e6)\n      return 1;\n    if (k > 1000000)\n      return 2;\n    if (sum < 0.0)\n      \
                    return 3;\n  }\n  return 0;\n}\n";
        let expected = ["3 true", "3 false", "5 true", "5 false", "7 true", "7 false", "9 false"];
        assert_eq!(reachable(text), expected, "sums grow without bound, but not below zero");
    }

    #[test]
    fn recursion_reaches_what_any_of_its_calls_does() {
        let text = "static int depth(double x, int n) {\n  if (x > 100.0)\n    return n;\n  if (n > 6)\n    \
                    return -1;\n  if (x < 1.0)\n    return -2;\n  return depth(x * 2.0, n + 1);\n}\n\n\
                    int f(int n) {\n  if (n < 0 || n > 3)\n    return 0;\n  return depth(n + 1.0, n);\n}\n";
        let found = reachable(text);
        let expected = ["2 true", "2 false", "4 true", "4 false", "6 false"];
        assert_eq!(found[..5], expected, "arguments grow from call to call: {found:?}");
    }

    #[test]
    fn a_function_that_is_called_through_a_pointer_may_get_anything() {
        let text = "typedef double (*function)(double);\nstatic double g(double x) {\n  if (x < 0.5)\n    return 1;\n  \
                    return 2;\n}\nfunction chosen = g;\n\ndouble f(double x) {\n  if (x > 3.0)\n    return g(x);\n  \
                    return chosen(x);\n}\n";
        assert_eq!(reachable(text), ["3 true", "3 false", "10 true", "10 false"]);
    }

    #[test]
    fn what_a_constant_table_holds_bounds_what_is_read() {
        let text = "static const double weights[4] = {0.25, 0.5, 2.0, 4.0};\nstatic int g(double x) {\n  \
                    if (x > 5.0)\n    return 1;\n  return x > 3.0;\n}\n\nint f(unsigned n) {\n  \
                    if (n < 3 && g(weights[n]))\n    return 1;\n  return g(weights[n % 4]);\n}\n";
        let found = reachable(text);
        let expected = ["3 false", "5 true", "5 false", "9 true", "9 false", "9 false"];
        assert_eq!(found, expected, "the first three are not above 3");
    }

    #[test]
    fn results_behind_pointers_are_followed_where_calls_are_inlined() {
        let text = "struct result {\n  double value;\n  int status;\n};\nstatic void root(double x, struct result *r) {\n  \
                    if (x < 0.0) {\n    r->value = 0.0;\n    r->status = 1;\n  } else {\n    r->value = x / (1.0 + x);\n    \
                    r->status = 0;\n  }\n}\n\nint f(double x) {\n  struct result r;\n  if (!(x > 1.0))\n    return 0;\n  \
                    root(x, &r);\n  if (r.status)\n    return 1;\n  if (r.value < 0.0)\n    return 2;\n  return 3;\n}\n";
        assert_eq!(reachable(text), ["6 false", "17 true", "17 false", "20 false", "22 false"]);
    }
}

//! The comparison that decides a conditional branch.
//!
//! Unoptimised code wraps it: `if (!(a < b))` and `if ((a < b) != 0)` widen the result of the comparison to an
//! integer and compare that with zero again.

use testwright_llvm::{IntPredicate, Opcode, Value};

/// What decides a branch.
#[derive(Debug, Clone)]
pub struct Condition<'c> {
    /// The comparison; none if something else decides (a boolean variable, a phi, an overflow flag).
    pub compare: Option<Value<'c>>,
    /// Whether the branch is taken when the comparison does not hold.
    pub negated: bool,
    /// The comparisons that only hand the result on.
    pub(super) wrappers: Vec<Value<'c>>,
}

/// What decides this conditional branch.
#[must_use]
pub fn condition(branch: Value<'_>) -> Condition<'_> {
    let mut condition = Condition { compare: None, negated: false, wrappers: Vec::new() };
    let mut negated = false;
    let mut value = branch.condition();
    while let Some(inner) = unwrap(value) {
        if is_compare(value) {
            // If nothing better comes, this one decides.
            condition.wrappers.push(value);
            condition.negated = negated;
        }
        negated ^= inner.negates;
        value = inner.value;
    }
    if is_compare(value) {
        condition.compare = Some(value);
        condition.negated = negated;
    } else {
        condition.compare = condition.wrappers.pop();
    }
    condition
}

/// The truth value that this one hands on, and whether it is negated on the way.
pub(super) fn stripped(mut value: Value<'_>) -> (Value<'_>, bool) {
    let mut negated = false;
    while let Some(inner) = unwrap(value) {
        negated ^= inner.negates;
        value = inner.value;
    }
    (value, negated)
}

/// What a value hands on.
struct Inner<'c> {
    value: Value<'c>,
    negates: bool,
}

/// The boolean that `value` hands on, as it is or negated.
///
/// ```text
/// xor i1 x, true            icmp ne iN (zext i1 x), 0            icmp eq iN (zext i1 x), 0            freeze i1 x
/// ```
fn unwrap(value: Value<'_>) -> Option<Inner<'_>> {
    match value.opcode()? {
        Opcode::LLVMXor if value.ty().int_width() == 1 => {
            let (a, b) = (value.operand(0), value.operand(1));
            match (a.constant_int(), b.constant_int()) {
                (_, Some(bit)) => Some(Inner { value: a, negates: bit != 0 }),
                (Some(bit), None) => Some(Inner { value: b, negates: bit != 0 }),
                (None, None) => None,
            }
        }
        Opcode::LLVMICmp => {
            let negates = match value.int_predicate() {
                IntPredicate::LLVMIntEQ => true,
                IntPredicate::LLVMIntNE => false,
                _ => return None,
            };
            let zero = value.operand(1).constant_int() == Some(0);
            let narrow = unwidened(value.operand(0));
            (zero && narrow.ty().int_width() == 1).then_some(Inner { value: narrow, negates })
        }
        _ => same_value(value).map(|value| Inner { value, negates: false }),
    }
}

/// The operand of a `freeze` or `llvm.expect`.
fn same_value(value: Value<'_>) -> Option<Value<'_>> {
    match value.opcode()? {
        Opcode::LLVMFreeze => Some(value.operand(0)),
        Opcode::LLVMCall if value.callee().name().starts_with("llvm.expect.") => Some(value.operand(0)),
        _ => None,
    }
}

/// The value before it was widened.
fn unwidened(mut value: Value<'_>) -> Value<'_> {
    loop {
        value = match value.opcode() {
            Some(Opcode::LLVMZExt | Opcode::LLVMSExt) => value.operand(0),
            _ => match same_value(value) {
                Some(same) => same,
                None => return value,
            },
        };
    }
}

fn is_compare(value: Value<'_>) -> bool {
    matches!(value.opcode(), Some(Opcode::LLVMICmp | Opcode::LLVMFCmp))
}

#[cfg(test)]
mod tests {
    use super::*;
    use testwright_llvm::Context;

    /// The body must define `%c`, on which the function branches.
    #[track_caller]
    fn check(body: &str, expected: &str) {
        let context = Context::new();
        let text = format!(
            "declare i64 @llvm.expect.i64(i64, i64)\n\
             define void @f(i32 %a, i32 %b, i1 %x, i1 %y) {{\n{body}\nbr i1 %c, label %t, label %e\nt: ret void\n\
             e: ret void }}"
        );
        let module = context.parse_text(&text).unwrap();
        let branch = module.function("f").unwrap().blocks()[0].terminator().unwrap();
        let condition = condition(branch);
        let compare = condition.compare.map_or("nothing".to_owned(), |compare| compare.to_string());
        assert_eq!(format!("{}{compare}", if condition.negated { "not " } else { "" }), expected);
    }

    #[test]
    fn a_comparison_decides_itself() {
        check("%c = icmp slt i32 %a, %b", "%c = icmp slt i32 %a, %b");
        check("%c = icmp ne i32 %a, 0", "%c = icmp ne i32 %a, 0");
    }

    #[test]
    fn negations_are_counted() {
        check("%d = icmp slt i32 %a, %b\n%c = xor i1 %d, true", "not %d = icmp slt i32 %a, %b");
        check(
            "%d = icmp slt i32 %a, %b\n%e0 = zext i1 %d to i32\n%f = icmp eq i32 %e0, 0\n%c = xor i1 true, %f",
            "%d = icmp slt i32 %a, %b",
        );
    }

    #[test]
    fn widened_results_that_are_compared_with_zero_are_looked_through() {
        check(
            "%d = icmp eq i32 %a, 4\n%e0 = zext i1 %d to i32\n%f = sext i32 %e0 to i64\n\
             %g = call i64 @llvm.expect.i64(i64 %f, i64 0)\n%c = icmp ne i64 %g, 0",
            "%d = icmp eq i32 %a, 4",
        );
        check(
            "%d = icmp eq i32 %a, 4\n%e0 = freeze i1 %d\n%c = icmp eq i1 %e0, false",
            "not %d = icmp eq i32 %a, 4",
        );
    }

    #[test]
    fn a_boolean_that_is_no_comparison_leaves_the_comparison_with_zero() {
        check("%d = zext i1 %x to i32\n%c = icmp eq i32 %d, 0", "%c = icmp eq i32 %d, 0");
        check("%c = and i1 %x, %y", "nothing");
        check("%c = xor i1 %x, true", "nothing");
    }

    #[test]
    fn a_comparison_with_another_constant_is_not_looked_through() {
        check("%d = zext i1 %x to i32\n%c = icmp eq i32 %d, 1", "%c = icmp eq i32 %d, 1");
    }
}

//! Allocations that fail: tests say which, and the linker lets the code under test allocate through wrappers.

use testwright_base::case::Value;

/// The name of the header with the wrappers.
pub const HEADER_NAME: &str = "testwright_allocation.h";
/// The header.
pub const HEADER: &str = include_str!("testwright_allocation.h");

/// What the Makefile says about it. Compilers know that a block that is freed at once need not be allocated at all, unless
/// they are told that `malloc` is a function like others.
pub const VARIABLES: &str = "
# Tests let allocations of the code under test fail, see testwright_allocation.h.
ALLOCATION_FLAGS = -fno-builtin-malloc -fno-builtin-calloc -fno-builtin-realloc -fno-builtin-aligned_alloc \\
	-fno-builtin-strdup -fno-builtin-strndup
ALLOCATION_WRAP = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=aligned_alloc,--wrap=strdup,--wrap=strndup
";

/// The statements that let allocations fail: `fail_allocation(2);`.
#[must_use]
pub fn script(allocations: &[Value]) -> Vec<String> {
    let fails = |value: &Value| *value != Value::Int(0);
    // What is said of the last one holds for all after it.
    let succeeding = allocations.iter().rposition(|value| !fails(value)).map_or(0, |last| last + 1);
    let single = (1..=succeeding).zip(allocations).filter(|(_, value)| fails(value));
    let mut lines: Vec<String> = single.map(|(number, _)| format!("fail_allocation({number});")).collect();
    if succeeding < allocations.len() {
        lines.push(format!("fail_allocations_from({});", succeeding + 1));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_last_one_does_all_later_ones_do() {
        let check = |fails: &[i128], expected: &[&str]| {
            let values: Vec<Value> = fails.iter().map(|value| Value::Int(*value)).collect();
            assert_eq!(script(&values), expected, "{fails:?}");
        };
        check(&[0], &[]);
        check(&[0, 1, 0], &["fail_allocation(2);"]);
        check(&[1, 0, 1, 0], &["fail_allocation(1);", "fail_allocation(3);"]);
        check(&[0, 1, 1], &["fail_allocations_from(2);"]);
        check(&[1], &["fail_allocations_from(1);"]);
    }
}

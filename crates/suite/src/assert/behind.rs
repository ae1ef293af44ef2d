//! What a returned pointer leads to: a text, a number, or the numbers in a struct.

use super::{Part, agreeing, parts as of, telling};
use crate::input::Found;
use testwright_base::case::Value;
use testwright_base::ids::TypeId;
use testwright_base::layout::is_character;
use testwright_base::run::Run;
use testwright_base::subject::Subject;
use testwright_base::types::Shape;

/// What fresh memory holds as a number of 1, 2, 4 and 8 bytes, without a sign and with one: it was never written, so no test can tell
/// what is there.
const UNWRITTEN: [(i128, i128); 4] = [
    (0xaa, 0xaa - (1 << 8)),
    (0xaaaa, 0xaaaa - (1 << 16)),
    (0xaaaa_aaaa, 0xaaaa_aaaa - (1 << 32)),
    (0xaaaa_aaaa_aaaa_aaaa, 0xaaaa_aaaa_aaaa_aaaa - (1 << 64)),
];
/// Of a struct no more is asserted than this.
const MOST: usize = 8;

/// The parts to assert; none if the result leads to an object of the case, which is asserted itself, or to nothing known.
pub(super) fn parts(subject: &Subject, result: TypeId, found: &Found) -> Vec<Part> {
    let types = &subject.types;
    let Shape::Pointer(target) = types.get(result).shape else { return Vec::new() };
    if !matches!(found.run.result, Some(Value::Address(_))) {
        return Vec::new();
    }
    // Where there are several files, this one may know of the struct no more than its name.
    let is_record = matches!(types.get(target).shape, Shape::Record { .. });
    if is_record && subject.files.len() != 1 {
        return Vec::new();
    }
    let of_run = |run: &Run| match &run.behind {
        Some(Value::Array(text)) if is_character(types, target) => of::of_elements(types, target, text),
        Some(value) => of::parts_of(types, target, value),
        None => Vec::new(),
    };
    let again = found.again.as_ref().map(of_run);
    let mut all = telling(agreeing(of_run(&found.run), again.as_deref()));
    all.retain(|part| is_written(&part.value));
    all.truncate(MOST);
    all
}

/// Whether a value was written, and says more than that something is there.
#[must_use]
pub fn is_written(value: &Value) -> bool {
    match value {
        Value::Int(number) => {
            !UNWRITTEN.iter().any(|(unsigned, signed)| number == unsigned || number == signed)
        }
        Value::Single(bits) => i128::from(*bits) != UNWRITTEN[2].0,
        Value::Double(bits) => i128::from(*bits) != UNWRITTEN[3].0,
        Value::Array(values) => values.iter().all(is_written),
        Value::Null => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_never_written_is_told_by_what_fresh_memory_is_filled_with() {
        for number in [-86, 170, -1_431_655_766, 2_863_311_530] {
            assert!(!is_written(&Value::Int(number)), "{number}");
        }
        assert!(is_written(&Value::Int(0)) && is_written(&Value::Int(-1)));
        assert!(!is_written(&Value::Array(vec![Value::Int(7), Value::Int(170)])));
        assert!(!is_written(&Value::Double(0xaaaa_aaaa_aaaa_aaaa)) && is_written(&Value::Double(0)));
        assert!(!is_written(&Value::Address(4096)), "tests know no addresses");
    }
}

//! Lengths: which integer parameters may say how many elements a pointer parameter leads to.
//!
//! C does not say; names and neighbours do. `(const int *y, size_t n)`, `(text, length)`, `(items, item_count)`.

use std::collections::BTreeMap;
use testwright_base::subject::Param;
use testwright_base::types::{Shape, Types};

/// Words that mean a number of elements.
const WORDS: &[&str] =
    &["n", "len", "length", "size", "count", "num", "number", "nmemb", "cnt", "sz", "nelem", "elements"];

/// For each pointer the parameters that may be its length: first those that name it, then those beside it.
pub(super) fn lengths(types: &Types, params: &[Param]) -> BTreeMap<usize, Vec<usize>> {
    let mut found = BTreeMap::new();
    let is_pointer = |param: &Param| matches!(types.get(param.ty).shape, Shape::Pointer(_));
    for (pointer, param) in params.iter().enumerate().filter(|(_, param)| is_pointer(param)) {
        let is_named = |index: &usize| mentions(&params[*index].name, &param.name);
        let named = (0..params.len()).filter(is_named);
        let is_counting = |index: &usize| *index < params.len() && counts(types, param, &params[*index].name);
        let beside = [pointer + 1, pointer.wrapping_sub(1)].into_iter().filter(is_counting);
        let all: Vec<usize> = named.chain(beside).filter(|index| is_length(types, &params[*index])).collect();
        if !all.is_empty() {
            found.insert(pointer, all);
        }
    }
    found
}

fn is_length(types: &Types, param: &Param) -> bool {
    matches!(types.get(param.ty).shape, Shape::Int { character: false, .. })
}

/// Whether a parameter of this name beside a pointer says how many elements it leads to. Beside text, `count` counts
/// something else more often than not, and beside a struct `size` does.
fn counts(types: &Types, pointer: &Param, length: &str) -> bool {
    const OF_TEXT: &[&str] = &["n", "len", "length", "size", "sz"];
    let is_text = match types.get(pointer.ty).shape {
        Shape::Pointer(target) => {
            matches!(types.get(target).shape, Shape::Int { character: true, .. })
                && types.get(target).name.as_deref() == Some("char")
        }
        _ => false,
    };
    let is_record = match types.get(pointer.ty).shape {
        Shape::Pointer(target) => matches!(types.get(target).shape, Shape::Record { .. }),
        _ => false,
    };
    let words = if is_text { OF_TEXT } else { WORDS };
    let is_one_of = |words: &[&str]| words.iter().any(|word| length.eq_ignore_ascii_case(word));
    is_one_of(words) && !(is_record && is_one_of(&["size", "sz"]))
}

/// `text_length` of `text`, `nitems` of `items`, `item_count` of `items`.
fn mentions(length: &str, pointer: &str) -> bool {
    let stem = strip_end(pointer, "s").filter(|stem| stem.len() > 1).unwrap_or(pointer);
    let is_word = |rest: &str| WORDS.iter().any(|word| rest.eq_ignore_ascii_case(word));
    [pointer, stem].into_iter().any(|name| {
        let behind = strip_start(length, name).map(|rest| rest.strip_prefix('_').unwrap_or(rest));
        let before = strip_end(length, name).map(|rest| rest.strip_suffix('_').unwrap_or(rest));
        behind.is_some_and(is_word) || before.is_some_and(is_word)
    })
}

/// What is left of a text without its beginning, whatever the case of the letters.
fn strip_start<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(start.len())?;
    head.eq_ignore_ascii_case(start).then_some(rest)
}

/// What is left of a text without its end, whatever the case of the letters.
fn strip_end<'a>(text: &'a str, end: &str) -> Option<&'a str> {
    let (rest, tail) = text.split_at_checked(text.len().checked_sub(end.len())?)?;
    tail.eq_ignore_ascii_case(end).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use testwright_base::contract::Contract;
    use testwright_base::ids::{FunctionId, TypeId};
    use testwright_base::pairs::{Pair, pairs};
    use testwright_base::sample;
    use testwright_base::subject::Subject;
    use testwright_base::types::Type;

    fn check(params: &[(&str, bool)], expected: &[(usize, usize)]) {
        check_with(&Contract::default(), params, expected);
    }

    fn check_with(contract: &Contract, params: &[(&str, bool)], expected: &[(usize, usize)]) {
        let mut types = Types::default();
        let int = types.push(Type {
            name: Some("int".to_owned()),
            size: 4,
            align: 4,
            shape: Shape::Int { bits: 32, signed: true, character: false },
        });
        let pointer = types.push(Type { name: None, size: 8, align: 8, shape: Shape::Pointer(int) });
        let params: Vec<(&str, TypeId)> = params
            .iter()
            .map(|(name, is_pointer)| (*name, if *is_pointer { pointer } else { int }))
            .collect();
        let mut function = sample::taking("f", &params, int);
        let signature = function.signature.as_ref().unwrap();
        function.lengths = lengths(&types, &signature.params);
        function.contract = contract.clone();
        let subject = Subject { types, functions: vec![function], ..sample::empty_subject() };
        let found: Vec<(usize, usize)> =
            pairs(&subject, FunctionId(0)).iter().map(|pair| (pair.pointer, pair.length)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn pointers_in_a_row_share_the_length_behind_them() {
        check(&[("dest", true), ("src", true), ("n", false)], &[(1, 2), (0, 2)]);
        check(&[("out", true), ("x", false), ("items", true), ("n", false)], &[(2, 3)]);
    }

    #[test]
    fn a_length_beside_its_pointer_is_found() {
        check(&[("x", false), ("y", true), ("n", false)], &[(1, 2)]);
        check(&[("length", false), ("text", true)], &[(1, 0)]);
    }

    #[test]
    fn a_length_that_names_its_pointer_is_found_anywhere() {
        check(&[("item_count", false), ("mode", false), ("items", true)], &[(2, 0)]);
        check(&[("a", true), ("b", true), ("b_len", false), ("a_len", false)], &[(0, 3), (1, 2)]);
    }

    #[test]
    fn what_a_contract_states_is_not_guessed() {
        let stated = Pair { pointer: 0, length: 2, stated: true, shared: false };
        let contract = Contract { lengths: vec![stated], ..Contract::default() };
        check_with(&contract, &[("a", true), ("n", false), ("m", false)], &[(0, 2)]);
        let text = Contract { null_terminated: [0].into(), ..Contract::default() };
        check_with(&text, &[("a", true), ("n", false)], &[]);
    }

    #[test]
    fn other_integers_are_no_lengths_and_none_serves_twice() {
        check(&[("p", true), ("x", false)], &[]);
        check(&[("a", true), ("n", false), ("b", true)], &[(0, 1)]);
    }
}

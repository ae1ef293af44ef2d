//! A suite that replaces another one: what did not change keeps its name and its place.

use crate::sketch::{Sketch, call, found, returned};
use std::collections::BTreeMap;
use testwright_base::case::Value;
use testwright_base::ids::{FunctionId, SiteId};
use testwright_base::run::End;
use testwright_base::sample;
use testwright_base::site::{CheckKind, SiteKind};
use testwright_suite::emit::Format;
use testwright_suite::replay::{INDEX, Index};
use testwright_suite::{Earlier, Found, Suite};

const TEXT: &str = "\
int sign(int x)
{
    return x < 0 ? -1 : 100 / x;
}

int twice(int x)
{
    return 2 * x;
}
";

const WITH_COMMENT: &str = "\
/* Never for 0. */
int sign(int x)
{
    return x < 0 ? -1 : 100 / x;
}

int twice(int x)
{
    return 2 * x;
}
";

/// The branch is there three times, as if it were three ways to the same condition: each has outcomes of its own, which the
/// same words tell.
fn sketch(text: &'static str) -> Sketch {
    let mut sketch = Sketch::new("sign.c", text);
    let int = sample::int(&mut sketch.subject.types, "int", 32, true);
    let function = |name| sample::taking(name, &[("x", int)], int);
    sketch.subject.functions = vec![function("sign"), function("twice")];
    for _ in 0..3 {
        sketch.site(FunctionId(0), SiteKind::Branch, 2, "x ^< 0");
    }
    sketch.site(FunctionId(0), SiteKind::Check(CheckKind(3)), 1, "100 ^/ x");
    sketch
}

/// A call of `sign` that returns this and takes the branch of this number the second way.
fn sign(x: i128, result: i128, branch: u32) -> Found {
    found(call(0, vec![Value::Int(x)]), returned(Some(Value::Int(result)), vec![None]), 2 * branch + 1)
}

fn twice(x: i128) -> Found {
    let run = returned(Some(Value::Int(2 * x)), vec![None]);
    Found { goals: Vec::new(), ..found(call(1, vec![Value::Int(x)]), run, 0) }
}

fn division_by_zero() -> Found {
    let mut found = found(call(0, vec![Value::Int(0)]), returned(None, vec![None]), 6);
    found.run.end = End::Trap { kind: CheckKind(3), site: Some(SiteId(3)) };
    found
}

/// The files of a suite in format gtest, which has names of its own.
fn files(text: &'static str, found: &[Found], earlier: Earlier) -> BTreeMap<String, String> {
    let sketch = sketch(text);
    let mut input = sketch.input(found.to_vec());
    input.style.formats = vec![Format::named("gtest").expect("it is a format")];
    input.earlier = earlier;
    Suite::new(input).files().into_iter().collect()
}

fn index(files: &BTreeMap<String, String>) -> Index {
    serde_json::from_str(&files[INDEX]).expect("the index is JSON")
}

fn earlier(files: &BTreeMap<String, String>) -> Earlier {
    Earlier::new(&index(files), |path| files.get(path).cloned())
}

fn names(files: &BTreeMap<String, String>) -> Vec<String> {
    index(files).cases.iter().filter_map(|saved| saved.name().map(str::to_owned)).collect()
}

/// Expects these names, in order, in a suite that replaces another one, and the same suite if it is made once more.
#[track_caller]
fn check(before: &[Found], after: &[Found], expected: &[&str]) -> String {
    let before = files(TEXT, before, Earlier::default());
    let replaced = files(TEXT, after, earlier(&before));
    assert_eq!(names(&replaced), expected);
    assert_eq!(files(TEXT, after, earlier(&replaced)), replaced);
    replaced["sign_gtest.cc"].clone()
}

#[test]
fn a_test_keeps_its_name_whoever_wants_it_too() {
    let (old, new) = (sign(7, 14, 1), sign(6, 14, 0));
    check(&[], &[new.clone(), old.clone()], &["returns_14_if_x_ge_0", "returns_14_if_x_ge_0_2"]);
    check(
        std::slice::from_ref(&old),
        &[new.clone(), old.clone()],
        &["returns_14_if_x_ge_0_2", "returns_14_if_x_ge_0"],
    );
    check(&[new, old.clone()], &[old], &["returns_14_if_x_ge_0_2"]);
}

#[test]
fn a_test_that_does_something_else_is_called_otherwise() {
    check(&[sign(7, 14, 0)], &[sign(7, 15, 0)], &["returns_15_if_x_ge_0"]);
}

#[test]
fn tests_stay_in_their_order_and_new_ones_go_where_the_code_has_them() {
    let before = [sign(1, 100, 0), sign(2, 50, 1)];
    // What they show has changed places.
    let after = [sign(1, 100, 2), sign(2, 50, 1), sign(3, 33, 0), twice(0)];
    check(&before, &after[..2], &["returns_100_if_x_ge_0", "returns_50_if_x_ge_0"]);
    let expected =
        ["sign_returns_33_if_x_ge_0", "returns_100_if_x_ge_0", "returns_50_if_x_ge_0", "twice_returns_0"];
    check(&before, &after, &expected);
}

#[test]
fn a_function_that_comes_or_goes_renames_no_test_of_another() {
    let (old, new) = (sign(7, 14, 0), sign(6, 14, 1));
    let heads = |text: &str| {
        let heads = text.lines().filter(|line| line.starts_with("TEST("));
        heads.map(|head| head.trim_end_matches(" {").to_owned()).collect::<Vec<_>>()
    };
    let all = [new.clone(), old.clone(), twice(0)];
    let expected = ["returns_14_if_x_ge_0", "sign_returns_14_if_x_ge_0_2", "twice_returns_0"];
    let text = check(std::slice::from_ref(&old), &all, &expected);
    // This format leaves the function out of the name.
    let expected =
        ["TEST(sign, returns_14_if_x_ge_0)", "TEST(sign, returns_14_if_x_ge_0_2)", "TEST(twice, returns_0)"];
    assert_eq!(heads(&text), expected);
    let text = check(
        &[old.clone(), twice(0)],
        &[new, old],
        &["sign_returns_14_if_x_ge_0", "returns_14_if_x_ge_0_2"],
    );
    assert_eq!(heads(&text), expected[..2]);
}

#[test]
fn a_finding_keeps_its_name_when_its_line_moves() {
    let before = files(TEXT, &[division_by_zero()], Earlier::default());
    assert_eq!(names(&before), ["sign_division_by_zero_or_overflow_in_a_division_line_3"]);
    let after = files(WITH_COMMENT, &[division_by_zero()], earlier(&before));
    assert_eq!(names(&after), names(&before));
    assert!(after["findings.c"].contains("sign.c:4"), "{}", after["findings.c"]);
}

#[test]
fn what_an_older_version_saved_has_no_names_to_keep() {
    let (old, new) = (sign(7, 14, 1), sign(6, 14, 0));
    let mut before = files(TEXT, std::slice::from_ref(&old), Earlier::default());
    let without = before[INDEX].replace("\"test\": \"returns_14\",", "");
    assert_ne!(before.insert(INDEX.to_owned(), without.clone()), Some(without));
    assert_eq!(names(&before).len(), 1, "it can be read still");
    assert_eq!(earlier(&before), Earlier::default());
    let after = files(TEXT, &[new, old], earlier(&before));
    assert_eq!(names(&after), ["returns_14_if_x_ge_0", "returns_14_if_x_ge_0_2"]);
}

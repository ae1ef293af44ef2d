//! Calling contexts in traces: equal for equal stacks of calls, and different for different ones.

#[path = "core/load.rs"]
mod load;

use std::collections::BTreeSet;
use testwright_base::json::parse_case;
use testwright_base::site::SiteKind;
use testwright_exec::{Session, Trace};
use testwright_logic::path::{EventKind, Step};
use testwright_search::tree::{RunId, Tree};

const SUBJECT: &str = r#"
#include <search.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static int is_large(int x)
{
    if (x > 100)
        return 1;
    return 0;
}

int from_two_places(int a, int b)
{
    int large = is_large(a);
    return large + is_large(b);
}

int from_a_loop(int a[3])
{
    int large = 0;
    for (int i = 0; i < 3; i++)
        large += is_large(a[i]);
    return large;
}

static int either(int a, int b)
{
    if (a == b)
        return 0;
    return is_large(a);
}

int through_another(int a, int b)
{
    return either(a, b) + either(b, a);
}

int own_decision(int a)
{
    switch (a) {
    case 3:
        return 1;
    default:
        return is_large(a);
    }
}

int down(int n)
{
    if (n <= 0)
        return 0;
    return 1 + down(n - 1);
}

static int is_odd(int n);

static int is_even(int n)
{
    if (n <= 0)
        return 1;
    return is_odd(n - 1);
}

static int is_odd(int n)
{
    if (n <= 0)
        return 0;
    return is_even(n - 1);
}

int by_turns(int n)
{
    return is_even(n);
}

static jmp_buf place;

static void leave_if_large(int a)
{
    if (is_large(a))
        longjmp(place, 1);
}

int after_a_jump(int a, int b)
{
    if (setjmp(place) == 0)
        leave_if_large(a);
    return is_large(b);
}

static int (*const checks[])(int) = {is_large, down};

int through_a_pointer(int which, int a)
{
    int sum = checks[which & 1](a);
    return sum + checks[which & 1](a);
}

static int differ(const void *a, const void *b)
{
    int difference = *(const int *)a - *(const int *)b;
    if (difference == 0)
        return is_large(*(const int *)a) - 2;
    return is_large(*(const int *)b) + 1;
}

int called_back(int a[3], int wanted)
{
    size_t count = 3;
    int before = is_large(wanted);
    int found = lfind(&wanted, a, &count, sizeof *a, differ) != NULL;
    return before + found + (lfind(&wanted, a, &count, sizeof *a, differ) != NULL);
}

static int is_large_at(const int *a)
{
    return is_large(*a);
}

/* Computed jumps are not traced. */
static int jumps(const int *a, int way)
{
    static const void *const ways[] = {&&once, &&twice};
    int large = 0;
    goto *ways[way];
twice:
    large += is_large_at(a);
once:
    large += is_large_at(a);
    return large;
}

int through_native_code(int a[2])
{
    int large = jumps(a, 1);
    large += is_large_at(a + 1);
    return large + jumps(a, 0);
}

int in_a_model(char a[4])
{
    a[3] = 0;
    int same = strcmp(a, "abc") == 0;
    return same + (strcmp(a, "abd") == 0);
}

int ends(int a)
{
    if (is_large(a))
        exit(a);
    return down(a);
}
"#;

/// A worker with the builds of the subject.
fn session() -> Session {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("contexts.c");
    std::fs::write(&path, SUBJECT).expect("written");
    load::load(&path)
}

fn trace(session: &mut Session, function: &str, case: &str) -> Trace {
    let id = session.subject().function_named(function).expect("a function of the subject");
    let case = parse_case(session.subject(), id, case).expect("a case");
    session.trace(&case).expect("a trace")
}

/// The function and the context of each decision that the subject's author or a model wrote.
fn decisions(session: &Session, trace: &Trace) -> Vec<(String, u32)> {
    let subject = session.subject();
    let decision = |step: &Step| {
        let site = &subject.sites[step.site? as usize];
        let written = matches!(site.kind, SiteKind::Branch | SiteKind::Switch { .. });
        let decided = matches!(step.kind, EventKind::Branch | EventKind::Switch);
        (written && decided).then(|| (subject.function(site.function).name.clone(), step.extra))
    };
    trace.path.steps().iter().filter_map(decision).collect()
}

/// The contexts of the decisions of `inner`, in the run of a case of `outer`.
fn contexts(session: &mut Session, outer: &str, case: &str, inner: &str) -> Vec<u32> {
    let trace = trace(session, outer, case);
    let decisions = decisions(session, &trace);
    decisions.into_iter().filter(|(name, _)| name == inner).map(|(_, context)| context).collect()
}

fn all_differ(contexts: &[u32]) -> bool {
    contexts.iter().collect::<BTreeSet<_>>().len() == contexts.len()
}

#[test]
fn the_function_under_test_has_context_0_and_what_it_calls_has_not() {
    let mut session = session();
    assert_eq!(contexts(&mut session, "own_decision", "[4]", "own_decision"), [0]);
    let [inner] = contexts(&mut session, "own_decision", "[4]", "is_large")[..] else { panic!("one call") };
    assert_ne!(inner, 0);
    assert_eq!(contexts(&mut session, "down", "[0]", "down"), [0]);
}

#[test]
fn calls_from_different_places_differ() {
    let mut session = session();
    let two = contexts(&mut session, "from_two_places", "[1, 2]", "is_large");
    assert!(two.len() == 2 && all_differ(&two), "{two:?}");
    let other = contexts(&mut session, "own_decision", "[4]", "is_large");
    assert!(!two.contains(&other[0]), "{two:?} {other:?}");
}

#[test]
fn calls_from_one_place_are_alike_if_their_callers_are() {
    let mut session = session();
    let [first, second, third] = contexts(&mut session, "from_a_loop", "[[1, 200, 3]]", "is_large")[..]
    else {
        panic!("three calls")
    };
    assert!(first == second && second == third);
    let nested = contexts(&mut session, "through_another", "[1, 2]", "is_large");
    assert!(nested.len() == 2 && all_differ(&nested), "the same place, reached by two calls: {nested:?}");
}

#[test]
fn each_depth_of_a_recursion_differs() {
    let mut session = session();
    let depths = contexts(&mut session, "down", "[300]", "down");
    assert!(depths.len() == 301 && all_differ(&depths), "{depths:?}");
    let turns = [("is_even", 101), ("is_odd", 100)].map(|(inner, count)| {
        let contexts = contexts(&mut session, "by_turns", "[200]", inner);
        assert!(contexts.len() == count && all_differ(&contexts), "{contexts:?}");
        contexts
    });
    assert!(all_differ(&turns.concat()));
}

#[test]
fn a_far_jump_changes_nothing_in_what_follows() {
    let mut session = session();
    let stayed = contexts(&mut session, "after_a_jump", "[1, 2]", "is_large");
    let jumped = contexts(&mut session, "after_a_jump", "[200, 2]", "is_large");
    assert!(stayed.len() == 2 && all_differ(&stayed), "{stayed:?}");
    assert_eq!(stayed, jumped);
}

#[test]
fn calls_through_a_pointer_differ_by_place() {
    let mut session = session();
    let large = contexts(&mut session, "through_a_pointer", "[0, 5]", "is_large");
    assert!(large.len() == 2 && all_differ(&large), "{large:?}");
    let down = contexts(&mut session, "through_a_pointer", "[1, 2]", "down");
    assert!(down.len() == 6 && all_differ(&down), "{down:?}");
    assert_eq!(
        (down[0], down[3]),
        (large[0], large[1]),
        "the place of the call decides, not what was called"
    );
}

#[test]
fn native_code_calls_back_in_the_context_of_its_own_call() {
    let mut session = session();
    let case = "[[1, 2, 3], 4]";
    let compared = contexts(&mut session, "called_back", case, "differ");
    assert_eq!(compared.len(), 6);
    assert!(compared[..3].iter().all(|context| *context == compared[0]), "{compared:?}");
    assert!(compared[3..].iter().all(|context| *context == compared[3]), "{compared:?}");
    assert_ne!(compared[0], compared[3]);
    let large = contexts(&mut session, "called_back", case, "is_large");
    assert_eq!(large.len(), 7);
    assert!(large[1..4].iter().all(|context| *context == large[1]), "{large:?}");
    assert!(all_differ(&[large[0], large[1], large[4]]), "{large:?}");
}

#[test]
fn a_function_that_is_not_traced_hands_on_the_context_of_its_call() {
    let mut session = session();
    let [first, second, between, last] =
        contexts(&mut session, "through_native_code", "[[1, 2]]", "is_large")[..]
    else {
        panic!("four calls")
    };
    assert_eq!(first, second, "places in code that is not traced do not count");
    assert!(all_differ(&[first, between, last]));
}

#[test]
fn calls_of_a_model_differ_by_place() {
    let mut session = session();
    let inside = contexts(&mut session, "in_a_model", "[[97, 98, 99, 0]]", "tw_model_strcmp");
    let calls = inside.chunk_by(|one, next| one == next).map(|call| call[0]).collect::<Vec<_>>();
    assert!(calls.len() == 2 && all_differ(&calls), "{inside:?}");
}

#[test]
fn contexts_do_not_depend_on_earlier_runs() {
    let mut session = session();
    let cases = [
        ("ends", "[3]"),
        ("ends", "[200]"),
        ("called_back", "[[1, 2, 3], 4]"),
        ("after_a_jump", "[200, 2]"),
        ("through_a_pointer", "[1, 2]"),
        ("by_turns", "[5]"),
        ("through_native_code", "[[1, 2]]"),
    ];
    let mut round = || cases.map(|(function, case)| trace(&mut session, function, case));
    let (first, second) = (round(), round());
    for ((one, other), (function, case)) in first.iter().zip(&second).zip(cases) {
        assert!(!one.path.steps().is_empty(), "{function} {case}");
        assert_eq!(one.path.steps(), other.path.steps(), "{function} {case}");
    }
}

#[test]
fn the_tree_counts_repetitions_within_a_context() {
    let mut session = session();
    let mut occurrences = |function: &str, case: &str, inner: &str| {
        let trace = trace(&mut session, function, case);
        let subject = session.subject();
        let mut tree = Tree::new(100, 4);
        let nodes = tree.insert(subject, RunId(0), &trace.exprs, &trace.path).nodes;
        let site_of_inner = |site: Option<u32>| {
            let site = &subject.sites[site? as usize];
            (site.kind == SiteKind::Branch && subject.function(site.function).name == inner).then_some(())
        };
        let nodes = nodes.into_iter().map(|id| tree.node(id));
        nodes
            .filter(|node| site_of_inner(node.site()).is_some())
            .map(|node| node.occurrence)
            .collect::<Vec<_>>()
    };
    assert_eq!(occurrences("from_two_places", "[1, 2]", "is_large"), [0, 0]);
    assert_eq!(occurrences("from_a_loop", "[[1, 2, 3]]", "is_large"), [0, 1, 2]);
    assert_eq!(occurrences("down", "[3]", "down"), [0, 0, 0, 0]);
}

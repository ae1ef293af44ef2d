//! Path conditions of small functions, the two figures of the paper among them.

use super::{Analysis, Fallback, Settings, TargetConditions};
use crate::inspect::testing::prepared;
use std::collections::BTreeSet;
use testwright_base::ids::FunctionId;
use testwright_base::subject::Subject;

fn analyse(text: &str, settings: Settings) -> (Subject, Analysis) {
    let prepared = prepared(text);
    let functions: BTreeSet<FunctionId> = (0..prepared.subject.functions.len()).map(FunctionId::of).collect();
    let (object, analysis) = crate::fitness_object(&prepared, &functions, &settings).unwrap();
    (object.subject, analysis)
}

/// The paths to the true or false outcome of the first branch in a line: `line: conditions; n dropped`.
#[track_caller]
fn paths(analysed: &(Subject, Analysis), line: u32, way: u32) -> Vec<String> {
    let (subject, analysis) = analysed;
    let is_there = |site: &&testwright_base::site::Site| {
        site.place.as_ref().is_some_and(|place| place.line == line) && site.outcome_count == 2
    };
    let site = subject.sites.iter().find(is_there).expect("a branch in the line");
    let target = testwright_base::ids::OutcomeId(site.first_outcome.0 + way);
    match &analysis.targets[&target] {
        TargetConditions::Nodes(nodes) => nodes
            .iter()
            .flat_map(|node| {
                node.paths.iter().map(|(dropped, conditions)| {
                    format!("{}: {}; {dropped} dropped", node.line, conditions.join(" && "))
                })
            })
            .collect(),
        TargetConditions::Fallback(why) => vec![format!("standard: {why}")],
    }
}

const FIGURE_1: &str = "void foo(int x, int y, int z) {
    if (x == 0)
        if (y == z)
            if (x == z) {
                x = 4;
            }
}
";

#[test]
fn the_first_figure_of_the_paper_has_one_complete_path() {
    let analysed = analyse(FIGURE_1, Settings::default());
    assert_eq!(paths(&analysed, 4, 0), ["2: x == 0 && y == z && x == z; 0 dropped"]);
    assert_eq!(paths(&analysed, 3, 1), ["2: x == 0 && y != z; 0 dropped"]);
}

const FIGURE_2: &str = "void foo(int n, int a, int b) {
    int s = 0;
    if (n > 0) {
        for (int i = 0; i < n; i++)
            s += i;
        if (a == n) {
            if (s == 10) {
                if (b == s) {
                    s = 8;
                }
            }
        }
    }
}
";

#[test]
fn the_second_figure_of_the_paper_drops_three_conditions_until_the_loop_is_left() {
    let analysed = analyse(FIGURE_2, Settings::default());
    let paths = paths(&analysed, 8, 0);
    // The path that does not enter the loop contradicts itself, n > 0 and 0 >= n, and is left out. The other one drops
    // 1 >= n, s == 10 and b == s; 0 < n says no more than n > 0.
    assert_eq!(paths[0], "3: n > 0 && n == a; 3 dropped");
    let at = |line: u32| {
        let start = format!("{line}: ");
        paths.iter().filter(|path| path.starts_with(&start)).cloned().collect::<Vec<_>>()
    };
    // Once the loop is left nothing is dropped any more: the run itself knows s.
    assert_eq!(at(6).len(), 1, "{paths:?}");
    assert!(at(6)[0].starts_with("6: n == a && ") && at(6)[0].ends_with("; 0 dropped"), "{paths:?}");
    assert_eq!(at(3).len(), 1, "{paths:?}");
}

#[test]
fn a_loop_that_is_unrolled_further_keeps_the_conditions_of_its_first_rounds() {
    let text = "int f(int n, int a, int k) {\n    int s = 0;\n    if (k == 1) {\n        for (int i = 0; i < n; i++)\n            \
                s += a;\n        if (s == 10)\n            return 1;\n    }\n    return 0;\n}\n";
    let first = |unroll| paths(&analyse(text, Settings { unroll, ..Settings::default() }), 6, 0);
    assert_eq!(first(1)[0], "3: k == 1 && n > 0; 2 dropped");
    assert_eq!(
        first(2)[..2],
        ["3: k == 1 && n > 0 && n <= 1 && a == 10; 0 dropped", "3: k == 1 && n > 1; 2 dropped"]
    );
}

#[test]
fn what_a_variable_was_given_before_is_seen_through() {
    let text = "int f(int a, int b) {\n    int equal = 0;\n    if (a == b)\n        equal = 1;\n    \
                if (equal == 1)\n        return 1;\n    return 0;\n}\n";
    let analysed = analyse(text, Settings::default());
    // The decision on `equal` does not depend on the one before; its own path is all there is.
    assert_eq!(paths(&analysed, 3, 0), ["3: a == b; 0 dropped"]);
    let nested = "int f(int a, int b, int c) {\n    int equal = 0;\n    if (c > 0) {\n        if (a == b)\n            \
                  equal = 1;\n        if (equal == 1)\n            return 1;\n    }\n    return 0;\n}\n";
    let analysed = analyse(nested, Settings::default());
    assert_eq!(paths(&analysed, 6, 0), ["3: c > 0 && a == b; 0 dropped"]);
    assert_eq!(paths(&analysed, 6, 1), ["3: c > 0 && a != b; 0 dropped"]);
}

#[test]
fn a_decision_that_makes_no_difference_disappears() {
    let text = "int f(int a, int b, int c) {\n    int n = 0;\n    if (c) {\n        if (a > 3)\n            n = 5;\n        \
                if (b == 7)\n            return 1;\n    }\n    return n;\n}\n";
    assert_eq!(paths(&analyse(text, Settings::default()), 6, 0), ["3: c != 0 && b == 7; 0 dropped"]);
}

#[test]
fn conditions_that_need_an_overflow_are_left_to_the_standard_function() {
    let text = "int f(short x, short y) {\n    short d = (short)(x - y);\n    if (x >= 0) {\n        if (y < 0) {\n            \
                if (d < 0)\n                return 1;\n        }\n    }\n    return 0;\n}\n";
    let analysed = analyse(text, Settings::default());
    let text = &paths(&analysed, 5, 0)[0];
    assert!(text.starts_with("standard: its conditions pull against each other: "), "{text}");
    assert!(paths(&analysed, 5, 1)[0].ends_with("; 0 dropped"));
}

#[test]
fn too_many_paths_lead_to_the_standard_function() {
    let text = "int f(int a, int b, int c) {\n    int n = 0;\n    if (c) {\n        if (a > 3)\n            n = 5;\n        \
                if (b > 4)\n            n = n + 7;\n        if (n == c)\n            return 1;\n    }\n    return 0;\n}\n";
    let few = analyse(text, Settings { paths: 3, ..Settings::default() });
    let expected = Fallback::Paths { limit: 3, line: 3 };
    assert_eq!(paths(&few, 8, 0), [format!("standard: {expected}")]);
    assert_eq!(paths(&few, 4, 0), ["3: c != 0 && a > 3; 0 dropped"], "others keep their conditions");
    // Of four, the one on which n stays 0 contradicts c != 0.
    assert_eq!(paths(&analyse(text, Settings::default()), 8, 0).len(), 3);
}

#[test]
fn memory_is_followed_through_stores_and_pointers() {
    let text = "struct s { int a, b; };\nint f(struct s *p, int k) {\n    if (k == 1) {\n        p->b = p->a + 2;\n        \
                if (p->b == 9)\n            return 1;\n    }\n    return 0;\n}\n";
    let analysed = analyse(text, Settings::default());
    assert_eq!(paths(&analysed, 5, 0), ["3: k == 1 && (*p + 2) == 9; 0 dropped"]);
}

#[test]
fn switches_become_choices_of_cases() {
    let text = "int f(int k, int x) {\n    switch (k) {\n    case 3:\n    case 5:\n        if (x == 1)\n            return 1;\n        \
                return 2;\n    default:\n        return 0;\n    }\n}\n";
    let analysed = analyse(text, Settings::default());
    assert_eq!(paths(&analysed, 5, 0), ["2: k is one of 3, 5 && x == 1; 0 dropped"]);
}

#[test]
fn callers_lead_to_the_targets_of_what_they_call() {
    let text = "static int g(int x) {\n    if (x == 3)\n        return 1;\n    return 0;\n}\n\
                int f(int a, int x) {\n    if (a == 2)\n        return g(x);\n    return 0;\n}\n";
    let analysed = analyse(text, Settings::default());
    assert_eq!(paths(&analysed, 2, 0), ["2: x == 3; 0 dropped", "7: a == 2; 1 dropped"]);
}

#[test]
fn inputs_without_influence_are_known() {
    let text = "int limit;\nint unused;\nint f(int a, int b, int c, const int *p, const int *q) {\n    int n = 0;\n    \
                if (a > 3)\n        n = b;\n    if (n == 5)\n        return p[1] > limit;\n    if (c == 2)\n        \
                return q[0] + unused;\n    return 0;\n}\n";
    let prepared = prepared(text);
    let influences = super::influence::influences(&prepared, FunctionId(0)).unwrap();
    let params = |line: u32| {
        let is_there = |site: &&testwright_base::site::Site| {
            site.outcome_count == 2 && site.place.as_ref().is_some_and(|place| place.line == line)
        };
        let site = prepared.subject.sites.iter().find(is_there).expect("a branch in the line");
        influences[&site.first_outcome].params.iter().copied().collect::<Vec<_>>()
    };
    assert_eq!(params(5), [0]);
    assert_eq!(params(7), [0, 1]);
    assert_eq!(params(9), [0, 1, 2], "line 7 decides about line 9");
    assert!(influences.values().all(|influence| influence.globals.as_ref().is_some_and(BTreeSet::is_empty)));
}

#[test]
fn what_a_decision_has_loaded_and_loads_again_is_one_value() {
    let text = "int f(const char *t) {
    if (*t != 'a') {
        int kind = 0;
        if (*t == '-')
            kind = 1;
        else if (*t == ' ')
            kind = 1;
        if (kind == 1)
            return 1;
    }
    return 0;
}
";
    let analysed = analyse(text, Settings::default());
    // `!= '-'` is implied by `== ' '`, so both ways differ in one condition only.
    let found = paths(&analysed, 8, 0);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("== 45 or ") || found[0].contains("== 32 or "), "{found:?}");
    assert!(found[0].starts_with("2: ") && !found[0].contains("!="), "{found:?}");
}

#[test]
fn bounds_without_a_sign_exclude_each_other() {
    let text = "int g(int);
int f(unsigned n, int c) {
    if (c > 5) {
        int kind = 0;
        if (n <= 3)
            kind = c;
        if (n >= 9 && kind == 0)
            return 2;
    }
    return 0;
}
";
    let analysed = analyse(text, Settings::default());
    // The way past `n <= 3` cannot lead to `n >= 9`, which implies the other.
    assert_eq!(paths(&analysed, 7, 0), ["3: c > 5 && n >= 9; 0 dropped"]);
}

#[test]
fn decisions_that_make_no_difference_vanish_although_they_are_nested() {
    let text = "int g(int);
int f(int format, int bytes, int z) {
    if (z > 3) {
        if (format == 1 && bytes == 1)
            g(1);
        else if (format == 1 && bytes == 2)
            g(2);
        else if (format == 2 && bytes == 4)
            g(3);
        if (z == 7)
            return 1;
    }
    return 0;
}
";
    let analysed = analyse(text, Settings::default());
    assert_eq!(paths(&analysed, 10, 0), ["3: z == 7; 0 dropped"]);
}

#[test]
fn conditions_on_what_rounds_leave_behind_come_first() {
    let text = "int f(const char *t) {
    int count = 0;
    for (; *t; t++) {
        if (count == 3 && *t == 'x')
            return 1;
        count++;
    }
    return 0;
}
";
    let analysed = analyse(text, Settings::default());
    let (subject, analysis) = &analysed;
    let at = |column: &u32| {
        let is_there = |site: &&testwright_base::site::Site| {
            site.outcome_count == 2
                && site.place.as_ref().is_some_and(|place| (place.line, place.column) == (4, *column))
        };
        subject.sites.iter().find(is_there)
    };
    let site = [24, 27, 30].iter().find_map(at).expect("the second part of the condition");
    let TargetConditions::Nodes(nodes) = &analysis.targets[&site.first_outcome] else {
        panic!("it has conditions");
    };
    let marked = |node: &super::NodeConditions| {
        node.words.iter().any(|word| word & testwright_abi::fitness::FIRST != 0)
    };
    let asks_for_count = |node: &super::NodeConditions| {
        node.paths.iter().any(|(_, clauses)| clauses.iter().any(|clause| clause.ends_with("== 3")))
    };
    assert!(nodes.iter().any(asks_for_count), "{nodes:?}");
    for node in nodes {
        assert_eq!(marked(node), asks_for_count(node), "{node:?}");
    }
}

const DIGITS: &str = "int f(const char *t, int n) {
    int digits = 0, sum = 0;
    for (; *t; t++) {
        if (*t == '-')
            continue;
        if (*t < '0')
            return 1;
        digits++;
        sum += n;
    }
    if (digits == 9)
        return 2;
    if (sum == 9)
        return 3;
    return 0;
}
";

#[test]
fn paths_round_a_loop_know_what_rounds_add_to_counters() {
    let analysed = analyse(DIGITS, Settings::default());
    let to_digits = paths(&analysed, 11, 0);
    let with = |paths: &[String], text: &str| paths.iter().filter(|path| path.contains(text)).count();
    // A round with a hyphen adds nothing, one with a digit adds one.
    assert!(with(&to_digits, " + 1) == 9;") > 0 && with(&to_digits, "later %") > 0, "{to_digits:?}");
    let round = to_digits.iter().find(|path| path.starts_with("3: ") && path.contains(">= 48"));
    let round = round.expect("a path with a digit");
    // Whether that was the last round is not known: both conditions count as dropped.
    assert!(round.contains(" && later (") && round.ends_with("; 2 dropped"), "{round}");
    // Inputs decide how far `sum` moves, so it is destroyed.
    let to_sum = paths(&analysed, 13, 0);
    assert!(with(&to_sum, "; 3 dropped") > 0, "{to_sum:?}");
    assert!(to_sum.iter().all(|path| !path.contains("later") || !path.contains("== 9")), "{to_sum:?}");
}

#[test]
fn conditions_on_counters_count_rounds_and_a_counter_as_it_is_can_forbid_a_path() {
    use testwright_abi::fitness::{COUNTED, FIRST};
    let (subject, analysis) = analyse(DIGITS, Settings::default());
    let is_there = |site: &&testwright_base::site::Site| {
        site.outcome_count == 2 && site.place.as_ref().is_some_and(|place| place.line == 11)
    };
    let site = subject.sites.iter().find(is_there).expect("a branch in the line");
    let TargetConditions::Nodes(nodes) = &analysis.targets[&site.first_outcome] else {
        panic!("it has conditions");
    };
    // The decision itself: one condition, one path that the counter may forbid, and more than round the loop counts then.
    let last = nodes.iter().find(|node| node.line == 11).expect("the decision itself");
    let [1, 0, 1, head, 1, marked, 0] = last.words[..] else { panic!("{:?}", last.words) };
    assert_eq!((head & 0xffff, marked), (0, FIRST | COUNTED | 1));
    let dropped = nodes.iter().flat_map(|node| &node.paths).map(|(dropped, _)| *dropped).max();
    assert!(Some(head >> 16) > dropped, "{head:x}, {nodes:?}");
    let goes_round = |node: &super::NodeConditions| node.words.contains(&(COUNTED | 1));
    assert!(nodes.iter().any(goes_round), "{nodes:?}");
}

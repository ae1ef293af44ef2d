//! Decisions of several clauses: what the written tests show of them, as somebody else finds it out.
//!
//! The oracle knows nothing of branches. It compiles the subjects with a call around every clause, runs the inputs of the written tests, and those
//! of a small domain completely, and looks at truth tables for what each evaluation shows.

use crate::support::{Bench, ROOT, check_success};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::process::Command;

/// A decision: the texts of its clauses in order, and what it is.
type Decision = (&'static [&'static str], fn(&[bool]) -> bool);

/// The functions of the subjects that have decisions, with how many parameters they take.
const FUNCTIONS: &[(&str, usize, &[Decision])] = &[
    ("is_triangle", 3, &[(&["a > 0", "b > 0", "c > 0"], |c| c[0] && c[1] && c[2])]),
    ("may_enter", 3, &[(&["age > 6", "ticket > 3", "guard == 0"], |c| (c[0] || c[1]) && c[2])]),
    (
        "is_alarm",
        4,
        &[(&["heat < 5", "smoke < 2", "test > 0", "mute > 6"], |c| !(c[0] && c[1] || c[2] || c[3]))],
    ),
    ("overlaps", 4, &[(&["from <= to", "low <= high"], |c| c[0] && c[1])]),
    ("is_leap", 1, &[(&["year % 2 == 0", "year % 3 != 0", "year % 6 == 0"], |c| c[0] && c[1] || c[2])]),
    ("is_within", 3, &[(&["upwards > 0", "at < end", "at > end"], |c| if c[0] { c[1] } else { c[2] })]),
    ("count_down", 2, &[(&["from > 0", "count < 3", "stop == 7"], |c| c[0] && (c[1] || c[2]))]),
    (
        "vote",
        3,
        &[(&["a > 0", "b > 0", "a > 0", "c > 0", "b > 0", "c > 0"], |c| {
            c[0] && c[1] || c[2] && c[3] || c[4] && c[5]
        })],
    ),
    ("sign_of", 2, &[(&["a < 0", "a > 5", "a < 0", "b == 2"], |c| (c[0] || c[1]) && (c[2] || c[3]))]),
    (
        "calls",
        3,
        &[
            (&["is_even(a)", "is_even(b == 3 || c == 4)", "b > 5"], |c| c[0] && (c[1] || c[2])),
            (&["b == 3", "c == 4"], |c| c[0] || c[1]),
        ],
    ),
    (
        "is_allowed",
        4,
        &[(&["a == 1", "b == 1", "a == 2", "c == 2", "c == 3", "d == 3", "b == 4", "d == 4"], |c| {
            (c[0] || c[1]) && (c[2] || c[3]) && (c[4] || c[5]) && (c[6] || c[7])
        })],
    ),
];

/// What an evaluation shows of a clause: which, what it is, whether it decides, what the decision is.
type Aspect = (usize, bool, bool, bool);

/// What an evaluation shows, by truth tables: what was not evaluated may be anything.
fn aspects(seen: &[Option<bool>], is_true: fn(&[bool]) -> bool) -> Vec<Aspect> {
    let tables = |known: &[Option<bool>]| {
        let row = |bits: usize| {
            let value = |(index, value): (usize, &Option<bool>)| value.unwrap_or(bits >> index & 1 == 1);
            is_true(&known.iter().enumerate().map(value).collect::<Vec<bool>>())
        };
        (0..1 << known.len()).map(row).collect::<BTreeSet<bool>>()
    };
    let values = tables(seen);
    assert_eq!(values.len(), 1, "what was evaluated says what the decision is: {seen:?}");
    let value = values.contains(&true);
    let evaluated = seen.iter().enumerate().filter_map(|(clause, holds)| Some((clause, (*holds)?)));
    let shown = evaluated.map(|(clause, holds)| {
        let mut otherwise = seen.to_vec();
        otherwise[clause] = Some(!holds);
        (clause, holds, tables(&otherwise).contains(&!value), value)
    });
    shown.collect()
}

/// The subjects with a call around every clause, which prints the decision, the clause and what it is.
fn recording(source: &str) -> String {
    let mut insertions = Vec::new();
    for (function, (name, _, decisions)) in FUNCTIONS.iter().enumerate() {
        let body = source.find(&format!("int {name}(")).expect("the function");
        let body = body + source[body..].find('{').expect("a body");
        for (decision, (clauses, _)) in decisions.iter().enumerate() {
            let mut at = body;
            for (index, clause) in clauses.iter().enumerate() {
                at += source[at..].find(clause).unwrap_or_else(|| panic!("{name}: {clause}"));
                insertions.push((at, format!("seen({function}, {decision}, {index}, ")));
                insertions.push((at + clause.len(), ")".to_owned()));
                // A clause of a decision inside this one comes behind its start.
                at += 1;
            }
        }
    }
    insertions.sort();
    let mut text = "#include <stdio.h>\nstatic int seen(int function, int decision, int clause, int value)\n\
                    { printf(\"%d %d %d %d\\n\", function, decision, clause, value != 0); return value; }\n"
        .to_owned();
    let mut done = 0;
    for (at, insertion) in insertions {
        text += &source[done..at];
        text += &insertion;
        done = at;
    }
    text + &source[done..]
}

/// What a program with these statements in `main` prints, after the subjects.
fn printed(statements: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let source = fs::read_to_string(format!("{ROOT}/subjects/logical/decisions.c")).expect("the subjects");
    let text = format!("{}\nint main(void)\n{{\n{statements}return 0;\n}}\n", recording(&source));
    let (file, program) = (folder.path().join("main.c"), folder.path().join("main"));
    fs::write(&file, text).expect("a program is written");
    check_success(&Command::new("gcc").arg("-o").args([&program, &file]).output().expect("gcc starts"));
    check_success(&Command::new(program).output().expect("the program starts"))
}

/// What runs show of a decision of a function.
fn shown(printed: &str, function: usize, decision: usize) -> BTreeSet<Aspect> {
    let (clauses, is_true) = FUNCTIONS[function].2[decision];
    let mut all = BTreeSet::new();
    let mut seen = vec![None; clauses.len()];
    let mut last = 0;
    for line in printed.lines() {
        let numbers: Vec<usize> = line.split(' ').map(|number| number.parse().expect("a number")).collect();
        let [of_function, of_decision, clause, value] = numbers[..] else { panic!("{line}") };
        if (of_function, of_decision) != (function, decision) {
            continue;
        }
        if clause == 0 && seen[0].is_some() {
            all.extend(aspects(&seen, is_true));
            seen.fill(None);
        }
        assert!(clause == 0 || clause > last, "clauses are evaluated in order");
        seen[clause] = Some(value == 1);
        last = clause;
    }
    if seen[0].is_some() {
        all.extend(aspects(&seen, is_true));
    }
    all
}

/// The calls of a function in written tests, with the names of the tests.
fn calls(tests: &str, function: &str) -> Vec<(String, String)> {
    let tests = tests.split("TEST(").skip(1);
    let call = |test: &str| {
        let (name, body) = test.split_once(')')?;
        let start = body.find(&format!(" {function}("))? + 1;
        let end = start + body[start..].find(';')?;
        Some((name.to_owned(), format!("{};\n", &body[start..end])))
    };
    tests.filter_map(call).collect()
}

/// Calls of a function with all values of a small domain.
fn exhaustive(function: &str, parameters: usize) -> String {
    let names = ["p", "q", "r", "s"];
    let loops = names[..parameters].iter().fold(String::new(), |mut text, name| {
        let _ = write!(text, "for (int {name} = -4; {name} <= 8; {name}++) ");
        text
    });
    format!("{loops}{function}({});\n", names[..parameters].join(", "))
}

fn is_pair(one: &Aspect, other: &Aspect) -> bool {
    one.0 == other.0 && one.1 && !other.1 && one.2 && other.2 && one.3 != other.3
}

#[test]
fn written_tests_show_all_that_can_be_shown_of_every_clause() {
    let bench = Bench::file("subjects/logical/decisions.c");
    let report = bench.generate(&["--runs", "2000", "--criteria", "branch,logical"]);
    bench.check();
    let written = bench.read("out/decisions_test.c");
    for (function, (name, parameters, decisions)) in FUNCTIONS.iter().enumerate() {
        let calls = calls(&written, name);
        let by_tests = printed(&calls.iter().map(|(_, call)| call.as_str()).collect::<String>());
        let by_anything = printed(&exhaustive(name, *parameters));
        let summary = bench.function(name);
        let pairs = summary["mcdc"]["pairs"].as_array().cloned().unwrap_or_default();
        let (mut met, mut proved) = (0, 0);
        for (decision, (clauses, _)) in decisions.iter().enumerate() {
            let feasible = shown(&by_anything, function, decision);
            let all = shown(&by_tests, function, decision);
            assert_eq!(all, feasible, "{name} {decision}\n{report}");
            met += all.len() as u64;
            for (clause, text) in clauses.iter().enumerate() {
                let is_feasible = feasible
                    .iter()
                    .any(|one| one.0 == clause && feasible.iter().any(|other| is_pair(one, other)));
                // Decisions are listed in the order of the code, and so are their clauses: those inside others have texts of their own.
                let mut told = pairs.iter().filter(|pair| pair["clause"] == *text);
                let occurrence = clauses[..clause].iter().filter(|other| *other == text).count();
                let pair = told.nth(occurrence).unwrap_or_else(|| panic!("{name}: {text}: {pairs:?}"));
                assert_eq!(
                    (&pair["shown"], &pair["infeasible"]),
                    (&is_feasible.into(), &(!is_feasible).into())
                );
                if is_feasible {
                    let run = |index: usize| {
                        let test = pair["tests"][index].as_str().expect("a test");
                        let call = calls.iter().find(|(name, _)| name == test).expect("the test");
                        shown(&printed(&call.1), function, decision)
                    };
                    let (one, other) = (run(0), run(1));
                    let proves =
                        |one: &Aspect| one.0 == clause && other.iter().any(|other| is_pair(one, other));
                    assert!(one.iter().any(proves), "{name}: {text}: {pair}");
                    proved += 1;
                }
            }
        }
        let counts = &summary["goals"]["logical"];
        let number = |value: &Value| value.as_u64().expect("a number");
        assert_eq!(number(&counts["covered"]), met, "{name}: {report}");
        assert_eq!(number(&counts["total"]), met + number(&counts["infeasible"]), "{name}: {report}");
        assert_eq!(number(&summary["mcdc"]["covered"]), proved, "{name}");
    }
    assert!(report.contains("decide (masking MC/DC)"), "{report}");
}

#[test]
fn a_clause_that_is_only_passed_on_has_goals_too() {
    let bench = Bench::new(
        "#include <stdbool.h>\nbool f(int a, int b, bool c)\n{\n    return (a == 4711 || b == 77) && c;\n}\n",
    );
    let report = bench.generate(&["--runs", "2000", "--criteria", "branch,logical"]);
    let found = &bench.function("f")["goals"]["logical"];
    assert_eq!((&found["total"], &found["covered"]), (&10.into(), &10.into()), "{report}");
    assert_eq!(bench.function("f")["mcdc"]["covered"], 3, "{report}");
    bench.check();
}

#[test]
fn a_decision_of_too_many_clauses_is_told() {
    let clauses: Vec<String> = (0..17).map(|index| format!("a == {index}")).collect();
    let text = format!(
        "int f(int a)\n{{\n    if ({})\n        return 1;\n    return 0;\n}}\n",
        clauses.join(" || ")
    );
    let bench = Bench::new(&text);
    let report = bench.generate(&["--runs", "500", "--criteria", "branch,logical"]);
    let note = "a decision of 17 clauses has no logical goals";
    assert!(report.contains(note), "{report}");
    assert!(bench.read("out/summary.json").contains(note));
    assert_eq!(bench.function("f")["goals"]["logical"]["total"], 0);
    let report = bench.generate(&["--runs", "500", "--criteria", "branch"]);
    assert!(!report.contains(note), "nobody asked: {report}");
}

//! The build with mutants: all of them in one library, tried on a case in one command.

use crate::folder;
use std::path::PathBuf;
use testwright_base::build::Build;
use testwright_base::ids::MutantId;
use testwright_base::json::parse_case;
use testwright_base::mutant::Shown;
use testwright_engine::build::load_uncached;
use testwright_exec::Session;

/// What a case shows of all mutants of a file of the corpus: line, change, and what is shown.
fn shown(session: &mut Session, function: &str, case: &str) -> Vec<(u32, String, Shown)> {
    let id = session.subject().function_named(function).expect("a function");
    let case = parse_case(session.subject(), id, case).expect("a case");
    let all: Vec<MutantId> = (0..session.subject().mutants.len()).map(MutantId::of).collect();
    let shown = session.try_mutants(&case, &all, &[]).expect("runs").expect("the original is stable");
    let mutants = session.subject().mutants.iter().zip(shown);
    mutants.map(|(mutant, shown)| (mutant.place.line, mutant.change.clone(), shown)).collect()
}

fn session(text: &str) -> Session {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.c");
    std::fs::write(&path, text).expect("a file");
    session_of(path)
}

fn session_of(path: PathBuf) -> Session {
    let sources = testwright_code::frontend().resolve(&[path], &[]).expect("sources");
    load_uncached(&sources, &[Build::RunWithDistances, Build::Mutants]).expect("the code builds")
}

#[track_caller]
fn check(shown: &[(u32, String, Shown)], line: u32, change: &str, expected: Shown) {
    let found: Vec<&Shown> =
        shown.iter().filter(|(at, what, _)| *at == line && what == change).map(|(.., shown)| shown).collect();
    assert_eq!(found, [&expected], "line {line}, {change}: {shown:#?}");
}

#[test]
fn a_case_kills_what_changes_a_result_and_only_that() {
    let mut session =
        session("int f(int a, int b)\n{\n    int sum = a + b;\n    return sum > 10 ? 1 : 0;\n}\n");
    let two = shown(&mut session, "f", "[8, 2]");
    check(&two, 3, "`+` -> `-`", Shown::Unseen);
    check(&two, 3, "`+` -> `*`", Shown::Killed);
    check(&two, 3, "`a + b` -> `a + b + 1`", Shown::Killed);
    check(&two, 4, "`>` -> `>=`", Shown::Killed);
    check(&two, 4, "`>` -> `!=`", Shown::Same);
    let zeros = shown(&mut session, "f", "[0, 0]");
    check(&zeros, 3, "`+` -> `-`", Shown::Same);
    check(&zeros, 4, "`>` -> `>=`", Shown::Same);
    check(&zeros, 4, "`>` -> `!=`", Shown::Killed);
}

#[test]
fn what_is_left_out_is_seen_in_objects_and_in_calls() {
    let mut session =
        session("void log_it(int);\nvoid set(int *p, int v)\n{\n    *p = v;\n    log_it(v);\n}\n");
    let other = shown(&mut session, "set", "[[1], 2]");
    check(&other, 4, "the assignment is left out", Shown::Killed);
    check(&other, 5, "the call of `log_it` is left out", Shown::Killed);
    let same = shown(&mut session, "set", "[[2], 2]");
    check(&same, 4, "the assignment is left out", Shown::Same);
}

#[test]
fn crashes_and_endless_loops_are_kills_and_the_rest_is_tried_all_the_same() {
    let mut session = session(
        "int f(const int *p, unsigned n)\n{\n    int sum = 0;\n    for (unsigned i = 0; i < n; i++)\n        sum += p[i];\n    \
         switch (sum) { case 6: return 4; default: return sum; }\n}\n",
    );
    let six = shown(&mut session, "f", "[[1, 2, 3], 3]");
    check(&six, 4, "`<` -> `<=`", Shown::Killed);
    check(&six, 4, "`a + b` -> `a`", Shown::Killed);
    check(&six, 6, "case 6 is left out", Shown::Killed);
    let one = shown(&mut session, "f", "[[1], 1]");
    check(&one, 6, "case 6 is left out", Shown::Same);
    check(&one, 5, "`+` -> `-`", Shown::Killed);
}

#[test]
fn a_run_that_ends_badly_kills_nothing() {
    let mut session = session("int f(int *p)\n{\n    return *p + 1;\n}\n");
    let id = session.subject().function_named("f").expect("a function");
    let case = parse_case(session.subject(), id, "[null]").expect("a case");
    assert_eq!(session.try_mutants(&case, &[MutantId(0)], &[]).expect("an answer"), None);
    let five = shown(&mut session, "f", "[[5]]");
    check(&five, 3, "`a + b` -> `a`", Shown::Killed);
}

#[test]
fn memory_that_a_result_leads_to_counts_by_what_it_holds() {
    let mut session = session(
        "#include <stdlib.h>\nint *f(int v, unsigned room)\n{\n    int *made = malloc(4 * room);\n    if (made) made[0] = v;\n    return made;\n}\n",
    );
    let made = shown(&mut session, "f", "[7, 2]");
    check(&made, 5, "the assignment is left out", Shown::Killed);
    check(&made, 4, "`4` -> `5`", Shown::Unseen);
}

#[test]
fn each_element_of_a_table_that_is_read_has_a_mutant() {
    let mut session = session(
        "static const short costs[4] = { 3, 0, 7, 9 };\nint f(unsigned i, unsigned j)\n{\n    return costs[i & 3] * 2 + costs[j & 3];\n}\n",
    );
    let shown = shown(&mut session, "f", "[2, 3]");
    for (index, expected) in [(0, Shown::Same), (1, Shown::Same), (2, Shown::Killed), (3, Shown::Killed)] {
        check(&shown, 4, &format!("element {index} of `costs` -> one more"), expected);
    }
}

#[test]
fn all_kinds_of_code_build_with_mutants() {
    for entry in std::fs::read_dir(folder()).expect("the corpus") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "c") {
            assert!(!session_of(path.clone()).subject().mutants.is_empty(), "{}", path.display());
        }
    }
}

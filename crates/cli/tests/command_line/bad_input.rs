//! Bad input: one clear message, the right exit status, and nothing left behind.

use crate::support::{Answer, SUBJECTS, answer, files, testwright};
use std::path::Path;
use std::process::Command;

/// Runs a command that must fail and write nothing into the folder it runs in.
#[track_caller]
fn refused(change: impl FnOnce(&mut Command), arguments: &[&str]) -> Answer {
    let before = files(Path::new(SUBJECTS));
    let mut command = testwright(Path::new(SUBJECTS));
    command.args(arguments);
    change(&mut command);
    let answer = answer(&mut command);
    assert_eq!(answer.out, "");
    assert!(!answer.err.contains("panicked"), "{}", answer.err);
    assert_eq!(files(Path::new(SUBJECTS)), before);
    answer
}

/// A run that must be refused with this status and message.
#[track_caller]
fn check(arguments: &[&str], status: i32, message: &str) {
    let answer = refused(|_| {}, &[&["run"], arguments].concat());
    assert_eq!((answer.status, answer.err.as_str()), (status, format!("testwright: {message}\n").as_str()));
}

/// As [`check`], with a variable of the environment.
#[track_caller]
fn check_with(variable: (&str, &str), status: i32, message: &str) {
    let cache = tempfile::tempdir().unwrap();
    let change = |command: &mut Command| {
        command.env("TESTWRIGHT_CACHE", cache.path()).env(variable.0, variable.1);
    };
    let answer = refused(change, &["run", "ends.c", "-f", "returns", "--case", "[1]"]);
    assert_eq!((answer.status, answer.err.as_str()), (status, format!("testwright: {message}\n").as_str()));
}

#[test]
fn a_target_that_is_no_c_code() {
    check(&["missing.c", "-f", "f"], 1, "missing.c does not exist");
    check(
        &["plain/note.txt", "-f", "f"],
        1,
        "plain/note.txt is not a C file: Testwright reads files that end in .c or .i",
    );
    check(
        &["plain", "-f", "f"],
        1,
        "plain is a folder without compile_commands.json. Name a C file, or let the build system write one \
         (CMake: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; make: `bear -- make`)",
    );
}

#[test]
fn a_database_that_is_not_one() {
    check(
        &["broken_database", "-f", "f"],
        3,
        "broken_database/compile_commands.json: not a compilation database: invalid type: map, expected a \
         sequence at line 1 column 0",
    );
}

#[test]
fn a_file_that_does_not_compile_shows_the_compilers_own_message() {
    let answer = refused(|_| {}, &["run", "broken.c", "-f", "broken", "--case", "[1]"]);
    assert_eq!(answer.status, 3);
    assert!(answer.err.starts_with("testwright: the target does not compile:\nbroken.c:2:28: error: "));
    assert!(answer.err.contains("use of undeclared identifier 'y'"), "{}", answer.err);
}

#[test]
fn a_file_that_does_not_compile_is_told_by_every_product() {
    for product in ["bitcode", "instrumented", "graph", "sites"] {
        let answer = refused(|_| {}, &["show", product, "broken.c"]);
        assert_eq!(answer.status, 3, "{product}: {answer:?}");
        assert!(answer.err.contains("broken.c:2:28: error: "), "{product}: {answer:?}");
    }
}

#[test]
fn a_compiler_flag_for_another_machine() {
    check(
        &["ends.c", "-f", "returns", "--", "-m32"],
        3,
        "the compiler flag -m32 asks for other code than x86-64, which Testwright could not run. Add -m64 after -- to \
         test it as code for x86-64, where sizes of types may differ",
    );
}

#[test]
fn a_function_of_the_compiler_that_nothing_defines() {
    check(
        &["undefined.c", "-f", "calls", "--case", "[1]"],
        3,
        "`__sync_elsewhere` is used but not defined. Name the file that defines it too, after the first one",
    );
}

#[test]
fn of_two_files_that_define_the_same_function_the_first_is_taken_and_that_is_told() {
    let arguments = ["run", "linked/left.c", "linked/left_again.c", "-f", "left", "--case", "[3]"];
    let twice = answer(testwright(Path::new(SUBJECTS)).args(arguments));
    assert_eq!(twice.status, 0, "{twice:?}");
    assert!(twice.err.contains("note: linked/left_again.c is left out"), "{twice:?}");
}

#[test]
fn an_unknown_function_with_a_suggestion() {
    check(
        &["ends.c", "-f", "retruns"],
        1,
        "there is no function `retruns` in ends.c; did you mean `returns`?",
    );
    check(
        &["hidden.c", "-f", "zzz"],
        1,
        "there is no function `zzz` in hidden.c; it defines secret, open_one",
    );
    check(
        &["kinds.c", "-f", "zzz"],
        1,
        "there is no function `zzz` in kinds.c; it defines from_file, apply, peek, real, twice, total, unpack, \
         pick, bump, half, narrow, follow and 3 more",
    );
}

#[track_caller]
fn check_case(function: &str, case: &str, declaration: &str, problem: &str) {
    let message = format!("the case does not fit `{declaration}`: {problem}");
    check(&["kinds.c", "-f", function, "--case", case], 1, &message);
}

#[test]
fn a_parameter_of_a_type_that_cannot_be_built() {
    check_case(
        "from_file",
        "[7]",
        "int from_file(FILE *file)",
        "argument 1 (`file`): 7 is no pointer to `FILE`; null or [..] with the elements it points to is",
    );
    check_case(
        "apply",
        r#"["f", 1]"#,
        "int apply(handler handle, int n)",
        "argument 1 (`handle`): a function can be given as \"stub\", or as null",
    );
    check_case(
        "peek",
        "[{}]",
        "int peek(struct hidden *hidden)",
        "argument 1 (`hidden`): only null can be given for a pointer to `struct hidden`",
    );
    check_case(
        "real",
        "[1]",
        "double real(_Complex double z)",
        "argument 1 (`z`): values of type `_Complex double` cannot be given",
    );
    check_case(
        "twice",
        "[1.5]",
        "long double twice(long double x)",
        "argument 1 (`x`): values of type `long double` cannot be given",
    );
    check_case(
        "total",
        "[2, 3]",
        "int total(int count, ...)",
        "`total` is given more than its 1 named arguments; variadic ones cannot be given yet",
    );
}

#[test]
fn a_case_that_is_not_json_or_no_case() {
    let bump = "int bump(int by)";
    check_case("bump", "[1", bump, "this is not JSON: EOF while parsing a list at line 1 column 2");
    check_case("bump", "", bump, "this is not JSON: EOF while parsing a value at line 1 column 0");
    check_case("bump", "7", bump, r#"arguments are written [..] in order or {"name": value, ..}"#);
}

#[test]
fn a_case_with_other_arguments_than_the_function_has() {
    let bump = "int bump(int by)";
    check_case("bump", "[]", bump, "`bump` takes 1 argument (by), 0 given");
    check_case("bump", "[1, 2]", bump, "`bump` takes 1 argument (by), 2 given");
    check_case("bump", r#"{"bye": 1}"#, bump, "`bump` has no parameter `bye`; did you mean `by`?");
    check_case("bump", "{}", bump, "argument `by` is missing");
    check_case(
        "bump",
        r#"{"args": [1], "globals": {"cuonter": 1}}"#,
        bump,
        "global `cuonter`: there is no such variable that can be written; did you mean `counter`?",
    );
}

#[test]
fn a_value_that_does_not_fit_its_type() {
    let bump = "int bump(int by)";
    check_case("bump", "[1.5]", bump, "argument 1 (`by`): 1.5 is not an integer, which `int` needs");
    check_case("bump", "[null]", bump, "argument 1 (`by`): null is not an integer, which `int` needs");
    check_case(
        "bump",
        "[2147483648]",
        bump,
        "argument 1 (`by`): 2147483648 does not fit int (-2147483648 .. 2147483647)",
    );
    check_case(
        "unpack",
        r#"[{"low": 8}]"#,
        "int unpack(struct flags flags)",
        "argument 1 (`flags.low`): 8 does not fit a bit-field of 3 bits (0 .. 7)",
    );
    check_case(
        "pick",
        r#"["BLUE", true]"#,
        "enum colour pick(enum colour colour, _Bool wanted)",
        "argument 1 (`colour`): `enum colour` has no constant `BLUE`; there is RED, GREEN",
    );
}

#[test]
fn a_case_file_that_cannot_be_read() {
    check(
        &["kinds.c", "-f", "bump", "--case", "@missing"],
        1,
        "cannot read the case from missing: No such file or directory (os error 2)",
    );
}

#[test]
fn limits_of_nothing() {
    for (flag, message) in [
        ("--steps", "--steps and --memory take numbers above 0"),
        ("--memory", "--steps and --memory take numbers above 0"),
        ("--wall", "--wall takes a number of seconds above 0"),
    ] {
        check(&["ends.c", "-f", "returns", "--case", "[1]", flag, "0"], 1, message);
    }
    for wall in ["-1", "nan", "1e300"] {
        let message = "--wall takes a number of seconds above 0";
        check(&["ends.c", "-f", "returns", "--case", "[1]", "--wall", wall], 1, message);
    }
}

#[test]
fn a_clang_that_is_missing_or_something_else() {
    check_with(
        ("TESTWRIGHT_CLANG", "/nowhere/clang"),
        3,
        "/nowhere/clang cannot be used as clang: there is no such program. Name another with the environment \
         variable TESTWRIGHT_CLANG",
    );
    check_with(
        ("TESTWRIGHT_CLANG", "/bin/true"),
        3,
        "/bin/true cannot be used as clang: its --version is not that of a clang. Name another with the \
         environment variable TESTWRIGHT_CLANG",
    );
    check_with(
        ("PATH", "/nowhere"),
        3,
        "no clang found (looked for clang, clang-22 .. clang-14). Install one, for example with `apt-get install \
         clang`, or name one with the environment variable TESTWRIGHT_CLANG",
    );
}

#[test]
fn a_linker_that_is_missing() {
    check_with(
        ("CC", "/nowhere/cc"),
        3,
        "cannot start the linker `/nowhere/cc`: No such file or directory (os error 2). Install a C compiler, or \
         name one with CC",
    );
}

#[test]
fn a_worker_program_that_is_missing_or_something_else() {
    check_with(
        ("TESTWRIGHT_WORKER", "/nowhere/worker"),
        1,
        "the program /nowhere/worker is missing; it is installed together with testwright",
    );
    let cache = tempfile::tempdir().unwrap();
    let change = |command: &mut Command| {
        command.env("TESTWRIGHT_CACHE", cache.path()).env("TESTWRIGHT_WORKER", "/bin/true");
    };
    let answer = refused(change, &["run", "ends.c", "-f", "returns", "--case", "[1]"]);
    assert_ne!(answer.status, 0, "{answer:?}");
    assert_eq!(answer.err.lines().count(), 1, "{}", answer.err);
}

#[test]
fn a_command_line_that_is_none() {
    for arguments in [
        &[][..],
        &["frobnicate"],
        &["run"],
        &["run", "ends.c"],
        &["run", "ends.c", "-f", "returns", "--steps", "many"],
        &["show", "graph", "ends.c", "--kind", "pie"],
    ] {
        let answer = refused(|_| {}, arguments);
        assert_eq!(answer.status, 1, "{arguments:?}: {answer:?}");
        assert!(answer.err.contains("Usage: testwright") || answer.err.contains("--help"), "{}", answer.err);
    }
}

#[test]
fn a_graph_of_no_function_in_particular() {
    let answer = refused(|_| {}, &["show", "graph", "linked/left.c"]);
    assert_eq!(
        (answer.status, answer.err.as_str()),
        (1, "testwright: name one of the functions with --function: step, left\n")
    );
}

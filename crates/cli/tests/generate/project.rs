//! Real projects: what `compile_commands.json` says holds, wherever it lies, and files that do not fit together are told.

use crate::support::{Bench, check_success};
use serde_json::Value;
use std::fs;

/// Generates for these targets, and expects tests that pass; the report.
#[track_caller]
fn generate(bench: &Bench, target: &str) -> String {
    let mut command = bench.verb("generate");
    command.args([target, "--out", "out", "--runs", "60", "--builds", "first"]);
    let report = check_success(&command.output().expect("testwright starts"));
    bench.check();
    report
}

#[test]
fn a_folder_with_several_programs_is_tested_without_those_that_do_not_fit() {
    let bench = Bench::new(
        "int helper(int x);\nstatic int same(int x) { if (x == 11) return 1; return 0; }\n\
         int first(int x) { return same(x) + helper(x); }\nint main(void) { return first(0); }\n",
    );
    bench.write("other.c", "int other(int x) { return x; }\nint main(void) { return other(0); }\n");
    bench.write(
        "helper.c",
        "static int calls;\nstatic int same(int x) { calls++; if (x == 4711) return 2; return 0; }\n\
         int helper(int x) { return same(x); }\n",
    );
    fs::create_dir(bench.path("build")).expect("a folder is made");
    let entry =
        |file: &str| format!(r#"{{"directory": ".", "file": "../{file}", "command": "cc -c ../{file}"}}"#);
    let entries = ["subject.c", "other.c", "helper.c"].map(entry).join(", ");
    bench.write("build/compile_commands.json", &format!("[{entries}]"));
    let report = generate(&bench, ".");
    let note = "note: other.c is left out: it defines main, and so does subject.c";
    assert!(report.contains(note), "{report}");
    let functions = bench.summary()["functions"].as_array().expect("a list").clone();
    let is_same = |function: &&Value| function["name"].as_str().is_some_and(|name| name.starts_with("same"));
    let same: Vec<&Value> = functions.iter().filter(is_same).collect();
    assert!(same.len() == 2 && same[0]["name"] != same[1]["name"], "{report}");
    assert!(same.iter().all(|function| function["branches"]["covered"] == 2), "{report}");
    for file in ["subject", "helper"] {
        let tests = bench.read(&format!("out/{file}_test.c"));
        assert!(tests.contains(" = same(") && !tests.contains("same."), "{tests}");
    }
}

#[test]
fn the_database_in_the_build_folder_gives_flags_from_response_files_and_says_which_of_several_it_took() {
    let bench =
        Bench::new("#include \"limit.h\"\nint f(int x) { if (x == LIMIT + MORE) return 1; return 0; }\n");
    fs::create_dir_all(bench.path("build/flags")).expect("a folder is made");
    fs::create_dir(bench.path("include")).expect("a folder is made");
    bench.write("include/limit.h", "#define LIMIT 4000\n");
    bench.write("build/flags/all.rsp", "-I ../include\n@flags/more.rsp");
    bench.write("build/flags/more.rsp", "-DMORE=711 -DNAME='\"a b\"'");
    bench.write(
        "build/compile_commands.json",
        r#"[{"directory": ".", "file": "../subject.c", "arguments": ["cc", "@flags/all.rsp", "-c", "../subject.c"]},
            {"directory": ".", "file": "../subject.c", "command": "cc -I../include -DMORE=1 -c ../subject.c"}]"#,
    );
    let report = generate(&bench, "subject.c");
    assert!(report.contains("note: the build compiles subject.c in several ways; the first"), "{report}");
    assert_eq!(bench.function("f")["branches"]["covered"], 2, "{report}");
    let makefile = bench.read("out/Makefile");
    assert!(makefile.contains("-DMORE=711") && !makefile.contains("-DMORE=1 "), "{makefile}");
}

#[test]
fn a_folder_within_a_project_is_tested_with_what_the_rest_of_it_defines() {
    let bench = Bench::new("int near(int x) { return x + 711; }\n");
    fs::create_dir_all(bench.path("src/deep")).expect("a folder is made");
    fs::create_dir_all(bench.path("build")).expect("a folder is made");
    bench.write(
        "src/deep/a.c",
        "int near(int x);\nint f(int x) { if (near(x) == 4711) return 1; return 0; }\n",
    );
    bench.write("src/b.c", "int g(int x) { if (x == SECRET) return 1; return 0; }\n");
    let entry = |file: &str| {
        format!(r#"{{"directory": "..", "file": "{file}", "command": "cc -DSECRET=4712 -c {file}"}}"#)
    };
    let entries = ["subject.c", "src/deep/a.c", "src/b.c"].map(entry).join(", ");
    bench.write("build/compile_commands.json", &format!("[{entries}]"));
    let report = generate(&bench, "src");
    assert!(report.contains("define what is called: subject.c"), "{report}");
    for function in ["f", "g"] {
        assert_eq!(bench.function(function)["branches"]["covered"], 2, "{report}");
    }
    assert_eq!(
        bench.summary()["functions"].as_array().map(Vec::len),
        Some(2),
        "near is not tested: {report}"
    );
}

#[test]
fn a_failed_assertion_lies_in_the_file_as_the_user_knows_it_and_only_what_is_not_zero_is_shown() {
    let bench = Bench::new(
        "#include <assert.h>\nenum mood { CALM, ANGRY };\nstruct state { enum mood mood; int level; int text[3]; };\n\
         int f(struct state *state)\n{\n    assert(state->level != 4711);\n    return state->mood == ANGRY;\n}\n",
    );
    fs::create_dir(bench.path("build")).expect("a folder is made");
    let entry = r#"[{"directory": ".", "file": "../subject.c", "command": "cc -c ../subject.c"}]"#;
    bench.write("build/compile_commands.json", entry);
    let report = generate(&bench, "subject.c");
    let finding = "finding  subject.c:6          assertion failed, state->level != 4711: f(&(struct state){.level = 4711})";
    assert!(report.contains(finding), "{report}");
}

/// A project of which only `subject.c` is tested. What it calls lies in `deep.c`, by way of `near.c`; in `program.c`, beside a `main`; in
/// `broken.c`, which does not compile; in `rival.c`, which defines what `subject.c` defines; and nowhere.
fn project() -> Bench {
    let bench = Bench::new(
        "int near(int x);\nint beside(int x);\nint broken(int x);\nint shadowed(void);\nint nowhere(void);\nextern int limit;\n\
         int own(int x)\n{\n    if (near(x) == 4711)\n        return beside(x);\n    if (x > limit)\n        \
         return broken(x) + shadowed() + nowhere();\n    return 0;\n}\n",
    );
    bench.write("near.c", "int deep(int x);\nint near(int x) { if (x < 0) return 0; return deep(x); }\n");
    bench.write("deep.c", "#include \"deep.h\"\nint deep(int x) { return x + OFFSET; }\n");
    bench.write(
        "program.c",
        "int limit = 90000;\nint beside(int x) { return x / 2; }\nint main(void) { return 0; }\n",
    );
    bench.write("broken.c", "#include \"not_there.h\"\nint broken(int x) { return x; }\n");
    bench.write("rival.c", "int own(int x) { return x; }\nint shadowed(void) { return 1; }\n");
    bench.write("unused.c", "int unused(int x) { return x; }\n");
    fs::create_dir(bench.path("build")).expect("a folder is made");
    fs::create_dir(bench.path("include")).expect("a folder is made");
    bench.write("include/deep.h", "#define OFFSET 11\n");
    let entry = |file: &str| {
        format!(r#"{{"directory": ".", "file": "../{file}", "command": "cc -I../include -c ../{file}"}}"#)
    };
    let files = ["subject.c", "near.c", "deep.c", "program.c", "broken.c", "rival.c", "unused.c"];
    bench.write("build/compile_commands.json", &format!("[{}]", files.map(entry).join(", ")));
    bench
}

/// What is missing: name, and the file that would define it.
fn missing(bench: &Bench) -> Vec<(String, Option<String>)> {
    let all = bench.summary()["missing"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    all.iter().map(|one| (text(&one["name"]).expect("a name"), text(&one["defined_in"]))).collect()
}

#[test]
fn files_that_define_what_is_called_are_compiled_too() {
    let bench = project();
    let report = generate(&bench, "subject.c");
    let note = "note: compiled too, because they define what is called: near.c, deep.c, program.c";
    let sorted = "note: compiled too, because they define what is called: near.c, program.c, deep.c";
    assert!(report.contains(note) || report.contains(sorted), "{report}");
    let functions = bench.summary()["functions"].as_array().expect("a list").clone();
    assert_eq!(functions.len(), 1, "only what was named is tested: {report}");
    assert_eq!(bench.function("own")["branches"]["covered"], 4, "{report}");
    let tests = bench.read("out/subject_test.c");
    assert!(tests.contains("own(4700)"), "the real functions answered: {tests}");
    assert!(!tests.contains("near.c:"), "nobody asked for the branches of other files: {tests}");
    let mut all = missing(&bench);
    all.sort();
    let expected = [("broken", Some("broken.c")), ("nowhere", None), ("shadowed", Some("rival.c"))];
    let expected = expected.map(|(name, file)| (name.to_owned(), file.map(str::to_owned)));
    assert_eq!(all, expected, "{report}");
    assert!(report.contains("stubbed: nowhere\n"), "{report}");
    assert!(report.contains("stubbed: shadowed; rival.c would define it, but it defines own"), "{report}");
    let replayed = check_success(&bench.verb("replay").arg("out").output().expect("testwright starts"));
    assert!(!replayed.contains("different"), "{replayed}");
    // What lies elsewhere is known, but not tested.
    let mut command = bench.verb("generate");
    command.args(["subject.c", "--function", "near", "--out", "other"]);
    let refused = command.output().expect("testwright starts");
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(message.contains("it is defined in near.c, which is not among the files to test"), "{message}");
}

#[test]
fn files_can_be_tested_alone_and_what_is_missing_is_told_with_its_file() {
    let bench = project();
    let mut command = bench.verb("generate");
    command.args(["subject.c", "--alone", "--out", "out", "--runs", "60", "--builds", "first"]);
    let report = check_success(&command.output().expect("testwright starts"));
    assert!(!report.contains("compiled too"), "{report}");
    let all = missing(&bench);
    for (name, file) in
        [("near", "near.c"), ("beside", "program.c"), ("limit", "program.c"), ("broken", "broken.c")]
    {
        assert!(all.contains(&(name.to_owned(), Some(file.to_owned()))), "{name} {all:?}");
    }
    assert!(bench.read("out/testwright_stubs.h").contains("near"), "{report}");
    let replayed = check_success(&bench.verb("replay").arg("out").output().expect("testwright starts"));
    assert!(!replayed.contains("different"), "{replayed}");
}

#[test]
fn a_file_that_begins_to_define_what_is_missing_is_noticed() {
    let bench = project();
    generate(&bench, "subject.c");
    bench.write("unused.c", "int nowhere(void) { return 3; }\n");
    let report = generate(&bench, "subject.c");
    assert!(report.contains("unused.c") && !report.contains("stubbed: nowhere"), "{report}");
}

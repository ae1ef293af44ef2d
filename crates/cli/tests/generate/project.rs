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

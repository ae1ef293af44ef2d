//! Flags that change what code means reach the search, the tests and replays of their cases.

use crate::support::{Bench, check_success};
use std::process::Command;

/// Generates with these compiler flags, and expects tests that pass; the report.
#[track_caller]
fn generate(bench: &Bench, flags: &[&str]) -> String {
    let arguments = [&["--runs", "300", "--format", "plain,cmocka,gtest", "--"], flags].concat();
    let report = bench.generate(&arguments);
    bench.check();
    check_success(&bench.verb("replay").arg("out").output().expect("testwright starts"));
    report
}

/// Covered branches of `f`, and how many findings it has.
fn reached(bench: &Bench) -> (u64, usize) {
    let function = bench.function("f");
    let covered = function["branches"]["covered"].as_u64().expect("a number");
    (covered, function["findings"].as_array().expect("a list").len())
}

#[test]
fn signed_numbers_wrap_round_without_a_finding_where_the_code_says_so() {
    let text = "int f(int a, int b) { if (a > 0 && b > 0 && a + b < 0) return 1; return 0; }\n";
    for flag in ["-fwrapv", "-fno-strict-overflow"] {
        let bench = Bench::new(text);
        generate(&bench, &[flag]);
        assert_eq!(reached(&bench), (6, 0), "{flag}");
    }
    for flags in [&[][..], &["-ftrapv"], &["-fwrapv", "-ftrapv"]] {
        let bench = Bench::new(text);
        generate(&bench, flags);
        assert_eq!(reached(&bench), (5, 1), "{flags:?}");
    }
}

#[test]
fn characters_have_the_sign_that_flags_give_them() {
    let text = "char g(char c) { return c; }\nint f(char c) { if (c < 0) return 1; if (c > 127) return 2; return 0; }\n";
    for (flag, negative) in [("-fsigned-char", true), ("-funsigned-char", false)] {
        let bench = Bench::new(text);
        generate(&bench, &[flag]);
        let left: Vec<u64> =
            bench.uncovered("f").into_iter().map(|(_, outcome, _)| u64::from(outcome == "true")).collect();
        assert_eq!(left, [1], "one of both is impossible: {flag}");
        let tests = bench.read("out/subject_test.c");
        assert_eq!(tests.contains("returns_1"), negative, "{flag}: {tests}");
        assert_eq!(tests.contains("returns_2"), !negative, "{flag}: {tests}");
    }
}

#[test]
fn functions_that_compilers_know_are_called_all_the_same() {
    let text = "int abs(int n)\n{\n    if (n < 0)\n        return -n;\n    return n;\n}\n";
    let bench = Bench::new(text);
    generate(&bench, &[]);
    bench.write("subject.c", &text.replace("return -n", "return n"));
    let broken = Command::new("make").args(["-s", "check"]).current_dir(bench.path("out")).output();
    let broken = broken.expect("make starts");
    assert!(!broken.status.success(), "a compiler computes abs by itself: {broken:?}");
}

#[test]
fn layouts_are_those_that_flags_ask_for() {
    let text = "struct S { char a; int b; };\nenum E { ONE, TWO };\n\
        int f(struct S *s, enum E e) { if (sizeof *s == 5 && s->b == 77) return sizeof e; return 100; }\n";
    let bench = Bench::new(text);
    generate(&bench, &["-fpack-struct", "-fshort-enums"]);
    let tests = bench.read("out/subject_test.c");
    assert!(tests.contains("returns_1"), "an enum of one byte behind a packed struct: {tests}");
}

#[test]
fn the_language_and_macros_of_a_build_reach_its_tests() {
    let bench = Bench::new(
        "#include \"config.h\"\n#ifndef FORCED\n#error no forced include\n#endif\n\
         inline int shared(int x) { return x + 1; }\nint counter;\nint counter;\n\
         int f(int x) { if (x == LIMIT) return shared(x); return sizeof(\"a\"[0]) + __STDC_VERSION__ % 7; }\n",
    );
    std::fs::create_dir(bench.path("include")).expect("a folder is made");
    bench.write("include/config.h", "#define LIMIT 4711\n");
    bench.write("include/forced.h", "#define FORCED 1\n");
    let flags = "-c -o x.o -MD -MF x.d -O3 -flto -fPIC -march=native -fsanitize=address -Wlogical-op -Werror \
                 -fno-tree-vectorize -fconserve-stack -std=gnu99 -fgnu89-inline -fcommon -fno-strict-aliasing \
                 -fno-delete-null-pointer-checks -fno-builtin -fvisibility=hidden -UNDEBUG -I include -include forced.h";
    let entry = format!(r#"[{{"directory": ".", "file": "subject.c", "command": "gcc {flags} subject.c"}}]"#);
    bench.write("compile_commands.json", &entry);
    let report = generate(&bench, &[]);
    assert_eq!(reached(&bench), (2, 0), "{report}");
    assert!(report.contains("note: clang does not know -fconserve-stack"), "{report}");
    let makefile = bench.read("out/Makefile");
    let flags = makefile.lines().find(|line| line.starts_with("FLAGS_0")).expect("the flags");
    for kept in
        ["-std=gnu99", "-fgnu89-inline", "-fcommon", "-fno-strict-aliasing", "-fno-builtin", "-include "]
    {
        assert!(flags.contains(kept), "{kept}: {flags}");
    }
    for gone in ["-fconserve-stack", "-O3", "-flto", "-fsanitize", "-Werror", "-march", "-MD"] {
        assert!(!flags.contains(gone), "{gone}: {flags}");
    }
}

#[test]
fn loose_floats_are_left_out_and_that_is_told() {
    let bench = Bench::new(
        "double f(double a, double b)\n{\n#ifdef __FAST_MATH__\n    if (a != a) return 1;\n#endif\n    \
         return (a + b) - a;\n}\n",
    );
    let report = generate(&bench, &["-Ofast", "-fno-math-errno"]);
    assert!(report.contains("note: -Ofast is left out"), "{report}");
    assert_eq!(reached(&bench), (2, 0), "the macro stays, and NaN is a number like others: {report}");
    assert!(bench.summary()["notes"][0].as_str().is_some_and(|note| note.starts_with("-Ofast")));
}

#[test]
fn code_for_32_bits_is_refused_with_what_to_do_about_it() {
    let bench = Bench::new("int f(long x) { return x > 3; }\n");
    bench.write(
        "compile_commands.json",
        r#"[{"directory": ".", "file": "subject.c", "command": "gcc -m32 -c subject.c"}]"#,
    );
    let output = bench.command(&["--runs", "10"]).output().expect("testwright starts");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{message}");
    assert!(message.contains("-m32") && message.contains("Add -m64 after --"), "{message}");
    bench.generate(&["--runs", "10", "--", "-m64"]);
}

//! Findings are files of their own, with reproducers that really end badly; several sources make several programs.

use crate::compile;
use crate::sketch::{Sketch, call, found, returned};
use expect_test::expect;
use testwright_base::case::{Statement, Value};
use testwright_base::ids::{FunctionId, SiteId};
use testwright_base::run::{End, Run};
use testwright_base::sample;
use testwright_base::site::{CheckKind, Place, SiteKind};
use testwright_suite::{Access, Found, Source, Suite};

const TEXT: &str = "\
int share(int sum, int people)
{
    return sum / people;
}

int first(const int *a)
{
    return *a;
}
";

fn sketch() -> Sketch {
    let mut sketch = Sketch::new("share.c", TEXT);
    let int = sample::int(&mut sketch.subject.types, "int", 32, true);
    let ints = sample::pointer(&mut sketch.subject.types, int);
    sketch.subject.functions = vec![
        sample::taking("share", &[("sum", int), ("people", int)], int),
        sample::taking("first", &[("a", ints)], int),
    ];
    sketch.site(FunctionId(0), SiteKind::Check(CheckKind(3)), 1, "sum ^/ people");
    sketch.site(FunctionId(1), SiteKind::Access { write: false, bytes: 4 }, 0, "return ^*a");
    sketch
}

fn all() -> Vec<Found> {
    let division = |sum: i128| {
        let mut found = found(call(0, vec![Value::Int(sum), Value::Int(0)]), returned(None, vec![None]), 0);
        found.run.end = End::Trap { kind: CheckKind(3), site: Some(SiteId(0)) };
        found
    };
    let mut null = found(call(1, vec![Value::Null]), returned(None, vec![None]), 0);
    null.run.end = End::Signal { signal: 11, address: 0, site: Some(SiteId(1)) };
    let fine =
        found(call(0, vec![Value::Int(6), Value::Int(2)]), returned(Some(Value::Int(3)), vec![None]), 0);
    let mut fine = Found { goals: Vec::new(), ..fine };
    fine.again = Some(fine.run.clone());
    vec![division(12345), division(1), null, fine]
}

#[test]
fn findings_are_apart_from_tests_and_the_simplest_of_each_is_kept() {
    let sketch = sketch();
    let input = sketch.input(all());
    let suite = Suite::new(input);
    assert_eq!((suite.tests.len(), suite.findings.len()), (1, 2));
    assert_eq!(suite.tests[0].name, "returns_3");
    let files = suite.files();
    let text = &files.iter().find(|(path, _)| path == "findings.c").unwrap().1;
    expect![[r#"
        /* What ends badly in share() and first() of share.c. Written by Testwright (seed 1); run `make findings`. */
        #include "share_subject.h"

        #include <stddef.h>
        #include "testwright_check.h"

        /* share.c:3:16  division by zero or overflow in a division: share(1, 0) */
        FINDING(share_division_by_zero_or_overflow_in_a_division_line_3)
        {
            share(1, 0);
        }

        /* share.c:8:12  segmentation fault: first(NULL) */
        FINDING(first_segmentation_fault_line_8)
        {
            first(NULL);
        }
    "#]].assert_eq(text);
}

#[test]
fn reproducers_end_badly_until_the_code_is_fixed() {
    let sketch = sketch();
    let input = sketch.input(all());
    let folder = tempfile::tempdir().unwrap();
    compile::write(folder.path(), &[("share.c", TEXT)], &Suite::new(input));
    assert!(compile::make(folder.path(), &["check"]).status.success());
    for compiler in compile::compilers() {
        let compiler = format!("CC={compiler}");
        let output = compile::make(folder.path(), &["findings", &compiler, "FINDINGS_FLAGS="]);
        assert!(output.status.success(), "{}", compile::text(&output));
    }
    let output = compile::make(folder.path(), &["findings", "CC=gcc"]);
    assert!(output.status.success(), "{}", compile::text(&output));
    assert!(compile::text(&output).contains("division by zero"), "{}", compile::text(&output));
    assert!(!compile::make(folder.path(), &["findings", "CC=gcc", "EXPECT=fixed"]).status.success());

    let fixed = TEXT.replace("sum / people", "people ? sum / people : 0").replace("*a;", "a ? *a : 0;");
    std::fs::write(folder.path().join("share.c"), fixed).unwrap();
    assert!(!compile::make(folder.path(), &["findings", "CC=gcc"]).status.success());
    let output = compile::make(folder.path(), &["findings", "CC=gcc", "EXPECT=fixed"]);
    assert!(output.status.success(), "{}", compile::text(&output));
}

#[test]
fn a_subject_of_several_files_with_flags_and_a_main_is_linked() {
    let two = "#include \"scale.h\"\nint scale(int x);\nint main(void) { return scale(1); }\n\
               static int spare(int unused) { }\n\
               static int apply(int x) { return scale(x) + OFFSET; }\nint run(int x) { return apply(x); }\n";
    let mut sketch = Sketch::new("main file.c", two);
    let int = sample::int(&mut sketch.subject.types, "int", 32, true);
    let place = |file: &str| Some(Place { file: file.to_owned(), line: 1, column: 1 });
    let function = |name: &str, file: &str| {
        let params: &[(&str, _)] = if name == "main" { &[] } else { &[("x", int)] };
        let mut function = sample::taking(name, params, int);
        function.place = place(file);
        function.internal = name == "apply";
        function
    };
    sketch.subject.functions =
        vec![function("main", "main file.c"), function("apply", "main file.c"), function("scale", "scale.c")];
    let one = |id: u32, x: Option<i128>, result: i128| {
        let arguments = x.map(Value::Int).into_iter().collect();
        let statements = vec![Statement::Call { function: FunctionId(id), arguments }];
        let case = testwright_base::case::Case { statements };
        Found { goals: Vec::new(), ..found(case, returned(Some(Value::Int(result)), vec![None]), 0) }
    };
    let mut input = sketch.unread_input(vec![one(0, None, 10), one(1, Some(2), 27), one(2, Some(3), 30)]);
    let flags = vec!["-I../include dir".to_owned(), "-DOFFSET=(5 + 2)".to_owned()];
    let source = |file: &str, access: Access| Source {
        file: file.to_owned(),
        path: format!("../{file}"),
        flags: flags.clone(),
        access,
        constants: Default::default(),
    };
    input.sources = vec![source("main file.c", Access::IncludeSource), source("scale.c", Access::Prototype)];
    let suite = Suite::new(input);
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("include dir")).unwrap();
    std::fs::write(folder.path().join("include dir/scale.h"), "#define SCALE 10\n").unwrap();
    let scale = "#include \"scale.h\"\nint scale(int x) { return SCALE * x; }\n";
    compile::write(folder.path(), &[("main file.c", two), ("scale.c", scale)], &suite);
    compile::expect_to_pass(folder.path(), &["c99"]);
    let printed = compile::text(&compile::make(folder.path(), &["check"]));
    assert_eq!(printed.matches("\nok ").count() + usize::from(printed.starts_with("ok ")), 3, "{printed}");
}

#[test]
fn a_case_outside_the_contract_is_neither_test_nor_finding() {
    let mut sketch = Sketch::new("f.c", "int f(int a) { return a; }\n");
    let int = sample::int(&mut sketch.subject.types, "int", 32, true);
    sketch.subject.functions = vec![sample::taking("f", &[("a", int)], int)];
    let outside = Run { end: End::Outside, ..returned(None, vec![None]) };
    let input = sketch.unread_input(vec![found(call(0, vec![Value::Int(1)]), outside, 0)]);
    let suite = Suite::new(input);
    assert!(suite.tests.is_empty() && suite.findings.is_empty() && suite.left_out.is_empty());
}

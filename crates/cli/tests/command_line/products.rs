//! The intermediate products: what `testwright show` prints.

use crate::support::{Answer, ROOT, SUBJECTS, answer, call, testwright};
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;

fn show(arguments: &[&str]) -> Answer {
    let answer = answer(testwright(Path::new(ROOT)).arg("show").args(arguments));
    assert_eq!((answer.status, answer.err.as_str()), (0, ""), "{arguments:?}");
    answer
}

#[test]
fn triangle_has_22_branch_outcomes() {
    let sites = show(&["sites", "examples/triangle.c", "--json"]).json();
    let sites = sites.as_array().unwrap();
    let outcomes = |kind: &str| -> usize {
        let of_kind = sites.iter().filter(|site| site["kind"] == kind);
        of_kind.map(|site| site["outcomes"].as_array().unwrap().len()).sum()
    };
    assert_eq!([outcomes("branch"), outcomes("check"), outcomes("compare")], [22, 3, 0]);
    let place = serde_json::json!({"file": "examples/triangle.c", "line": 10, "column": 11});
    let first = sites.iter().find(|site| site["kind"] == "branch").unwrap();
    assert_eq!((&first["place"], &first["function"]), (&place, &"triangle".into()));
    assert_eq!(first["outcomes"][1], serde_json::json!({"outcome": 1, "name": "false"}));
}

#[test]
fn the_table_of_sites_can_be_limited_to_a_function() {
    let all = call(&["show", "sites", "ends.c"]).out;
    let one = call(&["show", "sites", "ends.c", "--function", "adds"]).out;
    assert_eq!(one.lines().count(), 3, "{one}");
    assert!(one.contains("  ends.c:13:35  adds      check     "), "{one}");
    assert!(one.ends_with("1 sites, 1 outcomes\n"), "{one}");
    assert!(all.lines().count() > one.lines().count());
}

#[test]
fn bitcode_and_instrumented_code_are_llvm_text() {
    let file = "examples/triangle.c";
    let plain = show(&["bitcode", file]).out;
    assert!(plain.contains("define ") && plain.contains("@triangle("), "{plain}");
    let sizes: Vec<usize> = ["bare", "run", "run-distances", "trace"]
        .iter()
        .map(|build| show(&["instrumented", file, "--build", build]).out.lines().count())
        .collect();
    assert!(sizes.is_sorted_by(|less, more| less < more), "each build adds to the one before: {sizes:?}");
}

#[test]
fn graphs_are_in_the_language_of_graphviz() {
    let graph = |kind: &str| {
        let text = show(&["graph", "examples/crc32.c", "-f", "crc32_bitwise", "--kind", kind]).out;
        assert!(text.starts_with("digraph \"") && text.ends_with("}\n"), "{kind}: {text}");
        text
    };
    let edges = |text: &str| text.matches(" -> ").count();
    let blocks = |text: &str| text.matches("[label=\"block ").count();
    let flow = graph("flow");
    // A tree has an edge for every block but its root.
    let dominators = graph("dominators");
    assert_eq!((blocks(&dominators), edges(&dominators)), (blocks(&flow), blocks(&flow) - 1));
    assert!(edges(&graph("post-dominators")) > 0);
    assert!(graph("dependence").contains("[label=\"true\"]"));
    assert!(blocks(&graph("interprocedural")) > blocks(&flow));
    assert!(graph("calls").contains("[label=\"crc32_bitwise\"]"));
}

#[test]
fn the_call_graph_has_an_edge_from_caller_to_callee() {
    let text = show(&["graph", "examples/base64.c", "--kind", "calls"]).out;
    assert!(text.contains("base64_decode") && text.contains("value_of"), "{text}");
    assert_eq!(text.matches(" -> ").count(), 1, "{text}");
}

#[test]
fn the_only_function_needs_no_name() {
    let graph = |more: &[&str]| show(&[&["graph", "examples/triangle.c"], more].concat());
    assert_eq!(graph(&[]), graph(&["--function", "triangle"]));
}

#[test]
fn a_reader_that_stops_early_ends_the_program_without_a_word() {
    const SIGPIPE: i32 = 13;
    let mut command = testwright(Path::new(SUBJECTS));
    command.args(["show", "instrumented", "ends.c"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdout.take().unwrap().read_exact(&mut [0; 10]).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.signal(), String::from_utf8_lossy(&output.stderr).as_ref()),
        (Some(SIGPIPE), "")
    );
}

#[test]
fn output_that_cannot_be_written_is_told() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = testwright(Path::new(SUBJECTS));
    let output = command.args(["show", "sites", "ends.c"]).stdout(full).output().unwrap();
    let message = "testwright: cannot write the output: No space left on device (os error 28)\n";
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(1), message));
}

#[test]
fn help_is_there_for_every_verb() {
    for verb in [
        &[][..],
        &["run"],
        &["show"],
        &["show", "bitcode"],
        &["show", "instrumented"],
        &["show", "graph"],
        &["show", "sites"],
        &["show", "trace"],
        &["bench"],
        &["bench", "core"],
    ] {
        let answer = call(&[verb, &["--help"]].concat());
        assert_eq!((answer.status, answer.err.as_str()), (0, ""), "{verb:?}");
        assert!(answer.out.contains("Usage: testwright"), "{}", answer.out);
        assert!(answer.out.lines().all(|line| line.len() <= 110), "{}", answer.out);
    }
}

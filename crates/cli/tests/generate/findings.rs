//! Findings have a place, or say that it is not known.

use crate::support::Bench;

#[test]
fn a_segmentation_fault_has_file_and_line() {
    let bench = Bench::new(
        "int last(const int *items, int count)\n{\n    if (count < 1) return 0;\n    return items[count];\n}\n",
    );
    let report = bench.generate(&["--runs", "5"]);
    let finding = bench.function("last")["findings"][0].clone();
    assert_eq!((&finding["file"], &finding["line"]), (&"subject.c".into(), &4.into()), "{report}");
    assert!(report.contains("subject.c:4:") && report.contains("segmentation fault: last("), "{report}");
    assert!(bench.read("out/findings.c").contains("FINDING(last_segmentation_fault_line_4)"));
}

#[test]
fn a_fault_that_breaks_only_what_is_assumed_is_no_finding_but_an_assumption() {
    let bench = Bench::new("int far(const int *items)\n{\n    return items[5000];\n}\n");
    let report = bench.generate(&["--runs", "5"]);
    assert!(report.contains("assumes  items has all elements that are read"), "{report}");
    let function = bench.function("far");
    assert_eq!(function["findings"], serde_json::json!([]));
    let assumption = &function["assumptions"][0];
    assert_eq!((&assumption["line"], &assumption["otherwise"]), (&3.into(), &"segmentation fault".into()));
    assert!(!bench.path("out/findings.c").exists());
}

#[test]
fn passing_the_end_of_a_variable_that_is_only_declared_is_no_finding() {
    let bench = Bench::new(
        "extern int table[];\nint look(unsigned index)\n{\n    if (index >= 200)\n        return -1;\n    \
         return table[index];\n}\n",
    );
    let report = bench.generate(&["--runs", "60"]);
    assert_eq!(bench.function("look")["findings"], serde_json::json!([]), "{report}");
}

#[test]
fn a_failed_assertion_has_file_line_and_text() {
    let bench =
        Bench::new("#include <assert.h>\nint half(int x)\n{\n    assert(x != 12);\n    return x / 2;\n}\n");
    let report = bench.generate(&["--runs", "5"]);
    assert!(
        report.contains("subject.c:4") && report.contains("assertion failed, x != 12: half(12)"),
        "{report}"
    );
}

#[test]
fn a_finding_whose_place_is_not_known_names_its_function() {
    let bench = Bench::new(
        "int wait(int x)\n{\n    volatile int spins = 0;\n    while (x > 5)\n        spins++;\n    return spins;\n}\n",
    );
    let report = bench.generate(&["--runs", "5"]);
    assert!(report.contains("somewhere in wait") && report.contains("step limit: wait("), "{report}");
    let finding = bench.function("wait")["findings"][0].clone();
    assert_eq!((&finding["file"], &finding["line"]), (&"subject.c".into(), &0.into()));
}

#[test]
fn findings_fail_the_command_only_when_asked_to() {
    let bench = Bench::new("int inverse(int a) { return 100 / a; }");
    let status = |arguments: &[&str]| {
        let output = bench.command(&[&["--runs", "20"], arguments].concat()).output();
        output.expect("testwright starts").status.code()
    };
    assert_eq!(status(&[]), Some(0));
    assert_eq!(status(&["--fail-on-findings"]), Some(2));
    bench.write("subject.c", "int same(int a) { return a; }");
    assert_eq!(status(&["--fail-on-findings"]), Some(0), "there is none");
}

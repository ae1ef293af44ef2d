//! Findings have a place, or say that it is not known.

use crate::support::Bench;

#[test]
fn a_segmentation_fault_has_file_and_line() {
    let bench = Bench::new(
        "int sixth(const int *items)\n{\n    int first = items[0];\n    return first + items[5000];\n}\n",
    );
    let report = bench.generate(&["--runs", "5"]);
    let finding = bench.function("sixth")["findings"][0].clone();
    assert_eq!((&finding["file"], &finding["line"]), (&"subject.c".into(), &4.into()), "{report}");
    assert!(report.contains("subject.c:4:") && report.contains("segmentation fault: sixth("), "{report}");
    assert!(bench.read("out/findings.c").contains("FINDING(sixth_segmentation_fault_line_4)"));
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

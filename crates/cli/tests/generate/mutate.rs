//! Scores of suites, ours and those of others.

use crate::support::{Bench, check_success};
use serde_json::Value;
use std::process::Output;

const CODE: &str = "\
int rate(int hours, int fee)
{
    if (hours < 24)
        return hours * fee + 7;
    return (hours - 24) * fee;
}
";

fn mutate(bench: &Bench, arguments: &[&str]) -> Output {
    bench.verb("mutate").args(arguments).output().expect("testwright starts")
}

/// How many of how many mutants are killed.
fn score(text: &str) -> (u64, u64) {
    let line = text.lines().find(|line| line.contains("kills ")).expect("a score");
    let mut numbers = line.split_whitespace().filter_map(|word| word.parse().ok());
    (numbers.next().expect("killed"), numbers.next().expect("all"))
}

#[test]
fn a_suite_that_was_made_to_kill_scores_higher_than_one_for_branches() {
    let bench = Bench::new(CODE);
    bench.generate(&["--runs", "500", "--criteria", "branch"]);
    let before = check_success(&mutate(&bench, &["out"]));
    bench.generate(&["--runs", "500", "--criteria", "branch,mutation"]);
    let after = check_success(&mutate(&bench, &["out"]));
    let ((few, all), (many, same)) = (score(&before), score(&after));
    assert!(all == same && few < many && many * 100 >= all * 90, "{before}\n{after}");
    assert!(before.contains("survived subject.c:4:"), "{before}");
    assert!(bench.read("subject.c") == CODE && !bench.path("out/build").exists());
}

#[test]
fn only_mutants_of_new_lines_are_tried_if_a_diff_is_given() {
    let bench = Bench::new(CODE);
    bench.generate(&["--runs", "500", "--criteria", "branch,mutation"]);
    bench.write(
        "x.diff",
        "--- a/subject.c\n+++ b/subject.c\n@@ -5 +5 @@\n-    return 0;\n+    return (hours - 24) * fee;\n",
    );
    check_success(&mutate(&bench, &["out", "--in-diff", "x.diff", "--report", "report.json"]));
    let report: Value = serde_json::from_str(&bench.read("report.json")).expect("JSON");
    assert_eq!(report["schemaVersion"], "2");
    let files = report["files"].as_object().expect("files");
    let file = files.values().next().expect("a file");
    assert!(file["source"].as_str().is_some_and(|text| text == CODE));
    let mutants = file["mutants"].as_array().expect("mutants");
    assert!(
        !mutants.is_empty() && mutants.iter().all(|mutant| mutant["location"]["start"]["line"] == 5),
        "{report}"
    );
    assert!(
        mutants.iter().any(|mutant| mutant["status"] == "Killed" && mutant["mutatorName"] == "AOR"),
        "{report}"
    );
}

#[test]
fn a_suite_of_somebody_else_is_scored_by_its_makefile() {
    let bench = Bench::new(CODE);
    std::fs::create_dir(bench.path("tests")).expect("a folder");
    bench.write("tests/test.c", "int rate(int, int);\nint main(void) { return rate(2, 3) != 13; }\n");
    let makefile = "BUILD ?= build\nprograms: $(BUILD)/test\n$(BUILD)/test: test.c ../subject.c\n\tmkdir -p $(BUILD)\n\t\
                    $(CC) $(CFLAGS) -c ../subject.c -o $(BUILD)/subject.o\n\t$(CC) $(CFLAGS) -c test.c -o $(BUILD)/test.o\n\t\
                    $(CC) -o $@ $(BUILD)/test.o $(BUILD)/subject.o\n";
    bench.write("tests/Makefile", makefile);
    let text = check_success(&mutate(&bench, &["tests", "--source", "subject.c"]));
    let (killed, all) = score(&text);
    assert!(0 < killed && killed < all, "{text}");
    assert!(text.contains("survived subject.c:5:"), "the second return is not tested: {text}");
    assert!(!text.contains("AOR `+`"), "the sum is: {text}");
}

#[test]
fn a_suite_that_fails_on_the_code_as_it_is_is_refused() {
    let bench = Bench::new(CODE);
    bench.generate(&["--runs", "100", "--criteria", "branch"]);
    bench.write("subject.c", &CODE.replace("+ 7", "+ 8"));
    let output = mutate(&bench, &["out"]);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("whose tests fail on the code as it is"), "{message}");
}

#[test]
fn what_is_no_suite_is_refused() {
    let bench = Bench::new(CODE);
    let output = mutate(&bench, &["nowhere"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("--source"), "{output:?}");
}

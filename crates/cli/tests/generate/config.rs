//! The config file: priorities that the search obeys, and messages for what is wrong in it.

use crate::support::Bench;

/// Two parts that are equally hard to get through.
const PARTS: &str = "\
static int left(int a, int b, int c)
{
    if (a == 1701) {
        if (b == 2301) {
            if (c == 4201)
                return 1;
        }
    }
    return 0;
}

static int right(int a, int b, int c)
{
    if (a == 1702) {
        if (b == 2302) {
            if (c == 4202)
                return 1;
        }
    }
    return 0;
}

int both(int a, int b, int c, int d, int e, int f)
{
    return left(a, b, c) + 2 * right(d, e, f);
}
";

/// Four runs, enough for one part; which of the last constants of the parts are in the tests.
fn reached(config: &str) -> (bool, bool) {
    let bench = Bench::new(PARTS);
    bench.write("testwright.toml", config);
    bench.generate(&["--function", "both", "--runs", "4"]);
    let tests = bench.read("out/subject_test.c");
    (tests.contains("4201"), tests.contains("4202"))
}

#[test]
fn functions_of_a_higher_priority_are_flipped_first() {
    assert_eq!(reached("[priority]\nleft = 5\n"), (true, false));
    assert_eq!(reached("[priority]\nright = 5\n"), (false, true));
    assert_eq!(reached("[priority]\nleft = -1\n"), (false, true), "negative means last");
}

#[test]
fn lines_have_priorities_too_and_win_over_their_functions() {
    let left = "\"subject.c:3\" = 5\n\"subject.c:4\" = 5\n\"subject.c:5\" = 5\n";
    assert_eq!(reached(&format!("[priority]\n{left}")), (true, false));
    assert_eq!(reached(&format!("[priority]\nright = 3\n{left}")), (true, false));
    assert_eq!(reached(&format!("[priority]\nright = 9\n{left}")), (false, true));
    let last = left.replace('5', "-5").replace(".c:-5", ".c:5");
    assert_eq!(reached(&format!("[priority]\nleft = 9\nright = 1\n{last}")), (false, true));
}

#[test]
fn a_line_that_decides_nothing_stands_for_what_leads_to_it() {
    let bench = Bench::new(PARTS);
    bench.write("mine.toml", "[priority]\n\"subject.c:6\" = -1\n");
    bench.generate(&["--function", "left", "--runs", "9", "--config", "mine.toml"]);
    assert_eq!(bench.function("left")["branches"]["covered"], 6, "last, but not never");
}

#[test]
fn what_is_wrong_in_the_file_is_told_with_its_line_and_what_to_do() {
    let check = |config: &str, expected: &str| {
        let bench = Bench::new(PARTS);
        bench.write("testwright.toml", config);
        let message = bench.refused(&[]);
        assert!(message.contains(expected), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    };
    check(
        "[priority]\n\nlefft = 1\n",
        "testwright.toml:3: there is no function `lefft` in the target; did you mean `left`?",
    );
    check("[priority]\nqqqqqq = 1\n", "it has left, right, both");
    check(
        "[priority]\n\"other.c:3\" = 1\n",
        "testwright.toml:2: the target has no code in other.c; it has code in subject.c",
    );
    check(
        "[priority]\n\"subject.c:three\" = 1\n",
        "testwright.toml:2: `subject.c:three` names neither a function nor a line",
    );
    check("[priority]\n\"subject.c:25\" = 1\n", "testwright.toml:2: nothing is decided on line 25");
    check("[speed]\nfast = true\n", "testwright.toml:1: unknown field `speed`, expected one of `priority`");
    check("[priority]\nleft = high\n", "testwright.toml:2:");
}

#[test]
fn a_config_file_that_is_named_must_exist() {
    let message = Bench::new(PARTS).refused(&["--config", "missing.toml"]);
    assert!(message.contains("cannot read the config file missing.toml"), "{message}");
}

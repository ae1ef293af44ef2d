//! Code under test that lays hands on Testwright itself costs its own runs: the search ends in time, and a suite is written.

use crate::support::Bench;
use testwright_abi::memory::{INPUT_OFFSET, SHARED_BASE};

#[track_caller]
fn check(text: &str, expected: &str) {
    let bench = Bench::new(text);
    let printed = bench.generate(&["--runs", "40"]);
    assert!(printed.contains(expected), "{printed}");
    assert!(bench.path("out/subject_test.c").exists(), "{printed}");
}

#[test]
fn a_function_that_wipes_the_segment_and_crashes_is_a_finding() {
    // A variable holds the address: a constant one would be an input.
    let text = format!(
        "#include <string.h>
        static volatile unsigned long place = {SHARED_BASE:#x}, length = {INPUT_OFFSET:#x};
        int wipe(int x)
        {{
            if (x > 3) {{
                memset((void *)place, 0, length);
                *(volatile int *)(place - place) = 1;
            }}
            return x;
        }}"
    );
    check(&text, "1 finding");
}

#[test]
fn a_function_that_closes_everything_is_tested_like_others() {
    let text = "#include <unistd.h>
        int closes(int x)
        {
            if (x > 5)
                for (int file = 3; file < 1024; file++)
                    close(file);
            return x == 77 ? 2 : 1;
        }";
    check(text, "closes                         6/6 branches");
}

#[test]
fn a_function_that_writes_to_every_descriptor_is_tested_like_others() {
    let text = "#include <string.h>
        #include <unistd.h>
        int writes(int x)
        {
            char garbage[64];
            memset(garbage, x, sizeof garbage);
            if (x > 5)
                for (int file = 3; file < 300; file++)
                    if (write(file, garbage, sizeof garbage) > 0)
                        return -1;
            return x == 9;
        }";
    check(text, "writes ");
}

//! Budgets are kept, whatever the solver and the code under test do.

use crate::interrupt::ENDLESS;
use crate::support::Bench;
use std::time::Instant;

/// One condition that takes a solver longer than anybody waits.
const HASH: &str = "
#include <stdint.h>

int unlock(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t h = 0;
    for (int round = 0; round < 60; round++) {
        h = (h ^ a) * 0x85ebca6bu + (b + h) * (c | 1);
        a += h * b;
        b ^= (h >> 7) * c;
        c += a * b;
    }
    return h == 0x12345678u;
}

int lock(uint32_t a)
{
    if (a == 5)
        return 1;
    return 0;
}
";

/// Every run takes as long as it may.
const SLOW: &str = "
int slow(int x)
{
    volatile int spins = 0;
    while (x != 12345)
        spins++;
    if (spins == 1)
        return 1;
    return 0;
}
";

/// Seconds: more than the tests here take beside much other work, and less than they take if nothing cuts them short.
const PATIENCE: f64 = 90.0;

#[track_caller]
fn check_kept(text: &str) {
    let bench = Bench::new(text);
    bench.generate(&["--budget", "2s"]);
    let elapsed = bench.summary()["elapsed_s"].as_f64().expect("a number");
    assert!(elapsed <= PATIENCE, "{elapsed} s");
}

#[test]
fn a_budget_is_kept_if_every_query_is_hard() {
    check_kept(ENDLESS);
}

#[test]
fn a_budget_is_kept_if_a_query_is_large() {
    check_kept(HASH);
}

#[test]
fn a_budget_is_kept_if_runs_take_long() {
    check_kept(SLOW);
}

#[test]
fn a_budget_in_runs_ends_too_if_nothing_can_be_flipped() {
    let bench = Bench::new(SLOW);
    bench.generate(&["--runs", "5"]);
    let elapsed = bench.summary()["elapsed_s"].as_f64().expect("a number");
    assert!(elapsed <= PATIENCE, "{elapsed} s");
}

#[test]
fn what_the_budget_cuts_short_does_not_cost_other_functions_their_tests() {
    let bench = Bench::new(HASH);
    bench.generate(&["--budget", "10s"]);
    assert_eq!(bench.function("lock")["branches"]["covered"], 2);
}

#[test]
fn a_malformed_strategy_points_at_the_character_and_lists_what_exists() {
    let bench = Bench::example("triangle.c");
    let message = bench.refused(&["--strategy", "round-robin(fitnex, zigzag)"]);
    assert!(
        message.contains('^') && message.contains("zigzag") && message.contains("generational"),
        "{message}"
    );
}

#[test]
fn a_budget_that_is_no_time_is_refused() {
    let message = Bench::example("triangle.c").refused(&["--budget", "soon"]);
    assert!(message.contains("500ms, 10s or 2m"), "{message}");
}

#[test]
fn a_function_that_does_not_exist_is_refused() {
    let message = Bench::example("triangle.c").refused(&["--function", "triangel"]);
    assert!(message.contains("did you mean `triangle`?"), "{message}");
}

/// Goes on as long as somebody else says so, and at first nobody says anything else.
const DRAINING: &str = "
int more(int *left);
int drain(int count)
{
    int left, sum = 0;
    do {
        if (more(&left) != 0)
            return -1;
        sum += left == 9 ? 2 : 1;
    } while (left == 0 || count > 3);
    return sum;
}
";

#[test]
fn a_loop_without_end_does_not_eat_up_the_budget() {
    let bench = Bench::new(DRAINING);
    let report = bench.generate(&["--budget", "6s"]);
    let runs = bench.summary()["runs"]["concolic"].as_u64().expect("a number");
    let covered = bench.function("drain")["branches"]["covered"].as_u64().expect("a number");
    assert!(runs >= 4 && covered >= 7, "{report}");
}

/// A struct of thousands of numbers, most of which say nothing.
const LARGE: &str = "
struct table { unsigned short codes[1500], lengths[1500]; int used; };
int weigh(struct table *table)
{
    int sum = 0;
    for (int i = 0; i < 1500; i++)
        sum += table->codes[i] != 0;
    if (sum > 20)
        return table->lengths[700] == 77 ? 2 : 1;
    return 0;
}
";

#[test]
fn a_suite_of_large_structs_is_written_in_little_more_than_the_budget() {
    let bench = Bench::new(LARGE);
    let begun = Instant::now();
    let report = bench.generate(&["--budget", "4s"]);
    let elapsed = begun.elapsed().as_secs_f64();
    assert!(report.contains("compiled, passed twice"), "{report}");
    assert!(elapsed <= PATIENCE, "{elapsed} s: {report}");
}

//! Tests of strategies: what can be said, and what is said about the rest.

use super::*;
use crate::frontier::TABLE;
use expect_test::{Expect, expect};

fn check(text: &str, expected: &Expect) {
    let error = text.parse::<Strategy>().unwrap_err().to_string();
    let mut lines = error.lines().take(4).collect::<Vec<_>>();
    assert_eq!(lines.pop(), Some("strategies are made of:"));
    expected.assert_eq(&format!("{}\n", lines.join("\n")));
}

#[test]
fn a_strategy_reads_as_it_was_written() {
    for text in [
        DEFAULT,
        WITHOUT_FITNEX,
        "sgs(7)",
        "short-circuit(per-location(shortest), round-robin(fitnex, cgs(5), random))",
    ] {
        assert_eq!(text.parse::<Strategy>().unwrap().to_string(), text);
    }
    let spaced = " round-robin\t( sgs ( 3 ),\n dart )".parse::<Strategy>().unwrap();
    assert_eq!(spaced.to_string(), "round-robin(sgs(3), dart)");
    assert_eq!("sgs".parse::<Strategy>().unwrap().number(), 4);
}

#[test]
fn a_strategy_knows_what_it_mentions() {
    assert!(Strategy::default().mentions("fitnex"));
    assert!(!WITHOUT_FITNEX.parse::<Strategy>().unwrap().mentions("fitnex"));
}

#[test]
fn an_unknown_name_is_pointed_at() {
    check(
        "short-circuit(per-location(shortest), round-robin(fitness))",
        &expect![[r#"
            there is no strategy 'fitness'
              short-circuit(per-location(shortest), round-robin(fitness))
                                                                ^
        "#]],
    );
}

#[test]
fn what_is_missing_is_pointed_at() {
    check(
        "round-robin(random",
        &expect![[r#"
        ',' or ')' is missing
          round-robin(random
                            ^
    "#]],
    );
    let empty = "".parse::<Strategy>().expect_err("nothing is no strategy").to_string();
    assert!(empty.starts_with("the name of a strategy is missing"), "{empty}");
    check(
        "per-location",
        &expect![[r#"
        'per-location' needs a strategy in parentheses
          per-location
                      ^
    "#]],
    );
    check(
        "round-robin(random,)",
        &expect![[r#"
        the name of a strategy is missing
          round-robin(random,)
                             ^
    "#]],
    );
}

#[test]
fn what_is_too_much_is_pointed_at() {
    check(
        "random random",
        &expect![[r#"
        nothing can follow here, but 'r' does
          random random
                 ^
    "#]],
    );
    check(
        "random(3)",
        &expect![[r#"
        'random' takes nothing in parentheses
          random(3)
                ^
    "#]],
    );
    check(
        "per-location(random, dart)",
        &expect![[r#"
        'per-location' takes one strategy only
          per-location(random, dart)
                             ^
    "#]],
    );
    check(
        "sgs(0)",
        &expect![[r#"
        a number from 1 to 1000 belongs here
          sgs(0)
              ^
    "#]],
    );
}

#[test]
fn deep_nesting_is_an_error_and_not_a_crash() {
    let text = "per-location(".repeat(100_000);
    let error = text.parse::<Strategy>().unwrap_err();
    assert_eq!(error.problem(), "strategies are nested at most 32 deep");
}

#[test]
fn the_message_lists_everything_that_exists() {
    let message = "?".parse::<Strategy>().unwrap_err().to_string();
    for entry in TABLE {
        assert!(message.contains(&format!("\n  {}", entry.name)), "{}", entry.name);
        assert!(message.contains(entry.about));
    }
}

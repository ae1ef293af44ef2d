//! The manual names what exists.

use crate::support::ROOT;
use std::fs;
use testwright_search::frontier::TABLE;
use testwright_search::strategy::DEFAULT;

fn chapter() -> String {
    fs::read_to_string(format!("{ROOT}/book/generate.md")).expect("the chapter exists")
}

#[test]
fn the_manual_lists_every_frontier_and_no_other() {
    let chapter = chapter();
    let (_, section) = chapter.split_once("### Frontiers").expect("there is a section on frontiers");
    let section = section.split("\n#").next().unwrap_or_default();
    let rows: Vec<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(rows.len(), TABLE.len(), "one row for each");
    for entry in TABLE {
        let named = |row: &&&str| row[3..].split(['`', '(']).next() == Some(entry.name);
        let row = rows.iter().find(named).unwrap_or_else(|| panic!("there is no row for {}", entry.name));
        assert!(row.ends_with(&format!("| {} |", entry.about)), "{row} should say: {}", entry.about);
    }
}

#[test]
fn the_manual_names_the_default_strategy() {
    assert!(chapter().contains(DEFAULT));
}

#[test]
fn the_manual_lists_every_format() {
    let chapter = chapter();
    for format in testwright_suite::emit::Format::ALL {
        let row = format!("| `{}` | {} |", format.name, format.about);
        assert!(chapter.contains(&row), "{row}");
    }
}

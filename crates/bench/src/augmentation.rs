//! `testwright bench augmentation`: the experiment on augmented conditions. What do suites notice that were searched for with each criterion?
//!
//! Tables 1 and 2 of the paper: for every subject and criterion the share of mutants that the suite tells from the original, the conditions
//! that were solved, the tests and the time. Scored are the mutants of our own mutant build, all of the file: weakly, if a mutant computes
//! another value at its place in some test, and strongly, if something differs that a test could observe. The paper scores mutants of
//! path conditions, weakly.

mod measure;
mod report;
mod rows;

use super::record;
use crate::args::BenchAugmentation;
use crate::console::{interrupted, line, part, remark};
use measure::{Job, Measured};
use report::Report;
use rows::{ROWS, Row};
use std::sync::atomic::Ordering;
use testwright_engine::Failure;
use testwright_engine::request::duration;
use testwright_search::goals;

/// The criteria of the experiment beside branches, each by itself and then together.
const CRITERIA: [&str; 3] = ["boundary", "mutation", "logical"];

/// Criteria that are searched for together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sought {
    /// What the tables call them.
    pub name: &'static str,
    /// Their names.
    pub criteria: Vec<&'static str>,
}

/// Branches alone, with each other criterion that there is, and with all of them.
fn sought() -> Vec<Sought> {
    let known = goals::ALL.iter().map(|criterion| criterion.name());
    let others: Vec<&'static str> = known.filter(|name| CRITERIA.contains(name)).collect();
    let with = |name, others: &[&'static str]| Sought {
        name,
        criteria: [goals::DEFAULT].into_iter().chain(others.iter().copied()).collect(),
    };
    let mut sought = vec![with("plain", &[])];
    sought.extend(others.iter().map(|other| with(other, &[other])));
    sought.push(with("all", &others));
    sought
}

/// `testwright bench augmentation`
pub fn perform(arguments: &BenchAugmentation) -> Result<(), Failure> {
    let budget = duration("--budget", &arguments.budget)?;
    let rows = chosen(&arguments.rows)?;
    let sought = sought();
    let mut measured: Vec<Measured> = Vec::new();
    for row in rows {
        for sought in &sought {
            for seed in (arguments.seed..).take(arguments.repeat.max(1) as usize) {
                if interrupted().load(Ordering::Relaxed) {
                    return Err(Failure::usage("interrupted; nothing is recorded"));
                }
                let every_occurrence = arguments.augment_every_occurrence;
                let folder = &arguments.subjects;
                let job = Job { row, sought, folder, every_occurrence, seed, budget };
                let one = measure::measure(&job)?;
                if !arguments.json {
                    remark!("{}", one.line());
                }
                measured.push(one);
            }
        }
    }
    let report = Report { measured: &measured, sought: &sought };
    if arguments.json {
        line!("{:#}", report.json());
    } else {
        part!("{}", report.text());
    }
    if arguments.record {
        remark!("recorded in {}", record::write_value("augmentation", &report.json())?.display());
    }
    Ok(())
}

/// The rows of these names; all of them if none is named.
fn chosen(names: &[String]) -> Result<Vec<&'static Row>, Failure> {
    if let Some(unknown) = names.iter().find(|name| ROWS.iter().all(|row| row.name != **name)) {
        let known: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
        return Err(Failure::usage(format!("there is no row `{unknown}`; there are {}", known.join(", "))));
    }
    let is_wanted = |row: &&Row| names.is_empty() || names.iter().any(|name| name == row.name);
    Ok(ROWS.iter().filter(is_wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_are_searched_for_alone_with_each_criterion_and_with_all() {
        let sought = sought();
        let (first, last) = (&sought[0], &sought[sought.len() - 1]);
        assert_eq!((first.name, first.criteria.as_slice()), ("plain", ["branch"].as_slice()));
        let between: Vec<&str> = sought[1..sought.len() - 1].iter().map(|sought| sought.name).collect();
        assert!(["boundary", "mutation", "logical"].iter().all(|name| between.contains(name)), "{between:?}");
        assert_eq!(last.criteria, [&["branch"], between.as_slice()].concat());
    }

    #[test]
    fn a_row_that_there_is_not_is_refused_with_those_that_there_are() {
        let failure = chosen(&["Gcd".to_owned()]).expect_err("there is no such row");
        assert!(failure.message.contains("GCD, "), "{}", failure.message);
        assert_eq!(chosen(&[]).map(|rows| rows.len()).ok(), Some(12));
    }
}

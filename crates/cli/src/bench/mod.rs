//! `testwright bench`: Testwright measured against alternatives in the same run.

mod csmith;

use crate::args::BenchCore;
use crate::exit::{Exit, Failure};

/// `testwright bench core`
pub fn core(arguments: &BenchCore) -> Result<Exit, Failure> {
    let report = csmith::check_programs(arguments.seed, arguments.csmith, |report| {
        eprintln!(
            "{} programs, {} left out, {} disagreements",
            report.programs,
            report.left_out,
            report.disagreements.len()
        );
        for d in &report.disagreements {
            eprintln!("{d}");
        }
    })?;
    println!("{:#}", serde_json::to_value(&report).unwrap());
    Ok(Exit::Done)
}

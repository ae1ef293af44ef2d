//! Branches of real functions that tests show after a fixed time.

use super::{Row, in_parallel};
use crate::args::{AblateSubjects, BenchAblate};
use crate::real::{Job, covered, functions, sample};
use testwright_engine::Failure;
use testwright_search::heuristics::About;

/// A row for each function, with a column for everything on and one for each heuristic that is off.
pub fn measure(
    kind: AblateSubjects,
    heuristics: &[&About],
    arguments: &BenchAblate,
) -> Result<Vec<Row>, Failure> {
    let jobs = match kind {
        AblateSubjects::Gsl => functions("gsl")?,
        _ => sample(arguments.sample)?,
    };
    let columns = heuristics.len() + 1;
    let seeds = arguments.seeds.max(1);
    let shares = in_parallel(jobs.len() * columns, arguments.jobs, |index| {
        let (job, column): (&Job, usize) = (&jobs[index / columns], index % columns);
        let without = column.checked_sub(1).map(|number| heuristics[number].name);
        let shares = (1..=seeds).map(|seed| covered(job, &arguments.budget, seed, without));
        Ok(shares.sum::<f64>() / seeds as f64)
    })?;
    let rows = jobs.iter().zip(shares.chunks_exact(columns));
    Ok(rows.map(|(job, values)| Row { name: job.name(), values: values.to_vec() }).collect())
}

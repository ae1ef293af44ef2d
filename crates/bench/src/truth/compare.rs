//! Claims about code that nobody annotated: long random runs, and searches with the other files at hand, must not refute them.

use super::claims::Claims;
use crate::args::BenchTruth;
use crate::console::line;
use std::path::PathBuf;
use testwright_engine::Failure;

/// How many seeds random runs are tried with.
const SEEDS: u64 = 3;

/// Checks what is claimed about each file by itself; whether nothing was refuted.
pub fn perform(arguments: &BenchTruth) -> Result<bool, Failure> {
    let files = &arguments.check_claims;
    let budget = ["--budget", arguments.budget.as_str()];
    let (mut claimed, mut refuted) = (0, 0);
    for file in files {
        let claims = Claims::of(std::slice::from_ref(file), &budget)?;
        let goals: Vec<_> = claims.proved().collect();
        line!("  {}: {} of {} branches proved infeasible", file.display(), goals.len(), claims.branches.0);
        claimed += goals.len();
        if goals.is_empty() {
            continue;
        }
        let mut searches: Vec<(Vec<PathBuf>, Vec<String>)> = (1..=SEEDS)
            .map(|seed| {
                let seed = (arguments.seed + seed).to_string();
                let options = ["--technique", "random", "--seed", &seed, budget[0], budget[1]];
                (vec![file.clone()], options.map(str::to_owned).to_vec())
            })
            .collect();
        if files.len() > 1 {
            let others = files.iter().filter(|other| *other != file).cloned();
            searches.push((
                [file.clone()].into_iter().chain(others).collect(),
                budget.map(str::to_owned).to_vec(),
            ));
        }
        for (files, options) in searches {
            let options: Vec<&str> = options.iter().map(String::as_str).collect();
            let found = Claims::of(&files, &options)?;
            for goal in goals.iter().filter(|goal| found.shows(goal)) {
                refuted += 1;
                line!(
                    "    {}:{} {}: proved infeasible, but met by {}",
                    file.display(),
                    goal.line,
                    goal.outcome,
                    options.join(" ")
                );
            }
        }
    }
    line!("  {claimed} claims, {refuted} refuted");
    Ok(refuted == 0)
}

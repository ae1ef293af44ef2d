//! The trial of what a search kept: each case is run twice more in the run build, as its test will run.

use super::bounded;
use super::explore::Explored;
use crate::code::Code;
use crate::exit::Failure;
use crate::verbs::run::locate;
use testwright_base::build::Build;
use testwright_base::case::Case;
use testwright_base::stub::only_used;
use testwright_suite::Found;

/// Every kept case and finding, with what it does.
pub fn found(code: &mut Code, explored: &[Explored]) -> Result<Vec<Found>, Failure> {
    code.session.limits.wall = bounded::RUN;
    let mut list = Vec::new();
    for function in explored {
        let kept = function.kept.iter().cloned();
        let findings = function.findings.iter().map(|case| (case.clone(), Vec::new()));
        for (case, goals) in kept.chain(findings) {
            let case = with_used_answers(code, case)?;
            let mut run = code.session.run(&case, Build::RunWithDistances)?;
            locate(&mut code.session, &case, &mut run)?;
            let mut again = code.session.run(&case, Build::RunWithDistances)?;
            locate(&mut code.session, &case, &mut again)?;
            list.push(Found { case, run, again: Some(again), goals });
        }
    }
    Ok(list)
}

/// The case without answers of stubs that its run does not use, if the run is the same without them.
fn with_used_answers(code: &mut Code, case: Case) -> Result<Case, Failure> {
    if code.session.subject().stubs.is_empty() {
        return Ok(case);
    }
    let run = code.session.run(&case, Build::RunWithDistances)?;
    let shorter = only_used(code.session.subject(), &case, &run.stub_calls);
    let again = code.session.run(&shorter, Build::RunWithDistances)?;
    let same = (run.end, &run.outcomes, &run.result) == (again.end, &again.outcomes, &again.result);
    Ok(if same { shorter } else { case })
}

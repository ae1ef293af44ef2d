//! The self-check of a whole search.

use crate::console::remark;
use testwright_base::build::Build;
use testwright_engine::Failure;
use testwright_engine::build::loaded::LoadedSubject;
use testwright_exec::check;
use testwright_search::concolic::Search;
use testwright_search::tree::RunId;

/// Runs every case of a search once more, in both builds and with the independent evaluator.
pub fn disagreements(code: &mut LoadedSubject, search: &Search<'_>) -> Result<u64, Failure> {
    let mut count = 0;
    for run in (0..search.runs().len() as u32).map(RunId) {
        let Some(case) = search.runs().case(run) else { continue };
        let plain = code.session.run(case, Build::RunWithDistances)?;
        let trace = code.session.trace(case)?;
        let found = check::compare(&plain, &trace.run).into_iter().chain(check::check_trace(&trace));
        for problem in found {
            remark!("{}: {problem}", testwright_base::json::case_to_json(code.session.subject(), case));
            count += 1;
        }
    }
    Ok(count)
}

//! Instructions: how much of the code that a call may reach was executed, told from the outcomes that were hit.
//!
//! A block is taken to be executed if control can come to it from the entry through outcomes that were hit. A function that is
//! called through a pointer counts if an outcome of it was hit, or if it has none. Library models do not count.

use std::collections::BTreeSet;
use testwright_base::ids::{BlockId, FunctionId, OutcomeId};
use testwright_base::subject::{Callee, Subject};

/// How many instructions of a function and of what it calls are executed if these outcomes are hit.
#[must_use]
pub fn instructions(subject: &Subject, function: FunctionId, is_hit: &dyn Fn(OutcomeId) -> bool) -> u64 {
    let mut seen: BTreeSet<(FunctionId, BlockId)> = BTreeSet::new();
    let mut waiting = vec![(function, BlockId(0))];
    let mut count = 0;
    while let Some((function, block)) = waiting.pop() {
        let definition = subject.function(function);
        let Some(body) = definition.blocks.get(block.index()) else { continue };
        if definition.model || !seen.insert((function, block)) {
            continue;
        }
        count += u64::from(body.instructions);
        let calls = definition.calls.iter().filter(|call| call.block == block);
        let callees = calls.flat_map(|call| called(subject, &call.callee, is_hit));
        waiting.extend(callees.map(|callee| (callee, BlockId(0))));
        let site = body.decides.and_then(|site| subject.site(site));
        let site = site.filter(|site| site.outcome_count as usize == body.successors.len());
        for (index, next) in (0..).zip(&body.successors) {
            if site.is_none_or(|site| is_hit(OutcomeId(site.first_outcome.0 + index))) {
                waiting.push((function, *next));
            }
        }
    }
    count
}

/// Who was called at a place that was executed.
fn called(subject: &Subject, callee: &Callee, is_hit: &dyn Fn(OutcomeId) -> bool) -> Vec<FunctionId> {
    match callee {
        Callee::Defined(function) => vec![*function],
        Callee::External(_) => Vec::new(),
        Callee::Pointer(candidates) => {
            let was_called = |function: &FunctionId| {
                let mut outcomes = subject
                    .sites
                    .iter()
                    .filter(|site| site.function == *function && site.kind.is_branch())
                    .flat_map(testwright_base::site::Site::outcomes)
                    .peekable();
                outcomes.peek().is_none() || outcomes.any(is_hit)
            };
            candidates.iter().copied().filter(was_called).collect()
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use testwright_base::ids::SiteId;
    use testwright_base::sample::{block, calling, empty_subject};
    use testwright_base::site::{Site, SiteKind};
    use testwright_base::subject::Call;

    /// `f` is `if (..) { g(); }`, and `g` is one block of four instructions.
    fn subject() -> Subject {
        let mut subject = empty_subject();
        let mut f = calling("f", &[]);
        f.blocks = vec![block(&[1, 2]), block(&[2]), block(&[])];
        f.blocks[0].decides = Some(SiteId(0));
        f.calls = vec![Call { block: BlockId(1), callee: Callee::Defined(FunctionId(1)) }];
        let mut g = calling("g", &[]);
        g.blocks = vec![block(&[])];
        g.blocks[0].instructions = 4;
        subject.functions = vec![f, g];
        subject.sites = vec![Site {
            function: FunctionId(0),
            block: BlockId(0),
            kind: SiteKind::Branch,
            place: None,
            first_outcome: OutcomeId(0),
            outcome_count: 2,
        }];
        subject.outcome_count = 2;
        subject
    }

    #[test]
    fn what_lies_behind_outcomes_that_were_not_hit_was_not_executed() {
        let subject = subject();
        let count = |hit: &[u32]| instructions(&subject, FunctionId(0), &|outcome| hit.contains(&outcome.0));
        assert_eq!(count(&[]), 1);
        assert_eq!(count(&[1]), 2);
        assert_eq!(count(&[0]), 7, "the call too");
        assert_eq!(count(&[0, 1]), 7);
    }
}

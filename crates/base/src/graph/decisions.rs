//! The flow graph of the program's own decisions: failed sanitizer checks are left out.
//!
//! A check ends the run if it fails, so everything after it depends on it; but nobody asks a search to make
//! checks succeed, and counting them would put dozens of levels between an `if` and the one inside it.

use super::FlowGraph;
use crate::ids::{BlockId, FunctionId};
use crate::site::SiteKind;
use crate::subject::{Function, Subject};

/// The flow graph of a function, without the edges that failed checks take. Positions of other edges stay.
#[must_use]
pub fn decision_flow(subject: &Subject, function: FunctionId) -> FlowGraph {
    let function = subject.function(function);
    let successors = function.blocks.iter().map(|block| {
        let is_check = block
            .decides
            .and_then(|site| subject.site(site))
            .is_some_and(|site| matches!(site.kind, SiteKind::Check(_)));
        if is_check { passed(function, &block.successors) } else { block.successors.clone() }
    });
    FlowGraph::new(successors.collect())
}

/// Where a check leads that succeeds. The other way ends the function; if both do, the compiler puts that one last.
fn passed(function: &Function, ways: &[BlockId]) -> Vec<BlockId> {
    let goes_on = |way: &&BlockId| !function.blocks[way.index()].successors.is_empty();
    ways.iter().find(goes_on).or(ways.first()).copied().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{OutcomeId, SiteId};
    use crate::sample::{block, calling, empty_subject};
    use crate::site::{CheckKind, Site};

    #[test]
    fn nothing_depends_on_a_check() {
        let mut subject = empty_subject();
        let mut function = calling("f", &[]);
        // A branch leads to a check; the check to a trap in block 3, or on to block 4.
        function.blocks = vec![block(&[1, 2]), block(&[3, 4]), block(&[]), block(&[]), block(&[2])];
        function.blocks[0].decides = Some(SiteId(0));
        function.blocks[1].decides = Some(SiteId(1));
        subject.functions = vec![function];
        let site = |kind, first, outcome_count| Site {
            function: FunctionId(0),
            block: BlockId(0),
            place: None,
            kind,
            first_outcome: OutcomeId(first),
            outcome_count,
        };
        subject.sites = vec![site(SiteKind::Branch, 0, 2), site(SiteKind::Check(CheckKind(0)), 2, 1)];
        let flow = decision_flow(&subject, FunctionId(0));
        assert_eq!(flow.successors(BlockId(1)), [BlockId(4)]);
        assert_eq!(flow.dependences(BlockId(4)), [(BlockId(0), 0)]);
        assert_eq!(subject.flow(FunctionId(0)).dependences(BlockId(4)), [(BlockId(1), 1)]);
    }
}

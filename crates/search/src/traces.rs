//! Recent traces; older ones are made again from their case when they are needed.

use crate::execute::Traced;
use crate::tree::RunId;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// The traces that were used last.
#[derive(Debug)]
pub struct Traces {
    kept: HashMap<RunId, Kept>,
    /// Runs by when they were used last.
    order: BTreeMap<u64, RunId>,
    clock: u64,
    size: usize,
    limit: usize,
}

#[derive(Debug)]
struct Kept {
    traced: Rc<Traced>,
    used: u64,
}

impl Traces {
    /// Keeps traces with at most `limit` expressions and steps together; the latest is kept whatever its size.
    #[must_use]
    pub fn new(limit: usize) -> Traces {
        Traces { kept: HashMap::new(), order: BTreeMap::new(), clock: 0, size: 0, limit }
    }

    /// How many traces are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether none is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The trace of a run, if it is still there.
    pub fn get(&mut self, run: RunId) -> Option<Rc<Traced>> {
        self.clock += 1;
        let kept = self.kept.get_mut(&run)?;
        self.order.remove(&kept.used);
        self.order.insert(self.clock, run);
        kept.used = self.clock;
        Some(Rc::clone(&kept.traced))
    }

    /// Keeps a trace, and drops those that were not used for longest if there are too many.
    pub fn put(&mut self, run: RunId, traced: Rc<Traced>) {
        self.clock += 1;
        self.size += size(&traced);
        self.order.insert(self.clock, run);
        if let Some(old) = self.kept.insert(run, Kept { traced, used: self.clock }) {
            self.order.remove(&old.used);
            self.size -= size(&old.traced);
        }
        while self.size > self.limit && self.kept.len() > 1 {
            let Some((_, oldest)) = self.order.pop_first() else { break };
            if let Some(old) = self.kept.remove(&oldest) {
                self.size -= size(&old.traced);
            }
        }
    }
}

fn size(traced: &Traced) -> usize {
    traced.exprs.len() + traced.path.steps().len() + traced.inputs.len()
}

//! The dump: every query that comes by, as an SMT-LIB script that another solver can read.

use super::{Answer, Layer, Query, Solve};
use crate::expr::smt::Script;
use crate::path::Constraint;

/// A layer that hands the text of each query, with its number, to `write` and passes the query on.
pub struct Dump<W> {
    write: W,
    queries: usize,
}

impl<W: FnMut(usize, &str)> Dump<W> {
    /// Calls `write` for every query.
    #[must_use]
    pub fn new(write: W) -> Dump<W> {
        Dump { write, queries: 0 }
    }
}

impl<W: FnMut(usize, &str)> Layer for Dump<W> {
    fn name(&self) -> &'static str {
        "dump"
    }

    fn solve(&mut self, query: &Query<'_>, next: &mut dyn Solve) -> Answer {
        (self.write)(self.queries, &script(query));
        self.queries += 1;
        next.solve(query)
    }
}

/// The constraints of a query as a script; inputs are named by their number.
fn script(query: &Query<'_>) -> String {
    let name = |index: u32| format!("input{index}");
    let roots = query.constraints.iter().filter_map(Constraint::expr);
    let mut script = Script::new(query.exprs, roots, &name);
    for constraint in query.constraints {
        match constraint {
            Constraint::IsTrue(id) => script.assert_true(*id),
            Constraint::IsFalse(id) => script.assert_false(*id),
            Constraint::Equals(id, value) => script.assert_equals(*id, *value),
            Constraint::NoneOf(id, values) => script.assert_none_of(*id, values),
            Constraint::OneOf(id, values) => script.assert_one_of(*id, values),
            Constraint::Nothing => {}
        }
    }
    script.finish()
}

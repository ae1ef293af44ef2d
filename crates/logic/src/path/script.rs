//! The path condition as an SMT-LIB script.

use testwright_abi::event::EventKind;

use super::{Constraint, Path, Step};
use crate::expr::Exprs;
use crate::expr::smt::Script;

impl Path {
    /// A script whose models are the inputs that take this path. `input_name` names the inputs; `comment`
    /// gives the text that stands above the claim of a step, such as `triangle.c:8:11 branch 3 true`. Steps
    /// that constrain nothing are left out.
    #[must_use]
    pub fn to_smt(
        &self,
        exprs: &Exprs,
        input_name: &dyn Fn(u32) -> String,
        comment: &dyn Fn(&Step) -> String,
    ) -> String {
        let roots = self.steps().iter().filter_map(|step| step.constraint.expr());
        let mut script = Script::new(exprs, roots, input_name);
        for step in self.steps() {
            if step.constraint == Constraint::Nothing {
                continue;
            }
            script.comment(&comment(step));
            if let Some(reason) = pin_reason(step.kind) {
                script.comment(reason);
            }
            match &step.constraint {
                Constraint::IsTrue(expr) => script.assert_true(*expr),
                Constraint::IsFalse(expr) => script.assert_false(*expr),
                Constraint::Equals(expr, value) => script.assert_equals(*expr, *value),
                Constraint::NoneOf(expr, values) => script.assert_none_of(*expr, values),
                Constraint::OneOf(expr, values) => script.assert_one_of(*expr, values),
                Constraint::Nothing => {}
            }
        }
        script.finish()
    }
}

/// Why a value had to be pinned, if it was.
fn pin_reason(kind: EventKind) -> Option<&'static str> {
    match kind {
        EventKind::Address => Some("pinned: the address of a memory access"),
        EventKind::Callee => Some("pinned: the function that a pointer calls"),
        EventKind::Native => Some("pinned: an argument of a function that runs natively"),
        EventKind::Size => Some("pinned: a size"),
        EventKind::Unsupported => Some("pinned: the operand of an operation without expression"),
        EventKind::Pointer => Some("pinned: a pointer that was followed"),
        EventKind::Branch
        | EventKind::Switch
        | EventKind::Compare
        | EventKind::Bounds
        | EventKind::Related => None,
    }
}

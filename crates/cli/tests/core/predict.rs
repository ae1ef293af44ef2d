//! Prediction: the path of one run says where a run with other inputs leaves it.
//!
//! The constraints of a path are evaluated for the inputs of another run of the same shape. Up to the first one that fails
//! both runs must have taken the same steps, and there they must differ; if none fails, they must be the same to the
//! end. A value that silently became concrete, or an expression that is right only for the values of its own
//! run, shows here.

use testwright_base::run::End;
use testwright_exec::Trace;
use testwright_logic::expr::eval::Evaluator;
use testwright_logic::path::{EventKind, Step};

/// What the path of `one` says wrongly about the run of `other`; nothing if all is well.
pub fn disagreement(one: &Trace, other: &Trace) -> Option<String> {
    let inputs = other.exprs.recorded_inputs();
    let mut evaluator = Evaluator::new(&one.exprs, &inputs);
    for (index, step) in one.path.steps().iter().enumerate() {
        let holds = step.constraint.holds(&mut evaluator).unwrap_or(false);
        let Some(taken) = other.path.steps().get(index) else {
            // A run that ends early, in a division or an access that faults, takes no further steps; nor is it
            // recorded that the access used a pointer.
            let is_cut = step.kind == EventKind::Pointer && matches!(other.run.end, End::Signal { .. });
            return (holds && !is_cut).then(|| format!("step {index} ({}) is missing", text(step)));
        };
        if (step.kind, step.site) != (taken.kind, taken.site) {
            return holds
                .then(|| format!("step {index} is {} in one run, {} in the other", text(step), text(taken)));
        }
        if step.kind == EventKind::Compare {
            let value = evaluator.value(step.expr);
            let expected = u128::from(taken.outcome == 0);
            if value.as_ref().is_ok_and(|value| *value != expected) {
                return Some(format!("step {index} ({}) is a comparison with another result", text(step)));
            }
            continue;
        }
        if step.kind == EventKind::Bounds {
            if holds {
                continue;
            }
            return None;
        }
        let same = match step.kind {
            EventKind::Branch | EventKind::Switch => step.outcome == taken.outcome,
            _ => one.exprs.get(step.expr).value == other.exprs.get(taken.expr).value,
        };
        if same != holds {
            let predicted = if holds { "the same" } else { "another" };
            return Some(format!("step {index} ({}) should go {predicted} way in the other run", text(step)));
        }
        if !same {
            return None;
        }
    }
    let (steps, taken) = (one.path.steps().len(), other.path.steps().len());
    (taken > steps && one.run.end == other.run.end)
        .then(|| format!("the other run takes {taken} steps, not {steps}"))
}

fn text(step: &Step) -> String {
    let site = step.site.map_or_else(|| "no site".to_owned(), |site| format!("site {site}"));
    format!("{:?} at {site}, outcome {}", step.kind, step.outcome)
}

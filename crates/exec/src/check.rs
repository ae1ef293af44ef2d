//! The self-check: two builds and an independent evaluator must agree on every run.

use crate::ExecError;
use crate::session::Session;
use crate::trace::Trace;
use testwright_base::build::Build;
use testwright_base::case::{Case, Value};
use testwright_base::run::{End, Run};

/// Runs the case in the run build and in the trace build and says what does not agree; nothing if all is well.
///
/// # Errors
/// If the case cannot be run at all.
pub fn check(session: &mut Session, case: &Case) -> Result<Vec<String>, ExecError> {
    let run = session.run(case, Build::Run)?;
    let trace = session.trace(case)?;
    let mut problems = compare(&run, &trace.run);
    problems.extend(check_trace(&trace));
    Ok(problems)
}

/// What two runs of the same case do not agree on.
#[must_use]
pub fn compare(run: &Run, traced: &Run) -> Vec<String> {
    let mut problems = Vec::new();
    // The trace build also knows where a signal struck, and its frames are larger.
    let same_end = match (run.end, traced.end) {
        (End::Signal { signal: a, .. }, End::Signal { signal: b, .. }) => a == b,
        (a, b) => a == b,
    };
    if !same_end {
        problems.push(format!("the run build ended with {}, the trace build with {}", run.end, traced.end));
    }
    if !all_alike(run.result.as_slice(), traced.result.as_slice()) {
        problems
            .push(format!("the run build returned {:?}, the trace build {:?}", run.result, traced.result));
    }
    let objects = |run: &Run| {
        run.objects.iter().map(|object| object.clone().unwrap_or(Value::Null)).collect::<Vec<_>>()
    };
    if !all_alike(&objects(run), &objects(traced)) {
        problems.push("the builds left different objects behind".to_owned());
    }
    if run.outcomes != traced.outcomes {
        problems.push(format!("the run build hit {:?}, the trace build {:?}", run.outcomes, traced.outcomes));
    }
    if run.output != traced.output {
        problems.push("the builds printed different things".to_owned());
    }
    problems
}

/// Whether values are the same, where any NaN is as good as any other: which one an operation gives is open in C, and
/// depends on the order in which the optimiser takes its operands.
fn all_alike(some: &[Value], others: &[Value]) -> bool {
    some.len() == others.len() && some.iter().zip(others).all(|(one, other)| alike(one, other))
}

fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Single(a), Value::Single(b)) => {
            a == b || f32::from_bits(*a).is_nan() && f32::from_bits(*b).is_nan()
        }
        (Value::Double(a), Value::Double(b)) => {
            a == b || f64::from_bits(*a).is_nan() && f64::from_bits(*b).is_nan()
        }
        (Value::Array(a), Value::Array(b)) | (Value::Record(a), Value::Record(b)) => all_alike(a, b),
        (Value::Member(i, a), Value::Member(k, b)) => i == k && alike(a, b),
        _ => one == other,
    }
}

/// Whether every recorded expression has the value it had in the run, and every constraint of the path holds.
#[must_use]
pub fn check_trace(trace: &Trace) -> Vec<String> {
    let mut problems: Vec<String> =
        testwright_logic::expr::check(&trace.exprs).iter().map(ToString::to_string).collect();
    for violation in trace.path.check(&trace.exprs) {
        problems
            .push(format!("step {} of the path does not hold for the inputs of the run", violation.index));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_nan_is_like_any_other_but_zeros_keep_their_sign() {
        let double = |value: f64| Value::Record(vec![Value::Double(value.to_bits())]);
        assert!(alike(&double(f64::NAN), &double(-f64::NAN)));
        assert!(!alike(&double(f64::NAN), &double(1.0)));
        assert!(!alike(&double(0.0), &double(-0.0)));
        let single = |value: f32| Value::Member(0, Box::new(Value::Single(value.to_bits())));
        assert!(alike(&single(f32::NAN), &single(-f32::NAN)));
        assert!(!alike(&single(2.0), &Value::Member(1, Box::new(Value::Single(2f32.to_bits())))));
    }
}

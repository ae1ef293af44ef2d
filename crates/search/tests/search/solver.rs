//! A toy solver: tries all values of the one or two inputs that a query is about, and says so if there are more.

use std::collections::BTreeSet;
use testwright_logic::expr::eval::Evaluator;
use testwright_logic::path::Constraint;
use testwright_logic::solve::{Answer, Model, Query, Solve};

/// Exact as long as at most two inputs hang together.
pub struct Exact;

impl Solve for Exact {
    fn solve(&mut self, query: &Query<'_>) -> Answer {
        let (inputs, constraints) = relevant(query);
        let holds = |values: &[u128]| {
            let mut evaluator = Evaluator::new(query.exprs, values);
            constraints.iter().all(|constraint| constraint.holds(&mut evaluator) == Ok(true))
        };
        let mut values = query.values.to_vec();
        let inputs: Vec<usize> = inputs.into_iter().map(|input| input as usize).collect();
        for input in &inputs {
            for value in domain(query, *input) {
                values[*input] = value;
                if holds(&values) {
                    return Answer::Sat(Model::from([(*input as u32, value)]));
                }
            }
            values[*input] = query.values[*input];
        }
        if let [first, second] = inputs.as_slice() {
            for x in domain(query, *first) {
                for y in domain(query, *second) {
                    (values[*first], values[*second]) = (x, y);
                    if holds(&values) {
                        return Answer::Sat(Model::from([(*first as u32, x), (*second as u32, y)]));
                    }
                }
            }
        }
        if inputs.len() > 2 { Answer::Unknown("too many inputs".to_owned()) } else { Answer::Unsat }
    }
}

/// The inputs that hang together with the last constraint, and the constraints about them.
fn relevant<'a>(query: &Query<'a>) -> (BTreeSet<u32>, Vec<&'a Constraint>) {
    let about = |constraint: &Constraint| {
        constraint.expr().map(|expr| query.exprs.inputs_of(expr)).unwrap_or_default()
    };
    let mut inputs = query.constraints.last().map(about).unwrap_or_default();
    loop {
        let before = inputs.len();
        for constraint in query.constraints {
            let mentioned = about(constraint);
            if !mentioned.is_disjoint(&inputs) {
                inputs.extend(mentioned);
            }
        }
        if inputs.len() == before {
            let chosen =
                query.constraints.iter().filter(|constraint| !about(constraint).is_disjoint(&inputs));
            let chosen = chosen.collect();
            return (inputs, chosen);
        }
    }
}

/// The values an input may have, those near its present one first.
fn domain(query: &Query<'_>, input: usize) -> Vec<u128> {
    let (low, high) = query.inputs[input].range.expect("toy inputs have ranges");
    let present = i128::from(query.values[input] as u32 as i32);
    let mut values: Vec<i128> = (low..=high).collect();
    values.sort_by_key(|value| (value - present).abs());
    values.into_iter().map(|value| u128::from(value as u32)).collect()
}

//! What solving a path costs: a weighted count of the operations in its constraints.
//!
//! Weights are fitted to measured times while a search goes on, by least squares with weights that cannot be negative. Older measurements
//! fade, and a little of the first guess stays, so that operations never met keep a sensible weight. Costs are in seconds.

use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use testwright_abi::expr::Op;
use testwright_logic::expr::{ExprId, Exprs};
use testwright_logic::path::Constraint;

/// The kinds of operations that are told apart, with a first guess of what one costs in seconds. The first is the query itself.
const KINDS: [(&str, f64); 9] = [
    ("query", 5e-5),
    ("input", 1e-6),
    ("bits", 1e-6),
    ("add", 2e-6),
    ("multiply", 2e-4),
    ("divide", 1e-3),
    ("choose", 5e-6),
    ("float", 2e-4),
    ("float-hard", 5e-3),
];
const COUNT: usize = KINDS.len();
/// What older measurements are multiplied with at each new one.
const FADING: f64 = 0.995;
/// How many measurements the first guess is worth.
const TRUST: f64 = 1.0;
/// How often the weights are improved one after the other per measurement.
const SWEEPS: usize = 8;
/// No path is cheaper than this.
const LEAST: f64 = 1e-6;

/// How many operations of each kind.
pub type Operations = [f64; COUNT];

/// Counts the operations of more and more constraints; each expression counts once, however often it is used.
#[derive(Debug, Default)]
pub struct Counter {
    seen: HashSet<ExprId>,
    operations: Operations,
}

impl Counter {
    /// Adds the operations of a constraint that no constraint before it has.
    pub fn add(&mut self, exprs: &Exprs, constraint: &Constraint) {
        let mut open: Vec<ExprId> = constraint.expr().into_iter().collect();
        while let Some(id) = open.pop() {
            if self.seen.insert(id) {
                let expr = exprs.get(id);
                if let Some(kind) = kind(expr.op) {
                    self.operations[kind] += 1.0;
                }
                open.extend(expr.operands());
            }
        }
    }

    /// The operations so far, and the query itself.
    #[must_use]
    pub fn operations(&self) -> Operations {
        let mut operations = self.operations;
        operations[0] = 1.0;
        operations
    }
}

/// Predicts what solving costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CostModel {
    weights: Operations,
    /// Faded sums of products of counts, and of counts and times.
    products: [Operations; COUNT],
    times: Operations,
}

impl Default for CostModel {
    fn default() -> CostModel {
        let weights = KINDS.map(|(_, weight)| weight);
        let mut products = [[0.0; COUNT]; COUNT];
        for (kind, row) in products.iter_mut().enumerate() {
            row[kind] = TRUST;
        }
        CostModel { weights, products, times: weights.map(|weight| TRUST * weight) }
    }
}

impl CostModel {
    /// The predicted cost in seconds.
    #[must_use]
    pub fn predict(&self, operations: &Operations) -> f64 {
        let total: f64 = self.weights.iter().zip(operations).map(|(weight, count)| weight * count).sum();
        total.max(LEAST)
    }

    /// Learns from a measured time.
    pub fn learn(&mut self, operations: &Operations, seconds: f64) {
        if !(seconds.is_finite() && seconds >= 0.0) {
            return;
        }
        // Large queries would drown small ones, which are most; so errors count relative to the size.
        let size = operations.iter().sum::<f64>().max(1.0);
        for kind in 0..COUNT {
            for other in 0..COUNT {
                let guess = if kind == other { TRUST * (1.0 - FADING) } else { 0.0 };
                let product = operations[kind] * operations[other] / size;
                self.products[kind][other] = FADING * self.products[kind][other] + guess + product;
            }
            let guess = TRUST * (1.0 - FADING) * KINDS[kind].1;
            self.times[kind] = FADING * self.times[kind] + guess + operations[kind] * seconds / size;
        }
        self.refit();
    }

    /// Coordinate descent: each weight in turn is the best for the others, or 0.
    fn refit(&mut self) {
        for _ in 0..SWEEPS {
            for kind in 0..COUNT {
                let others = (0..COUNT).filter(|other| *other != kind);
                let explained: f64 =
                    others.map(|other| self.products[kind][other] * self.weights[other]).sum();
                self.weights[kind] = ((self.times[kind] - explained) / self.products[kind][kind]).max(0.0);
            }
        }
    }

    /// The kinds of operations with their weights in seconds.
    pub fn weights(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        KINDS.iter().map(|(name, _)| *name).zip(self.weights)
    }

    /// Whether the numbers make sense, which those of a damaged file may not.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let fine = |number: &f64| number.is_finite() && *number >= 0.0;
        let diagonal = (0..COUNT).all(|kind| self.products[kind][kind] > 0.0);
        diagonal && self.weights.iter().chain(&self.times).chain(self.products.iter().flatten()).all(fine)
    }
}

/// The kind of an operation; none for constants, which cost nothing.
fn kind(op: Op) -> Option<usize> {
    let name = match op {
        Op::Const => return None,
        Op::Input => "input",
        Op::Add | Op::Sub | Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle => "add",
        Op::SAddO | Op::UAddO | Op::SSubO | Op::USubO | Op::Ctpop | Op::Ctlz | Op::Cttz => "add",
        Op::And | Op::Or | Op::Xor | Op::Not | Op::Concat | Op::Extract | Op::ZExt | Op::SExt => "bits",
        Op::Bswap | Op::Bitreverse | Op::FNeg | Op::FAbs | Op::FCopysign => "bits",
        Op::Mul | Op::SMulO | Op::UMulO => "multiply",
        Op::UDiv | Op::SDiv | Op::URem | Op::SRem => "divide",
        Op::Shl | Op::LShr | Op::AShr | Op::Ite | Op::Table => "choose",
        Op::FAdd | Op::FSub | Op::FEq | Op::FLt | Op::FLe | Op::FUno => "float",
        Op::FFloor | Op::FCeil | Op::FTrunc | Op::FRint | Op::FRound => "float",
        Op::FToS | Op::FToU | Op::SToF | Op::UToF | Op::FToF => "float",
        Op::FMul | Op::FDiv | Op::FRem | Op::FSqrt | Op::FFma | Op::App => "float-hard",
    };
    KINDS.iter().position(|(known, _)| *known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queries(kind: usize, count: f64) -> Operations {
        let mut operations = [0.0; COUNT];
        operations[0] = 1.0;
        operations[kind] = count;
        operations
    }

    #[test]
    fn every_operation_has_a_kind_but_constants() {
        assert!(Op::ALL.iter().all(|op| kind(*op).is_some() != (*op == Op::Const)));
    }

    #[test]
    fn weights_follow_measured_times() {
        let mut model = CostModel::default();
        for round in 0..2000 {
            let (bits, multiply) = (f64::from(1 + round % 7), f64::from(1 + round % 5));
            model.learn(&queries(2, bits), 1e-3 + 1e-4 * bits);
            model.learn(&queries(4, multiply), 1e-3 + 2e-2 * multiply);
        }
        let check = |operations: &Operations, expected: f64| {
            let predicted = model.predict(operations);
            assert!((predicted / expected - 1.0).abs() < 0.1, "{predicted} instead of {expected}");
        };
        check(&queries(2, 4.0), 1.4e-3);
        check(&queries(4, 10.0), 0.201);
        // Nobody measured divisions, so the first guess stays.
        let divide = model.weights().find(|(name, _)| *name == "divide").map(|(_, weight)| weight);
        assert_eq!(divide, Some(1e-3));
    }

    #[test]
    fn no_weight_is_ever_negative() {
        let mut model = CostModel::default();
        for round in 0..500 {
            // More operations take less time, which no honest weights explain.
            model.learn(&queries(3, f64::from(round % 10)), 1e-2 / f64::from(1 + round % 10));
        }
        assert!(model.weights().all(|(_, weight)| weight >= 0.0));
        assert!(model.predict(&queries(3, 1000.0)) > 0.0);
        assert!(model.is_sound());
    }

    #[test]
    fn a_time_that_is_none_teaches_nothing() {
        let mut model = CostModel::default();
        model.learn(&queries(3, 5.0), f64::NAN);
        model.learn(&queries(3, 5.0), -1.0);
        assert_eq!(model, CostModel::default());
    }
}

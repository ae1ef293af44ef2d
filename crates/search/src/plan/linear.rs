//! Sparse systems of linear equations, solved by LU.
//!
//! The factorisation is that of `rsparse`, a port of CSparse: one crate without dependencies. The systems here are
//! diagonally dominant, so what larger libraries have beyond it (pivoting for difficult systems, blocks, threads) is not needed.

use rsparse::data::{Sprs, Trpl};
use std::collections::BTreeMap;

/// A system of equations x = known + sum of factors times other unknowns, one after the other.
#[derive(Debug, Default)]
pub struct System {
    rows: Vec<BTreeMap<usize, f64>>,
    known: Vec<f64>,
}

impl System {
    /// Adds the equation of the next unknown.
    pub fn add(&mut self, known: f64, factors: impl IntoIterator<Item = (usize, f64)>) {
        // Unknowns may be named twice, and the unknown itself may be among them.
        let mut row = BTreeMap::from([(self.rows.len(), 1.0)]);
        for (unknown, factor) in factors {
            *row.entry(unknown).or_insert(0.0) -= factor;
        }
        self.rows.push(row);
        self.known.push(known);
    }

    /// The values of the unknowns; none if there is no solution, or no single one.
    #[must_use]
    pub fn solve(self) -> Option<Vec<f64>> {
        let count = self.rows.len();
        let mut matrix = Trpl { m: count, n: count, ..Trpl::new() };
        for (number, row) in self.rows.iter().enumerate() {
            row.iter().for_each(|(unknown, factor)| matrix.append(number, *unknown, *factor));
        }
        let mut values = self.known;
        // In the order of the equations, which is that of the code: the ordering for sparsity counts below zero for some
        // systems. Prefer the diagonal, which dominates.
        rsparse::lusol(&Sprs::new_from_trpl(&matrix), &mut values, -1, 1e-6).ok()?;
        values.iter().all(|value| value.is_finite()).then_some(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknowns_may_refer_to_themselves_and_be_named_twice() {
        let mut system = System::default();
        system.add(1.0, [(0, 0.5), (1, 0.25), (1, 0.25)]);
        system.add(2.0, [(0, 0.5)]);
        let values = system.solve().unwrap();
        // x = 1 + x/2 + y/2 and y = 2 + x/2.
        assert!((values[0] - 8.0).abs() < 1e-12 && (values[1] - 6.0).abs() < 1e-12, "{values:?}");
    }

    #[test]
    fn a_system_without_a_solution_has_none() {
        let mut system = System::default();
        system.add(1.0, [(0, 1.0)]);
        assert_eq!(system.solve(), None);
    }
}

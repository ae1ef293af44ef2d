//! Expressions: what a run computed, as terms over its inputs.
//!
//! [`Exprs`] holds all expressions of one run. Operands come before the expressions that use them, so going
//! through the arena in order goes from the leaves to the roots, and no walk over it needs recursion.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

use testwright_abi::expr::{Node, Op};
use testwright_abi::libm::Function;

mod check;
mod derive;
pub mod eval;
pub mod smt;
mod validate;

pub use check::{Disagreement, check};
pub use validate::{ExprError, ExprErrorKind};

/// Which expression: the handle that the run gave it. Never 0, and always within the arena it came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(u32);

impl ExprId {
    /// The handle.
    #[must_use]
    pub fn handle(self) -> u32 {
        self.0
    }

    /// Position in a list that has one element per expression.
    pub(crate) fn index(self) -> usize {
        self.0 as usize - 1
    }
}

/// One expression; its operation, widths and operands fit together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expr {
    /// The operation.
    pub op: Op,
    function: Option<Function>,
    width: u16,
    /// The fields of the node: expressions or numbers, as the operation says.
    fields: [u32; 3],
    /// The value in the run, zero-extended.
    pub value: u128,
}

impl Expr {
    /// Width of the result in bits, 1 to 128.
    #[must_use]
    pub fn width(&self) -> u32 {
        u32::from(self.width)
    }

    /// The operands that are expressions, in order.
    pub fn operands(&self) -> impl DoubleEndedIterator<Item = ExprId> + use<> {
        let first = usize::from(self.op == Op::Table);
        let count = self.function.map_or(self.op.arity(), |function| function.params().len());
        let fields = self.fields;
        (first..first + count).map(move |place| ExprId(fields[place]))
    }

    /// Operand number `place`; only for places that the operation has.
    fn operand(&self, place: usize) -> ExprId {
        ExprId(self.fields[place + usize::from(self.op == Op::Table)])
    }

    /// [`Op::App`]: the function applied.
    #[must_use]
    pub fn function(&self) -> Option<Function> {
        self.function
    }

    /// [`Op::Const`]: the constant.
    #[must_use]
    pub fn constant(&self) -> Option<u128> {
        (self.op == Op::Const).then(|| validate::constant(self))
    }

    /// [`Op::Input`]: the index of the input.
    #[must_use]
    pub fn input(&self) -> Option<u32> {
        (self.op == Op::Input).then_some(self.fields[0])
    }

    /// [`Op::Extract`]: the lowest bit that is taken.
    #[must_use]
    pub fn low_bit(&self) -> Option<u32> {
        (self.op == Op::Extract).then_some(self.fields[1])
    }

    /// [`Op::Table`]: the number of the table.
    #[must_use]
    pub fn table(&self) -> Option<usize> {
        (self.op == Op::Table).then_some(self.fields[0] as usize)
    }

    /// Whether the result is the number that a floating-point operation computed. If it is NaN, its payload
    /// and sign are not determined: they depend on the order of operands in the machine instruction. `FNeg`,
    /// `FAbs` and `FCopysign` are not meant, they move bits.
    #[must_use]
    pub fn computes_float(&self) -> bool {
        use testwright_abi::libm::Scalar;
        match self.op {
            Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::FSqrt | Op::FFma => true,
            Op::FFloor | Op::FCeil | Op::FTrunc | Op::FRint | Op::FRound => true,
            Op::SToF | Op::UToF | Op::FToF => true,
            Op::App => self.function.is_some_and(|f| matches!(f.result(), Scalar::F32 | Scalar::F64)),
            _ => false,
        }
    }
}

/// A constant table of the code under test that a symbolic read refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its contents.
    pub bytes: Vec<u8>,
}

/// All expressions of one run.
#[derive(Debug, Clone, Default)]
pub struct Exprs {
    exprs: Vec<Expr>,
    tables: Vec<Table>,
    /// Index of each input that appears, and its expression.
    inputs: BTreeMap<u32, ExprId>,
    /// See [`Exprs::stamp`].
    stamp: u64,
}

impl Exprs {
    /// Takes over the nodes of a run after checking them. `nodes[h]` is the node with handle `h`; handle 0
    /// means "concrete", so the first node is not looked at.
    ///
    /// # Errors
    /// The first node that is not an expression: unknown operation, bad operands or widths.
    pub fn from_nodes(nodes: &[Node], tables: Vec<Table>) -> Result<Exprs, ExprError> {
        let mut exprs = Exprs {
            exprs: Vec::with_capacity(nodes.len()),
            tables,
            inputs: BTreeMap::new(),
            stamp: next_stamp(),
        };
        for (handle, node) in (0u32..).zip(nodes).skip(1) {
            let expr = validate::expr(&exprs, node).map_err(|kind| ExprError { handle, kind })?;
            if let Some(index) = expr.input() {
                exprs.inputs.entry(index).or_insert(ExprId(handle));
            }
            exprs.exprs.push(expr);
        }
        Ok(exprs)
    }

    /// A number that only this arena and its copies have, so that what was worked out about one is not taken
    /// for another.
    pub(crate) fn stamp(&self) -> u64 {
        self.stamp
    }

    /// How many expressions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.exprs.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.exprs.is_empty()
    }

    /// The expression with this handle, if there is one.
    #[must_use]
    pub fn id(&self, handle: u32) -> Option<ExprId> {
        (handle != 0 && handle as usize <= self.exprs.len()).then_some(ExprId(handle))
    }

    /// An expression of this arena.
    ///
    /// # Panics
    /// If `id` comes from a larger arena.
    #[must_use]
    pub fn get(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    /// All expressions, operands before their users.
    pub fn iter(&self) -> impl Iterator<Item = (ExprId, &Expr)> {
        (1u32..).map(ExprId).zip(&self.exprs)
    }

    /// The tables that [`Op::Table`] expressions read.
    #[must_use]
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// The inputs that appear: index and expression, by index.
    pub fn inputs(&self) -> impl Iterator<Item = (u32, ExprId)> + '_ {
        self.inputs.iter().map(|(&index, &id)| (index, id))
    }

    /// The value each input had in the run, by index; 0 for those that appear nowhere.
    #[must_use]
    pub fn recorded_inputs(&self) -> Vec<u128> {
        let count = self.inputs.last_key_value().map_or(0, |(&index, _)| index as usize + 1);
        let mut values = vec![0; count];
        for (index, id) in self.inputs() {
            values[index as usize] = self.get(id).value;
        }
        values
    }

    /// Everything the roots are made of, themselves included; operands before their users.
    #[must_use]
    pub fn reachable(&self, roots: impl IntoIterator<Item = ExprId>) -> Vec<ExprId> {
        let mut found = BTreeSet::new();
        let mut waiting: Vec<ExprId> = roots.into_iter().collect();
        while let Some(id) = waiting.pop() {
            if found.insert(id) {
                waiting.extend(self.get(id).operands());
            }
        }
        found.into_iter().collect()
    }

    /// The indices of the inputs that `id` depends on.
    #[must_use]
    pub fn inputs_of(&self, id: ExprId) -> BTreeSet<u32> {
        self.reachable([id]).into_iter().filter_map(|id| self.get(id).input()).collect()
    }

    /// How many different expressions `id` is made of, itself included.
    #[must_use]
    pub fn size(&self, id: ExprId) -> usize {
        self.reachable([id]).len()
    }

    /// The longest way from `id` down to a leaf; 0 for a leaf.
    #[must_use]
    pub fn depth(&self, id: ExprId) -> usize {
        let mut depths: BTreeMap<ExprId, usize> = BTreeMap::new();
        for part in self.reachable([id]) {
            let below = self.get(part).operands().map(|operand| depths[&operand] + 1).max();
            depths.insert(part, below.unwrap_or(0));
        }
        depths[&id]
    }
}

/// A stamp that no arena has yet.
fn next_stamp() -> u64 {
    static STAMPS: AtomicU64 = AtomicU64::new(1);
    STAMPS.fetch_add(1, Ordering::Relaxed)
}

/// The lowest `width` bits set.
pub(crate) fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Arena;

    fn sample() -> (Exprs, [ExprId; 5]) {
        let mut arena = Arena::default();
        let x = arena.input(0, 32, 7);
        let y = arena.input(3, 32, 5);
        let sum = arena.op(Op::Add, 32, &[x, y]);
        let product = arena.op(Op::Mul, 32, &[sum, sum]);
        let less = arena.op(Op::Slt, 1, &[x, product]);
        let ids = [x, y, sum, product, less];
        let exprs = arena.finish();
        (exprs, ids)
    }

    #[test]
    fn walks_see_each_part_once_and_operands_first() {
        let (exprs, [x, y, sum, product, less]) = sample();
        assert_eq!(exprs.reachable([product, sum]), [x, y, sum, product]);
        assert_eq!(exprs.reachable([]), []);
        assert_eq!(exprs.size(less), 5);
        assert_eq!(exprs.depth(less), 3);
        assert_eq!(exprs.depth(x), 0);
    }

    #[test]
    fn inputs_are_found_by_index() {
        let (exprs, [x, y, sum, ..]) = sample();
        assert_eq!(exprs.inputs().collect::<Vec<_>>(), [(0, x), (3, y)]);
        assert_eq!(exprs.recorded_inputs(), [7, 0, 0, 5]);
        assert_eq!(exprs.inputs_of(sum), BTreeSet::from([0, 3]));
        assert_eq!(exprs.inputs_of(y), BTreeSet::from([3]));
    }

    #[test]
    fn a_handle_is_an_expression_only_inside_the_arena() {
        let (exprs, [x, ..]) = sample();
        assert_eq!(exprs.id(0), None);
        assert_eq!(exprs.id(1), Some(x));
        assert_eq!(exprs.id(5).map(ExprId::handle), Some(5));
        assert_eq!(exprs.id(6), None);
    }
}

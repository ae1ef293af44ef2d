//! Expressions and queries for tests, built by hand.

use std::time::Duration;

use testwright_abi::expr::{Node, Op};
use testwright_abi::libm::Function;
use testwright_logic::expr::eval::Evaluator;
use testwright_logic::expr::{ExprId, Exprs, Table};
use testwright_logic::path::Constraint;
use testwright_logic::solve::{Answer, Input, InputKind, Model, Query, Solve};

use crate::{Config, Z3};

/// A growing list of nodes; the recorded value of each operation is the one that the evaluator finds, or 0 if
/// there is none.
pub(crate) struct Arena {
    nodes: Vec<Node>,
    tables: Vec<Table>,
}

impl Default for Arena {
    fn default() -> Arena {
        Arena { nodes: vec![node(0, 0, [0; 3])], tables: vec![] }
    }
}

fn node(op: u8, width: u16, [a, b, c]: [u32; 3]) -> Node {
    Node { op, function: 0, width, a, b, c, value: 0 }
}

impl Arena {
    fn push(&mut self, node: Node) -> ExprId {
        self.nodes.push(node);
        let exprs = self.exprs();
        let handle = self.nodes.len() - 1;
        let id = exprs.id(handle as u32).expect("the node just pushed");
        if node.op != Op::Input as u8 {
            self.nodes[handle].value = Evaluator::recorded(&exprs).value(id).unwrap_or(0);
        }
        id
    }

    pub(crate) fn input(&mut self, index: u32, width: u16, value: u128) -> ExprId {
        self.push(Node { value, ..node(Op::Input as u8, width, [index, 0, 0]) })
    }

    pub(crate) fn constant(&mut self, width: u16, value: u64) -> ExprId {
        self.push(node(Op::Const as u8, width, [0, value as u32, (value >> 32) as u32]))
    }

    pub(crate) fn op(&mut self, op: Op, width: u16, operands: &[ExprId]) -> ExprId {
        let field = |place: usize| operands.get(place).map_or(0, |id| id.handle());
        self.push(node(op as u8, width, [field(0), field(1), field(2)]))
    }

    pub(crate) fn extract(&mut self, width: u16, operand: ExprId, low: u32) -> ExprId {
        self.push(node(Op::Extract as u8, width, [operand.handle(), low, 0]))
    }

    pub(crate) fn app(&mut self, function: Function, operands: &[ExprId]) -> ExprId {
        let field = |place: usize| operands.get(place).map_or(0, |id| id.handle());
        let app = node(Op::App as u8, function.result().width() as u16, [field(0), field(1), field(2)]);
        self.push(Node { function: function as u8, ..app })
    }

    pub(crate) fn table(&mut self, width: u16, bytes: &[u8], offset: ExprId) -> ExprId {
        self.tables.push(Table { bytes: bytes.to_vec() });
        let number = self.tables.len() as u32 - 1;
        self.push(node(Op::Table as u8, width, [number, offset.handle(), 0]))
    }

    pub(crate) fn exprs(&self) -> Exprs {
        Exprs::from_nodes(&self.nodes, self.tables.clone()).expect("valid nodes")
    }
}

/// A solver that finds an answer also on a busy machine.
pub(crate) fn patient() -> Z3 {
    Z3::new(Config { work: u32::MAX, time: Duration::from_secs(120) })
}

/// Inputs of the widths that the expressions have, without ranges.
pub(crate) fn inputs(exprs: &Exprs, kind: InputKind) -> Vec<Input> {
    let count = exprs.inputs().last().map_or(0, |(index, _)| index as usize + 1);
    let mut inputs = vec![Input { width: 8, kind, range: None }; count];
    for (index, id) in exprs.inputs() {
        inputs[index as usize].width = exprs.get(id).width();
    }
    inputs
}

/// Asks about unsigned inputs without ranges, from the values that were recorded.
pub(crate) fn ask(solver: &mut impl Solve, exprs: &Exprs, constraints: &[Constraint]) -> Answer {
    ask_about(InputKind::Unsigned, solver, exprs, constraints)
}

/// The same for inputs of another kind.
pub(crate) fn ask_about(
    kind: InputKind,
    solver: &mut impl Solve,
    exprs: &Exprs,
    constraints: &[Constraint],
) -> Answer {
    let inputs = inputs(exprs, kind);
    let values = exprs.recorded_inputs();
    solver.solve(&Query { exprs, constraints, inputs: &inputs, values: &values, deadline: None })
}

/// Whether all constraints hold after the changes of a model.
pub(crate) fn holds(exprs: &Exprs, constraints: &[Constraint], model: &Model) -> bool {
    let mut values = exprs.recorded_inputs();
    for (&index, &value) in model {
        values[index as usize] = value;
    }
    let mut evaluator = Evaluator::new(exprs, &values);
    constraints.iter().all(|constraint| constraint.holds(&mut evaluator) == Ok(true))
}

//! Expressions for tests, built by hand.

use testwright_abi::expr::{Node, Op};
use testwright_abi::libm::Function;

use crate::expr::eval::Evaluator;
use crate::expr::{ExprId, Exprs, Table};

/// A node without value.
pub(crate) fn node(op: u8, width: u16, [a, b, c]: [u32; 3]) -> Node {
    Node { op, function: 0, width, a, b, c, value: 0 }
}

/// A growing list of nodes; the recorded value of each operation is the one that the evaluator finds.
pub(crate) struct Arena {
    nodes: Vec<Node>,
    tables: Vec<Table>,
}

impl Default for Arena {
    fn default() -> Arena {
        Arena { nodes: vec![node(0, 0, [0; 3])], tables: vec![] }
    }
}

impl Arena {
    /// Adds `node` with the value it has.
    pub(crate) fn push(&mut self, node: Node) -> ExprId {
        self.nodes.push(node);
        let handle = self.nodes.len() as u32 - 1;
        self.exprs().id(handle).expect("the node just pushed")
    }

    fn push_evaluated(&mut self, mut node: Node) -> ExprId {
        self.nodes.push(node);
        let exprs = self.exprs();
        let handle = self.nodes.len() as u32 - 1;
        let id = exprs.id(handle).expect("the node just pushed");
        node.value = Evaluator::recorded(&exprs).value(id).expect("a value");
        self.nodes[handle as usize] = node;
        id
    }

    pub(crate) fn input(&mut self, index: u32, width: u16, value: u128) -> ExprId {
        self.push(Node { value, ..node(Op::Input as u8, width, [index, 0, 0]) })
    }

    pub(crate) fn constant(&mut self, width: u16, value: u64) -> ExprId {
        self.push_evaluated(node(Op::Const as u8, width, [0, value as u32, (value >> 32) as u32]))
    }

    pub(crate) fn op(&mut self, op: Op, width: u16, operands: &[ExprId]) -> ExprId {
        let field = |place: usize| operands.get(place).map_or(0, |id| id.handle());
        self.push_evaluated(node(op as u8, width, [field(0), field(1), field(2)]))
    }

    pub(crate) fn extract(&mut self, width: u16, operand: ExprId, low: u32) -> ExprId {
        self.push_evaluated(node(Op::Extract as u8, width, [operand.handle(), low, 0]))
    }

    pub(crate) fn app(&mut self, function: Function, operands: &[ExprId]) -> ExprId {
        let field = |place: usize| operands.get(place).map_or(0, |id| id.handle());
        let app = node(Op::App as u8, function.result().width() as u16, [field(0), field(1), field(2)]);
        self.push_evaluated(Node { function: function as u8, ..app })
    }

    pub(crate) fn table(&mut self, width: u16, bytes: &[u8], offset: ExprId) -> ExprId {
        self.tables.push(Table { bytes: bytes.to_vec() });
        let number = self.tables.len() as u32 - 1;
        self.push_evaluated(node(Op::Table as u8, width, [number, offset.handle(), 0]))
    }

    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    fn exprs(&self) -> Exprs {
        Exprs::from_nodes(&self.nodes, self.tables.clone()).expect("valid nodes")
    }

    pub(crate) fn finish(self) -> Exprs {
        self.exprs()
    }
}

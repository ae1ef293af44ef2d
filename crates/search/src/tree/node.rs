//! A node: one instance of a decision in the execution tree.

use testwright_abi::expr::Op;
use testwright_logic::expr::{ExprId, Exprs};
use testwright_logic::path::{Constraint, EventKind, Layout, Path, Step};

/// Which node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The number as an index; nodes are numbered in the order they were found.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Which run, in the order they were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(pub u32);

impl RunId {
    /// The number as an index.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What kind of decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A conditional branch: outcomes true, false.
    Branch,
    /// A switch: one outcome per case, then the default.
    Switch,
    /// A read inside a constant table: outcomes inside, outside.
    Bounds,
    /// An address, size or function pointer that was pinned: one outcome per value.
    Pin,
}

/// Whether a node can be flipped, and if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// It has outcomes that nobody tried.
    Open,
    /// All outcomes were seen.
    Explored,
    /// The outcomes that were not seen are proved impossible.
    Infeasible,
    /// No solver knows.
    Unknown,
    /// A run that should have left the path here did something else.
    Diverged,
    /// It was flipped as often as a pinned value is flipped.
    Enough,
}

/// A place in the source that decides, and the way it went: what the literature calls a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Branch {
    /// The site; `u32::MAX` if there is none.
    pub site: u32,
    /// The outcome that was taken.
    pub outcome: u16,
}

/// No site, node or edge.
pub(super) const NONE: u32 = u32::MAX;

/// An instance of a decision. Its place in the tree is its parent and the outcome taken there.
#[derive(Debug, Clone)]
pub struct Node {
    pub(super) parent: u32,
    pub(super) edges: u32,
    pub(super) site: u32,
    /// Calls of the same code from different places have different contexts.
    pub context: u32,
    /// How many decisions lie above it.
    pub depth: u32,
    /// The run that first reached it.
    pub run: RunId,
    /// The step of that run's path.
    pub step: u32,
    /// How many decisions above it are at the same site in the same context.
    pub occurrence: u32,
    /// The outcome that the first run took.
    pub(super) first: u16,
    /// The outcome of the parent that leads here.
    pub(super) arrived: u16,
    /// How many outcomes were seen.
    pub(super) explored: u16,
    pub(super) flips: u8,
    /// The byte that an input is compared with, if that is what decides.
    pub against: Option<u8>,
    /// What kind of decision.
    pub kind: Kind,
    /// Whether it can be flipped.
    pub state: State,
}

impl Node {
    /// The site, if it has one.
    #[must_use]
    pub fn site(&self) -> Option<u32> {
        (self.site != NONE).then_some(self.site)
    }

    /// The node above it.
    #[must_use]
    pub fn parent(&self) -> Option<NodeId> {
        (self.parent != NONE).then_some(NodeId(self.parent))
    }

    /// The branch of which it is an instance: the way that the first run went.
    #[must_use]
    pub fn branch(&self) -> Branch {
        Branch { site: self.site, outcome: self.first }
    }

    /// The outcome of the parent that leads here; 0 at the root.
    #[must_use]
    pub fn arrived(&self) -> u16 {
        self.arrived
    }

    /// How many outcomes were seen.
    #[must_use]
    pub fn explored(&self) -> usize {
        usize::from(self.explored)
    }
}

/// The decisions of a path: index of the step, the step, what kind it is and which way it went. A condition that
/// was decided before on the same path cannot go the other way, however often a loop looks at it again, so
/// only the first time is a decision.
pub(super) fn decisions<'a>(
    exprs: &'a Exprs,
    path: &'a Path,
) -> impl Iterator<Item = (usize, &'a Step, Kind, u64)> {
    let mut decided = vec![false; exprs.len() + 1];
    path.steps().iter().enumerate().filter_map(move |(index, step)| {
        let (kind, key) = decision(step, exprs, path.layout())?;
        let is_new =
            kind != Kind::Branch || !std::mem::replace(&mut decided[step.expr.handle() as usize], true);
        is_new.then_some((index, step, kind, key))
    })
}

/// What a step decides: the kind of decision and a number that stands for the way it went. None for
/// steps that are not decisions: free comparisons decide nothing, and what a native call or an unsupported
/// operation was given, or where a pointer leads, is part of the path but not flipped.
fn decision(step: &Step, exprs: &Exprs, layout: &Layout) -> Option<(Kind, u64)> {
    match step.kind {
        EventKind::Branch => Some((Kind::Branch, u64::from(step.outcome))),
        EventKind::Switch => Some((Kind::Switch, u64::from(step.outcome))),
        EventKind::Bounds => Some((Kind::Bounds, 0)),
        EventKind::Address | EventKind::Callee | EventKind::Size => match step.constraint {
            Constraint::Equals(expr, value) if exprs.get(expr).width() <= 64 => {
                Some((Kind::Pin, pin_key((exprs, layout), expr, value)))
            }
            _ => None,
        },
        EventKind::Compare
        | EventKind::Native
        | EventKind::Unsupported
        | EventKind::Pointer
        | EventKind::Related => None,
    }
}

/// What tells the values of a pin apart: what is added to where an object lies, which a case with a longer or shorter object
/// does not share.
fn pin_key(at: (&Exprs, &Layout), expr: ExprId, value: u128) -> u64 {
    cut(at.0, expr, (value as u64).wrapping_sub(base(at, expr)))
}

/// The value of a pinned expression that has this key.
pub(crate) fn pinned_value(at: (&Exprs, &Layout), expr: ExprId, key: u64) -> u128 {
    cut(at.0, expr, key.wrapping_add(base(at, expr))).into()
}

fn cut(exprs: &Exprs, expr: ExprId, value: u64) -> u64 {
    value & u64::MAX >> 64u32.saturating_sub(exprs.get(expr).width())
}

/// The terms of a sum that say where objects lie, added up: constants, and the start of the object for a place in it. Where
/// a condition chooses a term, those of the one that was chosen.
fn base((exprs, layout): (&Exprs, &Layout), sum: ExprId) -> u64 {
    let mut total = 0u64;
    let mut terms = vec![sum];
    while let Some(term) = terms.pop() {
        let expr = exprs.get(term);
        match (expr.op, expr.constant()) {
            (_, Some(constant)) => total = total.wrapping_add(constant as u64),
            (Op::Add, None) => terms.extend(expr.operands()),
            (Op::Input, None) => {
                let start = expr.input().and_then(|input| layout.starts.get(&input));
                total = total.wrapping_add(start.copied().unwrap_or(0));
            }
            (Op::Ite, None) => {
                let operands: Vec<ExprId> = expr.operands().collect();
                let chosen = if exprs.get(operands[0]).value == 1 { 1 } else { 2 };
                terms.push(operands[chosen]);
            }
            _ => {}
        }
    }
    total
}

/// The byte that a step compares something of a byte's width with.
pub(super) fn against(step: &Step, exprs: &Exprs) -> Option<u8> {
    let without = |mut id: ExprId, ops: &[Op]| loop {
        let expr = exprs.get(id);
        match expr.operands().next().filter(|_| ops.contains(&expr.op)) {
            Some(inner) => id = inner,
            None => return id,
        }
    };
    let compare = exprs.get(without(step.expr, &[Op::Not]));
    let operands: Vec<ExprId> = compare.operands().collect();
    let ([a, b], Op::Eq) = (operands.as_slice(), compare.op) else { return None };
    let constants = [a, b].map(|side| exprs.get(*side).constant());
    let (constant, other) = match constants {
        [Some(constant), None] => (constant, *b),
        [None, Some(constant)] => (constant, *a),
        _ => return None,
    };
    let is_byte = exprs.get(without(other, &[Op::ZExt, Op::SExt])).width() == 8;
    is_byte.then_some(constant as u8)
}

//! Symbolic fitness (METHODS.md 3): path conditions from decisions to targets, computed statically and evaluated in the run.
//!
//! For a target and each node that decides about it: the subgraph between them, its path expression by node reduction
//! ([`testwright_base::graph::paths`]), symbolic execution with loops unrolled and then destroyed ([`execute`]), which gives
//! products of conditions and a number of dropped ones ([`Product`]). The code of the node gets calls that compute the
//! distances of the conditions ([`emit`]); the runtime adds them up and takes the smallest sum.
//!
//! A target that lies in a callee is approached from its callers too: there the path leads to the block that calls,
//! and the decisions in the callee count as dropped.
//!
//! Everything is bounded. A target with too many paths, or whose conditions pull against each other, has the
//! standard fitness instead, and the reason is kept.
//!
//! Beyond the paper: paths merge where they meet (`merge`), which keeps the analysis below a second. Conditions that others imply
//! are left out, because `x != 1` is a wall on the way to `x == 2`. A decision is not asked if an earlier one knows all paths.
//! Conditions on what earlier rounds left behind (`carried`) and on counters (`counter`) come first.

mod atom;
mod body;
mod carried;
mod counter;
mod describe;
mod emit;
mod execute;
pub mod influence;
mod memory;
mod merge;
mod range;
mod slice;
mod state;
mod targets;
mod term;

#[cfg(test)]
mod tests;

pub use targets::instrument;

use atom::Clause;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;
use testwright_base::ids::{BlockId, FunctionId, OutcomeId};

/// How far the analysis goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// How often loops are unrolled before their variables are destroyed.
    pub unroll: u32,
    /// How many paths may lead from a node to a target.
    pub paths: usize,
    /// Whether paths are put into words, which takes much longer than finding them in large code.
    pub described: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { unroll: 1, paths: 256, described: true }
    }
}

/// The path conditions of all targets.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// By outcome.
    pub targets: BTreeMap<OutcomeId, TargetConditions>,
    /// How much processor time the functions took.
    pub times: BTreeMap<FunctionId, Duration>,
}

/// The path conditions of a target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TargetConditions {
    /// Per node that decides about it.
    Nodes(Vec<NodeConditions>),
    /// None, and why; the standard fitness serves instead.
    Fallback(Fallback),
}

/// The path conditions from one node to a target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeConditions {
    /// The function that the node is in.
    pub function: FunctionId,
    /// The block.
    pub block: BlockId,
    /// The line of its decision.
    pub line: u32,
    /// What the runtime is told, see [`testwright_abi::fitness::over_paths`].
    pub words: Vec<u32>,
    /// The paths in words for people, if these were asked for: number of dropped conditions, and the others.
    pub paths: Vec<(u32, Vec<String>)>,
}

/// Why a target has the standard fitness.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fallback {
    /// More paths than allowed lead to it from the decision in this line.
    Paths {
        /// How many are allowed.
        limit: usize,
        /// The line.
        line: u32,
    },
    /// The paths have more different conditions than there is room for.
    Conditions,
    /// The analysis of the function took too many steps.
    Steps,
    /// All paths have conditions that pull against each other, unless something overflows: these.
    Opposing(Vec<String>),
    /// No path could be found that is not plainly impossible.
    NoPath,
}

impl fmt::Display for Fallback {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fallback::Paths { limit, line } => {
                write!(formatter, "more than {limit} paths lead to it from line {line} (fitness.paths)")
            }
            Fallback::Conditions => formatter.write_str("its paths have too many different conditions"),
            Fallback::Steps => formatter.write_str("the analysis of its function took too many steps"),
            Fallback::Opposing(conditions) => {
                write!(formatter, "its conditions pull against each other: {}", conditions.join(", "))
            }
            Fallback::NoPath => formatter.write_str("no path to it could be expressed"),
        }
    }
}

/// One path: the conditions that were dropped, and those that have to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    dropped: u32,
    clauses: Vec<Clause>,
}

//! Sites: the numbered places in the code where control or value decides.
//!
//! Sites are numbered on the unoptimised code, so that `||` and `&&` keep their branches, and both builds use
//! the same numbers. Sites of library models come after those of the subject.

use crate::ids::{BlockId, FunctionId, OutcomeId, SiteId};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// The function it is in.
    pub function: FunctionId,
    /// The basic block it is in.
    pub block: BlockId,
    /// Where it stands in the source; none for code without debug information.
    pub place: Option<Place>,
    /// What decides here.
    pub kind: SiteKind,
    /// Its outcomes are `first_outcome .. first_outcome + outcome_count`.
    pub first_outcome: OutcomeId,
    /// How many outcomes are recorded.
    pub outcome_count: u32,
}

/// A place in the source.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The file, as the compiler was told it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 if unknown.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.file, self.line)?;
        if self.column > 0 { write!(formatter, ":{}", self.column) } else { Ok(()) }
    }
}

/// What decides at a site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SiteKind {
    /// A conditional branch: outcomes true, false.
    Branch,
    /// A switch: one outcome per case (its values as unsigned bits), then the default.
    Switch {
        /// The values of the cases, in the order of the outcomes.
        cases: Vec<u128>,
        /// Width of the value in bits.
        bits: u32,
    },
    /// A comparison: outcomes true, false; none of its own if it feeds the branch `feeds` directly.
    Compare {
        /// The predicate, as LLVM names it: `eq`, `slt`, `ogt`..
        predicate: String,
        /// What is compared: `ugt` and the like are names of comparisons of all kinds.
        compared: Compared,
        /// The branch that has this comparison as its condition.
        feeds: Option<SiteId>,
        /// Whether that branch goes the way `true` when this does not hold.
        negated: bool,
        /// Whether it decides a `?:`, `&&` or `||` that the compiler wrote without a branch of its own.
        chooses: bool,
    },
    /// An integer division or remainder.
    Division,
    /// A shift.
    Shift,
    /// A memory access.
    Access {
        /// Whether it writes.
        write: bool,
        /// How many bytes; 0 if not constant.
        bytes: u64,
    },
    /// A sanitizer check: one outcome, trap.
    Check(CheckKind),
    /// A call of a function that ends the run as an error, such as `abort`: one outcome, called.
    Error,
    /// A call.
    Call,
    /// A value that is no comparison, such as that of a variable, where it is the last clause of a decision that becomes a value:
    /// outcomes true, false. Not a branch of the code.
    Clause,
    /// A decision of several clauses: one outcome for each way through it (see [`crate::decision`]).
    Decision,
}

/// What a comparison compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Compared {
    /// Integers.
    Integers,
    /// Floating-point numbers.
    Floats,
    /// Pointers.
    Pointers,
}

impl SiteKind {
    /// Whether its outcomes are branches of the code as its author wrote it.
    #[must_use]
    pub fn is_branch(&self) -> bool {
        matches!(self, SiteKind::Branch | SiteKind::Switch { .. } | SiteKind::Compare { chooses: true, .. })
    }
}

/// What a sanitizer check is about; the numbers are those of clang's trap instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CheckKind(pub u32);

impl CheckKind {
    /// `__builtin_trap` and the like: a trap that is no check.
    pub const TRAP: CheckKind = CheckKind(0xffff);
}

impl fmt::Display for CheckKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self.0 {
            0 => "signed overflow in an addition",
            1 => "an unreachable place was reached",
            3 => "division by zero or overflow in a division",
            5 => "float to integer conversion out of range",
            7 => "conversion changes the value",
            8 => "invalid argument of a builtin",
            10 => "value outside its type",
            11 => "function ends without a return",
            12 => "signed overflow in a multiplication",
            13 => "signed overflow in a negation",
            14 | 16 => "null passed where it must not be",
            15 | 17 => "null returned where it must not be",
            18 => "array index out of bounds",
            19 => "pointer overflow",
            20 => "shift out of range",
            21 => "signed overflow in a subtraction",
            22 => "null or misaligned pointer, or object too small",
            24 => "length of a variable array not positive",
            0xffff => "trap instruction",
            _ => "undefined behaviour",
        })
    }
}

impl Site {
    /// The ids of its outcomes.
    pub fn outcomes(&self) -> impl Iterator<Item = OutcomeId> + use<> {
        (self.first_outcome.0..self.first_outcome.0 + self.outcome_count).map(OutcomeId)
    }

    /// Name of the outcome with this index within the site: `true`, `case 3`, `default`, `trap`, `called`, `way 2`.
    #[must_use]
    pub fn outcome_name(&self, index: u32) -> String {
        match &self.kind {
            SiteKind::Switch { cases, bits } => match cases.get(index as usize) {
                Some(value) => format!("case {}", sign_extend(*value, *bits)),
                None => "default".to_owned(),
            },
            SiteKind::Check(_) => "trap".to_owned(),
            SiteKind::Error => "called".to_owned(),
            SiteKind::Decision => format!("way {index}"),
            _ => (if index == 0 { "true" } else { "false" }).to_owned(),
        }
    }

    /// The kind in one word.
    #[must_use]
    pub fn kind_name(&self) -> &'static str {
        match self.kind {
            SiteKind::Branch => "branch",
            SiteKind::Switch { .. } => "switch",
            SiteKind::Compare { .. } => "compare",
            SiteKind::Division => "division",
            SiteKind::Shift => "shift",
            SiteKind::Access { write: false, .. } => "load",
            SiteKind::Access { write: true, .. } => "store",
            SiteKind::Check(_) => "check",
            SiteKind::Error => "error",
            SiteKind::Call => "call",
            SiteKind::Clause => "clause",
            SiteKind::Decision => "decision",
        }
    }
}

/// The low `bits` bits of `value` as a signed number.
#[must_use]
pub fn sign_extend(value: u128, bits: u32) -> i128 {
    if bits == 0 || bits >= 128 {
        return value as i128;
    }
    let shift = 128 - bits;
    ((value << shift) as i128) >> shift
}

//! Mutants: small changes of the code that a good suite notices.

use crate::ids::FunctionId;
use crate::site::Place;
use serde::{Deserialize, Serialize};

/// A small change of the code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mutant {
    /// The function that is changed.
    pub function: FunctionId,
    /// Where.
    pub place: Place,
    /// The usual name of its kind: `ROR`, `AOR`, `LOR`, `UOI`, `CRO` or `SDL`.
    pub kind: String,
    /// What becomes of what: `` `<` -> `<=` ``.
    pub change: String,
    /// Whether it computes what the original or an earlier mutant of the same place computes, whatever the inputs are.
    pub equivalent: bool,
}

/// What a case shows of a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shown {
    /// The mutant computes the same as the original wherever the case comes to.
    Same,
    /// It computes something else, and nothing that a test can observe differs.
    Unseen,
    /// Something that a test can observe differs.
    Killed,
}

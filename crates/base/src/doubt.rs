//! Doubts: what code does that a search cannot vary completely, so that nothing behind it is proved impossible.
//!
//! A list of what is known to be followed exactly decides (`crates/code/src/doubts`); everything else is a doubt. The texts
//! complete the sentence `every path was explored, but not ..`.

use crate::ids::BlockId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A doubt, and where it arises.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Doubt {
    /// The block of the function. What control can come to from it is in doubt, the end of the block included.
    pub block: BlockId,
    /// What is done there.
    pub about: About,
    /// The line, if known.
    pub line: Option<u32>,
}

/// What a search cannot vary completely.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum About {
    /// A volatile access: others may change what lies there at any time.
    Volatile,
    /// An atomic operation: other threads may change what lies there.
    Atomic,
    /// Inline assembly.
    Assembly,
    /// An access to a place whose address is a number in the code.
    FixedAddress(u64),
    /// An access through a number that became a pointer.
    NumberAsPointer,
    /// A use of an address as a number, or a comparison of addresses of different objects.
    AddressAsNumber,
    /// An access through a pointer that came from memory or from a call.
    Pointer,
    /// The bytes of a function as data.
    CodeAsData,
    /// A constant that is only declared.
    Declared(String),
    /// An array that is only declared, without a length: a case has its first bytes.
    Unbounded(String),
    /// A function or variable that another definition may replace.
    Weak(String),
    /// A variable that others may change through a pointer to it.
    Shared(String),
    /// A pointer to a local variable is kept where others find it.
    Kept,
    /// A variable that is read and may not have been set.
    Unset(Option<String>),
    /// Values of a type that has no expressions.
    Type(String),
    /// A function that nobody defines may write through the pointers it is given.
    Writes(String),
    /// A function that nobody defines may call the functions it is given.
    CallsBack(String),
    /// A function that nobody defines returns a pointer, or what else cannot be given completely.
    Returns(String),
    /// A function that nobody defines may change global variables.
    Changes(String),
    /// A function of the system, whose answers no case decides.
    Answers(String),
    /// A call through a pointer that came from memory.
    Callee,
    /// An instruction or intrinsic that is not followed, by its name.
    Instruction(String),
}

impl fmt::Display for Doubt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NOWHERE: &str = "it is not defined in these files";
        let at = self.line.map(|line| format!(" on line {line}")).unwrap_or_default();
        match &self.about {
            About::Volatile => write!(formatter, "other values of what is volatile{at}"),
            About::Atomic => write!(formatter, "what other threads do to the atomic variable{at}"),
            About::Assembly => write!(formatter, "other results of the inline assembly{at}"),
            About::FixedAddress(address) => {
                write!(formatter, "other values at the fixed address {address:#x}{at}")
            }
            About::NumberAsPointer => {
                write!(formatter, "other memory behind the number used as a pointer{at}")
            }
            About::AddressAsNumber => write!(formatter, "other addresses of what the code compares{at}"),
            About::Pointer => write!(formatter, "other objects behind the pointer{at}"),
            About::CodeAsData => write!(formatter, "other machine code of the function that is read{at}"),
            About::Declared(name) => write!(
                formatter,
                "other values of `{name}`: it is only declared, name the file that defines it"
            ),
            About::Unbounded(name) => write!(
                formatter,
                "all elements of `{name}`: it is declared without a length, name the file that defines it"
            ),
            About::Weak(name) => write!(formatter, "another definition of `{name}`, which is weak"),
            About::Shared(name) => write!(formatter, "other values of `{name}`, which a pointer leads to"),
            About::Kept => write!(formatter, "what others may write through the pointer kept{at}"),
            About::Unset(Some(name)) => write!(formatter, "other values of `{name}` before it is set{at}"),
            About::Unset(None) => write!(formatter, "other values of a variable that may not be set{at}"),
            About::Type(name) => write!(formatter, "other values of type {name}{at}"),
            About::Writes(name) => {
                write!(formatter, "all that `{name}` may write behind the pointers it is given: {NOWHERE}")
            }
            About::CallsBack(name) => {
                write!(formatter, "calls that `{name}` may make of the functions it is given: {NOWHERE}")
            }
            About::Returns(name) => write!(formatter, "all that `{name}` may return: {NOWHERE}"),
            About::Changes(name) => {
                write!(formatter, "what `{name}` may change in global variables: {NOWHERE}")
            }
            About::Answers(name) => write!(formatter, "other answers of {name}"),
            About::Callee => write!(formatter, "other functions behind the pointer called{at}"),
            About::Instruction(name) => write!(formatter, "other results of `{name}`{at}"),
        }
    }
}

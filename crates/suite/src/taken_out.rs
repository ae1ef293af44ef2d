//! What was taken out of a suite when it was tried: each part by name, with the cause, so that nothing is lost in silence.
//!
//! An assertion about a value that differs from process to process is no loss: no test can state such a value. A test that does
//! not compile, or that ended before it could say anything, is one.

use std::fmt;
use testwright_base::ids::FunctionId;

/// A part of the suite that was taken out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenOut {
    /// The function under test.
    pub function: FunctionId,
    /// The test or reproducer.
    pub name: String,
    /// What of it.
    pub part: TakenPart,
    /// Why.
    pub cause: Cause,
}

/// What was taken out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TakenPart {
    /// The assertion about this; the test stays.
    Assertion(String),
    /// The whole test.
    Test,
    /// The reproducer of a finding; the finding is not reported.
    Reproducer,
}

/// Why something was taken out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// The test program saw another value than the search did.
    Differs,
    /// A build of this name saw another value or end than the search did.
    DependsOnBuild(String),
    /// A sanitizer says this about the code under test; that is a finding or breaks an assumption.
    Sanitizer(String),
    /// It wants this, which the sandbox forbids.
    Effect(String),
    /// The compiler refuses it, and says this.
    Refused(String),
    /// It failed, and nothing that is known explains it.
    Unknown(String),
}

impl Cause {
    /// Whether work was lost: something that a test should have stated is not stated.
    #[must_use]
    pub fn is_loss(&self) -> bool {
        matches!(self, Cause::Refused(_) | Cause::Unknown(_))
    }
}

/// `test returns_3: why`, `assertion about result of returns_3: why`.
impl fmt::Display for TakenOut {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TakenOut { name, part, cause, .. } = self;
        let of = if matches!(part, TakenPart::Assertion(_)) { " of" } else { "" };
        write!(formatter, "{part}{of} {name}: {cause}")
    }
}

impl fmt::Display for TakenPart {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TakenPart::Assertion(what) => write!(formatter, "assertion about {what}"),
            TakenPart::Test => formatter.write_str("test"),
            TakenPart::Reproducer => formatter.write_str("reproducer"),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Differs => formatter.write_str("the value differs from process to process"),
            Cause::DependsOnBuild(build) => write!(formatter, "it differs with {build}"),
            Cause::Sanitizer(kind) => write!(formatter, "a sanitizer reports: {kind}"),
            Cause::Effect(what) => write!(formatter, "it wants to {what}"),
            Cause::Refused(message) => write!(formatter, "the compiler says {message}"),
            Cause::Unknown(how) => formatter.write_str(how),
        }
    }
}

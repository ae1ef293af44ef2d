//! Found cases to a minimised, asserted suite, and the suite to the text of its files.
//!
//! * [`Input`]: what a search found, and about what;
//! * [`minimise`]: the few, simple cases that show every goal that was met;
//! * [`assert`](mod@assert): what each test claims about its run;
//! * [`name`]: what each test is called, by what it shows;
//! * [`Suite`]: the three together; findings are kept apart;
//! * [`missing`]: what the code uses and nobody defines;
//! * [`emit`]: the suite as C; [`summary`]: as JSON; [`Suite::files`]: all of it, ready to be written;
//! * [`replay`]: what is needed to run the cases again; [`Earlier`]: what they were called before;
//! * [`verdict`]: what the tests said when they ran; [`taken_out`]: what that cost.
//!
//! Nothing here reads or writes files, or runs anything.
#![forbid(unsafe_code)]

pub mod assert;
pub mod constant;
mod earlier;
pub mod emit;
mod files;
mod flags;
mod input;
pub mod mcdc;
pub mod minimise;
pub mod missing;
pub mod name;
pub mod replay;
pub mod shrink;
mod stop;
mod suite;
pub mod summary;
pub mod taken_out;
pub mod verdict;
pub mod weight;

pub use earlier::Earlier;
pub use files::Program;
pub use flags::flags_seen_from;
pub use input::{
    Access, Answers, EffectPolicy, Effort, Found, Input, LayerCounts, Lines, Metadata, Queried, Reason,
    RunCounts, SolverCounts, Source, Style, Unmet,
};
pub use stop::Stop;
pub use suite::{FIRST_DEMANDED, FIRST_MUTANT, Finding, LeftOut, Suite, Test, Tried, Wanted, ends_by_itself};

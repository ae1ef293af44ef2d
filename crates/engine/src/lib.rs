//! The engine: from a request to a suite that was compiled and run.
//!
//! [`generate`] is the diagram of the whole: each line is a folder. The engine prints nothing and knows no exit codes; a
//! [`Watch`](watch::Watch)er hears how far it is.
#![forbid(unsafe_code)]

pub mod build;
pub mod config;
pub mod failure;
mod judge;
pub mod mutate;
pub mod outputs;
pub mod publish;
pub mod request;
mod schedule;
mod search;
pub mod technique;
pub mod verify;
pub mod watch;

pub use failure::{Failure, Fault};
pub use request::Request;
pub use schedule::Solo;
pub use search::{Searched, search};
pub use watch::{Event, Moment, Watch};

use publish::{Destination, input};
use std::path::PathBuf;
use std::time::Duration;
use testwright_base::ids::FunctionId;
use testwright_base::subject::Subject;
use testwright_logic::solve::Statistics;
use testwright_suite::Suite;
use verify::Verdict;

/// A suite that was written, tried and put into its place.
pub struct Finished {
    /// The suite.
    pub suite: Suite,
    /// What came of trying it.
    pub verdict: Verdict,
    /// What the solver did.
    pub solver: Statistics,
    /// The functions that cannot be called, and why.
    pub skipped: Vec<(FunctionId, String)>,
    /// How long building took.
    pub built: Duration,
    /// Where the suite is.
    pub folder: PathBuf,
    /// Why that is not the folder that was asked for, if so.
    pub problem: Option<Failure>,
}

/// Generates tests for the functions that are wanted, and tries them.
pub fn generate(request: &Request, watch: &mut dyn Watch) -> Result<Finished, Failure> {
    let Request { target, wanted, searching, .. } = request;
    let destination = Destination::claim(&request.out, target)?;
    let earlier = input::earlier(destination.folder());
    let searched = search(target, wanted, searching, &earlier, watch)?;
    let mut suite = Suite::new(input::input(request, &searched, earlier, destination.folder())?);
    let manner = verify::Manner::new(request, searched.pace)?;
    let verdict = verify::write_and_try(&mut suite, destination.staging()?, manner, watch)?;
    let published = destination.publish(suite.program_names())?;
    let Searched { solver, chosen, built, .. } = searched;
    let (folder, problem) = (published.folder, published.problem);
    Ok(Finished { suite, verdict, solver, skipped: chosen.skipped, built, folder, problem })
}

/// The functions of a subject that its user named.
pub fn own_functions(subject: &Subject) -> impl Iterator<Item = FunctionId> + '_ {
    (0..subject.functions.len()).map(FunctionId::of).filter(|id| subject.function(*id).is_named())
}

/// `1 test`, `2 tests`, `2 branches`.
pub fn counted(count: usize, what: &str) -> String {
    let plural = if what.ends_with("s") || what.ends_with("ch") { "es" } else { "s" };
    format!("{count} {what}{}", if count == 1 { "" } else { plural })
}

//! Builds: the same code, compiled to record different things.

use serde::{Deserialize, Serialize};

/// What a build records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Build {
    /// Nothing: the code as it is, for comparison.
    Bare,
    /// Outcomes hit.
    Run,
    /// Outcomes hit and distances.
    RunWithDistances,
    /// Outcomes hit, distances, and distances of path conditions to targets.
    Fitness,
    /// Outcomes hit, expressions and the path.
    Trace,
    /// Nothing but what mutants change: it holds all of them, and a number selects one.
    Mutants,
}

impl Build {
    /// All builds.
    pub const ALL: [Build; 6] =
        [Build::Bare, Build::Run, Build::RunWithDistances, Build::Fitness, Build::Trace, Build::Mutants];

    /// A short name, also of its library.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Build::Bare => "bare",
            Build::Run => "run",
            Build::RunWithDistances => "run-distances",
            Build::Fitness => "fitness",
            Build::Trace => "trace",
            Build::Mutants => "mutants",
        }
    }

    /// The build of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Build> {
        Build::ALL.into_iter().find(|build| build.name() == name)
    }
}

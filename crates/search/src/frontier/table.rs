//! The table of frontiers: every name that a strategy may use.

use super::Frontier;
use super::breadth_first::BreadthFirst;
use super::carfast::CarFast;
use super::cfg_distance::CfgDistance;
use super::cgs::Cgs;
use super::context_bordered::ContextBordered;
use super::coverage_bordered::CoverageBordered;
use super::dart::Dart;
use super::depth_first::DepthFirst;
use super::fitnex::Fitnex;
use super::generational::Generational;
use super::per_location::PerLocation;
use super::random::Uniform;
use super::random_path::RandomPath;
use super::rcn::RandomCoverNew;
use super::round_robin::RoundRobin;
use super::rss::RandomState;
use super::sgs::Sgs;
use super::short_circuit::ShortCircuit;
use super::shortest::Shortest;
use crate::strategy::Strategy;

/// A frontier that strategies can name.
#[derive(Debug)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it takes in parentheses.
    pub takes: Takes,
    /// What it does, in a line.
    pub about: &'static str,
    build: fn(&Strategy) -> Box<dyn Frontier>,
}

/// What a frontier takes in parentheses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// A number, or this one if there are no parentheses.
    Number(u32),
    /// One strategy.
    One,
    /// One or more strategies.
    Many,
}

impl Entry {
    /// The entry of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Entry> {
        TABLE.iter().find(|entry| entry.name == name)
    }

    /// The frontier that a strategy with this name stands for.
    #[must_use]
    pub fn build(&self, strategy: &Strategy) -> Box<dyn Frontier> {
        (self.build)(strategy)
    }
}

const fn plain(name: &'static str, about: &'static str, build: fn(&Strategy) -> Box<dyn Frontier>) -> Entry {
    Entry { name, takes: Takes::Nothing, about, build }
}

fn parts(strategy: &Strategy) -> Vec<Box<dyn Frontier>> {
    strategy.parts().iter().map(Strategy::build).collect()
}

/// All frontiers.
pub const TABLE: &[Entry] = &[
    Entry {
        name: "short-circuit",
        takes: Takes::Many,
        about: "the first that does not decline",
        build: |strategy| Box::new(ShortCircuit::new(parts(strategy))),
    },
    Entry {
        name: "round-robin",
        takes: Takes::Many,
        about: "each in turn, longer while it makes progress",
        build: |strategy| Box::new(RoundRobin::new(parts(strategy))),
    },
    Entry {
        name: "per-location",
        takes: Takes::One,
        about: "one frontier for each site, each site in turn",
        build: |strategy| Box::new(PerLocation::new(strategy.parts()[0].clone())),
    },
    plain("shortest", "by depth, and only of the smallest depth seen", |_| Box::new(Shortest::default())),
    plain("fitnex", "lowest distance to a target, less the usual gain", |_| Box::new(Fitnex::default())),
    plain("random", "any node", |_| Box::new(Uniform::default())),
    plain("breadth-first", "by depth (iterative deepening)", |_| Box::new(BreadthFirst::default())),
    plain("depth-first", "deepest first", |_| Box::new(DepthFirst::default())),
    plain("coverage-bordered", "by decisions since the path last covered something", |_| {
        Box::new(CoverageBordered::default())
    }),
    plain("context-bordered", "by repetitions of the site in its calling context", |_| {
        Box::new(ContextBordered::default())
    }),
    plain("generational", "all nodes of the run that covered most (SAGE)", |_| {
        Box::new(Generational::default())
    }),
    Entry {
        name: "cgs",
        takes: Takes::Number(5),
        about: "by depth, new contexts of growing length only (context-guided)",
        build: |strategy| Box::new(Cgs::new(strategy.number())),
    },
    Entry {
        name: "sgs",
        takes: Takes::Number(4),
        about: "the least seen sequence of so many branches (subpath-guided)",
        build: |strategy| Box::new(Sgs::new(strategy.number())),
    },
    plain("rcn", "random, nearer to uncovered code more likely (random-cover-new, KLEE)", |_| {
        Box::new(RandomCoverNew::default())
    }),
    plain("rss", "any outcome not taken (random-state, KLEE)", |_| Box::new(RandomState::default())),
    plain("rps", "a random walk down the tree (random-path, KLEE)", |_| Box::new(RandomPath::default())),
    plain("cfg-distance", "fewest edges to uncovered code (CREST)", |_| Box::new(CfgDistance::default())),
    plain("carfast", "most uncovered code behind it (CarFast)", |_| Box::new(CarFast::default())),
    plain("dart", "the last decision of the latest path (DART)", |_| Box::new(Dart::default())),
];

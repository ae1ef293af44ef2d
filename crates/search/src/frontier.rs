//! Frontiers: rules that pick the next node to flip.
//!
//! A frontier is told of new nodes, runs, flips and exhausted nodes, and is asked for the next node; it may decline.
//! Several may know the same nodes, so a frontier expects that nodes it holds are no longer open by the time it picks.
//! A node that was flipped and has more to offer is announced again.
//!
//! [`TABLE`] lists them all, by the names that a strategy may use. To add one: a file in this folder, and its lines here.

mod breadth_first;
mod by_branch;
mod carfast;
mod cfg_distance;
mod cgs;
mod context_bordered;
mod coverage_bordered;
mod dart;
mod depth_first;
mod fitnex;
mod generational;
mod per_location;
mod protocol;
mod random;
mod random_path;
mod rcn;
mod round_robin;
mod rss;
mod sgs;
mod short_circuit;
mod shortest;
mod subpath;

pub use protocol::{Flip, Frontier, Pick, View};

use crate::strategy::Strategy;
use breadth_first::BreadthFirst;
use carfast::CarFast;
use cfg_distance::CfgDistance;
use cgs::Cgs;
use context_bordered::ContextBordered;
use coverage_bordered::CoverageBordered;
use dart::Dart;
use depth_first::DepthFirst;
use fitnex::Fitnex;
use generational::Generational;
use per_location::PerLocation;
use random::Uniform;
use random_path::RandomPath;
use rcn::RandomCoverNew;
use round_robin::RoundRobin;
use rss::RandomState;
use sgs::Sgs;
use short_circuit::ShortCircuit;
use shortest::Shortest;

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

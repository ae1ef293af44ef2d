//! Techniques: which bidders a search has, from their names on the command line.

use super::{Augment, Bidder, Flips, InputSearch, Random};
use crate::failure::Failure;
use testwright_search::concolic::Way;
use testwright_search::goals::Criteria;
use testwright_search::heuristics::{Heuristic, Off};
use testwright_search::sbst::Technique;
use testwright_search::strategy::Strategy;

/// The strategies that bid beside the one that the user names: those of the study of optimal concolic testing.
const STRATEGIES: [&str; 8] = ["rcn", "rss", "rps", "depth-first", "dart", "generational", "cgs", "sgs"];

/// A technique, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TechniqueName {
    /// Every technique; flips by each of several strategies.
    All,
    /// Batches of random runs.
    Random,
    /// Paths are flipped by a solver.
    Concolic,
    /// A random run or a solved path, whatever promises most new branches per cost.
    Greedy,
    /// Inputs are moved one at a time: the alternating variable method.
    Avm,
    /// Inputs evolve: a genetic algorithm with competing sub-populations.
    Ga,
    /// Goals that no flip leads to are solved for along paths that came to their site.
    Augment,
}

impl TechniqueName {
    /// All of them, with what is said about each.
    pub const ALL: [(TechniqueName, &'static str, &'static str); 7] = [
        (TechniqueName::All, "all", "Every technique; flips by each of several strategies"),
        (TechniqueName::Random, "random", "Batches of random runs"),
        (TechniqueName::Concolic, "concolic", "Paths are flipped by a solver"),
        (
            TechniqueName::Greedy,
            "greedy",
            "A random run or a solved path, whatever promises most new branches per cost",
        ),
        (TechniqueName::Avm, "avm", "Inputs are moved one at a time: the alternating variable method"),
        (TechniqueName::Ga, "ga", "Inputs evolve: a genetic algorithm with competing sub-populations"),
        (
            TechniqueName::Augment,
            "augment",
            "Goals that no flip leads to are solved for along paths that came to their site",
        ),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        TechniqueName::ALL.iter().find(|(known, ..)| *known == self).map_or("", |(_, name, _)| name)
    }

    /// The technique of this name.
    pub fn named(name: &str) -> Option<TechniqueName> {
        TechniqueName::ALL.iter().find(|(_, known, _)| *known == name).map(|(technique, ..)| *technique)
    }
}

/// The techniques of a search.
#[derive(Debug, Clone)]
pub struct Techniques(Vec<TechniqueName>);

impl Techniques {
    /// Those that are named, each once.
    pub fn new(named: &[TechniqueName]) -> Result<Techniques, Failure> {
        for (index, technique) in named.iter().enumerate() {
            if named[..index].contains(technique) {
                let name = technique.name();
                return Err(Failure::usage(format!("--technique names {name} twice; once is enough")));
            }
        }
        if named.contains(&TechniqueName::All) && named.len() > 1 {
            return Err(Failure::usage("--technique all has every technique already; name it alone"));
        }
        Ok(Techniques(named.to_vec()))
    }

    fn has(&self, technique: TechniqueName) -> bool {
        self.0.contains(&technique) || self.0.contains(&TechniqueName::All)
    }

    /// Whether inputs are searched.
    pub fn searches_inputs(&self) -> bool {
        self.has(TechniqueName::Avm) || self.has(TechniqueName::Ga)
    }

    /// Whether random runs and flips are chosen between by reward per cost.
    pub fn is_planned(&self) -> bool {
        self.has(TechniqueName::Greedy)
    }

    /// Whether that is all there is.
    pub fn is_planned_only(&self) -> bool {
        self.0 == [TechniqueName::Greedy]
    }

    /// The strategies beside the one that the user names.
    pub fn strategies(&self, off: Off) -> Result<Vec<Strategy>, Failure> {
        self.further(off)
            .iter()
            .map(|name| name.parse().map_err(|_| Failure::bug(format!("no strategy {name}"))))
            .collect()
    }

    /// Their names.
    fn further(&self, off: Off) -> &'static [&'static str] {
        let are_asked = self.0.contains(&TechniqueName::All) && off.keeps(Heuristic::FurtherStrategies);
        if are_asked { &STRATEGIES } else { &[] }
    }

    /// The bidders for these goals.
    pub(crate) fn bidders(&self, criteria: &Criteria<'_>, off: Off) -> Vec<Box<dyn Bidder>> {
        let mut bidders: Vec<Box<dyn Bidder>> = Vec::new();
        let mut ways = Vec::new();
        if self.has(TechniqueName::Concolic) {
            ways.push(("concolic".to_owned(), Way::Strategy(0)));
        }
        if self.has(TechniqueName::Greedy) {
            ways.push(("greedy".to_owned(), Way::Planned));
        }
        let further = (1..).zip(self.further(off));
        ways.extend(further.map(|(number, name)| ((*name).to_owned(), Way::Strategy(number))));
        if !ways.is_empty() {
            bidders.push(Box::new(Flips::new(ways, off)));
        }
        if self.has(TechniqueName::Augment) && criteria.are_solvable() {
            bidders.push(Box::new(Augment));
        }
        if self.has(TechniqueName::Random) {
            bidders.push(Box::new(Random::new()));
        }
        let named = !self.0.contains(&TechniqueName::All);
        let alone = named && self.0.len() == 1;
        for (name, technique) in
            [(TechniqueName::Avm, Technique::Avm), (TechniqueName::Ga, Technique::Genetic)]
        {
            if self.has(name) {
                bidders.push(Box::new(InputSearch::new(technique, named, alone)));
            }
        }
        bidders
    }
}

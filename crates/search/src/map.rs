//! The map: how far static control flow says that code is from goals.
//!
//! Distances are numbers of edges in the interprocedural graph, where calls and returns are not matched, so
//! they may be shorter than any run. They are brought up to date whenever goals are met. The map covers the whole subject and few
//! searches need it, so it is drawn when somebody first asks.

use crate::coverage::Coverage;
use crate::tree::Branch;
use std::cell::OnceCell;
use std::collections::VecDeque;
use testwright_base::graph::{Interprocedural, Node};
use testwright_base::ids::{BlockId, FunctionId, OutcomeId};
use testwright_base::subject::Subject;

/// How far from goals.
#[derive(Debug, Clone, Default)]
pub struct CodeMap {
    drawn: OnceCell<Drawn>,
}

/// The map once it is drawn.
#[derive(Debug, Clone)]
struct Drawn {
    /// Where the blocks of each function begin in the lists below.
    starts: Vec<u32>,
    next: Vec<Vec<u32>>,
    previous: Vec<Vec<u32>>,
    /// Per block: edges to the nearest block that decides an open goal.
    distances: Vec<u32>,
    /// Per block: how many open goals it decides.
    goals: Vec<u32>,
}

/// "No goal can be reached from here."
pub const UNREACHABLE: u32 = u32::MAX;

impl CodeMap {
    /// Takes note of the goals that are still open.
    pub fn update(&mut self, subject: &Subject, coverage: &Coverage) {
        if let Some(drawn) = self.drawn.get_mut() {
            drawn.update(subject, coverage);
        }
    }

    /// Edges from the untaken side of a branch to the nearest open goal; 0 if it is one itself.
    #[must_use]
    pub fn distance_from(&self, subject: &Subject, coverage: &Coverage, branch: Branch) -> u32 {
        self.drawn(subject, coverage).distance_from(subject, coverage, branch)
    }

    /// How many open goals may be reached from the untaken side of a branch.
    #[must_use]
    pub fn goals_from(&self, subject: &Subject, coverage: &Coverage, branch: Branch) -> u32 {
        self.drawn(subject, coverage).goals_from(subject, branch)
    }

    fn drawn(&self, subject: &Subject, coverage: &Coverage) -> &Drawn {
        self.drawn.get_or_init(|| Drawn::new(subject, coverage))
    }
}

impl Drawn {
    fn new(subject: &Subject, coverage: &Coverage) -> Drawn {
        let mut starts = vec![0];
        for function in &subject.functions {
            starts.push(starts[starts.len() - 1] + function.blocks.len() as u32);
        }
        let count = starts[starts.len() - 1] as usize;
        let graph = Interprocedural::new(subject);
        let mut map = Drawn {
            starts,
            next: vec![Vec::new(); count],
            previous: vec![Vec::new(); count],
            distances: Vec::new(),
            goals: Vec::new(),
        };
        for node in graph.nodes() {
            let from = map.index(node);
            for link in graph.links(node) {
                let to = map.index(link.target);
                map.next[from].push(to as u32);
                map.previous[to].push(from as u32);
            }
        }
        map.update(subject, coverage);
        map
    }

    fn update(&mut self, subject: &Subject, coverage: &Coverage) {
        self.goals = vec![0; self.next.len()];
        for outcome in coverage.open_outcomes() {
            if let Some((site, _)) = subject.outcome(outcome) {
                let site = &subject.sites[site.index()];
                let block = self.index(Node { function: site.function, block: site.block });
                self.goals[block] += 1;
            }
        }
        let mut open: VecDeque<usize> =
            (0..self.goals.len()).filter(|block| self.goals[*block] > 0).collect();
        self.distances = self.goals.iter().map(|goals| if *goals > 0 { 0 } else { UNREACHABLE }).collect();
        while let Some(block) = open.pop_front() {
            for previous in &self.previous[block] {
                if self.distances[*previous as usize] == UNREACHABLE {
                    self.distances[*previous as usize] = self.distances[block] + 1;
                    open.push_back(*previous as usize);
                }
            }
        }
    }

    fn distance_from(&self, subject: &Subject, coverage: &Coverage, branch: Branch) -> u32 {
        let Some(site) = subject.sites.get(branch.site as usize) else { return UNREACHABLE };
        let other = |index: u32| u32::from(branch.outcome) != index;
        let is_goal = (0..site.outcome_count)
            .any(|index| other(index) && coverage.is_open(OutcomeId(site.first_outcome.0 + index)));
        if is_goal {
            return 0;
        }
        let distances = self.other_sides(subject, branch).map(|block| self.distances[block]);
        distances.min().map_or(UNREACHABLE, |nearest| nearest.saturating_add(1))
    }

    fn goals_from(&self, subject: &Subject, branch: Branch) -> u32 {
        let mut seen = vec![false; self.next.len()];
        let mut open: Vec<usize> = self.other_sides(subject, branch).collect();
        let mut goals = 0;
        while let Some(block) = open.pop() {
            if !std::mem::replace(&mut seen[block], true) {
                goals += self.goals[block];
                open.extend(self.next[block].iter().map(|next| *next as usize));
            }
        }
        goals
    }

    /// The blocks where another outcome leads; the block of the site itself if it does not end its block.
    fn other_sides(&self, subject: &Subject, branch: Branch) -> impl Iterator<Item = usize> + '_ {
        let site = subject.sites.get(branch.site as usize);
        let blocks: Vec<usize> = site.map_or_else(Vec::new, |site| {
            let block = &subject.function(site.function).blocks[site.block.index()];
            let at = |block: BlockId| self.index(Node { function: site.function, block });
            if block.decides.map(|site| site.0) != Some(branch.site) {
                return vec![at(site.block)];
            }
            let sides = block.successors.iter().enumerate();
            let others = sides.filter(|(position, _)| *position != usize::from(branch.outcome));
            others.map(|(_, block)| at(*block)).collect()
        });
        blocks.into_iter()
    }

    fn index(&self, node: Node) -> usize {
        let FunctionId(function) = node.function;
        self.starts[function as usize] as usize + node.block.index()
    }
}

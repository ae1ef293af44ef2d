//! Offers: the flips that the paths of fit runs have to offer, by the move that each would be.
//!
//! What a flip is worth to a target depends on the fitness of its run and on its move only. So for each target and each move the
//! runs that offer it wait in order of their fitness, and the best flip is among the first ones of all moves. Whether a flip is
//! still to be had is asked when it comes first. A node that was closed never opens again, so what is passed over is passed
//! over for good: a step costs as much as there are moves, however many runs there were.

use super::{Candidate, Move, Rank, RunFitness, Target};
use crate::frontier::View;
use crate::tree::{Kind, NodeId, RunId, State};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::ops::Bound;

/// How many flips of a path are looked at, from its end.
const LOOKED_AT: usize = 4096;
/// So many flips are remembered with their runs, 16 bytes each. Those that are forgotten are read from the tree again.
const REMEMBERED: usize = 1 << 20;

/// A move by its number.
type MoveId = u32;
/// Runs in order of their fitness.
type Queue = BinaryHeap<Reverse<Rank>>;

/// The flips that fit runs offer to a frontier.
#[derive(Debug, Default)]
pub struct Offers {
    paths: Paths,
    targets: Vec<Waiting>,
}

/// The runs that offer something to a target.
#[derive(Debug, Default)]
struct Waiting {
    /// How often the target had forgotten everything by then.
    forgotten: u32,
    /// The last run that was added.
    last: Option<RunId>,
    /// By move.
    queues: Vec<Queues>,
}

#[derive(Debug, Default)]
struct Queues {
    /// Runs with flips that nobody took, as far as is known.
    new: Queue,
    /// Runs whose flips others took.
    again: Queue,
}

/// The flips of runs.
#[derive(Debug, Default)]
struct Paths {
    /// Per node of the tree: whether the frontier may flip it.
    mine: Vec<bool>,
    /// Repeated flips that were tried.
    repeated: HashSet<Candidate>,
    numbers: HashMap<Move, MoveId>,
    moves: Vec<Move>,
    /// The flips of each run, by move.
    runs: HashMap<RunId, Vec<OfMove>>,
    /// How many flips these are.
    size: usize,
}

/// The flips of one run that are the same move, from the end of its path.
#[derive(Debug)]
struct OfMove {
    id: MoveId,
    flips: Vec<Place>,
    /// Those before are not new any more.
    new_from: usize,
    /// Those before are not to be had any more. Only counted when none is new.
    from: usize,
}

/// Where a run can be flipped, and to what.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// How many decisions come after it on the path.
    position: u32,
    node: NodeId,
    outcome: Option<u16>,
}

/// The first flip of a move.
pub(super) struct First {
    pub(super) by: Move,
    pub(super) value: f64,
    pub(super) candidate: Candidate,
    /// Decides among equals: a fit run, a late decision.
    pub(super) order: (Rank, u32, Option<u16>),
}

impl Offers {
    /// The frontier may flip a node.
    pub fn add(&mut self, node: NodeId) {
        let mine = &mut self.paths.mine;
        if mine.len() <= node.index() {
            mine.resize(node.index() + 1, false);
        }
        mine[node.index()] = true;
    }

    /// A flip is tried. If others took it before, it is not offered again.
    pub fn take(&mut self, candidate: Candidate) {
        if candidate.again {
            self.paths.repeated.insert(candidate);
        }
    }

    /// The first flips of each move for a target: one that nobody took, and if `again` one that others took.
    pub(super) fn firsts(
        &mut self,
        fitness: &RunFitness,
        target: usize,
        view: &View<'_>,
        again: bool,
    ) -> Vec<First> {
        self.catch_up(fitness, target, view);
        let (paths, target, waiting) = (&mut self.paths, &fitness.targets[target], &mut self.targets[target]);
        let mut firsts = Vec::new();
        for (id, queues) in (0..).zip(&mut waiting.queues) {
            firsts.extend(paths.first_new(target, view, id, queues));
            if again {
                firsts.extend(paths.first_again(target, view, id, &mut queues.again));
            }
        }
        firsts
    }

    /// All flips of a run from the end of its path, those that others took if `again`.
    pub(super) fn of(&mut self, run: RunId, view: &View<'_>, again: bool) -> Vec<(Move, Candidate)> {
        self.paths.know(run, view);
        let Paths { runs, repeated, moves, .. } = &mut self.paths;
        let mut flips = Vec::new();
        for of_move in runs.get_mut(&run).into_iter().flatten() {
            let is_worth_it = of_move.first_new(run, view).is_some()
                || again && of_move.first_again(run, view, repeated).is_some();
            let rest = if is_worth_it { &of_move.flips[of_move.from..] } else { &[] };
            for place in rest {
                let Some(candidate) = place.offered(run, view) else { continue };
                if !candidate.again || (again && !repeated.contains(&candidate)) {
                    flips.push((place.position, moves[of_move.id as usize], candidate));
                }
            }
            view.look(rest.len());
        }
        flips.sort_by_key(|(position, _, candidate)| (*position, candidate.outcome));
        flips.into_iter().map(|(_, by, candidate)| (by, candidate)).collect()
    }

    /// Adds the runs that became fit for a target since it was last asked about.
    fn catch_up(&mut self, fitness: &RunFitness, target: usize, view: &View<'_>) {
        if self.targets.len() <= target {
            self.targets.resize_with(target + 1, Waiting::default);
        }
        let waiting = &mut self.targets[target];
        let target = &fitness.targets[target];
        if waiting.forgotten != target.forgotten {
            *waiting = Waiting { forgotten: target.forgotten, ..Waiting::default() };
        }
        let after = waiting.last.map_or(Bound::Unbounded, Bound::Excluded);
        for (run, valued) in target.values.range((after, Bound::Unbounded)) {
            waiting.last = Some(*run);
            for of_move in self.paths.know(*run, view) {
                let index = of_move.id as usize;
                if waiting.queues.len() <= index {
                    waiting.queues.resize_with(index + 1, Queues::default);
                }
                waiting.queues[index].new.push(Reverse(valued.rank(*run)));
            }
        }
    }
}

impl Paths {
    /// The first flip of a move that nobody took. Runs without any are put where those wait whose flips others took.
    fn first_new(
        &mut self,
        target: &Target,
        view: &View<'_>,
        id: MoveId,
        queues: &mut Queues,
    ) -> Option<First> {
        while let Some(Reverse(rank)) = queues.new.peek().copied() {
            let run = rank.2.0;
            if target.values.contains_key(&run) {
                self.know(run, view);
                if let Some(of_move) = of_move(&mut self.runs, run, id) {
                    if let Some(place) = of_move.first_new(run, view) {
                        return Some(self.first(id, rank, place, false));
                    }
                    queues.again.push(Reverse(rank));
                }
            }
            queues.new.pop();
        }
        None
    }

    /// The first flip of a move that others took.
    fn first_again(
        &mut self,
        target: &Target,
        view: &View<'_>,
        id: MoveId,
        queue: &mut Queue,
    ) -> Option<First> {
        while let Some(Reverse(rank)) = queue.peek().copied() {
            let run = rank.2.0;
            if target.values.contains_key(&run) {
                self.know(run, view);
                let Paths { runs, repeated, .. } = self;
                let place =
                    of_move(runs, run, id).and_then(|of_move| of_move.first_again(run, view, repeated));
                if let Some(place) = place {
                    return Some(self.first(id, rank, place, true));
                }
            }
            queue.pop();
        }
        None
    }

    fn first(&self, id: MoveId, rank: Rank, place: Place, again: bool) -> First {
        First {
            by: self.moves[id as usize],
            value: f64::from_bits(rank.0),
            candidate: place.candidate(rank.2.0, again),
            order: (rank, place.position, place.outcome),
        }
    }

    /// The flips of a run, read from the tree unless they are remembered; none if its case was dropped.
    fn know(&mut self, run: RunId, view: &View<'_>) -> &[OfMove] {
        if view.runs.case(run).is_none() {
            self.runs.remove(&run);
            return &[];
        }
        if !self.runs.contains_key(&run) {
            if self.size > REMEMBERED {
                self.runs.clear();
                self.size = 0;
            }
            let flips = self.read(run, view);
            self.size += flips.iter().map(|of_move| of_move.flips.len()).sum::<usize>();
            self.runs.insert(run, flips);
        }
        &self.runs[&run]
    }

    fn read(&mut self, run: RunId, view: &View<'_>) -> Vec<OfMove> {
        let info = view.runs.get(run);
        let mut went = info.last_outcome;
        let (mut flips, mut count): (Vec<OfMove>, usize) = (Vec::new(), 0);
        let path = info.leaf.into_iter().flat_map(|leaf| view.tree.ancestry(leaf));
        for (position, node) in (0..).zip(path) {
            view.look(1);
            if self.mine.get(node.index()) == Some(&true) {
                for outcome in outcomes(view, node, went) {
                    let place = Place { position, node, outcome };
                    let Some(candidate) = place.offered(run, view) else { continue };
                    let id = self.number(candidate.by(view));
                    let at = flips.binary_search_by_key(&id, |of_move| of_move.id).unwrap_or_else(|at| {
                        flips.insert(at, OfMove { id, flips: Vec::new(), new_from: 0, from: 0 });
                        at
                    });
                    flips[at].flips.push(place);
                    count += 1;
                }
            }
            if count >= LOOKED_AT {
                break;
            }
            went = view.tree.node(node).arrived();
        }
        flips
    }

    fn number(&mut self, by: Move) -> MoveId {
        *self.numbers.entry(by).or_insert_with(|| {
            self.moves.push(by);
            self.moves.len() as MoveId - 1
        })
    }
}

fn of_move(runs: &mut HashMap<RunId, Vec<OfMove>>, run: RunId, id: MoveId) -> Option<&mut OfMove> {
    let flips = runs.get_mut(&run)?;
    let at = flips.binary_search_by_key(&id, |of_move| of_move.id).ok()?;
    flips.get_mut(at)
}

/// The outcomes of a node that a run which took `went` there can be flipped to; any that no run took if it is a pinned value.
fn outcomes(view: &View<'_>, id: NodeId, went: u16) -> impl Iterator<Item = Option<u16>> {
    let (any, from_to) = match view.tree.node(id).kind {
        Kind::Pin | Kind::Bounds => (true, 0..0),
        Kind::Branch => (false, 0..2),
        Kind::Switch => (false, 0..view.tree.outcome_count(id, view.subject).unwrap_or(0)),
    };
    any.then_some(None).into_iter().chain(from_to.filter(move |outcome| *outcome != went).map(Some))
}

impl OfMove {
    fn first_new(&mut self, run: RunId, view: &View<'_>) -> Option<Place> {
        while let Some(place) = self.flips.get(self.new_from) {
            view.look(1);
            if place.offered(run, view).is_some_and(|candidate| !candidate.again) {
                return Some(*place);
            }
            self.new_from += 1;
        }
        None
    }

    /// To be asked only if none is new.
    fn first_again(&mut self, run: RunId, view: &View<'_>, repeated: &HashSet<Candidate>) -> Option<Place> {
        while let Some(place) = self.flips.get(self.from) {
            view.look(1);
            if place.offered(run, view).is_some_and(|candidate| !repeated.contains(&candidate)) {
                return Some(*place);
            }
            self.from += 1;
        }
        None
    }
}

impl Place {
    fn candidate(self, run: RunId, again: bool) -> Candidate {
        Candidate { run, node: self.node, outcome: self.outcome, again }
    }

    /// The flip as it is to be had now.
    fn offered(self, run: RunId, view: &View<'_>) -> Option<Candidate> {
        let node = view.tree.node(self.node);
        let is_open = node.state == State::Open;
        let again = match node.kind {
            Kind::Pin | Kind::Bounds => is_open.then_some(false),
            // Back to where the run came from leads nowhere.
            _ if !is_open && view.runs.get(run).parent.is_some_and(|(flipped, _)| flipped == self.node) => {
                None
            }
            Kind::Branch if is_open => Some(false),
            Kind::Branch => (node.state == State::Explored).then_some(true),
            Kind::Switch if is_open || node.state == State::Explored => {
                Some(view.tree.explored(self.node).any(|key| Some(key as u16) == self.outcome))
            }
            Kind::Switch => None,
        };
        again.map(|again| self.candidate(run, again))
    }
}

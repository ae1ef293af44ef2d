//! Fragments: what the rounds of loops were made of in all runs so far, and where they fit into a case.

use crate::execute::{Edit, Traced};
use crate::heuristics::{Heuristic, Off};
use crate::rounds::{Loop, Loops, Match, Round, Rounds, rounds};
use crate::run_fitness::{Move, Place, Prerequisites};
use crate::tree::RunId;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use testwright_base::ids::OutcomeId;
use testwright_base::subject::Subject;

/// How many fragments are remembered per loop.
const FRAGMENTS: usize = 24;
/// How many rounds of a run are looked at, from its end.
const LOOKED_AT: usize = 256;
/// How many matches of a run are moved, and to how many places.
const MOVED: usize = 32;
/// How many runs are remembered with their rounds.
const RUNS: usize = 4096;

/// The rounds of earlier runs.
#[derive(Debug, Default)]
pub(super) struct Fragments {
    loops: Loops,
    known: BTreeMap<Loop, Vec<Fragment>>,
    rounds: HashMap<RunId, Rounds>,
    /// The runs with rounds, oldest first.
    order: VecDeque<RunId>,
    /// Changes whenever the fragments do.
    version: u64,
}

/// Elements that make a loop do something.
#[derive(Debug)]
struct Fragment {
    kind: u64,
    /// Whether the loop ever went on after it.
    went_on: bool,
    values: Vec<u128>,
    /// What rounds decided that it was all of.
    outcomes: BTreeSet<OutcomeId>,
}

/// An edit that may be worth trying.
#[derive(Debug)]
pub(super) struct Proposal {
    pub(super) by: Move,
    pub(super) edit: Edit,
    /// A second edit after the first.
    pub(super) then: Option<Edit>,
    /// Whether the loop is known to go on after what is put in.
    pub(super) goes_on: bool,
    /// Whether what is put in sets the variable that a target asks about, and comes before it is asked.
    pub(super) chained: bool,
}

/// What has to come before what.
#[derive(Debug)]
pub(super) struct Order {
    setting: BTreeSet<OutcomeId>,
    asking: BTreeSet<OutcomeId>,
    /// Whether the run sets the variable.
    sets: bool,
}

impl Order {
    /// Whether a fragment asks about the variable in a run that sets it; sets it before a round asks; or sets it at all, if
    /// that is asked after the loop.
    fn is_kept(&self, fragment: &Fragment, place: Place, round: &Round) -> bool {
        if place == Place::Instead {
            return false;
        }
        let sets = !fragment.outcomes.is_disjoint(&self.setting);
        if self.asking.is_empty() {
            return sets;
        }
        let asks = |outcomes: &BTreeSet<OutcomeId>| !outcomes.is_disjoint(&self.asking);
        if self.sets {
            asks(&fragment.outcomes)
        } else {
            sets && place == Place::Before && asks(&round.outcomes)
        }
    }
}

impl Fragments {
    /// Takes note of the rounds of a run.
    pub(super) fn learn(&mut self, subject: &Subject, run: RunId, traced: &Traced) {
        let rounds = rounds(subject, &mut self.loops, traced);
        if rounds.rounds.is_empty() {
            return;
        }
        for round in &rounds.rounds {
            let fragments = self.known.entry(round.of).or_default();
            let is_known =
                |fragment: &&mut Fragment| fragment.kind == round.kind || fragment.values == round.values;
            if let Some(fragment) = fragments.iter_mut().find(is_known) {
                self.version += u64::from(round.went_on && !fragment.went_on);
                fragment.went_on |= round.went_on;
            } else if fragments.len() < FRAGMENTS {
                let (values, outcomes) = (round.values.clone(), round.outcomes.clone());
                fragments.push(Fragment { kind: round.kind, went_on: round.went_on, values, outcomes });
                self.version += 1;
            }
        }
        self.rounds.insert(run, rounds);
        self.order.push_back(run);
        if self.order.len() > RUNS
            && let Some(oldest) = self.order.pop_front()
        {
            self.rounds.remove(&oldest);
        }
    }

    /// A number that changes whenever there are other fragments.
    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// What prerequisites say about the order of fragments, for runs that set its variable or for others.
    pub(super) fn order(&self, prerequisites: &Prerequisites, sets: bool) -> Order {
        let leaves_trace = |outcome| self.fragments().any(|fragment| fragment.outcomes.contains(&outcome));
        Order { setting: prerequisites.setting(leaves_trace), asking: self.asking(prerequisites), sets }
    }

    /// Whether the rounds of a run are known.
    pub(super) fn has(&self, run: RunId) -> bool {
        self.rounds.contains_key(&run)
    }

    /// What can be done to the case of a run: every fragment before every round, instead of it, and at the end;
    /// every round taken out. The prerequisites are those of the target that is aimed at.
    pub(super) fn proposals(
        &self,
        (subject, off): (&Subject, Off),
        run: RunId,
        (prerequisites, order): (&Prerequisites, &Order),
        loses: impl Fn(Move) -> bool,
    ) -> Vec<Proposal> {
        let mut proposals = Vec::new();
        let Some(Rounds { rounds, matches }) = self.rounds.get(&run) else { return proposals };
        for (index, round) in rounds.iter().enumerate().skip(rounds.len().saturating_sub(LOOKED_AT)) {
            let next = rounds.get(index + 1);
            let is_last = next.is_none_or(|next| (next.of, next.object) != (round.of, round.object));
            let ordered = Some(order).filter(|order| order.sets || off.keeps(Heuristic::EditsInOrder));
            self.around(round, is_last, ordered, &mut proposals);
            // Library functions keep nothing in mind from one round to the next that another round could put right.
            let is_library = subject.function(round.of.function()).model;
            if is_last && round.went_on && !is_library && off.keeps(Heuristic::EditPairs) {
                self.pairs_after(round, &loses, &mut proposals);
            }
        }
        let is_moved =
            |found: &&Match| off.keeps(Heuristic::EditMoves) && prerequisites.asks_result_of(found.model);
        let asked: Vec<&Match> = matches.iter().filter(is_moved).collect();
        for found in asked.iter().rev().take(MOVED) {
            proposals.extend(moves(rounds, found, &asked));
        }
        proposals
    }

    /// Whether rounds ask for what prerequisites set, rather than something after them.
    pub(super) fn asks(&self, prerequisites: &Prerequisites) -> bool {
        !prerequisites.is_empty() && !self.asking(prerequisites).is_empty()
    }

    /// The decisions of rounds that stand for asking. A round with which a loop ends leads to what comes after it, but asks nothing itself.
    fn asking(&self, prerequisites: &Prerequisites) -> BTreeSet<OutcomeId> {
        let rounds = self.fragments().filter(|fragment| fragment.went_on);
        prerequisites.asking(|outcome| rounds.clone().any(|fragment| fragment.outcomes.contains(&outcome)))
    }

    fn fragments(&self) -> impl Iterator<Item = &Fragment> + Clone {
        self.known.values().flatten()
    }

    /// Two fragments at the end that each lose the target's predicate: what one does wrong the other may put right, as a number that is
    /// put on a stack and an operation that takes one off.
    fn pairs_after(&self, last: &Round, loses: impl Fn(Move) -> bool, proposals: &mut Vec<Proposal>) {
        let at = last.first + last.values.len();
        let fragments = || {
            let known = self.known.get(&last.of).into_iter().flatten();
            known.filter(|fragment| {
                fragment.went_on && loses(Move::Edit { kind: fragment.kind, place: Place::End })
            })
        };
        for (first, second) in fragments().flat_map(|first| fragments().map(move |second| (first, second))) {
            let mut hasher = DefaultHasher::new();
            (first.kind, second.kind).hash(&mut hasher);
            let by = Move::Edit { kind: hasher.finish(), place: Place::End };
            let inserted = first.values.iter().chain(&second.values).copied().collect();
            let edit = Edit { object: last.object, at, removed: 0, inserted };
            proposals.push(Proposal { by, edit, then: None, goes_on: true, chained: true });
        }
    }

    fn around(&self, round: &Round, is_last: bool, order: Option<&Order>, proposals: &mut Vec<Proposal>) {
        let (object, first, count) = (round.object, round.first, round.values.len());
        let mut propose = |fragment: Option<&Fragment>, place, at, removed| {
            let by = Move::Edit { kind: fragment.map_or(0, |fragment| fragment.kind), place };
            let inserted = fragment.map_or_else(Vec::new, |fragment| fragment.values.clone());
            let goes_on = fragment.is_none_or(|fragment| fragment.went_on);
            let chained =
                fragment.zip(order).is_some_and(|(fragment, order)| order.is_kept(fragment, place, round));
            let edit = Edit { object, at, removed, inserted };
            proposals.push(Proposal { by, edit, then: None, goes_on, chained });
        };
        for fragment in self.known.get(&round.of).into_iter().flatten() {
            propose(Some(fragment), Place::Before, first, 0);
            if is_last {
                // What a loop ends with, the end of a text say, stays at its end.
                let end = if round.went_on { first + count } else { first };
                propose(Some(fragment), Place::End, end, 0);
            }
            if fragment.values != round.values {
                propose(Some(fragment), Place::Instead, first, count);
            }
        }
        propose(None, Place::Nowhere, first, count);
    }
}

/// What a function found, moved to where rounds begin or end, be they of another function's loop over the same sequence. Nothing that was
/// asked about is torn apart. If the results of several functions are asked about, the order of what they found is what can
/// be changed by moving it, so only moves are meant that do.
fn moves(rounds: &[Round], moved: &Match, asked: &[&Match]) -> Vec<Proposal> {
    let (object, first, count) = (moved.object, moved.first, moved.values.len());
    let others: Vec<&Match> = asked
        .iter()
        .copied()
        .filter(|other| other.object == object && (other.end() <= first || other.first >= moved.end()))
        .collect();
    let is_inside = |place: usize| others.iter().any(|other| other.first < place && place < other.end());
    let passes = |place: usize| others.iter().any(|other| (first < other.first) != (place <= other.first));
    let around = rounds.iter().filter(|round| round.object == object);
    // What a loop ends with, the end of a text say, stays at its end.
    let ends = |round: &Round| round.went_on.then_some(round.first + round.values.len());
    let places: BTreeSet<usize> =
        around.flat_map(|round| [Some(round.first), ends(round)]).flatten().collect();
    let is_meant = |place: &usize| {
        (*place < first || *place > moved.end())
            && !is_inside(*place)
            && (others.is_empty() || passes(*place))
    };
    let elsewhere = places.into_iter().rev().filter(is_meant).take(MOVED);
    let mut hasher = DefaultHasher::new();
    moved.model.hash(&mut hasher);
    let by = Move::Edit { kind: hasher.finish(), place: Place::Elsewhere };
    let proposal = |place: usize| Proposal {
        by,
        edit: Edit { object, at: first, removed: count, inserted: Vec::new() },
        then: Some(Edit {
            object,
            at: if place > first { place - count } else { place },
            removed: 0,
            inserted: moved.values.clone(),
        }),
        goes_on: true,
        chained: true,
    };
    elsewhere.map(proposal).collect()
}

//! Splicing: rounds of loops put into the sequences of fit cases, taken out, or put in place of others.
//!
//! A flip changes one decision. Where a round of a loop takes several of them, a word that has to stand in a text say, or where
//! another round in the middle is what is missing, flips lead through runs that are far from the target. So when nothing has come
//! closer to any target for a while, rounds that some run made are put where a fit run had others. What comes of
//! that is learnt like the gains of flips, and decides how large the share of edited cases is.
//!
//! A fragment goes before a round, in place of one, or to the end; or a round is taken out. Two fragments that each lose the target's
//! predicate are also tried one after the other, because the second may mend what the first does wrong. On `subjects/fitnex` this took the
//! matcher of `pattern` from 436 runs to about 35.

use super::fragments::{Fragments, Order, Proposal};
use super::{Search, view};
use crate::execute::{Execute, Traced};
use crate::frontier::View;
use crate::heuristics::{Heuristic, Off};
use crate::run_fitness::{Move, Place, Prerequisites};
use crate::tree::RunId;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use testwright_base::case::Case;
use testwright_base::subject::Subject;

/// After so many runs that brought nothing, editing begins.
const PATIENCE: u64 = 4;
/// Bounds of the share that edited cases then have.
const SHARE: (f64, f64) = (0.2, 0.8);
/// One time of so many, runs that lost the predicate of the target are edited too.
const LOST: usize = 4;
/// One time of so many, runs of the same fitness are passed over.
const PASSED_OVER: usize = 4;
/// How many edits a run that brought the search forward is ahead of others.
const AHEAD: u32 = 4;
/// Targets that wait for others have their turn when those were aimed at so often in vain.
const WAITING: u32 = 100;
/// So many edits are remembered that lead to cases which were run, and so many runs that have no others.
const REMEMBERED: usize = 1 << 18;
/// What a success is multiplied with whenever another run is counted.
const FADING: f64 = 0.95;

/// What is known about edits.
#[derive(Debug, Default)]
pub(super) struct Splicing {
    fragments: Fragments,
    targets: Vec<Aim>,
    /// How many edits of a run were tried.
    tried: HashMap<RunId, u32>,
    /// Edits that lead to cases which were run, by what stands for the run and the edit.
    known: HashSet<u64>,
    /// Runs without edits that lead to a case which was not run.
    spent: HashMap<Spent, Nothing>,
    /// Runs that brought the search forward.
    notable: HashSet<RunId>,
    edits: Successes,
    flips: Successes,
    /// Whether the last edit brought the search forward.
    helped: bool,
    /// How many runs there were when it was last asked whether to edit.
    asked_at: usize,
}

/// For which target a run has no edits, and whether it was one that sets the variable of its prerequisites.
type Spent = (RunId, usize, bool);

/// Why a run has none.
#[derive(Debug, Clone, Copy)]
struct Nothing {
    /// As long as these have not changed: the fragments, and which moves lose the target.
    version: (u64, u64),
    /// How many edits were proposed, each with a random number.
    proposed: usize,
}

/// What edits are made for.
struct Purpose {
    target: usize,
    prerequisites: Prerequisites,
    order: Order,
    /// Whether only edits are meant that let the variable be asked which the run sets.
    sets: bool,
}

/// What is known about a target.
#[derive(Debug, Clone, Copy)]
struct Aim {
    best: (Reverse<bool>, f64),
    /// When it last came closer, in runs.
    closer_at: usize,
    /// How often it was aimed at since.
    in_vain: u32,
}

/// How often something worked of late.
#[derive(Debug, Default)]
struct Successes {
    worked: f64,
    tried: f64,
}

impl Successes {
    fn count(&mut self, worked: bool) {
        self.worked = self.worked * FADING + f64::from(u8::from(worked));
        self.tried = self.tried * FADING + 1.0;
    }

    fn rate(&self) -> f64 {
        (self.worked + 1.0) / (self.tried + 2.0)
    }
}

impl Splicing {
    /// Takes note of a run.
    pub(super) fn ran(&mut self, subject: &Subject, run: RunId, traced: &Traced, forward: bool) {
        self.fragments.learn(subject, run, traced);
        if forward {
            self.notable.insert(run);
        }
    }

    /// Takes note of whether a flip brought the search forward.
    pub(super) fn flipped(&mut self, forward: bool) {
        self.flips.count(forward);
    }

    /// Takes note of whether an edit brought the search forward.
    pub(super) fn edited(&mut self, forward: bool) {
        self.edits.count(forward);
        self.helped = forward;
    }

    /// Those with the fewest edits first, and of these the latest.
    fn by_turn(&self, mut runs: Vec<RunId>, off: Off) -> Vec<RunId> {
        if !off.keeps(Heuristic::EditsByTurn) {
            return runs;
        }
        runs.sort_by_cached_key(|run| {
            let tried = self.tried.get(run).copied().unwrap_or(0);
            (tried + if self.notable.contains(run) { 0 } else { AHEAD }, Reverse(*run))
        });
        runs
    }
}

impl Search<'_> {
    /// An edited case, if it is time for one; how it was made and from which run.
    pub(super) fn splice(&mut self, execute: &dyn Execute) -> Option<(Case, Move, RunId)> {
        if !self.is_time_to_edit() {
            return None;
        }
        let target = self.target_to_edit_for()?;
        let prerequisites = self.fitness.prerequisites(target, self.subject);
        if let Some(found) = self.splice_after_setting(execute, target, &prerequisites) {
            return Some(found);
        }
        let order = self.splicing.fragments.order(&prerequisites, false);
        let purpose = Purpose { target, prerequisites, order, sets: false };
        let with_lost = self.random.below(LOST) == 0 && self.keeps(Heuristic::EditsOfLost);
        let mut levels = self.fitness.levels(target, with_lost);
        for level in &mut levels {
            level.retain(|run| self.splicing.fragments.has(*run) && self.runs.case(*run).is_some());
        }
        levels.retain(|level| !level.is_empty());
        while !levels.is_empty() {
            let mut level = 0;
            while level + 1 < levels.len() && self.random.below(PASSED_OVER) == 0 {
                level += 1;
            }
            for run in self.splicing.by_turn(levels.remove(level), self.config.off) {
                if let Some((case, by)) = self.edit(execute, &purpose, run) {
                    *self.splicing.tried.entry(run).or_insert(0) += 1;
                    return Some((case, by, run));
                }
            }
        }
        None
    }

    /// Every other time, if rounds ask about a variable that the target needs: the case of a run that set it so, with a round that
    /// asks put in.
    fn splice_after_setting(
        &mut self,
        execute: &dyn Execute,
        target: usize,
        prerequisites: &Prerequisites,
    ) -> Option<(Case, Move, RunId)> {
        if !self.splicing.fragments.asks(prerequisites) || !self.keeps(Heuristic::EditsAfterSetting) {
            return None;
        }
        let setting = self.subject.after(self.coverage.targets()[target]).iter();
        let mut runs: Vec<RunId> = setting.filter_map(|outcome| self.coverage.first_hit(*outcome)).collect();
        runs.sort_unstable();
        runs.dedup();
        runs.retain(|run| self.splicing.fragments.has(*run) && self.runs.case(*run).is_some());
        if runs.is_empty() || self.random.below(2) == 0 {
            return None;
        }
        let runs = self.splicing.by_turn(runs, self.config.off);
        let order = self.splicing.fragments.order(prerequisites, true);
        let purpose = Purpose { target, prerequisites: prerequisites.clone(), order, sets: true };
        let found = runs.into_iter().find_map(|run| Some((self.edit(execute, &purpose, run)?, run)));
        let ((case, by), run) = found?;
        *self.splicing.tried.entry(run).or_insert(0) += 1;
        Some((case, by, run))
    }

    /// At most once per run, after an edit that helped, or by chance if the search is stuck.
    fn is_time_to_edit(&mut self) -> bool {
        let off = self.config.off;
        let splicing = &mut self.splicing;
        let is_on = self.fitness.target_count() > 0 && off.keeps(Heuristic::Edits);
        if !is_on || splicing.asked_at == self.runs.len() {
            return false;
        }
        splicing.asked_at = self.runs.len();
        let helped = std::mem::take(&mut splicing.helped) && off.keeps(Heuristic::EditsFollowUp);
        let (edits, flips) = (splicing.edits.rate(), splicing.flips.rate());
        let learnt = (edits / (edits + flips)).clamp(SHARE.0, SHARE.1);
        let share = if off.keeps(Heuristic::EditsLearnShare) { learnt } else { (SHARE.0 + SHARE.1) / 2.0 };
        helped || self.fruitless >= PATIENCE && (self.random.below(1000) as f64) < 1000.0 * share
    }

    /// By turns the target that came closer last and the one that was aimed at in vain least often.
    fn target_to_edit_for(&mut self) -> Option<usize> {
        let (count, now) = (self.fitness.target_count(), self.runs.len());
        let unknown = Aim { best: (Reverse(false), f64::INFINITY), closer_at: 0, in_vain: 0 };
        self.splicing.targets.resize(count, unknown);
        for (target, aim) in self.splicing.targets.iter_mut().enumerate() {
            let best = self.fitness.best(target);
            if best < aim.best {
                *aim = Aim { best, closer_at: now, in_vain: 0 };
            }
        }
        let aims = &self.splicing.targets;
        let is_open = |target: &usize| !self.fitness.is_met(*target) && aims[*target].best.1.is_finite();
        let open = (0..count).filter(is_open);
        let view = view!(self);
        let waits = |target: &usize| self.fitness.waits(*target, &view);
        let target = if self.random.below(2) == 0 {
            open.max_by_key(|target| (!waits(target), aims[*target].closer_at, Reverse(*target)))
        } else {
            open.min_by_key(|target| aims[*target].in_vain + if waits(target) { WAITING } else { 0 })
        }?;
        self.splicing.targets[target].in_vain += 1;
        Some(target)
    }

    /// The edit of a run's case that is most likely to help and was not run before. Among equals the end comes first, because what is
    /// put there changes nothing that came before. A run that has none is not asked again until there are other fragments.
    fn edit(&mut self, execute: &dyn Execute, purpose: &Purpose, run: RunId) -> Option<(Case, Move)> {
        let Purpose { target, sets, .. } = *purpose;
        let version = (self.splicing.fragments.version(), self.fitness.losses(target));
        let spent = self.splicing.spent.get(&(run, target, sets));
        if let Some(nothing) = spent.filter(|nothing| nothing.version == version) {
            self.random.skip(nothing.proposed);
            self.looked_at.set(self.looked_at.get() + 1);
            return None;
        }
        let mut ranked = self.ranked(purpose, run);
        let proposed = ranked.len();
        self.looked_at.set(self.looked_at.get() + proposed as u64);
        ranked.retain(|(_, proposal)| proposal.chained || !sets);
        ranked.sort_by(|(a, _), (b, _)| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        let case = self.runs.case(run)?;
        let splicing = &mut self.splicing;
        for (_, proposal) in ranked {
            let number = proposal.number(run);
            if splicing.known.contains(&number) {
                continue;
            }
            let edited = execute.edited(case, &proposal.edit);
            let edited = match &proposal.then {
                Some(then) => edited.and_then(|edited| execute.edited(&edited, then)),
                None => edited,
            };
            if let Some(edited) = edited.filter(|edited| !self.runs.has(edited)) {
                return Some((edited, proposal.by));
            }
            remember(&mut splicing.known, HashSet::len, HashSet::clear).insert(number);
        }
        let spent = remember(&mut splicing.spent, HashMap::len, HashMap::clear);
        spent.insert((run, target, sets), Nothing { version, proposed });
        None
    }

    /// All edits of a run's case, with what decides about their order: the smallest first.
    fn ranked(&mut self, purpose: &Purpose, run: RunId) -> Vec<((bool, f64, bool, u64), Proposal)> {
        let Purpose { target, prerequisites, order, .. } = purpose;
        let loses = |by: Move| self.fitness.loses(*target, by);
        let off = self.config.off;
        let proposals =
            self.splicing.fragments.proposals((self.subject, off), run, (prerequisites, order), loses);
        let rank = |proposal: Proposal| {
            let at_end = matches!(proposal.by, Move::Edit { place: Place::End, .. });
            let chance = self.fitness.chance(*target, proposal.by, proposal.chained);
            ((!proposal.goes_on, -chance, !at_end, self.random.bits()), proposal)
        };
        proposals.into_iter().map(rank).collect()
    }
}

impl Proposal {
    /// A number that hardly any other edit of any run shares.
    fn number(&self, run: RunId) -> u64 {
        let mut hasher = DefaultHasher::new();
        (run, &self.edit, &self.then).hash(&mut hasher);
        hasher.finish()
    }
}

/// A memory that is emptied when it is full.
fn remember<T>(memory: &mut T, len: fn(&T) -> usize, clear: fn(&mut T)) -> &mut T {
    if len(memory) >= REMEMBERED {
        clear(memory);
    }
    memory
}

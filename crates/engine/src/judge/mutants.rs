//! Mutants: which of them the cases of a function kill, and cases that kill more.
//!
//! What was found for branches is varied, drawn anew and put together, as long as that kills mutants now and then. A case that is the first
//! to make a mutant compute something else is varied too, although nobody sees it yet: every other variation is one of a case that
//! comes so close to a mutant that is alive. For mutants of comparisons and constants that are still alive, inputs at the borders of
//! comparisons are solved for; for the others, such inputs that take the same path.

mod longer;

use super::{Wanted, patience::Patience, tried};
use crate::build;
use crate::build::loaded::LoadedSubject;
use crate::failure::Failure;
use std::collections::BTreeSet;
use testwright_base::build::Build;
use testwright_base::case::Case;
use testwright_base::ids::{FunctionId, GlobalId, GoalId, MutantId};
use testwright_base::mutant::Shown;
use testwright_base::site::Place;
use testwright_base::subject::{Callee, Subject};
use testwright_logic::solve::{Answer, Query, Solve, Statistics};
use testwright_search::augmentation::Keeps;
use testwright_search::execute::{Execute as _, Traced};
use testwright_search::goals::Boundary;
use testwright_suite::assert::is_nameable;
use testwright_suite::{Found, ends_by_itself};

/// Globals of more bytes than this together are not looked at: every run of a mutant reads them.
const LOOKED_AT: u64 = 1 << 14;
/// After so many cases in a row that killed nothing new, and as many as there were until then, there is little more to find.
const IDLE: usize = 600;
/// A run that takes more steps than this is not varied: most mutants of it take as many.
const STEPS: u64 = 200_000;

/// After so many attempts in a row to let one case kill what several kill, no more are made.
const GATHERED: usize = 300;

/// So many cases are traced to solve for borders on their paths,
const TRACED: usize = 16;
/// and so many places on a path are tried for each border.
const PLACES: usize = 3;
/// Where nothing but values is at stake, so many borders of a path are tried.
const ELSEWHERE: usize = 8;

/// The mutants that the cases of a function are to kill.
pub struct Mutants {
    own: Vec<MutantId>,
    globals: Vec<GlobalId>,
}

impl Mutants {
    /// Those of a function, of the static functions that it calls, and of functions that cannot be called. None if the code was built
    /// without mutants.
    pub fn of(subject: &Subject, function: FunctionId) -> Option<Mutants> {
        let is_helper = |of: FunctionId| {
            let calls = subject.function(function).calls.iter();
            subject.function(of).internal && calls.into_iter().any(|call| call.callee == Callee::Defined(of))
        };
        let is_own =
            |of: FunctionId| of == function || is_helper(of) || subject.function(of).uncallable.is_some();
        let own = (0..subject.mutants.len()).map(MutantId::of);
        let own: Vec<MutantId> = own
            .filter(|id| {
                let mutant = &subject.mutants[id.index()];
                is_own(mutant.function) && !mutant.equivalent
            })
            .collect();
        let mut left = LOOKED_AT;
        let globals = (0..subject.globals.len()).map(GlobalId::of);
        let globals = globals.filter(|global| is_nameable(subject, function, *global)).filter(|global| {
            let rest = left.checked_sub(subject.globals[global.index()].size);
            rest.map(|rest| left = rest).is_some()
        });
        let globals = globals.chain(subject.given_within(function)).collect();
        (!subject.mutants.is_empty()).then_some(Mutants { own, globals })
    }

    /// Which of all mutants a case kills.
    pub fn killed(&self, code: &mut LoadedSubject, case: &Case) -> Vec<MutantId> {
        self.shown(code, case, &self.own, Shown::Killed)
    }

    /// Whether a case kills all of these.
    pub fn kills_all(&self, code: &mut LoadedSubject, case: &Case, mutants: &[MutantId]) -> bool {
        mutants.is_empty() || self.shown(code, case, mutants, Shown::Killed).len() == mutants.len()
    }

    /// Of some mutants, those of which a case shows this.
    fn shown(&self, code: &mut LoadedSubject, case: &Case, among: &[MutantId], what: Shown) -> Vec<MutantId> {
        let all = self.all_shown(code, case, among).into_iter();
        all.filter(|(_, shown)| *shown == what).map(|(mutant, _)| mutant).collect()
    }

    /// What a case shows of some mutants.
    fn all_shown(&self, code: &mut LoadedSubject, case: &Case, among: &[MutantId]) -> Vec<(MutantId, Shown)> {
        // What cannot be run kills nothing; the runs that come to be tests say why.
        let shown = code.session.try_mutants(case, among, &self.globals).ok().flatten().unwrap_or_default();
        among.iter().copied().zip(shown).collect()
    }
}

/// Adds cases that kill what none of those at hand kills.
pub fn kill_more(
    code: &mut LoadedSubject,
    kept: &mut Vec<Found>,
    wanted: Wanted<'_>,
    patience: &mut Patience,
    solver: &mut Statistics,
) -> Result<(), Failure> {
    let Some(mutants) = wanted.mutants else { return Ok(()) };
    let steps = code.session.limits.steps;
    code.session.limits.steps = steps.min(STEPS);
    let mut more = More::new(code, kept, (mutants, wanted));
    let result = more
        .vary(patience)
        .and_then(|()| more.solve(patience, solver))
        .and_then(|()| more.vary(patience))
        .and_then(|()| more.gather(patience));
    code.session.limits.steps = steps;
    result
}

/// The cases at hand, and what they leave alive.
struct More<'a> {
    code: &'a mut LoadedSubject,
    kept: &'a mut Vec<Found>,
    mutants: &'a Mutants,
    wanted: Wanted<'a>,
    alive: Vec<MutantId>,
    bases: Vec<Base>,
    words: Vec<Vec<u128>>,
    attempt: usize,
}

impl<'a> More<'a> {
    fn new(
        code: &'a mut LoadedSubject,
        kept: &'a mut Vec<Found>,
        (mutants, wanted): (&'a Mutants, Wanted<'a>),
    ) -> More<'a> {
        let is_killed = |mutant: &MutantId| kept.iter().any(|found| found.kills.contains(mutant));
        let alive: Vec<MutantId> = mutants.own.iter().copied().filter(|mutant| !is_killed(mutant)).collect();
        let good = kept.iter().filter(|found| is_base(found));
        let bases: Vec<Base> = good.map(|found| Base::new(code, found, mutants, &alive)).collect();
        let function = bases.first().and_then(|base| base.case.call()).map(|(function, _)| function);
        let words =
            function.map_or_else(Vec::new, |function| longer::words(code.session.subject(), function));
        More { code, kept, mutants, wanted, alive, bases, words, attempt: 0 }
    }

    /// Tries variations of the cases until many in a row kill nothing new.
    fn vary(&mut self, patience: &mut Patience) -> Result<(), Failure> {
        let mut idle = 0;
        let begin = self.attempt;
        let is_over = |attempt: usize, idle: usize| idle >= IDLE && 2 * idle >= attempt - begin;
        while !self.alive.is_empty()
            && !self.bases.is_empty()
            && !is_over(self.attempt, idle)
            && patience.has_run()
        {
            (self.attempt, idle) = (self.attempt + 1, idle + 1);
            if let Some(case) = self.variation()
                && self.offer(case)?
            {
                idle = 0;
            }
        }
        Ok(())
    }

    /// Another case like one of those at hand.
    fn variation(&self) -> Option<Case> {
        let base = &self.bases[choose(&self.bases, &self.alive, self.attempt)].case;
        let (code, seed) = (&*self.code, self.attempt as u64);
        let dice = spread(seed);
        let other = &self.bases[(dice / 16) as usize % self.bases.len()].case;
        match dice % 16 {
            0 | 1 => code.drawn(base, seed),
            2 | 3 => longer::longer(code, base, seed),
            4 => longer::shorter(code, base, seed),
            5..=7 => longer::with_word(code, base, &self.words, seed),
            8 => longer::joined(code, base, other, seed),
            9 | 10 => longer::mixed(base, other, seed),
            _ => code.varied(base, seed),
        }
    }

    /// Lets few cases kill what many kill one by one and a suite would lose for its size: the elements of one's sequences are followed by
    /// those of another.
    fn gather(&mut self, patience: &mut Patience) -> Result<(), Failure> {
        let (mut idle, mut last) = (0, None);
        let mut lost = self.lost();
        while !lost.is_empty() && idle < GATHERED && patience.has_run() {
            (self.attempt, idle) = (self.attempt + 1, idle + 1);
            let kills = |found: &Found| found.kills.iter().filter(|mutant| lost.contains(mutant)).count();
            let telling: Vec<usize> =
                (0..self.kept.len()).filter(|index| kills(&self.kept[*index]) > 0).collect();
            let Some(other) = telling.get(self.attempt % telling.len().max(1)) else { break };
            let first =
                last.filter(|_| self.attempt.is_multiple_of(2)).unwrap_or(self.attempt / 2 % self.kept.len());
            let (first, other) = (&self.kept[first], &self.kept[*other]);
            let most = kills(other).max(kills(first));
            let joined = longer::joined(self.code, &first.case, &other.case, self.attempt as u64);
            let is_within = |case: &Case| self.code.session.subject().is_within_contracts(case);
            let Some(case) = joined.filter(is_within) else { continue };
            let among: Vec<MutantId> = lost.iter().copied().collect();
            if self.mutants.shown(self.code, &case, &among, Shown::Killed).len() <= most {
                continue;
            }
            let found = tried(self.code, case, self.wanted)?;
            if is_base(&found) && kills(&found) > most {
                (idle, last) = (0, Some(self.kept.len()));
                self.kept.push(found);
                lost = self.lost();
            }
        }
        Ok(())
    }

    /// The mutants that some case kills, and none of those that the suite has room for.
    fn lost(&self) -> BTreeSet<MutantId> {
        let chosen = super::covering(self.code.session.subject(), self.kept);
        let kept: BTreeSet<MutantId> =
            chosen.iter().flat_map(|index| &self.kept[*index].kills).copied().collect();
        self.kept
            .iter()
            .flat_map(|found| &found.kills)
            .copied()
            .filter(|mutant| !kept.contains(mutant))
            .collect()
    }

    /// Solves for inputs at the borders of comparisons whose mutants are alive, along the paths of cases at hand.
    fn solve(&mut self, patience: &mut Patience, statistics: &mut Statistics) -> Result<(), Failure> {
        let mut solver = build::solver::chain(None)?;
        let cases: Vec<Case> = self.bases.iter().map(|base| base.case.clone()).take(TRACED).collect();
        for case in cases {
            if self.alive.is_empty() || !patience.has_run() {
                break;
            }
            let Ok(traced) = self.code.trace(&case) else { continue };
            for (goal, keeps) in self.near_borders(&case, &traced) {
                if self.alive.is_empty() || !patience.has_run() {
                    break;
                }
                let solved = self.solved(&case, &traced, (goal, keeps), &mut solver);
                if let Some(case) = solved {
                    self.offer(case)?;
                }
            }
        }
        statistics.add(solver.statistics());
        Ok(())
    }

    /// The lines of comparisons and constants whose mutants are alive.
    fn lines(&self) -> BTreeSet<Place> {
        let subject = self.code.session.subject();
        let alive = self.alive.iter().map(|mutant| &subject.mutants[mutant.index()]);
        let bounded = alive.filter(|mutant| ["ROR", "CRO"].contains(&mutant.kind.as_str()));
        bounded.map(|mutant| Place { column: 0, ..mutant.place.clone() }).collect()
    }

    /// The borders that a run came to and did not meet. On lines with comparisons and constants that are still changed unnoticed they count
    /// whatever comes after; of the others a few count, if all else stays as it is: other numbers on the same path tell what is
    /// computed from them.
    fn near_borders(&self, case: &Case, traced: &Traced) -> Vec<(GoalId, Keeps)> {
        let (subject, lines) = (self.code.session.subject(), self.lines());
        let criteria = self.wanted.criteria;
        let met = criteria.met(subject, &traced.outcomes, Some(traced));
        let Some((function, _)) = case.call() else { return Vec::new() };
        let borders = criteria.goals().within(function, Boundary::NAME).map(|(goal, _)| goal);
        let is_here = |goal: &GoalId| {
            let place = criteria.goals().site(subject, *goal).and_then(|(site, _)| site.place.clone());
            place.is_some_and(|place| lines.contains(&Place { column: 0, ..place }))
        };
        let (here, elsewhere): (Vec<GoalId>, Vec<GoalId>) =
            borders.filter(|goal| !met.contains(goal)).partition(is_here);
        let elsewhere = elsewhere.into_iter().take(ELSEWHERE).map(|goal| (goal, Keeps::Path));
        here.into_iter().map(|goal| (goal, Keeps::Prefix)).chain(elsewhere).collect()
    }

    /// The case with what a goal asks for, at the first place on its path that allows it.
    fn solved(
        &self,
        case: &Case,
        traced: &Traced,
        (goal, keeps): (GoalId, Keeps),
        solver: &mut dyn Solve,
    ) -> Option<Case> {
        let mut exprs = traced.exprs.clone();
        let wishes = self.wanted.criteria.wishes(self.code.session.subject(), goal, traced, &mut exprs);
        let wishes: Vec<_> = wishes.take(PLACES).collect();
        wishes.into_iter().find_map(|(step, wish)| {
            let constraints = keeps.augmented(&traced.path, step, wish);
            let (inputs, values) = (&traced.inputs, &traced.values);
            let query = Query { exprs: &exprs, constraints: &constraints, inputs, values, deadline: None };
            match solver.solve(&query) {
                Answer::Sat(model) => Some(self.code.change(case, &model, &[])),
                _ => None,
            }
        })
    }

    /// Keeps a case if it kills what was alive, and can be a test. One that comes close to a mutant that no other came close to is
    /// varied from now on.
    fn offer(&mut self, case: Case) -> Result<bool, Failure> {
        if !self.code.session.subject().is_within_contracts(&case) {
            return Ok(false);
        }
        let shown = self.mutants.all_shown(self.code, &case, &self.alive);
        if shown.iter().all(|(_, shown)| *shown != Shown::Killed) {
            self.approach(case, &shown);
            return Ok(false);
        }
        let found = tried(self.code, case, self.wanted)?;
        let before = self.alive.len();
        if !is_base(&found) {
            return Ok(false);
        }
        self.alive.retain(|mutant| !found.kills.contains(mutant));
        if self.alive.len() == before {
            return Ok(false);
        }
        self.bases.push(Base::new(self.code, &found, self.mutants, &self.alive));
        self.kept.push(found);
        Ok(true)
    }

    /// Varies a case that is the first to make a mutant compute something else, if it is quick and ends well.
    fn approach(&mut self, case: Case, shown: &[(MutantId, Shown)]) {
        let unseen: Vec<MutantId> =
            shown.iter().filter(|(_, shown)| *shown == Shown::Unseen).map(|(mutant, _)| *mutant).collect();
        let is_new = |mutant: &MutantId| !self.bases.iter().any(|base| base.unseen.contains(mutant));
        if !unseen.iter().any(is_new) {
            return;
        }
        let run = self.code.session.run(&case, Build::RunWithDistances);
        if run.is_ok_and(|run| ends_by_itself(&run) && run.steps < STEPS) {
            self.bases.push(Base { case, kills: 0, unseen });
        }
    }
}

/// Whether a case can be a test, and is quick enough to be varied.
pub(super) fn is_base(found: &Found) -> bool {
    let is_stable = found.again.as_ref().is_some_and(|again| again.end == found.run.end);
    ends_by_itself(&found.run) && !found.strays && is_stable && found.run.steps < STEPS
}

/// A case that is varied.
struct Base {
    case: Case,
    /// How many mutants it kills.
    kills: usize,
    /// The mutants that compute something else on it, which nobody sees.
    unseen: Vec<MutantId>,
}

impl Base {
    fn new(code: &mut LoadedSubject, found: &Found, mutants: &Mutants, alive: &[MutantId]) -> Base {
        let unseen = mutants.shown(code, &found.case, alive, Shown::Unseen);
        Base { case: found.case.clone(), kills: found.kills.len(), unseen }
    }
}

/// All in turn; every other time one of those that come close to a mutant that is alive, and now and then the one that kills most: what
/// that one kills besides needs no test of its own.
fn choose(bases: &[Base], alive: &[MutantId], attempt: usize) -> usize {
    let turn = attempt / 2;
    if attempt % 8 == 7 {
        let most = (0..bases.len()).max_by_key(|index| bases[*index].kills);
        return most.unwrap_or_default();
    }
    if attempt.is_multiple_of(2) && !alive.is_empty() {
        // Each mutant has its turn, however many cases come close to others.
        let mutant = alive[turn % alive.len()];
        let close: Vec<usize> =
            (0..bases.len()).filter(|index| bases[*index].unseen.contains(&mutant)).collect();
        if !close.is_empty() {
            return close[turn / alive.len() % close.len()];
        }
    }
    turn % bases.len()
}

/// A number that has nothing to do with those of the numbers beside it (the finaliser of SplitMix64).
const fn spread(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

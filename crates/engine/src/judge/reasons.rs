//! Reasons: why a search did not meet a goal, claiming no more than it knows.
//!
//! A goal whose site was reached failed at its own condition. A goal whose site was never reached failed at the
//! nearest decision before it that was reached and never went its way; what is known about that decision is the reason.
//! Infeasible is what a search could not meet that explored every path and left no gap, with nothing in doubt on the way.

use super::doubts::BadEnds;
use super::gaps::Gaps;
use crate::counted;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;
use testwright_base::contract::Contract;
use testwright_base::graph::FlowGraph;
use testwright_base::ids::{BlockId, FunctionId, GoalId, OutcomeId, SiteId};
use testwright_base::run::End;
use testwright_base::site::{Site, SiteKind};
use testwright_base::subject::Subject;
use testwright_search::concolic::{AnswerKind, Search, StepRecord, StopReason};
use testwright_search::goals::Criteria;
use testwright_search::tree::{RunId, State};
use testwright_suite::{Reason, Unmet};

/// What the steps of a search came to.
#[derive(Debug, Default)]
pub struct Tally {
    /// Runs made.
    pub runs: u64,
    /// Goals met.
    pub met: usize,
    /// Flips since the last run.
    pub flips_in_vain: u64,
    /// All flips that brought no run.
    pub all_in_vain: u64,
    /// The first run that returned or exited, and kept to its own memory.
    pub first_returned: Option<RunId>,
    /// Runs that were ended by a limit: what follows there was not seen.
    pub limited: u64,
    /// How runs ended badly, and where.
    pub bad_ends: BadEnds,
    /// Runs for which what the function requires did not hold.
    pub outside: u64,
    /// Flips that the solver gave up on, by site.
    given_up: BTreeMap<u32, GivenUp>,
}

/// Flips at one site that the solver gave up on.
#[derive(Debug, Default)]
struct GivenUp {
    flips: usize,
    time: Duration,
}

impl Tally {
    /// Takes note of a step.
    pub fn note(&mut self, record: &StepRecord, goals: &BTreeSet<GoalId>) {
        self.runs += u64::from(record.run.is_some());
        self.met += record.new_goals.iter().filter(|goal| goals.contains(goal)).count();
        self.all_in_vain += u64::from(record.run.is_none());
        self.flips_in_vain = if record.run.is_some() { 0 } else { self.flips_in_vain + 1 };
        record.end.into_iter().for_each(|end| self.bad_ends.note(end));
        match record.end {
            Some(End::Returned | End::Exit(_)) if !record.strayed => {
                self.first_returned = self.first_returned.or(record.run);
            }
            Some(End::Outside) => self.outside += 1,
            Some(End::StepLimit | End::Timeout | End::OutOfMemory | End::StackOverflow) => self.limited += 1,
            _ => {}
        }
        if let Some(flip) = &record.flip
            && let (AnswerKind::Unknown(_), Some(site)) = (&flip.answer, flip.site)
        {
            let given_up = self.given_up.entry(site).or_default();
            given_up.flips += 1;
            given_up.time += flip.solver_time;
        }
    }
}

/// What a search knows.
pub struct Evidence<'a> {
    /// The code under test.
    pub subject: &'a Subject,
    /// The search.
    pub search: &'a Search<'a>,
    /// What its steps came to.
    pub tally: &'a Tally,
    /// Why it ended.
    pub stop: &'a StopReason,
    /// What it did not try.
    pub gaps: &'a Gaps<'a>,
    /// Who asks for goals.
    pub criteria: &'a Criteria<'a>,
}

impl Evidence<'_> {
    /// The goals of `function` that no run hit, and why. Those of other functions are left to the searches in these.
    pub fn unmet(&self, function: FunctionId) -> Vec<Unmet> {
        let flow = self.subject.flow(function);
        let coverage = self.search.coverage();
        let goals = coverage.all_goals();
        let open = coverage.open_goals().iter().filter(|goal| !coverage.is_shown(**goal));
        let own = open.filter(|goal| goals.get(**goal).function == function);
        own.filter_map(|goal| {
            let (site, index) = self.subject.outcome(goals.get(*goal).outcome)?;
            let was_there = coverage.first_hit(goals.get(*goal).outcome).is_some();
            let has_detail = !goals.get(*goal).detail.is_empty();
            let reason = if self.criteria.is_decided_by_paths(*goal) && self.explored_all(*goal) {
                Reason::Infeasible(self.proof(site))
            } else if was_there && has_detail {
                self.why_no_more(*goal)
            } else {
                self.reason(&flow, (site, index))
            };
            Some(Unmet { goal: *goal, reason })
        })
        .collect()
    }

    /// Why a site never went a way.
    fn reason(&self, flow: &FlowGraph, (site, index): (SiteId, u32)) -> Reason {
        if self.search.runs().is_empty() {
            return self.stopped();
        }
        if self.tally.outside == self.tally.runs {
            return Reason::NeverReached("no input was found that has what the function requires".to_owned());
        }
        if self.is_reached(site) {
            return self.why_not(site, index);
        }
        match self.blocker(flow, site) {
            Some((blocker, index)) => {
                let why = self.why_not(blocker, index);
                let decision = self.decision(blocker, index);
                Reason::NeverReached(format!("{decision}; {why}"))
            }
            None if *self.stop == StopReason::Exhausted && self.gaps.in_values(site) => {
                let text = self.gaps.text(site);
                Reason::NeverReached(format!("every run ended before it; not tried: {text}"))
            }
            None => Reason::NeverReached("every run ended before it".to_owned()),
        }
    }

    /// Whether every path through the sites that decide about a goal was explored.
    fn explored_all(&self, goal: GoalId) -> bool {
        let sites = self.criteria.sites(self.subject, goal);
        *self.stop == StopReason::Exhausted && sites.into_iter().all(|site| self.gaps.leave_nothing(site))
    }

    /// How a search that explored everything proved that something is impossible. What callers promise may be all that makes it so.
    fn proof(&self, site: SiteId) -> String {
        let function = self.subject.site(site).map(|site| site.function);
        let is_stated = |id: FunctionId| {
            self.subject.precondition(id).is_some()
                || self.subject.function(id).contract != Contract::default()
        };
        match function.is_some_and(is_stated) {
            true => "every path that the stated contract allows was explored".to_owned(),
            false => "every path was explored".to_owned(),
        }
    }

    /// Whether some run decided at a site.
    fn is_reached(&self, site: SiteId) -> bool {
        let outcomes = self.subject.site(site).into_iter().flat_map(Site::outcomes);
        outcomes.into_iter().any(|outcome| self.search.coverage().first_hit(outcome).is_some())
    }

    /// The nearest decision that was reached, and the way it would have had to go for a run to get to a site.
    fn blocker(&self, flow: &FlowGraph, site: SiteId) -> Option<(SiteId, u32)> {
        let site = self.subject.site(site)?;
        let blocks = &self.subject.function(site.function).blocks;
        let mut waiting = VecDeque::from([site.block]);
        let mut seen: BTreeSet<BlockId> = BTreeSet::from([site.block]);
        while let Some(block) = waiting.pop_front() {
            for (above, edge) in flow.dependences(block) {
                let decision = blocks.get(above.index()).and_then(|block| block.decides);
                let index = u32::try_from(*edge).unwrap_or(u32::MAX);
                if let Some(decision) = decision.filter(|decision| self.is_refused(*decision, index)) {
                    return Some((decision, index));
                }
                if seen.insert(*above) {
                    waiting.push_back(*above);
                }
            }
        }
        None
    }

    /// Whether a branch or switch was reached but never went this way.
    fn is_refused(&self, decision: SiteId, index: u32) -> bool {
        let Some(site) = self.subject.site(decision) else { return false };
        let decides = site.kind.is_branch();
        let outcome = OutcomeId(site.first_outcome.0 + index);
        decides
            && index < site.outcome_count
            && self.is_reached(decision)
            && self.search.coverage().first_hit(outcome).is_none()
    }

    /// Why a decision that was reached never went a way.
    fn why_not(&self, site: SiteId, index: u32) -> Reason {
        let states = self.states(site, index);
        let count = |state: State| states.iter().filter(|other| **other == state).count();
        if *self.stop == StopReason::Interrupted {
            return Reason::Interrupted;
        }
        if count(State::Unknown) > 0
            && let Some(given_up) = self.tally.given_up.get(&site.0)
        {
            let times =
                if given_up.flips > 1 { format!(" and {} tries", given_up.flips) } else { String::new() };
            let line = self.line(site).map(|line| format!(" on line {line}")).unwrap_or_default();
            return Reason::SolverLimit(format!("after {:.1} s{times}{line}", given_up.time.as_secs_f64()));
        }
        // Where nothing else could flow into the condition, that no input did is all there is to say.
        let exhausted = *self.stop == StopReason::Exhausted;
        if states.is_empty() && !(exhausted && self.gaps.in_values(site)) {
            return Reason::NotAnInput;
        }
        if exhausted {
            return Reason::Explored(self.gaps.text(site));
        }
        let ruled_out = count(State::Infeasible);
        if ruled_out == states.len() && matches!(self.stop, StopReason::Deadline | StopReason::Runs) {
            return Reason::RuledOut(counted(ruled_out, "path"));
        }
        self.stopped()
    }

    /// Why no run that came to the outcome of a goal has what the goal asks for besides.
    fn why_no_more(&self, goal: GoalId) -> Reason {
        let asked = self.search.asked_about(goal);
        match (asked.queries, asked.unsat) {
            _ if *self.stop == StopReason::Interrupted => Reason::Interrupted,
            (0, _) if *self.stop != StopReason::Deadline && *self.stop != StopReason::Runs => {
                Reason::NotAnInput
            }
            (1.., unsat) if unsat == asked.queries => Reason::RuledOut(counted(unsat as usize, "path")),
            _ => self.stopped(),
        }
    }

    /// The states of the instances of a decision at which no run went this way.
    fn states(&self, site: SiteId, index: u32) -> Vec<State> {
        let tree = self.search.tree();
        let here = tree.ids().filter(|id| tree.node(*id).site() == Some(site.0));
        let lacking = here.filter(|id| tree.explored(*id).all(|key| key != u64::from(index)));
        lacking.map(|id| tree.node(id).state).collect()
    }

    /// What the end of the search says about everything that it left open.
    fn stopped(&self) -> Reason {
        match self.stop {
            StopReason::Interrupted => Reason::Interrupted,
            StopReason::Declined => Reason::Declined,
            StopReason::Failed(why) => Reason::NeverReached(format!("runs failed, {why}")),
            StopReason::GoalsMet | StopReason::Exhausted | StopReason::Runs | StopReason::Deadline => {
                Reason::Budget
            }
        }
    }

    /// `the condition on line 12 was never true`
    fn decision(&self, site: SiteId, index: u32) -> String {
        let name = self.subject.site(site).map(|site| site.outcome_name(index)).unwrap_or_default();
        let at = self.line(site).map(|line| format!(" on line {line}")).unwrap_or_default();
        match self.subject.site(site).map(|site| &site.kind) {
            Some(SiteKind::Switch { .. }) => format!("the switch{at} never took {name}"),
            _ => format!("the condition{at} was never {name}"),
        }
    }

    fn line(&self, site: SiteId) -> Option<u32> {
        self.subject.site(site)?.place.as_ref().map(|place| place.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::doubts::Doubts;
    use crate::judge::gaps::Looked;
    use crate::schedule::Seen;
    use testwright_base::case::Case;
    use testwright_base::graph::CallGraph;
    use testwright_base::sample;
    use testwright_base::site::CheckKind;
    use testwright_search::concolic::{Config, FlipRecord, Source};
    use testwright_search::tree::NodeId;

    fn subject() -> Subject {
        let mut subject = sample::empty_subject();
        subject.functions.push(sample::calling("f", &[]));
        subject.sites.push(Site {
            function: FunctionId(0),
            block: BlockId(0),
            place: None,
            kind: SiteKind::Branch,
            first_outcome: OutcomeId(0),
            outcome_count: 2,
        });
        subject.outcome_count = 2;
        subject
    }

    fn step(run: Option<u32>, end: Option<End>) -> StepRecord {
        StepRecord {
            by: Source::Given,
            flip: None,
            bid: None,
            run: run.map(RunId),
            end,
            strayed: false,
            new_outcomes: Vec::new(),
            new_goals: vec![GoalId(0), GoalId(7)],
            diverged: false,
            failure: None,
        }
    }

    #[test]
    fn a_tally_tells_runs_that_return_from_those_that_do_not() {
        let (mut tally, goals) = (Tally::default(), BTreeSet::from([GoalId(0)]));
        let trap = End::Trap { kind: CheckKind::TRAP, site: None };
        for record in [
            step(Some(0), Some(trap)),
            StepRecord { strayed: true, ..step(Some(1), Some(End::Returned)) },
            step(Some(2), Some(End::Returned)),
            step(Some(3), Some(End::StepLimit)),
            step(Some(4), Some(End::Outside)),
            step(None, None),
        ] {
            tally.note(&record, &goals);
        }
        assert_eq!(tally.first_returned, Some(RunId(2)));
        assert_eq!((tally.runs, tally.limited, tally.outside, tally.all_in_vain), (5, 1, 1, 1));
        assert_eq!(tally.met, 6, "goals that are not sought do not count");
    }

    #[test]
    fn flips_that_the_solver_gave_up_on_are_counted_by_site() {
        let mut tally = Tally::default();
        let flip = FlipRecord {
            node: NodeId(0),
            site: Some(3),
            from: RunId(0),
            answer: AnswerKind::Unknown("too hard".to_owned()),
            solver_time: Duration::from_secs(2),
        };
        for _ in 0..2 {
            tally.note(&StepRecord { flip: Some(flip.clone()), ..step(None, None) }, &BTreeSet::new());
        }
        assert_eq!((tally.given_up[&3].flips, tally.given_up[&3].time), (2, Duration::from_secs(4)));
    }

    #[test]
    fn without_a_run_the_end_of_the_search_is_all_there_is_to_say() {
        let subject = subject();
        let start = Case::default();
        let search = Search::new(Config::default(), &subject, FunctionId(0), start.clone());
        let (tally, seen) = (Tally::default(), Seen::default());
        let doubts = Doubts::new(&subject, &CallGraph::new(&subject), FunctionId(0));
        let looked = Looked {
            subject: &subject,
            function: FunctionId(0),
            start: &start,
            search: &search,
            tally: &tally,
            seen: &seen,
            doubts: &doubts,
        };
        let (gaps, criteria) = (looked.gaps(), Criteria::usual(&subject));
        let check = |stop: StopReason, expected: Reason| {
            let (subject, search, tally, stop, gaps) = (&subject, &search, &tally, &stop, &gaps);
            let evidence = Evidence { subject, search, tally, stop, gaps, criteria: &criteria };
            let unmet = evidence.unmet(FunctionId(0));
            assert_eq!(unmet.iter().map(|unmet| unmet.goal).collect::<Vec<_>>(), [GoalId(0), GoalId(1)]);
            assert!(unmet.iter().all(|unmet| unmet.reason == expected), "{stop:?}: {:?}", unmet[0].reason);
        };
        check(StopReason::Runs, Reason::Budget);
        check(StopReason::Deadline, Reason::Budget);
        check(StopReason::Interrupted, Reason::Interrupted);
        check(StopReason::Declined, Reason::Declined);
        let failed = Reason::NeverReached("runs failed, no memory".to_owned());
        check(StopReason::Failed("no memory".to_owned()), failed);
    }

    #[test]
    fn what_a_search_never_varied_is_a_gap() {
        let mut subject = subject();
        subject.externals.push("getpid".to_owned());
        let search = Search::new(Config::default(), &subject, FunctionId(0), Case::default());
        let seen = Seen { opaque: BTreeSet::from([crate::schedule::Opaque::Native(0)]), ..Seen::default() };
        let tally = Tally { limited: 2, ..Tally::default() };
        let (doubts, start) =
            (Doubts::new(&subject, &CallGraph::new(&subject), FunctionId(0)), Case::default());
        let looked = Looked {
            subject: &subject,
            function: FunctionId(0),
            start: &start,
            search: &search,
            tally: &tally,
            seen: &seen,
            doubts: &doubts,
        };
        let gaps = looked.gaps();
        let text = gaps.text(SiteId(0));
        assert!(text.contains("other values given to getpid"), "{text}");
        assert!(text.contains("2 runs that reached a limit"), "{text}");
        assert!(!gaps.leave_nothing(SiteId(0)));
    }
}

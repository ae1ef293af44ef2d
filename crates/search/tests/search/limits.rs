//! Limits, budgets, memory, and what is kept.

use crate::program::{Program, case, numbers};
use crate::programs::{cube, greeting, nested, switching, test_loop};
use crate::solver::Exact;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use testwright_base::case::Case;
use testwright_base::ids::{FunctionId, GoalId};
use testwright_base::run::End;
use testwright_logic::solve::{Answer, Model, Query, Solve};
use testwright_search::concolic::{AnswerKind, Config, Limits, Search, StopReason};
use testwright_search::execute::{Execute, Traced};
use testwright_search::tree::State;

/// Says the same to every query, and remembers the deadline it was given.
struct Scripted {
    answer: Answer,
    deadline: Option<Instant>,
}

impl Solve for Scripted {
    fn solve(&mut self, query: &Query<'_>) -> Answer {
        self.deadline = query.deadline;
        self.answer.clone()
    }
}

#[test]
fn nobody_knows_is_not_the_same_as_impossible() {
    for (answer, state) in
        [(Answer::Unknown("hard".to_owned()), State::Unknown), (Answer::Unsat, State::Infeasible)]
    {
        let mut program = nested();
        let subject = program.subject.clone();
        let mut search = Search::new(Config::default(), &subject, FunctionId(0), case(&[0, 0, 0], &[]));
        let mut scripted = Scripted { answer: answer.clone(), deadline: None };
        let mut steps = Vec::new();
        let reason =
            search.run(&mut program, &mut scripted, &Limits::default(), &mut |step| steps.push(step.clone()));
        assert_eq!(reason, StopReason::Exhausted);
        assert_eq!(search.tree().node(search.tree().root().unwrap()).state, state);
        let said = steps[1].flip.as_ref().unwrap().answer.clone();
        assert_eq!(said == AnswerKind::Unsat, answer == Answer::Unsat);
        assert_eq!(search.counts().unknown + search.counts().unsat, 1);
    }
}

#[test]
fn the_solver_is_told_when_time_is_over() {
    let mut program = nested();
    let subject = program.subject.clone();
    let mut search = Search::new(Config::default(), &subject, FunctionId(0), case(&[0, 0, 0], &[]));
    let mut scripted = Scripted { answer: Answer::Unsat, deadline: None };
    let deadline = Instant::now() + Duration::from_secs(60);
    let limits = Limits { deadline: Some(deadline), ..Limits::default() };
    search.run(&mut program, &mut scripted, &limits, &mut |_| {});
    assert_eq!(scripted.deadline, Some(deadline));
}

#[test]
fn a_search_ends_at_its_limits() {
    let passed = AtomicBool::new(true);
    let now = Instant::now();
    let check = |limits: Limits<'_>, expected: StopReason, expected_runs: usize| {
        let mut runs = 0;
        let look = |search: &Search<'_>| runs = search.runs().len();
        let (_, reason) = test_loop().explore(Config::default(), case(&[0], &[0]), &limits, look);
        assert_eq!((reason, runs), (expected, expected_runs));
    };
    check(Limits { runs: Some(7), ..Limits::default() }, StopReason::Runs, 7);
    check(Limits { deadline: Some(now), ..Limits::default() }, StopReason::Deadline, 0);
    check(Limits { interrupted: Some(&passed), ..Limits::default() }, StopReason::Interrupted, 0);
}

#[test]
fn traces_that_were_dropped_are_made_again() {
    let explore = |trace_memory: usize| {
        let config = Config { trace_memory, strategy: "breadth-first".parse().unwrap(), ..Config::default() };
        let limits = Limits { runs: Some(40), ..Limits::default() };
        let mut retraced = 0;
        let look = |search: &Search<'_>| retraced = search.counts().retraced;
        let (steps, _) = test_loop().explore(config, case(&[0], &[0]), &limits, look);
        let outcomes: Vec<_> =
            steps.into_iter().map(|step| (step.run, step.new_outcomes, step.diverged)).collect();
        (outcomes, retraced)
    };
    let (plenty, none) = explore(1 << 20);
    let (scarce, some) = explore(100);
    assert_eq!(none, 0);
    assert!(some > 5, "{some}");
    assert_eq!(plenty, scarce);
}

#[test]
fn a_full_tree_takes_no_more_nodes() {
    let config = Config { max_nodes: 10, ..Config::default() };
    let (_, reason) =
        test_loop().explore(config, case(&[90], &[0, 0, 0, 0, 0, 0]), &Limits::default(), |search| {
            assert_eq!(search.tree().len(), 10);
            assert!(search.tree().is_full());
            assert_eq!(search.counts().divergences, 0);
        });
    assert_eq!(reason, StopReason::Exhausted);
}

#[test]
fn findings_are_kept_once_with_their_case() {
    nested().explore(Config::default(), case(&[0, 0, 0], &[]), &Limits::default(), |search| {
        let findings = search.archive().findings();
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].end, End::Abort);
        assert_eq!(numbers(&findings[0].case).0, [17, 170, 99]);
        assert_eq!(search.archive().finding_count(), 1);
    });
}

#[test]
fn the_smallest_case_is_kept_for_each_outcome() {
    greeting().explore(
        Config::default(),
        case(&[], &[9; 12]),
        &Limits { runs: Some(40), ..Limits::default() },
        |search| {
            let best = &search.archive().best()[&GoalId(1)];
            assert_eq!(numbers(&best.case).1, Vec::<i64>::new());
        },
    );
}

#[test]
fn all_goals_met_ends_the_search_if_that_is_wanted() {
    let limits = Limits { until_covered: true, ..Limits::default() };
    let (steps, reason) = switching().explore(Config::default(), case(&[0, 0], &[]), &limits, |search| {
        assert!(search.coverage().open_goals().is_empty());
        assert_eq!(search.coverage().goals().len(), 6);
    });
    assert_eq!(reason, StopReason::GoalsMet);
    let news: usize = steps.iter().map(|step| step.new_outcomes.len()).sum();
    assert_eq!(news, 6);
}

#[test]
fn cases_from_outside_are_run_first() {
    let mut program = cube();
    let subject = program.subject.clone();
    let mut search = Search::new(Config::default(), &subject, FunctionId(0), case(&[0, 0, 0], &[]));
    search.offer(case(&[50, 50, 50], &[]));
    let mut from = Vec::new();
    let limits = Limits { runs: Some(3), ..Limits::default() };
    search.run(&mut program, &mut Exact, &limits, &mut |step| from.push(step.flip.is_none()));
    assert_eq!(from, [true, true, false]);
}

/// Cannot run anything.
struct Broken;

impl Execute for Broken {
    fn trace(&mut self, _case: &Case) -> Result<Traced, String> {
        Err("no worker".to_owned())
    }

    fn change(&self, case: &Case, _model: &Model, _fill: &[u128]) -> Case {
        case.clone()
    }
}

#[test]
fn a_start_that_cannot_be_run_ends_the_search_with_the_reason() {
    let Program { subject, .. } = cube();
    let mut search = Search::new(Config::default(), &subject, FunctionId(0), case(&[0, 0, 0], &[]));
    let reason = search.run(&mut Broken, &mut Exact, &Limits::default(), &mut |_| {});
    assert_eq!(reason, StopReason::Failed("no worker".to_owned()));
}

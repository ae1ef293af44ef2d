//! Planned searches: random runs and flips by reward per cost, on toy programs.

use crate::program::{Program, case, numbers, usual_goals};
use crate::programs::{nested, switching, test_loop};
use crate::solver::Exact;
use std::cell::RefCell;
use std::collections::BTreeSet;
use testwright_base::case::Case;
use testwright_base::ids::{BlockId, FunctionId, OutcomeId};
use testwright_base::site::Site;
use testwright_base::subject::{Block, Call, Callee, Subject};
use testwright_logic::solve::Model;
use testwright_search::concolic::{Config, Limits, Planning, Search, StepRecord, StopReason};
use testwright_search::coverage::Coverage;
use testwright_search::execute::{Execute, Traced};
use testwright_search::plan::cost::{CostModel, Counter};
use testwright_search::plan::markov::Estimate;
use testwright_search::plan::program::Abstraction;
use testwright_search::random::Random;
use testwright_search::scope::scope;

/// A program whose cases can be drawn at random, with numbers below a limit.
struct Drawing {
    program: Program,
    limit: usize,
    /// What was drawn.
    drawn: RefCell<Vec<(Vec<i64>, Vec<i64>)>>,
}

impl Execute for Drawing {
    fn trace(&mut self, case: &Case) -> Result<Traced, String> {
        self.program.trace(case)
    }

    fn change(&self, case: &Case, model: &Model, fill: &[u128]) -> Case {
        self.program.change(case, model, fill)
    }

    fn drawn(&self, base: &Case, seed: u64) -> Option<Case> {
        let mut random = Random::new(seed);
        let (scalars, elements) = numbers(base);
        let mut draw =
            |values: &[i64]| -> Vec<i64> { values.iter().map(|_| random.below(self.limit) as i64).collect() };
        let drawn = (draw(&scalars), draw(&elements));
        self.drawn.borrow_mut().push(drawn.clone());
        Some(case(&drawn.0, &drawn.1))
    }
}

/// The steps of a planned search of at most 200 runs, and why it ended.
fn planned(
    execute: &mut dyn Execute,
    program: &Program,
    planning: Planning,
    start: Case,
    seed: u64,
) -> (Vec<StepRecord>, StopReason) {
    let subject = program.subject.clone();
    let config = Config { planning: Some(planning), seed, ..Config::default() };
    let mut search = Search::new(config, &subject, FunctionId(0), start);
    let limits = Limits { runs: Some(200), until_covered: true, ..Limits::default() };
    let mut steps = Vec::new();
    let stop = search.run(execute, &mut Exact, &limits, &mut |step| steps.push(step.clone()));
    (steps, stop)
}

#[test]
fn paths_are_solved_where_nothing_can_be_drawn() {
    let programs: [(fn() -> Program, Case); 2] =
        [(nested, case(&[0, 0, 0], &[])), (switching, case(&[0, 0], &[]))];
    for (program, start) in programs {
        let (steps, stop) = planned(&mut program(), &program(), Planning::default(), start, 1);
        assert_eq!(stop, StopReason::GoalsMet);
        // The first step runs the case that was given; all others are flips with a bid.
        assert!(steps[0].bid.is_none() && steps[0].flip.is_none());
        for step in &steps[1..] {
            let bid = step.bid.expect("a planned step has a bid");
            assert!(step.flip.is_some() && bid.reward >= 1.0 && bid.cost > 0.0, "{step:?}");
        }
    }
}

#[test]
fn what_is_rare_is_solved_after_a_few_random_runs() {
    let program = nested();
    let mut drawing = Drawing { program: nested(), limit: 1_000_000_000, drawn: RefCell::default() };
    let mut costs = CostModel::default();
    for _ in 0..1000 {
        // A query takes 20 times as long as a random run is taken to take.
        costs.learn(&Counter::default().operations(), 2e-3);
    }
    let planning = Planning { costs, ..Planning::default() };
    let (steps, stop) = planned(&mut drawing, &program, planning, case(&[0, 0, 0], &[]), 3);
    assert_eq!(stop, StopReason::GoalsMet);
    let flips = steps.iter().filter(|step| step.flip.is_some()).count();
    let draws = steps.len() - flips - 1;
    // Each of the three guards is given a few random runs before it is solved.
    assert!(flips == 3 && (1..100).contains(&draws), "{flips} flips, {draws} draws");
}

#[test]
fn the_same_seed_gives_the_same_steps() {
    let program = test_loop();
    let run = |seed| {
        let mut drawing = Drawing { program: test_loop(), limit: 20, drawn: RefCell::default() };
        planned(&mut drawing, &program, Planning::default(), case(&[0], &[0; 4]), seed);
        drawing.drawn.into_inner()
    };
    let drawn = run(5);
    assert!(drawn.len() > 10, "{} draws", drawn.len());
    assert!(drawn == run(5));
    assert!(drawn != run(6));
}

#[test]
fn recursion_and_calls_through_pointers_keep_rewards_finite() {
    let mut subject = nested().subject;
    let block = BlockId(0);
    let calls =
        [Callee::Defined(FunctionId(0)), Callee::Pointer(vec![FunctionId(0); 3]), Callee::Pointer(vec![])];
    subject.functions[0].calls = calls.into_iter().map(|callee| Call { block, callee }).collect();
    let coverage = Coverage::new(
        &subject,
        usual_goals(&subject),
        scope(&subject, FunctionId(0), &BTreeSet::new()),
        None,
    );
    let abstraction = Abstraction::new(&subject, FunctionId(0), &coverage, Estimate::Laplace);
    let reward = abstraction.rewards().value(abstraction.entry());
    assert!(reward.is_finite() && reward >= 1.0, "{reward}");
}

#[test]
fn a_call_is_worth_what_the_callee_is_worth() {
    let mut subject = nested().subject;
    let goals: Vec<OutcomeId> = subject.sites.iter().flat_map(Site::outcomes).collect();
    let alone = reward(&subject, FunctionId(0), &goals);
    // Another function of one block that calls it twice.
    let mut caller = subject.functions[0].clone();
    caller.blocks = vec![Block { successors: vec![], decides: None, line: 1, instructions: 1 }];
    let call = Call { block: BlockId(0), callee: Callee::Defined(FunctionId(0)) };
    caller.calls = vec![call.clone(), call];
    subject.functions.push(caller);
    let twice = reward(&subject, FunctionId(1), &goals);
    assert!((twice - 2.0 * alone).abs() < 1e-9, "{twice} {alone}");
}

fn reward(subject: &Subject, function: FunctionId, goals: &[OutcomeId]) -> f64 {
    let coverage =
        Coverage::new(subject, usual_goals(subject), scope(subject, function, &BTreeSet::new()), Some(goals));
    let abstraction = Abstraction::new(subject, function, &coverage, Estimate::Laplace);
    abstraction.rewards().value(abstraction.entry())
}

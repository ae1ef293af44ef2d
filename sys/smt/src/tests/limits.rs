//! Limits: hard queries end in time, and say why they have no answer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use testwright_abi::expr::Op;
use testwright_logic::expr::Exprs;
use testwright_logic::path::Constraint;
use testwright_logic::solve::{Answer, InputKind, Query, Solve};

use crate::testing::{Arena, ask, inputs};
use crate::{Config, Z3, interruptible};

/// Longer than anything here may take.
const LONG: Duration = Duration::from_secs(3600);
/// What a query that was cut short may take beside much other work.
const PATIENCE: Duration = Duration::from_secs(60);

/// The factors of a product of two large primes, none of them 1 and none near a power of two, which Z3 would guess.
fn hard() -> (Exprs, Vec<Constraint>) {
    let mut arena = Arena::default();
    let x = arena.input(0, 128, 3);
    let y = arena.input(1, 128, 5);
    let product = arena.op(Op::Mul, 128, &[x, y]);
    let mut constraints = vec![];
    for factor in [x, y] {
        let high = arena.extract(64, factor, 64);
        constraints.push(Constraint::Equals(high, 0));
        constraints.push(Constraint::NoneOf(factor, vec![0, 1]));
    }
    constraints.push(Constraint::Equals(product, 11_400_714_819_323_198_549 * 15_111_065_706_836_454_701));
    (arena.exprs(), constraints)
}

/// Numbers whose products and quotients, many times over, come out at a given one.
fn hard_floats() -> (Exprs, Vec<Constraint>) {
    let mut arena = Arena::default();
    let numbers: Vec<_> = (0..3).map(|index| arena.input(index, 64, 3f64.to_bits().into())).collect();
    let mut sum = arena.op(Op::FDiv, 64, &[numbers[0], numbers[1]]);
    for _ in 0..6 {
        let product = arena.op(Op::FMul, 64, &[sum, numbers[2]]);
        sum = arena.op(Op::FDiv, 64, &[product, numbers[0]]);
    }
    let goal = arena.constant(64, 1.234_567_890_123f64.to_bits());
    let is_goal = arena.op(Op::FEq, 1, &[sum, goal]);
    (arena.exprs(), vec![Constraint::IsTrue(is_goal)])
}

#[test]
fn work_is_limited_and_a_limit_leaves_the_solver_usable() {
    let (exprs, constraints) = hard();
    let mut solver = Z3::new(Config { work: 20_000, time: LONG });
    let reason = "Z3 found nothing within its limit of work".to_owned();
    assert_eq!(ask(&mut solver, &exprs, &constraints), Answer::Unknown(reason));
    assert_eq!(solver.statistics().unknown, 1);
    assert!(matches!(ask(&mut solver, &exprs, &constraints[..4]), Answer::Sat(_)));
}

#[test]
fn long_calculations_with_floats_are_given_up_at_once() {
    let mut arena = Arena::default();
    let number = arena.input(0, 64, 3f64.to_bits().into());
    let mut sum = number;
    for _ in 0..200 {
        let product = arena.op(Op::FMul, 64, &[sum, number]);
        sum = arena.op(Op::FAdd, 64, &[product, number]);
    }
    let goal = arena.constant(64, 1.5f64.to_bits());
    let is_goal = arena.op(Op::FEq, 1, &[sum, goal]);
    let answer = ask(&mut Z3::default(), &arena.exprs(), &[Constraint::IsTrue(is_goal)]);
    assert_eq!(answer, Answer::Unknown("it is about too many operations on floats".to_owned()));
}

#[test]
fn time_is_limited() {
    for (exprs, constraints) in [hard(), hard_floats()] {
        let config = Config { work: u32::MAX, time: Duration::from_millis(300) };
        let start = Instant::now();
        let answer = ask(&mut Z3::new(config), &exprs, &constraints);
        let Answer::Unknown(reason) = answer else { panic!("{answer:?}") };
        assert_eq!(reason, "the time is up");
        assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    }
}

#[test]
fn the_deadline_of_the_query_counts_if_it_is_nearer() {
    let (exprs, constraints) = hard();
    let inputs = inputs(&exprs, InputKind::Unsigned);
    let mut solver = Z3::new(Config { work: u32::MAX, time: LONG });
    let mut ask = |deadline| {
        let (constraints, inputs) = (&constraints, &inputs);
        solver.solve(&Query { exprs: &exprs, constraints, inputs, values: &[3, 5], deadline: Some(deadline) })
    };
    let start = Instant::now();
    assert_eq!(ask(start), Answer::Unknown("the time is up".into()));
    assert!(matches!(ask(start + Duration::from_millis(200)), Answer::Unknown(_)));
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
}

#[test]
fn a_deadline_that_interrupted_a_check_leaves_the_solver_usable() {
    let (exprs, constraints) = hard();
    let inputs = inputs(&exprs, InputKind::Unsigned);
    let mut solver = Z3::new(Config { work: u32::MAX, time: LONG });
    let deadline = Some(Instant::now() + Duration::from_millis(200));
    let query =
        Query { exprs: &exprs, constraints: &constraints, inputs: &inputs, values: &[3, 5], deadline };
    assert_eq!(solver.solve(&query), Answer::Unknown("the time is up".into()));
    let easy = Query { constraints: &constraints[..4], deadline: None, ..query };
    assert!(matches!(solver.solve(&easy), Answer::Sat(_)));
}

#[test]
fn answers_do_not_depend_on_how_much_time_is_left() {
    let mut arena = Arena::default();
    let [x, y] = [0, 1].map(|index| arena.input(index, 32, 3));
    let product = arena.op(Op::Mul, 32, &[x, y]);
    let exprs = arena.exprs();
    let inputs = inputs(&exprs, InputKind::Unsigned);
    // A solver each, because what one learnt from a query decides what it answers to the next.
    let answers = |left: fn(u64) -> u64| -> Vec<Answer> {
        let mut solver = Z3::default();
        let ask = |number: u64| {
            let constraints =
                [Constraint::NoneOf(x, vec![0, 1]), Constraint::Equals(product, 7 * u128::from(number))];
            let deadline = Some(Instant::now() + Duration::from_millis(left(number)));
            let values = &[3, 3];
            solver.solve(&Query {
                exprs: &exprs,
                constraints: &constraints,
                inputs: &inputs,
                values,
                deadline,
            })
        };
        (100..140).map(ask).collect()
    };
    assert_eq!(answers(|_| 60_000), answers(|number| 20_000 + 977 * (number % 7)));
}

/// A hash of many rounds that must come out at a given number.
fn large() -> (Exprs, Vec<Constraint>) {
    let mut arena = Arena::default();
    let [mut x, mut y] = [0, 1].map(|index| arena.input(index, 64, 3));
    for _ in 0..40 {
        let product = arena.op(Op::Mul, 64, &[x, y]);
        let sum = arena.op(Op::Add, 64, &[product, x]);
        (x, y) = (arena.op(Op::Xor, 64, &[sum, y]), product);
    }
    (arena.exprs(), vec![Constraint::Equals(x, 0x1234_5678)])
}

#[test]
fn a_query_that_is_too_large_to_be_begun_ends_in_time_too() {
    let (exprs, constraints) = large();
    let inputs = inputs(&exprs, InputKind::Unsigned);
    let start = Instant::now();
    let deadline = Some(start + Duration::from_millis(300));
    let query =
        Query { exprs: &exprs, constraints: &constraints, inputs: &inputs, values: &[3, 3], deadline };
    let mut solver = Z3::new(Config { time: LONG, ..Config::default() });
    assert!(matches!(solver.solve(&query), Answer::Unknown(_)));
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
}

#[test]
fn whoever_sets_the_flag_does_not_wait_for_an_answer() {
    let (exprs, constraints) = hard();
    let flag = AtomicBool::new(false);
    let start = Instant::now();
    let answer = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(200));
            flag.store(true, Ordering::Relaxed);
        });
        let config = Config { work: u32::MAX, time: LONG };
        interruptible(&flag, || ask(&mut Z3::new(config), &exprs, &constraints))
    });
    assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
}

#[test]
fn the_z3_that_is_linked_is_new_enough() {
    let version = z3::full_version();
    let digits = version.trim_start_matches(|c: char| !c.is_ascii_digit());
    let numbers: Vec<u32> = digits.split(['.', ' ']).map_while(|part| part.parse().ok()).collect();
    assert!(numbers >= vec![4, 13, 3], "{version}");
}

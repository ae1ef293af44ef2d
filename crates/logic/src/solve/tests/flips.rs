//! Flips as they occur: a path that two inputs share, and the condition at which they part.
//!
//! Random expressions over a few inputs are compared with each other and with constants. The comparisons that
//! come out alike for the inputs of the run and for other ones are the path; the next one that does not is the
//! flip. The other inputs prove that it is satisfiable.

use super::*;
use crate::expr::mask;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

const OPS: &[Op] = &[
    Op::Add,
    Op::Add,
    Op::Sub,
    Op::Sub,
    Op::Mul,
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Shl,
    Op::LShr,
    Op::AShr,
    Op::URem,
    Op::SDiv,
];
const PREDICATES: &[Op] = &[Op::Eq, Op::Eq, Op::Slt, Op::Sle, Op::Ult, Op::Ule, Op::SAddO];

/// Chooses by numbers that proptest drew.
struct Dice(std::vec::IntoIter<u32>);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0.next().unwrap_or(0) as usize % end
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// A number as programs have them: mostly small.
    fn number(&mut self) -> u64 {
        let bits = self.pick(&[3, 4, 7, 7, 10, 31]);
        u64::from(self.0.next().unwrap_or(0)) & ((1 << bits) - 1)
    }
}

/// A path over three ints that ends in a satisfiable flip, if the numbers give one.
fn flip(numbers: Vec<u32>) -> Option<Asked> {
    let mut dice = Dice(numbers.into_iter());
    let mut question = Question::default();
    let mut terms: Vec<ExprId> = (0..3).map(|_| question.int(dice.number() as i32)).collect();
    let other: Vec<u128> = (0..3).map(|_| u128::from(dice.number())).collect();
    let mut conditions = vec![];
    for _ in 0..12 {
        let op = dice.pick(OPS);
        let x = dice.pick(&terms);
        let constant = match op {
            Op::Shl | Op::LShr | Op::AShr => dice.number() % 8,
            Op::URem | Op::SDiv => dice.number() | 1,
            _ => dice.number(),
        };
        let must_be_constant = matches!(op, Op::Shl | Op::LShr | Op::AShr | Op::URem | Op::SDiv);
        let y = match must_be_constant || dice.below(2) == 0 {
            true => question.constant(32, constant),
            false => dice.pick(&terms),
        };
        terms.push(question.op(op, 32, &[x, y]));
        let predicate = dice.pick(PREDICATES);
        let limit = question.constant(32, dice.number());
        let right = if dice.below(3) == 0 { dice.pick(&terms) } else { limit };
        let left = dice.pick(&terms);
        conditions.push(question.op(predicate, 1, &[left, right]));
    }
    let mut asked = question.asked();
    for condition in conditions {
        let mut here = Evaluator::new(&asked.exprs, &asked.values);
        let mut there = Evaluator::new(&asked.exprs, &other);
        let (here, there) = (here.value(condition).ok()?, there.value(condition).ok()?);
        let claim = if there == 1 { Constraint::IsTrue(condition) } else { Constraint::IsFalse(condition) };
        asked.constraints.push(claim);
        if here != there {
            let model = other.iter().enumerate().map(|(index, &value)| (index as u32, value & mask(32)));
            assert!(asked.holds(&model.collect()));
            return Some(asked);
        }
    }
    None
}

#[test]
fn most_satisfiable_flips_on_integers_need_no_other_solver() {
    let mut runner = TestRunner::deterministic();
    let strategy = proptest::collection::vec(proptest::num::u32::ANY, 160);
    let (mut flips, mut solved) = (0, 0);
    let mut times = vec![];
    while flips < 400 {
        let numbers = strategy.new_tree(&mut runner).expect("numbers").current();
        let Some(asked) = flip(numbers) else { continue };
        flips += 1;
        let mut chain = standard(vec![]);
        let started = Instant::now();
        let answer = chain.solve(&asked.query());
        times.push(started.elapsed());
        match answer {
            Answer::Sat(model) => {
                assert!(asked.holds(&model));
                solved += 1;
            }
            Answer::Unsat => panic!("a satisfiable flip was called infeasible: {:?}", asked.constraints),
            Answer::Unknown(_) => {}
        }
        assert!(chain.statistics().layers.iter().all(|layer| layer.refuted == 0));
    }
    times.sort_unstable();
    println!(
        "{solved} of {flips} solved, median {:?}, 90 % under {:?}",
        times[flips / 2],
        times[flips * 9 / 10]
    );
    assert!(solved * 100 >= flips * 90, "{solved} of {flips}");
}

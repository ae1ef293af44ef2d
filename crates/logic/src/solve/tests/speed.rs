//! How long typical flips take, printed and not judged: `cargo test --release -- speed --nocapture` shows the table.

use super::machine::Machine;
use super::program::Program;
use super::*;
use crate::testing::node;
use std::time::Duration;

/// Solves the same question with a new chain each time; the median.
fn median(asked: &Asked) -> (Duration, Answer) {
    let mut times = vec![];
    let mut answer = Answer::Unsat;
    for _ in 0..21 {
        let mut chain = standard(vec![]);
        let started = Instant::now();
        answer = chain.solve(&asked.query());
        times.push(started.elapsed());
    }
    times.sort_unstable();
    (times[times.len() / 2], answer)
}

fn equals_constant() -> Asked {
    let mut question = Question::default();
    let x = question.int(0);
    let ninety = question.constant(32, 90);
    question.want(Op::Eq, x, ninety);
    question.asked()
}

fn sum_of_inputs() -> Asked {
    let mut question = Question::default();
    let [a, b, c] = [question.int(1), question.int(2), question.int(50)];
    let sum = question.op(Op::Add, 32, &[a, b]);
    question.want(Op::Slt, a, b);
    question.refuse(Op::Eq, a, c);
    question.want(Op::Eq, sum, c);
    question.asked()
}

/// `strcmp(text, "testwright") == 0`, the last character being wrong, the others fixed by the path.
fn text_compared() -> Asked {
    let mut question = Question::default();
    let characters = question.text("testwrighz");
    for (character, wanted) in characters.into_iter().zip(*b"testwright") {
        let wide = question.op(Op::SExt, 32, &[character]);
        let wanted = question.constant(32, u64::from(wanted));
        let difference = question.op(Op::Sub, 32, &[wide, wanted]);
        let zero = question.constant(32, 0);
        question.want(Op::Eq, difference, zero);
    }
    question.asked()
}

/// A number read from digits: `((a - '0') * 10 + (b - '0')) * 10 + (c - '0') == 742`.
fn digits() -> Asked {
    let mut question = Question::default();
    let characters = question.text("000");
    let [zero, nine, ten] = [48, 57, 10].map(|number| question.constant(32, number));
    let mut sum = question.constant(32, 0);
    for character in characters {
        let wide = question.op(Op::SExt, 32, &[character]);
        question.want(Op::Sle, zero, wide);
        question.want(Op::Sle, wide, nine);
        let digit = question.op(Op::Sub, 32, &[wide, zero]);
        let product = question.op(Op::Mul, 32, &[sum, ten]);
        sum = question.op(Op::Add, 32, &[product, digit]);
    }
    let wanted = question.constant(32, 742);
    question.want(Op::Eq, sum, wanted);
    question.asked()
}

/// The sides of a triangle: all positive, `a + b > c` and so on, and two of them equal.
fn triangle() -> Asked {
    let mut question = Question::default();
    let sides = [question.int(3), question.int(4), question.int(5)];
    let zero = question.constant(32, 0);
    for side in sides {
        question.want(Op::Slt, zero, side);
    }
    for [a, b, c] in [[0, 1, 2], [1, 2, 0], [0, 2, 1]] {
        let sum = question.op(Op::Add, 32, &[sides[a], sides[b]]);
        question.want(Op::Slt, sides[c], sum);
    }
    question.refuse(Op::Eq, sides[0], sides[1]);
    question.want(Op::Eq, sides[1], sides[2]);
    question.asked()
}

fn square_of_float() -> Asked {
    let mut question = Question::default();
    let x = question.double(0.0);
    let square = question.op(Op::FMul, 64, &[x, x]);
    let wanted = question.float(2.25);
    question.want(Op::FEq, square, wanted);
    question.asked()
}

#[test]
fn speed_of_typical_flips() {
    let questions = [
        ("x == 90", equals_constant()),
        ("a + b == c", sum_of_inputs()),
        ("strcmp", text_compared()),
        ("digits == 742", digits()),
        ("triangle", triangle()),
        ("x * x == 2.25", square_of_float()),
    ];
    for (name, asked) in questions {
        let (time, answer) = median(&asked);
        println!("{name:16} {:8.1} us  {answer:?}", time.as_secs_f64() * 1e6);
        assert!(matches!(answer, Answer::Sat(_)), "{name}: {answer:?}");
    }
}

#[test]
fn speed_of_evaluation() {
    let asked = triangle();
    let query = asked.query();
    let program = Program::new(&query);
    let mut machine = Machine::new(&program);
    let started = Instant::now();
    let (mut sides, mut met, mut expected) = ([3, 4, 5], 0, 0);
    for value in 0..100_000 {
        sides[value % 3] = (value / 5) as u128;
        machine.set(value % 3, sides[value % 3]);
        met += u32::from(machine.score().is_met());
        machine.keep();
        let [a, b, c] = sides;
        expected += u32::from(a > 0 && a != b && b == c && b + c > a);
    }
    let rate = 1e5 / started.elapsed().as_secs_f64();
    println!("{rate:.0} evaluations per second, {met} met");
    assert!(met == expected && met > 1000, "{met} of {expected}");
}

/// A loop over a buffer: many conditions, each about one byte, the last one to be flipped.
#[test]
fn speed_of_flips_at_the_end_of_a_long_path() {
    let mut nodes = vec![node(0, 0, [0; 3]), node(Op::Const as u8, 8, [0, 7, 0])];
    nodes[1].value = 7;
    for index in 0..20_000 {
        nodes.push(node(Op::Input as u8, 8, [index, 0, 0]));
        nodes.push(node(Op::Eq as u8, 1, [nodes.len() as u32 - 1, 1, 0]));
    }
    let exprs = Exprs::from_nodes(&nodes, vec![]).unwrap();
    let condition = |index: u32| exprs.id(3 + 2 * index).unwrap();
    let mut constraints: Vec<Constraint> =
        (0..20_000).map(|index| Constraint::IsFalse(condition(index))).collect();
    constraints[19_999] = Constraint::IsTrue(condition(19_999));
    let (inputs, values) =
        (vec![Input { width: 8, kind: InputKind::Unsigned, range: None }; 20_000], vec![0; 20_000]);
    let query =
        Query { exprs: &exprs, constraints: &constraints, inputs: &inputs, values: &values, deadline: None };
    let mut chain = SolverChain::new(vec![Box::new(Quick)]);
    let mut times = vec![];
    for _ in 0..11 {
        let started = Instant::now();
        assert_eq!(chain.solve(&query), sat(&[(19_999, 7)], 8));
        times.push(started.elapsed());
    }
    times.sort_unstable();
    println!("{:?} for the last of 20,000 steps", times[5]);
}

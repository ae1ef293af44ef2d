//! The layers together.

use super::*;

/// Says what it was told to.
struct Fixed(&'static str, Answer);

impl Layer for Fixed {
    fn name(&self) -> &'static str {
        self.0
    }

    fn solve(&mut self, _query: &Query<'_>, _next: &mut dyn Solve) -> Answer {
        self.1.clone()
    }
}

fn chain(answers: &[(&'static str, Answer)]) -> SolverChain {
    SolverChain::new(
        answers.iter().map(|(name, answer)| Box::new(Fixed(name, answer.clone())) as _).collect(),
    )
}

/// x > 3 and y == 5, from x = 7 and y = 0.
fn sample() -> Asked {
    let mut question = Question::default();
    let [x, y] = [question.int(7), question.int(0)];
    let [three, five] = [3, 5].map(|number| question.constant(32, number));
    question.want(Op::Slt, three, x);
    question.want(Op::Eq, y, five);
    question.asked()
}

#[test]
fn a_wrong_model_is_counted_and_the_next_layer_asked() {
    let mut chain = chain(&[("liar", sat(&[(1, 6)], 32)), ("honest", sat(&[(1, 5)], 32))]);
    assert_eq!(chain.solve(&sample().query()), sat(&[(1, 5)], 32));
    let [liar, honest] = &*chain.statistics().layers else { panic!("two layers") };
    assert_eq!((liar.queries, liar.refuted, liar.sat, liar.passed), (1, 1, 0, 1));
    assert_eq!((honest.queries, honest.refuted, honest.sat, honest.passed), (1, 0, 1, 0));
    assert_eq!(chain.statistics().sat, 1);
}

#[test]
fn a_wrong_model_of_the_last_layer_becomes_unknown() {
    // It breaks a constraint that the slice does not even contain.
    let mut chain = chain(&[("liar", sat(&[(0, 2), (1, 5)], 32))]);
    assert!(matches!(chain.solve(&sample().query()), Answer::Unknown(_)));
    assert_eq!(chain.statistics().unknown, 1);
    assert_eq!(chain.statistics().layers[0].refuted, 1);
}

#[test]
fn a_model_outside_the_range_of_an_input_is_refused() {
    let mut asked = sample();
    asked.inputs[1].range = Some((0, 4));
    let mut liar = chain(&[("liar", sat(&[(1, 5)], 32))]);
    assert!(matches!(liar.solve(&asked.query()), Answer::Unknown(_)));
    assert_eq!(standard(vec![]).solve(&asked.query()), Answer::Unsat);
}

/// Remembers how many constraints it was asked about.
struct Counting(std::rc::Rc<std::cell::Cell<usize>>);

impl Layer for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }

    fn solve(&mut self, query: &Query<'_>, next: &mut dyn Solve) -> Answer {
        self.0.set(query.constraints.len());
        next.solve(query)
    }
}

#[test]
fn layers_see_only_what_matters_and_each_constraint_once() {
    let mut question = Question::default();
    let [x, y, z] = [question.int(1), question.int(2), question.int(3)];
    question.want(Op::Slt, x, y);
    question.want(Op::Eq, z, z);
    question.constraints.push(question.constraints[0].clone());
    question.refuse(Op::Slt, y, x);
    question.constraints.push(Constraint::Equals(y, 9));
    let asked = question.asked();
    let count = std::rc::Rc::new(std::cell::Cell::new(0));
    let mut counted = SolverChain::new(vec![Box::new(Counting(count.clone())), Box::new(Quick)]);
    assert_eq!(counted.solve(&asked.query()), sat(&[(1, 9)], 32));
    assert_eq!(count.get(), 3);
    // A constraint that the values do not satisfy is never left out.
    let mut moved = sample();
    moved.values[0] = 1;
    assert_eq!(counted.solve(&moved.query()), sat(&[(0, 4), (1, 5)], 32));
    assert_eq!(count.get(), 2);
}

#[test]
fn nothing_to_solve_is_solved_by_changing_nothing() {
    let mut asked = sample();
    asked.constraints.clear();
    assert_eq!(standard(vec![]).solve(&asked.query()), sat(&[], 32));
    asked.constraints.push(Constraint::Nothing);
    assert_eq!(standard(vec![]).solve(&asked.query()), sat(&[], 32));
}

#[test]
fn a_deadline_that_has_passed_is_no_proof() {
    let asked = sample();
    let query = Query { deadline: Some(Instant::now()), ..asked.query() };
    assert_eq!(standard(vec![]).solve(&query), Answer::Unknown("the time is over".into()));
}

#[test]
fn the_last_solver_is_asked_when_nobody_else_knows() {
    struct Oracle;
    impl Solve for Oracle {
        fn solve(&mut self, _query: &Query<'_>) -> Answer {
            Answer::Unknown("the oracle is silent".into())
        }
    }
    // x * x == 2 has no solution on 32 bits, which only a solver can prove.
    let mut question = Question::default();
    let x = question.int(0);
    let square = question.op(Op::Mul, 32, &[x, x]);
    let two = question.constant(32, 2);
    question.want(Op::Eq, square, two);
    let mut chain = standard(vec![Box::new(Backend { name: "oracle", solver: Oracle })]);
    assert_eq!(chain.solve(&question.asked().query()), Answer::Unknown("the oracle is silent".into()));
    let names: Vec<_> = chain.statistics().layers.iter().map(|layer| (layer.name, layer.passed)).collect();
    assert_eq!(names, [("cache", 1), ("simplify", 1), ("quick", 1), ("search", 1), ("oracle", 0)]);
    assert_eq!(chain.statistics().layers[4].unknown, 1);
}

#[test]
fn what_two_chains_did_adds_up_by_layer() {
    let layer = |name, sat, unsat| LayerStatistics { name, sat, unsat, ..LayerStatistics::default() };
    let did =
        |layers: Vec<LayerStatistics>| Statistics { queries: 3, sat: 2, layers, ..Statistics::default() };
    let mut all = did(vec![layer("quick", 1, 0), layer("z3", 1, 1)]);
    all.add(&did(vec![layer("quick", 0, 1), layer("other", 2, 0)]));
    assert_eq!((all.queries, all.sat), (6, 4));
    assert_eq!(all.layers, [layer("quick", 1, 1), layer("z3", 1, 1), layer("other", 2, 0)]);
}

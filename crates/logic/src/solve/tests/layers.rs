//! Each layer alone.

use super::*;
use std::cell::RefCell;
use testwright_abi::libm::Function;

/// One 32-bit input of value 0, and a constraint that `build` puts on it.
fn quick(build: impl Fn(&mut Question, ExprId)) -> Answer {
    let mut question = Question::default();
    let x = question.int(0);
    build(&mut question, x);
    question.asked().answer(&mut Quick)
}

#[test]
fn equalities_are_solved_by_inversion() {
    let solve = |op: Op, number: u64, wanted: u64| {
        quick(|question, x| {
            let [number, wanted] = [number, wanted].map(|value| question.constant(32, value));
            let result = question.op(op, 32, &[x, number]);
            question.want(Op::Eq, result, wanted);
        })
    };
    assert_eq!(solve(Op::Add, 5, 90), sat(&[(0, 85)], 32));
    assert_eq!(solve(Op::Sub, 5, 90), sat(&[(0, 95)], 32));
    assert_eq!(solve(Op::Xor, 0xff, 0xf0), sat(&[(0, 0x0f)], 32));
    assert_eq!(solve(Op::Mul, 3, 90), sat(&[(0, 30)], 32));
    assert_eq!(solve(Op::Mul, 7, 1), sat(&[(0, 0xb6db_6db7)], 32));
    assert_eq!(solve(Op::Mul, 12, 60), sat(&[(0, 5)], 32));
    assert_eq!(solve(Op::Shl, 4, 0x120), sat(&[(0, 0x12)], 32));
    assert_eq!(solve(Op::LShr, 4, 0x12), sat(&[(0, 0x120)], 32));
    assert_eq!(solve(Op::UDiv, 10, 7), sat(&[(0, 70)], 32));
    assert_eq!(solve(Op::SRem, 10, 7), sat(&[(0, 7)], 32));
    assert_eq!(solve(Op::Or, 0x10, 0x30), sat(&[(0, 0x20)], 32));
}

#[test]
fn bounds_give_the_smallest_number_or_a_proof() {
    let between = |low: u64, high: u64| {
        quick(|question, x| {
            let [low, high] = [low, high].map(|value| question.constant(32, value));
            question.want(Op::Slt, low, x);
            question.want(Op::Slt, x, high);
        })
    };
    assert_eq!(between(1000, 2000), sat(&[(0, 1001)], 32));
    assert_eq!(between(1000, 1001), Answer::Unsat);
    assert_eq!(between(1000, 10), Answer::Unsat);
    assert_eq!(between(u64::from(-100i32 as u32), u64::from(-50i32 as u32)), sat(&[(0, -51)], 32));
}

#[test]
fn ranges_of_inputs_are_respected() {
    let asked = |range| {
        let mut question = Question::default();
        let x = question.int(3);
        question.inputs[0].range = Some(range);
        let limit = question.constant(32, 10);
        question.want(Op::Slt, limit, x);
        question.asked()
    };
    assert_eq!(asked((0, 100)).answer(&mut Quick), sat(&[(0, 11)], 32));
    assert_eq!(asked((20, 100)).answer(&mut Quick), sat(&[(0, 20)], 32));
    assert_eq!(asked((0, 10)).answer(&mut Quick), Answer::Unsat);
    assert!(matches!(asked((0, 10)).answer(&mut Search::default()), Answer::Unknown(_)));
}

#[test]
fn a_condition_kept_in_an_int_is_seen_through() {
    // int b = x < 10 && y > 20, tested with b != 0, all as C writes it.
    let mut question = Question::default();
    let [x, y] = [question.int(50), question.int(0)];
    let [ten, twenty, zero] = [10, 20, 0].map(|value| question.constant(32, value));
    let less = question.op(Op::Slt, 1, &[x, ten]);
    let more = question.op(Op::Slt, 1, &[twenty, y]);
    let [less, more] = [less, more].map(|bit| question.op(Op::ZExt, 32, &[bit]));
    let both = question.op(Op::And, 32, &[less, more]);
    question.refuse(Op::Eq, both, zero);
    assert_eq!(question.asked().answer(&mut Quick), sat(&[(0, 0), (1, 21)], 32));
}

#[test]
fn a_word_put_together_from_bytes_is_taken_apart() {
    let mut question = Question::default();
    let bytes = question.text("....");
    let word = bytes.iter().copied().reduce(|high, low| {
        let width = question.arena.nodes()[high.handle() as usize].width + 8;
        question.arena.op(Op::Concat, width, &[high, low])
    });
    let wanted = question.constant(32, u64::from(u32::from_be_bytes(*b"GIF8")));
    question.want(Op::Eq, word.unwrap(), wanted);
    let expected = b"GIF8".iter().enumerate().map(|(index, &byte)| (index as u32, i128::from(byte)));
    assert_eq!(question.asked().answer(&mut Quick), sat(&expected.collect::<Vec<_>>(), 8));
}

#[test]
fn a_table_is_searched_for_the_entry() {
    let squares: Vec<u8> = (0..16u8).map(|number| number.wrapping_mul(number)).collect();
    let asked = |wanted: u64| {
        let mut question = Question::default();
        let index = question.input(InputKind::Unsigned, 8, 0);
        let offset = question.op(Op::ZExt, 64, &[index]);
        let entry = question.arena.table(8, &squares, offset);
        let wanted = question.constant(8, wanted);
        question.want(Op::Eq, entry, wanted);
        question.asked()
    };
    assert_eq!(asked(49).answer(&mut Quick), sat(&[(0, 7)], 8));
    assert_eq!(asked(50).answer(&mut Quick), Answer::Unsat);
}

#[test]
fn overflow_is_provoked_and_avoided() {
    for op in [Op::SAddO, Op::UAddO, Op::SSubO, Op::USubO, Op::SMulO, Op::UMulO] {
        let mut question = Question::default();
        let [x, y] = [question.int(3), question.int(2)];
        question.want(op, x, y);
        assert!(matches!(question.asked().answer(&mut Quick), Answer::Sat(_)), "{op:?}");
        let mut question = Question::default();
        let [x, y] = [question.int(i32::MIN), question.int(i32::MIN + 5)];
        question.refuse(op, x, y);
        assert!(matches!(question.asked().answer(&mut Quick), Answer::Sat(_)), "not {op:?}");
    }
}

#[test]
fn the_search_solves_what_has_no_inverse() {
    // x * x + x == 930, from 0: 30 and -31.
    let mut question = Question::default();
    let x = question.int(0);
    let square = question.op(Op::Mul, 32, &[x, x]);
    let sum = question.op(Op::Add, 32, &[square, x]);
    let wanted = question.constant(32, 930);
    question.want(Op::Eq, sum, wanted);
    assert!(matches!(question.asked().answer(&mut Search::default()), Answer::Sat(_)));
}

#[test]
fn the_search_solves_floats() {
    let check = |build: &dyn Fn(&mut Question, ExprId)| {
        let mut question = Question::default();
        let x = question.double(0.0);
        build(&mut question, x);
        question.asked().answer(&mut Search::default())
    };
    let is_sat = |answer| matches!(answer, Answer::Sat(_));
    assert!(is_sat(check(&|question, x| {
        let square = question.op(Op::FMul, 64, &[x, x]);
        let wanted = question.float(2.25);
        question.want(Op::FEq, square, wanted);
    })));
    assert!(is_sat(check(&|question, x| {
        // sin(x) > 0.999 and x > 100
        let sine = question.arena.app(Function::sin, &[x]);
        let [high, far] = [0.999, 100.0].map(|number| question.float(number));
        question.want(Op::FLt, high, sine);
        question.want(Op::FLt, far, x);
    })));
    assert!(is_sat(check(&|question, x| question.want(Op::FUno, x, x))));
    // No double has the square 2: an honest solver does not know.
    let answer = check(&|question, x| {
        let square = question.op(Op::FMul, 64, &[x, x]);
        let wanted = question.float(2.0);
        question.want(Op::FEq, square, wanted);
    });
    assert!(matches!(answer, Answer::Unknown(_)));
}

#[test]
fn the_search_gives_the_same_answer_every_time() {
    let asked = || {
        let mut question = Question::default();
        let [x, y, z] = [question.int(5), question.int(77), question.int(-3)];
        let product = question.op(Op::Mul, 32, &[x, y]);
        let wanted = question.constant(32, 7001);
        let rest = question.op(Op::Xor, 32, &[product, z]);
        question.want(Op::Eq, rest, wanted);
        question.want(Op::Slt, y, x);
        question.asked().answer(&mut Search::default())
    };
    let first = asked();
    assert!(matches!(first, Answer::Sat(_)));
    assert_eq!(asked(), first);
}

#[test]
fn a_search_ends_with_its_budget() {
    let mut question = Question::default();
    let x = question.double(1.0);
    let below = question.op(Op::FLt, 1, &[x, x]);
    question.constraints.push(Constraint::IsTrue(below));
    let asked = question.asked();
    let mut small = Search { evaluations: 10, steps: 1_000_000 };
    assert!(matches!(asked.answer(&mut small), Answer::Unknown(_)));
}

/// Gives one model, whatever is asked.
struct Says(Answer);

impl Solve for Says {
    fn solve(&mut self, _query: &Query<'_>) -> Answer {
        self.0.clone()
    }
}

#[test]
fn models_are_made_small_and_readable() {
    let simplified = |question: Question, model: &[(u32, u128)]| {
        let asked = question.asked();
        let model: Model = model.iter().copied().collect();
        assert!(asked.holds(&model));
        match Simplify.solve(&asked.query(), &mut Says(Answer::Sat(model))) {
            Answer::Sat(model) if asked.holds(&model) => model.into_iter().collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        }
    };
    let mut question = Question::default();
    let [x, _] = [question.int(0), question.int(7)];
    let limit = question.constant(32, 1000);
    question.want(Op::Slt, limit, x);
    assert_eq!(simplified(question, &[(0, 0x7fff_ffff)]), [(0, 1001)]);

    let mut question = Question::default();
    let characters = question.text("x\u{1}");
    let limit = question.constant(8, 5);
    question.want(Op::Ult, limit, characters[1]);
    assert_eq!(simplified(question, &[(0, 200), (1, 200)][1..]), [(1, u128::from(b'a'))]);

    let mut question = Question::default();
    let x = question.double(0.0);
    let limit = question.float(3.5);
    question.want(Op::FLt, limit, x);
    let model = simplified(question, &[(0, u128::from(7.123_456_789f64.to_bits()))]);
    assert_eq!(model, [(0, u128::from(10f64.to_bits()))]);
}

#[test]
fn answers_are_remembered_across_runs() {
    let asked = |padding: u32, value: i32| {
        let mut question = Question::default();
        let x = question.int(value);
        for number in 0..padding {
            question.constant(32, 1000 + u64::from(number));
        }
        let [low, high] = [10, 20].map(|number| question.constant(32, number));
        let sum = question.op(Op::Mul, 32, &[x, x]);
        question.want(Op::Slt, low, sum);
        question.want(Op::Slt, sum, high);
        question.asked()
    };
    let mut cache = Cache::default();
    let first = cache.solve(&asked(0, 0).query(), &mut Says(sat(&[(0, 4)], 32)));
    assert_eq!(first, sat(&[(0, 4)], 32));
    // The same constraints under other handles, and from another value.
    assert_eq!(asked(3, 1).answer(&mut cache), sat(&[(0, 4)], 32));
    // The value of the run is good enough.
    assert_eq!(asked(3, 4).answer(&mut cache), sat(&[], 32));
}

#[test]
fn infeasibility_is_remembered_and_what_is_unknown_is_not() {
    let asked = |wanted: u64| {
        let mut question = Question::default();
        let x = question.int(5);
        let [wanted, zero] = [wanted, 0].map(|number| question.constant(32, number));
        let product = question.op(Op::Mul, 32, &[x, zero]);
        question.want(Op::Eq, product, wanted);
        question.asked()
    };
    let mut cache = Cache::default();
    assert_eq!(cache.solve(&asked(1).query(), &mut Says(Answer::Unsat)), Answer::Unsat);
    assert_eq!(asked(1).answer(&mut cache), Answer::Unsat);
    assert!(matches!(asked(2).answer(&mut cache), Answer::Unknown(_)));
    assert_eq!(cache.solve(&asked(2).query(), &mut Says(Answer::Unsat)), Answer::Unsat);
}

#[test]
fn a_recent_model_is_tried_on_other_queries() {
    let asked = |limit: u64| {
        let mut question = Question::default();
        let x = question.int(0);
        let limit = question.constant(32, limit);
        question.want(Op::Slt, limit, x);
        question.asked()
    };
    let mut cache = Cache::default();
    cache.solve(&asked(100).query(), &mut Says(sat(&[(0, 101)], 32)));
    assert_eq!(asked(50).answer(&mut cache), sat(&[(0, 101)], 32));
    assert!(matches!(asked(101).answer(&mut cache), Answer::Unknown(_)));
}

#[test]
fn a_full_cache_forgets_the_oldest_answer() {
    let asked = |wanted: u64| {
        let mut question = Question::default();
        let x = question.int(0);
        let wanted = question.constant(32, wanted);
        question.want(Op::Slt, x, wanted);
        question.want(Op::Slt, wanted, x);
        question.asked()
    };
    let mut cache = Cache::new(2);
    for wanted in [1, 2, 3] {
        cache.solve(&asked(wanted).query(), &mut Says(Answer::Unsat));
    }
    assert!(matches!(asked(1).answer(&mut cache), Answer::Unknown(_)));
    assert_eq!(asked(2).answer(&mut cache), Answer::Unsat);
    assert_eq!(asked(3).answer(&mut cache), Answer::Unsat);
}

#[test]
fn queries_are_dumped_as_scripts() {
    let written = RefCell::new(vec![]);
    let mut question = Question::default();
    let x = question.int(0);
    let limit = question.constant(32, 16);
    question.want(Op::Slt, limit, x);
    let mut dump = Dump::new(|number, script: &str| written.borrow_mut().push((number, script.to_owned())));
    let asked = question.asked();
    let answers = [0, 1].map(|_| dump.solve(&asked.query(), &mut Says(Answer::Unsat)));
    assert_eq!(answers, [Answer::Unsat, Answer::Unsat]);
    let written = written.borrow();
    assert_eq!(written.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [0, 1]);
    let expected = "(set-logic QF_BV)\n(declare-const input0 (_ BitVec 32))\n\
        (assert (bvslt #x00000010 input0))\n(check-sat)\n(get-model)\n";
    assert_eq!(written[1].1, expected);
}

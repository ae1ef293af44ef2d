//! Tests of paths: from events to constraints and scripts.

use expect_test::expect;
use testwright_abi::event::{Event, EventKind};
use testwright_abi::expr::Op;

use super::*;
use crate::testing::Arena;

fn event(kind: EventKind, outcome: u16, site: u32, expr: ExprId) -> Event {
    Event { kind: kind as u16, outcome, site, expr: expr.handle(), extra: 0 }
}

/// A run with x = 5, y = 9: `x < y`, `x == y`, and a pinned address.
fn sample() -> (Exprs, Vec<Event>) {
    let mut arena = Arena::default();
    let x = arena.input(0, 32, 5);
    let y = arena.input(1, 32, 9);
    let less = arena.op(Op::Slt, 1, &[x, y]);
    let equal = arena.op(Op::Eq, 1, &[x, y]);
    let index = arena.op(Op::SExt, 64, &[x]);
    let four = arena.constant(64, 4);
    let offset = arena.op(Op::Mul, 64, &[index, four]);
    let base = arena.constant(64, 0x7200_0000_0000);
    let address = arena.op(Op::Add, 64, &[offset, base]);
    let events = vec![
        event(EventKind::Branch, 0, 3, less),
        event(EventKind::Compare, 1, 4, equal),
        event(EventKind::Branch, 1, 5, equal),
        event(EventKind::Switch, 1, 6, x),
        event(EventKind::Switch, 2, 6, y),
        event(EventKind::Address, 0, u32::MAX, address),
    ];
    (arena.finish(), events)
}

fn cases(site: u32) -> Option<&'static [u128]> {
    (site == 6).then_some(&[1, 5])
}

fn error(change: impl Fn(&mut Event)) -> PathErrorKind {
    let (exprs, mut events) = sample();
    change(&mut events[3]);
    let error = Path::from_events(&events, &exprs, cases).unwrap_err();
    assert_eq!(error.index, 3);
    error.kind
}

#[test]
fn events_become_constraints_that_their_run_satisfies() {
    let (exprs, events) = sample();
    let path = Path::from_events(&events, &exprs, cases).unwrap();
    let id = |handle| exprs.id(handle).unwrap();
    let constraints: Vec<_> = path.steps().iter().map(|step| step.constraint.clone()).collect();
    let expected = [
        Constraint::IsTrue(id(3)),
        Constraint::Nothing,
        Constraint::IsFalse(id(4)),
        Constraint::Equals(id(1), 5),
        Constraint::NoneOf(id(2), vec![1, 5]),
        // 4 * x, wherever the object lies.
        Constraint::Equals(id(7), 20),
    ];
    assert_eq!(constraints, expected);
    assert_eq!(path.steps()[0].site, Some(3));
    assert_eq!(path.steps()[5].site, None);
    assert_eq!(path.check(&exprs), []);
}

#[test]
fn a_step_that_did_not_happen_is_a_violation() {
    let (exprs, mut events) = sample();
    events[0].outcome = 1;
    events[3].outcome = 0;
    events[4].expr = events[3].expr;
    let path = Path::from_events(&events, &exprs, cases).unwrap();
    let violated: Vec<usize> = path.check(&exprs).into_iter().map(|violation| violation.index).collect();
    assert_eq!(violated, [0, 3, 4]);
}

#[test]
fn other_inputs_leave_the_path_where_a_constraint_breaks() {
    let (exprs, events) = sample();
    let path = Path::from_events(&events, &exprs, cases).unwrap();
    let mut evaluator = Evaluator::new(&exprs, &[5, 5]);
    let holds: Vec<bool> =
        path.steps().iter().map(|step| step.constraint.holds(&mut evaluator).unwrap()).collect();
    assert_eq!(holds, [false, true, false, true, false, true]);
}

#[test]
fn damaged_events_are_refused() {
    assert_eq!(error(|event| event.kind = 77), PathErrorKind::UnknownKind(77));
    assert_eq!(error(|event| event.expr = 0), PathErrorKind::UnknownExpr(0));
    assert_eq!(error(|event| event.expr = 1000), PathErrorKind::UnknownExpr(1000));
    assert_eq!(error(|event| event.kind = EventKind::Branch as u16), PathErrorKind::NotOneBit(1));
    assert_eq!(error(|event| event.outcome = 3), PathErrorKind::UnknownOutcome(3));
    assert_eq!(error(|event| event.site = 3), PathErrorKind::UnknownSwitch(3));
    assert_eq!(error(|event| event.expr = 3), PathErrorKind::WideCase(5));
    let branch = |event: &mut Event| {
        (event.kind, event.expr, event.outcome) = (EventKind::Branch as u16, 3, 2);
    };
    assert_eq!(error(branch), PathErrorKind::UnknownOutcome(2));
}

#[test]
fn a_path_condition_reads_like_the_source() {
    let (exprs, events) = sample();
    let path = Path::from_events(&events, &exprs, cases).unwrap();
    let name = |index: u32| ["x", "y"][index as usize].to_owned();
    let comment = |step: &Step| match step.site {
        Some(site) => format!("f.c:{site}:1 outcome {}", step.outcome),
        None => "somewhere".into(),
    };
    expect![[r#"
        (set-logic QF_BV)
        (declare-const x (_ BitVec 32))
        (declare-const y (_ BitVec 32))
        ; f.c:3:1 outcome 0
        (assert (bvslt x y))
        ; f.c:5:1 outcome 1
        (assert (not (= x y)))
        ; f.c:6:1 outcome 1
        (assert (= x #x00000005))
        ; f.c:6:1 outcome 2
        (assert (not (or (= y #x00000001) (= y #x00000005))))
        ; somewhere
        ; pinned: the address of a memory access
        (assert (= (bvmul ((_ sign_extend 32) x) #x0000000000000004) #x0000000000000014))
        (check-sat)
        (get-model)
    "#]].assert_eq(&path.to_smt(&exprs, &name, &comment));
}

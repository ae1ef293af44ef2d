//! Shrinking by itself: what becomes of a case while a property holds.

use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::{FunctionId, TypeId};
use testwright_base::sample::{empty_subject, int, pointer, taking};
use testwright_base::subject::Subject;
use testwright_suite::shrink::shrink;

fn integers(values: &[i128]) -> Vec<Value> {
    values.iter().copied().map(Value::Int).collect()
}

fn call(values: &[i128]) -> Case {
    Case { statements: vec![Statement::Call { function: FunctionId(0), arguments: integers(values) }] }
}

/// The arguments of the lightest case found.
fn shrunk(values: &[i128], shows: impl Fn(&[i128]) -> bool) -> Vec<i128> {
    let numbers = |case: &Case| -> Vec<i128> {
        let (_, arguments) = case.call().unwrap();
        arguments.iter().map(|value| if let Value::Int(value) = value { *value } else { panic!() }).collect()
    };
    numbers(&shrink(&subject(), &call(values), |case| shows(&numbers(case))))
}

#[test]
fn numbers_become_small_as_long_as_the_property_holds() {
    assert_eq!(shrunk(&[583_615_187, -40], |_| true), [0, 0]);
    assert!(shrunk(&[583_615_187], |x| x[0] > 100)[0] < 1000);
    assert!(shrunk(&[-987_654], |x| x[0] <= -3000)[0] > -10_000);
}

#[test]
fn numbers_that_must_be_equal_or_near_shrink_together() {
    assert_eq!(shrunk(&[583_615_187, 583_615_187], |x| x[0] == x[1] && x[0] > 0), [1, 1]);
    let near = |x: &[i128]| x[1] == x[0] + 3 && x[0] > 0;
    assert_eq!(shrunk(&[8_386_000, 8_386_003], near), [1, 4]);
}

#[test]
fn a_case_that_shows_nothing_lighter_stays_as_it_is() {
    assert_eq!(shrunk(&[77, -5], |x| x == [77, -5]), [77, -5]);
}

#[test]
fn the_elements_of_a_sequence_go_if_nothing_needs_them() {
    let case = Case {
        statements: vec![
            Statement::Object { element: TypeId(0), values: integers(&[9, 8, 7, 15, 6, 5]) },
            Statement::Call {
                function: FunctionId(0),
                arguments: vec![Value::Pointer { object: 0, offset: 0 }, Value::Int(6)],
            },
        ],
    };
    let elements = |case: &Case| match &case.statements[0] {
        Statement::Object { values, .. } => values.clone(),
        _ => panic!("the object stays first"),
    };
    // The count must be right, or the code reads beyond the end.
    let shows = |case: &Case| {
        let (_, arguments) = case.call().unwrap();
        let count = Value::Int(elements(case).len() as i128);
        elements(case).contains(&Value::Int(15)) && arguments[0] != Value::Null && arguments[1] == count
    };
    let shrunk = shrink(&subject(), &case, shows);
    assert_eq!(elements(&shrunk), integers(&[15]));
    assert_eq!(shrunk.call().unwrap().1[1], Value::Int(1));
}

/// A function with a counted sequence.
fn subject() -> Subject {
    let mut subject = empty_subject();
    let int = int(&mut subject.types, "int", 32, true);
    let pointer = pointer(&mut subject.types, int);
    subject.functions.push(taking("f", &[("items", pointer), ("count", int)], int));
    subject
}

//! Shrinking by itself: what becomes of a case while a property holds.

use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::{FunctionId, TypeId};
use testwright_base::sample::{self, counted, empty_subject, float, int, pointer as pointer_to, taking};
use testwright_base::subject::Subject;

/// Shrinks as far as it goes.
fn shrink(subject: &Subject, case: &Case, shows: impl Fn(&Case) -> bool) -> Case {
    testwright_suite::shrink::shrink(subject, case, |case| Some(shows(case)))
}

fn integers(values: &[i128]) -> Vec<Value> {
    values.iter().copied().map(Value::Int).collect()
}

fn call(values: &[i128]) -> Case {
    Case { statements: vec![Statement::Call { function: FunctionId(1), arguments: integers(values) }] }
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

#[test]
fn several_numbers_move_together() {
    let scalene = |x: &[i128]| {
        x[0] + x[1] > x[2]
            && x[0] + x[2] > x[1]
            && x[1] + x[2] > x[0]
            && x[0] != x[1]
            && x[1] != x[2]
            && x[0] != x[2]
            && x.iter().all(|side| *side > 0)
    };
    assert_eq!(shrunk(&[100, 8_386_010, 8_386_000], scalene), [2, 4, 3]);
}

/// The text of the lightest case found, and the number beside it.
fn shrunk_text(text: &[u8], shows: impl Fn(&[u8]) -> bool) -> (Vec<u8>, i128) {
    let values = text.iter().map(|byte| Value::Int(i128::from(*byte))).collect();
    let arguments = vec![Value::Pointer { object: 0, offset: 0 }, Value::Int(text.len() as i128)];
    let statements = vec![
        Statement::Object { element: char_type(), values },
        Statement::Call { function: FunctionId(2), arguments },
    ];
    let bytes = |case: &Case| match &case.statements[0] {
        Statement::Object { values, .. } => {
            values.iter().map(|value| if let Value::Int(value) = value { *value as u8 } else { 0 }).collect()
        }
        _ => Vec::new(),
    };
    let shows = |case: &Case| case.call().unwrap().1[0] != Value::Null && shows(&bytes(case));
    let shrunk = shrink(&subject(), &Case { statements }, shows);
    let Value::Int(length) = shrunk.call().unwrap().1[1] else { panic!("a length") };
    (bytes(&shrunk), length)
}

fn char_type() -> TypeId {
    subject().function(FunctionId(2)).signature.as_ref().map_or(TypeId(0), |signature| {
        match subject().types.get(signature.params[0].ty).shape {
            testwright_base::types::Shape::Pointer(target) => target,
            _ => panic!("a pointer"),
        }
    })
}

#[test]
fn text_becomes_printable_and_gets_an_end() {
    let has_nine = |text: &[u8]| {
        text.iter().take_while(|byte| **byte != b'=' && **byte != 0).count() >= 8 && text.contains(&b'=')
    };
    assert_eq!(shrunk_text(&[1, 1, 1, 1, 1, 1, 1, 1, b'='], has_nine).0, b"aaaaaaaa=\0");
    let level = |text: &[u8]| text.starts_with(b"level=") && text.get(6).is_some_and(|byte| *byte != 0);
    assert_eq!(shrunk_text(b"level=\x01", level).0, b"level=a\0");
}

#[test]
fn a_length_never_becomes_more_than_there_is() {
    let statements = vec![
        Statement::Object { element: TypeId(0), values: integers(&[15, 15, 15]) },
        Statement::Call {
            function: FunctionId(0),
            arguments: vec![Value::Pointer { object: 0, offset: 0 }, Value::Int(3)],
        },
    ];
    // Code that only looks at the length would be content with a round one.
    let long = |case: &Case| {
        let (_, arguments) = case.call().unwrap();
        arguments[0] != Value::Null && matches!(arguments[1], Value::Int(length) if length >= 3)
    };
    let shrunk = shrink(&subject(), &Case { statements }, long);
    assert_eq!(shrunk.call().unwrap().1[1], Value::Int(3));
    assert_eq!(shrunk.statements[0], Statement::Object { element: TypeId(0), values: integers(&[0, 0, 0]) });
}

#[test]
fn floats_become_round() {
    let arguments: Vec<Value> =
        [0.333_333_141, 17.25, 9_876.543_21].map(|value: f64| Value::Double(value.to_bits())).to_vec();
    let case = Case { statements: vec![Statement::Call { function: FunctionId(3), arguments }] };
    let numbers = |case: &Case| -> Vec<f64> {
        let (_, arguments) = case.call().unwrap();
        arguments
            .iter()
            .map(|value| if let Value::Double(bits) = value { f64::from_bits(*bits) } else { 0.0 })
            .collect()
    };
    let shows = |case: &Case| {
        let x = numbers(case);
        x[0] > 0.0 && x[0] < x[1] && x[1] < x[2] && x[2] > 1000.0
    };
    assert_eq!(numbers(&shrink(&subject(), &case, shows)), [1.0, 2.0, 1e4]);
}

/// A function with a counted sequence, one of numbers, one of text, one of floats.
fn subject() -> Subject {
    let mut subject = empty_subject();
    let int = int(&mut subject.types, "int", 32, true);
    let pointer = pointer_to(&mut subject.types, int);
    subject.functions.push(counted(taking("f", &[("items", pointer), ("count", int)], int), 0, 1));
    subject.functions.push(taking("g", &[("a", int), ("b", int), ("c", int)], int));
    let char = sample::int(&mut subject.types, "char", 8, true);
    let text = pointer_to(&mut subject.types, char);
    subject.functions.push(counted(taking("h", &[("text", text), ("length", int)], int), 0, 1));
    let double = float(&mut subject.types, 64);
    subject.functions.push(taking("k", &[("x", double), ("y", double), ("z", double)], int));
    subject
}

/// A call with an object of a thousand numbers, all of them odd to look at.
fn large() -> Case {
    let values: Vec<i128> = (0..1000).map(|index| 1_000_003 + 7 * index).collect();
    let object = Statement::Object { element: TypeId(0), values: integers(&values) };
    let arguments = vec![Value::Pointer { object: 0, offset: 0 }, Value::Int(1000)];
    Case { statements: vec![object, Statement::Call { function: FunctionId(0), arguments }] }
}

fn elements(case: &Case) -> &[Value] {
    match &case.statements[0] {
        Statement::Object { values, .. } => values,
        _ => panic!("the object stays first"),
    }
}

#[test]
fn of_a_large_object_whole_regions_become_zero_at_once() {
    let (mut runs, large) = (0, large());
    let wanted = elements(&large)[700].clone();
    let shrunk = testwright_suite::shrink::shrink(&subject(), &large, |case| {
        runs += 1;
        let kept = elements(case).len() == 1000 && elements(case)[700] == wanted;
        Some(kept && case.call().unwrap().1 == large.call().unwrap().1)
    });
    let left = elements(&shrunk).iter().filter(|value| **value != Value::Int(0)).count();
    assert!(left == 1 && runs < 300, "{left} numbers are left after {runs} runs");
}

#[test]
fn shrinking_ends_at_once_when_there_is_no_run_left() {
    let mut runs = 0;
    let large = large();
    let shrunk = testwright_suite::shrink::shrink(&subject(), &large, |_| {
        runs += 1;
        (runs < 3).then_some(false)
    });
    assert_eq!((runs, shrunk), (3, large));
}

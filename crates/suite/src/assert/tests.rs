//! Assertions of cases and runs made by hand.

use super::*;
use testwright_base::ids::TypeId;
use testwright_base::sample::{self, Member};

/// `struct frame { int length; char name[4]; float ratio; }` and `int decode(struct frame *out, int *extra)`.
fn subject() -> (Subject, TypeId, TypeId) {
    let mut subject = sample::empty_subject();
    let types = &mut subject.types;
    let int = sample::int(types, "int", 32, true);
    let char = sample::int(types, "char", 8, true);
    let name = sample::array(types, char, 4);
    let ratio = sample::float(types, 32);
    let members = [Member::new("length", int), Member::new("name", name), Member::new("ratio", ratio)];
    let frame = sample::record(types, Some("struct frame"), false, &members);
    let (to_frame, to_int) = (sample::pointer(types, frame), sample::pointer(types, int));
    subject.functions = vec![sample::taking("decode", &[("out", to_frame), ("extra", to_int)], int)];
    (subject, frame, int)
}

fn frame(length: i128, name: &[u8; 4], ratio: f32) -> Value {
    let name = name.iter().map(|byte| Value::Int(i128::from(*byte))).collect();
    Value::Record(vec![Value::Int(length), Value::Array(name), Value::Single(ratio.to_bits())])
}

fn returned(result: i128, objects: Vec<Option<Value>>) -> Run {
    Run {
        end: End::Returned,
        result: Some(Value::Int(result)),
        objects,
        outcomes: Vec::new(),
        distances: Vec::new(),
        output: Vec::new(),
        steps: 0,
        heap_peak: 0,
        stub_calls: Vec::new(),
    }
}

fn found(after: Value, extra: i128) -> Found {
    let (_, frame_type, int) = subject();
    let statements = vec![
        Statement::Object { element: frame_type, values: vec![frame(0, b"\0\0\0\0", 0.0)] },
        Statement::Object { element: int, values: vec![Value::Int(5)] },
        Statement::Call {
            function: FunctionId(0),
            arguments: vec![Value::Pointer { object: 0, offset: 0 }, Value::Pointer { object: 1, offset: 0 }],
        },
    ];
    let objects = vec![Some(Value::Array(vec![after])), Some(Value::Array(vec![Value::Int(extra)])), None];
    Found {
        case: Case { statements },
        run: returned(3, objects),
        again: None,
        goals: Vec::new(),
        broke: None,
    }
}

fn spelt(found: &Found, out_params: &[usize]) -> Vec<String> {
    let (subject, ..) = subject();
    let root = |root: Root| match root {
        Root::Result => "result".to_owned(),
        Root::Statement(index) => format!("object {index}"),
    };
    assertions(&subject, found, &out_params.iter().copied().collect())
        .iter()
        .map(|assertion| format!("{}{}", root(assertion.root), spell_path(&assertion.part.path)))
        .collect()
}

#[test]
fn the_result_and_what_changed_are_asserted() {
    assert_eq!(spelt(&found(frame(3, b"\0\0\0\0", 0.0), 5), &[]), ["result", "object 0[0].length"]);
    assert_eq!(
        spelt(&found(frame(0, b"ab\0\0", -0.0), 6), &[]),
        ["result", "object 0[0].name", "object 0[0].ratio", "object 1"]
    );
}

#[test]
fn an_out_parameter_that_a_call_left_alone_is_asserted_too() {
    let calls = [found(frame(0, b"\0\0\0\0", 0.0), 6), found(frame(0, b"\0\0\0\0", 0.0), 5)];
    let changed = changed_params(&subject().0, FunctionId(0), &calls);
    assert_eq!(changed, BTreeSet::from([1]));
    assert_eq!(spelt(&calls[1], &[1]), ["result", "object 1"]);
}

#[test]
fn what_differs_in_a_second_run_is_not_asserted() {
    let mut found = found(frame(3, b"abc\0", f32::NAN), 5);
    let mut again = found.run.clone();
    again.result = Some(Value::Int(4));
    again.objects[0] = Some(Value::Array(vec![frame(3, b"axc\0", f32::from_bits(0xffc0_0001))]));
    found.again = Some(again);
    // Both ratios are NaN, which is all that a test can say.
    assert_eq!(
        spelt(&found, &[]),
        [
            "object 0[0].length",
            "object 0[0].name[0]",
            "object 0[0].name[2]",
            "object 0[0].name[3]",
            "object 0[0].ratio"
        ]
    );
}

#[test]
fn after_an_exit_nothing_is_asserted_about_values() {
    let mut found = found(frame(3, b"abc\0", 0.0), 5);
    found.run.end = End::Exit(2);
    assert!(spelt(&found, &[0, 1]).is_empty());
}

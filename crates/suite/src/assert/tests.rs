//! Assertions of cases and runs made by hand.

use super::*;
use crate::input::Queried;
use testwright_base::effect::Effects;
use testwright_base::ids::TypeId;
use testwright_base::run::Seen;
use testwright_base::sample::{self, Member};
use testwright_base::stub::{Behaviour, Given, MOST_GIVEN, Origin, Stub};
use testwright_base::subject::{Global, Param, Signature};

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
        stub_order: Vec::new(),
        freed: Vec::new(),
        used_after_free: false,
        globals: Vec::new(),
        behind: None,
        effects: Effects::default(),
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
        kills: Vec::new(),
        broke: None,
        strays: false,
        earlier: false,
        demanded: false,
        queries: Vec::new(),
    }
}

fn spelt(found: &Found, out_params: &[usize]) -> Vec<String> {
    let (subject, ..) = subject();
    let root = |root: Root| match root {
        Root::Result => "result".to_owned(),
        Root::Statement(index) => format!("object {index}"),
        Root::Global(global) => format!("global {}", global.0),
        Root::Calls(stub) => format!("calls of {}", stub.0),
        Root::Given(stub, param) => format!("parameter {param} of {}", stub.0),
        Root::Printed => "printed".to_owned(),
        Root::Behind => "behind the result".to_owned(),
        Root::Query(query) => format!("query of {}", query.function.0),
    };
    let habits = Habits { changed: out_params.iter().copied().collect(), ..Habits::default() };
    assertions(&subject, found, &habits)
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
        ["object 0[0].length", "object 0[0].name[0]", "object 0[0].name[2]", "object 0[0].ratio"]
    );
}

#[test]
fn after_an_exit_nothing_is_asserted_about_values() {
    let mut found = found(frame(3, b"abc\0", 0.0), 5);
    found.run.end = End::Exit(2);
    assert!(spelt(&found, &[0, 1]).is_empty());
}

/// `int total` and `int table[40]`, as a run found and left them.
fn with_globals(total: [i128; 2], changed: &[usize]) -> (Subject, Found) {
    let mut subject = subject().0;
    let int = sample::int(&mut subject.types, "int", 32, true);
    let table = sample::array(&mut subject.types, int, 40);
    for (name, ty, size) in [("total", int, 4), ("table", table, 160)] {
        subject.globals.push(Global { name: name.to_owned(), ty: Some(ty), size, place: None });
    }
    let mut found = found(frame(0, b"\0\0\0\0", 0.0), 5);
    let element = |index: usize| Value::Int(i128::from(changed.contains(&index)));
    found.run.globals = vec![
        Seen { global: GlobalId(0), before: Value::Int(total[0]), after: Value::Int(total[1]) },
        Seen {
            global: GlobalId(1),
            before: Value::Array(vec![Value::Int(0); 40]),
            after: Value::Array((0..40).map(element).collect()),
        },
    ];
    (subject, found)
}

fn globals_asserted(subject: &Subject, found: &Found) -> Vec<String> {
    let all = assertions(subject, found, &Habits::default());
    let spell = |assertion: &Assertion| match assertion.root {
        Root::Global(global) => {
            let name = &subject.globals[global.index()].name;
            Some(format!("{name}{}", spell_path(&assertion.part.path)))
        }
        _ => None,
    };
    all.iter().filter_map(spell).collect()
}

#[test]
fn globals_that_changed_are_asserted_and_of_long_arrays_only_the_elements_that_did() {
    let (subject, found) = with_globals([3, 4], &[7, 30]);
    assert_eq!(globals_asserted(&subject, &found), ["total", "table[7]", "table[30]"]);
    let (subject, found) = with_globals([3, 4], &[1, 2, 3, 4, 5, 6]);
    assert_eq!(globals_asserted(&subject, &found), ["total", "table"]);
}

#[test]
fn a_global_that_another_call_changes_is_asserted_to_stay_and_a_large_one_as_a_whole() {
    let (subject, found) = with_globals([3, 3], &[]);
    assert_eq!(globals_asserted(&subject, &found), ["total", "table"]);
    let kept = |assertion: &Assertion| assertion.part.kind == PartKind::Kept;
    let all = assertions(&subject, &found, &Habits::default());
    assert_eq!(all.iter().map(kept).collect::<Vec<_>>(), [false, false, true]);
}

#[test]
fn what_a_second_run_changes_is_not_said_to_be_kept() {
    let (subject, mut found) = with_globals([3, 3], &[]);
    let mut again = found.run.clone();
    again.globals[1].after = Value::Array(vec![Value::Int(9); 40]);
    found.again = Some(again);
    assert_eq!(globals_asserted(&subject, &found), ["total"]);
}

#[test]
fn a_global_that_differs_in_a_second_run_is_not_asserted() {
    let (subject, mut found) = with_globals([3, 4], &[7]);
    let mut again = found.run.clone();
    again.globals[0].after = Value::Int(5);
    found.again = Some(again);
    assert_eq!(globals_asserted(&subject, &found), ["table[7]"]);
}

#[test]
fn what_is_printed_is_asserted_before_all_else_if_some_call_prints() {
    let mut loud = found(frame(3, b"\0\0\0\0", 0.0), 5);
    loud.run.output = b"3 of 5".to_vec();
    let quiet = found(frame(3, b"\0\0\0\0", 0.0), 5);
    let (subject, ..) = subject();
    let habits = Habits::of(&subject, FunctionId(0), &[loud.clone(), quiet.clone()]);
    let first = |found: &Found| assertions(&subject, found, &habits).swap_remove(0);
    assert_eq!(first(&loud).root, Root::Printed);
    assert_eq!((first(&quiet).root, first(&quiet).part.value), (Root::Printed, Value::Array(Vec::new())));
    assert_eq!(spelt(&quiet, &[])[0], "result", "no call prints");
    let mut again = loud.run.clone();
    again.output = b"4 of 5".to_vec();
    loud.again = Some(again);
    assert_eq!(first(&loud).root, Root::Result, "it differs in a second run");
}

/// A stub that takes an `int` and was called, with what it was given in each of the calls.
fn with_stub(given: &[i128]) -> (Subject, Found) {
    let mut subject = subject().0;
    let int = sample::int(&mut subject.types, "int", 32, true);
    let array = sample::array(&mut subject.types, int, MOST_GIVEN + 1);
    let global = |name: &str| Global { name: name.to_owned(), ty: Some(array), size: 68, place: None };
    subject.globals.push(global("what log is given as n"));
    let param = Param { name: "n".to_owned(), ty: int };
    subject.stubs.push(Stub {
        name: "log".to_owned(),
        signature: Signature { params: vec![param], result: int, variadic: false },
        constant: Vec::new(),
        origin: Origin::Missing,
        allocates: Vec::new(),
        ends: false,
        behaviour: Behaviour::default(),
        answers: Vec::new(),
        given: vec![Given { global: GlobalId(0), param: 0 }],
        limits: Vec::new(),
    });
    let mut found = found(frame(0, b"\0\0\0\0", 0.0), 5);
    found.run.stub_calls = vec![given.len() as u64];
    let mut kept = given.to_vec();
    kept.resize(MOST_GIVEN as usize + 1, 0);
    let after = Value::Array(kept.into_iter().map(Value::Int).collect());
    let before = Value::Array(vec![Value::Int(0); MOST_GIVEN as usize + 1]);
    found.run.globals = vec![Seen { global: GlobalId(0), before, after }];
    (subject, found)
}

fn stubs_asserted(subject: &Subject, found: &Found, habits: &Habits) -> Vec<(Root, Value)> {
    let all = assertions(subject, found, habits).into_iter();
    all.filter(|assertion| matches!(assertion.root, Root::Calls(_) | Root::Given(..)))
        .map(|assertion| (assertion.root, assertion.part.value))
        .collect()
}

#[test]
fn calls_of_stubs_are_asserted_with_what_they_were_given_each_time() {
    let stub = StubId(0);
    let (subject, found) = with_stub(&[7, -1]);
    let habits = Habits::of(&subject, FunctionId(0), std::slice::from_ref(&found));
    assert_eq!(habits.called, BTreeSet::from([stub]));
    let given = Value::Array(vec![Value::Int(7), Value::Int(-1)]);
    let (calls, given) = ((Root::Calls(stub), Value::Int(2)), (Root::Given(stub, 0), given));
    assert_eq!(stubs_asserted(&subject, &found, &habits), [calls, given]);
    let (subject, none) = with_stub(&[]);
    let no_call = [(Root::Calls(stub), Value::Int(0))];
    assert_eq!(
        stubs_asserted(&subject, &none, &habits),
        no_call,
        "others call it, so that it is not called tells something"
    );
    assert_eq!(stubs_asserted(&subject, &none, &Habits::default()), []);
}

#[test]
fn of_many_calls_the_first_are_told_and_nothing_of_what_differs_in_a_second_run() {
    let (subject, found) = with_stub(&[3; 40]);
    let habits = Habits::of(&subject, FunctionId(0), std::slice::from_ref(&found));
    let asserted = stubs_asserted(&subject, &found, &habits);
    assert_eq!(asserted[1].1, Value::Array(vec![Value::Int(3); MOST_GIVEN as usize]));
    let (mut differing, mut more) = (found.clone(), found);
    differing.again = Some(with_stub(&[4; 40]).1.run);
    assert_eq!(stubs_asserted(&subject, &differing, &habits), [(Root::Calls(StubId(0)), Value::Int(40))]);
    more.again = Some(with_stub(&[3; 41]).1.run);
    assert_eq!(stubs_asserted(&subject, &more, &habits), []);
}

#[test]
fn what_queries_say_comes_last_unless_it_was_never_written() {
    let (subject, ..) = subject();
    let mut found = found(frame(0, b"\0\0\0\0", 0.0), 5);
    let query = |number| Query { function: FunctionId(0), object: 2, number };
    let said = |number, result| Queried { query: query(number), result: Value::Int(result) };
    found.queries = vec![said(0, 4), said(1, -1_431_655_766)];
    let assertions = assertions(&subject, &found, &Habits::default());
    let last = assertions.last().map(|assertion| (assertion.root, assertion.part.value.clone()));
    assert_eq!(last, Some((Root::Query(query(0)), Value::Int(4))));
    assert_eq!(assertions[0].root, Root::Result);
}

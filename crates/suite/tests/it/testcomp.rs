//! Test-Comp suites: the answers of undefined functions, in the order of the calls.

use crate::sketch::{Sketch, found, returned};
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::{FunctionId, GlobalId, StubId};
use testwright_base::run::Run;
use testwright_base::sample;
use testwright_base::stub::{Answers, Behaviour, Origin, Role, Stub};
use testwright_base::subject::{Global, Signature};
use testwright_suite::emit::Format;
use testwright_suite::{Style, Suite};

#[test]
fn a_case_of_main_lists_its_answers_in_the_order_of_the_calls() {
    let mut sketch = Sketch::new("program.c", "int main(void) { return __VERIFIER_nondet_int(); }\n");
    let types = &mut sketch.subject.types;
    let int = sample::int(types, "int", 32, true);
    let double = sample::float(types, 64);
    let (ints, doubles) = (sample::array(types, int, 2), sample::array(types, double, 1));
    sketch.subject.functions = vec![sample::taking("main", &[], int)];
    let global = |name: &str, ty| Global { name: name.to_owned(), ty: Some(ty), size: 8, place: None };
    sketch.subject.globals = vec![
        global("answers of __VERIFIER_nondet_int", ints),
        global("other", int),
        global("answers of __VERIFIER_nondet_double", doubles),
    ];
    let stub = |name: &str, result, global| Stub {
        name: name.to_owned(),
        signature: Signature { params: Vec::new(), result, variadic: false },
        constant: Vec::new(),
        origin: Origin::Missing,
        allocates: Vec::new(),
        behaviour: Behaviour::default(),
        ends: false,
        answers: vec![Answers { global: GlobalId(global), role: Role::Result }],
        given: Vec::new(),
        limits: Vec::new(),
    };
    sketch.subject.stubs =
        vec![stub("__VERIFIER_nondet_int", int, 0), stub("__VERIFIER_nondet_double", double, 2)];
    let set = |index: u32, value: Value| Statement::Set { global: GlobalId(index), value };
    let statements = vec![
        set(0, Value::Array(vec![Value::Int(7), Value::Int(-1)])),
        set(1, Value::Int(5)),
        set(2, Value::Array(vec![Value::Double(0.1f64.to_bits())])),
        Statement::Call { function: FunctionId(0), arguments: Vec::new() },
    ];
    let run =
        Run { stub_order: [0, 1, 0, 0].map(StubId).to_vec(), ..returned(Some(Value::Int(7)), vec![None; 4]) };
    let mut input = sketch.unread_input(vec![found(Case { statements }, run, 0)]);
    input.style = Style { formats: vec![Format::named("testcomp").unwrap()], ..Style::default() };
    let files = Suite::new(input).files();
    let text = &files.iter().find(|(path, _)| path == "test-suite/test-1.xml").expect("a case").1;
    let inputs: Vec<&str> = text.lines().map(str::trim).filter(|line| line.starts_with("<input")).collect();
    assert_eq!(
        inputs,
        [
            "<input variable=\"__VERIFIER_nondet_int\" type=\"int\">7</input>",
            "<input variable=\"__VERIFIER_nondet_double\" type=\"double\">0.1</input>",
            "<input variable=\"__VERIFIER_nondet_int\" type=\"int\">-1</input>",
            "<input variable=\"__VERIFIER_nondet_int\" type=\"int\">-1</input>",
        ]
    );
    assert!(!files.iter().any(|(path, _)| path.ends_with("_test.c")), "no other format was asked for");
}

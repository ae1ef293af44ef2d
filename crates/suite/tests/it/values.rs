//! Every kind of value, as input and as expectation, against C code that really runs.

use crate::compile;
use crate::sketch::{Sketch, call, found, returned};
use expect_test::expect_file;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::{FunctionId, GlobalId, TypeId};
use testwright_base::run::End;
use testwright_base::sample::{self, Member};
use testwright_base::subject::Global;
use testwright_base::types::{Qualifiers, Types};
use testwright_suite::{Found, Reason, Suite};

const TEXT: &str = include_str!("everything.c");

/// The types of `everything.c`.
struct Kinds {
    void: TypeId,
    int: TypeId,
    char: TypeId,
    byte: TypeId,
    boolean: TypeId,
    single: TypeId,
    double: TypeId,
    extended: TypeId,
    wide: TypeId,
    i64: TypeId,
    u64: TypeId,
    u32: TypeId,
    size: TypeId,
    colour: TypeId,
    point: TypeId,
    frame: TypeId,
    list: TypeId,
    row: TypeId,
    table: TypeId,
}

impl Kinds {
    fn new(types: &mut Types) -> Kinds {
        let int = sample::int(types, "int", 32, true);
        let char = sample::int(types, "char", 8, true);
        let unsigned = sample::int(types, "unsigned int", 32, false);
        let (single, double) = (sample::float(types, 32), sample::float(types, 64));
        let point = sample::record(
            types,
            Some("struct point"),
            false,
            &[Member::new("x", int), Member::new("y", int)],
        );
        let name = sample::array(types, char, 8);
        let inner =
            sample::record(types, None, true, &[Member::new("number", int), Member::new("real", single)]);
        let members = [
            Member::new("length", int),
            Member::new("name", name),
            Member::new("ratio", double),
            Member::new("at", point),
            Member::bits("low", unsigned, 3),
            Member::bits("high", unsigned, 5),
            Member::anonymous(inner),
        ];
        let frame = sample::record(types, Some("struct frame"), false, &members);
        let list = sample::incomplete(types, "list");
        let next = sample::pointer(types, list);
        let complete = sample::record(
            types,
            Some("list"),
            false,
            &[Member::new("value", int), Member::new("next", next)],
        );
        let complete = types.get(complete).clone();
        types.set(list, complete);
        Kinds {
            void: sample::void(types),
            int,
            char,
            byte: sample::int(types, "uint8_t", 8, false),
            boolean: sample::boolean(types),
            single,
            double,
            extended: sample::float(types, 80),
            wide: sample::int(types, "unsigned __int128", 128, false),
            i64: sample::int(types, "int64_t", 64, true),
            u64: sample::int(types, "uint64_t", 64, false),
            u32: sample::int(types, "uint32_t", 32, false),
            size: sample::int(types, "size_t", 64, false),
            colour: sample::enumeration(types, "enum colour", &[("RED", 0), ("GREEN", 5), ("BLUE", -3)]),
            point,
            frame,
            list,
            row: sample::array(types, int, 2),
            table: sample::array(types, int, 4),
        }
    }
}

fn sketch() -> (Sketch, Kinds) {
    let mut sketch = Sketch::new("everything.c", TEXT);
    let types = &mut sketch.subject.types;
    let kinds = Kinds::new(types);
    let to = [kinds.byte, kinds.frame, kinds.int, kinds.char, kinds.list, kinds.row]
        .map(|ty| sample::pointer(types, ty));
    let [bytes, frame, ints, text, list, rows] = to;
    let words = sample::pointer(types, kinds.char);
    types.qualify(words, Qualifiers { constant: true, volatile: false });
    let names = sample::pointer(types, words);
    let k = &kinds;
    let mut paint =
        sample::taking("paint", &[("colour", k.colour), ("mixed", k.boolean), ("letter", k.char)], k.colour);
    paint.internal = true;
    sketch.subject.functions = vec![
        paint,
        sample::taking("half", &[("x", k.double), ("y", k.single), ("z", k.extended)], k.double),
        sample::taking("negate", &[("x", k.single)], k.single),
        sample::taking("twice", &[("x", k.extended)], k.extended),
        sample::taking("wide", &[("x", k.wide)], k.wide),
        sample::taking("most", &[("x", k.i64), ("y", k.u32)], k.u64),
        sample::counted(
            sample::taking("decode", &[("data", bytes), ("size", k.size), ("out", frame)], k.int),
            0,
            1,
        ),
        sample::counted(sample::taking("sort", &[("a", ints), ("n", k.int)], k.void), 0, 1),
        sample::taking("find", &[("text", text), ("letter", k.char)], text),
        sample::taking("greeting", &[], words),
        sample::taking("total", &[("list", list)], k.int),
        sample::counted(sample::taking("longest", &[("names", names), ("n", k.int)], k.int), 0, 1),
        sample::taking("trace_of", &[("rows", rows)], k.int),
        sample::taking("mirror", &[("p", k.point)], k.point),
        sample::taking("state", &[], k.int),
        sample::taking("bump", &[("value", ints)], k.void),
        sample::taking("quit", &[("status", k.int)], k.void),
        sample::taking("unknown", &[("x", k.double)], k.double),
        sample::taking("upper", &[("text", text)], k.void),
    ];
    let global =
        |name: &str, ty: TypeId, size: u64| Global { name: name.to_owned(), ty: Some(ty), size, place: None };
    sketch.subject.globals =
        vec![global("count", k.int, 4), global("table", k.table, 16), global("origin", k.point, 8)];
    // Goals by number are enough here; none of them has a site.
    sketch.subject.outcome_count = 100;
    (sketch, kinds)
}

fn ints(values: &[i128]) -> Vec<Value> {
    values.iter().map(|value| Value::Int(*value)).collect()
}

fn chars(text: &str) -> Vec<Value> {
    text.bytes().map(|byte| Value::Int(i128::from(byte))).collect()
}

fn point(x: i128, y: i128) -> Value {
    Value::Record(ints(&[x, y]))
}

fn pointer(object: usize) -> Value {
    Value::Pointer { object, offset: 0 }
}

fn object(element: TypeId, values: Vec<Value>) -> Statement {
    Statement::Object { element, values }
}

/// A case with objects before its call, and what they are afterwards; `None` for what did not change.
fn with_objects(
    function: u32,
    objects: Vec<Statement>,
    arguments: Vec<Value>,
    result: Option<Value>,
    after: &[Option<Vec<Value>>],
) -> Found {
    let before = |statement: &Statement| match statement {
        Statement::Object { values, .. } => Some(values.clone()),
        _ => None,
    };
    let objects_after = objects
        .iter()
        .enumerate()
        .map(|(index, statement)| {
            after.get(index).cloned().flatten().or_else(|| before(statement)).map(Value::Array)
        })
        .chain([None])
        .collect();
    let mut statements = objects;
    statements.push(Statement::Call { function: FunctionId(function), arguments });
    found(Case { statements }, returned(result, objects_after), 0)
}

fn simple(function: u32, arguments: Vec<Value>, result: Value) -> Found {
    found(call(function, arguments), returned(Some(result), vec![None]), 0)
}

fn double(value: f64) -> Value {
    Value::Double(value.to_bits())
}

fn single(value: f32) -> Value {
    Value::Single(value.to_bits())
}

/// x87 extended numbers: 1.5 and 3.
const EXTENDED: [[u8; 10]; 2] =
    [[0, 0, 0, 0, 0, 0, 0, 0xc0, 0xff, 0x3f], [0, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0x40]];

fn scalars() -> Vec<Found> {
    let extended = EXTENDED.map(|bytes| Value::Bytes(bytes.to_vec()));
    vec![
        simple(0, ints(&[5, 0, 0]), Value::Int(5)),
        simple(0, ints(&[2, 1, 98]), Value::Int(-3)),
        simple(
            1,
            vec![double(0.3), single(-0.1), extended[0].clone()],
            double(0.3 / 2.0 + f64::from(-0.1f32) + 1.5),
        ),
        simple(2, vec![single(0.0)], single(-0.0)),
        simple(2, vec![single(f32::NEG_INFINITY)], single(f32::INFINITY)),
        simple(3, vec![extended[0].clone()], extended[1].clone()),
        simple(4, vec![Value::Int(1 << 100)], Value::Int((1 << 100) + 1)),
        simple(
            5,
            ints(&[i128::from(i64::MAX), i128::from(u32::MAX)]),
            Value::Int(i128::from(i64::MAX) + i128::from(u32::MAX)),
        ),
        simple(5, ints(&[-1, 0]), Value::Int(i128::from(u64::MAX))),
        simple(13, vec![point(1, -2)], point(-2, 1)),
        simple(17, vec![double(2.0)], double(f64::NAN)),
        simple(9, Vec::new(), Value::Address(0x7000)),
    ]
}

fn frame(length: i128, name: &str, ratio: f64, at: Value, high: i128, union: Value) -> Value {
    Value::Record(vec![
        Value::Int(length),
        Value::Array(chars(name)),
        double(ratio),
        at,
        Value::Int(0),
        Value::Int(high),
        union,
    ])
}

fn objects(k: &Kinds) -> Vec<Found> {
    let number = Value::Member(0, Box::new(Value::Int(0)));
    let real = Value::Member(0, Box::new(Value::Int(0x3fc0_0000)));
    let blank = frame(0, "\0\0\0\0\0\0\0\0", 0.0, point(0, 0), 0, number);
    let decoded = frame(4, "~\u{3}ab\0\0\0\0", -0.0, point(0, 4), 17, real);
    let data = object(k.byte, chars("~\u{3}ab"));
    let node = |value: i128, next: Value| Value::Record(vec![Value::Int(value), next]);
    let mut exits = found(call(16, ints(&[3])), returned(None, vec![None]), 0);
    exits.run.end = End::Exit(3);
    vec![
        with_objects(
            6,
            vec![data, object(k.frame, vec![blank])],
            vec![pointer(0), Value::Int(4), pointer(1)],
            Some(Value::Int(-2)),
            &[None, Some(vec![decoded])],
        ),
        with_objects(
            7,
            vec![object(k.int, ints(&[3, 1, 2]))],
            vec![pointer(0), Value::Int(3)],
            None,
            &[Some(ints(&[1, 2, 3]))],
        ),
        with_objects(7, vec![object(k.int, ints(&[7]))], vec![pointer(0), Value::Int(1)], None, &[]),
        with_objects(7, vec![object(k.int, Vec::new())], vec![pointer(0), Value::Int(0)], None, &[]),
        with_objects(
            8,
            vec![object(k.char, chars("a \"b\"\n\0"))],
            vec![pointer(0), Value::Int(98)],
            Some(Value::Pointer { object: 0, offset: 3 }),
            &[],
        ),
        with_objects(
            8,
            vec![object(k.char, chars("\0"))],
            vec![pointer(0), Value::Int(98)],
            Some(Value::Null),
            &[],
        ),
        with_objects(10, Vec::new(), vec![Value::Null], Some(Value::Int(0)), &[]),
        with_objects(
            10,
            vec![object(k.list, vec![node(2, Value::Null)]), object(k.list, vec![node(1, pointer(0))])],
            vec![pointer(1)],
            Some(Value::Int(3)),
            &[],
        ),
        with_objects(
            10,
            vec![object(k.list, vec![node(1, pointer(1))]), object(k.list, vec![node(2, pointer(1))])],
            vec![pointer(0)],
            Some(Value::Int(103)),
            &[],
        ),
        longest(k),
        with_objects(
            12,
            vec![object(k.row, vec![Value::Array(ints(&[1, 2])), Value::Array(ints(&[3, 4]))])],
            vec![pointer(0)],
            Some(Value::Int(5)),
            &[],
        ),
        with_objects(15, vec![object(k.int, ints(&[1]))], vec![pointer(0)], None, &[Some(ints(&[2]))]),
        with_objects(15, vec![object(k.int, ints(&[0]))], vec![pointer(0)], None, &[]),
        with_objects(18, vec![object(k.char, chars("aB\0"))], vec![pointer(0)], None, &[Some(chars("AB\0"))]),
        exits,
    ]
}

fn longest(k: &Kinds) -> Found {
    // `greeting` returns a pointer to const char, which is the element type here.
    let (sketch, _) = sketch();
    let to_char = sketch.subject.functions[9].signature.as_ref().unwrap().result;
    let objects = vec![
        object(k.char, chars("ab\0")),
        object(k.char, chars("abc\0")),
        object(to_char, vec![pointer(0), pointer(1)]),
    ];
    with_objects(11, objects, vec![pointer(2), Value::Int(2)], Some(Value::Int(1)), &[])
}

fn globals() -> Found {
    let set = |global: u32, value: Value| Statement::Set { global: GlobalId(global), value };
    let statements = vec![
        set(0, Value::Int(1)),
        set(1, Value::Array(ints(&[0, 20, 0, 0]))),
        set(2, point(300, 0)),
        Statement::Call { function: FunctionId(14), arguments: Vec::new() },
    ];
    found(Case { statements }, returned(Some(Value::Int(321)), vec![None; 4]), 0)
}

fn all(kinds: &Kinds) -> Vec<Found> {
    let mut all = scalars();
    all.extend(objects(kinds));
    all.push(globals());
    for (goal, found) in (0..).zip(&mut all) {
        found.goals = vec![testwright_base::ids::GoalId(goal)];
    }
    all
}

#[test]
fn every_kind_of_value_is_written_as_a_person_would() {
    let (sketch, kinds) = sketch();
    let input = sketch.unread_input(all(&kinds));
    let suite = Suite::new(input);
    // After sorting nothing there is nothing to assert.
    let [left_out] = suite.left_out.as_slice() else { panic!("{:?}", suite.left_out) };
    assert_eq!(left_out.reason, Reason::NothingToAssert);
    assert_eq!(suite.tests.len() + 1, suite.input.found.len());
    let files = suite.files();
    let text = &files.iter().find(|(path, _)| path == "everything_test.c").unwrap().1;
    expect_file!["everything_test.c"].assert_eq(text);
    let folder = tempfile::tempdir().unwrap();
    compile::write(folder.path(), &[("everything.c", TEXT)], &suite);
    compile::expect_to_pass(folder.path(), &["c99", "c11", "c17"]);
}

#[test]
fn tests_pass_under_sanitizers_too() {
    let (sketch, kinds) = sketch();
    let input = sketch.unread_input(all(&kinds));
    let folder = tempfile::tempdir().unwrap();
    compile::write(folder.path(), &[("everything.c", TEXT)], &Suite::new(input));
    let flags = "CFLAGS=-g -fsanitize=address,undefined -fno-sanitize-recover=all";
    let output = compile::make(folder.path(), &["check", "CC=gcc", flags]);
    assert!(output.status.success(), "{}", compile::text(&output));
}

#[test]
fn what_c_cannot_write_is_left_out_with_its_reason() {
    let mut sketch =
        Sketch::new("opaque.c", "struct hidden; int peek(struct hidden *hidden) { return hidden != 0; }\n");
    let hidden = sample::incomplete(&mut sketch.subject.types, "struct hidden");
    let int = sample::int(&mut sketch.subject.types, "int", 32, true);
    let to_hidden = sample::pointer(&mut sketch.subject.types, hidden);
    sketch.subject.functions = vec![sample::taking("peek", &[("hidden", to_hidden)], int)];
    let case = with_objects(0, vec![object(hidden, Vec::new())], vec![pointer(0)], Some(Value::Int(1)), &[]);
    let input = sketch.unread_input(vec![case]);
    let suite = Suite::new(input);
    assert!(suite.tests.is_empty());
    let reason = suite.left_out[0].reason.to_string();
    assert_eq!(
        reason,
        "met only by a case that cannot be written as C: an object of type struct hidden, which is not defined"
    );
}

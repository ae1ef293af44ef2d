//! Cases in JSON: what is read, what is refused and how it is said, what is written.

use super::*;
use crate::sample::{self, Member, record, taking};
use expect_test::{Expect, expect};

/// A subject with a function for each thing to be tested.
fn subject() -> Subject {
    let mut subject = sample::empty_subject();
    let types = &mut subject.types;
    let void = sample::void(types);
    let byte = sample::int(types, "unsigned char", 8, false);
    let char = sample::int(types, "char", 8, true);
    let int = sample::int(types, "int", 32, true);
    let wide = sample::int(types, "unsigned __int128", 128, false);
    let boolean = sample::boolean(types);
    let (float, double, extended) =
        (sample::float(types, 32), sample::float(types, 64), sample::float(types, 80));
    let colour = sample::enumeration(types, "enum colour", &[("RED", 0), ("GREEN", 1)]);
    let text = sample::pointer(types, char);
    let texts = sample::pointer(types, text);
    let anything = sample::pointer(types, void);
    let ints = sample::pointer(types, int);
    let name = sample::array(types, char, 4);
    let either = record(types, None, true, &[Member::new("i", int), Member::new("f", float)]);
    let members = [
        Member::new("x", int),
        Member::new("name", name),
        Member::anonymous(either),
        Member::bits("b", int, 3),
    ];
    let point = record(types, Some("struct point"), false, &members);
    let points = sample::pointer(types, point);
    let union = record(types, Some("union u"), true, &[Member::new("i", int), Member::new("d", double)]);
    let hidden = sample::incomplete(types, "struct hidden");
    let hidden = sample::pointer(types, hidden);
    let shape = crate::types::Shape::Function { result: int, params: vec![int], variadic: false };
    let callback = types.push(crate::types::Type { name: None, size: 0, align: 1, shape });
    let callback = sample::pointer(types, callback);
    subject.functions = vec![
        taking("triangle", &[("a", int), ("b", int), ("c", int)], int),
        taking("scalars", &[("u", byte), ("w", wide), ("t", boolean), ("e", colour)], void),
        taking("floats", &[("s", float), ("d", double)], void),
        taking("text", &[("s", text), ("any", anything), ("list", texts)], void),
        taking("record", &[("p", points), ("v", point), ("u", union)], void),
        taking("pointers", &[("n", ints), ("m", ints)], void),
        taking("refused", &[("x", extended)], void),
        taking("opaque", &[("h", hidden), ("f", callback)], void),
        taking("nothing", &[], void),
    ];
    let global =
        |name: &str, ty| crate::subject::Global { name: name.to_owned(), ty: Some(ty), size: 4, place: None };
    subject.globals = vec![global("count", int), global("total", int), global("message", text)];
    subject
}

/// Reads a case and writes its values as C.
#[expect(clippy::needless_pass_by_value, reason = "`expect!` makes a value, and the calls read better so")]
fn check(function: &str, text: &str, expected: Expect) {
    let subject = subject();
    let id = subject.function_named(function).expect("the subject has it");
    let shown = match parse_case(&subject, id, text) {
        Err(error) => error.to_string(),
        Ok(case) => {
            let (_, arguments) = case.call().expect("a case ends with a call");
            let params = &subject.function(id).signature.as_ref().expect("it has one").params;
            let arguments: Vec<String> = params
                .iter()
                .zip(arguments)
                .map(|(param, value)| describe_in(&subject, &case, value, param.ty))
                .collect();
            let sets = case.statements.iter().filter_map(|statement| match statement {
                Statement::Set { global, value } => {
                    let global = &subject.globals[global.index()];
                    Some(format!("{} = {}; ", global.name, describe_in(&subject, &case, value, global.ty?)))
                }
                _ => None,
            });
            assert_eq!(
                case_from_json(&subject, id, &case_to_json(&subject, &case)),
                Ok(case.clone()),
                "{text}"
            );
            format!("{}{function}({})", sets.collect::<String>(), arguments.join(", "))
        }
    };
    expected.assert_eq(&shown);
}

#[test]
fn arguments_are_given_in_order_or_by_name() {
    check("triangle", "[3, 4, 5]", expect!["triangle(3, 4, 5)"]);
    check("triangle", r#"{"c": 5, "a": 3, "b": 4}"#, expect!["triangle(3, 4, 5)"]);
    check("triangle", r#"{"args": [1, 2, 3]}"#, expect!["triangle(1, 2, 3)"]);
    check(
        "triangle",
        r#"{"args": {"a": 1, "b": 2, "c": 3}, "globals": {"total": 2, "count": 1}}"#,
        expect!["count = 1; total = 2; triangle(1, 2, 3)"],
    );
    check("nothing", "[]", expect!["nothing()"]);
    check("nothing", r#"{"globals": {"message": "hi"}}"#, expect![[r#"message = "hi"; nothing()"#]]);
}

#[test]
fn a_wrong_list_of_arguments_is_refused() {
    check("triangle", "[3, 4]", expect!["the case: `triangle` takes 3 arguments (a, b, c), 2 given"]);
    check("triangle", r#"{"a": 3, "b": 4}"#, expect!["the case: argument `c` is missing"]);
    check(
        "triangle",
        r#"{"a": 3, "b": 4, "d": 5}"#,
        expect!["the case: `triangle` has no parameter `d`; there is a, b, c"],
    );
    check(
        "triangle",
        "7",
        expect![[r#"the case: arguments are written [..] in order or {"name": value, ..}"#]],
    );
    check(
        "triangle",
        "[3, 4",
        expect!["the case: this is not JSON: EOF while parsing a list at line 1 column 5"],
    );
    check(
        "triangle",
        r#"{"args": [1, 2, 3], "global": {}}"#,
        expect!["the case: `global` stands beside args; only calls, globals and objects can"],
    );
    check(
        "nothing",
        r#"{"globals": {"totl": 2}}"#,
        expect!["global `totl`: there is no such variable that can be written; did you mean `total`?"],
    );
}

#[test]
fn integers_are_checked_against_their_type() {
    check(
        "scalars",
        r#"[255, 340282366920938463463374607431768211455, true, "GREEN"]"#,
        expect!["scalars(255, 340282366920938463463374607431768211455, true, GREEN)"],
    );
    check("scalars", r#"["'a'", "0x1f", 0, 7]"#, expect!["scalars('a', 31, false, 7)"]);
    check(
        "scalars",
        r#"[300, 0, 0, 0]"#,
        expect!["argument 1 (`u`): 300 does not fit unsigned char (0 .. 255)"],
    );
    check(
        "scalars",
        r#"[0, -1, 0, 0]"#,
        expect![
            "argument 2 (`w`): -1 does not fit unsigned __int128 (0 .. 340282366920938463463374607431768211455)"
        ],
    );
    check("scalars", r#"[0, 0, 2, 0]"#, expect!["argument 3 (`t`): 2 is neither true nor false"]);
    check(
        "scalars",
        r#"[0, 0, 0, "GREN"]"#,
        expect!["argument 4 (`e`): `enum colour` has no constant `GREN`; did you mean `GREEN`?"],
    );
    check(
        "scalars",
        r#"[1.5, 0, 0, 0]"#,
        expect!["argument 1 (`u`): 1.5 is not an integer, which `unsigned char` needs"],
    );
    check(
        "triangle",
        r#"["INT_MIN", "INT_MAX", null]"#,
        expect!["argument 3 (`c`): null is not an integer, which `int` needs"],
    );
}

#[test]
fn floats_are_exact() {
    check("floats", "[0.1, -0.0]", expect!["floats(0.1f, -0.0)"]);
    check("floats", r#"["nan", "-inf"]"#, expect!["floats(NAN, -INFINITY)"]);
    check("floats", r#"["0x1.8p3", 1e300]"#, expect!["floats(12.0f, 1e300)"]);
    check("floats", r#"[1e300, 0]"#, expect!["argument 1 (`s`): 1e+300 is too large for float"]);
    check("floats", r#"[0, "x"]"#, expect!["argument 2 (`d`): x is not a number for double"]);
    check(
        "floats",
        r#"[0, [1]]"#,
        expect!["argument 2 (`d`): an array is not a number, which `double` needs"],
    );
}

#[test]
fn text_is_terminated_and_buffers_are_not() {
    check(
        "text",
        r#"["ab\n", null, ["x", null, ""]]"#,
        expect![[r#"text("ab\n", NULL, (char * [3]){"x", NULL, ""})"#]],
    );
    check(
        "text",
        r#"[{"buffer": "ab", "size": 4}, [1, 2], null]"#,
        expect!["text((char [4]){'a', 'b', '\\0', '\\0'}, (unsigned char [2]){1, 2}, NULL)"],
    );
    check(
        "text",
        r#"[{"buffer": [65, 66]}, "x", []]"#,
        expect![[r#"text((char [2]){'A', 'B'}, "x", (char * [0]){})"#]],
    );
    check(
        "text",
        r#"[{"buffer": "abc", "size": 2}, null, null]"#,
        expect!["argument 1 (`s`): 3 bytes do not fit a buffer of 2"],
    );
    check(
        "text",
        r#"[{"size": 99999999999}, null, null]"#,
        expect!["argument 1 (`s`): an object can have 4194304 bytes at most"],
    );
    check(
        "text",
        r#"[null, null, ["x", 5]]"#,
        expect![
            "argument 3 (`list[1]`): 5 is no pointer to `char`; null or [..] with the elements it points to is"
        ],
    );
    check(
        "text",
        r#"[{"bufer": "abc"}, null, null]"#,
        expect![[r#"argument 1 (`s`): a buffer has no `bufer`; it is written {"buffer": .., "size": ..}"#]],
    );
}

#[test]
fn records_are_given_by_field_or_in_order() {
    check(
        "record",
        r#"[{"x": 1, "name": "ab", "f": 2.5}, [1, "abcd"], {"d": 1}]"#,
        expect![[
            r#"record(&(struct point){.x = 1, .name = "ab", .f = 2.5f, .b = 0}, {.x = 1, .name = {'a', 'b', 'c', 'd'}, .i = 0, .b = 0}, {.d = 1.0})"#
        ]],
    );
    check(
        "record",
        r#"[[{"x": 1}, {"x": 2}], {}, {"i": 3}]"#,
        expect![[
            r#"record((struct point [2]){{.x = 1, .name = "", .i = 0, .b = 0}, {.x = 2, .name = "", .i = 0, .b = 0}}, {.x = 0, .name = "", .i = 0, .b = 0}, {.i = 3})"#
        ]],
    );
    check(
        "record",
        r#"[null, {"y": 1}, {"i": 1}]"#,
        expect!["argument 2 (`v`): `struct point` has no field `y`; there is x, name, i, f, b"],
    );
    check(
        "record",
        r#"[[{}, {"name": "abcde"}], {}, {"i": 1}]"#,
        expect!["argument 1 (`p[1].name`): the array has 4 elements, 5 given"],
    );
    check(
        "record",
        r#"[null, {"b": 5}, {"i": 1}]"#,
        expect!["argument 2 (`v.b`): 5 does not fit a bit-field of 3 bits (-4 .. 3)"],
    );
    check(
        "record",
        r#"[null, {"i": 1, "f": 2}, {"i": 1}]"#,
        expect!["argument 2 (`v`): `union {..}` is a union: exactly one member is given"],
    );
    check(
        "record",
        r#"[null, {}, {}]"#,
        expect!["argument 3 (`u`): `union u` is a union: exactly one member is given"],
    );
    check(
        "record",
        r#"[null, [1, "a", {"i": 1}, 2, 3], {"i": 1}]"#,
        expect!["argument 2 (`v`): `struct point` has 4 fields, 5 given"],
    );
}

#[test]
fn what_cannot_be_built_is_refused_by_name_and_type() {
    check("refused", "[1.0]", expect!["argument 1 (`x`): values of type `long double` cannot be given"]);
    check("opaque", "[null, null]", expect!["opaque(NULL, NULL)"]);
    check(
        "opaque",
        "[{}, null]",
        expect!["argument 1 (`h`): only null can be given for a pointer to `struct hidden`"],
    );
    check(
        "opaque",
        r#"[null, "cmp"]"#,
        expect![[r#"argument 2 (`f`): a function can be given as "stub", or as null"#]],
    );
}

#[test]
fn shared_objects_are_listed_and_meant_by_number() {
    let json = r#"{"objects": [{"type": "int", "values": [1, 2]}], "args": [{"@object": 0}, {"@object": 0, "@offset": 4}]}"#;
    check("pointers", json, expect!["pointers((int [2]){1, 2}, object 0 + 4)"]);
    check("pointers", r#"[[1, 2], {"@object": 0}]"#, expect!["pointers((int [2]){1, 2}, (int [2]){1, 2})"]);
    check(
        "pointers",
        r#"[{"@object": 0}, null]"#,
        expect!["argument 1 (`n`): 0 is none of the 0 objects so far"],
    );
    check(
        "pointers",
        r#"{"objects": [{"type": "in", "values": []}], "args": [null, null]}"#,
        expect!["object `0`: the code has no type `in`"],
    );
}

#[test]
fn calls_before_are_listed_and_their_results_meant_by_number() {
    let two = r#"{"calls": [{"call": "triangle", "args": [1, 2, 3]}, {"call": "nothing"}], "args": [{"@call": 0}, 4, 5]}"#;
    check("triangle", two, expect!["triangle(r0, 4, 5)"]);
    let calls = |calls: &str| format!(r#"{{"calls": {calls}, "args": [{{"@call": 0}}, 4, 5]}}"#);
    check("triangle", &calls("[]"), expect!["argument 1 (`a`): 0 is none of the 0 calls before"]);
    check(
        "triangle",
        &calls(r#"[{"call": "nothing"}]"#),
        expect!["argument 1 (`a`): call 0 returns `void`, and `int` is needed"],
    );
    check(
        "triangle",
        &calls(r#"[{"call": "triangel"}]"#),
        expect!["call 0: there is no function `triangel`; did you mean `triangle`?"],
    );
    check(
        "triangle",
        &calls(r#"[{"call": "triangle", "args": [1, "x", 3]}]"#),
        expect![[r#"call 0, argument 2 (`b`): "x" is not an integer, which `int` needs"#]],
    );
    check(
        "triangle",
        &calls("7"),
        expect![[r#"the case: calls are written [{"call": "name", "args": [..]}, ..]"#]],
    );
}

#[test]
fn strings_are_escaped_as_c_needs_it() {
    check(
        "text",
        r#"["\u0001\u00011\"\\'é", null, null]"#,
        expect![[r#"text("\1\0011\"\\'\303\251", NULL, NULL)"#]],
    );
}

#[test]
fn extended_numbers_are_written_exactly() {
    let subject = subject();
    let extended = subject.functions[6].signature.as_ref().expect("it has one").params[0].ty;
    let shown = |exponent: u16, mantissa: u64| {
        let bits = u128::from(exponent) << 64 | u128::from(mantissa);
        describe(&subject, &Value::Bytes(bits.to_le_bytes()[..10].to_vec()), extended)
    };
    assert_eq!(shown(16383, 1 << 63), "1.0L");
    assert_eq!(shown(16384 | 0x8000, 5 << 61), "-2.5L");
    assert_eq!(shown(16383, u64::MAX), "0xffffffffffffffffp-63L");
    assert_eq!(shown(0x7fff, 1 << 63), "INFINITY");
    assert_eq!(shown(0, 0), "0.0L");
}

mod random {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_case_survives_being_written_and_read(choices in prop::collection::vec(any::<u16>(), 0..300)) {
            let (subject, case) = sample::subject_and_case(&choices);
            let json = case_to_json(&subject, &case);
            let text = serde_json::to_string(&json).expect("JSON can be written");
            prop_assert_eq!(parse_case(&subject, FunctionId(0), &text), Ok(case), "{}", text);
        }

        #[test]
        fn any_text_is_read_or_refused(choices in prop::collection::vec(any::<u16>(), 0..60), text in "[\\[\\]{}\",:0-9a-z@. -]{0,40}") {
            let (subject, _) = sample::subject_and_case(&choices);
            if let Ok(case) = parse_case(&subject, FunctionId(0), &text) {
                prop_assert!(case.call().is_some());
            }
        }
    }
}

#[test]
fn streams_are_written_as_their_text() {
    let mut subject = sample::empty_subject();
    let types = &mut subject.types;
    let (void, file) = (sample::void(types), sample::incomplete(types, "struct _IO_FILE"));
    let stream = sample::pointer(types, file);
    crate::stream::install(types, &[file], "FILE");
    subject.functions = vec![taking("f", &[("in", stream), ("out", stream)], void)];
    let function = FunctionId(0);
    let back =
        |text: &str| case_to_json(&subject, &parse_case(&subject, function, text).unwrap()).to_string();
    assert_eq!(back(r#"["a\nb", null]"#), r#"{"in":"a\nb","out":null}"#);
    let shared =
        r#"{"args":{"in":{"@object":0},"out":{"@object":0}},"objects":[{"type":"FILE","values":["x"]}]}"#;
    assert_eq!(back(shared), shared);
    let raw = r#"{"in":{"length":1,"text":"ab"},"out":""}"#;
    assert_eq!(back(raw), raw, "what lies behind the text is kept");
    let case = parse_case(&subject, function, r#"["a\n", null]"#).unwrap();
    let Some((_, arguments)) = case.call() else { panic!("a call") };
    assert_eq!(describe_in(&subject, &case, &arguments[0], stream), r#"text_stream("a\n")"#);
    let long = format!("[\"{}\", null]", "x".repeat(256));
    assert!(parse_case(&subject, function, &long).is_err());
}

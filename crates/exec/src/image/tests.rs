//! Images of small cases, and of random ones.

use super::*;
use proptest::prelude::*;
use testwright_abi::draw::{Draw, DrawKind};
use testwright_base::ids::FunctionId;
use testwright_base::json::parse_case;
use testwright_base::layout::ArgumentBlock;
use testwright_base::sample::{self, Member, record, subject_and_case, taking};
use testwright_base::subject::Global;
use testwright_process::global_places;

/// `int f(char c, struct point *p, char *text, int *n, enum e e)` with the globals `count` and `flags`.
fn subject() -> Subject {
    let mut subject = sample::empty_subject();
    let types = &mut subject.types;
    let char = sample::int(types, "char", 8, true);
    let int = sample::int(types, "int", 32, true);
    let double = sample::float(types, 64);
    let boolean = sample::boolean(types);
    let text = sample::pointer(types, char);
    let members = [Member::new("x", int), Member::new("d", double), Member::new("s", text)];
    let point = record(types, Some("struct point"), false, &members);
    let points = sample::pointer(types, point);
    let ints = sample::pointer(types, int);
    let colour = sample::enumeration(types, "enum e", &[("A", -1), ("B", 5)]);
    let flags = sample::array(types, boolean, 2);
    subject.functions =
        vec![taking("f", &[("c", char), ("p", points), ("text", text), ("n", ints), ("e", colour)], int)];
    let global = |name: &str, ty, size| Global { name: name.to_owned(), ty: Some(ty), size, place: None };
    subject.globals = vec![global("count", int, 4), global("flags", flags, 2)];
    subject
}

fn case(text: &str) -> (Subject, Case, Image) {
    let subject = subject();
    let case = parse_case(&subject, FunctionId(0), text).expect("the case fits");
    let image = Image::lay_out(&subject, &case).expect("the case has an image");
    (subject, case, image)
}

fn end(span: Span) -> u64 {
    span.address + span.length
}

const EXAMPLE: &str =
    r#"{"args": ["'a'", [{"x": 1, "s": "q"}, {"x": 2}], "hello", [], "B"], "globals": {"count": 7}}"#;

#[test]
fn every_part_ends_at_a_page_and_a_page_that_no_part_has_follows() {
    let (_, _, image) = case(EXAMPLE);
    let text = Part::Object(0);
    assert_eq!(
        image.parts,
        [Part::Arguments, Part::Result, text, Part::Object(1), Part::Object(2), Part::Object(3)]
    );
    assert_eq!(image.spans.iter().map(|span| span.length).collect::<Vec<_>>(), [48, 16, 2, 48, 6, 0]);
    for span in &image.spans {
        assert_eq!(end(*span) % PAGE, 0, "{span:x?}");
    }
    for pair in image.spans.windows(2) {
        assert!(end(pair[0]) + PAGE <= pair[1].address / PAGE * PAGE, "{pair:x?}");
    }
    assert_eq!(image.spans[0].address, image.arguments);
    assert_eq!(image.spans[1].address, image.result);
}

#[test]
fn an_object_whose_size_is_no_multiple_of_its_alignment_still_ends_on_the_last_page() {
    let mut area = Area { next: INPUT_BASE };
    let span = area.take(12, 8, Side::End);
    assert_eq!((span.address - INPUT_BASE, span.length), (PAGE - 16, 12));
    let large = area.take(PAGE + 1, 1, Side::End);
    assert_eq!(end(large), INPUT_BASE + 4 * PAGE);
    let empty = area.take(0, 4, Side::End);
    assert_eq!((empty.address - INPUT_BASE, empty.length), (6 * PAGE, 0));
    let aligned = area.take(8, 2 * PAGE, Side::End);
    assert_eq!(aligned.address % (2 * PAGE), 0);
}

#[test]
fn leaves_have_the_names_that_c_gives_them() {
    let (subject, case, image) = case(EXAMPLE);
    let leaves = image.leaves(&subject, &case);
    let names = image.names(&subject, &case);
    let expected = "c p text n e p[0].s[0] p[0].s[1] p[0].x p[0].d p[0].s p[1].x p[1].d p[1].s text[0] text[1] text[2] text[3] text[4] text[5] count";
    assert_eq!(names.join(" "), expected);
    let terminators: Vec<&str> = leaves
        .iter()
        .zip(&names)
        .filter(|(leaf, _)| leaf.terminator)
        .map(|(_, name)| name.as_str())
        .collect();
    assert_eq!(terminators, ["p[0].s[1]", "text[5]"]);
    let count = leaves.last().expect("there are leaves").leaf;
    assert_eq!((count.address, count.bytes, count.global), (0, 4, 0));
}

#[test]
fn draws_know_the_ranges_of_their_types() {
    let (subject, case, image) =
        case(r#"{"args": [0, {"d": 1}, "x", null, 5], "globals": {"flags": [true]}}"#);
    let drawn: Vec<(u32, u32, i64, u64)> = image
        .draws(&subject, &case)
        .iter()
        .map(|Draw { kind, bytes, low, span, .. }| (*kind, *bytes, *low as i64, *span))
        .collect();
    let [integer, range, float, text] =
        [DrawKind::Integer, DrawKind::Range, DrawKind::Float, DrawKind::Text].map(|kind| kind as u32);
    let expected = [
        (integer, 1, 0, 0),
        (range, 4, -1, 7),
        (integer, 4, 0, 0),
        (float, 8, 0, 0),
        (text, 1, 0, 0),
        (range, 1, 0, 2),
        (range, 1, 0, 2),
    ];
    assert_eq!(drawn, expected);
}

#[test]
fn a_draw_for_a_global_goes_where_the_global_is_written_from() {
    let (subject, case, image) =
        case(r#"{"args": [0, null, null, null, 5], "globals": {"flags": [true], "count": 3}}"#);
    assert_eq!(image.globals, [(GlobalId(0), vec![3, 0, 0, 0]), (GlobalId(1), vec![1, 0])]);
    let places = global_places(&[(0, &[3, 0, 0, 0]), (1, &[1, 0])]);
    let draws = image.draws(&subject, &case);
    let last: Vec<u64> = draws[draws.len() - 3..].iter().map(|draw| draw.address).collect();
    assert_eq!(last, [places[0], places[1], places[1] + 1]);
}

#[test]
fn a_fault_is_told_by_the_part_it_missed() {
    let (_, _, image) = case(EXAMPLE);
    let text = image.spans[4];
    assert_eq!(image.outside(end(text)), Some((4, 0)));
    assert_eq!(image.outside(end(text) + 3), Some((4, 3)));
    assert_eq!(image.outside(text.address), None);
    assert_eq!(image.outside(text.address - 1), Some((4, -1)));
    let empty = image.spans[5];
    assert_eq!(image.outside(empty.address), Some((5, 0)));
    assert_eq!(image.outside(empty.address - 4), Some((5, -4)));
    assert_eq!(image.outside(0), None);
    assert_eq!(image.outside(end(empty) + 2 * PAGE), None);
}

#[test]
fn addresses_are_read_as_pointers_where_they_point_into_the_case() {
    let (subject, _, image) = case(EXAMPLE);
    let ty = subject.functions[0].signature.as_ref().expect("it has one").params[2].ty;
    let read = |address: u64| image.read_value(&subject.types, ty, &address.to_le_bytes());
    let text = image.object(2).expect("it is the text");
    assert_eq!(read(0), Value::Null);
    assert_eq!(read(text.address + 2), Value::Pointer { object: 2, offset: 2 });
    assert_eq!(read(end(text)), Value::Pointer { object: 2, offset: 6 });
    assert_eq!(read(end(text) + 1), Value::Address(end(text) + 1));
    assert_eq!(read(image.arguments), Value::Address(image.arguments));
}

#[test]
fn leaves_know_what_leads_to_them() {
    let (subject, case, image) = case(EXAMPLE);
    let roots = image.roots(&subject, &case);
    let of = |name: &str| {
        let number = image.names(&subject, &case).iter().position(|one| one == name);
        roots[number.expect("there is such a leaf")]
    };
    assert_eq!(roots.len(), image.leaves(&subject, &case).len());
    assert_eq!(
        (of("c"), of("p"), of("p[1].x")),
        (Root::Parameter(0), Root::Parameter(1), Root::Parameter(1))
    );
    assert_eq!((of("p[0].s[1]"), of("text[2]")), (Root::Parameter(1), Root::Parameter(2)));
    assert!(matches!(of("count"), Root::Global(_)));
}

#[test]
fn shared_and_unused_objects_have_names_and_places() {
    let text = r#"{"objects": [{"type": "int", "values": [1, 2]}, {"type": "int", "values": [3]}],
                   "args": [0, null, null, {"@object": 0, "@offset": 4}, 5]}"#;
    let (subject, case, image) = case(text);
    let names = image.names(&subject, &case);
    assert_eq!(names, ["c", "p", "text", "n", "e", "object0[0]", "object0[1]", "object1[0]"]);
    assert_eq!(image.part_of_argument(&subject, 3), image.spans[2].address + 4);
}

impl Image {
    /// The eight bytes of an argument.
    fn part_of_argument(&self, subject: &Subject, index: usize) -> u64 {
        let signature = subject.functions[0].signature.as_ref().expect("it has one");
        let offset = ArgumentBlock::new(&subject.types, signature).offsets[index];
        let bytes = bytes_at(self, self.arguments + offset, 8);
        u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
    }
}

/// The arguments `p`, `text` and `n` after the leaf of this name was changed.
fn after_change(text: &str, leaf: &str, value: impl Fn(&Image) -> u64) -> Vec<Value> {
    let (subject, case, image) = case(text);
    let names = image.names(&subject, &case);
    let number = names.iter().position(|name| name == leaf).expect("there is such a leaf");
    let model = [(number as u32, value(&image).into())].into();
    let changed = image.changed(&subject, &case, &model, &[]);
    changed.call().expect("the case has a call").1[1..4].to_vec()
}

#[test]
fn a_pointer_leads_into_an_object_only_where_something_of_its_kind_begins_or_ends() {
    const TEXT: &str = r#"["'a'", [{"x": 1}, {"x": 2}], "hello", null, "A"]"#;
    let to = |object| Value::Pointer { object, offset: 0 };
    let within = |object, offset| move |image: &Image| image.object(object).unwrap().address + offset;
    assert_eq!(
        after_change(TEXT, "n", within(0, 7)),
        [to(0), to(1), to(2)],
        "a new object, not half a point"
    );
    assert_eq!(after_change(TEXT, "n", within(0, 0)), [to(0), to(1), to(2)], "a point is no `int`");
    let inside = Value::Pointer { object: 1, offset: 3 };
    let in_text = within(1, 3);
    let (subject, case, image) = case(r#"["'a'", [{"x": 1, "s": null}], "hello", null, "A"]"#);
    let names = image.names(&subject, &case);
    let number = names.iter().position(|name| name == "p[0].s").expect("there is such a leaf");
    let model = [(number as u32, in_text(&image).into())].into();
    let changed = image.changed(&subject, &case, &model, &[]);
    let Statement::Object { values, .. } = &changed.statements[0] else { panic!("{changed:?}") };
    assert!(
        matches!(&values[0], Value::Record(fields) if fields[2] == inside),
        "a place in the text: {values:?}"
    );
}

#[test]
fn objects_stay_aligned_for_code_that_looks_at_addresses() {
    let mut subject = subject();
    let text = r#"["'a'", [{"x": 1}], "hello", [7], "A"]"#;
    let longer = |subject: &Subject| {
        let case = parse_case(subject, FunctionId(0), text).expect("the case fits");
        let image = Image::lay_out(subject, &case).expect("the case has an image");
        // The end of the text is overwritten, so that it needs one element more.
        let leaves = image.leaves(subject, &case);
        let end = leaves.iter().position(|leaf| leaf.terminator).expect("a text has an end");
        let changed = image.changed(subject, &case, &[(end as u32, 65)].into(), &[]);
        let after = Image::lay_out(subject, &changed).expect("the case has an image");
        let (was, is) = (image.object(1).unwrap(), after.object(1).unwrap());
        let alignments = (alignment(subject, &case), alignment(subject, &changed));
        (is.length - was.length, was.address % 16 == is.address % 16, alignments.0 == alignments.1)
    };
    assert_eq!(longer(&subject), (1, false, true), "nobody asks");
    subject.functions[0].looks_at_addresses = true;
    assert_eq!(longer(&subject), (16, true, true));
    let case = parse_case(&subject, FunctionId(0), text).expect("the case fits");
    let others = aligned_otherwise(&subject, &case);
    // A point has 24 bytes, a character 1, an integer 4.
    assert_eq!(others.len(), 3);
    assert!(others.iter().all(|other| alignment(&subject, other) != alignment(&subject, &case)));
}

#[test]
fn pointers_stay_away_from_memory_of_the_run_and_places_from_the_start_of_their_object() {
    let (subject, mut case, _) = case(r#"["'a'", [{"x": 1}], "hello", null, "A"]"#);
    let range = |case: &Case, name: &str| {
        let image = Image::lay_out(&subject, case).unwrap();
        let leaves = image.leaves(&subject, case);
        let number = image.names(&subject, case).iter().position(|one| one == name).unwrap();
        let leaf = &leaves[number];
        let (low, high) = image.places(&subject, case, leaf).unwrap();
        let start = i128::from(image.object(1).unwrap().address);
        if leaf.leaf.pointer == testwright_abi::command::Leaf::PLACE {
            (low - start, high - start)
        } else {
            (low, high)
        }
    };
    let (low, high) = range(&case, "p");
    assert!(low == 0 && high < i128::from(testwright_abi::memory::HEAP_BASE), "{high:x}");
    let Some(Statement::Call { arguments, .. }) = case.statements.last_mut() else { panic!("no call") };
    arguments[2] = Value::Pointer { object: 1, offset: 2 };
    assert_eq!(range(&case, "text").0, 1);
    let Some(Statement::Call { arguments, .. }) = case.statements.last_mut() else { panic!("no call") };
    arguments[2] = Value::Pointer { object: 1, offset: 6 };
    assert_eq!(range(&case, "text").0, 0, "the end of an object that may become empty");
}

#[test]
fn a_case_that_does_not_fit_is_refused() {
    let subject = subject();
    let call = |arguments| Statement::Call { function: FunctionId(0), arguments };
    let lay_out = |statements: Vec<Statement>| Image::lay_out(&subject, &Case { statements }).unwrap_err();
    assert_eq!(lay_out(vec![]), ImageError::NoCall);
    let error = lay_out(vec![call(vec![Value::Int(1)])]);
    assert_eq!(error.to_string(), "`f` takes 5 arguments, the case has 1");
    let others = [Value::Null, Value::Null, Value::Null, Value::Int(5)];
    let with_first = |first: Value| [vec![first], others.to_vec()].concat();
    assert_eq!(lay_out(vec![call(with_first(Value::Null))]), ImageError::Mismatch("char".to_owned()));
    let mut dangling = with_first(Value::Int(0));
    dangling[1] = Value::Pointer { object: 0, offset: 0 };
    assert_eq!(lay_out(vec![call(dangling)]), ImageError::NoObject(0));
    let page = Statement::Object { element: TypeId(0), values: vec![Value::Int(0)] };
    let mut statements = vec![page; (INPUT_SIZE / PAGE / 2) as usize];
    statements.push(call(with_first(Value::Int(0))));
    let error = lay_out(statements);
    assert!(matches!(error, ImageError::TooLarge { needed, available: INPUT_SIZE } if needed > INPUT_SIZE));
}

fn bytes_at(image: &Image, address: u64, length: usize) -> Vec<u8> {
    let holds = |(start, bytes): &&(u64, Vec<u8>)| (*start..*start + bytes.len() as u64).contains(&address);
    match image.writes.iter().find(holds) {
        Some((start, bytes)) => bytes[(address - start) as usize..][..length].to_vec(),
        None => Vec::new(),
    }
}

/// The case again, from the bytes of its image alone.
fn read_back(subject: &Subject, case: &Case, image: &Image) -> Case {
    let types = &subject.types;
    let read = |ty: TypeId, address: u64, before: &Value| {
        let bytes = bytes_at(image, address, types.get(ty).size as usize);
        image.read_again(types, ty, &bytes, before)
    };
    let mut globals = image.globals.iter();
    let statements = case.statements.iter().enumerate().map(|(index, statement)| match statement {
        Statement::Object { element, values } => {
            let span = image.object(index).expect("it was laid out");
            let size = types.get(*element).size;
            let values = values.iter().enumerate();
            let values = values
                .map(|(index, value)| read(*element, span.address + index as u64 * size, value))
                .collect();
            Statement::Object { element: *element, values }
        }
        Statement::Set { global, value } => {
            let (_, bytes) = globals.next().expect("it was laid out");
            let ty = subject.globals[global.index()].ty.expect("it has one");
            Statement::Set { global: *global, value: image.read_again(types, ty, bytes, value) }
        }
        Statement::Call { function, arguments } => {
            let signature = subject.function(*function).signature.as_ref().expect("it has one");
            let offsets = ArgumentBlock::new(types, signature).offsets;
            let arguments = signature.params.iter().zip(offsets).zip(arguments);
            let arguments =
                arguments.map(|((param, offset), value)| read(param.ty, image.arguments + offset, value));
            Statement::Call { function: *function, arguments: arguments.collect() }
        }
    });
    Case { statements: statements.collect() }
}

proptest! {
    #[test]
    fn a_case_can_be_read_back_from_its_image(choices in prop::collection::vec(any::<u16>(), 0..300)) {
        let (subject, case) = subject_and_case(&choices);
        let image = Image::lay_out(&subject, &case).expect("random cases are small");
        prop_assert_eq!(read_back(&subject, &case, &image), case);
    }

    #[test]
    fn leaves_lie_in_their_parts_and_do_not_overlap(choices in prop::collection::vec(any::<u16>(), 0..300)) {
        let (subject, case) = subject_and_case(&choices);
        let image = Image::lay_out(&subject, &case).expect("random cases are small");
        let mut places = Vec::new();
        for leaf in image.leaves(&subject, &case) {
            let (address, end) = (leaf.leaf.address, leaf.leaf.address + u64::from(leaf.leaf.bytes));
            let holds = |span: &Span| span.address <= address && end <= span.address + span.length;
            let of_global = image.globals.iter().any(|(id, bytes)| id.0 == leaf.leaf.global && end <= bytes.len() as u64);
            prop_assert!(of_global || image.spans.iter().any(holds), "{:x?}", leaf);
            places.push((leaf.leaf.global, address, end));
        }
        places.sort_unstable();
        for pair in places.windows(2) {
            prop_assert!(pair[0].0 != pair[1].0 || pair[0].2 <= pair[1].1, "{:x?}", pair);
        }
    }
}

#[test]
fn at_the_starts_of_their_pages_objects_have_a_closed_page_before_them() {
    let (subject, case, usual) = case(EXAMPLE);
    let image = Image::lay_out_at_starts(&subject, &case).expect("the case has an image");
    let is_object = |index: &usize| matches!(image.parts[*index], Part::Object(_));
    for index in (0..image.parts.len()).filter(is_object) {
        let (span, before) = (image.spans[index], image.spans[index - 1]);
        assert_eq!(span.address % PAGE, 0, "{span:x?}");
        assert!(end(before).next_multiple_of(PAGE) + PAGE <= span.address, "{before:x?} {span:x?}");
    }
    assert_eq!(image.parts, usual.parts);
    assert_eq!(image.case(&subject, &case), case, "it is the same case");
}

#[test]
fn an_address_belongs_to_the_part_it_lies_in() {
    let (_, _, image) = case(EXAMPLE);
    for (part, span) in image.parts.iter().zip(&image.spans) {
        let last = span.length.checked_sub(1);
        assert_eq!(image.part_at(span.address), last.map(|_| (*part, 0)));
        assert_eq!(last.and_then(|last| image.part_at(span.address + last)), last.map(|last| (*part, last)));
        assert_eq!(image.part_at(span.address + span.length), None);
    }
    assert_eq!(image.part_at(0), None);
}

#[test]
fn what_a_run_looked_for_before_an_object_is_put_there() {
    let (subject, case, _) = case(r#"[0, null, null, [7, 8], "A"]"#);
    let image = Image::lay_out_at_starts(&subject, &case).expect("the case has an image");
    let object = *image.spans.last().expect("there is an object");
    let found = image.preceded(&subject, &case, object.address - 5);
    assert_eq!(found.len(), 1, "one pointer leads there");
    let Some(Statement::Object { values, .. }) = found[0].statements.first() else { panic!("an object") };
    assert_eq!(*values, [0, 0, 7, 8].map(Value::Int));
    let (_, arguments) = found[0].call().expect("a call");
    assert_eq!(arguments[3], Value::Pointer { object: 0, offset: 8 });
    let is_nothing = |address: u64| image.preceded(&subject, &case, address).is_empty();
    assert!(is_nothing(end(object)), "behind the end is another matter");
    assert!(is_nothing(object.address - PAGE * 100), "far away is nowhere");
}

#[test]
fn a_number_of_the_code_is_put_where_it_fits() {
    let (subject, case, image) = case(EXAMPLE);
    let domains = Domains { start: Start::Mixed, precision: 3, null_pointers: false };
    let cases: Vec<Case> =
        (0..200).filter_map(|seed| image.with_number(&subject, &case, &domains, &[300], seed)).collect();
    assert_eq!(cases.len(), 200);
    assert!(cases.iter().any(|case| format!("{case:?}").contains("Int(300)")), "an int can be it");
    for case in &cases {
        let (_, arguments) = case.call().expect("a call");
        let (Value::Int(letter), Value::Int(colour)) = (&arguments[0], &arguments[4]) else {
            panic!("integers")
        };
        assert!((-128..=127).contains(letter) && (-1..=5).contains(colour), "{letter} {colour}");
    }
}

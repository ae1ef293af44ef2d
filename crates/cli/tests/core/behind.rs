//! What a returned pointer leads to, as far as anybody can tell, whatever the pointer is.

use testwright_base::build::Build;
use testwright_base::case::Value;
use testwright_base::json::parse_case;
use testwright_base::run::End;
use testwright_engine::build::load_uncached;

const TEXT: &str = r#"
#include <stdlib.h>
#include <string.h>
struct pair { int first; short second; };
const char *literal(int n) { return n ? "yes" : "no"; }
char *block(int n) { char *text = malloc(4); memcpy(text, "abcd", 4); if (n) text[n] = 0; return text; }
char *inside(int n) { char *text = malloc(8); strcpy(text, "abcdefg"); return text + n; }
char *wild(int n) { return (char *)0x10 + n; }
char *far_away(int n) { return (char *)0x123456789000 + n; }
struct pair *pair(int n) { struct pair *pair = calloc(1, sizeof *pair); pair->first = n; pair->second = 7; return pair; }
struct pair *half(int n) { struct pair *pair = malloc(4); pair->first = n; return pair; }
char *freed(int n) { char *text = calloc(8, 1); text[0] = 'a' + n; free(text); return text; }
int *counter(int n) { static int count = 5; count += n; return &count; }
int number(int n) { return n; }
"#;

#[test]
fn what_a_result_leads_to_is_seen_where_it_can_be_read_and_its_length_is_known() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("behind.c");
    std::fs::write(&path, TEXT).expect("a file");
    let sources = testwright_code::frontend().resolve(&[path], &[]).expect("sources");
    let mut session = load_uncached(&sources, &[Build::RunWithDistances]).expect("the code builds");
    let mut check = |function: &str, n: i32, expected: Option<Value>| {
        let id = session.subject().function_named(function).expect("a function");
        let case = parse_case(session.subject(), id, &format!("[{n}]")).expect("a case");
        for round in 0..2 {
            let run = session.run_looking_at(&case, Build::RunWithDistances, &[]).expect("a run");
            assert_eq!((run.end, run.behind), (End::Returned, expected.clone()), "{function}({n}), {round}");
        }
    };
    let text =
        |text: &str| Value::Array(text.bytes().chain([0]).map(|byte| Value::Int(byte.into())).collect());
    check("literal", 0, Some(text("no")));
    check("literal", 1, Some(text("yes")));
    check("block", 2, Some(text("ab")));
    check("block", 0, None);
    check("inside", 3, None);
    check("wild", 0, None);
    check("far_away", 0, None);
    check("pair", 3, Some(Value::Record(vec![Value::Int(3), Value::Int(7)])));
    check("half", 3, None);
    check("freed", 0, None);
    check("counter", 2, Some(Value::Int(7)));
    check("number", 4096, None);
}

//! Fenced runs: code that looks beside its objects and blocks is caught, all other code runs as it always does.

use crate::load;
use testwright_base::build::Build;
use testwright_base::case::Case;
use testwright_base::json::parse_case;
use testwright_base::run::End;
use testwright_exec::Session;

const TEXT: &str = r"
#include <stdlib.h>
#include <string.h>

int before(const int *a) { return a[-1] == 5; }
int past_block(int n) { char *p = malloc(n); memset(p, 1, 64); int r = p[0]; free(p); return r; }
int freed(void) { int *p = malloc(4); *p = 3; free(p); return *p == 3; }
int outgrown(void) { char *p = malloc(8), *q; p[0] = 1; q = realloc(p, 12); q[1] = p[0]; free(q); return 1; }

int within(const int *a) { return a[0] + a[1]; }
int blocks(int n)
{
    char *all[100];
    int sum = 0;
    for (int i = 0; i < 100; i++) {
        all[i] = i % 3 ? malloc(i * n) : calloc(i, n);
        memset(all[i], i, i * n);
    }
    for (int i = 0; i < 100; i += 2)
        all[i] = realloc(all[i], 2 * i * n + 1);
    char *aligned = aligned_alloc(256, 512);
    memset(aligned, 1, 512);
    sum = (unsigned long)aligned % 256 == 0;
    for (int i = 1; i < 100; i++)
        sum += all[i][0];
    for (int i = 0; i < 100; i++)
        free(all[i]);
    free(aligned);
    return sum;
}
";

fn session() -> Session {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("fenced.c");
    std::fs::write(&path, TEXT).expect("a file");
    load::load(&path)
}

fn case(session: &Session, function: &str, case: &str) -> Case {
    let id = session.subject().function_named(function).expect("a function");
    parse_case(session.subject(), id, case).expect("a case")
}

#[test]
fn code_that_looks_beside_its_memory_is_caught() {
    let mut session = session();
    let cases = [("before", "[[7]]"), ("past_block", "[16]"), ("freed", "[]"), ("outgrown", "[]")];
    for (function, text) in cases {
        let case = case(&session, function, text);
        assert_eq!(session.run(&case, Build::Run).expect("a run").end, End::Returned, "{function}");
        let (end, _) = session.run_fenced(&case, Build::Run).expect("a run");
        assert!(matches!(end, End::Signal { .. }), "{function}: {end}");
    }
}

#[test]
fn other_code_runs_as_always_also_after_a_fenced_run() {
    let mut session = session();
    for (function, text) in [("within", "[[7, 8]]"), ("blocks", "[1]"), ("blocks", "[40]")] {
        let case = case(&session, function, text);
        let before = session.run(&case, Build::Run).expect("a run");
        assert_eq!(session.run_fenced(&case, Build::Run).expect("a run").0, End::Returned, "{function}");
        let after = session.run(&case, Build::Run).expect("a run");
        assert_eq!((before.end, before.result), (End::Returned, after.result), "{function}");
    }
}

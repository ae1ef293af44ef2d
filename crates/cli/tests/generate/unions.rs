//! Unions are given by one of their members, vectors by their elements.

use crate::support::Bench;

/// All branches of all functions are covered, nothing is called a finding, and no test is taken out.
#[track_caller]
fn covers_everything(text: &str) -> String {
    let bench = Bench::new(text);
    let printed = bench.generate_everything(&["--runs", "500", "--seed", "1"]);
    assert!(printed.contains("compiled, passed twice\n"), "nothing was taken out: {printed}");
    bench.read("out/subject_test.c")
}

#[test]
fn every_member_of_a_union_is_tried_and_none_is_followed_that_is_no_pointer() {
    let tests = covers_everything(
        "enum kind { NUMBER, TEXT, REAL };
        struct value { enum kind kind; union { int i; char *s; double d; } u; };
        int measure(const struct value *v)
        {
            switch (v->kind) {
            case NUMBER: return v->u.i > 100 ? 1 : 0;
            case TEXT: return v->u.s && v->u.s[0] == 'x' ? 2 : 3;
            case REAL: return v->u.d > 2.5 ? 4 : 5;
            }
            return -1;
        }",
    );
    assert!(tests.contains(".u = {.i = 101}"), "{tests}");
    assert!(tests.contains("v.u.s = v_u_s;"), "{tests}");
}

#[test]
fn the_member_of_a_union_is_the_one_that_goes_with_the_tag() {
    let bench = Bench::new(
        "enum kind { NUMBER, REAL, TEXT };
        struct value { enum kind kind; union { long number; double real; const char *text; } as; };
        int measure(const struct value *v)
        {
            switch (v->kind) {
            case NUMBER: return v->as.number == 42 ? 1 : 2;
            case REAL: return v->as.real > 2.5 ? 3 : 4;
            case TEXT: return v->as.text[0] == 'x' ? 5 : 6;
            }
            return 0;
        }",
    );
    let printed = bench.generate(&["--runs", "400", "--seed", "1"]);
    let measure = &bench.summary()["functions"][0];
    assert_eq!(measure["branches"]["covered"], measure["branches"]["total"], "{printed}");
    assert_eq!(measure["findings"].as_array().map(Vec::len), Some(0), "{printed}");
    bench.check();
    let tests = bench.read("out/subject_test.c");
    let members = ["number", "real", "text"];
    for (kind, member) in ["NUMBER", "REAL", "TEXT"].iter().zip(members) {
        let given: Vec<&str> =
            tests.lines().filter(|line| line.contains(&format!(".kind = {kind},"))).collect();
        assert!(given.iter().any(|line| line.contains(&format!(".as = {{.{member} = "))), "{kind}: {tests}");
        for other in members.iter().filter(|other| **other != member) {
            assert!(!given.iter().any(|line| line.contains(&format!(".{other} = "))), "{kind}: {tests}");
        }
    }
    assert!(tests.contains("{.kind = NUMBER, .as = {.number = 42}}"), "{tests}");
}

#[test]
fn a_pointer_that_is_not_the_first_member_gets_an_object() {
    covers_everything(
        "struct event { int type; union { struct { long x, y; } move; struct { char *text; long n; } key; }; };
        int handle(const struct event *e)
        {
            if (e->type == 1) return e->move.x == 12 && e->move.y == 13 ? 10 : 11;
            if (e->type == 2 && e->key.n > 2) return e->key.text[0] == 'k' ? 20 : 21;
            return 0;
        }
        union word { long number; char *text; };
        int word(const union word *w) { return w->text[0] == 'w' ? 1 : 0; }",
    );
}

#[test]
fn vectors_are_aligned_and_written_by_their_elements() {
    let tests = covers_everything(
        "#include <immintrin.h>
        typedef float v4 __attribute__((vector_size(16)));
        struct line { _Alignas(32) int words[8]; int used; };
        int first(const v4 *p, int n)
        {
            v4 sum = {0, 0, 0, 0};
            for (int i = 0; i < n && i < 2; i++) sum += p[i];
            if (sum[0] > 3.0f) return 1;
            return 0;
        }
        int load(const __m128i *p) { if (_mm_cvtsi128_si32(_mm_load_si128(p)) == 5) return 1; return 0; }
        int whole(v4 v) { if (v[2] > 1.0f) return 1; return 0; }
        int used(const struct line *l) { if (l->words[3] == 77) return 1; return l->used; }",
    );
    assert!(tests.contains("v4 v = {0.0f, 0.0f, "), "{tests}");
    assert!(tests.contains("const __m128i p = {5, 0};"), "{tests}");
}

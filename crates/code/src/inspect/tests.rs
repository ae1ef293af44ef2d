//! What inspecting finds in small C programs, whichever clang compiled them.

use super::branches::trap;
use super::testing::{bitcode, check, clangs, decisions, declarations, graph, sites, subject};
use super::{SITE_KIND, function_values, inspect};
use crate::frontend::link;
use expect_test::expect;
use testwright_base::ids::OutcomeId;
use testwright_base::site::{CheckKind, SiteKind};
use testwright_base::subject::Function;
use testwright_base::types::{Shape, Types};
use testwright_llvm::Context;

#[test]
fn signatures_keep_names_typedefs_and_pointers() {
    check(
        &["typedef unsigned int u32;\n\
           typedef struct point { int x, y; } point_t;\n\
           typedef int (*callback)(int, const char *);\n\
           typedef struct { double re, im; } complex_t;\n\
           enum color { RED, GREEN = 5, BLUE = -1 };\n\
           int f(enum color c, point_t p, const struct point *restrict q, callback h, ...) { return 0; }\n\
           static u32 g(char **v, void *w, int a[3], int (*m)[4], complex_t z) { return 0; }\n\
           void h(void) { g(0, 0, 0, 0, (complex_t){0}); }\n\
           unsigned char i(signed char a, char b, _Bool c, long long d, unsigned short e) { return 0; }\n\
           int old(a, b) int a; char *b; { return a; }\n\
           void (*j(int k))(double) { return 0; }\n"],
        declarations,
        &expect![[r#"
            f(c: enum color, p: point_t, q: struct point *, h: callback, ..) -> int
            static g(v: char **, w: void *, a: int *, m: int (*)[4], z: complex_t) -> u32
            h() -> void
            i(a: signed char, b: char, c: _Bool, d: long long, e: unsigned short) -> unsigned char
            old(a: int, b: char *) -> int
            j(k: int) -> void (*)(double)
            enum color, 4 bytes, aligned to 4 { 32 true [("RED", 0), ("GREEN", 5), ("BLUE", -1)] }
            struct point, 8 bytes, aligned to 4 {
              0: x: int
              32: y: int
            }
            struct {..}, 16 bytes, aligned to 8 {
              0: re: double
              64: im: double
            }
        "#]],
    );
}

#[test]
fn layouts_have_bit_fields_unions_and_nested_arrays() {
    check(
        &["struct bits { unsigned a : 3; int b : 5; int : 4; unsigned long c : 40; char *s;\n\
           union { int i; float f; }; struct bits *next; short m[2][3]; int rest[]; };\n\
           union word { unsigned char bytes[4]; unsigned whole; struct { short low, high; } half; };\n\
           struct __attribute__((packed)) tight { char c; int i; double d; };\n\
           struct wide { _Alignas(32) char c; long double l; __int128 w; };\n\
           struct opaque;\n\
           struct bits b; union word w; struct tight t; struct wide v; struct opaque *o;\n"],
        declarations,
        &expect![[r#"
            b: struct bits, 48 bytes, line 7
            w: union word, 4 bytes, line 7
            t: struct tight, 13 bytes, line 7
            v: struct wide, 64 bytes, line 7
            o: struct opaque *, 8 bytes, line 7
            struct bits, 48 bytes, aligned to 8 {
              0: a: unsigned int (3 bits)
              3: b: int (5 bits)
              12: c: unsigned long (40 bits)
              64: s: char *
              128: (none): union {..}
              192: next: struct bits *
              256: m: short [2][3]
              352: rest: int []
            }
            union {..}, 4 bytes, aligned to 4 {
              0: i: int
              0: f: float
            }
            union word, 4 bytes, aligned to 4 {
              0: bytes: unsigned char [4]
              0: whole: unsigned int
              0: half: __typeof__((*(union word *)0).half)
            }
            __typeof__((*(union word *)0).half), 4 bytes, aligned to 2 {
              0: low: short
              16: high: short
            }
            struct tight, 13 bytes, aligned to 1 {
              0: c: char
              8: i: int
              40: d: double
            }
            struct wide, 64 bytes, aligned to 32 {
              0: c: char
              128: l: long double
              256: w: __int128
            }
            struct opaque, 0 bytes, aligned to 1, incomplete
        "#]],
    );
}

#[test]
fn records_that_mention_themselves_are_built_once() {
    check(
        &["typedef struct node node;\n\
           typedef node *link;\n\
           struct node { int value; node *left; link right; int (*compare)(const node *, const struct node *); };\n\
           struct ping { struct pong *pong; }; struct pong { struct ping *ping; struct ping inside; };\n\
           node root; struct pong p;\n"],
        declarations,
        &expect![[r#"
            root: node, 32 bytes, line 5
            p: struct pong, 16 bytes, line 5
            struct node, 32 bytes, aligned to 8 {
              0: value: int
              64: left: node *
              128: right: link
              192: compare: int (*)(node *, struct node *)
            }
            struct pong, 16 bytes, aligned to 8 {
              0: ping: struct ping *
              64: inside: struct ping
            }
            struct ping, 8 bytes, aligned to 8 {
              0: pong: struct pong *
            }
        "#]],
    );
}

#[test]
fn types_without_values_of_ours_are_named() {
    check(
        &["typedef float v4 __attribute__((vector_size(16)));\n\
           _Complex double c; _Complex float d; v4 v; long double l; __int128 i; unsigned __int128 u;\n\
           enum big { X = 0x100000000 } e; _Atomic int a; volatile const char *volatile s;\n"],
        declarations,
        &expect![[r#"
            c: _Complex double, 16 bytes, line 2
            d: _Complex float, 8 bytes, line 2
            v: v4, 16 bytes, line 2
            l: long double, 16 bytes, line 2
            i: __int128, 16 bytes, line 2
            u: unsigned __int128, 16 bytes, line 2
            e: enum big, 8 bytes, line 3
            a: int, 4 bytes, line 3
            s: char *, 8 bytes, line 3
            enum big, 8 bytes, aligned to 8 { 64 false [("X", 4294967296)] }
        "#]],
    );
}

#[test]
fn globals_are_those_that_can_be_written() {
    check(
        &[
            "int plain; static int hidden = 3; const int fixed = 4; extern int elsewhere; char text[] = \"abc\";\n\
           const char *pointer = \"x\"; _Thread_local long own;\n\
           int f(void) { static int calls; { static int calls; calls++; } return ++calls + hidden + elsewhere; }\n\
           int g(void) { static int calls; return ++calls; }\n",
        ],
        declarations,
        &expect![[r#"
            f() -> int
            g() -> int
            hidden: int, 4 bytes, line 1
            text: char [4], 4 bytes, line 1
            pointer: char *, 8 bytes, line 2
            f.calls: int, 4 bytes, line 3
            f.calls.1: int, 4 bytes, line 3
            g.calls: int, 4 bytes, line 4
            plain: int, 4 bytes, line 1
            own: long, 8 bytes, line 2
        "#]],
    );
}

#[test]
fn the_triangle_has_22_branch_outcomes() {
    let text = include_str!("../../../../examples/triangle.c");
    for clang in clangs() {
        let subject = subject(&[text], &clang);
        let branches = subject.sites.iter().filter(|site| site.kind == SiteKind::Branch);
        assert_eq!(branches.map(|site| site.outcome_count).sum::<u32>(), 22, "{}", clang.version);
        let checks = subject.sites.iter().filter(|site| matches!(site.kind, SiteKind::Check(_)));
        assert_eq!(checks.map(|site| site.outcome_count).sum::<u32>(), 3, "{}", clang.version);
        assert_eq!(subject.outcome_count, 25, "{}", clang.version);
    }
}

#[test]
fn conjunctions_and_disjunctions_keep_their_branches() {
    check(
        &["int f(int a, int b) {\n  if (a < b && b != 3 || !a)\n    return 1;\n  return a && !(a > b);\n}\n"],
        sites,
        &expect![[r#"
            0 2:9 f.0 compare slt feeds 1
            1 2:9 f.0 branch: 0.. true, false
            2 2:18 f.1 compare ne feeds 3
            3 2:18 f.1 branch: 2.. true, false
            4 2:27 f.2 compare ne feeds 5
            5 2:27 f.2 branch: 4.. true, false
            6 4:10 f.4 compare ne feeds 7
            7 4:10 f.4 branch: 6.. true, false
            8 4:19 f.5 compare sgt chooses: 8.. true, false
            9 2:9 f.0 decision: 10.. way 0, way 1, way 2, way 3, way 4
        "#]],
    );
}

#[test]
fn comparisons_that_feed_no_branch_have_outcomes() {
    check(
        &[
            "int f(int a, unsigned b, double c) {\n  int r = a < 4;\n  r += c >= 2.5 ? 1 : 2;\n  if (!!(b > 7))\n    \
           r++;\n  if ((a == 3) == 1)\n    r = 0;\n  return r;\n}\n",
        ],
        decisions,
        &expect![[r#"
            2:13 f.0 compare slt: 0.. true, false
            3:10 f.0 compare oge chooses: 2.. true, false
            3:5 f.0 check: signed overflow in an addition: 4.. trap
            4:12 f.2 branch: 5.. true, false
            5:6 f.3 check: signed overflow in an addition: 7.. trap
            6:10 f.6 compare eq: 8.. true, false
            6:16 f.6 branch: 10.. true, false
        "#]],
    );
}

#[test]
fn a_switch_has_its_cases_and_then_the_default() {
    check(
        &[
            "int f(signed char c) {\n  switch (c) {\n  case 1: return 2;\n  case -5: case 7: return 3;\n  }\n  \
           return 0;\n}\n",
        ],
        |subject| decisions(subject) + &graph(subject),
        &expect![[r#"
            2:3 f.0 switch: 0.. case 1, case -5, case 7, default
            f
              0 line 2 switch -> 1 2 2 3
              1 line 3 - -> 4
              2 line 4 - -> 4
              3 line 6 - -> 4
              4 line 7 - ->
        "#]],
    );
}

#[test]
fn checks_have_one_outcome_and_their_comparisons_none() {
    check(
        &[
            "int f(int a, int b, int t[4], double d) {\n  int u[4] = {0};\n  int r = a + b;\n  r += a / b;\n  \
           r += a << b;\n  r -= u[a];\n  r *= (int)d;\n  r = -r;\n  if (a == 77) __builtin_unreachable();\n  \
           if (a == 78) __builtin_trap();\n  return r % b + u[1];\n}\n",
        ],
        decisions,
        &expect![[r#"
            3:13 f.0 check: signed overflow in an addition: 0.. trap
            4:10 f.2 check: division by zero or overflow in a division: 1.. trap
            4:5 f.4 check: signed overflow in an addition: 2.. trap
            5:10 f.8 check: shift out of range: 3.. trap
            5:5 f.10 check: signed overflow in an addition: 4.. trap
            6:8 f.12 check: array index out of bounds: 5.. trap
            6:5 f.14 check: signed overflow in a subtraction: 6.. trap
            7:8 f.16 check: float to integer conversion out of range: 7.. trap
            7:5 f.18 check: signed overflow in a multiplication: 8.. trap
            8:7 f.20 check: signed overflow in a negation: 9.. trap
            9:9 f.22 branch: 10.. true, false
            9:16 f.23 check: an unreachable place was reached: 12.. trap
            10:9 f.26 branch: 13.. true, false
            10:16 f.27 check: trap instruction: 15.. trap
            11:12 f.28 check: division by zero or overflow in a division: 16.. trap
            11:16 f.32 check: signed overflow in an addition: 17.. trap
        "#]],
    );
}

#[test]
fn what_the_compiler_makes_up_has_no_outcomes() {
    check(
        &["int f(int n) {\n  int a[n];\n  a[0] = 1;\n  return a[0] << n;\n}\n"],
        sites,
        &expect![[r#"
            0 2:3 f.0 compare sgt feeds 1
            1 2:3 f.0 check: length of a variable array not positive: 0.. trap
            2 2:7 f.2 compare eq feeds 3
            3 2:7 f.2 branch
            4 2:7 f.4 compare eq feeds 5
            5 2:7 f.4 branch
            6 3:8 f.5 compare ult feeds 7
            7 3:8 f.5 check: array index out of bounds: 1.. trap
            8 3:8 f.7 store 4
            9 4:10 f.7 compare ult feeds 10
            10 4:10 f.7 check: array index out of bounds: 2.. trap
            11 4:10 f.9 load 4
            12 4:15 f.9 compare ule feeds 13
            13 4:15 f.9 branch
            14 4:15 f.10 shift
            15 4:15 f.10 compare eq
            16 4:15 f.11 check: shift out of range: 3.. trap
            17 4:15 f.13 shift
        "#]],
    );
}

#[test]
fn what_is_the_same_in_every_run_has_no_outcomes() {
    check(
        &["int g, h;\nint f(int a) {\n  int r = &g == &h;\n  if (&g != &h + 1)\n    r += a > 2;\n  \
           return r + (sizeof(int) == 4 && a);\n}\n"],
        |subject| {
            decisions(subject).lines().filter(|line| !line.contains("check")).collect::<Vec<_>>().join("\n")
        },
        &expect![[r#"
            5:12 f.1 compare sgt: 0.. true, false
            6:32 f.4 compare ne: 3.. true, false"#]],
    );
}

#[test]
fn accesses_divisions_shifts_and_calls_are_sites() {
    check(
        &[
            "void *memcpy(void *, const void *, unsigned long);\nstruct s { int a[8]; };\nint puts(const char *);\n\
           unsigned f(unsigned *p, struct s *s, unsigned n) {\n  struct s copy = *s;\n  p[1] = n / 3;\n  \
           *s = copy;\n  puts(\"x\");\n  memcpy(p, s, n);\n  return (n >> 3) + *(unsigned short *)p % 5;\n}\n",
        ],
        sites,
        &expect![[r#"
            0 5:19 f.0 store 32
            1 6:12 f.0 check: division by zero or overflow in a division
            2 6:12 f.2 division
            3 6:8 f.2 store 4
            4 7:8 f.2 store 32
            5 8:3 f.2 call
            6 9:3 f.2 call
            7 10:13 f.2 check: shift out of range
            8 10:13 f.4 shift
            9 10:21 f.4 load 2
            10 10:42 f.4 check: division by zero or overflow in a division
            11 10:42 f.6 division
        "#]],
    );
}

#[test]
fn calls_are_direct_external_or_through_pointers() {
    check(
        &["int abs(int);\nstatic int one(int x) { return x; }\nstatic int two(int x) { return -x; }\n\
           static double three(double x) { return x; }\nstatic int four(int x) { return abs(one(x)); }\n\
           int (*table[])(int) = {one, two}; double (*other)(double) = three;\n\
           int f(int i) { return table[i & 1](four(i)); }\n"],
        graph,
        &expect![[r#"
            one
              0 line 2 - ->
            two
              0 line 3 check -> 2 1
              1 line 3 - ->
              2 line 3 - ->
            three
              0 line 4 - ->
            four
              0 line 5 - ->
              0 calls Defined(FunctionId(0))
              0 calls External("abs")
            f
              0 line 7 check -> 2 1
              1 line 7 - ->
              2 line 7 - ->
              2 calls Defined(FunctionId(3))
              2 calls Pointer([FunctionId(0), FunctionId(1)])
        "#]],
    );
}

#[test]
fn statics_of_the_same_name_in_two_files_are_both_there() {
    check(
        &[
            "struct shared { int a; }; static int count; static int helper(struct shared *s) { return ++count + s->a; }\n\
             int one(struct shared *s) { return helper(s); }\n",
            "struct hidden; static int count; static int helper(void) { return ++count; }\n\
             static int alone(struct hidden *h) { return helper(); }\nint two(struct hidden *h) { return alone(h); }\n",
            "struct hidden { char c; }; int three(struct hidden *h) { return h->c; }\n",
        ],
        declarations,
        &expect![[r#"
            static helper(s: struct shared *) -> int
            one(s: struct shared *) -> int
            two(h: struct hidden *) -> int
            static alone(h: struct hidden *) -> int
            static helper.1() -> int
            three(h: struct hidden *) -> int
            count: int, 4 bytes, line 1
            count.2: int, 4 bytes, line 1
            struct shared, 4 bytes, aligned to 4 {
              0: a: int
            }
            struct hidden, 1 bytes, aligned to 1 {
              0: c: char
            }
        "#]],
    );
}

#[test]
fn every_outcome_belongs_to_its_site() {
    for clang in clangs() {
        let text = include_str!("../../../../examples/base64.c");
        let subject = subject(&[text], &clang);
        assert!(subject.outcome_count > 20);
        for (id, site) in subject.sites.iter().enumerate() {
            for (within, outcome) in site.outcomes().enumerate() {
                let found = subject.outcome(outcome).map(|(site, within)| (site.index(), within as usize));
                assert_eq!(found, Some((id, within)));
            }
        }
        assert_eq!(subject.outcome(OutcomeId(subject.outcome_count)), None);
    }
}

#[test]
fn library_models_come_last_and_helpers_of_ours_are_left_out() {
    check(
        &[
            "int tw_helper;\nint tw_start(void) { return 1; }\nint tw_model_strlen(char *s) { return s[0] > 3; }\n\
           int mine(int x) { return x > 4 || tw_model_strlen(0); }\n",
        ],
        |subject| {
            let model = |function: &Function| format!("{}: {:?}\n", function.name, function.uncallable);
            subject.functions.iter().map(model).collect::<String>() + &decisions(subject)
        },
        &expect![[r#"
            mine: None
            tw_model_strlen: Some("it is a model of a library function")
            4:28 mine.0 branch: 0.. true, false
            4:32 mine.1 compare ne chooses: 2.. true, false
            3:44 tw_model_strlen.0 compare sgt: 4.. true, false
        "#]],
    );
}

#[test]
fn a_trap_carries_the_numbers_of_its_check() {
    for clang in clangs() {
        let folder = tempfile::tempdir().unwrap();
        let text = "int f(int a) { if (a == 3) __builtin_trap(); return a + 1; }\n";
        let (bitcode, files) = bitcode(folder.path(), &[text], &clang).unwrap();
        let context = Context::new();
        let module = link(&context, &bitcode).unwrap();
        let subject = inspect(&module, &files).unwrap();
        let kind = context.metadata_kind(SITE_KIND);
        let blocks = function_values(&module)[0].blocks();
        let traps = blocks
            .into_iter()
            .flat_map(testwright_llvm::Block::instructions)
            .filter(|it| trap(*it).is_some());
        let numbers: Vec<(SiteKind, u64)> = traps
            .map(|trap| trap.numbers(kind).unwrap())
            .map(|numbers| (subject.sites[numbers[0] as usize].kind.clone(), numbers[1]))
            .collect();
        let expected = [(SiteKind::Check(CheckKind::TRAP), 2), (SiteKind::Check(CheckKind(0)), 3)];
        assert_eq!(numbers, expected, "{}", clang.version);
    }
}

#[test]
fn a_typedef_in_two_files_is_one_type_and_stands_for_its_struct() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("types.h"),
        "typedef struct { int x; } nameless;\ntypedef struct named { int y; } named;\ntypedef unsigned word;\n",
    )
    .unwrap();
    let include = format!("#include \"{}/types.h\"\n", folder.path().display());
    let first = format!("{include}int f(nameless *n, named *m, word w) {{ return n->x + m->y + (int)w; }}");
    let second =
        format!("{include}int g(nameless *n, struct named *m, word w) {{ return n->x - m->y - (int)w; }}");
    let target = |types: &Types, ty| match types.get(ty).shape {
        Shape::Pointer(target) => target,
        _ => ty,
    };
    for clang in clangs() {
        let subject = subject(&[&first, &second], &clang);
        let types = &subject.types;
        let pointees = |name: &str| {
            let function = subject.function(subject.function_named(name).unwrap());
            let params = function.signature.as_ref().unwrap().params.iter();
            params.map(|param| target(types, param.ty)).collect::<Vec<_>>()
        };
        let (of_f, of_g) = (pointees("f"), pointees("g"));
        assert_eq!((of_f[0], of_f[2]), (of_g[0], of_g[2]), "{clang:?}");
        assert_ne!(of_f[1], of_g[1], "{clang:?}");
        assert_eq!(types.unaliased(of_f[1]), types.unaliased(of_g[1]), "{clang:?}");
    }
}

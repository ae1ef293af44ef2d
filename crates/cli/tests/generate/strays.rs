//! Runs that end well but use memory that is not their own: better ones are looked for, and they are findings.

use crate::support::Bench;

/// Looks at the element below the top of a stack.
const PEEK: &str = "\
struct stack { int *start, *top, *end; };
int peek(struct stack *s)
{
    if (s->top[-1] > 3)
        return 1;
    return 0;
}
";

#[test]
fn an_object_gets_the_elements_that_code_reads_before_a_pointer() {
    let bench = Bench::new(PEEK);
    let report = bench.generate(&["--runs", "300"]);
    assert_eq!(bench.function("peek")["tests"], 2, "{report}");
    let text = bench.read("out/subject_test.c");
    assert!(text.contains("s.top = &s_top + 1;"), "{text}");
    bench.check();
}

#[test]
fn a_write_past_an_allocation_stays_a_finding_when_better_cases_are_found() {
    let bench = Bench::new(
        "#include <stdlib.h>\n#include <string.h>\nint fill(int n)\n{\n    char *p = malloc(n & 127);\n    int r = 0;\n    \
         if (!p)\n        return -1;\n    memset(p, 1, 40);\n    if (n > 1000)\n        r = p[0];\n    free(p);\n    return r;\n}\n",
    );
    let report = bench.generate(&["--runs", "400"]);
    let fill = bench.function("fill");
    assert!(fill["findings"].to_string().contains("past the end of an allocation"), "{report}");
    let text = bench.read("out/subject_test.c");
    assert!(text.contains("fill_returns_1") || text.contains("returns_1_if_n_gt_1000"), "{text}");
    bench.check();
}

#[test]
fn which_of_many_null_pointers_was_followed_is_told() {
    let bench = Bench::new(
        "struct part { int y; };\nstruct whole { struct part *a, *b, *c, *d, *e, *f, *g, *h; };\n\
         int sum(const struct whole *w)\n{\n    return w->c->y + w->g->y == 5;\n}\n",
    );
    let report = bench.generate(&["--runs", "60"]);
    assert!(report.contains("w[0].c is not null; w[0].g is not null"), "{report}");
    assert_eq!(bench.function("sum")["tests"], 1, "{report}");
}

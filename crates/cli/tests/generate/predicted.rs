//! Predictions: inputs that were solved for follow the path they were solved for, wherever objects lie.

use crate::support::Bench;

/// Generates tests with this many runs. Every flip went as predicted, and the functions have so many branches covered.
fn follows(text: &str, runs: &str, covered: &[(&str, u64)]) {
    let bench = Bench::new(text);
    let report = bench.generate(&["--runs", runs]);
    assert_eq!(bench.summary()["divergences"], 0, "{report}");
    for (function, count) in covered {
        assert_eq!(bench.function(function)["branches"]["covered"], *count, "{function}: {report}");
    }
}

#[test]
fn no_pointer_of_the_inputs_leads_to_what_the_run_allocates_or_to_variables_of_the_code() {
    follows(
        "#include <stdlib.h>\n\
         struct item { int kind; struct item *next; };\n\
         static const char unknown[] = \"?\";\n\
         int add(struct item *list, int kind) {\n\
             struct item *item = malloc(sizeof *item);\n\
             if (item == NULL || item == list) return -1;\n\
             item->kind = kind;\n\
             item->next = list;\n\
             int first = item->next == NULL ? 1 : 0;\n\
             free(item);\n\
             return first;\n\
         }\n\
         int is_unknown(const char *name) { int local = 0; return name == unknown || name == (char *)&local; }\n",
        "60",
        // That the allocation fails, and an empty list; that the item is the list is impossible.
        &[("add", 5), ("is_unknown", 2)],
    );
}

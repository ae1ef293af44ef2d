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

#[test]
fn code_that_asks_how_its_buffers_are_aligned_is_explored_for_each_alignment() {
    follows(
        "#include <stdint.h>\n\
         #include <stddef.h>\n\
         /* Whole words where both are aligned alike. */\n\
         void copy(unsigned char *to, const unsigned char *from, size_t n) {\n\
             for (; (uintptr_t)from % 4 && n; n--) *to++ = *from++;\n\
             if ((uintptr_t)to % 4 == 0)\n\
                 for (; n >= 4; from += 4, to += 4, n -= 4)\n\
                     *(uint32_t *)(void *)to = *(const uint32_t *)(const void *)from;\n\
             if (n & 2) { *to++ = *from++; *to++ = *from++; }\n\
             if (n & 1) *to = *from;\n\
         }\n",
        "120",
        &[("copy", 14)],
    );
}

//! Decisions of small C texts, as they are rebuilt.

use crate::inspect::testing::check;
use expect_test::{Expect, expect};
use std::fmt::Write;
use testwright_base::decision::Next;
use testwright_base::subject::Subject;

/// One line for each decision: its clauses by column, and where they lead if they are true and false.
fn told(subject: &Subject) -> String {
    let mut text = String::new();
    for decision in &subject.decisions {
        let line = decision.place.as_ref().map_or(0, |place| place.line);
        write!(text, "{} {line}:", subject.function(decision.function).name).unwrap();
        for (index, clause) in decision.clauses.iter().enumerate() {
            let column = clause
                .site
                .and_then(|site| subject.site(site)?.place.as_ref().map(|place| place.column.to_string()));
            let to = |next: Next| match next {
                Next::Clause(other) => other.to_string(),
                Next::Value(value) => value.to_string(),
            };
            let [if_true, if_false] = clause.next.map(to);
            write!(text, " {index}@{} {if_true}/{if_false}", column.unwrap_or_default()).unwrap();
        }
        match decision.site.and_then(|site| subject.site(site)) {
            Some(site) => writeln!(text, ", {} ways", site.outcome_count).unwrap(),
            None => text.push('\n'),
        }
    }
    text
}

#[track_caller]
fn check_told(text: &str, expected: &Expect) {
    check(&[text], told, expected);
}

#[test]
fn conditions_of_if_and_loops_are_decisions() {
    check_told(
        "int f(int a, int b, int c) {\n if (a && b || c) return 1;\n while (a > 0 && b < 5) a--;\n \
         do b++; while (a || b < 9);\n for (; a && !b; ) b++;\n return 0; }\n",
        &expect![[r#"
            f 2: 0@6 1/2 1@11 true/2 2@16 true/false, 5 ways
            f 3: 0@11 1/false 1@20 true/false
            f 4: 0@17 true/1 1@24 true/false
            f 5: 0@9 1/false 1@14 false/true
        "#]],
    );
}

#[test]
fn values_of_expressions_are_decisions() {
    check_told(
        "_Bool f(int a, int b, int c, int d) {\n int x = a ? b : c && d;\n x += !(a || b);\n \
         _Bool y = a && !(b || c);\n if (y) x++;\n return x && (b || c > 3); }\n",
        &expect![[r#"
            f 2: 0@18 1/false 1@20 true/false
            f 3: 0@9 true/1 1@11 true/false
            f 4: 0@12 1/false 1@19 false/2 2@21 false/true
            f 6: 0@9 1/false 1@15 true/2 2@22 true/false
        "#]],
    );
}

#[test]
fn choices_between_conditions_are_parts_of_them() {
    check_told(
        "int f(int a, int b, int c) {\n if (a ? b : c) return 1;\n if (!(a && (b ? !c : c))) return 2;\n \
         return (a && b) ? c : 7; }\n",
        &expect![[r#"
            f 2: 0@6 1/2 1@10 true/false 2@14 true/false
            f 3: 0@8 1/true 1@14 2/3 2@19 true/false 3@23 false/true
            f 4: 0@10 1/false 1@15 true/false
        "#]],
    );
}

#[test]
fn clauses_may_call_and_change_things() {
    check_told(
        "int g(int);\nint f(int a, int b, int *p) {\n if (a && g(a || b)) return 1;\n if (a && (*p = b) > 3) return 2;\n \
         if (a / b > 2 && b[p] % a) return 3;\n return g(b) && g(a ? b : 3); }\n",
        &expect![[r#"
            f 3: 0@6 1/false 1@11 true/false
            f 3: 0@13 true/1 1@15 true/false
            f 4: 0@6 1/false 1@20 true/false
            f 5: 0@12 1/false 1@24 true/false
            f 6: 0@9 1/false 1@14 true/false
        "#]],
    );
}

#[test]
fn statements_inside_each_other_are_decisions_each() {
    check_told(
        "int f(int a, int b, int c) {\n if (a) if (b) return c;\n if (a) { if (b || c) return 1; else return 2; }\n \
         while (a) { if (b) break; if (c) continue; a--; }\n if (a) goto out;\n if (b) goto out;\n \
         do { if (a > 3) break; if (b > 3) break; } while (c);\n switch (a) { case 1: if (b) c++; }\n return a ? b ? 1 : 2 : 3;\nout: return c; }\n",
        &expect![[r#"
            f 3: 0@15 true/1 1@20 true/false
        "#]],
    );
}

#[test]
fn long_decisions_are_there_too() {
    let clauses: Vec<String> = (0..17).map(|index| format!("a == {index}")).collect();
    check_told(
        &format!("int f(int a, int b) {{\n return b && ({}); }}\n", clauses.join(" || ")),
        &expect![[r#"
            f 2: 0@9 1/false 1@17 true/2 2@27 true/3 3@37 true/4 4@47 true/5 5@57 true/6 6@67 true/7 7@77 true/8 8@87 true/9 9@97 true/10 10@107 true/11 11@117 true/12 12@128 true/13 13@139 true/14 14@150 true/15 15@161 true/16 16@172 true/17 17@183 true/false
        "#]],
    );
}

#[test]
fn values_that_are_passed_on_are_clauses_and_what_calls_return_has_no_site() {
    check_told(
        "_Bool g(int);\n_Bool f(int a, int b, _Bool c) {\n if (b == 3) return a && g(b);\n \
         return (a || b) && c; }\n",
        &expect![[r#"
            f 3: 0@21 1/false 1@ true/false, 3 ways
            f 4: 0@10 2/1 1@15 2/false 2@21 true/false, 5 ways
        "#]],
    );
}

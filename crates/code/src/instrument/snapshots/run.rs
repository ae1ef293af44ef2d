//! The steps of the run build, and those that both builds have.

use super::super::emitter::{Emitter, Marks};
use super::super::{coverage, decision, distance, exports, steps, trap};
use super::{check, check_run};
use crate::path_conditions;
use expect_test::expect;
use std::collections::BTreeSet;
use testwright_base::ids::FunctionId;
use testwright_llvm::Context;

/// One branch.
const BRANCH: &str = "define i32 @f(i32 %a) {
       %c = icmp slt i32 %a, 10
       br i1 %c, label %small, label %large
     small:
       ret i32 1
     large:
       ret i32 2
     }";

#[test]
fn each_edge_of_a_branch_marks_its_outcome_the_first_time() {
    check_run(
        BRANCH,
        |emitter, subject| coverage::instrument(emitter, subject, None),
        &expect![[r#"
        define i32 @f(i32 %a) {
          %c = icmp slt i32 %a, 10
          br i1 %c, label %1, label %6
        small:
          ret i32 1
        large:
          ret i32 2
        1:
          %2 = load i8, ptr @coverage[0], align 1
          %3 = icmp eq i8 %2, 0
          br i1 %3, label %cold, label %edge
        edge:
          br label %small
        cold:
          store i8 1, ptr @coverage[0], align 1
          %4 = load i64, ptr @news, align 4
          %5 = add i64 %4, 1
          store i64 %5, ptr @news, align 4
          br label %edge
        6:
          %7 = load i8, ptr @coverage[1], align 1
          %8 = icmp eq i8 %7, 0
          br i1 %8, label %cold2, label %edge1
        edge1:
          br label %large
        cold2:
          store i8 1, ptr @coverage[1], align 1
          %9 = load i64, ptr @news, align 4
          %10 = add i64 %9, 1
          store i64 %10, ptr @news, align 4
          br label %edge1
        }
    "#]],
    );
}

#[test]
fn in_the_trace_build_marks_are_set_without_looking() {
    check(
        BRANCH,
        |module, subject, _| coverage::instrument(&Emitter::new(module, Marks::Store), subject, None),
        &expect![[r#"
            define i32 @f(i32 %a) {
              %c = icmp slt i32 %a, 10
              br i1 %c, label %edge, label %edge1
            small:
              ret i32 1
            large:
              ret i32 2
            edge:
              store i8 1, ptr @coverage[0], align 1
              br label %small
            edge1:
              store i8 1, ptr @coverage[1], align 1
              br label %large
            }
        "#]],
    );
}

#[test]
fn each_edge_tells_how_far_the_other_way_was() {
    check_run(
        BRANCH,
        |emitter, subject| {
            coverage::instrument(emitter, subject, Some(&distance::Distances::new(emitter)));
        },
        &expect![[r#"
            define i32 @f(i32 %a) {
              %c = icmp slt i32 %a, 10
              br i1 %c, label %1, label %13
            small:
              ret i32 1
            large:
              ret i32 2
            1:
              %2 = load i8, ptr @coverage[0], align 1
              %3 = icmp eq i8 %2, 0
              br i1 %3, label %cold, label %4
            4:
              %5 = sext i32 %a to i64
              %6 = sub i64 10, %5
              %7 = load i64, ptr @distance[1], align 4
              %8 = icmp ult i64 %6, %7
              br i1 %8, label %cold1, label %edge
            edge:
              br label %small
            cold:
              store i8 1, ptr @coverage[0], align 1
              %9 = load i64, ptr @news, align 4
              %10 = add i64 %9, 1
              store i64 %10, ptr @news, align 4
              br label %4
            cold1:
              store i64 %6, ptr @distance[1], align 4
              %11 = load i64, ptr @news, align 4
              %12 = add i64 %11, 1
              store i64 %12, ptr @news, align 4
              br label %edge
            13:
              %14 = load i8, ptr @coverage[1], align 1
              %15 = icmp eq i8 %14, 0
              br i1 %15, label %cold3, label %16
            16:
              %17 = sext i32 %a to i64
              %18 = sub i64 %17, 10
              %19 = add i64 %18, 1
              %20 = icmp eq i64 %19, 0
              %21 = select i1 %20, i64 %18, i64 %19
              %22 = load i64, ptr @distance[0], align 4
              %23 = icmp ult i64 %21, %22
              br i1 %23, label %cold4, label %edge2
            edge2:
              br label %large
            cold3:
              store i8 1, ptr @coverage[1], align 1
              %24 = load i64, ptr @news, align 4
              %25 = add i64 %24, 1
              store i64 %25, ptr @news, align 4
              br label %16
            cold4:
              store i64 %21, ptr @distance[0], align 4
              %26 = load i64, ptr @news, align 4
              %27 = add i64 %26, 1
              store i64 %27, ptr @news, align 4
              br label %edge2
            }
        "#]],
    );
}

#[test]
fn a_comparison_without_a_branch_selects_the_mark() {
    check_run(
        "define i32 @f(i32 %a) { %c = icmp eq i32 %a, 7 %r = zext i1 %c to i32 ret i32 %r }",
        |emitter, subject| coverage::instrument(emitter, subject, None),
        &expect![[r#"
            define i32 @f(i32 %a) {
              %1 = icmp eq i32 %a, 7
              %2 = select i1 %1, ptr @coverage[0], ptr @coverage[1]
              %3 = load i8, ptr %2, align 1
              %4 = icmp eq i8 %3, 0
              br i1 %4, label %cold, label %5
            5:
              %r = zext i1 %1 to i32
              ret i32 %r
            cold:
              store i8 1, ptr %2, align 1
              %6 = load i64, ptr @news, align 4
              %7 = add i64 %6, 1
              store i64 %7, ptr @news, align 4
              br label %5
            }
        "#]],
    );
}

#[test]
fn each_case_of_a_switch_has_a_mark_and_the_default_the_last() {
    check(
        "define i32 @f(i32 %a) {
           switch i32 %a, label %other [i32 4, label %four]
         four:
           ret i32 1
         other:
           ret i32 2
         }",
        |module, subject, _| coverage::instrument(&Emitter::new(module, Marks::Store), subject, None),
        &expect![[r#"
            define i32 @f(i32 %a) {
              switch i32 %a, label %edge [
                i32 4, label %edge1
              ]
            four:
              ret i32 1
            other:
              ret i32 2
            edge:
              store i8 1, ptr @coverage[1], align 1
              br label %other
            edge1:
              store i8 1, ptr @coverage[0], align 1
              br label %four
            }
        "#]],
    );
}

#[test]
fn a_decision_whose_outcomes_are_marked_takes_one_branch() {
    check_run(
        "define i32 @f(i32 %a, i32 %b) {
           %x = icmp sle i32 %a, 0
           br i1 %x, label %none, label %next
         next:
           %y = icmp sle i32 %b, 0
           br i1 %y, label %none, label %some
         none:
           ret i32 0
         some:
           ret i32 1
         }",
        decision::shorten,
        &expect![[r#"
            define i32 @f(i32 %a, i32 %b) {
              %1 = icmp sle i32 %a, 0
              %2 = freeze i1 %1
              %3 = icmp sle i32 %b, 0
              %4 = freeze i1 %3
              %5 = select i1 %4, ptr @coverage[2], ptr @coverage[3]
              %6 = select i1 %2, ptr @coverage[0], ptr %5
              %7 = load i8, ptr %6, align 1
              %8 = icmp eq i8 %7, 0
              %9 = or i1 %2, %4
              br i1 %8, label %10, label %short
            10:
              br i1 %1, label %none, label %next
            next:
              %y = icmp sle i32 %b, 0
              br i1 %y, label %none, label %some
            none:
              ret i32 0
            some:
              ret i32 1
            short:
              br i1 %9, label %none, label %some
            }
        "#]],
    );
}

#[test]
fn the_conditions_of_a_path_are_measured_where_it_begins() {
    check_run(
        "define i32 @f(i32 %a, i32 %b) {
           %x = icmp eq i32 %a, 7
           br i1 %x, label %next, label %none
         next:
           %y = icmp slt i32 %b, 0
           br i1 %y, label %some, label %none
         none:
           ret i32 0
         some:
           ret i32 1
         }",
        |emitter, subject| {
            let functions = BTreeSet::from([FunctionId(0)]);
            path_conditions::instrument(emitter, subject, &functions, &path_conditions::Settings::default());
        },
        &expect![[r#"
            define i32 @f(i32 %a, i32 %b) {
              %1 = icmp eq i32 %a, 7
              %2 = load i32, ptr @target, align 4
              switch i32 %2, label %3 [
                i32 0, label %fitness
                i32 1, label %fitness1
                i32 2, label %fitness2
                i32 3, label %fitness3
              ]
            3:
              br i1 %1, label %next, label %none
            next:
              %y = icmp slt i32 %b, 0
              br i1 %y, label %some, label %none
            none:
              ret i32 0
            some:
              ret i32 1
            fitness:
              call void @tw_fitness_0(i32 0, i32 %a)
              br label %3
            fitness1:
              call void @tw_fitness_1(i32 0, i32 %a)
              br label %3
            fitness2:
              call void @tw_fitness_2(i32 0, i32 %a, i32 %b)
              br label %3
            fitness3:
              call void @tw_fitness_3(i32 0, i32 %a, i32 %b)
              br label %3
            }
            define internal void @tw_fitness_0(i32 %0, i32 %1) {
            entry:
              %2 = icmp eq i32 %1, 7
              %3 = sext i32 %1 to i64
              %4 = icmp sgt i64 %3, 7
              %5 = sub i64 %3, 7
              %6 = sub i64 7, %3
              %7 = select i1 %4, i64 %5, i64 %6
              %8 = select i1 %2, i64 0, i64 %7
              store i64 %8, ptr @cell[0], align 4
              %9 = load ptr, ptr @table.path_distance, align 8
              call void %9(i32 %0)
              ret void
            }
            define internal void @tw_fitness_1(i32 %0, i32 %1) {
            entry:
              %2 = icmp ne i32 %1, 7
              %3 = sext i32 %1 to i64
              %4 = select i1 %2, i64 0, i64 1
              store i64 %4, ptr @cell[0], align 4
              %5 = load ptr, ptr @table.path_distance, align 8
              call void %5(i32 %0)
              ret void
            }
            define internal void @tw_fitness_2(i32 %0, i32 %1, i32 %2) {
            entry:
              %3 = icmp eq i32 %1, 7
              %4 = sext i32 %1 to i64
              %5 = icmp sgt i64 %4, 7
              %6 = sub i64 %4, 7
              %7 = sub i64 7, %4
              %8 = select i1 %5, i64 %6, i64 %7
              %9 = select i1 %3, i64 0, i64 %8
              store i64 %9, ptr @cell[0], align 4
              %10 = icmp slt i32 %2, 0
              %11 = sext i32 %2 to i64
              %12 = sub i64 %11, 0
              %13 = add i64 %12, 1
              %14 = icmp eq i64 %13, 0
              %15 = select i1 %14, i64 %12, i64 %13
              %16 = select i1 %10, i64 0, i64 %15
              store i64 %16, ptr @cell[1], align 4
              %17 = load ptr, ptr @table.path_distance, align 8
              call void %17(i32 %0)
              ret void
            }
            define internal void @tw_fitness_3(i32 %0, i32 %1, i32 %2) {
            entry:
              %3 = icmp eq i32 %1, 7
              %4 = sext i32 %1 to i64
              %5 = icmp sgt i64 %4, 7
              %6 = sub i64 %4, 7
              %7 = sub i64 7, %4
              %8 = select i1 %5, i64 %6, i64 %7
              %9 = select i1 %3, i64 0, i64 %8
              store i64 %9, ptr @cell[0], align 4
              %10 = icmp sge i32 %2, 0
              %11 = sext i32 %2 to i64
              %12 = sub i64 0, %11
              %13 = select i1 %10, i64 0, i64 %12
              store i64 %13, ptr @cell[1], align 4
              %14 = load ptr, ptr @table.path_distance, align 8
              call void %14(i32 %0)
              ret void
            }
        "#]],
    );
}

#[test]
fn a_loop_counts_its_iterations_in_a_variable() {
    check_run(
        "define void @f(i32 %n) {
         start:
           br label %again
         again:
           %i = phi i32 [0, %start], [%j, %again]
           %j = add i32 %i, 1
           %c = icmp ult i32 %j, %n
           br i1 %c, label %again, label %done
         done:
           ret void
         }",
        |emitter, _| steps::instrument(emitter),
        &expect![[r#"
            define void @f(i32 %n) {
            start:
              %0 = alloca i64, align 8
              store i64 1024, ptr %0, align 4
              br label %1
            1:
              %2 = phi i32 [ 0, %start ], [ %j, %again ]
              %3 = load i64, ptr %0, align 4
              %4 = sub i64 %3, 1
              store i64 %4, ptr %0, align 4
              %5 = icmp eq i64 %4, 0
              br i1 %5, label %cold, label %again
            again:
              %j = add i32 %2, 1
              %c = icmp ult i32 %j, %n
              br i1 %c, label %1, label %6
            6:
              %7 = load i64, ptr %0, align 4
              %8 = sub i64 1024, %7
              %9 = load i64, ptr @steps_left, align 4
              %10 = sub i64 %9, %8
              store i64 %10, ptr @steps_left, align 4
              %11 = icmp slt i64 %10, 0
              br i1 %11, label %cold2, label %done
            done:
              ret void
            cold:
              store i64 1024, ptr %0, align 4
              %12 = load i64, ptr @steps_left, align 4
              %13 = sub i64 %12, 1024
              store i64 %13, ptr @steps_left, align 4
              %14 = icmp slt i64 %13, 0
              br i1 %14, label %cold1, label %rest
            cold1:
              %15 = load ptr, ptr @table.step_limit, align 8
              call void %15()
              unreachable
            rest:
              br label %again
            cold2:
              %16 = load ptr, ptr @table.step_limit, align 8
              call void %16()
              br label %done
            }
        "#]],
    );
}

#[test]
fn a_function_that_calls_itself_counts_its_entries() {
    check_run(
        "define void @f() { call void @f() ret void }",
        |emitter, _| steps::instrument(emitter),
        &expect![[r#"
            define void @f() {
              %1 = load i64, ptr @steps_left, align 4
              %2 = sub i64 %1, 1
              store i64 %2, ptr @steps_left, align 4
              %3 = icmp slt i64 %2, 0
              br i1 %3, label %cold, label %4
            4:
              call void @f()
              ret void
            cold:
              %5 = load ptr, ptr @table.step_limit, align 8
              call void %5()
              br label %4
            }
        "#]],
    );
}

#[test]
fn a_trap_is_a_call_that_says_which() {
    check_run(
        "declare void @llvm.ubsantrap(i8)
         define void @f() { call void @llvm.ubsantrap(i8 22) unreachable }",
        |emitter, _| trap::instrument(emitter),
        &expect![[r#"
            define void @f() {
              %1 = load i8, ptr @coverage[0], align 1
              %2 = icmp eq i8 %1, 0
              br i1 %2, label %cold, label %3
            3:
              %4 = load ptr, ptr @table.trap, align 8
              call void %4(i32 0, i32 22)
              unreachable
            cold:
              store i8 1, ptr @coverage[0], align 1
              %5 = load i64, ptr @news, align 4
              %6 = add i64 %5, 1
              store i64 %6, ptr @news, align 4
              br label %3
            }
        "#]],
    );
}

#[test]
fn unlikely_code_stands_in_a_block_of_its_own() {
    check_run(
        "define i32 @f(i32 %a, i1 %c) { %b = add i32 %a, 1 %d = mul i32 %b, 3 ret i32 %d }",
        |emitter, _| {
            let function = emitter.module.function("f").expect("a function");
            let product = function.blocks()[0].instructions()[1];
            emitter.builder.before(product);
            emitter.if_unlikely(function.params()[1], product, || emitter.count_news());
        },
        &expect![[r#"
            define i32 @f(i32 %a, i1 %c) {
              %1 = add i32 %a, 1
              br i1 %c, label %cold, label %2
            2:
              %d = mul i32 %1, 3
              ret i32 %d
            cold:
              %3 = load i64, ptr @news, align 4
              %4 = add i64 %3, 1
              store i64 %4, ptr @news, align 4
              br label %2
            }
        "#]],
    );
}

#[test]
fn a_library_names_its_drivers_globals_and_tables() {
    let context = Context::new();
    let module = context
        .parse_text(
            "@counter = global i32 3
             @squares = constant [2 x i8] c\"\\00\\01\"
             define void @tw_driver_0(ptr %arguments, ptr %result) { ret void }
             define void @f() { ret void }",
        )
        .expect("LLVM's text");
    let subject = crate::inspect::inspect(&module, &[]).expect("a subject");
    exports::export(&Emitter::new(&module, Marks::Store), &subject);
    let text = module.text();
    let exported: Vec<&str> = text.lines().filter(|line| line.starts_with('@')).collect();
    expect![[r#"
        @counter = internal global i32 3
        @squares = internal constant [2 x i8] c"\00\01"
        @tw_entries = global [1 x ptr] [ptr @tw_driver_0]
        @tw_stubs = global [0 x ptr] zeroinitializer
        @tw_stubs_count = global i64 0
        @tw_globals = global [1 x { ptr, i64 }] [{ ptr, i64 } { ptr @counter, i64 4 }]
        @tw_globals_count = global i64 1
        @tw_tables = global [1 x { ptr, i64 }] [{ ptr, i64 } { ptr @squares, i64 2 }]
        @tw_tables_count = global i64 1
        @tw_needs = global i64 0
    "#]]
    .assert_eq(&(exported.join("\n") + "\n"));
}

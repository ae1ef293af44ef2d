//! Ways through decisions.

use super::check_run;
use crate::instrument::{decision, ways};
use expect_test::expect;

/// `(a || b) && c`, as a choice between two places.
const CHOICE: &str = "
    define i32 @f(i1 %a, i1 %b, i1 %c) {
      br i1 %a, label %third, label %second
    second:
      br i1 %b, label %third, label %else
    third:
      br i1 %c, label %then, label %else
    then:
      ret i32 1
    else:
      ret i32 0
    }";

#[test]
fn the_sum_of_what_outcomes_add_is_the_way() {
    check_run(
        CHOICE,
        |emitter, _| ways::instrument(emitter),
        &expect![[r#"
        define i32 @f(i1 %a, i1 %b, i1 %c) {
          %1 = alloca i64, align 8
          br i1 %a, label %edge, label %edge1
        second:
          br i1 %b, label %edge2, label %4
        third:
          br i1 %c, label %12, label %20
        then:
          ret i32 1
        else:
          ret i32 0
        edge:
          store i64 0, ptr %1, align 4
          br label %third
        edge1:
          store i64 2, ptr %1, align 4
          br label %second
        edge2:
          %2 = load i64, ptr %1, align 4
          %3 = add i64 %2, 0
          store i64 %3, ptr %1, align 4
          br label %third
        4:
          %5 = load i64, ptr %1, align 4
          %6 = add i64 %5, 2
          %7 = getelementptr i8, ptr @coverage[6], i64 %6
          %8 = load i8, ptr %7, align 1
          %9 = icmp eq i8 %8, 0
          br i1 %9, label %cold, label %edge3
        edge3:
          br label %else
        cold:
          store i8 1, ptr %7, align 1
          %10 = load i64, ptr @news, align 4
          %11 = add i64 %10, 1
          store i64 %11, ptr @news, align 4
          br label %edge3
        12:
          %13 = load i64, ptr %1, align 4
          %14 = add i64 %13, 0
          %15 = getelementptr i8, ptr @coverage[6], i64 %14
          %16 = load i8, ptr %15, align 1
          %17 = icmp eq i8 %16, 0
          br i1 %17, label %cold5, label %edge4
        edge4:
          br label %then
        cold5:
          store i8 1, ptr %15, align 1
          %18 = load i64, ptr @news, align 4
          %19 = add i64 %18, 1
          store i64 %19, ptr @news, align 4
          br label %edge4
        20:
          %21 = load i64, ptr %1, align 4
          %22 = add i64 %21, 1
          %23 = getelementptr i8, ptr @coverage[6], i64 %22
          %24 = load i8, ptr %23, align 1
          %25 = icmp eq i8 %24, 0
          br i1 %25, label %cold7, label %edge6
        edge6:
          br label %else
        cold7:
          store i8 1, ptr %23, align 1
          %26 = load i64, ptr @news, align 4
          %27 = add i64 %26, 1
          store i64 %27, ptr @news, align 4
          br label %edge6
        }
    "#]],
    );
}

#[test]
fn decisions_whose_ways_are_counted_have_no_short_way() {
    check_run(
        CHOICE,
        decision::shorten,
        &expect![[r#"
        define i32 @f(i1 %a, i1 %b, i1 %c) {
          br i1 %a, label %third, label %second
        second:
          br i1 %b, label %third, label %else
        third:
          br i1 %c, label %then, label %else
        then:
          ret i32 1
        else:
          ret i32 0
        }
    "#]],
    );
}

#[test]
fn the_last_clause_of_a_value_selects_the_mark() {
    check_run(
        "define i1 @f(i1 %a, i32 %b, i1 %c) {
           br i1 %c, label %second, label %first
         first:
           br i1 %a, label %second, label %end
         second:
           %d = icmp slt i32 %b, 3
           br label %end
         end:
           %value = phi i1 [ false, %first ], [ %d, %second ]
           ret i1 %value
         }",
        |emitter, _| ways::instrument(emitter),
        &expect![[r#"
            define i1 @f(i1 %a, i32 %b, i1 %c) {
              %1 = alloca i64, align 8
              br i1 %c, label %edge, label %edge1
            first:
              br i1 %a, label %edge2, label %13
            2:
              %3 = icmp slt i32 %b, 3
              %4 = select i1 %3, i64 0, i64 1
              %5 = load i64, ptr %1, align 4
              %6 = add i64 %5, %4
              %7 = getelementptr i8, ptr @coverage[6], i64 %6
              %8 = load i8, ptr %7, align 1
              %9 = icmp eq i8 %8, 0
              br i1 %9, label %cold4, label %second
            second:
              br label %end
            end:
              %10 = phi i1 [ false, %edge3 ], [ %3, %second ]
              ret i1 %10
            edge:
              store i64 0, ptr %1, align 4
              br label %2
            edge1:
              store i64 2, ptr %1, align 4
              br label %first
            edge2:
              %11 = load i64, ptr %1, align 4
              %12 = add i64 %11, 0
              store i64 %12, ptr %1, align 4
              br label %2
            13:
              %14 = load i64, ptr %1, align 4
              %15 = add i64 %14, 2
              %16 = getelementptr i8, ptr @coverage[6], i64 %15
              %17 = load i8, ptr %16, align 1
              %18 = icmp eq i8 %17, 0
              br i1 %18, label %cold, label %edge3
            edge3:
              br label %end
            cold:
              store i8 1, ptr %16, align 1
              %19 = load i64, ptr @news, align 4
              %20 = add i64 %19, 1
              store i64 %20, ptr @news, align 4
              br label %edge3
            cold4:
              store i8 1, ptr %7, align 1
              %21 = load i64, ptr @news, align 4
              %22 = add i64 %21, 1
              store i64 %22, ptr @news, align 4
              br label %second
            }
        "#]],
    );
}

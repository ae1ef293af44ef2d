//! Rare forms become common ones before the trace build is made.

use super::super::trace;
use super::check;
use expect_test::{Expect, expect};

#[track_caller]
fn lower(before: &str, after: &Expect) {
    check(before, |module, _, target| trace::lower::lower(module, target).expect("lowered"), after);
}

#[test]
fn an_aggregate_is_loaded_and_stored_part_by_part() {
    lower(
        "define void @f(ptr %p, ptr %q) {
           %v = load {i64, double}, ptr %p
           store {i64, double} %v, ptr %q
           ret void
         }",
        &expect![[r#"
            define void @f(ptr %p, ptr %q) {
              %1 = getelementptr i8, ptr %p, i64 0
              %2 = load i64, ptr %1, align 1
              %3 = insertvalue { i64, double } poison, i64 %2, 0
              %4 = getelementptr i8, ptr %p, i64 8
              %5 = load double, ptr %4, align 1
              %6 = insertvalue { i64, double } %3, double %5, 1
              %7 = getelementptr i8, ptr %q, i64 0
              %8 = extractvalue { i64, double } %6, 0
              store i64 %8, ptr %7, align 1
              %9 = getelementptr i8, ptr %q, i64 8
              %10 = extractvalue { i64, double } %6, 1
              store double %10, ptr %9, align 1
              ret void
            }
        "#]],
    );
}

#[test]
fn a_struct_passed_by_value_is_copied_by_the_caller() {
    lower(
        "define void @f(ptr byval([3 x i64]) %p) { ret void }
         define void @g(ptr %p) { call void @f(ptr byval([3 x i64]) %p) ret void }",
        &expect![[r#"
            define void @f(ptr %p) {
              ret void
            }
            define void @g(ptr %p) {
              %1 = alloca [3 x i64], align 16
              call void @llvm.memcpy.p0.p0.i64(ptr %1, ptr %p, i64 24, i1 false)
              call void @f(ptr %1)
              ret void
            }
        "#]],
    );
}

#[test]
fn two_floats_travel_as_one_variadic_argument() {
    lower(
        "declare void @f(i32, ...)
         define void @g(<2 x float> %v) { call void (i32, ...) @f(i32 1, <2 x float> %v) ret void }",
        &expect![[r#"
            define void @g(<2 x float> %v) {
              %1 = bitcast <2 x float> %v to double
              call void (i32, ...) @f(i32 1, double %1)
              ret void
            }
        "#]],
    );
}

#[test]
fn the_class_of_a_float_is_a_range_of_its_bits() {
    lower(
        "declare i1 @llvm.is.fpclass.f64(double, i32)
         define i1 @f(double %x) { %r = call i1 @llvm.is.fpclass.f64(double %x, i32 3) ret i1 %r }",
        &expect![[r#"
            define i1 @f(double %x) {
              %1 = bitcast double %x to i64
              %2 = and i64 %1, 9223372036854775807
              %3 = icmp slt i64 %1, 0
              %4 = xor i1 %3, true
              %5 = sub i64 %2, 9218868437227405313
              %6 = icmp ule i64 %5, 2251799813685246
              %7 = or i1 false, %6
              %8 = sub i64 %2, 9221120237041090560
              %9 = icmp ule i64 %8, 2251799813685247
              %10 = or i1 %7, %9
              ret i1 %10
            }
        "#]],
    );
}

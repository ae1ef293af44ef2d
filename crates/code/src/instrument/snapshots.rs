//! Code before and after each step, as LLVM's text: what comments show in short, in full and checked.
//!
//! `UPDATE_EXPECT=1 cargo test -p testwright-code snapshots` writes what the steps make now; look at the difference.

use super::emitter::{Emitter, Marks};
use super::{steps, trace, trap};
use expect_test::{Expect, expect};
use testwright_base::sample::empty_subject;
use testwright_llvm::{Context, Module, Target};

/// Does a step to code and compares what becomes of it.
fn check(before: &str, step: impl FnOnce(&Module<'_>, &Target), after: &Expect) {
    let context = Context::new();
    let target = Target::x86_64().expect("the target");
    let module = context.parse_text(before).expect("LLVM's text");
    step(&module, &target);
    module.verify().expect("well-formed code");
    after.assert_eq(&shown(&module.text()));
}

/// The functions with a body, without metadata and notes.
fn shown(text: &str) -> String {
    let mut lines = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        inside |= line.starts_with("define");
        if inside && !line.is_empty() {
            let line = line.split(" ; ").next().unwrap_or(line);
            lines.push(line.split(", !").next().unwrap_or(line).trim_end());
        }
        inside &= line != "}";
    }
    lines.join("\n") + "\n"
}

fn lower(before: &str, after: &Expect) {
    check(before, |module, target| trace::lower::lower(module, target).expect("lowered"), after);
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

#[test]
fn stores_of_taint_are_volatile() {
    check(
        "define void @f(ptr addrspace(256) %a, ptr %b) {
           store i32 0, ptr addrspace(256) %a
           store i32 0, ptr %b
           ret void
         }",
        |module, _| trace::segment::keep_stores_apart(module),
        &expect![[r#"
            define void @f(ptr addrspace(256) %a, ptr %b) {
              store volatile i32 0, ptr addrspace(256) %a, align 4
              store i32 0, ptr %b, align 4
              ret void
            }
        "#]],
    );
}

#[test]
fn unlikely_code_stands_in_a_block_of_its_own() {
    check(
        "define i32 @f(i32 %a, i1 %c) { %b = add i32 %a, 1 %d = mul i32 %b, 3 ret i32 %d }",
        |module, _| {
            let emitter = Emitter::new(module, Marks::CountNews);
            let function = module.function("f").expect("a function");
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
              %3 = load i64, ptr inttoptr (i64 124244813938696 to ptr), align 4
              %4 = add i64 %3, 1
              store i64 %4, ptr inttoptr (i64 124244813938696 to ptr), align 4
              br label %2
            }
        "#]],
    );
}

#[test]
fn a_loop_counts_its_iterations_in_a_variable() {
    check(
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
        |module, _| steps::instrument(&Emitter::new(module, Marks::CountNews)),
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
              %9 = load i64, ptr inttoptr (i64 124244813938688 to ptr), align 4
              %10 = sub i64 %9, %8
              store i64 %10, ptr inttoptr (i64 124244813938688 to ptr), align 4
              %11 = icmp slt i64 %10, 0
              br i1 %11, label %cold2, label %done
            done:
              ret void
            cold:
              store i64 1024, ptr %0, align 4
              %12 = load i64, ptr inttoptr (i64 124244813938688 to ptr), align 4
              %13 = sub i64 %12, 1024
              store i64 %13, ptr inttoptr (i64 124244813938688 to ptr), align 4
              %14 = icmp slt i64 %13, 0
              br i1 %14, label %cold1, label %rest
            cold1:
              %15 = load ptr, ptr inttoptr (i64 124244813939672 to ptr), align 8
              call void %15() #0
              unreachable
            rest:
              br label %again
            cold2:
              %16 = load ptr, ptr inttoptr (i64 124244813939672 to ptr), align 8
              call void %16() #0
              br label %done
            }
        "#]],
    );
}

#[test]
fn a_trap_is_a_call_that_says_which() {
    check(
        "declare void @llvm.ubsantrap(i8)
         define void @f() { call void @llvm.ubsantrap(i8 22) unreachable }",
        |module, _| trap::instrument(&Emitter::new(module, Marks::Store)),
        &expect![[r#"
            define void @f() {
              %1 = load ptr, ptr inttoptr (i64 124244813939664 to ptr), align 8
              call void %1(i32 -1, i32 22) #1
              unreachable
            }
        "#]],
    );
}

const SUM: &str = "define i32 @f(ptr %p, i32 %n) {
     start:
       br label %again
     again:
       %i = phi i32 [0, %start], [%j, %again]
       %s = phi i32 [0, %start], [%t, %again]
       %a = load i32, ptr %p
       %t = add i32 %s, %a
       %j = add i32 %i, 1
       %c = icmp ult i32 %j, 9
       br i1 %c, label %again, label %done
     done:
       ret i32 %t
     }";

#[test]
fn a_region_is_entered_if_what_goes_in_is_symbolic() {
    let step = |module: &Module<'_>, _: &Target| {
        trace::instrument(&Emitter::new(module, Marks::Store), &mut empty_subject());
    };
    check(
        SUM,
        step,
        &expect![[r#"
        define i32 @f(ptr %p, i32 %n) #0 {
          %1 = alloca [4 x i32], align 16
          %2 = alloca i32, align 4
          %3 = alloca i1, align 1
          store i1 false, ptr %3, align 1
          %4 = load i32, ptr @tw_arguments, align 4
          store i32 0, ptr @tw_arguments, align 4
          %5 = load i32, ptr getelementptr (i8, ptr @tw_arguments, i64 4), align 4
          store i32 0, ptr getelementptr (i8, ptr @tw_arguments, i64 4), align 4
          %6 = or i32 %4, %5
          %7 = icmp ne i32 %6, 0
          br i1 %7, label %cold, label %8
        8:
          %9 = load i1, ptr %3, align 1
          br i1 %9, label %cold1, label %fast
        start:
          br label %10
        10:
          %11 = phi i32 [ 0, %start ], [ %18, %again ]
          %12 = phi i32 [ 0, %start ], [ %17, %again ]
          %13 = load i32, ptr %p, align 4
          %14 = ptrtoint ptr %p to i64
          %15 = inttoptr i64 %14 to ptr addrspace(256)
          %16 = load i32, ptr addrspace(256) %15, align 1
          %17 = add i32 %12, %13
          %18 = add i32 %11, 1
          %19 = icmp ult i32 %18, 9
          %20 = zext i32 %16 to i64
          %21 = load i1, ptr %3, align 1
          br i1 %21, label %cold2, label %check
        again:
          br i1 %19, label %10, label %22
        22:
          %23 = load i1, ptr %3, align 1
          br i1 %23, label %cold6, label %done
        done:
          %24 = phi i32 [ 0, %22 ], [ %41, %cold6 ]
          store i32 %24, ptr @tw_results, align 4
          ret i32 %17
        cold:
          call void @tw_clear_f(ptr %1, i1 false)
          %25 = getelementptr i8, ptr %1, i64 0
          store i32 %4, ptr %25, align 4
          %26 = getelementptr i8, ptr %1, i64 4
          store i32 %5, ptr %26, align 4
          store i1 true, ptr %3, align 1
          br label %8
        cold1:
          br label %quiet
        slow:
          call preserve_mostcc void @tw_region(ptr %1, i1 %9)
          store i1 true, ptr %3, align 1
          br label %start
        quiet:
          %27 = getelementptr i8, ptr %1, i64 8
          store i32 0, ptr %27, align 4
          br label %fast
        fast:
          br label %start
        cold2:
          %28 = getelementptr i8, ptr %1, i64 8
          %29 = load volatile i32, ptr %28, align 4
          %30 = zext i32 %29 to i64
          %31 = getelementptr i8, ptr %1, i64 0
          %32 = load volatile i32, ptr %31, align 4
          %33 = zext i32 %32 to i64
          %34 = or i64 %30, %33
          %35 = or i64 %34, %20
          %36 = icmp ne i64 %35, 0
          br i1 %36, label %slow3, label %quiet4
        slow3:
          call preserve_mostcc void @tw_region.1(ptr %1, i1 %21, i32 %13, ptr %p, i32 %12, i32 %17)
          store i1 true, ptr %3, align 1
          br label %again
        quiet4:
          %37 = getelementptr i8, ptr %1, i64 12
          store i32 0, ptr %37, align 4
          %38 = getelementptr i8, ptr %1, i64 8
          store i32 0, ptr %38, align 4
          br label %fast5
        fast5:
          br label %again
        check:
          %39 = icmp ne i64 %20, 0
          br i1 %39, label %cold2, label %fast5
        cold6:
          %40 = getelementptr i8, ptr %1, i64 12
          %41 = load i32, ptr %40, align 4
          br label %done
        }
        define internal void @tw_clear_f(ptr %0, i1 %1) #1 {
        entry:
          br i1 %1, label %done, label %clear
        clear:
          store [4 x i32] zeroinitializer, ptr %0, align 4
          br label %done
        done:
          ret void
        }
        define internal preserve_mostcc void @tw_region(ptr %0, i1 %1) #2 {
        entry:
          call void @tw_clear_f(ptr %0, i1 %1)
          %2 = getelementptr i8, ptr %0, i64 8
          store i32 0, ptr %2, align 4
          ret void
        }
        define internal preserve_mostcc void @tw_region.1(ptr %0, i1 %1, i32 %2, ptr %3, i32 %4, i32 %5) #2 {
        entry:
          call void @tw_clear_f(ptr %0, i1 %1)
          %6 = getelementptr i8, ptr %0, i64 0
          %7 = load i32, ptr %6, align 4
          %8 = getelementptr i8, ptr %0, i64 8
          %9 = load i32, ptr %8, align 4
          %10 = zext i32 %2 to i64
          %11 = ptrtoint ptr %3 to i64
          %12 = load ptr, ptr inttoptr (i64 124244813939560 to ptr), align 8
          %13 = call i32 %12(i32 -1, i32 %7, i64 %11, i32 4, i64 %10) #3
          %14 = zext i32 %4 to i64
          %15 = zext i32 %2 to i64
          %16 = zext i32 %5 to i64
          %17 = load ptr, ptr inttoptr (i64 124244813939488 to ptr), align 8
          %18 = call i32 %17(i32 33562627, i32 %9, i32 %13, i64 %14, i64 %15, i64 %16) #4
          %19 = getelementptr i8, ptr %0, i64 12
          store i32 %18, ptr %19, align 4
          %20 = getelementptr i8, ptr %0, i64 8
          store i32 %18, ptr %20, align 4
          ret void
        }
    "#]],
    );
}

#[test]
fn a_loop_has_a_copy_that_knows_no_handles() {
    let step = |module: &Module<'_>, target: &Target| {
        let emitter = Emitter::new(module, Marks::Store);
        trace::instrument(&emitter, &mut empty_subject());
        trace::copies::split(&emitter, target).expect("split");
        module.run_passes("function(sroa,simplifycfg)", target).expect("tidied");
    };
    check(
        SUM,
        step,
        &expect![[r#"
        define i32 @f(ptr %p, i32 %n) #0 {
          %1 = alloca [4 x i32], align 16
          %"reg2mem alloca point" = bitcast i32 0 to i32
          %2 = load i32, ptr @tw_arguments, align 4
          store i32 0, ptr @tw_arguments, align 4
          %3 = load i32, ptr getelementptr (i8, ptr @tw_arguments, i64 4), align 4
          store i32 0, ptr getelementptr (i8, ptr @tw_arguments, i64 4), align 4
          %4 = or i32 %2, %3
          %5 = icmp ne i32 %4, 0
          br i1 %5, label %cold, label %clean47
        .cold2_crit_edge:
          %.2 = phi i1 [ true, %cold ], [ %.0, %again ]
          %.reg2mem39.0 = phi i32 [ 0, %cold ], [ %.reg2mem18.0, %again ]
          %.reg2mem41.0 = phi i32 [ 0, %cold ], [ %.reg2mem15.0, %again ]
          %6 = load i32, ptr %p, align 4
          %7 = ptrtoint ptr %p to i64
          %8 = inttoptr i64 %7 to ptr addrspace(256)
          %9 = load i32, ptr addrspace(256) %8, align 1
          %10 = add i32 %.reg2mem39.0, %6
          %11 = add i32 %.reg2mem41.0, 1
          %12 = icmp ult i32 %11, 9
          %13 = zext i32 %9 to i64
          br label %cold2
        again:
          %.0 = phi i1 [ true, %slow3 ], [ %.reg2mem7.0, %quiet4 ]
          br i1 %.reg2mem13.0, label %.cold2_crit_edge, label %cold6
        common.ret:
          %common.ret.op = phi i32 [ %.reg2mem18.0, %cold6 ], [ %34, %clean54 ]
          ret i32 %common.ret.op
        cold:
          call void @tw_clear_f(ptr %1, i1 false)
          %14 = getelementptr i8, ptr %1, i64 0
          store i32 %2, ptr %14, align 4
          %15 = getelementptr i8, ptr %1, i64 4
          store i32 %3, ptr %15, align 4
          %16 = getelementptr i8, ptr %1, i64 8
          store i32 0, ptr %16, align 4
          br label %.cold2_crit_edge
        cold2:
          %.reg2mem10.0 = phi i64 [ %13, %.cold2_crit_edge ], [ %37, %clean47 ]
          %.reg2mem13.0 = phi i1 [ %12, %.cold2_crit_edge ], [ %36, %clean47 ]
          %.reg2mem15.0 = phi i32 [ %11, %.cold2_crit_edge ], [ %35, %clean47 ]
          %.reg2mem18.0 = phi i32 [ %10, %.cold2_crit_edge ], [ %34, %clean47 ]
          %.reg2mem22.0 = phi i32 [ %6, %.cold2_crit_edge ], [ %30, %clean47 ]
          %.reg2mem25.0 = phi i32 [ %.reg2mem39.0, %.cold2_crit_edge ], [ %.reg2mem39.1, %clean47 ]
          %.reg2mem7.0 = phi i1 [ %.2, %.cold2_crit_edge ], [ false, %clean47 ]
          %17 = getelementptr i8, ptr %1, i64 8
          %18 = load volatile i32, ptr %17, align 4
          %19 = zext i32 %18 to i64
          %20 = getelementptr i8, ptr %1, i64 0
          %21 = load volatile i32, ptr %20, align 4
          %22 = zext i32 %21 to i64
          %23 = or i64 %19, %22
          %24 = or i64 %23, %.reg2mem10.0
          %25 = icmp ne i64 %24, 0
          br i1 %25, label %slow3, label %quiet4
        slow3:
          call void @tw_region.1(ptr %1, i1 %.reg2mem7.0, i32 %.reg2mem22.0, ptr %p, i32 %.reg2mem25.0, i32 %.reg2mem18.0)
          br label %again
        quiet4:
          %26 = getelementptr i8, ptr %1, i64 12
          store i32 0, ptr %26, align 4
          %27 = getelementptr i8, ptr %1, i64 8
          store i32 0, ptr %27, align 4
          br label %again
        cold6:
          %28 = getelementptr i8, ptr %1, i64 12
          %29 = load i32, ptr %28, align 4
          store i32 %29, ptr @tw_results, align 4
          br label %common.ret
        clean47:
          %.reg2mem39.1 = phi i32 [ 0, %0 ], [ %34, %clean51 ]
          %.reg2mem41.1 = phi i32 [ 0, %0 ], [ %35, %clean51 ]
          %30 = load i32, ptr %p, align 4
          %31 = ptrtoint ptr %p to i64
          %32 = inttoptr i64 %31 to ptr addrspace(256)
          %33 = load i32, ptr addrspace(256) %32, align 1
          %34 = add i32 %.reg2mem39.1, %30
          %35 = add i32 %.reg2mem41.1, 1
          %36 = icmp ult i32 %35, 9
          %37 = zext i32 %33 to i64
          %38 = icmp ne i64 %37, 0
          br i1 %38, label %cold2, label %clean51
        clean51:
          br i1 %36, label %clean47, label %clean54
        clean54:
          store i32 0, ptr @tw_results, align 4
          br label %common.ret
        }
        define internal void @tw_clear_f(ptr %0, i1 %1) #1 {
        entry:
          %"reg2mem alloca point" = bitcast i32 0 to i32
          br i1 %1, label %done, label %clear
        clear:
          store [4 x i32] zeroinitializer, ptr %0, align 4
          br label %done
        done:
          ret void
        }
        define internal void @tw_region(ptr %0, i1 %1) #1 {
        entry:
          %"reg2mem alloca point" = bitcast i32 0 to i32
          call void @tw_clear_f(ptr %0, i1 %1)
          %2 = getelementptr i8, ptr %0, i64 8
          store i32 0, ptr %2, align 4
          ret void
        }
        define internal void @tw_region.1(ptr %0, i1 %1, i32 %2, ptr %3, i32 %4, i32 %5) #1 {
        entry:
          %"reg2mem alloca point" = bitcast i32 0 to i32
          call void @tw_clear_f(ptr %0, i1 %1)
          %6 = getelementptr i8, ptr %0, i64 0
          %7 = load i32, ptr %6, align 4
          %8 = getelementptr i8, ptr %0, i64 8
          %9 = load i32, ptr %8, align 4
          %10 = zext i32 %2 to i64
          %11 = ptrtoint ptr %3 to i64
          %12 = load ptr, ptr inttoptr (i64 124244813939560 to ptr), align 8
          %13 = call i32 %12(i32 -1, i32 %7, i64 %11, i32 4, i64 %10) #2
          %14 = zext i32 %4 to i64
          %15 = zext i32 %2 to i64
          %16 = zext i32 %5 to i64
          %17 = load ptr, ptr inttoptr (i64 124244813939488 to ptr), align 8
          %18 = call i32 %17(i32 33562627, i32 %9, i32 %13, i64 %14, i64 %15, i64 %16) #3
          %19 = getelementptr i8, ptr %0, i64 12
          store i32 %18, ptr %19, align 4
          %20 = getelementptr i8, ptr %0, i64 8
          store i32 %18, ptr %20, align 4
          ret void
        }
    "#]],
    );
}

//! The steps of the trace build, and the bodies of stubs.

use super::super::emitter::{Emitter, Marks};
use super::super::trace;
use super::check;
use expect_test::{Expect, expect};
use testwright_base::sample::{empty_subject, int};
use testwright_base::stub::{Behaviour, Origin, Stub};
use testwright_base::subject::Signature;
use testwright_llvm::Module;

#[track_caller]
fn traced(before: &str, after: &Expect) {
    check(
        before,
        |module, subject, _| trace::instrument(&Emitter::new(module, Marks::Store), subject),
        after,
    );
}

#[test]
fn a_region_is_entered_if_what_goes_in_is_symbolic() {
    traced(
        "define i32 @f(ptr %p, i32 %n) {
           %a = load i32, ptr %p
           %b = add i32 %a, 1
           %c = icmp slt i32 %b, %n
           br i1 %c, label %small, label %large
         small:
           ret i32 %b
         large:
           ret i32 0
         }",
        &expect![[r#"
            define i32 @f(ptr %p, i32 %n) {
              %1 = load i32, ptr @tw_context_f, align 4
              %2 = load i32, ptr @tw_arguments, align 4
              store i32 0, ptr @tw_arguments, align 4
              %3 = load i32, ptr getelementptr (i8, ptr @tw_arguments, i64 4), align 4
              store i32 0, ptr getelementptr (i8, ptr @tw_arguments, i64 4), align 4
              store i32 0, ptr @site, align 4
              %4 = load i32, ptr %p, align 4
              %5 = ptrtoint ptr %p to i64
              %6 = inttoptr i64 %5 to ptr addrspace(256)
              %7 = load i32, ptr addrspace(256) %6, align 1
              %8 = add i32 %4, 1
              %9 = icmp slt i32 %8, %n
              %10 = zext i32 %2 to i64
              %11 = zext i32 %7 to i64
              %12 = or i64 %10, %11
              %13 = zext i32 %3 to i64
              %14 = or i64 %12, %13
              %15 = icmp ne i64 %14, 0
              br i1 %15, label %slow, label %fast
            16:
              %17 = phi i32 [ 0, %fast ], [ %20, %slow ]
              %18 = phi i32 [ 0, %fast ], [ %21, %slow ]
              %19 = phi i32 [ 0, %fast ], [ %22, %slow ]
              br i1 %9, label %small, label %large
            small:
              store i32 %18, ptr @tw_results, align 4
              ret i32 %8
            large:
              store i32 0, ptr @tw_results, align 4
              ret i32 0
            slow:
              call preserve_mostcc void @tw_region(i32 %4, ptr %p, i32 %2, i32 %8, i32 %n, i1 %9, i32 %3, i32 %1)
              %20 = load i32, ptr @tw_made, align 4
              %21 = load i32, ptr getelementptr (i8, ptr @tw_made, i64 4), align 4
              %22 = load i32, ptr getelementptr (i8, ptr @tw_made, i64 8), align 4
              br label %16
            fast:
              br label %16
            }
            define internal preserve_mostcc void @tw_region(i32 %0, ptr %1, i32 %2, i32 %3, i32 %4, i1 %5, i32 %6, i32 %7) {
            entry:
              %8 = zext i32 %0 to i64
              %9 = ptrtoint ptr %1 to i64
              %10 = load ptr, ptr @table.load, align 8
              %11 = call i32 %10(i32 0, i32 %2, i64 %9, i32 4, i64 %8)
              %12 = zext i32 %0 to i64
              %13 = zext i32 %3 to i64
              %14 = load ptr, ptr @table.binary, align 8
              %15 = call i32 %14(i32 33562627, i32 %11, i32 0, i64 %12, i64 1, i64 %13)
              %16 = zext i32 %3 to i64
              %17 = zext i32 %4 to i64
              %18 = zext i1 %5 to i64
              %19 = load ptr, ptr @table.binary, align 8
              %20 = call i32 %19(i32 33554707, i32 %15, i32 %6, i64 %16, i64 %17, i64 %18)
              %21 = zext i1 %5 to i32
              %22 = load ptr, ptr @table.branch, align 8
              call void %22(i32 2, i32 %20, i32 %21, i32 %7)
              store i32 %11, ptr @tw_made, align 4
              store i32 %15, ptr getelementptr (i8, ptr @tw_made, i64 4), align 4
              store i32 %20, ptr getelementptr (i8, ptr @tw_made, i64 8), align 4
              ret void
            }
        "#]],
    );
}

#[test]
fn a_loop_carries_the_handle_of_its_sum_and_none_of_its_counter() {
    traced(
        "define i32 @f(ptr %p) {
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
         }",
        &expect![[r#"
            define i32 @f(ptr %p) {
            start:
              %0 = load i32, ptr @tw_arguments, align 4
              store i32 0, ptr @tw_arguments, align 4
              br label %1
            1:
              %2 = phi i32 [ 0, %start ], [ %10, %again ]
              %3 = phi i32 [ 0, %start ], [ %9, %again ]
              %4 = phi i32 [ 0, %start ], [ %19, %again ]
              store i32 0, ptr @site, align 4
              %5 = load i32, ptr %p, align 4
              %6 = ptrtoint ptr %p to i64
              %7 = inttoptr i64 %6 to ptr addrspace(256)
              %8 = load i32, ptr addrspace(256) %7, align 1
              %9 = add i32 %3, %5
              %10 = add i32 %2, 1
              %11 = icmp ult i32 %10, 9
              %12 = zext i32 %0 to i64
              %13 = zext i32 %8 to i64
              %14 = or i64 %12, %13
              %15 = zext i32 %4 to i64
              %16 = or i64 %14, %15
              %17 = icmp ne i64 %16, 0
              br i1 %17, label %slow, label %fast
            again:
              %18 = phi i32 [ 0, %fast ], [ %20, %slow ]
              %19 = phi i32 [ 0, %fast ], [ %21, %slow ]
              br i1 %11, label %1, label %done
            done:
              store i32 %19, ptr @tw_results, align 4
              ret i32 %9
            slow:
              call preserve_mostcc void @tw_region(i32 %5, ptr %p, i32 %0, i32 %3, i32 %9, i32 %4)
              %20 = load i32, ptr @tw_made, align 4
              %21 = load i32, ptr getelementptr (i8, ptr @tw_made, i64 4), align 4
              br label %again
            fast:
              br label %again
            }
            define internal preserve_mostcc void @tw_region(i32 %0, ptr %1, i32 %2, i32 %3, i32 %4, i32 %5) {
            entry:
              %6 = zext i32 %0 to i64
              %7 = ptrtoint ptr %1 to i64
              %8 = load ptr, ptr @table.load, align 8
              %9 = call i32 %8(i32 0, i32 %2, i64 %7, i32 4, i64 %6)
              %10 = zext i32 %3 to i64
              %11 = zext i32 %0 to i64
              %12 = zext i32 %4 to i64
              %13 = load ptr, ptr @table.binary, align 8
              %14 = call i32 %13(i32 33562627, i32 %5, i32 %9, i64 %10, i64 %11, i64 %12)
              store i32 %9, ptr @tw_made, align 4
              store i32 %14, ptr getelementptr (i8, ptr @tw_made, i64 4), align 4
              ret void
            }
        "#]],
    );
}

#[test]
fn a_store_clears_the_taint_of_its_target_or_sets_it() {
    traced(
        "define void @f(ptr %p) {
           store i32 7, ptr %p
           ret void
         }
         define void @g(i32 %x) {
           %place = alloca i32
           store i32 %x, ptr %place
           ret void
         }",
        &expect![[r#"
            define void @f(ptr %p) {
              %1 = load i32, ptr @tw_arguments, align 4
              store i32 0, ptr @tw_arguments, align 4
              %2 = zext i32 %1 to i64
              %3 = icmp ne i64 %2, 0
              br i1 %3, label %slow, label %fast
            4:
              store i32 0, ptr @site, align 4
              store i32 7, ptr %p, align 4
              ret void
            slow:
              call preserve_mostcc void @tw_region(i32 %1, ptr %p)
              br label %4
            fast:
              %5 = ptrtoint ptr %p to i64
              %6 = inttoptr i64 %5 to ptr addrspace(256)
              store i32 0, ptr addrspace(256) %6, align 1
              br label %4
            }
            define void @g(i32 %x) {
              %1 = alloca i32, align 4
              %2 = load i32, ptr @tw_arguments, align 4
              store i32 0, ptr @tw_arguments, align 4
              %3 = zext i32 %2 to i64
              %4 = icmp ne i64 %3, 0
              br i1 %4, label %slow, label %fast
            5:
              store i32 %x, ptr %1, align 4
              ret void
            slow:
              call preserve_mostcc void @tw_region.1(ptr %1, i32 %2)
              br label %5
            fast:
              %6 = ptrtoint ptr %1 to i64
              %7 = inttoptr i64 %6 to ptr addrspace(256)
              store i32 0, ptr addrspace(256) %7, align 1
              br label %5
            }
            define internal preserve_mostcc void @tw_region(i32 %0, ptr %1) {
            entry:
              %2 = load ptr, ptr @table.pin, align 8
              call void %2(i32 4, i32 0, i32 %0, i32 0)
              %3 = ptrtoint ptr %1 to i64
              %4 = load ptr, ptr @table.store, align 8
              call void %4(i32 0, i64 %3, i32 4)
              ret void
            }
            define internal preserve_mostcc void @tw_region.1(ptr %0, i32 %1) {
            entry:
              %2 = ptrtoint ptr %0 to i64
              %3 = load ptr, ptr @table.store, align 8
              call void %3(i32 %1, i64 %2, i32 4)
              ret void
            }
        "#]],
    );
}

#[test]
fn stores_of_taint_are_volatile_when_they_go_to_machine_code() {
    check(
        "define void @f(ptr addrspace(256) %a, ptr %b) {
           store i32 0, ptr addrspace(256) %a
           store i32 0, ptr %b
           ret void
         }",
        |module, _, _| trace::segment::keep_stores_apart(module),
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
fn the_outcome_of_a_switch_is_found_by_comparing() {
    traced(
        "define void @f(i32 %x) {
           switch i32 %x, label %other [i32 4, label %four i32 9, label %nine]
         four:
           ret void
         nine:
           ret void
         other:
           ret void
         }",
        &expect![[r#"
            define void @f(i32 %x) {
              %1 = load i32, ptr @tw_context_f, align 4
              %2 = load i32, ptr @tw_arguments, align 4
              store i32 0, ptr @tw_arguments, align 4
              %3 = zext i32 %2 to i64
              %4 = icmp ne i64 %3, 0
              br i1 %4, label %slow, label %fast
            5:
              switch i32 %x, label %other [
                i32 4, label %four
                i32 9, label %nine
              ]
            four:
              ret void
            nine:
              ret void
            other:
              ret void
            slow:
              call preserve_mostcc void @tw_region(i32 %x, i32 %2, i32 %1)
              br label %5
            fast:
              br label %5
            }
            define internal preserve_mostcc void @tw_region(i32 %0, i32 %1, i32 %2) {
            entry:
              %3 = icmp eq i32 %0, 4
              %4 = select i1 %3, i32 0, i32 2
              %5 = icmp eq i32 %0, 9
              %6 = select i1 %5, i32 1, i32 %4
              %7 = load ptr, ptr @table.switch, align 8
              call void %7(i32 0, i32 %1, i32 %6, i32 %2)
              ret void
            }
        "#]],
    );
}

#[test]
fn a_call_passes_handles_and_its_context() {
    traced(
        "define i32 @g(i32 %x) {
           %c = icmp eq i32 %x, 5
           br i1 %c, label %yes, label %no
         yes:
           ret i32 1
         no:
           ret i32 0
         }
         define i32 @f(i32 %x) {
           %r = call i32 @g(i32 %x)
           ret i32 %r
         }",
        &expect![[r#"
            define i32 @g(i32 %x) {
              %1 = load i32, ptr @tw_context_g, align 4
              %2 = load i32, ptr @tw_arguments, align 4
              store i32 0, ptr @tw_arguments, align 4
              %3 = icmp eq i32 %x, 5
              %4 = zext i32 %2 to i64
              %5 = icmp ne i64 %4, 0
              br i1 %5, label %slow, label %fast
            6:
              %7 = phi i32 [ 0, %fast ], [ %8, %slow ]
              br i1 %3, label %yes, label %no
            yes:
              store i32 0, ptr @tw_results, align 4
              ret i32 1
            no:
              store i32 0, ptr @tw_results, align 4
              ret i32 0
            slow:
              call preserve_mostcc void @tw_region(i32 %x, i1 %3, i32 %2, i32 %1)
              %8 = load i32, ptr @tw_made, align 4
              br label %6
            fast:
              br label %6
            }
            define i32 @f(i32 %x) {
              %1 = load i32, ptr @tw_context_f, align 4
              %2 = load i32, ptr @tw_arguments, align 4
              store i32 0, ptr @tw_arguments, align 4
              %3 = mul i32 %1, -1640531535
              %4 = add i32 %3, 1
              store i32 %4, ptr @tw_context_g, align 4
              store i32 %2, ptr @tw_arguments, align 4
              %r = call i32 @g(i32 %x)
              %5 = load i32, ptr @tw_results, align 4
              store i32 %5, ptr @tw_results, align 4
              ret i32 %r
            }
            define internal preserve_mostcc void @tw_region(i32 %0, i1 %1, i32 %2, i32 %3) {
            entry:
              %4 = zext i32 %0 to i64
              %5 = zext i1 %1 to i64
              %6 = load ptr, ptr @table.binary, align 8
              %7 = call i32 %6(i32 33554704, i32 %2, i32 0, i64 %4, i64 5, i64 %5)
              %8 = zext i1 %1 to i32
              %9 = load ptr, ptr @table.branch, align 8
              call void %9(i32 1, i32 %7, i32 %8, i32 %3)
              store i32 %7, ptr @tw_made, align 4
              ret void
            }
        "#]],
    );
}

#[test]
fn variadic_arguments_are_listed_with_the_way_they_travel() {
    traced(
        "declare void @llvm.va_start.p0(ptr)
         define void @f(i32 %n, ...) { ret void }
         define void @g(double %d, i32 %i) {
           call void (i32, ...) @f(i32 2, double %d, i32 %i)
           ret void
         }",
        &expect![[r#"
            define void @f(i32 %n, ...) {
              %1 = load i32, ptr @tw_arguments, align 4
              store i32 0, ptr @tw_arguments, align 4
              ret void
            }
            define void @g(double %d, i32 %i) {
              %1 = load i32, ptr @tw_arguments, align 4
              store i32 0, ptr @tw_arguments, align 4
              %2 = load i32, ptr getelementptr (i8, ptr @tw_arguments, i64 4), align 4
              store i32 0, ptr getelementptr (i8, ptr @tw_arguments, i64 4), align 4
              store i32 %1, ptr @variadic[0].handle, align 4
              store i32 1, ptr @variadic[0].class, align 4
              store i32 8, ptr @variadic[0].size, align 4
              store i32 %2, ptr @variadic[1].handle, align 4
              store i32 0, ptr @variadic[1].class, align 4
              store i32 4, ptr @variadic[1].size, align 4
              store i64 2, ptr @variadic_count, align 4
              call void (i32, ...) @f(i32 2, double %d, i32 %i)
              ret void
            }
        "#]],
    );
}

#[test]
fn native_code_gets_a_guard_of_what_it_calls_back() {
    traced(
        "declare ptr @lfind(ptr, ptr)
         define i32 @same(ptr %a) {
           %r = load i32, ptr %a
           ret i32 %r
         }
         define void @f(ptr %p) {
           %r = call ptr @lfind(ptr %p, ptr @same)
           ret void
         }",
        &expect![[r#"
            define i32 @same(ptr %a) {
              %1 = load i32, ptr @tw_arguments, align 4
              store i32 0, ptr @tw_arguments, align 4
              store i32 0, ptr @site, align 4
              %2 = load i32, ptr %a, align 4
              %3 = ptrtoint ptr %a to i64
              %4 = inttoptr i64 %3 to ptr addrspace(256)
              %5 = load i32, ptr addrspace(256) %4, align 1
              %6 = zext i32 %1 to i64
              %7 = zext i32 %5 to i64
              %8 = or i64 %6, %7
              %9 = icmp ne i64 %8, 0
              br i1 %9, label %slow, label %fast
            10:
              %11 = phi i32 [ 0, %fast ], [ %12, %slow ]
              store i32 %11, ptr @tw_results, align 4
              ret i32 %2
            slow:
              call preserve_mostcc void @tw_region(i32 %2, ptr %a, i32 %1)
              %12 = load i32, ptr @tw_made, align 4
              br label %10
            fast:
              br label %10
            }
            define void @f(ptr %p) {
              %1 = load i32, ptr @tw_arguments, align 4
              store i32 0, ptr @tw_arguments, align 4
              %2 = zext i32 %1 to i64
              %3 = icmp ne i64 %2, 0
              br i1 %3, label %slow, label %fast
            4:
              %5 = ptrtoint ptr %p to i64
              %6 = load ptr, ptr @table.given, align 8
              call void %6(i32 1, i64 %5, i32 0, i32 0)
              store i32 1, ptr @site, align 4
              %r = call ptr @lfind(ptr %p, ptr @tw_callback_lfind_same)
              ret void
            slow:
              call preserve_mostcc void @tw_region.1(i32 %1)
              br label %4
            fast:
              br label %4
            }
            define internal preserve_mostcc void @tw_region(i32 %0, ptr %1, i32 %2) {
            entry:
              %3 = zext i32 %0 to i64
              %4 = ptrtoint ptr %1 to i64
              %5 = load ptr, ptr @table.load, align 8
              %6 = call i32 %5(i32 0, i32 %2, i64 %4, i32 4, i64 %3)
              store i32 %6, ptr @tw_made, align 4
              ret void
            }
            define internal preserve_mostcc void @tw_region.1(i32 %0) {
            entry:
              %1 = load ptr, ptr @table.pin, align 8
              call void %1(i32 7, i32 1, i32 %0, i32 0)
              ret void
            }
            define internal i32 @tw_callback_lfind_same(ptr %0) {
              %2 = call i32 @same(ptr %0)
              %3 = load i32, ptr @tw_results, align 4
              %4 = icmp ne i32 %3, 0
              br i1 %4, label %cold, label %entry
            entry:
              ret i32 %2
            cold:
              %5 = load ptr, ptr @table.pin, align 8
              call void %5(i32 7, i32 -1, i32 %3, i32 0)
              br label %entry
            }
        "#]],
    );
}

#[test]
fn a_stub_gives_the_answers_of_the_case() {
    let define = |module: &Module<'_>| {
        let mut subject = empty_subject();
        let result = int(&mut subject.types, "int", 32, true);
        subject.stubs.push(Stub {
            name: "read_clock".to_owned(),
            signature: Signature { params: Vec::new(), result, variadic: false },
            constant: Vec::new(),
            origin: Origin::Missing,
            ends: false,
            allocates: Vec::new(),
            behaviour: Behaviour::default(),
            answers: Vec::new(),
            given: Vec::new(),
            limits: Vec::new(),
        });
        crate::stub::define(module, &mut subject);
    };
    check(
        "declare i32 @read_clock()
         define i32 @f() { %r = call i32 @read_clock() ret i32 %r }",
        |module, _, _| define(module),
        &expect![[r#"
            define internal i32 @read_clock() {
            entry:
              %0 = call i64 @tw_stub_call(i32 0)
              %1 = icmp ult i64 %0, 31
              %2 = select i1 %1, i64 %0, i64 31
              %3 = mul i64 %2, 4
              %4 = getelementptr i8, ptr @stub.read_clock.result, i64 %3
              %5 = load i32, ptr %4, align 1
              ret i32 %5
            }
            define i32 @f() {
              %r = call i32 @read_clock()
              ret i32 %r
            }
        "#]],
    );
}

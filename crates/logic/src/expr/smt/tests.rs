//! Tests of scripts: what is printed, word for word.

use expect_test::{Expect, expect};
use testwright_abi::expr::Op;
use testwright_abi::libm::Function;

use super::*;
use crate::testing::Arena;

fn name(index: u32) -> String {
    ["x", "y", "z", "w"][index as usize].into()
}

/// Compares the script that claims `id` to have its recorded value.
fn check(arena: Arena, id: ExprId, expected: &Expect) {
    let exprs = arena.finish();
    let mut script = Script::new(&exprs, [id], &name);
    script.assert_equals(id, exprs.get(id).value);
    expected.assert_eq(&script.finish());
}

#[test]
fn comparisons_are_claims_by_themselves() {
    let mut arena = Arena::default();
    let x = arena.input(0, 32, 5);
    let y = arena.input(1, 32, 7);
    let sum = arena.op(Op::Add, 32, &[x, y]);
    let less = arena.op(Op::Slt, 1, &[sum, x]);
    check(
        arena,
        less,
        &expect![[r#"
        (set-logic QF_BV)
        (declare-const x (_ BitVec 32))
        (declare-const y (_ BitVec 32))
        (assert (not (bvslt (bvadd x y) x)))
        (check-sat)
        (get-model)
    "#]],
    );
}

#[test]
fn truth_values_stay_truth_values() {
    let mut arena = Arena::default();
    let x = arena.input(0, 32, 5);
    let y = arena.input(1, 1, 1);
    let zero = arena.constant(32, 0);
    let equal = arena.op(Op::Eq, 1, &[x, zero]);
    let differs = arena.op(Op::Not, 1, &[equal]);
    let widened = arena.op(Op::ZExt, 32, &[differs]);
    let is_zero = arena.op(Op::Eq, 1, &[widened, zero]);
    let less = arena.op(Op::Ult, 1, &[x, widened]);
    let both = arena.op(Op::Or, 1, &[is_zero, less]);
    let mixed = arena.op(Op::And, 1, &[both, y]);
    check(
        arena,
        mixed,
        &expect![[r#"
            (set-logic QF_BV)
            (declare-const x (_ BitVec 32))
            (declare-const y (_ BitVec 1))
            (define-fun e6 () (_ BitVec 32) (ite (not (= x #x00000000)) #x00000001 #x00000000))
            (assert (not (and (or (= x #x00000000) (bvult x e6)) (= y #b1))))
            (check-sat)
            (get-model)
        "#]],
    );
}

#[test]
fn shared_parts_are_named_and_others_inlined() {
    let mut arena = Arena::default();
    let x = arena.input(0, 8, 5);
    let square = arena.op(Op::Mul, 8, &[x, x]);
    let not = arena.op(Op::Not, 8, &[square]);
    let sum = arena.op(Op::Add, 8, &[not, square]);
    check(
        arena,
        sum,
        &expect![[r#"
        (set-logic QF_BV)
        (declare-const x (_ BitVec 8))
        (define-fun e2 () (_ BitVec 8) (bvmul x x))
        (assert (= (bvadd (bvnot e2) e2) #xff))
        (check-sat)
        (get-model)
    "#]],
    );
}

#[test]
fn long_terms_are_named() {
    let mut arena = Arena::default();
    let x = arena.input(0, 8, 5);
    let mut sum = x;
    for _ in 0..12 {
        sum = arena.op(Op::Sub, 8, &[sum, x]);
    }
    check(
        arena,
        sum,
        &expect![[r#"
        (set-logic QF_BV)
        (declare-const x (_ BitVec 8))
        (define-fun e11 () (_ BitVec 8) (bvsub (bvsub (bvsub (bvsub (bvsub (bvsub (bvsub (bvsub (bvsub (bvsub x x) x) x) x) x) x) x) x) x) x))
        (assert (= (bvsub (bvsub e11 x) x) #xc9))
        (check-sat)
        (get-model)
    "#]],
    );
}

#[test]
fn floats_are_floats() {
    let mut arena = Arena::default();
    let x = arena.input(0, 64, u128::from(1.5f64.to_bits()));
    let y = arena.input(1, 32, 3);
    let number = arena.op(Op::SToF, 64, &[y]);
    let product = arena.op(Op::FMul, 64, &[x, number]);
    let one = arena.constant(64, 1f64.to_bits());
    let less = arena.op(Op::FLt, 1, &[product, one]);
    check(
        arena,
        less,
        &expect![[r#"
            (set-logic QF_BVFP)
            (declare-const x (_ BitVec 64))
            (declare-const y (_ BitVec 32))
            (assert (not (fp.lt (fp.mul RNE ((_ to_fp 11 53) x) ((_ to_fp 11 53) RNE y)) ((_ to_fp 11 53) #x3ff0000000000000))))
            (check-sat)
            (get-model)
        "#]],
    );
}

#[test]
fn bits_of_a_float_are_a_constant_that_stands_for_it() {
    let mut arena = Arena::default();
    let x = arena.input(0, 32, u128::from(1.5f32.to_bits()));
    let root = arena.op(Op::FSqrt, 32, &[x]);
    let negated = arena.op(Op::FNeg, 32, &[root]);
    let top = arena.extract(8, negated, 24);
    check(
        arena,
        top,
        &expect![[r#"
        (set-logic QF_BVFP)
        (declare-const x (_ BitVec 32))
        (declare-const e2_bits (_ BitVec 32))
        (assert (= ((_ to_fp 8 24) e2_bits) (fp.sqrt RNE ((_ to_fp 8 24) x))))
        (define-fun e3_bits () (_ BitVec 32) (bvxor e2_bits #x80000000))
        (assert (= ((_ extract 31 24) e3_bits) #xbf))
        (check-sat)
        (get-model)
    "#]],
    );
}

#[test]
fn libm_is_unknown_to_the_solver() {
    let mut arena = Arena::default();
    let x = arena.input(0, 64, u128::from(1.5f64.to_bits()));
    let y = arena.input(1, 32, 3);
    let sine = arena.app(Function::sin, &[x]);
    let scaled = arena.app(Function::ldexp, &[sine, y]);
    let rest = arena.op(Op::FRem, 64, &[scaled, x]);
    let exponent = arena.app(Function::ilogb, &[rest]);
    check(
        arena,
        exponent,
        &expect![[r#"
        (set-logic ALL)
        (declare-const x (_ BitVec 64))
        (declare-const y (_ BitVec 32))
        (declare-fun libm_fmod (Float64 Float64) Float64)
        (declare-fun libm_ilogb (Float64) (_ BitVec 32))
        (declare-fun libm_ldexp (Float64 (_ BitVec 32)) Float64)
        (declare-fun libm_sin (Float64) Float64)
        (assert (= (libm_ilogb (libm_fmod (libm_ldexp (libm_sin ((_ to_fp 11 53) x)) y) ((_ to_fp 11 53) x))) #xfffffffe))
        (check-sat)
        (get-model)
    "#]],
    );
}

#[test]
fn operations_without_operator_are_defined() {
    let mut arena = Arena::default();
    let x = arena.input(0, 16, 5);
    let ones = arena.op(Op::Ctpop, 16, &[x]);
    let swapped = arena.op(Op::Bswap, 16, &[ones]);
    let overflow = arena.op(Op::SAddO, 1, &[swapped, x]);
    check(
        arena,
        overflow,
        &expect![[r#"
        (set-logic QF_BV)
        (declare-const x (_ BitVec 16))
        (define-fun ctpop_16 ((x (_ BitVec 16))) (_ BitVec 16) (bvadd (bvadd (bvadd (bvadd ((_ zero_extend 15) ((_ extract 0 0) x)) ((_ zero_extend 15) ((_ extract 1 1) x))) (bvadd ((_ zero_extend 15) ((_ extract 2 2) x)) ((_ zero_extend 15) ((_ extract 3 3) x)))) (bvadd (bvadd ((_ zero_extend 15) ((_ extract 4 4) x)) ((_ zero_extend 15) ((_ extract 5 5) x))) (bvadd ((_ zero_extend 15) ((_ extract 6 6) x)) ((_ zero_extend 15) ((_ extract 7 7) x))))) (bvadd (bvadd (bvadd ((_ zero_extend 15) ((_ extract 8 8) x)) ((_ zero_extend 15) ((_ extract 9 9) x))) (bvadd ((_ zero_extend 15) ((_ extract 10 10) x)) ((_ zero_extend 15) ((_ extract 11 11) x)))) (bvadd (bvadd ((_ zero_extend 15) ((_ extract 12 12) x)) ((_ zero_extend 15) ((_ extract 13 13) x))) (bvadd ((_ zero_extend 15) ((_ extract 14 14) x)) ((_ zero_extend 15) ((_ extract 15 15) x)))))))
        (define-fun bswap_16 ((x (_ BitVec 16))) (_ BitVec 16) (concat ((_ extract 7 0) x) ((_ extract 15 8) x)))
        (define-fun saddo_16 ((x (_ BitVec 16)) (y (_ BitVec 16))) Bool (let ((r (bvadd ((_ sign_extend 1) x) ((_ sign_extend 1) y)))) (distinct ((_ extract 16 16) r) ((_ extract 15 15) r))))
        (assert (not (saddo_16 (bswap_16 (ctpop_16 x)) x)))
        (check-sat)
        (get-model)
    "#]],
    );
}

#[test]
fn helpers_are_exact_at_every_bit() {
    let mut arena = Arena::default();
    let x = arena.input(0, 3, 5);
    let leading = arena.op(Op::Ctlz, 3, &[x]);
    let trailing = arena.op(Op::Cttz, 3, &[x]);
    let reversed = arena.op(Op::Bitreverse, 3, &[leading]);
    let sum = arena.op(Op::UAddO, 1, &[trailing, reversed]);
    let difference = arena.op(Op::SSubO, 1, &[trailing, reversed]);
    let signed = arena.op(Op::SMulO, 1, &[trailing, reversed]);
    let unsigned = arena.op(Op::UMulO, 1, &[trailing, reversed]);
    let either = arena.op(Op::Or, 1, &[sum, difference]);
    let both = arena.op(Op::And, 1, &[signed, unsigned]);
    let all = arena.op(Op::Xor, 1, &[either, both]);
    check(
        arena,
        all,
        &expect![[r#"
        (set-logic QF_BV)
        (declare-const x (_ BitVec 3))
        (define-fun ctlz_3 ((x (_ BitVec 3))) (_ BitVec 3) (ite (= ((_ extract 2 2) x) #b1) (_ bv0 3) (ite (= ((_ extract 1 1) x) #b1) (_ bv1 3) (ite (= ((_ extract 0 0) x) #b1) (_ bv2 3) (_ bv3 3)))))
        (define-fun cttz_3 ((x (_ BitVec 3))) (_ BitVec 3) (ite (= ((_ extract 0 0) x) #b1) (_ bv0 3) (ite (= ((_ extract 1 1) x) #b1) (_ bv1 3) (ite (= ((_ extract 2 2) x) #b1) (_ bv2 3) (_ bv3 3)))))
        (define-fun bitreverse_3 ((x (_ BitVec 3))) (_ BitVec 3) (concat ((_ extract 0 0) x) (concat ((_ extract 1 1) x) ((_ extract 2 2) x))))
        (define-fun uaddo_3 ((x (_ BitVec 3)) (y (_ BitVec 3))) Bool (bvult (bvadd x y) x))
        (define-fun ssubo_3 ((x (_ BitVec 3)) (y (_ BitVec 3))) Bool (let ((r (bvsub ((_ sign_extend 1) x) ((_ sign_extend 1) y)))) (distinct ((_ extract 3 3) r) ((_ extract 2 2) r))))
        (define-fun smulo_3 ((x (_ BitVec 3)) (y (_ BitVec 3))) Bool (distinct (bvmul ((_ sign_extend 3) x) ((_ sign_extend 3) y)) ((_ sign_extend 3) (bvmul x y))))
        (define-fun umulo_3 ((x (_ BitVec 3)) (y (_ BitVec 3))) Bool (distinct (bvmul ((_ zero_extend 3) x) ((_ zero_extend 3) y)) ((_ zero_extend 3) (bvmul x y))))
        (define-fun e3 () (_ BitVec 3) (cttz_3 x))
        (define-fun e4 () (_ BitVec 3) (bitreverse_3 (ctlz_3 x)))
        (assert (not (xor (or (uaddo_3 e3 e4) (ssubo_3 e3 e4)) (and (smulo_3 e3 e4) (umulo_3 e3 e4)))))
        (check-sat)
        (get-model)
    "#]],
    );
}

#[test]
fn tables_are_searched() {
    let mut arena = Arena::default();
    let x = arena.input(0, 64, 2);
    let entry = arena.table(8, &[7, 7, 1, 0xff, 0xff], x);
    check(
        arena,
        entry,
        &expect![[r#"
        (set-logic QF_BV)
        (declare-const x (_ BitVec 64))
        (define-fun table_0_8 ((x (_ BitVec 64))) (_ BitVec 8) (ite (bvult x #x0000000000000002) #x07 (ite (bvult x #x0000000000000003) #x01 #xff)))
        (assert (= (table_0_8 x) #x01))
        (check-sat)
        (get-model)
    "#]],
    );
}

#[test]
fn none_of_one_value_is_a_plain_negation() {
    let mut arena = Arena::default();
    let x = arena.input(0, 8, 2);
    let exprs = arena.finish();
    let mut script = Script::new(&exprs, [x], &name);
    script.assert_none_of(x, &[]);
    script.assert_none_of(x, &[9]);
    script.comment("two\nlines");
    script.assert_none_of(x, &[9, 10]);
    expect![[r#"
        (set-logic QF_BV)
        (declare-const x (_ BitVec 8))
        (assert (not (= x #x09)))
        ; two
        ; lines
        (assert (not (or (= x #x09) (= x #x0a))))
        (check-sat)
        (get-model)
    "#]]
    .assert_eq(&script.finish());
}

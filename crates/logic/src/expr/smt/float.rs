//! Floating-point terms, and the way back to bits.

use testwright_abi::expr::Op;
use testwright_abi::libm::{Function, Scalar};

use super::term::literal;
use super::{Script, Sort, Term};
use crate::expr::eval::is_nan;
use crate::expr::validate::constant;
use crate::expr::{Expr, ExprId};

impl Script<'_> {
    /// The term of a floating-point operation, `None` if `expr` is not one.
    pub(super) fn float_term(&mut self, expr: &Expr) -> Option<Term> {
        let rounded = |operator: &str| format!("{operator} RNE");
        let text = match expr.op {
            Op::FAdd => self.float_application(expr, &rounded("fp.add")),
            Op::FSub => self.float_application(expr, &rounded("fp.sub")),
            Op::FMul => self.float_application(expr, &rounded("fp.mul")),
            Op::FDiv => self.float_application(expr, &rounded("fp.div")),
            Op::FSqrt => self.float_application(expr, &rounded("fp.sqrt")),
            Op::FFma => self.float_application(expr, &rounded("fp.fma")),
            Op::FNeg => self.float_application(expr, "fp.neg"),
            Op::FAbs => self.float_application(expr, "fp.abs"),
            Op::FFloor => self.float_application(expr, "fp.roundToIntegral RTN"),
            Op::FCeil => self.float_application(expr, "fp.roundToIntegral RTP"),
            Op::FTrunc => self.float_application(expr, "fp.roundToIntegral RTZ"),
            Op::FRint => self.float_application(expr, "fp.roundToIntegral RNE"),
            Op::FRound => self.float_application(expr, "fp.roundToIntegral RNA"),
            Op::FRem => self.fmod(expr),
            Op::FToF => self.float_application(expr, &rounded(to_fp(expr))),
            Op::SToF => format!("({} RNE {})", to_fp(expr), self.bits(expr.operand(0))),
            Op::UToF => {
                let unsigned = to_fp(expr).replace("to_fp", "to_fp_unsigned");
                format!("({unsigned} RNE {})", self.bits(expr.operand(0)))
            }
            Op::FEq | Op::FLt | Op::FLe | Op::FUno => return Some(self.comparison(expr)),
            Op::FToS | Op::FToU => {
                let operator = if expr.op == Op::FToS { "fp.to_sbv" } else { "fp.to_ubv" };
                let text = format!("((_ {operator} {}) RTZ {})", expr.width(), self.float(expr.operand(0)));
                return Some(Term { sort: Sort::Bits, text });
            }
            Op::App => return expr.function().map(|function| self.application(expr, function)),
            Op::Ite if self.chooses_between_floats(expr) => {
                let condition = self.boolean(expr.operand(0));
                format!("(ite {condition} {} {})", self.float(expr.operand(1)), self.float(expr.operand(2)))
            }
            _ => return None,
        };
        self.has_floats = true;
        Some(Term { sort: Sort::Float, text })
    }

    /// The float whose bits are `bits`.
    pub(super) fn float_from(&mut self, expr: &Expr, bits: &str) -> String {
        self.has_floats = true;
        format!("({} {bits})", to_fp(expr))
    }

    /// The bits of an expression that is printed as a float.
    ///
    /// `FNeg` and `FAbs` move bits, also those of NaN, so theirs follow from the bits of what they are
    /// applied to. All others get a constant that stands for the float.
    pub(super) fn bits_of_float(&mut self, id: ExprId) -> String {
        let mut chain = vec![id];
        while let Some(&last) = chain.last()
            && matches!(self.exprs.get(last).op, Op::FNeg | Op::FAbs)
            && !self.bits.contains_key(&last)
        {
            let operand = self.exprs.get(last).operand(0);
            if self.terms[&operand].sort != Sort::Float {
                break;
            }
            chain.push(operand);
        }
        for id in chain.into_iter().rev() {
            if !self.bits.contains_key(&id) {
                let name = self.name_bits(id);
                self.bits.insert(id, name);
            }
        }
        self.bits[&id].clone()
    }

    /// Introduces a name for the bits of `id`; if it is an `FNeg` or `FAbs`, its operand's bits are known.
    fn name_bits(&mut self, id: ExprId) -> String {
        let expr = self.exprs.get(id);
        let name = format!("e{}_bits", id.handle());
        let width = expr.width();
        let operator = match expr.op {
            Op::FNeg => "bvxor",
            Op::FAbs => "bvand",
            _ => {
                let float = self.float(id);
                self.line(format_args!("(declare-const {name} (_ BitVec {width}))"));
                self.line(format_args!("(assert (= ({} {name}) {float}))", to_fp(expr)));
                return name;
            }
        };
        let sign = 1u128 << (width - 1);
        let literal = literal(width, if expr.op == Op::FNeg { sign } else { sign - 1 });
        let operand = expr.operand(0);
        let bits = match self.bits.get(&operand) {
            Some(bits) => bits.clone(),
            None => self.bits(operand),
        };
        self.line(format_args!("(define-fun {name} () (_ BitVec {width}) ({operator} {bits} {literal}))"));
        name
    }

    fn float_application(&mut self, expr: &Expr, operator: &str) -> String {
        let mut text = format!("({operator}");
        for operand in expr.operands() {
            text += " ";
            text += &self.float(operand);
        }
        text + ")"
    }

    fn comparison(&mut self, expr: &Expr) -> Term {
        let (a, b) = (expr.operand(0), expr.operand(1));
        let text = match expr.op {
            Op::FUno if a == b => format!("(fp.isNaN {})", self.float(a)),
            Op::FUno => format!("(or (fp.isNaN {}) (fp.isNaN {}))", self.float(a), self.float(b)),
            Op::FEq => self.float_application(expr, "fp.eq"),
            Op::FLt => self.float_application(expr, "fp.lt"),
            _ => self.float_application(expr, "fp.leq"),
        };
        Term { sort: Sort::Bool, text }
    }

    /// The remainder as an unknown function: `fp.rem` is another one, it rounds the quotient to nearest.
    fn fmod(&mut self, expr: &Expr) -> String {
        let (name, float) =
            if expr.width() == 32 { ("libm_fmodf", "Float32") } else { ("libm_fmod", "Float64") };
        self.functions.insert(format!("(declare-fun {name} ({float} {float}) {float})"));
        self.float_application(expr, name)
    }

    fn application(&mut self, expr: &Expr, function: Function) -> Term {
        let name = function.name();
        let params: Vec<&str> = function.params().iter().map(|&param| scalar(param)).collect();
        self.functions.insert(format!(
            "(declare-fun libm_{name} ({}) {})",
            params.join(" "),
            scalar(function.result())
        ));
        self.has_floats = true;
        let mut text = format!("(libm_{name}");
        for (operand, &param) in expr.operands().zip(function.params()) {
            text += " ";
            text += &if is_float(param) { self.float(operand) } else { self.bits(operand) };
        }
        let sort = if is_float(function.result()) { Sort::Float } else { Sort::Bits };
        Term { sort, text: text + ")" }
    }

    /// Whether both choices are floats whose bits nobody has lost: computed, or a constant that is not NaN.
    fn chooses_between_floats(&self, expr: &Expr) -> bool {
        let choices = [expr.operand(1), expr.operand(2)];
        let is_float = |id: ExprId| self.terms[&id].sort == Sort::Float;
        let is_number = |id: ExprId| {
            let choice = self.exprs.get(id);
            choice.op == Op::Const && !is_nan(choice.width(), constant(choice))
        };
        choices.iter().any(|&id| is_float(id)) && choices.iter().all(|&id| is_float(id) || is_number(id))
    }
}

fn is_float(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::F32 | Scalar::F64)
}

fn scalar(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::F32 => "Float32",
        Scalar::F64 => "Float64",
        Scalar::I32 => "(_ BitVec 32)",
        Scalar::I64 => "(_ BitVec 64)",
    }
}

/// The conversion to the float of the expression's width.
fn to_fp(expr: &Expr) -> &'static str {
    if expr.width() == 32 { "(_ to_fp 8 24)" } else { "(_ to_fp 11 53)" }
}

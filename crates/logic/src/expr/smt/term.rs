//! Terms: the text of one operation, given the texts of its operands.

use testwright_abi::expr::Op;

use super::helper::Helper;
use super::{Script, Sort, Term, symbol};
use crate::expr::Expr;
use crate::expr::validate::constant;

impl Script<'_> {
    /// The term of `expr`; its operands have theirs.
    pub(super) fn term(&mut self, expr: &Expr) -> Term {
        if let Some(term) = self.leaf(expr).or_else(|| self.logical(expr)).or_else(|| self.float_term(expr)) {
            return term;
        }
        if expr.op.is_predicate() {
            return Term { sort: Sort::Bool, text: self.predicate(expr) };
        }
        let width = expr.width();
        let text = match expr.op {
            Op::Not => self.application_to_bits(expr, "bvnot"),
            Op::Concat => self.application_to_bits(expr, "concat"),
            Op::Extract => {
                let low = expr.low_bit().unwrap_or(0);
                self.application_to_bits(expr, &format!("(_ extract {} {low})", low + width - 1))
            }
            Op::ZExt | Op::SExt => self.extension(expr),
            Op::Ite => {
                let condition = self.boolean(expr.operand(0));
                format!("(ite {condition} {} {})", self.bits(expr.operand(1)), self.bits(expr.operand(2)))
            }
            Op::FCopysign => {
                let (top, below) = (width - 1, width - 2);
                let (magnitude, sign) = (self.bits(expr.operand(0)), self.bits(expr.operand(1)));
                format!("(concat ((_ extract {top} {top}) {sign}) ((_ extract {below} 0) {magnitude}))")
            }
            Op::Ctpop => self.help(expr, Helper::Ctpop(width)),
            Op::Ctlz => self.help(expr, Helper::Ctlz(width)),
            Op::Cttz => self.help(expr, Helper::Cttz(width)),
            Op::Bswap => self.help(expr, Helper::Bswap(width)),
            Op::Bitreverse => self.help(expr, Helper::Bitreverse(width)),
            Op::Table => self.help(expr, Helper::Table { table: expr.table().unwrap_or(0), width }),
            op => self.application_to_bits(expr, arithmetic(op)),
        };
        Term { sort: Sort::Bits, text }
    }

    fn leaf(&mut self, expr: &Expr) -> Option<Term> {
        let text = match expr.op {
            Op::Const => literal(expr.width(), constant(expr)),
            Op::Input => {
                let index = expr.input()?;
                match self.inputs.get(&index) {
                    Some((symbol, _)) => symbol.clone(),
                    None => self.declare_input(index, expr.width()),
                }
            }
            _ => return None,
        };
        Some(Term { sort: Sort::Bits, text })
    }

    fn declare_input(&mut self, index: u32, width: u32) -> String {
        let symbol = symbol::symbol(&(self.name)(index), &self.taken);
        self.taken.insert(symbol.clone());
        self.inputs.insert(index, (symbol.clone(), width));
        symbol
    }

    /// Operations on truth values, if the operands are some.
    fn logical(&mut self, expr: &Expr) -> Option<Term> {
        let operator = match expr.op {
            Op::Not => "not",
            Op::And => "and",
            Op::Or => "or",
            Op::Xor => "xor",
            Op::Ite => "ite",
            Op::Eq => return self.logical_equality(expr).map(|text| Term { sort: Sort::Bool, text }),
            _ => return None,
        };
        if expr.width() != 1 || !self.are_truth_values(expr) {
            return None;
        }
        let operands: Vec<String> = expr.operands().map(|operand| self.boolean(operand)).collect();
        let text = if expr.op == Op::Not {
            not(&operands[0])
        } else {
            format!("({operator} {})", operands.join(" "))
        };
        Some(Term { sort: Sort::Bool, text })
    }

    /// Whether a value that is combined here is a truth value; then the others are read as such, too.
    fn are_truth_values(&self, expr: &Expr) -> bool {
        let skipped = usize::from(expr.op == Op::Ite);
        expr.operands().skip(skipped).any(|id| self.terms[&id].sort == Sort::Bool)
    }

    /// `p == q`, and C's ways to say `p` and `not p` of a truth value that was widened: `p != 0`, `p == 0`.
    fn logical_equality(&mut self, expr: &Expr) -> Option<String> {
        let (a, b) = (expr.operand(0), expr.operand(1));
        if self.exprs.get(a).width() == 1 && self.are_truth_values(expr) {
            return Some(match (self.boolean(a).as_str(), self.boolean(b).as_str()) {
                ("true", p) | (p, "true") => p.into(),
                ("false", p) | (p, "false") => not(p),
                (p, q) => format!("(= {p} {q})"),
            });
        }
        let (widened, number) = if self.exprs.get(a).op == Op::Const { (b, a) } else { (a, b) };
        let (widened, number) = (self.exprs.get(widened), self.exprs.get(number));
        if widened.op != Op::ZExt || number.op != Op::Const {
            return None;
        }
        let inner = widened.operand(0);
        match constant(number) {
            _ if self.terms[&inner].sort != Sort::Bool => None,
            0 => Some(not(&self.boolean(inner))),
            1 => Some(self.boolean(inner)),
            _ => None,
        }
    }

    fn predicate(&mut self, expr: &Expr) -> String {
        let width = self.exprs.get(expr.operand(0)).width();
        match expr.op {
            Op::Ult | Op::USubO => self.application_to_bits(expr, "bvult"),
            Op::Ule => self.application_to_bits(expr, "bvule"),
            Op::Slt => self.application_to_bits(expr, "bvslt"),
            Op::Sle => self.application_to_bits(expr, "bvsle"),
            Op::SAddO => self.help(expr, Helper::SAddO(width)),
            Op::UAddO => self.help(expr, Helper::UAddO(width)),
            Op::SSubO => self.help(expr, Helper::SSubO(width)),
            Op::SMulO => self.help(expr, Helper::SMulO(width)),
            Op::UMulO => self.help(expr, Helper::UMulO(width)),
            _ => self.application_to_bits(expr, "="),
        }
    }

    fn extension(&mut self, expr: &Expr) -> String {
        let operand = expr.operand(0);
        let width = expr.width();
        let more = width - self.exprs.get(operand).width();
        if self.terms[&operand].sort == Sort::Bool {
            let ones = if expr.op == Op::ZExt { 1 } else { u128::MAX >> (128 - width) };
            return format!("(ite {} {} {})", self.boolean(operand), literal(width, ones), literal(width, 0));
        }
        let operator = if expr.op == Op::ZExt { "zero_extend" } else { "sign_extend" };
        self.application_to_bits(expr, &format!("(_ {operator} {more})"))
    }

    fn help(&mut self, expr: &Expr, helper: Helper) -> String {
        self.helpers.insert(helper);
        self.application_to_bits(expr, &helper.name())
    }

    fn application_to_bits(&mut self, expr: &Expr, operator: &str) -> String {
        let mut text = format!("({operator}");
        for operand in expr.operands() {
            text += " ";
            text += &self.bits(operand);
        }
        text + ")"
    }
}

/// The operator of an operation that SMT-LIB has for bit vectors; everything else was handled before.
fn arithmetic(op: Op) -> &'static str {
    match op {
        Op::Add => "bvadd",
        Op::Sub => "bvsub",
        Op::Mul => "bvmul",
        Op::UDiv => "bvudiv",
        Op::SDiv => "bvsdiv",
        Op::URem => "bvurem",
        Op::SRem => "bvsrem",
        Op::And => "bvand",
        Op::Or => "bvor",
        Op::Xor => "bvxor",
        Op::Shl => "bvshl",
        Op::LShr => "bvlshr",
        Op::AShr => "bvashr",
        other => other.name(),
    }
}

/// A constant of `width` bits.
pub(super) fn literal(width: u32, value: u128) -> String {
    if width.is_multiple_of(4) {
        format!("#x{value:0digits$x}", digits = width as usize / 4)
    } else {
        format!("#b{value:0digits$b}", digits = width as usize)
    }
}

/// The negation of a truth value, without doubling it.
pub(super) fn not(text: &str) -> String {
    match text.strip_prefix("(not ").and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => inner.into(),
        None => format!("(not {text})"),
    }
}

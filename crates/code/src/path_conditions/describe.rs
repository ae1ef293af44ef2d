//! Conditions as people read them.

use super::atom::{Atom, Clause, real_predicate};
use super::term::{Term, TermId, Terms};
use testwright_base::site::sign_extend;
use testwright_base::subject::Subject;
use testwright_llvm::{IntPredicate, Opcode, RealPredicate, Value};

/// Describes conditions.
pub struct Describe<'a, 'c> {
    subject: &'a Subject,
    terms: &'a Terms<'c>,
}

impl<'a, 'c> Describe<'a, 'c> {
    /// Of these terms.
    pub fn new(subject: &'a Subject, terms: &'a Terms<'c>) -> Describe<'a, 'c> {
        Describe { subject, terms }
    }

    /// A clause: `a == 3 or b > 0`.
    pub fn clause(&self, clause: &Clause) -> String {
        let atoms: Vec<String> = clause.iter().map(|atom| self.atom(atom)).collect();
        atoms.join(" or ")
    }

    fn atom(&self, atom: &Atom) -> String {
        let list = |term: TermId, cases: &[u128]| {
            let width = self.terms.width(term);
            let cases: Vec<String> = cases.iter().map(|case| sign_extend(*case, width).to_string()).collect();
            cases.join(", ")
        };
        match atom {
            Atom::Integers(relation, a, b) => {
                format!("{} {} {}", self.term(*a, 6), sign(relation.predicate()), self.term(*b, 6))
            }
            Atom::Floats(predicate, a, b, wanted) => {
                let text = format!(
                    "{} {} {}",
                    self.term(*a, 6),
                    float_sign(real_predicate(*predicate)),
                    self.term(*b, 6)
                );
                if *wanted { text } else { format!("!({text})") }
            }
            Atom::Bit(term, wanted) => format!("{}{}", if *wanted { "" } else { "!" }, self.term(*term, 6)),
            Atom::OneOf(term, cases) if cases.len() == 1 => {
                format!("{} == {}", self.term(*term, 6), list(*term, cases))
            }
            Atom::OneOf(term, cases) => format!("{} is one of {}", self.term(*term, 6), list(*term, cases)),
            Atom::NoneOf(term, cases) => format!("{} is none of {}", self.term(*term, 6), list(*term, cases)),
        }
    }

    /// A term, to some depth.
    fn term(&self, id: TermId, depth: u32) -> String {
        if depth == 0 {
            return "..".to_owned();
        }
        let inner = |id: TermId| self.term(id, depth - 1);
        match self.terms.get(id) {
            Term::Int(bits) => sign_extend(*bits, self.terms.width(id).max(1)).to_string(),
            Term::Constant(value) if value.is_global_variable() => format!("&{}", value.name()),
            Term::Constant(value) => constant(*value),
            Term::Live(value) => self.live(*value),
            Term::Binary(opcode, a, b) => format!("({} {} {})", inner(*a), operator(*opcode), inner(*b)),
            Term::Negate(a) => format!("-{}", inner(*a)),
            Term::Cast(_, a) => inner(*a),
            Term::Compare(predicate, a, b) => format!("({} {} {})", inner(*a), sign(*predicate), inner(*b)),
            Term::CompareFloats(predicate, a, b) => {
                format!("({} {} {})", inner(*a), float_sign(*predicate), inner(*b))
            }
            Term::Select(c, a, b) => format!("({} ? {} : {})", inner(*c), inner(*a), inner(*b)),
            Term::Offset(a, bytes) => format!("({} + {} bytes)", inner(*a), *bytes as i64),
            Term::Element(a, index, _) => format!("&{}[{}]", inner(*a), inner(*index)),
            Term::Load(address) => format!("*{}", inner(*address)),
            Term::Later(a) => format!("later {}", inner(*a)),
            Term::Apply(function, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|argument| inner(*argument)).collect();
                format!("{}({})", function.name(), arguments.join(", "))
            }
        }
    }

    /// A parameter by its name; another value by the number that LLVM prints.
    fn live(&self, value: Value<'c>) -> String {
        let text = value.to_string();
        let named = value.parameter_of().and_then(|(function, index)| {
            let id = self.subject.function_named(&function.name())?;
            let signature = self.subject.function(id).signature.as_ref()?;
            // Structs may be passed in several pieces.
            let is_plain = signature.params.len() == function.params().len();
            Some(signature.params.get(index).filter(|_| is_plain)?.name.clone())
        });
        named.unwrap_or_else(|| text.split(" = ").next().unwrap_or(&text).trim().to_owned())
    }
}

fn constant(value: Value<'_>) -> String {
    let text = value.to_string();
    text.split_whitespace().last().unwrap_or(&text).to_owned()
}

fn sign(predicate: IntPredicate) -> &'static str {
    match predicate {
        IntPredicate::LLVMIntEQ => "==",
        IntPredicate::LLVMIntNE => "!=",
        IntPredicate::LLVMIntUGT | IntPredicate::LLVMIntSGT => ">",
        IntPredicate::LLVMIntUGE | IntPredicate::LLVMIntSGE => ">=",
        IntPredicate::LLVMIntULT | IntPredicate::LLVMIntSLT => "<",
        IntPredicate::LLVMIntULE | IntPredicate::LLVMIntSLE => "<=",
    }
}

fn float_sign(predicate: RealPredicate) -> &'static str {
    use RealPredicate::*;
    match predicate {
        LLVMRealOEQ | LLVMRealUEQ => "==",
        LLVMRealONE | LLVMRealUNE => "!=",
        LLVMRealOGT | LLVMRealUGT => ">",
        LLVMRealOGE | LLVMRealUGE => ">=",
        LLVMRealOLT | LLVMRealULT => "<",
        LLVMRealOLE | LLVMRealULE => "<=",
        LLVMRealORD => "is ordered with",
        LLVMRealUNO => "is unordered with",
        LLVMRealPredicateTrue | LLVMRealPredicateFalse => "?",
    }
}

fn operator(opcode: Opcode) -> &'static str {
    use Opcode::*;
    match opcode {
        LLVMAdd | LLVMFAdd => "+",
        LLVMSub | LLVMFSub => "-",
        LLVMMul | LLVMFMul => "*",
        LLVMUDiv | LLVMSDiv | LLVMFDiv => "/",
        LLVMURem | LLVMSRem => "%",
        LLVMShl => "<<",
        LLVMLShr | LLVMAShr => ">>",
        LLVMAnd => "&",
        LLVMOr => "|",
        LLVMXor => "^",
        _ => "?",
    }
}

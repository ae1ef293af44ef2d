//! SMT-LIB 2 scripts: expressions and claims about them, as text that any solver reads.
//!
//! An expression is a bit vector, but it is printed in the sort that fits its operation: comparisons as
//! `Bool`, floating point as `Float32` and `Float64`, everything else as bit vectors. Where an expression is
//! needed in another sort it is converted. There is no conversion from a float to its bits in SMT-LIB: the
//! bits become a constant of their own that is asserted to stand for that float. If the float is NaN these
//! bits can be those of any NaN, as in IEEE 754.
//!
//! What the text does not say exactly:
//! * functions of libm, `fmod` among them, are uninterpreted;
//! * conversion of a float to an integer that cannot hold it is unspecified in SMT-LIB;
//! * division by zero has a value, and a read outside a table gives the entry at its end.
//!
//! Models must therefore be evaluated (see [`super::eval`]) before they are believed.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write;

use super::{Expr, ExprId, Exprs};
use helper::Helper;

mod float;
mod helper;
mod symbol;
mod term;

/// A term longer than this gets a name when it is part of another one.
const LONG: usize = 100;

/// The sort an expression is printed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Bool,
    Float,
    Bits,
}

/// The text of an expression, or its name if it has one.
#[derive(Debug, Clone)]
struct Term {
    sort: Sort,
    text: String,
}

/// A script under construction.
pub struct Script<'a> {
    exprs: &'a Exprs,
    name: &'a dyn Fn(u32) -> String,
    roots: HashSet<ExprId>,
    /// How often an expression is an operand.
    uses: HashMap<ExprId, usize>,
    terms: HashMap<ExprId, Term>,
    /// Bits of expressions that are printed as floats.
    bits: HashMap<ExprId, String>,
    /// Symbols of the inputs that appear, by index, with their widths.
    inputs: BTreeMap<u32, (String, u32)>,
    /// The same symbols.
    taken: HashSet<String>,
    /// Declarations of uninterpreted functions.
    functions: BTreeSet<String>,
    helpers: BTreeSet<Helper>,
    has_floats: bool,
    body: String,
}

impl<'a> Script<'a> {
    /// A script about `roots`, the expressions that claims will be made about; `name` names the inputs. Names
    /// that are no symbols are quoted, names that mean something else already get a `$`.
    #[must_use]
    pub fn new(
        exprs: &'a Exprs,
        roots: impl IntoIterator<Item = ExprId>,
        name: &'a dyn Fn(u32) -> String,
    ) -> Script<'a> {
        let roots: HashSet<ExprId> = roots.into_iter().collect();
        let mut uses: HashMap<ExprId, usize> = HashMap::new();
        for id in exprs.reachable(roots.iter().copied()) {
            for operand in exprs.get(id).operands() {
                *uses.entry(operand).or_default() += 1;
            }
        }
        Script {
            exprs,
            name,
            roots,
            uses,
            terms: HashMap::new(),
            bits: HashMap::new(),
            inputs: BTreeMap::new(),
            taken: HashSet::new(),
            functions: BTreeSet::new(),
            helpers: BTreeSet::new(),
            has_floats: false,
            body: String::new(),
        }
    }

    /// Adds a comment.
    pub fn comment(&mut self, text: &str) {
        for line in text.lines() {
            self.line(format_args!("; {line}"));
        }
    }

    /// Claims that the 1-bit `id` is true.
    pub fn assert_true(&mut self, id: ExprId) {
        self.print(id);
        let claim = self.boolean(id);
        self.line(format_args!("(assert {claim})"));
    }

    /// Claims that the 1-bit `id` is false.
    pub fn assert_false(&mut self, id: ExprId) {
        self.print(id);
        let claim = term::not(&self.boolean(id));
        self.line(format_args!("(assert {claim})"));
    }

    /// Claims that `id` has the value `value`; all NaNs count as equal where a floating-point operation made
    /// them.
    pub fn assert_equals(&mut self, id: ExprId, value: u128) {
        let claim = self.equals(id, value);
        self.line(format_args!("(assert {claim})"));
    }

    /// Claims that `id` has none of these values.
    pub fn assert_none_of(&mut self, id: ExprId, values: &[u128]) {
        let claims: Vec<String> = values.iter().map(|&value| self.equals(id, value)).collect();
        match claims.as_slice() {
            [] => {}
            [claim] => self.line(format_args!("(assert {})", term::not(claim))),
            _ => self.line(format_args!("(assert (not (or {})))", claims.join(" "))),
        }
    }

    /// Claims that `id` has one of these values.
    pub fn assert_one_of(&mut self, id: ExprId, values: &[u128]) {
        let claims: Vec<String> = values.iter().map(|&value| self.equals(id, value)).collect();
        match claims.as_slice() {
            [] => self.line(format_args!("(assert false)")),
            [claim] => self.line(format_args!("(assert {claim})")),
            _ => self.line(format_args!("(assert (or {}))", claims.join(" "))),
        }
    }

    /// The whole script; it asks for a model.
    #[must_use]
    pub fn finish(self) -> String {
        let mut script = format!("(set-logic {})\n", self.logic());
        for (symbol, width) in self.inputs.values() {
            script += &format!("(declare-const {symbol} (_ BitVec {width}))\n");
        }
        for declaration in &self.functions {
            script += &format!("{declaration}\n");
        }
        for helper in &self.helpers {
            script += &format!("{}\n", helper.definition(self.exprs.tables()));
        }
        script + &self.body + "(check-sat)\n(get-model)\n"
    }

    /// The smallest logic that has what is used. There is no standard name for floats with uninterpreted
    /// functions.
    fn logic(&self) -> &'static str {
        match (self.has_floats, self.functions.is_empty()) {
            (false, _) => "QF_BV",
            (true, true) => "QF_BVFP",
            (true, false) => "ALL",
        }
    }

    fn line(&mut self, line: std::fmt::Arguments) {
        // Writing to a string does not fail.
        let _ = writeln!(self.body, "{line}");
    }

    fn equals(&mut self, id: ExprId, value: u128) -> String {
        self.print(id);
        let literal = term::literal(self.exprs.get(id).width(), value);
        match self.terms[&id].sort {
            Sort::Bool if value == 1 => self.boolean(id),
            Sort::Bool => term::not(&self.boolean(id)),
            Sort::Float => {
                format!("(= {} {})", self.float(id), self.float_from(self.exprs.get(id), &literal))
            }
            Sort::Bits => format!("(= {} {literal})", self.bits(id)),
        }
    }

    /// Gives every part of `id` its term, and defines the parts that deserve a name.
    fn print(&mut self, id: ExprId) {
        for part in self.unprinted(id) {
            let expr = self.exprs.get(part);
            let Term { sort, text } = self.term(expr);
            let text = if self.deserves_name(part, expr, &text) {
                let name = format!("e{}", part.handle());
                let sort = self.sort_name(sort, expr);
                self.line(format_args!("(define-fun {name} () {sort} {text})"));
                name
            } else {
                text
            };
            self.terms.insert(part, Term { sort, text });
        }
    }

    /// The parts of `id` that have no term yet, operands first.
    fn unprinted(&self, id: ExprId) -> BTreeSet<ExprId> {
        let mut found = BTreeSet::new();
        let mut waiting = vec![id];
        while let Some(id) = waiting.pop() {
            if !self.terms.contains_key(&id) && found.insert(id) {
                waiting.extend(self.exprs.get(id).operands());
            }
        }
        found
    }

    fn deserves_name(&self, id: ExprId, expr: &Expr, text: &str) -> bool {
        let uses = self.uses.get(&id).copied().unwrap_or(0);
        let is_leaf = expr.operands().next().is_none();
        let is_shared = uses > 1 || uses == 1 && self.roots.contains(&id);
        let is_long = uses == 1 && text.len() > LONG;
        !is_leaf && (is_shared || is_long)
    }

    fn sort_name(&self, sort: Sort, expr: &Expr) -> String {
        match sort {
            Sort::Bool => "Bool".into(),
            Sort::Float => format!("Float{}", expr.width()),
            Sort::Bits => format!("(_ BitVec {})", expr.width()),
        }
    }

    fn boolean(&mut self, id: ExprId) -> String {
        let Term { sort, text } = &self.terms[&id];
        match (sort, text.as_str()) {
            (Sort::Bool, text) => text.into(),
            (_, "#b1") => "true".into(),
            (_, "#b0") => "false".into(),
            (_, text) => format!("(= {text} #b1)"),
        }
    }

    fn bits(&mut self, id: ExprId) -> String {
        let Term { sort, text } = &self.terms[&id];
        match sort {
            Sort::Bits => text.clone(),
            Sort::Bool => format!("(ite {text} #b1 #b0)"),
            Sort::Float => self.bits_of_float(id),
        }
    }

    fn float(&mut self, id: ExprId) -> String {
        let Term { sort, text } = self.terms[&id].clone();
        if sort == Sort::Float { text } else { self.float_from(self.exprs.get(id), &text) }
    }
}

#[cfg(test)]
mod tests;

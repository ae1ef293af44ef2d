//! What the steps of a path look at: the elements of sequences that their expressions depend on.

use crate::execute::Traced;
use std::collections::BTreeMap;
use std::ops::Range;
use testwright_logic::expr::ExprId;

/// The elements that steps look at.
#[derive(Debug)]
pub(super) struct Looks<'a> {
    traced: &'a Traced,
    /// Per handle of an expression.
    depends: Vec<Depends>,
}

/// On which elements an expression depends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depends {
    None,
    One(u32),
    Many,
}

impl Depends {
    fn and(self, other: Depends) -> Depends {
        match (self, other) {
            (Depends::None, one) | (one, Depends::None) => one,
            (one, same) if one == same => one,
            _ => Depends::Many,
        }
    }
}

impl<'a> Looks<'a> {
    /// What the steps of a trace look at.
    pub(super) fn new(traced: &'a Traced) -> Looks<'a> {
        let mut depends = vec![Depends::None; traced.exprs.len() + 1];
        // Operands come before what is made of them.
        for (id, expr) in traced.exprs.iter() {
            let of_input = expr.input().filter(|input| is_element(traced, *input));
            let own = of_input.map_or(Depends::None, Depends::One);
            let all = expr.operands().map(|operand| depends[operand.handle() as usize]);
            depends[id.handle() as usize] = all.fold(own, Depends::and);
        }
        Looks { traced, depends }
    }

    /// The element that a step looks at, if it is only one.
    pub(super) fn alone(&self, step: usize) -> Option<u32> {
        match self.depends[self.expr(step).handle() as usize] {
            Depends::One(input) => Some(input),
            Depends::None | Depends::Many => None,
        }
    }

    /// The round that each element belongs to, of rounds with these steps.
    pub(super) fn owners(&self, spans: &[Range<usize>]) -> BTreeMap<u32, usize> {
        let (mut first, mut last_alone) = (BTreeMap::new(), BTreeMap::new());
        let mut seen = vec![false; self.depends.len()];
        for (round, span) in spans.iter().enumerate() {
            for step in span.clone() {
                let mut note = |input| {
                    first.insert(input, round);
                };
                self.inputs(self.expr(step), &mut seen, &mut note);
                if let Some(input) = self.alone(step) {
                    last_alone.insert(input, round);
                }
            }
        }
        first.extend(last_alone);
        first
    }

    /// The elements that an expression depends on, without those below expressions that were seen before.
    fn inputs(&self, expr: ExprId, seen: &mut [bool], found: &mut dyn FnMut(u32)) {
        let mut open = vec![expr];
        while let Some(id) = open.pop() {
            let handle = id.handle() as usize;
            if self.depends[handle] == Depends::None || std::mem::replace(&mut seen[handle], true) {
                continue;
            }
            let expr = self.traced.exprs.get(id);
            if let Some(input) = expr.input().filter(|input| is_element(self.traced, *input)) {
                found(input);
            }
            open.extend(expr.operands());
        }
    }

    fn expr(&self, step: usize) -> ExprId {
        self.traced.path.steps()[step].expr
    }
}

fn is_element(traced: &Traced, input: u32) -> bool {
    traced.elements.get(input as usize).is_some_and(Option::is_some)
}

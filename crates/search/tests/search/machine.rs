//! A toy machine: 32-bit words with expressions, recording the events of a trace.

use std::collections::BTreeSet;
use testwright_abi::event::{Event, EventKind};
use testwright_abi::expr::{Node, Op};
use testwright_base::ids::OutcomeId;
use testwright_base::site::SiteKind;
use testwright_base::subject::Subject;
use testwright_logic::expr::Exprs;
use testwright_logic::path::Path;

/// A value and the handle of its expression; 0 means concrete.
#[derive(Debug, Clone, Copy)]
pub struct Word {
    pub value: u128,
    pub width: u16,
    pub handle: u32,
}

impl Word {
    /// As a signed number.
    pub fn signed(self) -> i64 {
        testwright_base::site::sign_extend(self.value, self.width.into()) as i64
    }

    /// A concrete word.
    pub fn of(value: i64) -> Word {
        Word { value: u128::from(value as u32), width: 32, handle: 0 }
    }
}

/// Runs one program once.
pub struct Machine<'a> {
    pub subject: &'a Subject,
    nodes: Vec<Node>,
    events: Vec<Event>,
    outcomes: BTreeSet<OutcomeId>,
    pub inputs: Vec<Word>,
    pub context: u32,
}

impl<'a> Machine<'a> {
    /// With these inputs, all symbolic.
    pub fn new(subject: &'a Subject, values: &[i64]) -> Machine<'a> {
        let empty = Node { op: 0, function: 0, width: 0, a: 0, b: 0, c: 0, value: 0 };
        let mut machine = Machine {
            subject,
            nodes: vec![empty],
            events: Vec::new(),
            outcomes: BTreeSet::new(),
            inputs: Vec::new(),
            context: 0,
        };
        for (index, value) in values.iter().enumerate() {
            let word = Word::of(*value);
            let input = machine.node(Op::Input, 32, [index as u32, 0, 0], word.value);
            machine.inputs.push(input);
        }
        machine
    }

    pub fn node(&mut self, op: Op, width: u16, [a, b, c]: [u32; 3], value: u128) -> Word {
        self.nodes.push(Node { op: op as u8, function: 0, width, a, b, c, value });
        Word { value, width, handle: self.nodes.len() as u32 - 1 }
    }

    fn handle(&mut self, word: Word) -> u32 {
        if word.handle != 0 {
            return word.handle;
        }
        self.node(Op::Const, word.width, [0, word.value as u32, (word.value >> 32) as u32], word.value).handle
    }

    /// An operation on two words with this result; concrete if both are.
    pub fn binary(&mut self, op: Op, width: u16, a: Word, b: Word, value: u128) -> Word {
        if a.handle == 0 && b.handle == 0 {
            return Word { value, width, handle: 0 };
        }
        let (a, b) = (self.handle(a), self.handle(b));
        self.node(op, width, [a, b, 0], value)
    }

    pub fn add(&mut self, a: Word, b: Word) -> Word {
        self.binary(Op::Add, 32, a, b, u128::from((a.signed() + b.signed()) as u32))
    }

    pub fn sub(&mut self, a: Word, b: Word) -> Word {
        self.binary(Op::Sub, 32, a, b, u128::from((a.signed() - b.signed()) as u32))
    }

    pub fn equal(&mut self, a: Word, b: Word) -> Word {
        self.binary(Op::Eq, 1, a, b, u128::from(a.value == b.value))
    }

    pub fn less(&mut self, a: Word, b: Word) -> Word {
        self.binary(Op::Slt, 1, a, b, u128::from(a.signed() < b.signed()))
    }

    fn record(&mut self, kind: EventKind, outcome: u16, site: u32, expr: u32, extra: u32) {
        if expr != 0 {
            self.events.push(Event { kind: kind as u16, outcome, site, expr, extra });
        }
        let counted =
            self.subject.sites.get(site as usize).filter(|place| u32::from(outcome) < place.outcome_count);
        self.outcomes.extend(counted.map(|place| OutcomeId(place.first_outcome.0 + u32::from(outcome))));
    }

    /// A conditional branch.
    pub fn branch(&mut self, site: u32, condition: Word) -> bool {
        let taken = condition.value == 1;
        self.record(EventKind::Branch, u16::from(!taken), site, condition.handle, self.context);
        taken
    }

    /// A comparison that feeds no branch.
    pub fn compare(&mut self, site: u32, condition: Word) {
        self.record(EventKind::Compare, u16::from(condition.value == 0), site, condition.handle, 0);
    }

    /// A switch; the outcome.
    pub fn switch(&mut self, site: u32, word: Word) -> usize {
        let SiteKind::Switch { cases, .. } = &self.subject.sites[site as usize].kind else {
            panic!("site {site} is no switch")
        };
        let outcome = cases.iter().position(|case| *case == word.value).unwrap_or(cases.len());
        self.record(EventKind::Switch, outcome as u16, site, word.handle, self.context);
        outcome
    }

    /// A value that is pinned.
    pub fn pin(&mut self, kind: EventKind, site: u32, word: Word) {
        self.record(kind, 0, site, word.handle, 0);
    }

    /// What the run recorded.
    pub fn finish(self) -> (Exprs, Path, Vec<OutcomeId>) {
        let exprs = Exprs::from_nodes(&self.nodes, Vec::new()).expect("valid nodes");
        let subject = self.subject;
        let cases = |site: u32| match &subject.sites.get(site as usize)?.kind {
            SiteKind::Switch { cases, .. } => Some(cases.as_slice()),
            _ => None,
        };
        let path = Path::from_events(&self.events, &exprs, cases).expect("valid events");
        assert_eq!(path.check(&exprs), [], "a run satisfies its own path");
        (exprs, path, self.outcomes.into_iter().collect())
    }
}

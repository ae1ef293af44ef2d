//! Toy programs as code under test: a subject, a body, and cases made of scalars and one array.

use crate::machine::{Machine, Word};
use crate::solver::Exact;
use std::sync::Arc;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::goal::Goals;
use testwright_base::ids::{BlockId, FunctionId, OutcomeId, SiteId, TypeId};
use testwright_base::run::End;
use testwright_base::sample::{block, calling, empty_subject};
use testwright_base::site::{Compared, Site, SiteKind};
use testwright_base::subject::Subject;
use testwright_logic::solve::{Input, InputKind, Model};
use testwright_search::concolic::{Config, Limits, Search, StepRecord, StopReason};
use testwright_search::execute::{Edit, Execute, Holder, MadeOfAddresses, Slot, Traced};
use testwright_search::goals::Criteria;

/// What a program sees.
pub struct Arguments {
    pub scalars: Vec<Word>,
    /// The length of the array, and its elements; empty if the program takes none.
    pub length: Word,
    pub elements: Vec<Word>,
}

/// A program.
pub struct Program {
    pub subject: Subject,
    pub scalars: usize,
    pub has_array: bool,
    pub body: fn(&mut Machine<'_>, &Arguments) -> End,
    /// Distances that an untraced run would measure.
    pub measured: fn(&Case) -> Vec<(OutcomeId, u64)>,
}

/// What ends a block: nothing, a branch, a switch, and whether a free comparison stands in it.
pub enum Ending {
    Goto,
    Branch,
    Compare,
    Switch(&'static [u128]),
}

/// A subject of one function with these blocks; sites are numbered in the order of the blocks.
pub fn subject(blocks: &[(&[u32], Ending)]) -> Subject {
    let mut subject = empty_subject();
    subject.functions = vec![calling("f", &[])];
    subject.functions[0].blocks.clear();
    for (index, (successors, ending)) in blocks.iter().enumerate() {
        let mut code = block(successors);
        let (kind, count) = match ending {
            Ending::Goto => (None, 0),
            Ending::Branch => (Some(SiteKind::Branch), 2),
            Ending::Compare => (
                Some(SiteKind::Compare {
                    predicate: "slt".to_owned(),
                    compared: Compared::Integers,
                    feeds: None,
                    negated: false,
                    chooses: false,
                }),
                2,
            ),
            Ending::Switch(cases) => {
                (Some(SiteKind::Switch { cases: cases.to_vec(), bits: 32 }), cases.len() as u32 + 1)
            }
        };
        if let Some(kind) = kind {
            if !matches!(ending, Ending::Compare) {
                code.decides = Some(SiteId::of(subject.sites.len()));
            }
            add_site(&mut subject, FunctionId(0), BlockId::of(index), kind, count);
        }
        subject.functions[0].blocks.push(code);
    }
    subject
}

pub fn add_site(
    subject: &mut Subject,
    function: FunctionId,
    block: BlockId,
    kind: SiteKind,
    outcome_count: u32,
) {
    let first_outcome = OutcomeId(subject.outcome_count);
    subject.sites.push(Site { function, block, place: None, kind, first_outcome, outcome_count });
    subject.outcome_count += outcome_count;
}

/// The case with these scalars and elements.
pub fn case(scalars: &[i64], elements: &[i64]) -> Case {
    let values = |numbers: &[i64]| numbers.iter().map(|number| Value::Int(i128::from(*number))).collect();
    Case {
        statements: vec![
            Statement::Object { element: TypeId(0), values: values(elements) },
            Statement::Call { function: FunctionId(0), arguments: values(scalars) },
        ],
    }
}

/// Scalars and elements of a case.
pub fn numbers(case: &Case) -> (Vec<i64>, Vec<i64>) {
    let [Statement::Object { values, .. }, Statement::Call { arguments, .. }] = case.statements.as_slice()
    else {
        panic!("not a toy case")
    };
    let numbers = |values: &[Value]| {
        let number = |value: &Value| match value {
            Value::Int(number) => *number as i64,
            other => panic!("{other:?} is no number"),
        };
        values.iter().map(number).collect::<Vec<_>>()
    };
    (numbers(arguments), numbers(values))
}

impl Program {
    fn flat(&self, case: &Case) -> Vec<i64> {
        let (mut flat, elements) = numbers(case);
        if self.has_array {
            flat.push(elements.len() as i64);
            flat.extend(elements);
        }
        flat
    }

    fn slots(&self, count: usize) -> Vec<Option<Slot>> {
        let slot = |index: usize| {
            let element = index.checked_sub(self.scalars + 1)?;
            Some(Slot { holder: Holder::Object(0), offset: 4 * element as u64 })
        };
        (0..count).map(slot).collect()
    }

    /// Explores from `start` with the toy solver until a limit; the steps and the reason for the end.
    pub fn explore(
        &mut self,
        config: Config,
        start: Case,
        limits: &Limits<'_>,
        look: impl FnOnce(&Search<'_>),
    ) -> (Vec<StepRecord>, StopReason) {
        let subject = self.subject.clone();
        let mut search = Search::new(config, &subject, FunctionId(0), start);
        let mut steps = Vec::new();
        let reason = search.run(self, &mut Exact, limits, &mut |step| steps.push(step.clone()));
        look(&search);
        (steps, reason)
    }
}

impl Execute for Program {
    fn trace(&mut self, case: &Case) -> Result<Traced, String> {
        let values = self.flat(case);
        let mut machine = Machine::new(&self.subject, &values);
        let inputs = machine.inputs.clone();
        let arguments = Arguments {
            scalars: inputs[..self.scalars].to_vec(),
            length: inputs.get(self.scalars).copied().unwrap_or(Word::of(0)),
            elements: inputs.get(self.scalars + 1..).unwrap_or_default().to_vec(),
        };
        let end = (self.body)(&mut machine, &arguments);
        let (exprs, path, outcomes) = machine.finish();
        let input = |index: usize| {
            let range = if self.has_array && index == self.scalars { (0, 40) } else { (-100, 300) };
            Input { width: 32, kind: InputKind::Signed, range: Some(range) }
        };
        Ok(Traced {
            larger: Vec::new(),
            broke: None,
            end,
            outcomes,
            exprs,
            path,
            inputs: (0..values.len()).map(input).collect(),
            wide: Vec::new(),
            values: inputs.iter().map(|word| word.value).collect(),
            slots: self.slots(values.len()),
            elements: (0..values.len())
                .map(|input| Some((0, input.checked_sub(self.scalars + 1)?)))
                .collect(),
            overflowed: false,
            addresses: MadeOfAddresses::default(),
        })
    }

    fn change(&self, case: &Case, model: &Model, fill: &[u128]) -> Case {
        let (mut scalars, mut elements) = numbers(case);
        let number = |value: u128| i64::from(value as u32 as i32);
        if self.has_array
            && let Some(length) = model.get(&(self.scalars as u32))
        {
            let mut fill = fill.iter().cycle().map(|value| number(*value));
            elements.resize_with(*length as usize, || fill.next().unwrap_or(0));
        }
        for (input, value) in model {
            let input = *input as usize;
            if input < self.scalars {
                scalars[input] = number(*value);
            } else if let Some(element) = elements.get_mut(input.wrapping_sub(self.scalars + 1)) {
                *element = number(*value);
            }
        }
        crate::program::case(&scalars, &elements)
    }

    fn edited(&self, case: &Case, edit: &Edit) -> Option<Case> {
        let (scalars, mut elements) = numbers(case);
        let inserted = edit.inserted.iter().map(|value| i64::from(*value as u32 as i32));
        drop(elements.splice(edit.at..edit.at + edit.removed, inserted));
        (elements.len() <= 40).then(|| crate::program::case(&scalars, &elements))
    }

    fn distances(&mut self, case: &Case) -> Vec<(OutcomeId, u64)> {
        (self.measured)(case)
    }
}

/// The goals that are usual in a subject.
pub fn usual_goals(subject: &Subject) -> Arc<Goals> {
    Arc::clone(Criteria::usual(subject).goals())
}

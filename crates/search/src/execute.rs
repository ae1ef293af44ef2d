//! What the search needs of the code under test: run a case, and change a case.

use std::cell::OnceCell;
use testwright_base::case::Case;
use testwright_base::ids::{GlobalId, OutcomeId};
use testwright_base::run::End;
use testwright_logic::expr::{ExprId, Exprs};
use testwright_logic::path::Path;
use testwright_logic::solve::{Input, InputKind, Model};

/// A traced run of a case.
#[derive(Debug)]
pub struct Traced {
    /// How it ended.
    pub end: End,
    /// The outcomes that were hit, in order of their numbers.
    pub outcomes: Vec<OutcomeId>,
    /// Every expression over the inputs that came up.
    pub exprs: Exprs,
    /// What was decided, in order. The `extra` of a branch or switch step is its calling context: a number that tells
    /// calls of the same code from different places apart.
    pub path: Path,
    /// What the inputs of the case are, by number.
    pub inputs: Vec<Input>,
    /// What they may be if a goal asks for it: lengths that are guesses have any value then. Empty if there are none.
    pub wide: Vec<Input>,
    /// Their values.
    pub values: Vec<u128>,
    /// Where those lie that are elements of an object or an array, or part of one.
    pub slots: Vec<Option<Slot>>,
    /// For an integer of a sequence: the statement that makes the sequence, and the position in it.
    pub elements: Vec<Option<(usize, usize)>>,
    /// Whether the record was cut short for lack of room.
    pub overflowed: bool,
    /// Cases with more or longer objects, if the run broke off because the case lacks them.
    pub larger: Vec<Case>,
    /// The assumption about inputs that the case broke, if that alone made the run break off as far as anybody can tell,
    /// so that the code is not to blame.
    pub broke: Option<String>,
    /// Which expressions are made of addresses, once somebody asked.
    pub addresses: MadeOfAddresses,
}

/// For each expression of a trace, by handle, whether it is made of an address. Found in one pass when it is first asked for: operands
/// come before their users.
#[derive(Debug, Default)]
pub struct MadeOfAddresses(OnceCell<Vec<bool>>);

impl Traced {
    /// Whether an expression of the run is made of an address: a union may hold a pointer where the code reads a number.
    #[must_use]
    pub fn is_made_of_address(&self, id: ExprId) -> bool {
        let is_address = |input: u32| {
            self.inputs.get(input as usize).is_some_and(|input| input.kind == InputKind::Address)
        };
        let marks = self.addresses.0.get_or_init(|| {
            let mut marks = vec![false; self.exprs.len() + 1];
            for (id, expr) in self.exprs.iter() {
                let is_made_of = |operand: ExprId| marks[operand.handle() as usize];
                marks[id.handle() as usize] =
                    expr.input().is_some_and(is_address) || expr.operands().any(is_made_of);
            }
            marks
        });
        marks.get(id.handle() as usize).copied().unwrap_or(false)
    }
}

/// Where an input lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// In what.
    pub holder: Holder,
    /// How many bytes behind its start.
    pub offset: u64,
}

/// What holds inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Holder {
    /// The arguments of the call.
    Arguments,
    /// The object that the statement of this index makes.
    Object(usize),
    /// A global variable.
    Global(GlobalId),
}

/// A change to the sequence of elements that an object of a case holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Edit {
    /// Index of the statement that makes the object.
    pub object: usize,
    /// The first element that is concerned.
    pub at: usize,
    /// So many elements go.
    pub removed: usize,
    /// The bits of those that come in their place.
    pub inserted: Vec<u128>,
}

/// A run that ended well but used memory that is not its own.
#[derive(Debug, Clone, Default)]
pub struct Strayed {
    /// Cases that have more there.
    pub larger: Vec<Case>,
}

/// Runs cases.
pub trait Execute {
    /// Whether the run of a case that ended well used memory beside the objects of the case or those it allocated itself.
    fn strays(&mut self, _case: &Case) -> Option<Strayed> {
        None
    }

    /// Runs a case with all its inputs symbolic.
    ///
    /// # Errors
    /// In words, if the case cannot be run at all; how a run ends is not an error.
    fn trace(&mut self, case: &Case) -> Result<Traced, String>;

    /// The case with some inputs changed. A buffer whose length is an input grows and shrinks with it; its new elements
    /// take values from `fill` in turn (bits, cut to their width), or zero if there are none.
    fn change(&self, case: &Case, model: &Model, fill: &[u128]) -> Case;

    /// The case with the elements of an object edited. Where an argument is their number, it follows; other
    /// objects keep their size, so that their last element goes, or a zero comes. None if that cannot be done.
    fn edited(&self, _case: &Case, _edit: &Edit) -> Option<Case> {
        None
    }

    /// The case with its numbers drawn at random, and pointers that become null now and then; none if nothing in it
    /// can vary. Seed and case determine the result.
    fn drawn(&self, _case: &Case, _seed: u64) -> Option<Case> {
        None
    }

    /// How close an untraced run of the case comes to outcomes that it does not hit, where that is measured. It tells of
    /// decisions on values that were computed by control flow alone, a counter say, which a trace cannot see.
    fn distances(&mut self, _case: &Case) -> Vec<(OutcomeId, u64)> {
        Vec::new()
    }
}

//! Shrinking: a case made lighter step by step, as long as it goes on to show what it has to show.
//!
//! A hill climb over [`weight`]: shorter sequences first, then text, then regions of a large struct, then plainer pointers
//! and numbers. Each step is tried by running the case, so nothing has to be known about the code; whoever runs it says
//! when there is no run left. A proposal says what changes, so that a case of thousands of values is not
//! copied for each of them, and only what changes is weighed again.

mod change;
mod length;
mod numbers;
mod regions;
mod scalars;
mod stream;
mod text;

use crate::weight::weight;
use change::Change;
use scalars::{Scalar, scalars};
use testwright_base::case::{Case, Value};
use testwright_base::ids::FunctionId;
use testwright_base::pairs::Pair;
use testwright_base::subject::Subject;
use testwright_base::zero::zero;

/// So many scalars of a case are looked at one by one.
const LOOKED_AT: usize = 96;

/// A way to propose lighter cases: by place, none if there are not that many places.
type Propose = fn(&View<'_>, usize) -> Option<Vec<Change>>;

/// The ways, in the order in which they are tried.
const WAYS: &[Propose] = &[
    length::shorter,
    stream::shorter,
    text::as_string,
    regions::emptied,
    plainer_pointer,
    numbers::together,
    numbers::plainer,
    numbers::all_that_are_equal,
    numbers::in_step,
];

/// The lightest case that was found from `case` on for which `shows` holds; it says nothing when there is no run left.
pub fn shrink(subject: &Subject, case: &Case, shows: impl FnMut(&Case) -> Option<bool>) -> Case {
    let mut climb = Climb {
        lengths: length::kept(subject, case),
        weight: weight(subject, case),
        view: View { subject, scalars: scalars(subject, case), case: case.clone() },
        is_over: false,
        shows,
    };
    climb.without_calls();
    loop {
        let before = climb.weight;
        WAYS.iter().for_each(|propose| climb.by(*propose));
        if climb.weight == before || climb.is_over {
            return climb.view.case;
        }
    }
}

/// The lightest case so far, and the scalars in it that may become lighter.
struct View<'a> {
    subject: &'a Subject,
    case: Case,
    scalars: Vec<Scalar>,
}

impl View<'_> {
    /// The scalars that are looked at one by one.
    fn looked_at(&self) -> &[Scalar] {
        &self.scalars[..self.scalars.len().min(LOOKED_AT)]
    }
}

struct Climb<'a, Shows> {
    view: View<'a>,
    /// What the case says about the lengths of its sequences, and what goes on to hold.
    lengths: Vec<Pair>,
    weight: u64,
    is_over: bool,
    shows: Shows,
}

impl<Shows: FnMut(&Case) -> Option<bool>> Climb<'_, Shows> {
    /// Leaves out calls before the one under test, the last one first.
    fn without_calls(&mut self) {
        let subject = self.view.subject;
        let calls: Vec<(usize, FunctionId)> =
            self.view.case.calls_before().map(|(index, function, _)| (index, function)).collect();
        for (index, function) in calls.into_iter().rev() {
            let Some(signature) = &subject.function(function).signature else { continue };
            let nothing = zero(&subject.types, signature.result);
            let Some(shorter) = self.view.case.without_call(index, &nothing) else { continue };
            let longer = std::mem::replace(&mut self.view.case, shorter);
            if self.is_over || !self.is_shown() {
                self.view.case = longer;
            }
        }
        self.lengths = length::kept(subject, &self.view.case);
        self.weight = weight(subject, &self.view.case);
    }

    /// Takes every proposal that is lighter and shows what it has to.
    fn by(&mut self, propose: Propose) {
        // What became as plain as can be makes room for others among those looked at.
        self.view.scalars = scalars(self.view.subject, &self.view.case);
        let mut place = 0;
        while !self.is_over
            && let Some(proposals) = propose(&self.view, place)
        {
            let changed = proposals.into_iter().any(|proposal| self.takes(proposal));
            // What was changed may be changed again, to something lighter still.
            place += usize::from(!changed);
        }
    }

    fn takes(&mut self, change: Change) -> bool {
        if self.is_over {
            return false;
        }
        let Some(weight) = change.weight(&self.view, self.weight).filter(|weight| *weight < self.weight)
        else {
            return false;
        };
        let undo = change.make(&mut self.view);
        let taken =
            self.lengths.iter().all(|pair| length::is_enough(&self.view.case, *pair)) && self.is_shown();
        if taken {
            self.weight = weight;
        } else {
            undo.make(&mut self.view);
        }
        taken
    }

    fn is_shown(&mut self) -> bool {
        let shown = (self.shows)(&self.view.case);
        self.is_over |= shown.is_none();
        shown == Some(true)
    }
}

/// The pointer with this number, null.
fn plainer_pointer(view: &View<'_>, number: usize) -> Option<Vec<Change>> {
    let is_pointer = |scalar: &Scalar| matches!(scalar.value, Value::Pointer { .. } | Value::Null);
    let all = view.looked_at().iter().enumerate();
    let (place, scalar) = all.filter(|(_, scalar)| is_pointer(scalar)).nth(number)?;
    let null = || Change::Scalars(vec![(place, Value::Null)]);
    Some(if scalar.value == Value::Null { Vec::new() } else { vec![null()] })
}

//! Shrinking: a case made lighter step by step, as long as it goes on to show what it has to show.
//!
//! A hill climb over [`weight`]: shorter sequences first, then text, then plainer pointers and numbers. Each step is tried by
//! running the case, so nothing has to be known about the code; the number of runs is limited.

mod length;
mod numbers;
mod scalars;
mod text;

use crate::weight::weight;
use scalars::{Scalar, put, scalars};
use std::collections::BTreeMap;
use testwright_base::case::{Case, Value};
use testwright_base::pairs::Pair;
use testwright_base::subject::Subject;

/// How many runs the shrinking of one case may take.
const MOST_RUNS: usize = 600;

/// A way to propose lighter cases: by place, none if there are not that many places.
type Propose = fn(&Subject, &Case, usize) -> Option<Vec<Case>>;

/// The ways, in the order in which they are tried.
const WAYS: &[Propose] = &[
    length::shorter,
    text::as_string,
    plainer_pointer,
    numbers::together,
    numbers::plainer,
    numbers::all_that_are_equal,
    numbers::in_step,
];

/// The lightest case that was found from `case` on for which `shows` holds.
pub fn shrink(subject: &Subject, case: &Case, shows: impl FnMut(&Case) -> bool) -> Case {
    let mut climb = Climb {
        subject,
        lengths: length::kept(subject, case),
        best: case.clone(),
        weight: weight(subject, case),
        runs: 0,
        shows,
    };
    loop {
        let before = climb.weight;
        WAYS.iter().for_each(|propose| climb.by(*propose));
        if climb.weight == before || climb.runs >= MOST_RUNS {
            return climb.best;
        }
    }
}

struct Climb<'a, Shows> {
    subject: &'a Subject,
    /// What the case says about the lengths of its sequences, and what goes on to hold.
    lengths: Vec<Pair>,
    best: Case,
    weight: u64,
    runs: usize,
    shows: Shows,
}

impl<Shows: FnMut(&Case) -> bool> Climb<'_, Shows> {
    /// Takes every proposal that is lighter and shows what it has to.
    fn by(&mut self, propose: Propose) {
        let mut place = 0;
        while let Some(proposals) = propose(self.subject, &self.best, place) {
            let mut changed = false;
            for proposal in proposals {
                if self.runs >= MOST_RUNS {
                    return;
                }
                if self.takes(proposal) {
                    changed = true;
                    break;
                }
            }
            // What was changed may be changed again, to something lighter still.
            place += usize::from(!changed);
        }
    }

    fn takes(&mut self, proposal: Case) -> bool {
        let lighter = weight(self.subject, &proposal);
        if lighter >= self.weight || !self.lengths.iter().all(|pair| length::is_enough(&proposal, *pair)) {
            return false;
        }
        self.runs += 1;
        let taken = (self.shows)(&proposal);
        if taken {
            self.best = proposal;
            self.weight = lighter;
        }
        taken
    }
}

/// The pointer with this number, null.
fn plainer_pointer(subject: &Subject, case: &Case, number: usize) -> Option<Vec<Case>> {
    let is_pointer = |scalar: &Scalar| matches!(scalar.value, Value::Pointer { .. } | Value::Null);
    let all = scalars(subject, case);
    let (place, scalar) = all.iter().enumerate().filter(|(_, scalar)| is_pointer(scalar)).nth(number)?;
    let null = || put(subject, case, &BTreeMap::from([(place, Value::Null)]));
    Some(if scalar.value == Value::Null { Vec::new() } else { vec![null()] })
}

//! The stack: what is asserted in a Z3 solver, one frame per constraint.
//!
//! Queries about one path share a prefix of constraints. Frames are compared with what a query needs, those
//! that differ are popped, and the rest is pushed. Z3 makes equal terms only once, so frames are equal if
//! their terms are the same objects, whichever run they came from.

use z3::ast::{Ast, Bool};
use z3::{Model, Params, SatResult, Solver, Tactic};

use crate::budget::Budget;
use crate::interrupt::until;

/// The claims of one constraint: its conditions and itself.
pub(crate) type Frame = Vec<Bool>;

/// A solver and what is asserted in it.
#[derive(Debug)]
pub(crate) struct Stack {
    solver: Solver,
    frames: Vec<Frame>,
    /// The work that Z3 was told last.
    work: Option<u32>,
}

/// What a check came to.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// It can hold, for example so.
    Sat(Model),
    /// It cannot hold.
    Unsat,
    /// Nobody knows, and why.
    Unknown(String),
}

/// What a change of the stack came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Change {
    /// Frames that could stay.
    pub(crate) kept: usize,
    /// Frames that were pushed.
    pub(crate) pushed: usize,
}

impl Stack {
    fn new(solver: Solver) -> Stack {
        // Z3 would take Ctrl-C for a wish to end the check under way, and tell nobody.
        let mut params = Params::new();
        params.set_bool("ctrl_c", false);
        solver.set_params(&params);
        Stack { solver, frames: vec![], work: None }
    }

    /// A stack that goes on from what it learnt in earlier checks; for bits only. Z3 turns floats into bits
    /// in one go when it works like this, and cannot be stopped meanwhile.
    pub(crate) fn incremental() -> Stack {
        let solver = Solver::new();
        // Sums that are made of each other, as loops make them, must not become long sums that share nothing.
        let mut params = Params::new();
        params.set_bool("flat", false);
        solver.set_params(&params);
        Stack::new(solver)
    }

    /// A stack that starts each check from nothing: it simplifies everything together, turns floats into bits
    /// and bits into propositional logic. This solves harder problems, and takes longer for easy ones.
    pub(crate) fn thorough() -> Stack {
        // What a float becomes that does not fit an integer is an unknown function to Z3, even where we say
        // what it is; "ackermannize_bv" removes it.
        let steps = [
            "propagate-values",
            "fpa2bv",
            "propagate-values",
            "simplify",
            "solve-eqs",
            "elim-uncnstr",
            "simplify",
            "max-bv-sharing",
            "ackermannize_bv",
            "bit-blast",
            "sat",
        ];
        let simplify = Tactic::new("simplify");
        let tactic = steps.iter().fold(simplify, |tactic, step| tactic.and_then(&Tactic::new(step)));
        Stack::new(tactic.solver())
    }

    /// Asserts these frames and no others.
    pub(crate) fn hold(&mut self, frames: Vec<Frame>) -> Change {
        let kept = self.frames.iter().zip(&frames).take_while(|(old, new)| are_same(old, new)).count();
        let surplus = self.frames.len() - kept;
        if surplus > 0 {
            self.solver.pop(surplus as u32);
            self.frames.truncate(kept);
        }
        let pushed = frames.len() - kept;
        for frame in frames.into_iter().skip(kept) {
            self.solver.push();
            for claim in &frame {
                self.solver.assert(claim);
            }
            self.frames.push(frame);
        }
        Change { kept, pushed }
    }

    /// Whether everything asserted can hold.
    pub(crate) fn check(&mut self, budget: Budget) -> Verdict {
        if budget.is_over() {
            return Verdict::Unknown("the time is up".into());
        }
        // Z3 forgets some of what it learnt when it is told something new, so it is told only what every run of
        // the program tells it alike.
        if self.work != Some(budget.work) {
            let mut params = Params::new();
            params.set_u32("rlimit", budget.work);
            self.solver.set_params(&params);
            self.work = Some(budget.work);
        }
        let result = match budget.end() {
            Some(end) => until(end, || self.solver.check()),
            None => self.solver.check(),
        };
        match result {
            SatResult::Unsat => Verdict::Unsat,
            SatResult::Unknown => Verdict::Unknown(reason(&self.solver, budget)),
            SatResult::Sat => match self.solver.get_model() {
                Some(model) => Verdict::Sat(model),
                None => Verdict::Unknown("Z3 gave no model".into()),
            },
        }
    }

    /// Whether everything asserted can hold together with these claims, which are forgotten afterwards.
    pub(crate) fn check_with(&mut self, claims: &[Bool], budget: Budget) -> Verdict {
        self.solver.push();
        for claim in claims {
            self.solver.assert(claim);
        }
        let verdict = self.check(budget);
        self.solver.pop(1);
        verdict
    }
}

/// Why the last check has no answer, in words.
fn reason(solver: &Solver, budget: Budget) -> String {
    // A check that was interrupted may call that anything, and Z3 does not always tell one limit from the other.
    if budget.is_over() {
        return "the time is up".into();
    }
    let reason = solver.get_reason_unknown().unwrap_or_default();
    match reason.as_str() {
        "timeout" | "canceled" | "max. resource limit exceeded" => {
            "Z3 found nothing within its limit of work".into()
        }
        _ => format!("Z3 gave up: {reason}"),
    }
}

fn are_same(old: &Frame, new: &Frame) -> bool {
    old.len() == new.len() && old.iter().zip(new).all(|(old, new)| old.get_z3_ast() == new.get_z3_ast())
}

//! Pieces: what the rounds of loops were made of in all runs so far, and where they fit into a case.

use crate::execute::{Edit, Traced};
use crate::fitness::{Move, Place};
use crate::rounds::{Loop, Loops, Round, rounds};
use crate::tree::RunId;
use std::collections::{BTreeMap, HashMap, VecDeque};
use testwright_base::subject::Subject;

/// How many pieces are remembered per loop.
const PIECES: usize = 24;
/// How many rounds of a run are looked at, from its end.
const LOOKED_AT: usize = 256;
/// How many runs are remembered with their rounds.
const RUNS: usize = 4096;

/// The rounds of earlier runs.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    loops: Loops,
    known: BTreeMap<Loop, Vec<Piece>>,
    rounds: HashMap<RunId, Vec<Round>>,
    /// The runs with rounds, oldest first.
    order: VecDeque<RunId>,
}

/// Elements that make a loop do something.
#[derive(Debug)]
struct Piece {
    kind: u64,
    /// Whether the loop ever went on after it.
    went_on: bool,
    values: Vec<u128>,
}

/// An edit that may be worth trying.
#[derive(Debug)]
pub(super) struct Proposal {
    pub(super) by: Move,
    pub(super) edit: Edit,
    /// Whether the loop is known to go on after what is put in.
    pub(super) goes_on: bool,
}

impl Pieces {
    /// Takes note of the rounds of a run.
    pub(super) fn learn(&mut self, subject: &Subject, run: RunId, traced: &Traced) {
        let rounds = rounds(subject, &mut self.loops, traced);
        if rounds.is_empty() {
            return;
        }
        for round in &rounds {
            let pieces = self.known.entry(round.of).or_default();
            let is_known = |piece: &&mut Piece| piece.kind == round.kind || piece.values == round.values;
            if let Some(piece) = pieces.iter_mut().find(is_known) {
                piece.went_on |= round.went_on;
            } else if pieces.len() < PIECES {
                let values = round.values.clone();
                pieces.push(Piece { kind: round.kind, went_on: round.went_on, values });
            }
        }
        self.rounds.insert(run, rounds);
        self.order.push_back(run);
        if self.order.len() > RUNS
            && let Some(oldest) = self.order.pop_front()
        {
            self.rounds.remove(&oldest);
        }
    }

    /// Whether the rounds of a run are known.
    pub(super) fn has(&self, run: RunId) -> bool {
        self.rounds.contains_key(&run)
    }

    /// What can be done to the case of a run: every piece before every round, instead of it, and at the end;
    /// every round taken out.
    pub(super) fn proposals(&self, run: RunId) -> Vec<Proposal> {
        let mut proposals = Vec::new();
        let rounds = self.rounds.get(&run).map_or(&[][..], Vec::as_slice);
        for (index, round) in rounds.iter().enumerate().skip(rounds.len().saturating_sub(LOOKED_AT)) {
            let next = rounds.get(index + 1);
            let is_last = next.is_none_or(|next| (next.of, next.object) != (round.of, round.object));
            self.around(round, is_last, &mut proposals);
        }
        proposals
    }

    fn around(&self, round: &Round, is_last: bool, proposals: &mut Vec<Proposal>) {
        let (object, first, count) = (round.object, round.first, round.values.len());
        let mut propose = |piece: Option<&Piece>, place, at, removed| {
            let by = Move::Edit { kind: piece.map_or(0, |piece| piece.kind), place };
            let inserted = piece.map_or_else(Vec::new, |piece| piece.values.clone());
            let goes_on = piece.is_none_or(|piece| piece.went_on);
            proposals.push(Proposal { by, edit: Edit { object, at, removed, inserted }, goes_on });
        };
        for piece in self.known.get(&round.of).into_iter().flatten() {
            propose(Some(piece), Place::Before, first, 0);
            if is_last {
                // What a loop ends with, the end of a text say, stays at its end.
                let end = if round.went_on { first + count } else { first };
                propose(Some(piece), Place::End, end, 0);
            }
            if piece.values != round.values {
                propose(Some(piece), Place::Instead, first, count);
            }
        }
        propose(None, Place::Nowhere, first, count);
    }
}

//! Rounds: what a loop made of the elements of a sequence, one time round.
//!
//! A trace tells which decisions a round of a loop made and which elements of a sequence it looked at. So it tells where a
//! sequence can be cut without cutting anything that belongs together, and which fragments make a loop do what. A fragment may have several
//! elements: a word, an escape sequence, a pair.
//!
//! An element belongs to the last round that decided about it alone, because rounds often look ahead; or to the first round
//! that decided about it at all, because sums depend on everything that was added to them.

mod looks;
mod loops;
mod matches;

pub use loops::Loops;
pub use matches::Match;

use crate::execute::Traced;
use looks::Looks;
use matches::matches;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use testwright_base::ids::{BlockId, FunctionId, OutcomeId};
use testwright_base::subject::Subject;
use testwright_logic::path::EventKind;

/// Longer traces are not looked at.
const LONGEST: usize = 1 << 14;

/// A loop in its calling context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Loop {
    function: FunctionId,
    context: u32,
    header: BlockId,
}

impl Loop {
    /// The function that it is in.
    #[must_use]
    pub fn function(self) -> FunctionId {
        self.function
    }
}

/// A round of a loop, and the elements that belong to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// Of which loop.
    pub of: Loop,
    /// A number that stands for what the round decided.
    pub kind: u64,
    /// The statement that makes the sequence.
    pub object: usize,
    /// The first of its elements.
    pub first: usize,
    /// Whether the loop went on after it, be it to find that there is nothing left.
    pub went_on: bool,
    /// The bits of its elements.
    pub values: Vec<u128>,
    /// What it decided.
    pub outcomes: BTreeSet<OutcomeId>,
}

/// What a run made of its sequences.
#[derive(Debug, Clone, Default)]
pub struct Rounds {
    /// The rounds of all loops, those of one loop and sequence in order.
    pub rounds: Vec<Round>,
    /// What library functions found.
    pub matches: Vec<Match>,
}

/// What a run made of its sequences.
#[must_use]
pub fn rounds(subject: &Subject, loops: &mut Loops, traced: &Traced) -> Rounds {
    if traced.path.steps().len() > LONGEST || traced.elements.iter().all(Option::is_none) {
        return Rounds::default();
    }
    let frames = frames(subject, traced);
    let looks = Looks::new(traced);
    let mut found = Vec::new();
    for (of, spans) in spans(subject, loops, traced, &frames) {
        // What the function itself looks at after the loop, the loop only came across.
        let end = spans.last().map_or(0, |span| span.end);
        let later = frames[&(of.function, of.context)].iter().filter(|(index, _)| *index >= end);
        let later: BTreeSet<u32> = later.filter_map(|(index, _)| looks.alone(*index)).collect();
        let mut owners = looks.owners(&spans);
        owners.retain(|input, _| !later.contains(input));
        found.extend(rounds_of(subject, traced, of, &spans, &owners));
    }
    Rounds { rounds: found, matches: matches(subject, traced, &looks) }
}

/// The decisions of each function in each calling context: steps and blocks.
type Frames = BTreeMap<(FunctionId, u32), Vec<(usize, BlockId)>>;

fn frames(subject: &Subject, traced: &Traced) -> Frames {
    let mut frames: BTreeMap<(FunctionId, u32), Vec<(usize, BlockId)>> = BTreeMap::new();
    for (index, step) in traced.path.steps().iter().enumerate() {
        let site = step.site.and_then(|site| subject.sites.get(site as usize));
        if let (Some(site), EventKind::Branch | EventKind::Switch) = (site, step.kind) {
            frames.entry((site.function, step.extra)).or_default().push((index, site.block));
        }
    }
    frames
}

/// The steps of each round, by loop.
fn spans(
    subject: &Subject,
    loops: &mut Loops,
    traced: &Traced,
    frames: &Frames,
) -> BTreeMap<Loop, Vec<Range<usize>>> {
    let mut spans: BTreeMap<Loop, Vec<Range<usize>>> = BTreeMap::new();
    for (&(function, context), steps) in frames {
        let ends = ends(subject, loops.callees(subject, function), function, traced, steps);
        let loops = loops.of(subject, function);
        for header in loops.headers() {
            let mut before: Option<BlockId> = None;
            let of = Loop { function, context, header };
            for (position, (index, block)) in steps.iter().enumerate() {
                if !loops.contains(header, *block) {
                    before = None;
                    continue;
                }
                let end = ends[position];
                let went_on = before.is_some_and(|before| loops.went_round(before, *block) != Some(header));
                let rounds = spans.entry(of).or_default();
                match rounds.last_mut().filter(|_| went_on) {
                    Some(last) => last.end = end,
                    None => rounds.push(*index..end),
                }
                before = Some(*block);
            }
        }
    }
    spans
}

/// Where the steps end that follow each decision of a function: at its next one, or where somebody decides whom it does not call.
fn ends(
    subject: &Subject,
    callees: &BTreeSet<FunctionId>,
    function: FunctionId,
    traced: &Traced,
    decisions: &[(usize, BlockId)],
) -> Vec<usize> {
    let all = traced.path.steps();
    let is_library = |function: FunctionId| subject.function(function).model;
    let is_foreign = |index: &usize| {
        let site = all[*index].site.and_then(|site| subject.sites.get(site as usize));
        site.is_some_and(|site| {
            let called = site.function == function || callees.contains(&site.function);
            !called && (is_library(function) || !is_library(site.function))
        })
    };
    let next = decisions.iter().skip(1).map(|(next, _)| *next).chain([all.len()]);
    let pairs = decisions.iter().zip(next);
    pairs.map(|((index, _), next)| (*index + 1..next).find(is_foreign).unwrap_or(next)).collect()
}

/// The rounds of a loop, given which round each input belongs to.
fn rounds_of(
    subject: &Subject,
    traced: &Traced,
    of: Loop,
    spans: &[Range<usize>],
    owners: &BTreeMap<u32, usize>,
) -> Vec<Round> {
    let mut owned: BTreeMap<(usize, usize), BTreeMap<usize, u128>> = BTreeMap::new();
    for (input, round) in owners {
        if let Some((object, at)) = traced.elements[*input as usize] {
            owned.entry((object, *round)).or_default().insert(at, traced.values[*input as usize]);
        }
    }
    let mut rounds = Vec::new();
    for ((object, round), elements) in owned {
        let Some((first, _)) = elements.first_key_value() else { continue };
        // Elements with others between them are no piece of the sequence.
        if elements.keys().zip(*first..).all(|(at, expected)| *at == expected) {
            let kind = kind(traced, of, spans[round].clone());
            let (first, values) = (*first, elements.values().copied().collect());
            let went_on = round + 1 < spans.len();
            let outcomes = outcomes(subject, traced, spans[round].clone());
            rounds.push(Round { of, kind, object, first, went_on, values, outcomes });
        }
    }
    rounds
}

fn kind(traced: &Traced, of: Loop, span: Range<usize>) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    for step in &traced.path.steps()[span] {
        (step.site, step.outcome).hash(&mut hasher);
    }
    hasher.finish()
}

fn outcomes(subject: &Subject, traced: &Traced, span: Range<usize>) -> BTreeSet<OutcomeId> {
    let decided = traced.path.steps()[span].iter().filter_map(|step| {
        let site = subject.sites.get(step.site? as usize)?;
        let is_decision = matches!(step.kind, EventKind::Branch | EventKind::Switch);
        site.outcomes().nth(usize::from(step.outcome)).filter(|_| is_decision)
    });
    decided.collect()
}

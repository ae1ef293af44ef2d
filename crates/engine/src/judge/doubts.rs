//! Doubts on the way: which of the things that nobody can vary completely lie before which goals.
//!
//! A doubt in a block of the function concerns every goal that control can come to from there. One in a callee concerns what
//! comes after the calls that lead to it. A run that ended badly is a doubt about what would have followed.

use std::collections::{BTreeMap, BTreeSet};
use testwright_base::doubt::About;
use testwright_base::graph::{CallGraph, FlowGraph};
use testwright_base::ids::{BlockId, FunctionId, SiteId};
use testwright_base::run::{End, signal_name};
use testwright_base::subject::Subject;

/// Where doubts arise in a function.
pub struct Doubts<'s> {
    subject: &'s Subject,
    function: FunctionId,
    /// For each block of the function, where control can come to from its start.
    reach: Vec<Vec<bool>>,
    /// What each call of the function may enter.
    entered: Vec<(BlockId, BTreeSet<FunctionId>)>,
    /// Whether the function may call itself, so that everything in it may come before everything else.
    recursive: bool,
    /// Doubts that were there before the search began.
    standing: Vec<Placed>,
}

/// A doubt, and where it arises in the function under test.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Placed {
    /// The block; none if it may come before everything.
    block: Option<BlockId>,
    /// The site that is not behind it although it lies in its block.
    except: Option<SiteId>,
    text: String,
}

/// The ways in which runs ended badly, and where; what would have followed is not known.
#[derive(Debug, Default)]
pub struct BadEnds(BTreeSet<(Option<SiteId>, String)>);

impl BadEnds {
    /// Takes note of the end of a run.
    pub fn note(&mut self, end: End) {
        let (site, what) = match end {
            End::Trap { kind, site } => (site, kind.to_string()),
            End::Signal { signal, site, .. } => (site, signal_name(signal).to_owned()),
            End::BadFree | End::StackOverflow | End::Damaged => (None, end.name().to_owned()),
            // These are what the code says; limits are counted elsewhere.
            End::Returned
            | End::Exit(_)
            | End::Abort
            | End::StepLimit
            | End::OutOfMemory
            | End::Timeout
            | End::Outside
            | End::Before => return,
        };
        self.0.insert((site, what));
    }
}

impl<'s> Doubts<'s> {
    /// The doubts that the code of a function and of what it calls raises.
    pub fn new(subject: &'s Subject, graph: &CallGraph, function: FunctionId) -> Doubts<'s> {
        let flow = subject.flow(function);
        let calls = &subject.function(function).calls;
        let mut doubts = Doubts {
            subject,
            function,
            reach: flow.blocks().map(|block| reached(&flow, block)).collect(),
            entered: calls.iter().map(|call| (call.block, graph.entered(call.targets()))).collect(),
            recursive: graph.is_recursive(function),
            standing: Vec::new(),
        };
        let before = subject.precondition(function).map(|id| graph.entered(&[id])).unwrap_or_default();
        doubts.standing = doubts.of_code(&before);
        doubts
    }

    fn of_code(&self, before: &BTreeSet<FunctionId>) -> Vec<Placed> {
        let entered = self.entered.iter().flat_map(|(_, entered)| entered).copied();
        let all: BTreeSet<FunctionId> =
            entered.chain([self.function]).chain(before.iter().copied()).collect();
        let reads_globals = all.iter().any(|id| !self.subject.function(*id).reads.is_empty());
        let mut found: BTreeMap<String, BTreeSet<Option<BlockId>>> = BTreeMap::new();
        for id in &all {
            for doubt in &self.subject.function(*id).doubts {
                // There is nothing to change if no variable is read.
                if matches!(doubt.about, About::Changes(_)) && !reads_globals {
                    continue;
                }
                let blocks = self.blocks(*id, doubt.block, before.contains(id));
                found.entry(doubt.to_string()).or_default().extend(blocks);
            }
        }
        let placed = |(text, blocks): (String, BTreeSet<Option<BlockId>>)| {
            blocks.into_iter().map(move |block| Placed { block, except: None, text: text.clone() })
        };
        found.into_iter().flat_map(placed).collect()
    }

    /// The blocks of the function under test that a block of some function is entered from.
    fn blocks(&self, id: FunctionId, block: BlockId, before: bool) -> Vec<Option<BlockId>> {
        if self.recursive || before {
            return vec![None];
        }
        if id == self.function {
            return vec![Some(block)];
        }
        let calls = self.entered.iter().filter(|(_, entered)| entered.contains(&id));
        let blocks: Vec<Option<BlockId>> = calls.map(|(block, _)| Some(*block)).collect();
        // Somebody entered it all the same.
        if blocks.is_empty() { vec![None] } else { blocks }
    }

    /// All doubts, those that bad ends raise included.
    pub fn with(&self, ends: &BadEnds) -> OnTheWay<'_> {
        let mut list = self.standing.clone();
        for (site, what) in &ends.0 {
            let known = site.and_then(|id| Some((id, self.subject.site(id)?)));
            let Some((id, site)) = known else {
                let text = format!("what would follow a run that ended badly ({what})");
                list.push(Placed { block: None, except: None, text });
                continue;
            };
            let line =
                site.place.as_ref().map(|place| format!(" on line {}", place.line)).unwrap_or_default();
            let text = format!("what would follow where runs ended badly{line} ({what})");
            for block in self.blocks(site.function, site.block, false) {
                list.push(Placed { block, except: Some(id), text: text.clone() });
            }
        }
        OnTheWay { doubts: self, list }
    }
}

/// Doubts at one moment of a search.
pub struct OnTheWay<'d> {
    doubts: &'d Doubts<'d>,
    list: Vec<Placed>,
}

impl OnTheWay<'_> {
    /// What is in doubt before a site.
    pub fn before(&self, site: SiteId) -> BTreeSet<&str> {
        let goal = self.doubts.subject.site(site).filter(|site| site.function == self.doubts.function);
        let comes_to = |from: BlockId, to: BlockId| {
            self.doubts.reach.get(from.index()).and_then(|reach| reach.get(to.index())).copied()
                != Some(false)
        };
        let concerns = |placed: &&Placed| match (placed.block, goal) {
            (Some(from), Some(goal)) => placed.except != Some(site) && comes_to(from, goal.block),
            _ => true,
        };
        self.list.iter().filter(concerns).map(|placed| placed.text.as_str()).collect()
    }
}

/// Where control can come to from the start of a block.
fn reached(flow: &FlowGraph, block: BlockId) -> Vec<bool> {
    let mut seen = vec![false; flow.blocks().count()];
    let mut open = vec![block];
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut seen[block.index()], true) {
            open.extend(flow.successors(block));
        }
    }
    seen
}

//! The code under test as the search sees it.

use std::collections::{BTreeMap, BTreeSet};
use testwright_base::build::Build;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::graph::CallGraph;
use testwright_base::ids::{FunctionId, GlobalId, OutcomeId, TypeId};
use testwright_base::layout::{ArgumentBlock, LeafKind};
use testwright_base::pairs::pairs;
use testwright_base::run::End;
use testwright_base::subject::Subject;
use testwright_base::types::Shape;
use testwright_exec::image::{Image, ImageLeaf, LONGEST, Lack};
use testwright_exec::{Session, Trace};
use testwright_logic::expr::ExprId;
use testwright_logic::path::EventKind;
use testwright_logic::solve::{Input, InputKind, Model};
use testwright_search::execute::{Execute, Traced};

/// A loaded subject.
pub struct Code {
    /// Runs the cases.
    pub session: Session,
}

/// Globals of more bytes than this together are left as they are.
const GLOBAL_BYTES: u64 = 8192;

impl Code {
    /// The case with the globals that its function reads set to what they start with, so that a search can vary them.
    pub fn with_globals(&mut self, mut case: Case) -> Case {
        let Some((function, _)) = case.call() else { return case };
        let globals = read_globals(self.session.subject(), function);
        // A case that cannot be run fails in the search, with its reason.
        let initial = self.session.initial_values(&case, &globals).unwrap_or_default();
        let sets = initial.into_iter().map(|(global, value)| Statement::Set { global, value });
        let call = case.statements.len() - 1;
        case.statements.splice(call..call, sets);
        case
    }
}

/// The globals that a function and what it calls read, as long as they are not too large.
fn read_globals(subject: &Subject, function: FunctionId) -> Vec<GlobalId> {
    let all = CallGraph::new(subject).all_callees(function).into_iter().chain([function]);
    let reads: BTreeSet<GlobalId> = all.flat_map(|id| subject.function(id).reads.clone()).collect();
    let mut left = GLOBAL_BYTES;
    let mut fits = |global: &GlobalId| {
        let size = subject.globals[global.index()].size;
        left.checked_sub(size).map(|rest| left = rest).is_some()
    };
    reads.into_iter().filter(|global| fits(global)).collect()
}

impl Execute for Code {
    fn trace(&mut self, case: &Case) -> Result<Traced, String> {
        let image = Image::lay_out(self.session.subject(), case).map_err(|error| error.to_string())?;
        let leaves = image.leaves(self.session.subject(), case);
        let trace = self.session.trace(case).map_err(|error| error.to_string())?;
        let subject = self.session.subject();
        let ranges = ranges(subject, case, &image);
        let inputs = leaves.iter().map(|leaf| input(subject, leaf, &ranges)).collect();
        let values = leaves.iter().map(|leaf| image.leaf_value(leaf)).collect();
        let (larger, excused) = match trace.run.end {
            End::Signal { address, .. } => lack(image.larger(subject, case, address), &trace),
            _ => (Vec::new(), false),
        };
        Ok(Traced {
            larger,
            excused,
            end: trace.run.end,
            outcomes: trace.run.outcomes,
            exprs: trace.exprs,
            path: trace.path,
            inputs,
            values,
            names: trace.inputs,
            overflowed: trace.overflowed,
        })
    }

    fn distances(&mut self, case: &Case) -> Vec<(OutcomeId, u64)> {
        self.session.run(case, Build::RunWithDistances).map(|run| run.distances).unwrap_or_default()
    }

    fn change(&self, case: &Case, model: &Model, fill: &[u128]) -> Case {
        let subject = self.session.subject();
        match Image::lay_out(subject, case) {
            Ok(image) => image.changed(subject, case, model, fill),
            Err(_) => case.clone(),
        }
    }
}

/// The larger cases that a run asks for, and whether what it lacked is no fault of the code. The length of a buffer that
/// a parameter gives is a promise, and code that asks whether a pointer is null expects that it may be.
fn lack(lack: Option<Lack>, trace: &Trace) -> (Vec<Case>, bool) {
    match lack {
        None => (Vec::new(), false),
        Some(Lack::Length { case, counted }) => (vec![case], !counted),
        Some(Lack::Objects(objects)) => {
            let excused = !objects.iter().any(|object| is_asked_for_null(trace, object.leaf));
            (objects.into_iter().map(|object| object.case).collect(), excused)
        }
    }
}

/// Whether the run compared a pointer with something.
fn is_asked_for_null(trace: &Trace, leaf: u32) -> bool {
    let is_leaf = |expr: ExprId| trace.exprs.get(expr).input() == Some(leaf);
    let branches = trace.path.steps().iter().filter(|step| step.kind == EventKind::Branch);
    // A comparison may be negated.
    let compares = |expr: ExprId| trace.exprs.get(expr).operands().any(is_leaf);
    branches
        .into_iter()
        .any(|step| compares(step.expr) || trace.exprs.get(step.expr).operands().any(compares))
}

/// What the arguments at these addresses may be: lengths of buffers, and what the contract says.
fn ranges(subject: &Subject, case: &Case, image: &Image) -> BTreeMap<u64, (i128, i128)> {
    let Some((function, arguments)) = case.call() else { return BTreeMap::new() };
    let Some(signature) = &subject.function(function).signature else { return BTreeMap::new() };
    let contract = &subject.function(function).contract;
    let offsets = ArgumentBlock::new(&subject.types, signature).offsets;
    let mut ranges = BTreeMap::new();
    for pair in pairs(subject, function) {
        if matches!(arguments[pair.pointer], Value::Pointer { .. }) {
            ranges.insert(pair.length, (0, LONGEST as i128));
        }
    }
    for (param, (low, high)) in &contract.ranges {
        let (least, most) = ranges.get(param).copied().unwrap_or((*low, *high));
        ranges.insert(*param, (least.max(*low), most.min(*high)));
    }
    ranges.extend(contract.non_null.iter().map(|param| (*param, (1, i128::from(u64::MAX)))));
    ranges.into_iter().map(|(param, range)| (image.arguments + offsets[param], range)).collect()
}

fn input(subject: &Subject, leaf: &ImageLeaf, ranges: &BTreeMap<u64, (i128, i128)>) -> Input {
    let width = u32::from(leaf.leaf.bytes) * 8;
    let own = ranges.get(&leaf.leaf.address).filter(|_| leaf.leaf.global == u32::MAX);
    let kind = kind(subject, leaf.ty, leaf.kind);
    let range = match &subject.types.get(leaf.ty).shape {
        _ if own.is_some() => own.copied(),
        Shape::Bool => Some((0, 1)),
        _ => None,
    };
    Input { width, kind, range }
}

fn kind(subject: &Subject, ty: TypeId, leaf: LeafKind) -> InputKind {
    match (&subject.types.get(ty).shape, leaf) {
        (_, LeafKind::Character { .. }) => InputKind::Character,
        (_, LeafKind::Bits) => InputKind::Unsigned,
        (Shape::Bool, _) => InputKind::Bool,
        (Shape::Float { .. }, _) => InputKind::Float,
        (Shape::Int { signed: true, .. } | Shape::Enum { signed: true, .. }, _) => InputKind::Signed,
        _ => InputKind::Unsigned,
    }
}

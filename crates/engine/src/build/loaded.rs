//! The code under test as the search sees it.
//!
//! If a run followed one of several null pointers, one more run tells which: each leads to a different address at which nothing lies
//! (`Session::first_followed`). Where that takes the run another way, half of the pointers get objects at a time.

mod globals;
mod joined;
mod sequences;

pub use globals::leaves_globals_alone;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use testwright_base::build::Build;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::contract::PRECONDITION;
use testwright_base::creation::{Creation, creation};
use testwright_base::ids::{FunctionId, GlobalId, OutcomeId, SiteId, TypeId};
use testwright_base::layout::{ArgumentBlock, LeafKind};
use testwright_base::pairs::pairs;
use testwright_base::run::End;
use testwright_base::site::sign_extend;
use testwright_base::subject::Subject;
use testwright_base::tagged::{choices, tied};
use testwright_base::types::Shape;
use testwright_exec::image::{
    Domains, Image, ImageLeaf, LONGEST, Lack, Lacking, Part, Start, aligned_otherwise, alignment,
    may_be_misread, members, other_members,
};
use testwright_exec::{ExecError, Session, Trace};
use testwright_logic::expr::ExprId;
use testwright_logic::path::{EventKind, Layout, Step};
use testwright_logic::solve::{Input, InputKind, Model};
use testwright_search::execute::{Edit, Execute, Holder, MadeOfAddresses, Slot, Strayed, Traced};
use testwright_search::heuristics::{Heuristic, Off};
use testwright_search::sbst::Settings;

/// A loop without end is followed for so many steps. What a search can learn from it is in the first rounds.
const FOLLOWED: u64 = 20_000;
/// If nothing tells which of many null pointers was followed, so many of them get objects in turn.
const CANDIDATES: usize = 16;

/// A loaded subject.
pub struct LoadedSubject {
    /// Runs the cases.
    pub session: Session,
    subject: Arc<Subject>,
    /// The alignments of objects that were tried or offered, for each function that looks at them.
    alignments: BTreeSet<(FunctionId, u64)>,
    /// The members of unions that were tried or offered, for each function.
    members: BTreeSet<(FunctionId, u64)>,
    /// The tags of unions that were offered with their members, for each function.
    tied: BTreeSet<(FunctionId, Vec<(i128, usize)>)>,
    recipes: sequences::Recipes,
    off: Off,
}

/// So many alignments of objects are tried for a function that looks at them.
const ALIGNMENTS: usize = 64;
/// So many choices of members are tried for a function that is given unions.
const MEMBERS: usize = 64;

impl LoadedSubject {
    /// The code that a session runs.
    pub fn new(session: Session) -> LoadedSubject {
        let subject = Arc::new(session.subject().clone());
        LoadedSubject {
            session,
            subject,
            alignments: BTreeSet::new(),
            members: BTreeSet::new(),
            tied: BTreeSet::new(),
            recipes: sequences::Recipes::default(),
            off: Off::default(),
        }
    }

    /// The same without some heuristics.
    #[must_use]
    pub fn without(self, off: Off) -> LoadedSubject {
        LoadedSubject { off, ..self }
    }

    /// The heuristics that are switched off.
    pub fn off(&self) -> Off {
        self.off
    }

    /// The subject, for those who run cases while they look at it.
    pub fn subject(&self) -> Arc<Subject> {
        Arc::clone(&self.subject)
    }

    /// The cases that are like this one but for how an object is aligned, in ways that are new.
    fn aligned_otherwise(&mut self, case: &Case) -> Vec<Case> {
        let subject = self.session.subject();
        let called = case.call().filter(|_| self.off.keeps(Heuristic::OtherAlignments));
        let Some((function, _)) = called else { return Vec::new() };
        let mut is_new = |case: &Case| {
            let known = self.alignments.range((function, 0)..=(function, u64::MAX)).count();
            known < ALIGNMENTS && self.alignments.insert((function, alignment(subject, case)))
        };
        is_new(case);
        aligned_otherwise(subject, case).into_iter().filter(is_new).collect()
    }

    /// The cases that are like this one but for the member of a union, in ways that are new.
    fn with_other_members(&mut self, case: &Case) -> Vec<Case> {
        let subject = self.session.subject();
        let called = case.call().filter(|_| self.off.keeps(Heuristic::OtherMembers));
        let Some((function, _)) = called else { return Vec::new() };
        let mut is_new = |case: &Case| {
            let known = self.members.range((function, 0)..=(function, u64::MAX)).count();
            known < MEMBERS && self.members.insert((function, members(subject, case)))
        };
        is_new(case);
        other_members(subject, case).into_iter().filter(is_new).collect()
    }

    /// The case with the members that go with the tags of its unions, if it has others and these were not offered yet.
    fn with_members_of_tags(&mut self, case: &Case) -> Option<Case> {
        let subject = self.session.subject();
        let is_on = self.off.keeps(Heuristic::TiedTags);
        let (function, _) = case.call().filter(|_| is_on && subject.types.has_tagged())?;
        let tied = tied(subject, case);
        let known = self.tied.iter().filter(|(of, _)| *of == function).count();
        let is_new =
            tied != *case && known < MEMBERS && self.tied.insert((function, choices(subject, &tied)));
        is_new.then_some(tied)
    }

    /// The case with two pointers joined that its run shows to belong together.
    pub fn joined(&mut self, case: &Case) -> Option<Case> {
        let trace = self.traced(case).ok()?;
        joined::joined(self.session.subject(), case, &trace)
    }

    /// The case with a few of its scalars changed; none if it has none.
    pub fn varied(&self, case: &Case, seed: u64) -> Option<Case> {
        let subject = self.session.subject();
        Image::lay_out(subject, case).ok()?.varied(subject, case, &varied_domains(), seed)
    }

    /// The case with one of these numbers, or one beside it, in place of one of its integers.
    pub fn with_number(&self, case: &Case, numbers: &[i128], seed: u64) -> Option<Case> {
        let subject = self.session.subject();
        let image = Image::lay_out(subject, case).ok()?;
        image.with_number(subject, case, &varied_domains(), numbers, seed)
    }

    /// Of the pointers that a run may have followed although they are null, the one that it did follow. If each leads to another
    /// place where nothing is, the fault tells, unless that takes the run elsewhere. Otherwise the run goes on with an object behind
    /// it: half of them get objects at a time, so that a struct with many pointers takes few runs. The first of them if that does
    /// not tell.
    fn followed(&mut self, case: &Case, mut objects: Vec<Lacking>, trace: &Trace) -> Vec<Lacking> {
        if objects.len() < 2 {
            return objects;
        }
        if !self.off.keeps(Heuristic::FollowedPointer) {
            objects.truncate(CANDIDATES);
            return objects;
        }
        let subject = self.subject();
        // A pointer that is compared leads the run elsewhere anyway.
        let unasked = objects.iter().filter(|object| !is_asked_for_null(&subject, trace, object.leaf));
        let unasked: Vec<Lacking> = unasked.cloned().collect();
        let first = self.briefly(|session| session.first_followed(case, Build::RunWithDistances, &unasked));
        if let Ok(Some((number, outcomes))) = first
            && outcomes == trace.run.outcomes
        {
            return vec![unasked[number].clone()];
        }
        let before = self.ending(case);
        let mut goes_on = |some: &[Lacking]| {
            let case = trace.image.with_objects(self.session.subject(), case, &trace.leaves, some);
            self.ending(&case) != before
        };
        let mut rest = unasked.as_slice();
        while rest.len() > 1 {
            let (left, right) = rest.split_at(rest.len() / 2);
            rest = if goes_on(left) { left } else { right };
        }
        if !rest.is_empty() && goes_on(rest) {
            return rest.to_vec();
        }
        objects.truncate(CANDIDATES);
        objects
    }

    /// How a run ends, after what, if it does within a few steps.
    fn ending(&mut self, case: &Case) -> Option<(End, Vec<OutcomeId>, u64)> {
        let run = self.briefly(|session| session.run(case, Build::RunWithDistances)).ok()?;
        Some((run.end, run.outcomes, run.steps))
    }

    /// Does something with a limit on steps that a loop without end soon reaches.
    pub fn briefly<T>(&mut self, act: impl FnOnce(&mut Session) -> T) -> T {
        let steps = self.session.limits.steps;
        self.session.limits.steps = steps.min(FOLLOWED);
        let result = act(&mut self.session);
        self.session.limits.steps = steps;
        result
    }

    /// The trace of a case. That a loop has no end is told by a run: a trace up to the step limit would take seconds and
    /// have a path of hundreds of thousands of decisions.
    fn traced(&mut self, case: &Case) -> Result<Trace, ExecError> {
        let trace = self.briefly(|session| session.trace(case));
        if self.session.limits.steps <= FOLLOWED
            || !matches!(&trace, Ok(trace) if trace.run.end == End::StepLimit)
        {
            return trace;
        }
        match self.session.run(case, Build::RunWithDistances)?.end {
            End::StepLimit | End::Timeout => trace,
            _ => self.session.trace(case),
        }
    }

    /// What is assumed of a handle that is null, because its case says so or because what makes it returns null.
    fn null_handle(&mut self, case: &Case) -> Option<String> {
        let (function, arguments) = case.call()?;
        let params = self.session.subject().function(function).signature.as_ref()?.params.clone();
        for (param, value) in params.iter().zip(arguments) {
            let subject = self.session.subject();
            let Some(creation) = creation(&subject.types, param.ty, value) else { continue };
            let is_null = match creation {
                Creation::Null => true,
                Creation::By { creator, arguments, .. } => {
                    let function = subject.function_named(creator)?;
                    let mut alone = case.clone();
                    *alone.statements.last_mut()? =
                        Statement::Call { function, arguments: arguments.to_vec() };
                    let run = self.session.run(&alone.without_orphans(), Build::RunWithDistances).ok()?;
                    run.end == End::Returned && run.result == Some(Value::Null)
                }
            };
            if is_null {
                return Some(format!("{} is not null", param.name));
            }
        }
        None
    }
}

impl Execute for LoadedSubject {
    fn trace(&mut self, case: &Case) -> Result<Traced, String> {
        let trace = self.traced(case).map_err(|error| error.to_string())?;
        let (image, leaves) = (&trace.image, trace.leaves.as_slice());
        let asked = match trace.run.end {
            End::Signal { address, .. } => image.larger(self.session.subject(), case, leaves, address),
            _ => None,
        };
        let asked = match asked {
            Some(Lack::Objects(objects)) => Some(Lack::Objects(self.followed(case, objects, &trace))),
            other => other,
        };
        let null_handle = is_near_null(trace.run.end).then(|| self.null_handle(case)).flatten();
        let null_made = is_near_null(trace.run.end).then(|| self.null_made(case)).flatten();
        let subject = self.session.subject();
        let inputs_within = |ranges: &BTreeMap<u64, (i128, i128)>| -> Vec<Input> {
            leaves.iter().map(|leaf| input((subject, case), leaf, image, ranges)).collect()
        };
        let usual = ranges(subject, case, image, self.off.keeps(Heuristic::GuessedLengths));
        let wide = ranges(subject, case, image, false);
        let inputs = inputs_within(&usual);
        let wide = if wide == usual { Vec::new() } else { inputs_within(&wide) };
        let values = leaves.iter().map(|leaf| image.leaf_value(leaf)).collect();
        let slots: Vec<Option<Slot>> = leaves.iter().map(|leaf| slot(image, leaf)).collect();
        let elements = leaves.iter().zip(&slots).map(|(leaf, slot)| element(subject, case, leaf, *slot));
        let elements = elements.collect();
        let end = if fails_in_precondition(subject, trace.run.end) { End::Outside } else { trace.run.end };
        let grown =
            |object: &Lacking| image.with_objects(subject, case, leaves, std::slice::from_ref(object));
        let (mut larger, broke) = lack(subject, asked, &trace, &grown);
        if !self.off.keeps(Heuristic::LargerCases) {
            larger.clear();
        }
        let joined = joined::joined(subject, case, &trace);
        larger.extend(joined.filter(|_| self.off.keeps(Heuristic::JoinedPointers)));
        let shape = alignment(subject, case) ^ members(subject, case) ^ sequences::calls(case);
        let layout = Layout { alignment: shape, starts: image.starts(leaves) };
        let device = match trace.run.end {
            End::Signal { address, .. } => subject.fixed_address_near(address),
            _ => None,
        };
        let broke = match is_near_null(trace.run.end) {
            _ if device.is_some() => {
                device.map(|base| format!("there is memory at the fixed address {base:#x}"))
            }
            true if !subject.failing_allocations(case).is_empty() => {
                Some("memory can be allocated".to_owned())
            }
            true => broke.or(null_handle).or(null_made),
            false => broke,
        };
        let misread = matches!(trace.run.end, End::Signal { .. }) && may_be_misread(subject, case);
        let broke = broke.or_else(|| misread.then(|| "unions hold the member that is read".to_owned()));
        larger.extend(self.aligned_otherwise(case));
        larger.extend(self.with_members_of_tags(case));
        larger.extend(self.with_other_members(case));
        Ok(Traced {
            larger,
            broke,
            end,
            // Where the function was not called, nothing of it was seen, whatever a precondition calls.
            outcomes: if matches!(end, End::Outside | End::Before) { Vec::new() } else { trace.run.outcomes },
            exprs: trace.exprs,
            path: trace.path.in_layout(layout),
            inputs,
            wide,
            values,
            slots,
            elements,
            overflowed: trace.overflowed,
            addresses: MadeOfAddresses::default(),
        })
    }

    fn strays(&mut self, case: &Case) -> Option<Strayed> {
        let (end, image) = self.briefly(|session| session.run_fenced(case, Build::RunWithDistances)).ok()?;
        let End::Signal { address, .. } = end else { return None };
        Some(Strayed { larger: image.preceded(self.session.subject(), case, address) })
    }

    fn distances(&mut self, case: &Case) -> Vec<(OutcomeId, u64)> {
        self.session.run(case, Build::RunWithDistances).map(|run| run.distances).unwrap_or_default()
    }

    fn edited(&self, case: &Case, edit: &Edit) -> Option<Case> {
        edited(self.session.subject(), case, edit)
    }

    fn drawn(&self, case: &Case, seed: u64) -> Option<Case> {
        let subject = self.session.subject();
        let image = Image::lay_out(subject, case).ok()?;
        let domains = Domains { null_pointers: true, ..varied_domains() };
        image.drawn(subject, case, &domains, seed)
    }

    fn change(&self, case: &Case, model: &Model, fill: &[u128]) -> Case {
        let subject = self.session.subject();
        match Image::lay_out(subject, case) {
            Ok(image) => image.changed(subject, case, model, fill),
            Err(_) => case.clone(),
        }
    }
}

/// What the scalars of a case may become that is varied.
fn varied_domains() -> Domains {
    Domains { start: Start::Mixed, precision: Settings::default().precision, null_pointers: false }
}

/// Whether a run ended badly while it was checked what the function requires: the condition makes no sense then.
fn fails_in_precondition(subject: &Subject, end: End) -> bool {
    let (End::Trap { site: Some(site), .. } | End::Signal { site: Some(site), .. }) = end else {
        return false;
    };
    is_in_precondition(subject, site)
}

/// Whether a site lies in what checks the conditions that callers promise.
fn is_in_precondition(subject: &Subject, site: SiteId) -> bool {
    let function = subject.site(site).map(|site| subject.function(site.function));
    function.is_some_and(|function| function.model && function.name.starts_with(PRECONDITION))
}

/// Whether a run ended because it used memory at null, or near it.
fn is_near_null(end: End) -> bool {
    matches!(end, End::Signal { address, .. } if testwright_exec::is_near_null(address))
}

/// See [`Execute::edited`].
fn edited(subject: &Subject, case: &Case, edit: &Edit) -> Option<Case> {
    let mut case = case.clone();
    let end = edit.at + edit.removed;
    let counted = counting_argument(subject, &case, edit.object).filter(|(_, count)| end <= *count);
    let Statement::Object { element, values } = case.statements.get_mut(edit.object)? else { return None };
    let Shape::Int { signed, .. } = subject.types.get(*element).shape else { return None };
    let (size, before) = (subject.types.get(*element).size as u32, values.len());
    let value = |bits: &u128| {
        let cut = bits & u128::MAX >> (128 - 8 * size);
        Value::Int(if signed { sign_extend(cut, 8 * size) } else { cut as i128 })
    };
    if end > values.len() {
        return None;
    }
    drop(values.splice(edit.at..end, edit.inserted.iter().map(value)));
    let count = values.len();
    if counted.is_none() {
        values.resize(before, Value::Int(0));
        // What ended with a zero goes on to do so: it may be text.
        if let Some(last) = values.last_mut().filter(|_| count > before) {
            *last = Value::Int(0);
        }
    }
    let changed = |used: usize| (used + edit.inserted.len() - edit.removed) as i128;
    if let (Some((length, used)), Some(Statement::Call { arguments, .. })) =
        (counted, case.statements.last_mut())
    {
        arguments[length] = Value::Int(changed(used));
    }
    let contract = case.call().map(|(function, _)| &subject.function(function).contract);
    let keeps = |(length, used): (usize, usize)| {
        contract.is_none_or(|contract| contract.nearest(length, changed(used)) == changed(used))
    };
    (count <= LONGEST && counted.is_none_or(keeps)).then_some(case)
}

/// Where an input lies, if it is an element of something.
fn slot(image: &Image, leaf: &ImageLeaf) -> Option<Slot> {
    if !leaf.element {
        return None;
    }
    if leaf.leaf.global != u32::MAX {
        return Some(Slot { holder: Holder::Global(GlobalId(leaf.leaf.global)), offset: leaf.leaf.address });
    }
    let (holder, offset) = match image.part_at(leaf.leaf.address)? {
        (Part::Object(statement), offset) => (Holder::Object(statement), offset),
        (Part::Arguments | Part::Result, offset) => (Holder::Arguments, offset),
        (Part::ArgumentsBefore(_) | Part::ResultBefore(_), _) => return None,
    };
    Some(Slot { holder, offset })
}

/// The statement and position of an integer of a sequence.
fn element(subject: &Subject, case: &Case, leaf: &ImageLeaf, slot: Option<Slot>) -> Option<(usize, usize)> {
    let Slot { holder: Holder::Object(index), offset } = slot? else { return None };
    let Statement::Object { element, .. } = &case.statements[index] else { return None };
    let ty = subject.types.get(*element);
    let is_integer = matches!(ty.shape, Shape::Int { .. }) && ty.size == u64::from(leaf.leaf.bytes);
    is_integer.then(|| (index, (offset / ty.size) as usize))
}

/// The argument that says how many elements of an object are used, if there is one, and how many that are.
pub fn counting_argument(subject: &Subject, case: &Case, object: usize) -> Option<(usize, usize)> {
    let (function, arguments) = case.call()?;
    let Statement::Object { values, .. } = &case.statements[object] else { return None };
    pairs(subject, function).iter().find_map(|pair| {
        let Value::Int(count) = arguments[pair.length] else { return None };
        let is_meant =
            matches!(arguments[pair.pointer], Value::Pointer { object: pointee, offset: 0 } if pointee == object);
        let count = usize::try_from(count).ok().filter(|count| is_meant && *count <= values.len())?;
        Some((pair.length, count))
    })
}

/// The larger cases that a run asks for, and the assumption that it broke if what it lacked is no fault of the code. The
/// length of a buffer that a parameter gives is a promise, and code that asks whether a pointer is null expects
/// that it may be.
fn lack(
    subject: &Subject,
    lack: Option<Lack>,
    trace: &Trace,
    grown: &dyn Fn(&Lacking) -> Case,
) -> (Vec<Case>, Option<String>) {
    match lack {
        None => (Vec::new(), None),
        Some(Lack::Length { case, counted, names }) => {
            let broke = (!counted).then(|| format!("{} has all elements that are read", one_of(&names)));
            (case.into_iter().collect(), broke)
        }
        Some(Lack::Objects(objects)) => {
            let names: Vec<String> = objects.iter().map(|object| object.name.clone()).collect();
            let expected = objects.iter().any(|object| is_asked_for_null(subject, trace, object.leaf));
            let broke = (!expected).then(|| format!("{} is not null", one_of(&names)));
            (objects.iter().map(grown).collect(), broke)
        }
    }
}

/// `a`, or `a, b or c`.
fn one_of(names: &[String]) -> String {
    match names {
        [] => "each object".to_owned(),
        [name] => name.clone(),
        [one, other] => format!("{one} or {other}"),
        [one, others @ ..] => format!("{one} or one of {} other pointers", others.len()),
    }
}

/// Whether the code compared a pointer with something. What a condition asks that callers promise, `!p || p->n > 0`, is none of
/// the code's doing.
fn is_asked_for_null(subject: &Subject, trace: &Trace, leaf: u32) -> bool {
    let is_leaf = |expr: ExprId| trace.exprs.get(expr).input() == Some(leaf);
    let is_promised = |step: &&Step| step.site.is_some_and(|site| is_in_precondition(subject, SiteId(site)));
    let branches = trace.path.steps().iter().filter(|step| step.kind == EventKind::Branch);
    let branches = branches.filter(|step| !is_promised(step));
    // A comparison may be negated.
    let compares = |expr: ExprId| trace.exprs.get(expr).operands().any(is_leaf);
    branches
        .into_iter()
        .any(|step| compares(step.expr) || trace.exprs.get(step.expr).operands().any(compares))
}

/// What the arguments at these addresses may be: lengths of buffers, also those that are guesses if wanted, and what the
/// contract says.
fn ranges(subject: &Subject, case: &Case, image: &Image, guesses: bool) -> BTreeMap<u64, (i128, i128)> {
    let Some((function, arguments)) = case.call() else { return BTreeMap::new() };
    let Some(signature) = &subject.function(function).signature else { return BTreeMap::new() };
    let contract = &subject.function(function).contract;
    let offsets = ArgumentBlock::new(&subject.types, signature).offsets;
    let mut ranges = BTreeMap::new();
    for pair in pairs(subject, function) {
        if matches!(arguments[pair.pointer], Value::Pointer { .. }) && (pair.stated || guesses) {
            ranges.insert(pair.length, (0, LONGEST as i128));
        }
    }
    for (param, (low, high)) in &contract.ranges {
        let (least, most) = ranges.get(param).copied().unwrap_or((*low, *high));
        ranges.insert(*param, (least.max(*low), most.min(*high)));
    }
    // A handle begins with who makes it.
    let is_handle = |param: usize| subject.types.declared_as(signature.params[param].ty).is_some();
    let number = |param: usize| if is_handle(param) { u32::MAX.into() } else { u64::MAX };
    ranges.extend(contract.non_null.iter().map(|param| (*param, (1, i128::from(number(*param))))));
    ranges.into_iter().map(|(param, range)| (image.arguments + offsets[param], range)).collect()
}

fn input(
    (subject, case): (&Subject, &Case),
    leaf: &ImageLeaf,
    image: &Image,
    ranges: &BTreeMap<u64, (i128, i128)>,
) -> Input {
    let width = u32::from(leaf.leaf.bytes) * 8;
    let own = match leaf.leaf.global {
        u32::MAX => ranges.get(&leaf.leaf.address).copied(),
        global => subject.stated_answers(GlobalId(global)),
    };
    let kind = kind(subject, leaf.ty, leaf.kind);
    let range = match &subject.types.get(leaf.ty).shape {
        Shape::Pointer(_) => {
            let (least, _) = own.unwrap_or((0, 0));
            image.places(subject, case, leaf).map(|(low, high)| (low.max(least), high))
        }
        _ if own.is_some() => own,
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
        (Shape::Pointer(_), _) => InputKind::Address,
        (Shape::Float { .. }, _) => InputKind::Float,
        (Shape::Int { signed: true, .. } | Shape::Enum { signed: true, .. }, _) => InputKind::Signed,
        _ => InputKind::Unsigned,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testwright_base::json::{case_to_json, parse_case};
    use testwright_code::frontend;

    /// The case of a function of this file after an edit of its first object.
    fn after(text: &str, case: &str, at: usize, removed: usize, inserted: &[u128]) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f.c");
        std::fs::write(&path, text).unwrap();
        let sources = frontend().resolve(&[path], &[]).unwrap();
        let bitcode = frontend().compile(&sources).unwrap().bitcode;
        let subject = testwright_code::prepare(frontend(), &bitcode, &sources.files()).unwrap().subject;
        let case = parse_case(&subject, subject.function_named("f").unwrap(), case).unwrap();
        let object = case.statements.iter().position(|one| matches!(one, Statement::Object { .. }))?;
        let edited = edited(&subject, &case, &Edit { object, at, removed, inserted: inserted.to_vec() })?;
        Some(case_to_json(&subject, &edited).to_string())
    }

    #[test]
    fn a_counted_sequence_grows_and_shrinks_with_its_count() {
        const COUNTED: &str = "int f(const int *items, unsigned long count) { return count ? items[0] : 0; }";
        let after = |at, removed, inserted: &[u128]| after(COUNTED, "[[1, 2, 3], 3]", at, removed, inserted);
        let expected = r#"{"count":5,"items":[1,-1,7,2,3]}"#;
        assert_eq!(after(1, 0, &[0xffff_ffff, 7]).unwrap(), expected);
        assert_eq!(after(0, 2, &[3]).unwrap(), r#"{"count":2,"items":[3,3]}"#);
        assert_eq!(after(2, 1, &[]).unwrap(), r#"{"count":2,"items":[1,2]}"#);
        assert_eq!(after(3, 0, &[4]).unwrap(), r#"{"count":4,"items":[1,2,3,4]}"#);
        assert_eq!(after(2, 2, &[]), None);
    }

    #[test]
    fn a_text_keeps_its_room_and_its_end() {
        const TEXT: &str = "int f(const char *text) { return text[0]; }";
        let x = u128::from(b'x');
        let after = |at, removed, inserted: &[u128]| {
            after(TEXT, r#"[{"buffer": "abc", "size": 5}]"#, at, removed, inserted).unwrap()
        };
        assert_eq!(after(1, 0, &[x]), r#"{"text":"axbc"}"#);
        assert_eq!(after(1, 1, &[]), r#"{"text":[97,99,0,0,0]}"#);
        assert_eq!(after(4, 0, &[x]), r#"{"text":[97,98,99,0,0]}"#);
    }
}

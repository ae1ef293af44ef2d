//! The code under test as the search sees it.

mod globals;

pub use globals::leaves_globals_alone;

use std::collections::BTreeMap;
use testwright_base::build::Build;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::{OutcomeId, TypeId};
use testwright_base::layout::{ArgumentBlock, LeafKind};
use testwright_base::pairs::pairs;
use testwright_base::run::End;
use testwright_base::site::sign_extend;
use testwright_base::subject::Subject;
use testwright_base::types::Shape;
use testwright_exec::image::{Image, ImageLeaf, LONGEST, Lack};
use testwright_exec::{Session, Trace};
use testwright_logic::expr::ExprId;
use testwright_logic::path::EventKind;
use testwright_logic::solve::{Input, InputKind, Model};
use testwright_search::execute::{Change, Edit, Execute, Traced};

/// A loaded subject.
pub struct Code {
    /// Runs the cases.
    pub session: Session,
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
        let (larger, broke) = match trace.run.end {
            End::Signal { address, .. } => lack(image.larger(subject, case, address), &trace),
            _ => (Vec::new(), None),
        };
        Ok(Traced {
            larger,
            broke,
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

    fn edited(&self, case: &Case, edit: &Edit) -> Option<Case> {
        edited(self.session.subject(), case, edit)
    }

    fn change(&self, case: &Case, model: &Model, fill: &[u128]) -> Case {
        let subject = self.session.subject();
        match Image::lay_out(subject, case) {
            Ok(image) => image.changed(subject, case, model, fill),
            Err(_) => case.clone(),
        }
    }
}

/// See [`Execute::edited`].
fn edited(subject: &Subject, case: &Case, edit: &Edit) -> Option<Case> {
    let mut case = case.clone();
    let counted = counting_argument(subject, &case, edit.object);
    let Statement::Object { element, values } = case.statements.get_mut(edit.object)? else { return None };
    let Shape::Int { signed, .. } = subject.types.get(*element).shape else { return None };
    let (size, before) = (subject.types.get(*element).size as u32, values.len());
    match edit.change {
        Change::Remove => drop(values.remove(edit.at)),
        Change::Copy(from) => values.insert(edit.at, values.get(from)?.clone()),
        Change::Insert(bits) => {
            let cut = bits & u128::MAX >> (128 - 8 * size);
            let value = if signed { sign_extend(cut, 8 * size) } else { cut as i128 };
            values.insert(edit.at, Value::Int(value));
        }
    }
    let count = values.len();
    if counted.is_none() {
        values.resize(before, Value::Int(0));
        // What ended with a zero goes on to do so: it may be text.
        if let Some(last) = values.last_mut().filter(|_| count > before) {
            *last = Value::Int(0);
        }
    }
    if let (Some(length), Some(Statement::Call { arguments, .. })) = (counted, case.statements.last_mut()) {
        arguments[length] = Value::Int(count as i128);
    }
    let contract = case.call().map(|(function, _)| &subject.function(function).contract);
    let keeps = |length: usize| contract.is_none_or(|it| it.nearest(length, count as i128) == count as i128);
    (count <= LONGEST && counted.is_none_or(keeps)).then_some(case)
}

/// The argument that is the number of an object's elements, if there is one.
fn counting_argument(subject: &Subject, case: &Case, object: usize) -> Option<usize> {
    let (function, arguments) = case.call()?;
    let Statement::Object { values, .. } = &case.statements[object] else { return None };
    let pairs = pairs(subject, function);
    let pair = pairs.iter().find(|pair| {
        matches!(arguments[pair.pointer], Value::Pointer { object: pointee, offset: 0 } if pointee == object)
            && arguments[pair.length] == Value::Int(values.len() as i128)
    });
    pair.map(|pair| pair.length)
}

/// The larger cases that a run asks for, and the assumption that it broke if what it lacked is no fault of the code. The
/// length of a buffer that a parameter gives is a promise, and code that asks whether a pointer is null expects
/// that it may be.
fn lack(lack: Option<Lack>, trace: &Trace) -> (Vec<Case>, Option<String>) {
    match lack {
        None => (Vec::new(), None),
        Some(Lack::Length { case, counted, names }) => {
            let broke = (!counted).then(|| format!("{} has all elements that are read", one_of(&names)));
            (case.into_iter().collect(), broke)
        }
        Some(Lack::Objects(objects)) => {
            let names: Vec<String> = objects.iter().map(|object| object.name.clone()).collect();
            let expected = objects.iter().any(|object| is_asked_for_null(trace, object.leaf));
            let broke = (!expected).then(|| format!("{} is not null", one_of(&names)));
            (objects.into_iter().map(|object| object.case).collect(), broke)
        }
    }
}

/// `a`, or `a, b or c`.
fn one_of(names: &[String]) -> String {
    match names {
        [] => "each object".to_owned(),
        [name] => name.clone(),
        [names @ .., last] => format!("{} or {last}", names.join(", ")),
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
        Shape::Pointer(target) if is_function(subject, *target) => {
            // Null, or the stub.
            let (low, high) = own.copied().unwrap_or((0, 1));
            Some((low, high.min(1)))
        }
        _ if own.is_some() => own.copied(),
        Shape::Bool => Some((0, 1)),
        _ => None,
    };
    Input { width, kind, range }
}

fn is_function(subject: &Subject, ty: TypeId) -> bool {
    matches!(subject.types.get(ty).shape, Shape::Function { .. })
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

#[cfg(test)]
mod tests {
    use super::*;
    use testwright_base::json::{case_to_json, parse_case};
    use testwright_code::c::{self, Clang};

    /// The case of a function of this file after an edit of its first object.
    fn after(text: &str, case: &str, at: usize, change: Change) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f.c");
        std::fs::write(&path, text).unwrap();
        let sources = c::resolve(&[path], &[]).unwrap();
        let bitcode = c::compile(&sources, &Clang::find().unwrap()).unwrap();
        let subject = testwright_code::prepare(&bitcode, &sources.files()).unwrap().subject;
        let case = parse_case(&subject, subject.function_named("f").unwrap(), case).unwrap();
        let object = case.statements.iter().position(|one| matches!(one, Statement::Object { .. }))?;
        let edited = edited(&subject, &case, &Edit { object, at, change })?;
        Some(case_to_json(&subject, &edited).to_string())
    }

    #[test]
    fn a_counted_sequence_grows_and_shrinks_with_its_count() {
        const COUNTED: &str = "int f(const int *items, unsigned long count) { return count ? items[0] : 0; }";
        let after = |at, change| after(COUNTED, "[[1, 2, 3], 3]", at, change).unwrap();
        assert_eq!(after(1, Change::Insert(0xffff_ffff)), r#"{"count":4,"items":[1,-1,2,3]}"#);
        assert_eq!(after(0, Change::Copy(2)), r#"{"count":4,"items":[3,1,2,3]}"#);
        assert_eq!(after(2, Change::Remove), r#"{"count":2,"items":[1,2]}"#);
    }

    #[test]
    fn a_text_keeps_its_room_and_its_end() {
        const TEXT: &str = "int f(const char *text) { return text[0]; }";
        let after = |at, change| after(TEXT, r#"[{"buffer": "abc", "size": 5}]"#, at, change).unwrap();
        assert_eq!(after(1, Change::Insert(u128::from(b'x'))), r#"{"text":"axbc"}"#);
        assert_eq!(after(1, Change::Remove), r#"{"text":[97,99,0,0,0]}"#);
        assert_eq!(after(4, Change::Insert(u128::from(b'x'))), r#"{"text":[97,98,99,0,0]}"#);
    }
}

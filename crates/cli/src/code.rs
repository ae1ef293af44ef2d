//! The code under test as the search sees it.

use std::collections::BTreeSet;
use testwright_base::build::Build;
use testwright_base::case::{Case, Value};
use testwright_base::ids::{OutcomeId, TypeId};
use testwright_base::layout::LeafKind;
use testwright_base::pairs::pairs;
use testwright_base::subject::Subject;
use testwright_base::types::Shape;
use testwright_exec::Session;
use testwright_exec::image::{Image, ImageLeaf, LONGEST};
use testwright_logic::solve::{Input, InputKind, Model};
use testwright_search::execute::{Execute, Traced};

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
        let lengths = length_leaves(subject, case, &image);
        let inputs = leaves.iter().map(|leaf| input(subject, leaf, &lengths)).collect();
        let values = leaves.iter().map(|leaf| image.leaf_value(leaf)).collect();
        Ok(Traced {
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

/// Addresses of the arguments that are lengths of buffers.
fn length_leaves(subject: &Subject, case: &Case, image: &Image) -> BTreeSet<u64> {
    let Some((function, arguments)) = case.call() else { return BTreeSet::new() };
    let Some(signature) = &subject.function(function).signature else { return BTreeSet::new() };
    let block = testwright_base::layout::ArgumentBlock::new(&subject.types, signature);
    pairs(&subject.types, signature)
        .iter()
        .filter(|pair| matches!(arguments[pair.pointer], Value::Pointer { .. }))
        .map(|pair| image.arguments + block.offsets[pair.length])
        .collect()
}

fn input(subject: &Subject, leaf: &ImageLeaf, lengths: &BTreeSet<u64>) -> Input {
    let width = leaf.leaf.bytes * 8;
    let is_length = leaf.leaf.global == u32::MAX && lengths.contains(&leaf.leaf.address);
    let kind = kind(subject, leaf.ty, leaf.kind);
    let range = match &subject.types.get(leaf.ty).shape {
        _ if is_length => Some((0, LONGEST as i128)),
        // A function pointer is null or the stub.
        Shape::Bool | Shape::Pointer(_) => Some((0, 1)),
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

//! Pointers that belong together: code that subtracts one from the other, or asks which comes first, means places in the
//! same object.

use testwright_base::case::{Case, Value};
use testwright_base::subject::Subject;
use testwright_base::types::Shape;
use testwright_base::zero::element_behind;
use testwright_exec::Trace;
use testwright_exec::image::ImageLeaf;
use testwright_logic::expr::ExprId;
use testwright_logic::path::EventKind;

/// The case in which the second of two pointers that belong together is the end of the object that the first leads to; none
/// if the run shows no such pair in different objects.
pub fn joined(subject: &Subject, case: &Case, trace: &Trace) -> Option<Case> {
    let (image, leaves) = (&trace.image, &trace.leaves);
    let related = trace.path.steps().iter().filter(|step| step.kind == EventKind::Related);
    let input = |id: ExprId| trace.exprs.get(id).input();
    let pairs = related.filter_map(|step| Some((input(step.expr)?, input(trace.exprs.id(step.extra)?)?)));
    pairs.into_iter().find_map(|(begin, end)| {
        let start_of = |leaf: &ImageLeaf| match image.pointer_of(leaf) {
            Value::Pointer { object, offset: 0 } => Some(object),
            _ => None,
        };
        let element = |leaf: &ImageLeaf| match subject.types.get(leaf.ty).shape {
            Shape::Pointer(target) => element_behind(&subject.types, target),
            _ => None,
        };
        let (first, second) = (leaves.get(begin as usize)?, leaves.get(end as usize)?);
        let object = start_of(first)?;
        let span = image.object(object)?;
        let belong = start_of(second)? != object && element(first)? == element(second)? && span.length > 0;
        let model = [(end, u128::from(span.address + span.length))].into();
        belong.then(|| image.changed(subject, case, &model, &[]).without_orphans())
    })
}

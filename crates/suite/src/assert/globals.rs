//! Globals in tests: which of them a test of a function can name, and what is asserted of them.

use super::parts::{Part, parts_of};
use super::{agreeing, brief, left_alone};
use crate::emit::c::spelt;
use crate::input::Found;
use testwright_base::ids::{FunctionId, GlobalId};
use testwright_base::run::{Run, Seen};
use testwright_base::site::Place;
use testwright_base::subject::Subject;

/// Whether a test of a function can name a global: one of the same file or of a header, and not a variable inside a
/// function, nor the answers of a stub.
#[must_use]
pub fn is_nameable(subject: &Subject, function: FunctionId, global: GlobalId) -> bool {
    let definition = &subject.globals[global.index()];
    let is_word = spelt(&definition.name).bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let own = subject.function(function).place.as_ref();
    let is_seen =
        |place: &Place| own.is_none_or(|own| own.file == place.file) || !subject.files.contains(&place.file);
    is_word && definition.ty.is_some() && definition.place.as_ref().is_none_or(is_seen)
}

/// What is asserted of a global that some test of the function changes: the parts that this call changed, or that it is as
/// before.
pub(super) fn of_global(subject: &Subject, found: &Found, seen: &Seen) -> Vec<Part> {
    let Some(ty) = subject.globals[seen.global.index()].ty else { return Vec::new() };
    let before = parts_of(&subject.types, ty, &seen.before);
    let after = parts_of(&subject.types, ty, &seen.after);
    let again = found.again.as_ref().and_then(|run| find(run, seen.global));
    let again = again.map(|seen| parts_of(&subject.types, ty, &seen.after));
    let changed = before != after;
    let agreed = agreeing(after, again.as_deref());
    if changed { brief(&before, agreed) } else { left_alone(&before, agreed) }
}

fn find(run: &Run, global: GlobalId) -> Option<&Seen> {
    run.globals.iter().find(|seen| seen.global == global)
}

//! Approach levels: whether the distances of an outcome are those of floats.

use crate::program::{Ending, add_site, subject};
use testwright_base::ids::{BlockId, FunctionId, OutcomeId, SiteId};
use testwright_base::site::{Compared, SiteKind};
use testwright_search::sbst::Targets;

/// Whether the level of a branch that is fed by `ult` says that floats decide.
fn is_float_level(compared: Compared) -> bool {
    let mut subject = subject(&[(&[1, 2], Ending::Branch), (&[], Ending::Goto), (&[], Ending::Goto)]);
    let (predicate, feeds) = ("ult".to_owned(), Some(SiteId::of(0)));
    let kind = SiteKind::Compare { predicate, compared, feeds, negated: false, chooses: false };
    add_site(&mut subject, FunctionId(0), BlockId::of(0), kind, 0);
    Targets::new(&subject, FunctionId(0)).levels(OutcomeId(0))[0].float == 1
}

#[test]
fn an_unordered_comparison_of_floats_has_distances_of_floats() {
    assert!(is_float_level(Compared::Floats));
    assert!(!is_float_level(Compared::Integers), "the same name, but of integers without a sign");
}

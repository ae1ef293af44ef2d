//! Flips: what inputs must satisfy to leave a path at a node in a way that no run did.
//!
//! All constraints of the path before the node, and the negation of the disjunction of the outcomes that were
//! seen there, or one particular outcome if that is asked for.

use crate::tree::{Kind, NodeId, Tree, pinned_value};
use testwright_base::site::SiteKind;
use testwright_base::subject::Subject;
use testwright_logic::expr::{ExprId, Exprs};
use testwright_logic::path::{Constraint, EventKind, Layout, Path};

/// What expressions mean: they themselves, and where objects lie.
type At<'a> = (&'a Exprs, &'a Layout);

/// The constraints of the flip of `node`, which is the decision at `step` of `path`; none if nothing is left to try.
#[must_use]
pub fn constraints(
    subject: &Subject,
    tree: &Tree,
    node: NodeId,
    (exprs, path): (&Exprs, &Path),
    step: usize,
    outcome: Option<u16>,
) -> Option<Vec<Constraint>> {
    let taken = &path.steps().get(step)?.constraint;
    let at = (exprs, path.layout());
    let last = match outcome {
        Some(outcome) => towards(subject, tree, node, (at, taken), outcome)?,
        None => negation(subject, tree, node, (at, taken))?,
    };
    let before = path.steps()[..step].iter().map(|step| &step.constraint);
    let mut constraints: Vec<Constraint> =
        before.filter(|constraint| **constraint != Constraint::Nothing).cloned().collect();
    constraints.push(last);
    Some(constraints)
}

/// Sizes of memory up to this are small, one by one;
const SMALL: u128 = 64;
/// larger ones are small up to this, if they are powers of two.
const LARGEST: u128 = 1 << 16;

/// The constraints of a flip without those of pinned values before it, in the order in which to ask for them; none if there
/// are no such values. Inputs that satisfy them need not take the path to the node, because addresses and sizes on it may
/// change, but often they do. Small sizes come first: a solver is content with one that no memory can hold.
#[must_use]
pub fn unpinned(path: &Path, step: usize, constraints: &[Constraint]) -> Vec<Vec<Constraint>> {
    let is_pin = |kind: EventKind| {
        matches!(kind, EventKind::Address | EventKind::Size | EventKind::Native | EventKind::Unsupported)
    };
    let before = path.steps().get(..step).unwrap_or_default();
    if !before.iter().any(|step| is_pin(step.kind)) {
        return Vec::new();
    }
    let free = before.iter().filter(|step| !is_pin(step.kind)).map(|step| &step.constraint);
    let free = free.filter(|constraint| **constraint != Constraint::Nothing);
    let free: Vec<Constraint> = free.chain(constraints.last()).cloned().collect();
    let sizes = before.iter().filter(|step| step.kind == EventKind::Size);
    let small: Vec<Constraint> = sizes.filter_map(|step| Some(small(step.constraint.expr()?))).collect();
    if small.is_empty() {
        return vec![free];
    }
    // The last one is what makes a query new.
    vec![small.into_iter().chain(free.iter().cloned()).collect(), free]
}

/// That a size is small.
fn small(size: ExprId) -> Constraint {
    let powers = std::iter::successors(Some(2 * SMALL), |power| Some(2 * power));
    Constraint::OneOf(size, (0..=SMALL).chain(powers.take_while(|power| *power <= LARGEST)).collect())
}

/// The constraint of one outcome of a branch or a switch.
fn towards(
    subject: &Subject,
    tree: &Tree,
    id: NodeId,
    (at, taken): (At<'_>, &Constraint),
    outcome: u16,
) -> Option<Constraint> {
    let node = tree.node(id);
    let expr = taken.expr()?;
    match node.kind {
        Kind::Branch if outcome == 0 => Some(Constraint::IsTrue(expr)),
        Kind::Branch => Some(Constraint::IsFalse(expr)),
        Kind::Switch => {
            let SiteKind::Switch { cases, .. } = &subject.sites.get(node.site()? as usize)?.kind else {
                return None;
            };
            let case = cases.get(usize::from(outcome)).copied();
            Some(case.map_or_else(
                || Constraint::NoneOf(expr, cases.clone()),
                |case| Constraint::Equals(expr, case),
            ))
        }
        Kind::Bounds | Kind::Pin => negation(subject, tree, id, (at, taken)),
    }
}

fn negation(
    subject: &Subject,
    tree: &Tree,
    id: NodeId,
    (at, constraint): (At<'_>, &Constraint),
) -> Option<Constraint> {
    let node = tree.node(id);
    let expr = constraint.expr()?;
    match node.kind {
        Kind::Branch | Kind::Bounds => match constraint {
            Constraint::IsTrue(_) => Some(Constraint::IsFalse(expr)),
            Constraint::IsFalse(_) => Some(Constraint::IsTrue(expr)),
            // A run that left a table is recorded with the address it read from.
            _ => None,
        },
        Kind::Pin => {
            let values = tree.explored(id).map(|key| pinned_value(at, expr, key));
            Some(Constraint::NoneOf(expr, values.collect()))
        }
        Kind::Switch => {
            let site = subject.sites.get(node.site()? as usize)?;
            let SiteKind::Switch { cases, .. } = &site.kind else { return None };
            let default = cases.len() as u64;
            let is_explored = |outcome: u64| tree.explored(id).any(|key| key == outcome);
            let with = |wanted: bool| {
                let chosen = (0u64..).zip(cases).filter(|(outcome, _)| is_explored(*outcome) == wanted);
                chosen.map(|(_, case)| *case).collect::<Vec<u128>>()
            };
            if !is_explored(default) {
                return Some(Constraint::NoneOf(expr, with(true)));
            }
            let left = with(false);
            (!left.is_empty()).then_some(Constraint::OneOf(expr, left))
        }
    }
}

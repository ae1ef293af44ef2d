//! Members of unions: which one a case gives is part of its shape.
//!
//! A value of a union is a value of one member. The largest stands for it until the search tries the others, each with a tree of
//! paths of its own. Code that reads another member than the case gives may take a number for a pointer.
//!
//! Bytes behind a smaller member hold a pattern, because a test cannot state them. A crash of a run that may have taken another
//! member for a pointer broke an assumption, and is no finding.

use std::hash::{DefaultHasher, Hash, Hasher};
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::TypeId;
use testwright_base::layout::largest_member;
use testwright_base::subject::Subject;
use testwright_base::tagged::each_value;
use testwright_base::types::{Field, Shape, Types};
use testwright_base::zero::zero;

/// Only the first unions of a case have their other members tried.
const UNIONS: usize = 8;

/// A number for which members the unions of a case have: equal if they have the same ones, 0 if all have the largest.
#[must_use]
pub fn members(subject: &Subject, case: &Case) -> u64 {
    let mut number = 0;
    let mut unions = 0_u64;
    each_union(subject, &mut case.clone(), &mut |fields, value| {
        unions += 1;
        if let Value::Member(member, _) = value
            && Some(*member) != largest_member(&subject.types, fields)
        {
            let mut hasher = DefaultHasher::new();
            (unions, *member).hash(&mut hasher);
            number ^= hasher.finish();
        }
    });
    number
}

/// The cases in which one union has another member.
#[must_use]
pub fn other_members(subject: &Subject, case: &Case) -> Vec<Case> {
    let mut choices = Vec::new();
    let mut unions = 0;
    each_union(subject, &mut case.clone(), &mut |fields, value| {
        let Value::Member(own, _) = value else { return };
        let others =
            (0..fields.len()).filter(|member| member != own && fields[*member].ty != fields[*own].ty);
        choices.extend(others.map(|member| (unions, member)));
        unions += 1;
    });
    let chosen = |(union, member): (usize, usize)| {
        let mut case = case.clone();
        let mut next = 0;
        each_union(subject, &mut case, &mut |fields, value| {
            if next == union && matches!(value, Value::Member(..)) {
                *value = Value::Member(member, Box::new(zero(&subject.types, fields[member].ty)));
            }
            next += 1;
        });
        case.without_orphans()
    };
    choices.into_iter().filter(|(union, _)| *union < UNIONS).map(chosen).collect()
}

/// Whether a member of a union that the case does not give holds a pointer: whoever reads it follows what is none.
#[must_use]
pub fn may_be_misread(subject: &Subject, case: &Case) -> bool {
    let mut misread = false;
    let mut case = case.clone();
    // Formats are checked before arguments of a list are read.
    for statement in &mut case.statements {
        if let Statement::Object { element, values } = statement
            && subject.types.is_slot(*element)
        {
            values.clear();
        }
    }
    each_union(subject, &mut case, &mut |fields, value| {
        let Value::Member(own, _) = value else { return };
        misread |= fields.iter().enumerate().any(|(member, field)| {
            member != *own && field.ty != fields[*own].ty && holds_pointer(&subject.types, field.ty)
        });
    });
    misread
}

fn holds_pointer(types: &Types, ty: TypeId) -> bool {
    match &types.get(ty).shape {
        Shape::Pointer(_) => true,
        Shape::Array { element, .. } => holds_pointer(types, *element),
        Shape::Record { fields, .. } => fields.iter().any(|field| holds_pointer(types, field.ty)),
        _ => false,
    }
}

/// Calls `act` for every value of a union, with the members of its type. The values inside come before it.
fn each_union(subject: &Subject, case: &mut Case, act: &mut impl FnMut(&[Field], &mut Value)) {
    each_value(subject, case, &mut |ty, value| {
        if let Shape::Record { union: true, fields, .. } = &subject.types.get(ty).shape
            && matches!(value, Value::Member(..))
        {
            act(fields, value);
        }
    });
}

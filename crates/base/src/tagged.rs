//! Tagged unions: structs in which a field, the tag, tells which member of a union beside it is meant.
//!
//! ```text
//! struct value { enum kind kind; union { long number; double real; } as; };       kind 1 goes with .real
//! {.kind = REAL, .as = {.number = 4613937818241073152}}      tied:      {.kind = REAL, .as = {.real = 3.0}}
//! ```
//!
//! The code shows which member goes with which tag, so nothing is known of tags that it does not ask for.

use crate::case::{Case, Statement, Value};
use crate::fresh::zero;
use crate::ids::TypeId;
use crate::site::sign_extend;
use crate::subject::Subject;
use crate::types::{Shape, Types};
use serde::{Deserialize, Serialize};

/// A union of a struct whose member another field of the struct tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tagged {
    /// The field that tells the member.
    pub tag: usize,
    /// The field that is the union.
    pub union: usize,
    /// The members that go with values of the tag, in the order of the values; there is at least one for each.
    pub members: Vec<(i128, Vec<usize>)>,
}

impl Tagged {
    /// The tag of a struct with these fields, the members that go with it, and the one that the struct has.
    fn choice(&self, fields: &[Value]) -> Option<(i128, &[usize], usize)> {
        let (Value::Int(tag), Value::Member(member, _)) = (fields.get(self.tag)?, fields.get(self.union)?)
        else {
            return None;
        };
        let (_, members) = self.members.iter().find(|(value, _)| value == tag)?;
        Some((*tag, members, *member))
    }
}

/// The case with unions that have the members which go with their tags. Numbers keep their bits.
#[must_use]
pub fn tied(subject: &Subject, case: &Case) -> Case {
    let types = &subject.types;
    let mut tied = case.clone();
    each_value(subject, &mut tied, &mut |ty, value| {
        let Value::Record(fields) = value else { return };
        for tagged in types.tagged(ty) {
            let Some((_, members, own)) = tagged.choice(fields) else { continue };
            let (false, Some(member)) = (members.contains(&own), members.first()) else { continue };
            let Some(member_type) = member_type(types, ty, tagged.union, *member) else { continue };
            let Value::Member(_, held) = &fields[tagged.union] else { continue };
            let value = with_bits_of(types, held, member_type);
            fields[tagged.union] = Value::Member(*member, Box::new(value));
        }
    });
    if tied == *case { tied } else { tied.without_orphans() }
}

/// Whether all unions have members that go with their tags, as far as that is known.
#[must_use]
pub fn is_tied(subject: &Subject, case: &Case) -> bool {
    !subject.types.has_tagged() || tied(subject, case) == *case
}

/// The tags that are known, and the members that the case has with them.
#[must_use]
pub fn choices(subject: &Subject, case: &Case) -> Vec<(i128, usize)> {
    let mut choices = Vec::new();
    each_value(subject, &mut case.clone(), &mut |ty, value| {
        let Value::Record(fields) = value else { return };
        let known = subject.types.tagged(ty).iter().filter_map(|tagged| tagged.choice(fields));
        choices.extend(known.map(|(tag, _, member)| (tag, member)));
    });
    choices
}

/// The type of a member of the union in this field of a struct.
fn member_type(types: &Types, record: TypeId, union: usize, member: usize) -> Option<TypeId> {
    let Shape::Record { fields, .. } = &types.get(record).shape else { return None };
    let Shape::Record { union: true, fields: members, .. } = &types.get(fields.get(union)?.ty).shape else {
        return None;
    };
    members.get(member).map(|member| member.ty)
}

/// The value of a type that has the same bits if both are numbers, else zero.
fn with_bits_of(types: &Types, held: &Value, ty: TypeId) -> Value {
    let bits = match held {
        Value::Int(number) => *number as u128,
        Value::Single(bits) => u128::from(*bits),
        Value::Double(bits) => u128::from(*bits),
        _ => return zero(types, ty),
    };
    match types.get(ty).shape {
        Shape::Float { bits: 32 } => Value::Single(bits as u32),
        Shape::Float { bits: 64 } => Value::Double(bits as u64),
        Shape::Int { bits: width, signed: true, .. } => Value::Int(sign_extend(bits, width)),
        Shape::Int { bits: width, .. } => Value::Int((bits & (u128::MAX >> (128 - width))) as i128),
        _ => zero(types, ty),
    }
}

/// Calls `act` for every value of a case whose type is known, with that type. What lies inside a value comes before it.
pub fn each_value(subject: &Subject, case: &mut Case, act: &mut impl FnMut(TypeId, &mut Value)) {
    let types = &subject.types;
    for statement in &mut case.statements {
        match statement {
            Statement::Object { element, values } => {
                values.iter_mut().for_each(|value| within(types, *element, value, act));
            }
            Statement::Set { global, value } => {
                if let Some(ty) = subject.globals[global.index()].ty {
                    within(types, ty, value, act);
                }
            }
            Statement::Call { function, arguments } => {
                let signature = subject.function(*function).signature.as_ref();
                let params = signature.map(|signature| signature.params.as_slice()).unwrap_or_default();
                for (param, value) in params.iter().zip(arguments) {
                    within(types, param.ty, value, act);
                }
            }
        }
    }
}

fn within(types: &Types, ty: TypeId, value: &mut Value, act: &mut impl FnMut(TypeId, &mut Value)) {
    match (&types.get(ty).shape, &mut *value) {
        (Shape::Array { element, .. }, Value::Array(values)) => {
            values.iter_mut().for_each(|value| within(types, *element, value, act));
        }
        (Shape::Record { fields, .. }, Value::Record(values)) => {
            for (field, value) in fields.iter().zip(values) {
                within(types, field.ty, value, act);
            }
        }
        (Shape::Record { union: true, fields, .. }, Value::Member(member, inner)) => {
            if let Some(field) = fields.get(*member) {
                within(types, field.ty, inner, act);
            }
        }
        _ => {}
    }
    act(ty, value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::FunctionId;
    use crate::sample::{self, Member};

    /// Calls a function with one `struct value` that has this tag and member, and compares that of the tied case.
    #[track_caller]
    fn check(tag: i128, (member, value): (usize, Value), expected: (usize, Value)) {
        let mut subject = sample::empty_subject();
        let types = &mut subject.types;
        let long = sample::int(types, "long", 64, true);
        let double = sample::float(types, 64);
        let pointer = sample::pointer(types, long);
        let members = [Member::new("number", long), Member::new("real", double), Member::new("at", pointer)];
        let union = sample::record(types, Some("union as"), true, &members);
        let fields = [Member::new("kind", long), Member::new("as", union)];
        let record = sample::record(types, Some("struct value"), false, &fields);
        types.set_tagged(
            record,
            vec![Tagged { tag: 0, union: 1, members: vec![(1, vec![1]), (2, vec![2]), (3, vec![0, 1])] }],
        );
        subject.functions = vec![sample::taking("f", &[("v", record)], long)];
        let case = |member: usize, value: Value| {
            let union = Value::Member(member, Box::new(value));
            let arguments = vec![Value::Record(vec![Value::Int(tag), union])];
            Case { statements: vec![Statement::Call { function: FunctionId(0), arguments }] }
        };
        let (case, expected) = (case(member, value), case(expected.0, expected.1));
        assert_eq!(is_tied(&subject, &case), case == expected);
        assert_eq!(tied(&subject, &case), expected);
    }

    #[test]
    fn a_number_becomes_the_member_of_its_tag_with_the_same_bits() {
        let bits = 2.5_f64.to_bits();
        check(1, (0, Value::Int(i128::from(bits))), (1, Value::Double(bits)));
    }

    #[test]
    fn what_is_no_number_becomes_zero() {
        check(2, (0, Value::Int(7)), (2, Value::Null));
        check(1, (2, Value::Null), (1, Value::Double(0)));
    }

    #[test]
    fn members_that_go_with_the_tag_and_tags_that_are_not_known_stay() {
        check(3, (1, Value::Double(5)), (1, Value::Double(5)));
        check(9, (2, Value::Null), (2, Value::Null));
    }
}

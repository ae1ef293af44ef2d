//! Tagged unions: structs in which a field, the tag, tells which member of a union beside it is meant.
//!
//! ```text
//! struct value { enum kind kind; union { long number; double real; } as; };       kind 1 goes with .real
//! {.kind = REAL, .as = {.number = 4613937818241073152}}      tied:      {.kind = REAL, .as = {.real = 3.0}}
//! ```
//!
//! The code shows which member goes with which tag, so nothing is known of tags that it does not ask for.
//!
//! Nothing is forbidden, since what the code shows need not be all: a case with a tag and another member is offered once more with
//! the right one.

use crate::case::{Case, Statement, Value};
use crate::ids::TypeId;
use crate::site::sign_extend;
use crate::subject::Subject;
use crate::types::{Field, Shape, Types};
use crate::zero::zero;
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

/// The case with unions that have the members which go with their tags. Numbers keep their bytes.
#[must_use]
pub fn tied(subject: &Subject, case: &Case) -> Case {
    let types = &subject.types;
    let mut tied = case.clone();
    each_value(subject, &mut tied, &mut |ty, value| {
        let Value::Record(fields) = value else { return };
        for tagged in types.tagged(ty) {
            let Some((_, members, own)) = tagged.choice(fields) else { continue };
            let (false, Some(member)) = (members.contains(&own), members.first()) else { continue };
            let type_of = |member| member_type(types, ty, tagged.union, member);
            let (Some(from), Some(to)) = (type_of(own), type_of(*member)) else { continue };
            let Value::Member(_, held) = &fields[tagged.union] else { continue };
            let value = with_bytes_of(types, (from, held), to);
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

/// The value of a type that has the same bytes as another value, as far as both are numbers; pointers are null.
fn with_bytes_of(types: &Types, (from, held): (TypeId, &Value), ty: TypeId) -> Value {
    let mut bytes = vec![0; types.get(from).size.max(types.get(ty).size) as usize];
    match write(types, from, held, &mut bytes) {
        Some(()) => read(types, ty, &bytes),
        None => zero(types, ty),
    }
}

/// Writes the bytes of a value; none if not all of them are those of numbers.
fn write(types: &Types, ty: TypeId, value: &Value, bytes: &mut [u8]) -> Option<()> {
    let mut put = |number: u128| {
        let size = types.get(ty).size as usize;
        bytes.get_mut(..size)?.copy_from_slice(number.to_le_bytes().get(..size)?);
        Some(())
    };
    match (value, &types.get(ty).shape) {
        (Value::Int(number), _) => put(*number as u128),
        (Value::Single(bits), _) => put(u128::from(*bits)),
        (Value::Double(bits), _) => put(u128::from(*bits)),
        (Value::Null, _) => put(0),
        (Value::Array(values), Shape::Array { element, .. }) => {
            let size = types.get(*element).size as usize;
            let mut parts = values.iter().enumerate();
            parts.try_for_each(|(index, value)| write(types, *element, value, bytes.get_mut(index * size..)?))
        }
        (Value::Record(values), Shape::Record { fields, .. }) => {
            let mut parts = fields.iter().zip(values);
            parts.try_for_each(|(field, value)| {
                let part = bytes.get_mut(field.offset_bits as usize / 8..)?;
                if field.bit_width.is_some() { None } else { write(types, field.ty, value, part) }
            })
        }
        _ => None,
    }
}

/// The value that lies in these bytes, zero where it is no number.
fn read(types: &Types, ty: TypeId, bytes: &[u8]) -> Value {
    let bits = bytes.iter().take(16).rev().fold(0, |bits, byte| bits << 8 | u128::from(*byte));
    match &types.get(ty).shape {
        Shape::Float { bits: 32 } => Value::Single(bits as u32),
        Shape::Float { bits: 64 } => Value::Double(bits as u64),
        Shape::Int { bits: width, signed, .. } | Shape::Enum { bits: width, signed, .. } => {
            let cut = bits & (u128::MAX >> (128 - width));
            Value::Int(if *signed { sign_extend(cut, *width) } else { cut as i128 })
        }
        Shape::Array { element, count } => {
            let size = types.get(*element).size as usize;
            let part = |index: usize| read(types, *element, bytes.get(index * size..).unwrap_or_default());
            Value::Array((0..count.unwrap_or(0) as usize).map(part).collect())
        }
        Shape::Record { union: false, complete: true, fields } => {
            let part = |field: &Field| match field.bit_width {
                Some(_) => zero(types, field.ty),
                None => {
                    let start = field.offset_bits as usize / 8;
                    read(types, field.ty, bytes.get(start..).unwrap_or_default())
                }
            };
            Value::Record(fields.iter().map(part).collect())
        }
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
        let char = sample::int(types, "char", 8, true);
        let name = sample::array(types, char, 3);
        let members = [
            Member::new("number", long),
            Member::new("real", double),
            Member::new("at", pointer),
            Member::new("name", name),
        ];
        let union = sample::record(types, Some("union as"), true, &members);
        let fields = [Member::new("kind", long), Member::new("as", union)];
        let record = sample::record(types, Some("struct value"), false, &fields);
        types.set_tagged(
            record,
            vec![Tagged {
                tag: 0,
                union: 1,
                members: vec![(1, vec![1]), (2, vec![2]), (3, vec![0, 1]), (4, vec![3])],
            }],
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
    fn arrays_are_made_of_the_same_bytes_and_become_numbers_again() {
        let name = |bytes: [i128; 3]| Value::Array(bytes.map(Value::Int).to_vec());
        check(4, (0, Value::Int(0x80_0041)), (3, name([0x41, 0, -128])));
        check(3, (3, name([1, -1, 2])), (0, Value::Int(0x2_ff01)));
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

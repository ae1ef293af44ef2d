//! Random types and cases that fit them, from a list of choices, so that a shorter list makes a simpler case.

use super::{
    Member, array, boolean, empty_subject, enumeration, float, incomplete, int, pointer, record, taking, void,
};
use crate::case::{Case, Statement, Value};
use crate::ids::{FunctionId, GlobalId, TypeId};
use crate::layout::{EXTENDED_BYTES, integer};
use crate::site::sign_extend;
use crate::subject::{Global, Subject};
use crate::types::{Field, Shape, Types};

/// A subject with one function and some globals, and a case that calls it, in the form that JSON cases are read in.
/// Choices that are missing count as 0.
#[must_use]
pub fn subject_and_case(choices: &[u16]) -> (Subject, Case) {
    let mut subject = empty_subject();
    let mut maker = Maker::new(choices, std::mem::take(&mut subject.types));
    let params: Vec<TypeId> = (0..maker.below(4)).map(|_| maker.param(3)).collect();
    let globals: Vec<TypeId> = (0..maker.below(3)).map(|_| maker.ty(3)).collect();
    let arguments = params.iter().map(|ty| maker.value(*ty)).collect();
    let values: Vec<Value> = globals.iter().map(|ty| maker.value(*ty)).collect();
    let Maker { types, mut statements, .. } = maker;

    for (index, (ty, value)) in globals.iter().zip(values).enumerate() {
        let size = types.get(*ty).size;
        subject.globals.push(Global { name: format!("g{index}"), ty: Some(*ty), size, place: None });
        statements.push(Statement::Set { global: GlobalId::of(index), value });
    }
    statements.push(Statement::Call { function: FunctionId(0), arguments });
    let names: Vec<String> = (0..params.len()).map(|index| format!("a{index}")).collect();
    let params: Vec<(&str, TypeId)> = names.iter().map(String::as_str).zip(params).collect();
    subject.functions = vec![taking("f", &params, TypeId(0))];
    subject.types = types;
    (subject, Case { statements })
}

struct Maker<'a> {
    choices: std::slice::Iter<'a, u16>,
    types: Types,
    statements: Vec<Statement>,
    names: u32,
}

const BYTE: TypeId = TypeId(1);

impl Maker<'_> {
    fn new(choices: &[u16], mut types: Types) -> Maker<'_> {
        let ids = (void(&mut types), int(&mut types, "unsigned char", 8, false));
        debug_assert_eq!(ids, (TypeId(0), BYTE));
        Maker { choices: choices.iter(), types, statements: Vec::new(), names: 0 }
    }

    fn below(&mut self, limit: u64) -> u64 {
        u64::from(self.choices.next().copied().unwrap_or(0)) % limit
    }

    fn bits(&mut self) -> u128 {
        (0..8).fold(0, |bits, _| bits << 16 | u128::from(self.choices.next().copied().unwrap_or(0)))
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// A type that a parameter can have.
    fn param(&mut self, depth: u64) -> TypeId {
        let ty = self.ty(depth);
        if matches!(self.types.get(ty).shape, Shape::Array { .. }) {
            pointer(&mut self.types, ty)
        } else {
            ty
        }
    }

    fn ty(&mut self, depth: u64) -> TypeId {
        let choice = self.below(if depth == 0 { 6 } else { 11 });
        let types = &mut self.types;
        match choice {
            0 => int(types, "int", 32, true),
            1 => boolean(types),
            2 => float(types, 32),
            3 => float(types, 64),
            4 => enumeration(types, "enum colour", &[("RED", 0), ("GREEN", 5), ("BLUE", 7)]),
            5 => {
                let bits = [8, 16, 32, 64, 128][self.below(5) as usize];
                let signed = self.below(2) == 1;
                int(&mut self.types, if signed { "signed" } else { "unsigned" }, bits, signed)
            }
            6 | 7 => self.pointer_type(depth - 1),
            8 => {
                let element = self.ty(depth - 1);
                let count = self.below(4);
                array(&mut self.types, element, count)
            }
            choice => self.record_type(depth - 1, choice == 10),
        }
    }

    fn pointer_type(&mut self, depth: u64) -> TypeId {
        let target = match self.below(6) {
            0 => TypeId(0),
            1 => int(&mut self.types, "char", 8, true),
            2 => incomplete(&mut self.types, "struct hidden"),
            _ => self.ty(depth),
        };
        pointer(&mut self.types, target)
    }

    fn record_type(&mut self, depth: u64, union: bool) -> TypeId {
        let mut members = Vec::new();
        for _ in 0..=self.below(4) {
            let name = self.name("m");
            members.push(match self.below(6) {
                0 => {
                    let signed = self.below(2) == 1;
                    let unit = int(&mut self.types, "int", 32, signed);
                    Member::bits(&name, unit, 1 + self.below(31) as u32)
                }
                1 if depth > 0 => {
                    let kind = self.below(2) == 1;
                    Member::anonymous(self.record_type(depth - 1, kind))
                }
                2 if !union => Member::new(&name, float(&mut self.types, 80)),
                _ => Member::new(&name, self.ty(depth)),
            });
        }
        let name = self.name(if union { "union u" } else { "struct s" });
        record(&mut self.types, Some(&name), union, &members)
    }

    fn value(&mut self, ty: TypeId) -> Value {
        if let Some((bits, signed)) = integer(&self.types, ty) {
            return self.int_value(bits, signed);
        }
        let definition = self.types.get(ty).clone();
        match definition.shape {
            Shape::Float { bits: 32 } => Value::Single(self.bits() as u32),
            Shape::Float { bits: 64 } => Value::Double(self.bits() as u64),
            Shape::Float { .. } => Value::Bytes(vec![0; EXTENDED_BYTES as usize]),
            Shape::Pointer(target) => self.pointer_value(target),
            Shape::Array { element, count } => {
                Value::Array((0..count.unwrap_or(0)).map(|_| self.value(element)).collect())
            }
            Shape::Record { union: false, fields, .. } => {
                Value::Record(fields.iter().map(|field| self.field_value(field)).collect())
            }
            Shape::Record { fields, .. } => {
                let member = self.below(fields.len() as u64) as usize;
                Value::Member(member, Box::new(self.field_value(&fields[member])))
            }
            shape => unreachable!("random types have no {shape:?}"),
        }
    }

    fn int_value(&mut self, bits: u32, signed: bool) -> Value {
        let limit = 1u128 << (bits - 1);
        let pattern = match self.below(6) {
            0 => 0,
            1 => u128::MAX,
            2 => limit,
            3 => limit - 1,
            4 => u128::from(b'a'),
            _ => self.bits(),
        };
        let mask = u128::MAX >> (128 - bits);
        let value = if signed { sign_extend(pattern & mask, bits) } else { (pattern & mask) as i128 };
        Value::Int(value)
    }

    fn field_value(&mut self, field: &Field) -> Value {
        match (field.bit_width, integer(&self.types, field.ty)) {
            (Some(width), Some((_, signed))) => self.int_value(width, signed),
            _ => self.value(field.ty),
        }
    }

    fn pointer_value(&mut self, target: TypeId) -> Value {
        let count = self.below(4);
        let shape = &self.types.get(target).shape;
        if count == 0 || matches!(shape, Shape::Record { complete: false, .. } | Shape::Function { .. }) {
            return Value::Null;
        }
        let element = if *shape == Shape::Void { BYTE } else { target };
        let values = (1..count).map(|_| self.value(element)).collect();
        self.statements.push(Statement::Object { element, values });
        Value::Pointer { object: self.statements.len() - 1, offset: 0 }
    }
}

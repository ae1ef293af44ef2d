//! Variations of a case: the same shape, other values.
//!
//! Values that lie at the edges of a type come up often. Pointers, and the arguments beside them, which may be
//! lengths, stay as they are; what they point to changes, but for the end of a string.

use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::TypeId;
use testwright_base::subject::Subject;
use testwright_base::types::{Shape, Types};

/// A small generator of random numbers (splitmix64).
pub struct Random(u64);

impl Random {
    /// One that always starts alike for this text.
    pub fn for_text(text: &str) -> Random {
        Random(text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        }))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below this bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }
}

/// Another case of the same shape.
pub fn vary(subject: &Subject, case: &Case, random: &mut Random) -> Case {
    let types = &subject.types;
    let mut case = case.clone();
    for statement in &mut case.statements {
        match statement {
            Statement::Object { element, values } => {
                let text = matches!(types.get(*element).shape, Shape::Int { character: true, .. });
                let kept = usize::from(text && values.last() == Some(&Value::Int(0)));
                let count = values.len() - kept;
                for value in &mut values[..count] {
                    change(types, *element, value, random);
                }
            }
            Statement::Set { global, value } => {
                let ty = subject.globals[global.index()].ty.expect("a global of known type");
                change(types, ty, value, random);
            }
            Statement::Call { function, arguments } => {
                let signature = subject.function(*function).signature.as_ref().expect("a signature");
                let pointer = |value: &Value| matches!(value, Value::Null | Value::Pointer { .. });
                if arguments.iter().any(pointer) {
                    continue;
                }
                for (param, value) in signature.params.iter().zip(arguments) {
                    change(types, param.ty, value, random);
                }
            }
        }
    }
    case
}

fn change(types: &Types, ty: TypeId, value: &mut Value, random: &mut Random) {
    match (&types.get(ty).shape, value) {
        (Shape::Bool, Value::Int(value)) => *value = i128::from(random.below(2)),
        (Shape::Int { character: true, .. }, Value::Int(value)) if random.below(3) > 0 => {
            *value = i128::from(random.pick(b"0123456789 -+.,:;%/aAbBfFxXeEzZ\t\n_~\x01\x7f"));
        }
        (Shape::Int { bits, signed, .. }, Value::Int(value)) => *value = integer(*bits, *signed, random),
        (Shape::Enum { constants, .. }, Value::Int(value)) if !constants.is_empty() => {
            *value = constants[random.below(constants.len() as u64) as usize].1;
        }
        (_, Value::Single(bits)) => *bits = single(random),
        (_, Value::Double(bits)) => *bits = double(random),
        (Shape::Array { element, .. }, Value::Array(values)) => {
            for value in values {
                change(types, *element, value, random);
            }
        }
        (Shape::Record { fields, .. }, Value::Record(values)) => {
            for (field, value) in fields.iter().zip(values) {
                match (&types.get(field.ty).shape, field.bit_width, value) {
                    (Shape::Int { signed, .. }, Some(bits), Value::Int(value)) => {
                        *value = integer(bits, *signed, random);
                    }
                    (_, None, value) => change(types, field.ty, value, random),
                    _ => {}
                }
            }
        }
        (Shape::Record { fields, .. }, Value::Member(index, value)) => {
            change(types, fields[*index].ty, value, random);
        }
        _ => {}
    }
}

/// An integer of this type.
fn integer(bits: u32, signed: bool, random: &mut Random) -> i128 {
    let raw: u128 = match random.below(6) {
        0 => u128::from(random.below(3)).wrapping_sub(1),
        1 => (1u128 << (bits - 1)).wrapping_sub(u128::from(random.below(3))).wrapping_add(1),
        2 => 1u128 << random.below(u64::from(bits)),
        3 => u128::from(random.below(40)).wrapping_sub(20),
        4 => u128::from(random.below(1000)),
        _ => u128::from(random.next()) << 64 | u128::from(random.next()),
    };
    let unused = 128 - bits;
    if signed { (raw << unused) as i128 >> unused } else { (raw << unused >> unused) as i128 }
}

fn double(random: &mut Random) -> u64 {
    const EDGES: [f64; 16] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -2.5,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
        1e10,
        2_147_483_647.5,
        -9.3e18,
        0.1,
    ];
    match random.below(4) {
        0 => random.pick(&EDGES).to_bits(),
        1 => ((random.below(4001) as f64 - 2000.0) / 8.0).to_bits(),
        2 => (random.below(200) as f64 - 100.0).to_bits(),
        _ => random.next(),
    }
}

fn single(random: &mut Random) -> u32 {
    match random.below(3) {
        0 => random.next() as u32,
        _ => (f64::from_bits(double(random)) as f32).to_bits(),
    }
}

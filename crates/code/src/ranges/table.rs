//! Tables: what a load from a constant array can read.

use super::float::FloatRange;
use super::int::IntRange;
use super::range::Range;
use testwright_llvm::{Kind, Module, Opcode, Value};

/// Larger tables are not looked into.
const MOST_BYTES: u64 = 1 << 16;

/// The values that a load can read, in the order of the index that decides which one.
#[derive(Debug)]
pub struct Table {
    entries: Vec<Range>,
    /// The index of the first entry.
    first: i128,
    whole: Range,
}

impl Table {
    /// What is read if the index lies in a range. Outside the table there is nothing to read.
    pub fn at(&self, index: Range) -> Range {
        let Range::Int(index) = index else { return self.whole };
        let (low, high) = index.signed();
        let last = self.entries.len() as i128 - 1;
        let (low, high) = ((low - self.first).max(0), (high - self.first).min(last));
        if low > high || (low, high) == (0, last) {
            return self.whole;
        }
        let entries = self.entries[low as usize..=high as usize].iter().copied();
        entries.reduce(Range::join).unwrap_or(self.whole)
    }
}

/// The table that a load reads from and the index into it; none if it reads something else.
pub fn loaded<'c>(module: &Module<'c>, load: Value<'c>) -> Option<(Table, Value<'c>)> {
    let full = Range::full(load.ty());
    if full == Range::Any || load.is_volatile() {
        return None;
    }
    let place = Place::of(module, load.operand(0))?;
    let (index, stride) = place.index.filter(|(_, stride)| *stride > 0)?;
    let bytes = place.bytes(module)?;
    let (stride, width) = (i128::from(stride), i128::from(module.store_size(load.ty())));
    let first = (-place.offset).div_euclid(stride) + i128::from((-place.offset).rem_euclid(stride) != 0);
    let mut entries = Vec::new();
    let mut at = place.offset + first * stride;
    while at + width <= bytes.len() as i128 {
        entries.push(value(&bytes[at as usize..(at + width) as usize], full)?);
        at += stride;
    }
    let whole = entries.iter().copied().reduce(Range::join)?;
    Some((Table { entries, first, whole }, index))
}

/// A place in a constant: at an offset, plus an index times a stride if there is one.
struct Place<'c> {
    table: Value<'c>,
    offset: i128,
    index: Option<(Value<'c>, u64)>,
}

impl<'c> Place<'c> {
    fn of(module: &Module<'c>, address: Value<'c>) -> Option<Place<'c>> {
        if address.is_global_variable() {
            let is_table = address.is_global_constant() && address.is_internal();
            return is_table.then_some(Place { table: address, offset: 0, index: None });
        }
        if address.opcode() != Some(Opcode::LLVMGetElementPtr) {
            return None;
        }
        let mut place = Place::of(module, address.operand(0))?;
        let mut ty = address.gep_source();
        for (number, index) in address.operands().into_iter().enumerate().skip(1) {
            // The first index steps over whole values of the type.
            if number > 1 && ty.kind() == Kind::Struct {
                let part = u32::try_from(index.constant_int()?).ok()?;
                place.offset += i128::from(module.offset_of(ty, part));
                ty = *ty.parts().get(part as usize)?;
                continue;
            }
            if number > 1 {
                ty = matches!(ty.kind(), Kind::Array).then(|| ty.element())?;
            }
            place.step(module.alloc_size(ty), index)?;
        }
        Some(place)
    }

    /// Moves on by an index, known or not, times a size; none if there are two that are not known.
    fn step(&mut self, size: u64, index: Value<'c>) -> Option<()> {
        match index.constant_int() {
            Some(bits) => {
                let index = testwright_base::site::sign_extend(bits, index.ty().int_width());
                self.offset += index * i128::from(size);
            }
            None if self.index.is_some() => return None,
            None => self.index = Some((index, size)),
        }
        Some(())
    }

    /// The bytes of the table, as far as they are known.
    fn bytes(&self, module: &Module<'c>) -> Option<Vec<Option<u8>>> {
        let initial = self.table.initializer()?;
        let size = module.alloc_size(initial.ty());
        if size > MOST_BYTES {
            return None;
        }
        let mut bytes = vec![None; usize::try_from(size).ok()?];
        fill(module, &mut bytes, 0, initial)?;
        Some(bytes)
    }
}

/// Writes a constant into bytes; none if it is not made of numbers.
fn fill<'c>(module: &Module<'c>, bytes: &mut [Option<u8>], at: usize, constant: Value<'c>) -> Option<()> {
    let ty = constant.ty();
    let bits = match ty.kind() {
        Kind::Int => constant.constant_int()?,
        Kind::Double => u128::from(constant.constant_float()?.to_bits()),
        Kind::Float => u128::from((constant.constant_float()? as f32).to_bits()),
        Kind::Struct => {
            for part in 0..ty.parts().len() as u32 {
                let offset = module.offset_of(ty, part) as usize;
                fill(module, bytes, at + offset, constant.element_of_constant(part)?)?;
            }
            return Some(());
        }
        Kind::Array => {
            let size = module.alloc_size(ty.element()) as usize;
            for part in 0..ty.parts().len() as u32 {
                fill(module, bytes, at + size * part as usize, constant.element_of_constant(part)?)?;
            }
            return Some(());
        }
        _ => return None,
    };
    let size = module.store_size(ty) as usize;
    for (index, byte) in bits.to_le_bytes().into_iter().take(size).enumerate() {
        *bytes.get_mut(at + index)? = Some(byte);
    }
    Some(())
}

/// The value of some bytes; anything if they are not all known.
fn value(bytes: &[Option<u8>], full: Range) -> Option<Range> {
    let known: Option<Vec<u8>> = bytes.iter().copied().collect();
    let Some(known) = known else { return Some(full) };
    let bits = known.iter().rev().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
    match (full, known.len()) {
        (Range::Int(range), 1..=8) => Some(Range::Int(IntRange::constant(range.width(), bits))),
        (Range::Float(_, precision), 8) => {
            Some(Range::Float(FloatRange::constant(f64::from_bits(bits)), precision))
        }
        (Range::Float(_, precision), 4) => {
            let number = f64::from(f32::from_bits(bits as u32));
            Some(Range::Float(FloatRange::constant(number), precision))
        }
        _ => None,
    }
}

//! A case with some of its scalars changed, and its buffers as long as their lengths say.

use super::{Image, ImageLeaf, Part, alignment, decode, grow, moved};
use std::collections::BTreeMap;
use testwright_abi::memory::PAGE;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::layout::ArgumentBlock;
use testwright_base::pairs::{Pair, pairs};
use testwright_base::subject::Subject;
use testwright_base::types::{Shape, Types};
use testwright_base::zero::zero;

/// A pointer that leads to no object of the case: it gets one of its own.
const NOWHERE: u128 = 1;

/// No buffer is made longer than this, in elements.
pub const LONGEST: usize = 4096;

impl Image {
    /// The case with the scalars of these numbers (positions among the leaves) changed. Where a parameter is the
    /// length of a buffer, the buffer follows it; new elements take their bits from `fill` in turn, or are zero. Text
    /// whose end is overwritten gets a new end behind it.
    ///
    /// `case` must be the one that was laid out.
    #[must_use]
    pub fn changed(
        &self,
        subject: &Subject,
        case: &Case,
        model: &BTreeMap<u32, u128>,
        fill: &[u128],
    ) -> Case {
        self.changed_among(subject, case, &self.leaves(subject, case), model, fill)
    }

    /// As [`Image::changed`], where the leaves are known.
    pub(super) fn changed_among(
        &self,
        subject: &Subject,
        case: &Case,
        leaves: &[ImageLeaf],
        model: &BTreeMap<u32, u128>,
        fill: &[u128],
    ) -> Case {
        let mut image = self.clone();
        let moved = self.moved(subject, case, leaves, model);
        for (number, value) in model {
            if let Some(leaf) = leaves.get(*number as usize) {
                let inside = moved.iter().find(|moved| moved.leaf == *number);
                let elsewhere = || if self.is_meant(subject, case, leaf, *value) { *value } else { NOWHERE };
                image.patch(leaf, inside.map_or_else(elsewhere, |moved| moved.address.into()));
            }
        }
        image.reach = moved.iter().map(|moved| (moved.object, moved.beyond)).collect();
        let mut changed = image.read_case(subject, case);
        moved::fit(subject, &moved, &mut changed, fill);
        grow::settle(subject, &mut changed);
        resize_buffers(subject, case, &mut changed, fill);
        for leaf in leaves.iter().enumerate().filter(|(number, _)| model.contains_key(&(*number as u32))) {
            if leaf.1.terminator {
                self.terminate(leaf.1.leaf.address, &mut changed);
            }
        }
        alignment::keep(subject, case, &mut changed);
        changed
    }

    /// Puts a NUL behind the text that ended at this address, if it does not end there any more.
    fn terminate(&self, address: u64, case: &mut Case) {
        let holds = |span: &testwright_abi::command::Span| {
            (span.address..span.address + span.length).contains(&address)
        };
        let part = self.spans.iter().position(holds).map(|index| self.parts[index]);
        if let Some(Part::Object(statement)) = part
            && !moved::has_end(case, statement)
            && let Some(Statement::Object { values, .. }) = case.statements.get_mut(statement)
            && values.last().is_some_and(|last| *last != Value::Int(0))
            && values.len() < LONGEST
        {
            values.push(Value::Int(0));
        }
    }

    /// The value of a leaf as it was laid out, zero-extended.
    #[must_use]
    pub fn leaf_value(&self, leaf: &ImageLeaf) -> u128 {
        let (address, length) = (leaf.leaf.address, leaf.leaf.bytes as usize);
        let bytes = if leaf.leaf.global == u32::MAX {
            let write = self.write_at(address).map(|index| &self.writes[index]);
            write.and_then(|(start, bytes)| bytes.get((address - start) as usize..)?.get(..length))
        } else {
            let set = self.globals.iter().find(|(global, _)| global.0 == leaf.leaf.global);
            set.map(|(_, bytes)| &bytes[address as usize..][..length])
        };
        let mut value = [0; 16];
        value[..length].copy_from_slice(bytes.unwrap_or(&[0; 16][..length]));
        u128::from_le_bytes(value)
    }

    /// What a pointer among the leaves leads to.
    #[must_use]
    pub fn pointer_of(&self, leaf: &ImageLeaf) -> Value {
        self.pointer(self.leaf_value(leaf) as u64)
    }

    /// The number of the write that this address lies in, if it lies in one.
    fn write_at(&self, address: u64) -> Option<usize> {
        self.writes.partition_point(|(start, _)| *start <= address).checked_sub(1)
    }

    pub(crate) fn patch(&mut self, leaf: &ImageLeaf, value: u128) {
        let bytes = &value.to_le_bytes()[..leaf.leaf.bytes as usize];
        let address = leaf.leaf.address;
        let target = if leaf.leaf.global == u32::MAX {
            let write = self.write_at(address).map(|index| &mut self.writes[index]);
            write.map(|(start, bytes)| (bytes, (address - *start) as usize))
        } else {
            let set = self.globals.iter_mut().find(|(global, _)| global.0 == leaf.leaf.global);
            set.map(|(_, bytes)| (bytes, address as usize))
        };
        if let Some((target, offset)) = target {
            target[offset..offset + bytes.len()].copy_from_slice(bytes);
        }
    }

    /// The case that the bytes of the image mean now, with buffers as long as their lengths say.
    pub(super) fn case(&self, subject: &Subject, before: &Case) -> Case {
        let mut case = self.read_case(subject, before);
        resize_buffers(subject, before, &mut case, &[]);
        case
    }

    /// The case that the bytes of the image mean now; its shape is that of `before`.
    fn read_case(&self, subject: &Subject, before: &Case) -> Case {
        let types = &subject.types;
        let mut case = before.clone();
        let mut globals = self.globals.iter();
        for (index, statement) in case.statements.iter_mut().enumerate() {
            match statement {
                Statement::Object { element, values } => {
                    let Some(part) = self.part(Part::Object(index)) else { continue };
                    let size = types.get(*element).size as usize;
                    for (value, bytes) in values.iter_mut().zip(self.contents(part).chunks_exact(size.max(1)))
                    {
                        *value = decode(self, types, *element, bytes, Some(&*value));
                    }
                }
                Statement::Set { global, value } => {
                    let ty = subject.globals[global.index()].ty;
                    if let (Some((_, bytes)), Some(ty)) = (globals.next(), ty) {
                        let given = match &*value {
                            Value::Array(values) => values.len(),
                            _ => usize::MAX,
                        };
                        *value = decode(self, types, ty, bytes, Some(&*value));
                        if let Value::Array(values) = value {
                            values.truncate(given);
                        }
                    }
                }
                Statement::Call { function, arguments } => {
                    let Some(signature) = &subject.function(*function).signature else { continue };
                    let block = ArgumentBlock::new(types, signature);
                    let part = self.arguments_of(index);
                    for ((param, offset), value) in signature.params.iter().zip(&block.offsets).zip(arguments)
                    {
                        let bytes = &self.contents(part)[*offset as usize..];
                        *value = decode(self, types, param.ty, bytes, Some(&*value));
                    }
                }
            }
        }
        case
    }

    /// The bytes of a part.
    pub(super) fn contents(&self, part: usize) -> &[u8] {
        let (span, (start, bytes)) = (self.spans[part], &self.writes[part]);
        debug_assert!(span.length == 0 || start.is_multiple_of(PAGE));
        if span.length == 0 { &[] } else { &bytes[(span.address - start) as usize..][..span.length as usize] }
    }
}

/// Makes every buffer as long as the parameter that is its length says. One that was longer `before` than that stays so.
fn resize_buffers(subject: &Subject, before: &Case, case: &mut Case, fill: &[u128]) {
    let Some((function, arguments)) = case.call() else { return };
    let mut wanted: Vec<(usize, usize, bool)> = Vec::new();
    for pair in pairs(subject, function) {
        if let (Value::Pointer { object, offset: 0 }, Value::Int(length)) =
            (&arguments[pair.pointer], &arguments[pair.length])
        {
            let length = usize::try_from(*length).unwrap_or(0).min(LONGEST);
            wanted.push((*object, length, pair.shared || is_longer(before, pair, *object)));
        }
    }
    let mut fill = fill.iter().copied();
    for (object, length, longer) in wanted {
        if let Some(Statement::Object { element, values }) = case.statements.get_mut(object) {
            while values.len() < length {
                let value = new_element(&subject.types, *element, values.last(), fill.next());
                values.push(value);
            }
            if !longer {
                values.truncate(length);
            }
        }
    }
}

/// Whether an object is longer than the parameter says that is taken for its length: it means something else then.
pub(super) fn is_longer(case: &Case, pair: Pair, object: usize) -> bool {
    let Some((_, arguments)) = case.call() else { return false };
    match (&arguments[pair.pointer], &arguments[pair.length], case.statements.get(object)) {
        (
            Value::Pointer { object: own, offset: 0 },
            Value::Int(length),
            Some(Statement::Object { values, .. }),
        ) => *own == object && values.len() as i128 > *length,
        _ => false,
    }
}

/// A new element: given bits for a scalar, else zero, else a copy of the one before.
pub(super) fn new_element(
    types: &Types,
    element: testwright_base::ids::TypeId,
    before: Option<&Value>,
    bits: Option<u128>,
) -> Value {
    let bits = bits.unwrap_or(0);
    match &types.get(element).shape {
        Shape::Int { bits: width, signed: true, .. } | Shape::Enum { bits: width, signed: true, .. } => {
            Value::Int(testwright_base::site::sign_extend(bits, *width))
        }
        Shape::Int { bits: width, .. } | Shape::Enum { bits: width, .. } => {
            Value::Int((bits & (u128::MAX >> (128 - width))) as i128)
        }
        Shape::Bool => Value::Int((bits & 1) as i128),
        Shape::Float { bits: 32 } => Value::Single(bits as u32),
        Shape::Float { bits: 64 } => Value::Double(bits as u64),
        Shape::Pointer(_) => Value::Null,
        _ => before.cloned().unwrap_or_else(|| zero(types, element)),
    }
}

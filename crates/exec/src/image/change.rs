//! A case with some of its scalars changed, and its buffers as long as their lengths say.

use super::{Image, ImageLeaf, Part, decode};
use std::collections::BTreeMap;
use testwright_abi::memory::PAGE;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::layout::ArgumentBlock;
use testwright_base::pairs::pairs;
use testwright_base::subject::Subject;
use testwright_base::types::{Shape, Types};

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
        let leaves = self.leaves(subject, case);
        let mut image = self.clone();
        for (number, value) in model {
            if let Some(leaf) = leaves.get(*number as usize) {
                image.patch(leaf, *value);
            }
        }
        let mut changed = image.read_case(subject, case);
        resize_buffers(subject, &mut changed, fill);
        for leaf in leaves.iter().enumerate().filter(|(number, _)| model.contains_key(&(*number as u32))) {
            if leaf.1.terminator {
                self.terminate(leaf.1.leaf.address, &mut changed);
            }
        }
        changed
    }

    /// Puts a NUL behind the text that ended at this address, if it does not end there any more.
    fn terminate(&self, address: u64, case: &mut Case) {
        let holds = |span: &testwright_abi::command::Span| {
            (span.address..span.address + span.length).contains(&address)
        };
        let part = self.spans.iter().position(holds).map(|index| self.parts[index]);
        if let Some(Part::Object(statement)) = part
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
            let holds =
                |(start, bytes): &&(u64, Vec<u8>)| (*start..*start + bytes.len() as u64).contains(&address);
            self.writes
                .iter()
                .find(holds)
                .map(|(start, bytes)| &bytes[(address - start) as usize..][..length])
        } else {
            let set = self.globals.iter().find(|(global, _)| global.0 == leaf.leaf.global);
            set.map(|(_, bytes)| &bytes[address as usize..][..length])
        };
        let mut value = [0; 16];
        value[..length].copy_from_slice(bytes.unwrap_or(&[0; 16][..length]));
        u128::from_le_bytes(value)
    }

    fn patch(&mut self, leaf: &ImageLeaf, value: u128) {
        let bytes = &value.to_le_bytes()[..leaf.leaf.bytes as usize];
        let address = leaf.leaf.address;
        let target = if leaf.leaf.global == u32::MAX {
            let holds = |(start, bytes): &&mut (u64, Vec<u8>)| {
                (*start..*start + bytes.len() as u64).contains(&address)
            };
            self.writes.iter_mut().find(holds).map(|(start, bytes)| (bytes, (address - *start) as usize))
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
        resize_buffers(subject, &mut case, &[]);
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
                    let Some(part) = self.parts.iter().position(|part| *part == Part::Object(index)) else {
                        continue;
                    };
                    let size = types.get(*element).size as usize;
                    for (value, bytes) in values.iter_mut().zip(self.contents(part).chunks_exact(size.max(1)))
                    {
                        *value = decode(self, types, *element, bytes, Some(&*value));
                    }
                }
                Statement::Set { global, value } => {
                    let ty = subject.globals[global.index()].ty;
                    if let (Some((_, bytes)), Some(ty)) = (globals.next(), ty) {
                        *value = decode(self, types, ty, bytes, Some(&*value));
                    }
                }
                Statement::Call { function, arguments } => {
                    let Some(signature) = &subject.function(*function).signature else { continue };
                    let block = ArgumentBlock::new(types, signature);
                    for ((param, offset), value) in signature.params.iter().zip(&block.offsets).zip(arguments)
                    {
                        let bytes = &self.contents(0)[*offset as usize..];
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

/// Makes every buffer as long as the parameter that is its length says.
fn resize_buffers(subject: &Subject, case: &mut Case, fill: &[u128]) {
    let Some((function, arguments)) = case.call() else { return };
    let Some(signature) = &subject.function(function).signature else { return };
    let mut wanted: Vec<(usize, usize)> = Vec::new();
    for pair in pairs(&subject.types, signature) {
        if let (Value::Pointer { object, offset: 0 }, Value::Int(length)) =
            (&arguments[pair.pointer], &arguments[pair.length])
        {
            wanted.push((*object, usize::try_from(*length).unwrap_or(0).min(LONGEST)));
        }
    }
    let mut fill = fill.iter().copied();
    for (object, length) in wanted {
        if let Some(Statement::Object { element, values }) = case.statements.get_mut(object) {
            while values.len() < length {
                let value = new_element(&subject.types, *element, values.last(), fill.next());
                values.push(value);
            }
            values.truncate(length);
        }
    }
}

/// A new element: given bits for a scalar, else zero, else a copy of the one before.
fn new_element(
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
        _ => before.cloned().unwrap_or_else(|| Value::Bytes(vec![0; types.get(element).size as usize])),
    }
}

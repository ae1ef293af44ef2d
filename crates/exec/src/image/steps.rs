//! The calls of a case: their argument blocks, and what happens before the call under test.

use super::bytes::encode;
use super::{Image, ImageError, Part, list};
use testwright_abi::command::Step;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::{FunctionId, TypeId};
use testwright_base::layout::ArgumentBlock;
use testwright_base::subject::{Signature, Subject};
use testwright_base::types::{Shape, Types};

/// A call, and how its arguments lie.
pub(super) struct Call<'a> {
    function: FunctionId,
    pub(super) signature: &'a Signature,
    pub(super) block: ArgumentBlock,
    arguments: &'a [Value],
    /// The statement that makes its list, if it has one.
    pub(super) list: Option<usize>,
}

impl<'a> Call<'a> {
    pub(super) fn new(
        subject: &'a Subject,
        function: FunctionId,
        arguments: &'a [Value],
    ) -> Result<Call<'a>, ImageError> {
        let definition = subject.function(function);
        let name = || definition.name.clone();
        let signature = definition.signature.as_ref().ok_or_else(|| ImageError::NoSignature(name()))?;
        let (expected, given) = (signature.params.len(), arguments.len());
        if expected != given {
            return Err(ImageError::ArgumentCount { function: name(), expected, given });
        }
        let types = &subject.types;
        let block = ArgumentBlock::new(types, signature);
        let list = list::list(types, signature, arguments);
        Ok(Call { function, signature, block, arguments, list })
    }

    /// The arguments: type, offset in the block and value.
    fn each(&self) -> impl Iterator<Item = (TypeId, u64, &'a Value)> {
        let params = self.signature.params.iter().zip(&self.block.offsets).zip(self.arguments);
        params.map(|((param, offset), value)| (param.ty, *offset, value))
    }

    /// Writes the argument block.
    pub(super) fn write(&self, image: &Image, types: &Types, out: &mut [u8]) -> Result<(), ImageError> {
        self.each()
            .try_for_each(|(ty, offset, value)| encode(image, types, ty, value, &mut out[offset as usize..]))
    }
}

/// What happens before the call under test: after each call, what it returned goes to where it is used.
pub(super) fn steps(
    image: &Image,
    types: &Types,
    case: &Case,
    last: &Call<'_>,
    before: &[(usize, Call<'_>)],
) -> Result<Vec<Step>, ImageError> {
    if before.is_empty() {
        return Ok(Vec::new());
    }
    let mut uses = Uses { types, found: Vec::new() };
    let all = before.iter().map(|(index, call)| (image.arguments_of(*index), call));
    for (part, call) in all.chain([(0, last)]) {
        let start = image.spans[part].address;
        call.each().for_each(|(ty, offset, value)| uses.collect(ty, value, start + offset));
    }
    for (index, statement) in case.statements.iter().enumerate() {
        match (statement, image.object(index)) {
            (Statement::Object { element, values }, Some(span)) => {
                let size = types.get(*element).size;
                for (place, value) in (span.address..).step_by(size.max(1) as usize).zip(values) {
                    uses.collect(*element, value, place);
                }
            }
            _ => continue,
        }
    }
    let mut steps = Vec::new();
    for (index, call) in before {
        let result = image.part(Part::ResultBefore(*index)).map_or(0, |part| image.spans[part].address);
        let source = image.spans[image.arguments_of(*index)].address;
        steps.push(Step { source, target: result, entry: call.function.0, bytes: 0 });
        let own = uses.found.iter().filter(|(used, ..)| used == index);
        steps.extend(own.map(|(_, target, bytes)| Step {
            source: result,
            target: *target,
            entry: 0,
            bytes: *bytes,
        }));
    }
    Ok(steps)
}

/// Places where what a call returned is used.
struct Uses<'a> {
    types: &'a Types,
    /// The statement that is the call, the address and the number of bytes.
    found: Vec<(usize, u64, u32)>,
}

impl Uses<'_> {
    fn collect(&mut self, ty: TypeId, value: &Value, address: u64) {
        let definition = self.types.get(ty);
        match (value, &definition.shape) {
            (Value::Returned { call }, _) => self.found.push((*call, address, definition.size as u32)),
            (Value::Array(values), Shape::Array { element, .. }) => {
                let size = self.types.get(*element).size;
                for (index, value) in values.iter().enumerate() {
                    self.collect(*element, value, address + index as u64 * size);
                }
            }
            (Value::Record(values), Shape::Record { fields, .. }) => {
                for (field, value) in fields.iter().zip(values) {
                    self.collect(field.ty, value, address + field.offset_bits / 8);
                }
            }
            (Value::Member(member, value), Shape::Record { fields, .. }) => {
                if let Some(field) = fields.get(*member) {
                    self.collect(field.ty, value, address + field.offset_bits / 8);
                }
            }
            _ => {}
        }
    }
}

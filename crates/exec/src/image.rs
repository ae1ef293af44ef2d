//! The image of a case: the memory it needs, at the addresses where a worker will see it.
//!
//! The input area holds the argument block, the place for the result, and one object per object statement:
//!
//! ```text
//!  guard | ....arguments | guard | .......result | guard | ..................object | guard | ...
//!        ^ page                                          ^ page           page ^
//! ```
//!
//! Each has pages of its own and ends as near to the end of the last one as its alignment allows. A page that
//! nobody may touch follows, so that one element too far is a fault at once. An object without elements has no
//! page at all. What lies before the start of an object is not seen that way; [`Image::lay_out_at_starts`] puts objects
//! at the other end of their pages.
//!
//! The start of an object moves when its length changes, so nothing that outlives a run compares plain addresses: the execution tree
//! compares what is added to the start of an object (`pin_key` in `crates/search/src/tree/node.rs`).

mod alignment;
mod bytes;
mod change;
mod grow;
mod leaves;
mod list;
mod members;
mod moved;
mod variables;

pub use alignment::{aligned_otherwise, alignment};
pub use change::LONGEST;
pub use grow::{Lack, Lacking};
pub use leaves::{ImageLeaf, Root};
pub use members::{may_be_misread, members, other_members};
pub use variables::{Domains, Start};

use bytes::{decode, encode, encode_answers};
use testwright_abi::command::Span;
use testwright_abi::memory::{INPUT_BASE, INPUT_SIZE, PAGE};
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::{GlobalId, TypeId};
use testwright_base::layout::ArgumentBlock;
use testwright_base::subject::{Signature, Subject};
use testwright_base::types::Types;

/// The memory of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Where everything lies, in the order of `parts`, which is that of addresses.
    pub spans: Vec<Span>,
    /// What lies there.
    pub parts: Vec<Part>,
    /// What is to be copied into the input area, in the order of `parts`: address in the worker, and bytes. Whole
    /// pages, so that nothing of an earlier case can be seen.
    pub writes: Vec<(u64, Vec<u8>)>,
    /// Address of the argument block.
    pub arguments: u64,
    /// Address of the place for the result; 0 if there is none.
    pub result: u64,
    /// Globals that are set, and their bytes.
    pub globals: Vec<(GlobalId, Vec<u8>)>,
    /// How many bytes behind an object pointers still mean that object, because it is about to grow: statement and bytes.
    reach: Vec<(usize, u64)>,
}

/// What lies in the input area, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The argument block.
    Arguments,
    /// The place for the result.
    Result,
    /// The object that the statement with this index makes.
    Object(usize),
}

/// Why a case has no image.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// It calls nothing.
    #[error("the case calls no function")]
    NoCall,
    /// The function has no debug information.
    #[error("the parameters of `{0}` are not known; compile it with -g")]
    NoSignature(String),
    /// It was made for another signature.
    #[error("`{function}` takes {expected} arguments, the case has {given}")]
    ArgumentCount {
        /// The function.
        function: String,
        /// How many it takes.
        expected: usize,
        /// How many there are.
        given: usize,
    },
    /// A value is not of its type.
    #[error("the case has a value that is no `{0}`")]
    Mismatch(String),
    /// A pointer refers to a statement that makes no object.
    #[error("the case has a pointer to statement {0}, which makes no object")]
    NoObject(usize),
    /// A global has no debug information.
    #[error("the type of the global `{0}` is not known; compile it with -g")]
    Global(String),
    /// It is too large.
    #[error("the case needs {needed} bytes of memory, guard pages included; there are {available}")]
    TooLarge {
        /// Bytes it needs.
        needed: u64,
        /// Bytes there are.
        available: u64,
    },
}

impl Image {
    /// Lays out the memory of `case`.
    ///
    /// # Errors
    /// If the case does not fit the subject, or does not fit into the input area.
    pub fn lay_out(subject: &Subject, case: &Case) -> Result<Image, ImageError> {
        Image::lay_out_side(subject, case, Side::End)
    }

    /// As [`Image::lay_out`], with each object at the start of its pages: one element too early is a fault.
    ///
    /// # Errors
    /// As [`Image::lay_out`].
    pub fn lay_out_at_starts(subject: &Subject, case: &Case) -> Result<Image, ImageError> {
        Image::lay_out_side(subject, case, Side::Start)
    }

    fn lay_out_side(subject: &Subject, case: &Case, side: Side) -> Result<Image, ImageError> {
        let (function, arguments) = case.call().ok_or(ImageError::NoCall)?;
        let function = subject.function(function);
        let signature =
            function.signature.as_ref().ok_or_else(|| ImageError::NoSignature(function.name.clone()))?;
        if signature.params.len() != arguments.len() {
            let (function, expected, given) =
                (function.name.clone(), signature.params.len(), arguments.len());
            return Err(ImageError::ArgumentCount { function, expected, given });
        }
        let types = &subject.types;
        let block = ArgumentBlock::new(types, signature);
        let list = list::list(types, signature, arguments);
        let mut image = Image::place(types, case, signature, &block, (side, list))?;
        image.write_parts(types, case, signature, &block, arguments)?;
        image.write_globals(subject, case)?;
        Ok(image)
    }

    /// Decides where everything lies; nothing is written yet.
    fn place(
        types: &Types,
        case: &Case,
        signature: &Signature,
        block: &ArgumentBlock,
        (side, list): (Side, Option<usize>),
    ) -> Result<Image, ImageError> {
        let mut area = Area { next: INPUT_BASE + PAGE };
        let arguments = area.take(block.size, block.align, Side::End);
        let (mut spans, mut parts) = (vec![arguments], vec![Part::Arguments]);
        let result = types.get(signature.result);
        if result.size > 0 {
            // The driver may store a small struct register by register, so there is room for whole ones.
            let align = result.align.max(16);
            spans.push(area.take(result.size.next_multiple_of(align), align, Side::End));
            parts.push(Part::Result);
        }
        for (index, statement) in case.statements.iter().enumerate() {
            if let Statement::Object { element, values } = statement {
                let ty = types.get(*element);
                // What the arguments of a list are lies before it.
                let side = if list == Some(index) { Side::End } else { side };
                spans.push(area.take(ty.size.saturating_mul(values.len() as u64), ty.align, side));
                parts.push(Part::Object(index));
            }
        }
        let needed = area.next - INPUT_BASE;
        if needed > INPUT_SIZE {
            return Err(ImageError::TooLarge { needed, available: INPUT_SIZE });
        }
        let result = if result.size > 0 { spans[1].address } else { 0 };
        Ok(Image {
            spans,
            parts,
            writes: Vec::new(),
            arguments: arguments.address,
            result,
            globals: Vec::new(),
            reach: Vec::new(),
        })
    }

    fn write_parts(
        &mut self,
        types: &Types,
        case: &Case,
        signature: &Signature,
        block: &ArgumentBlock,
        arguments: &[Value],
    ) -> Result<(), ImageError> {
        let list = list::list(types, signature, arguments);
        for index in 0..self.spans.len() {
            let Span { address, length } = self.spans[index];
            if length == 0 {
                self.writes.push((address, Vec::new()));
                continue;
            }
            let start = address / PAGE * PAGE;
            let mut pages = vec![0; ((address + length).next_multiple_of(PAGE) - start) as usize];
            match self.parts[index] {
                Part::Arguments => {
                    let contents = &mut pages[(address - start) as usize..][..length as usize];
                    for ((param, offset), value) in signature.params.iter().zip(&block.offsets).zip(arguments)
                    {
                        encode(self, types, param.ty, value, &mut contents[*offset as usize..])?;
                    }
                }
                Part::Result => {}
                Part::Object(statement) => {
                    let Statement::Object { element, values } = &case.statements[statement] else {
                        return Err(ImageError::NoObject(statement));
                    };
                    let size = types.get(*element).size as usize;
                    if list == Some(statement) {
                        list::write_letters(types, *element, values, &mut pages)?;
                    }
                    let contents = &mut pages[(address - start) as usize..][..length as usize];
                    for (element_index, value) in values.iter().enumerate() {
                        encode(self, types, *element, value, &mut contents[element_index * size..])?;
                    }
                }
            }
            self.writes.push((start, pages));
        }
        Ok(())
    }

    fn write_globals(&mut self, subject: &Subject, case: &Case) -> Result<(), ImageError> {
        for statement in &case.statements {
            let Statement::Set { global: id, value } = statement else { continue };
            let global = &subject.globals[id.index()];
            let ty = global.ty.ok_or_else(|| ImageError::Global(global.name.clone()))?;
            let size = subject.types.get(ty).size;
            if size > INPUT_SIZE {
                return Err(ImageError::TooLarge { needed: size, available: INPUT_SIZE });
            }
            let mut bytes = vec![0; size as usize];
            match subject.answers_of(*id) {
                Some(_) => encode_answers(self, &subject.types, ty, value, &mut bytes)?,
                None => encode(self, &subject.types, ty, value, &mut bytes)?,
            }
            self.globals.push((*id, bytes));
        }
        Ok(())
    }

    /// The span of the object that the statement with this index makes.
    #[must_use]
    pub fn object(&self, statement: usize) -> Option<Span> {
        let index = self.parts.binary_search(&Part::Object(statement)).ok()?;
        Some(self.spans[index])
    }

    /// The part that this address lies in, and how far behind its start.
    #[must_use]
    pub fn part_at(&self, address: u64) -> Option<(Part, u64)> {
        let index = self.spans.partition_point(|span| span.address <= address).checked_sub(1)?;
        let span = self.spans[index];
        (address - span.address < span.length).then(|| (self.parts[index], address - span.address))
    }

    /// The value of type `ty` that `bytes` hold. Addresses in objects become pointers into the case. Of a union the largest
    /// member is read.
    ///
    /// # Panics
    /// If there are fewer bytes than the type has.
    #[must_use]
    pub fn read_value(&self, types: &Types, ty: TypeId, bytes: &[u8]) -> Value {
        decode(self, types, ty, bytes, None)
    }

    /// As [`Image::read_value`], but of a union the member that the value had before.
    ///
    /// # Panics
    /// If there are fewer bytes than the type has.
    #[must_use]
    pub fn read_again(&self, types: &Types, ty: TypeId, bytes: &[u8], before: &Value) -> Value {
        decode(self, types, ty, bytes, Some(before))
    }

    /// The pointer value of an address.
    fn pointer(&self, address: u64) -> Value {
        if address == 0 {
            return Value::Null;
        }
        // A pointer just past an object still belongs to it; guard pages keep it from meaning another one.
        let before = self.spans.partition_point(|span| span.address <= address).checked_sub(1);
        if let Some((Part::Object(object), span)) = before.map(|index| (self.parts[index], self.spans[index]))
        {
            let reach = self.reach.iter().find(|(own, _)| *own == object).map_or(0, |(_, bytes)| *bytes);
            if address - span.address <= span.length + reach {
                return Value::Pointer { object, offset: address - span.address };
            }
        }
        Value::Address(address)
    }

    /// Which part a faulting address just missed: its index in `parts`, and the distance in bytes. That is -1 for the
    /// last byte before the part and 0 for the first byte after it. None for an address inside a part, or nowhere near.
    #[must_use]
    pub fn outside(&self, address: u64) -> Option<(usize, i64)> {
        let last = self.spans.last()?;
        let end = (last.address + last.length).next_multiple_of(PAGE) + PAGE;
        if !(INPUT_BASE..end).contains(&address) {
            return None;
        }
        let distance = |span: &Span| {
            let after = span.address + span.length;
            if address < span.address {
                Some(address as i64 - span.address as i64)
            } else {
                (address >= after).then(|| address as i64 - after as i64)
            }
        };
        let distances: Option<Vec<i64>> = self.spans.iter().map(distance).collect();
        // One byte before counts as near as the first one after.
        let nearest = |distance: &i64| if *distance < 0 { -1 - *distance } else { *distance };
        distances?.into_iter().enumerate().min_by_key(|(_, distance)| nearest(distance))
    }
}

/// At which end of its pages an object lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Start,
    End,
}

/// Hands out places in the input area.
struct Area {
    /// Start of the next free page; a page that stays inaccessible lies before it.
    next: u64,
}

impl Area {
    fn take(&mut self, length: u64, align: u64, side: Side) -> Span {
        // An object larger than the area is refused later; its size must not overflow here.
        let length = length.min(1 << 40);
        let start = self.next.next_multiple_of(align.max(PAGE));
        let end = start + length.max(1).next_multiple_of(PAGE);
        self.next = end + PAGE;
        let address = match side {
            Side::Start => start,
            Side::End => (end - length) / align * align,
        };
        Span { address, length }
    }
}

#[cfg(test)]
mod tests;

//! The image of a case: the memory it needs, at the addresses where a worker will see it.
//!
//! The input area holds the argument block, the place for the result, one object per object statement, and the blocks and
//! results of the calls before the one under test:
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
mod steps;
mod variables;
mod vary;

pub use alignment::{aligned_otherwise, alignment};
pub use change::LONGEST;
pub use grow::{Lack, Lacking};
pub use leaves::{ImageLeaf, Root};
pub use members::{may_be_misread, members, other_members};
pub use variables::{Domains, Start};

use bytes::{decode, encode, encode_answers};
use steps::Call;
use testwright_abi::command::{Span, Step};
use testwright_abi::memory::{INPUT_BASE, INPUT_SIZE, PAGE};
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::{GlobalId, TypeId};
use testwright_base::subject::Subject;
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
    /// The calls before the one under test, and where what they return goes.
    pub steps: Vec<Step>,
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
    /// The argument block of the call before the one under test that is the statement with this index.
    ArgumentsBefore(usize),
    /// The place for the result of such a call. A pointer to it stands for what the call will have returned.
    ResultBefore(usize),
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
    /// Something is returned by a call that is not made before.
    #[error("the case uses what statement {0} returns, which is no call before that")]
    NoResult(usize),
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
        let call = Call::new(subject, function, arguments)?;
        let before = case.calls_before();
        let before: Vec<(usize, Call<'_>)> = before
            .map(|(index, function, arguments)| Ok((index, Call::new(subject, function, arguments)?)))
            .collect::<Result<_, ImageError>>()?;
        let types = &subject.types;
        let mut image = Image::place(types, case, &call, &before, side)?;
        image.write_parts(types, case, &call, &before)?;
        image.write_globals(subject, case)?;
        image.steps = steps::steps(&image, types, case, &call, &before)?;
        Ok(image)
    }

    /// Decides where everything lies; nothing is written yet.
    fn place(
        types: &Types,
        case: &Case,
        call: &Call<'_>,
        before: &[(usize, Call<'_>)],
        side: Side,
    ) -> Result<Image, ImageError> {
        let mut area = Area { next: INPUT_BASE + PAGE };
        let arguments = area.take(call.block.size, call.block.align, Side::End);
        let (mut spans, mut parts) = (vec![arguments], vec![Part::Arguments]);
        if let Some(result) = area.take_result(types, call) {
            spans.push(result);
            parts.push(Part::Result);
        }
        for (index, statement) in case.statements.iter().enumerate() {
            if let Statement::Object { element, values } = statement {
                let ty = types.get(*element);
                // What the arguments of a list are lies before it.
                let side = if call.list == Some(index) { Side::End } else { side };
                spans.push(area.take(ty.size.saturating_mul(values.len() as u64), ty.align, side));
                parts.push(Part::Object(index));
            }
        }
        for (index, call) in before {
            spans.push(area.take(call.block.size, call.block.align, Side::End));
            parts.push(Part::ArgumentsBefore(*index));
        }
        for (index, call) in before {
            if let Some(result) = area.take_result(types, call) {
                spans.push(result);
                parts.push(Part::ResultBefore(*index));
            }
        }
        let needed = area.next - INPUT_BASE;
        if needed > INPUT_SIZE {
            return Err(ImageError::TooLarge { needed, available: INPUT_SIZE });
        }
        let result = if parts.get(1) == Some(&Part::Result) { spans[1].address } else { 0 };
        Ok(Image {
            spans,
            parts,
            writes: Vec::new(),
            arguments: arguments.address,
            result,
            globals: Vec::new(),
            steps: Vec::new(),
            reach: Vec::new(),
        })
    }

    fn write_parts(
        &mut self,
        types: &Types,
        case: &Case,
        call: &Call<'_>,
        before: &[(usize, Call<'_>)],
    ) -> Result<(), ImageError> {
        for index in 0..self.spans.len() {
            let Span { address, length } = self.spans[index];
            if length == 0 {
                self.writes.push((address, Vec::new()));
                continue;
            }
            let start = address / PAGE * PAGE;
            let mut pages = vec![0; ((address + length).next_multiple_of(PAGE) - start) as usize];
            let offset = (address - start) as usize;
            match self.parts[index] {
                Part::Arguments => call.write(self, types, &mut pages[offset..])?,
                Part::ArgumentsBefore(statement) => {
                    if let Some((_, call)) = before.iter().find(|(index, _)| *index == statement) {
                        call.write(self, types, &mut pages[offset..])?;
                    }
                }
                Part::Result | Part::ResultBefore(_) => {}
                Part::Object(statement) => {
                    let Statement::Object { element, values } = &case.statements[statement] else {
                        return Err(ImageError::NoObject(statement));
                    };
                    let size = types.get(*element).size as usize;
                    if call.list == Some(statement) {
                        list::write_letters(types, *element, values, &mut pages)?;
                    }
                    let contents = &mut pages[offset..][..length as usize];
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
        self.part(Part::Object(statement)).map(|index| self.spans[index])
    }

    /// The number of a part.
    fn part(&self, part: Part) -> Option<usize> {
        self.parts.binary_search(&part).ok()
    }

    /// The number of the part that holds the arguments of the call that is this statement.
    fn arguments_of(&self, statement: usize) -> usize {
        self.part(Part::ArgumentsBefore(statement)).unwrap_or(0)
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
        match before.map(|index| (self.parts[index], self.spans[index])) {
            Some((Part::Object(object), span)) => {
                let reach = self.reach.iter().find(|(own, _)| *own == object).map_or(0, |(_, bytes)| *bytes);
                if address - span.address <= span.length + reach {
                    return Value::Pointer { object, offset: address - span.address };
                }
            }
            Some((Part::ResultBefore(call), span)) if address == span.address => {
                return Value::Returned { call };
            }
            _ => {}
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

    /// A place for what a call returns; none if it returns nothing.
    fn take_result(&mut self, types: &Types, call: &Call<'_>) -> Option<Span> {
        let result = types.get(call.signature.result);
        // The driver may store a small struct register by register, so there is room for whole ones.
        let align = result.align.max(16);
        (result.size > 0).then(|| self.take(result.size.next_multiple_of(align), align, Side::End))
    }
}

#[cfg(test)]
mod tests;

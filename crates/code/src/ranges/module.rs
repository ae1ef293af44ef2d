//! Code as the analysis of ranges sees it: numbered values with their definitions, blocks, functions.

use super::libm::Bounded;
use super::range::Range;
use super::table::Table;
use testwright_llvm::{Block, IntPredicate, Opcode, RealPredicate, Value};

/// A value: a constant, a parameter or an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueId(pub u32);

impl ValueId {
    /// Its place in lists of values.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A reading of integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Two's complement.
    Signed,
    /// Binary.
    Unsigned,
}

/// Which of two is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The smaller.
    Least,
    /// The larger.
    Most,
}

/// An operation on integers that may overflow.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    /// How its operands are read.
    pub sign: Sign,
    /// What is done.
    pub opcode: Opcode,
    /// The first operand.
    pub a: ValueId,
    /// The second operand.
    pub b: ValueId,
}

/// How a value comes about.
#[derive(Debug)]
pub enum Definition {
    /// A constant, or something of which no more will ever be known.
    Fixed,
    /// A parameter, joined from the calls.
    Parameter,
    /// A binary operation on integers.
    Integers(Opcode, ValueId, ValueId),
    /// What an operation on integers comes to that also tells whether it overflows, by the value of that flag.
    Checked(Check, Option<ValueId>),
    /// Whether an operation on integers overflows.
    Overflow(Check),
    /// The smaller or larger of two integers.
    Extreme(Sign, End, ValueId, ValueId),
    /// The distance of an integer from zero.
    Absolute(ValueId),
    /// A binary operation on floats.
    Floats(Opcode, ValueId, ValueId),
    /// A negative float.
    Negative(ValueId),
    /// A product and a sum of floats.
    MultiplyAdd(ValueId, ValueId, ValueId),
    /// A function of libm.
    Libm(&'static Bounded, Vec<ValueId>),
    /// A cast.
    Cast(Opcode, ValueId),
    /// The same value.
    Copy(ValueId),
    /// A comparison of integers.
    CompareIntegers(IntPredicate, ValueId, ValueId),
    /// A comparison of floats.
    CompareFloats(RealPredicate, ValueId, ValueId),
    /// One of two, by a truth value.
    Select(ValueId, ValueId, ValueId),
    /// The value of the edge that control came over.
    Phi(Vec<(usize, ValueId)>),
    /// An entry of a constant table, by its index.
    Entry(Table, ValueId),
    /// A call of a function of the module.
    Call(usize, Vec<ValueId>),
}

impl Definition {
    /// Whether it is computed from nothing that stays as it is: a phi names values that may be computed anew.
    pub fn stands_for_itself(&self) -> bool {
        use Definition::*;
        matches!(self, Fixed | Parameter | Phi(_) | Call(..))
    }

    /// Whether a pure operation has such an operand.
    pub fn has_operand(&self, is_such: impl Fn(ValueId) -> bool) -> bool {
        use Definition::*;
        match self {
            Fixed | Parameter | Phi(_) | Call(..) => false,
            Integers(_, a, b) | Extreme(_, _, a, b) | Floats(_, a, b) => is_such(*a) || is_such(*b),
            CompareIntegers(_, a, b) | CompareFloats(_, a, b) => is_such(*a) || is_such(*b),
            Checked(check, _) | Overflow(check) => is_such(check.a) || is_such(check.b),
            Absolute(a) | Negative(a) | Cast(_, a) | Copy(a) | Entry(_, a) => is_such(*a),
            MultiplyAdd(a, b, c) | Select(a, b, c) => is_such(*a) || is_such(*b) || is_such(*c),
            Libm(_, arguments) => arguments.iter().any(|argument| is_such(*argument)),
        }
    }
}

/// How a block ends.
#[derive(Debug, Clone)]
pub enum Ending {
    /// It goes on at any of these blocks.
    Jump(Vec<usize>),
    /// It goes on by a truth value.
    Branch(ValueId, usize, usize),
    /// It goes on by a number: default first.
    Switch(ValueId, usize, Vec<(u64, usize)>),
    /// It returns.
    Return(Option<ValueId>),
}

impl Ending {
    /// Every block that it may go on at.
    pub fn targets(&self, mut visit: impl FnMut(usize)) {
        match self {
            Ending::Jump(targets) => targets.iter().for_each(|to| visit(*to)),
            Ending::Branch(_, yes, no) => [yes, no].into_iter().for_each(|to| visit(*to)),
            Ending::Switch(_, default, cases) => {
                visit(*default);
                cases.iter().for_each(|(_, to)| visit(*to));
            }
            Ending::Return(_) => {}
        }
    }
}

/// A block.
#[derive(Debug)]
pub struct Body<'c> {
    /// The block of the module.
    pub block: Block<'c>,
    /// The function it belongs to.
    pub function: usize,
    /// The values that it defines, in order, calls without a result included.
    pub defines: Vec<ValueId>,
    /// Where it leads to.
    pub ending: Ending,
}

/// A function that the module defines.
#[derive(Debug)]
pub struct Function {
    /// Its parameters.
    pub params: Vec<ValueId>,
    /// Its first block.
    pub entry: usize,
    /// Whether others may call it, with any arguments.
    pub is_exposed: bool,
}

/// The code of a module.
#[derive(Debug, Default)]
pub struct NumberedModule<'c> {
    /// How values come about.
    pub definitions: Vec<Definition>,
    /// What their types allow, and what constants are.
    pub types: Vec<Range>,
    /// Blocks of all functions, each before those it leads to as far as possible.
    pub bodies: Vec<Body<'c>>,
    /// Functions.
    pub functions: Vec<Function>,
    /// The numbers of values.
    pub numbers: std::collections::HashMap<Value<'c>, ValueId>,
}

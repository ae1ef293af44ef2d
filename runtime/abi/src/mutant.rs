//! Mutants: small changes of the code that a good suite notices.
//!
//! The mutant build holds all of them. At each *point*, where an operation computes a value, instrumented code hands the value
//! to `mutate` and goes on with what comes back: the value itself, or what the selected mutant computes instead. The mutants
//! of a point are numbered in the order of [`Operation::changes`], those of all points one after the other.
//!
//! With [`LOOK`] selected nothing changes, but every mutant whose value would have been another one leaves a mark: a run that
//! leaves none cannot tell the mutant from the original.

use crate::memory::{TARGET_SEARCH_OFFSET, TARGET_SEARCH_SIZE};

/// Offset in the segment of the numbers of the mutants that a command is about, each a `u32`.
pub const LIST_OFFSET: u64 = TARGET_SEARCH_OFFSET;
/// How many mutants one command may be about.
pub const MAX_LISTED: u64 = 1 << 20;
/// Offset in the segment of what came of them: a byte each, one of [`result`].
pub const RESULTS_OFFSET: u64 = LIST_OFFSET + 4 * MAX_LISTED;

const _: () = assert!(RESULTS_OFFSET + MAX_LISTED <= TARGET_SEARCH_OFFSET + TARGET_SEARCH_SIZE);

/// What a case can show of a mutant.
pub mod result {
    /// The mutant computes the same as the original wherever the case comes to.
    pub const SAME: u8 = 0;
    /// It computes something else, and nothing that can be observed differs.
    pub const UNSEEN: u8 = 1;
    /// Something that can be observed differs.
    pub const KILLED: u8 = 2;
    /// Two runs of the original differ, so the case tells nothing.
    pub const UNSTABLE: u8 = 3;
}

/// Selects no mutant.
pub const ORIGINAL: u32 = 0;
/// Selects no mutant, but marks those that would have changed a value.
pub const LOOK: u32 = u32::MAX;

/// What selects a mutant.
#[must_use]
pub const fn selecting(mutant: u32) -> u32 {
    mutant + 1
}

macro_rules! operations {
    ($($(#[doc = $doc:literal])* $name:ident $symbol:literal: $($change:expr),*;)*) => {
        /// What computes the value of a point.
        #[repr(u8)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Operation { $($(#[doc = $doc])* $name,)* }

        impl Operation {
            /// All of them, by number.
            pub const ALL: &'static [Operation] = &[$(Operation::$name,)*];

            /// As C writes it; empty if it has no sign of its own.
            #[must_use]
            pub const fn symbol(self) -> &'static str {
                match self { $(Operation::$name => $symbol,)* }
            }

            /// What its mutants compute instead.
            #[must_use]
            pub const fn changes(self) -> &'static [Change] {
                use Change::*;
                match self { $(Operation::$name => &[$($change),*],)* }
            }
        }
    };
}

/// What a mutant computes instead of the value of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Another operation on the same operands.
    Becomes(Operation),
    /// The first operand.
    First,
    /// The second operand.
    Second,
    /// One more.
    More,
    /// One less.
    Less,
    /// Zero.
    Zero,
    /// The number with the other sign.
    Negative,
    /// True.
    Always,
    /// False.
    Never,
    /// What the first operand says: what was there before, if something is left out.
    LeftOut,
}

operations! {
    /// `a + b`
    Add "+": Becomes(Operation::Subtract), Becomes(Operation::Multiply), First, Second, More;
    /// `a - b`
    Subtract "-": Becomes(Operation::Add), Becomes(Operation::Multiply), First, More;
    /// `a * b`
    Multiply "*": Becomes(Operation::Add), Becomes(Operation::Divide), First, Second;
    /// `a / b`, signed.
    Divide "/": Becomes(Operation::Multiply), Becomes(Operation::Remainder), First;
    /// `a / b`, unsigned.
    DivideUnsigned "/": Becomes(Operation::Multiply), Becomes(Operation::RemainderUnsigned), First;
    /// `a % b`, signed.
    Remainder "%": Becomes(Operation::Divide), Becomes(Operation::Multiply), First;
    /// `a % b`, unsigned.
    RemainderUnsigned "%": Becomes(Operation::DivideUnsigned), Becomes(Operation::Multiply), First;
    /// `a & b`
    And "&": Becomes(Operation::Or), Becomes(Operation::Xor), First, Second;
    /// `a | b`
    Or "|": Becomes(Operation::And), Becomes(Operation::Xor), First, Second;
    /// `a ^ b`
    Xor "^": Becomes(Operation::And), Becomes(Operation::Or), First;
    /// `a << b`
    ShiftLeft "<<": Becomes(Operation::ShiftRight), First;
    /// `a >> b`, unsigned.
    ShiftRight ">>": Becomes(Operation::ShiftLeft), First;
    /// `a >> b`, signed.
    ShiftRightSigned ">>": Becomes(Operation::ShiftLeft), First;
    /// `a + b`, of floats.
    FloatAdd "+": Becomes(Operation::FloatSubtract), Becomes(Operation::FloatMultiply), First, Second;
    /// `a - b`, of floats.
    FloatSubtract "-": Becomes(Operation::FloatAdd), Becomes(Operation::FloatMultiply), First;
    /// `a * b`, of floats.
    FloatMultiply "*": Becomes(Operation::FloatAdd), Becomes(Operation::FloatDivide), First, Second;
    /// `a / b`, of floats.
    FloatDivide "/": Becomes(Operation::FloatMultiply), Becomes(Operation::FloatAdd), First;
    /// `a == b`
    Equal "==": Becomes(Operation::LessEqual), Becomes(Operation::GreaterEqual), Never;
    /// `a != b`
    NotEqual "!=": Becomes(Operation::Less), Becomes(Operation::Greater), Always;
    /// `a < b`, signed.
    Less "<": Becomes(Operation::LessEqual), Becomes(Operation::NotEqual), Never;
    /// `a <= b`, signed.
    LessEqual "<=": Becomes(Operation::Less), Becomes(Operation::Equal), Always;
    /// `a > b`, signed.
    Greater ">": Becomes(Operation::GreaterEqual), Becomes(Operation::NotEqual), Never;
    /// `a >= b`, signed.
    GreaterEqual ">=": Becomes(Operation::Greater), Becomes(Operation::Equal), Always;
    /// `a < b`, unsigned.
    LessUnsigned "<": Becomes(Operation::LessEqualUnsigned), Becomes(Operation::NotEqual), Never;
    /// `a <= b`, unsigned.
    LessEqualUnsigned "<=": Becomes(Operation::LessUnsigned), Becomes(Operation::Equal), Always;
    /// `a > b`, unsigned.
    GreaterUnsigned ">": Becomes(Operation::GreaterEqualUnsigned), Becomes(Operation::NotEqual), Never;
    /// `a >= b`, unsigned.
    GreaterEqualUnsigned ">=": Becomes(Operation::GreaterUnsigned), Becomes(Operation::Equal), Always;
    /// `a == b`, of pointers or truth values.
    Same "==": Always, Never;
    /// `a != b`, of pointers or truth values.
    Different "!=": Always, Never;
    /// `a == b`, of floats.
    FloatEqual "==": Becomes(Operation::FloatLessEqual), Becomes(Operation::FloatGreaterEqual), Never;
    /// `a != b`, of floats.
    FloatNotEqual "!=": Becomes(Operation::FloatLess), Becomes(Operation::FloatGreater), Always;
    /// `a < b`, of floats.
    FloatLess "<": Becomes(Operation::FloatLessEqual), Becomes(Operation::FloatNotEqual), Never;
    /// `a <= b`, of floats.
    FloatLessEqual "<=": Becomes(Operation::FloatLess), Becomes(Operation::FloatEqual), Always;
    /// `a > b`, of floats.
    FloatGreater ">": Becomes(Operation::FloatGreaterEqual), Becomes(Operation::FloatNotEqual), Never;
    /// `a >= b`, of floats.
    FloatGreaterEqual ">=": Becomes(Operation::FloatGreater), Becomes(Operation::FloatEqual), Always;
    /// A constant that is not zero or one.
    Constant "": More, Less, Zero;
    /// The constants zero and one.
    Bit "": More, Less;
    /// A constant float.
    FloatConstant "": Zero, Negative, More;
    /// A number that is returned, stored or passed on as it is.
    Value "": Zero, Negative, More;
    /// A float that is returned, stored or passed on as it is.
    FloatValue "": Zero, Negative, More;
    /// A pointer that is returned, stored or passed on as it is.
    Address "": Zero;
    /// What is stored; the first operand is what was there before.
    Store "=": LeftOut;
    /// Whether a call is made; the first operand is false.
    Call "": LeftOut;
    /// The value of a switch, seen by a case of it; the second operand is the value of the case, the first a value without a case.
    Case "": LeftOut;
}

impl Operation {
    /// The operation of this number.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Operation> {
        Operation::ALL.get(number as usize).copied()
    }

    /// The usual name of its kind of mutants: relational, arithmetic, logical or unary operator, constant, statement.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        use Operation::*;
        match self {
            Add | Subtract | Multiply | Divide | DivideUnsigned | Remainder | RemainderUnsigned
            | FloatAdd | FloatSubtract | FloatMultiply | FloatDivide => "AOR",
            And | Or | Xor | ShiftLeft | ShiftRight | ShiftRightSigned => "LOR",
            Constant | Bit | FloatConstant => "CRO",
            Value | FloatValue | Address => "UOI",
            Store | Call | Case => "SDL",
            _ => "ROR",
        }
    }

    /// Whether it works on floats.
    #[must_use]
    pub const fn is_float(self) -> bool {
        use Operation::*;
        matches!(
            self,
            FloatAdd
                | FloatSubtract
                | FloatMultiply
                | FloatDivide
                | FloatEqual
                | FloatNotEqual
                | FloatLess
                | FloatLessEqual
                | FloatGreater
                | FloatGreaterEqual
                | FloatConstant
                | FloatValue
        )
    }
}

/// A point, as instrumented code names it: the operation and the width of its operands in bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// The operation.
    pub operation: Operation,
    /// The width of the operands, 1 to 64.
    pub width: u8,
}

impl Point {
    /// As a number.
    #[must_use]
    pub const fn to_number(self) -> u32 {
        (self.operation as u32) << 8 | self.width as u32
    }

    /// From a number that [`Point::to_number`] made.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Point> {
        let operation = Operation::from_number(u8::try_from(number >> 8).ok()?)?;
        let width = (number & 0xff) as u8;
        (1..=64).contains(&width).then_some(Point { operation, width })
    }

    /// What a mutant computes of the operands instead of `value`. Where the original would not have computed anything, as in a
    /// division by zero, it is zero.
    #[must_use]
    pub fn changed(self, change: Change, a: u64, b: u64, value: u64) -> u64 {
        let cut = |number: u64| number & (u64::MAX >> (64 - u32::from(self.width)));
        match change {
            Change::Becomes(operation) => operation.apply(self.width.into(), a, b),
            Change::First => a,
            Change::Second => b,
            Change::More if self.operation.is_float() => self.float(value, |number| number + 1.0),
            Change::Negative if self.operation.is_float() => self.float(value, |number| -number),
            Change::More => cut(value.wrapping_add(1)),
            Change::Less => cut(value.wrapping_sub(1)),
            Change::Negative => cut(value.wrapping_neg()),
            Change::Zero | Change::Never => 0,
            Change::Always => 1,
            Change::LeftOut if self.operation == Operation::Case => {
                if value == b {
                    a
                } else {
                    value
                }
            }
            Change::LeftOut => a,
        }
    }

    fn float(self, bits: u64, act: impl Fn(f64) -> f64) -> u64 {
        from_float(self.width.into(), act(to_float(self.width.into(), bits)))
    }
}

impl Operation {
    /// The operation on two operands of a width.
    fn apply(self, width: u32, a: u64, b: u64) -> u64 {
        use Operation::*;
        let signed = |number: u64| (number << (64 - width)) as i64 >> (64 - width);
        let (x, y) = (signed(a), signed(b));
        let (f, g) = (to_float(width, a), to_float(width, b));
        let shift = |act: fn(u64, u32) -> u64| if b < u64::from(width) { act(a, b as u32) } else { 0 };
        let result = match self {
            Add => a.wrapping_add(b),
            Subtract => a.wrapping_sub(b),
            Multiply => a.wrapping_mul(b),
            Divide => x.checked_div(y).unwrap_or(0) as u64,
            Remainder => x.checked_rem(y).unwrap_or(0) as u64,
            DivideUnsigned => a.checked_div(b).unwrap_or(0),
            RemainderUnsigned => a.checked_rem(b).unwrap_or(0),
            And => a & b,
            Or => a | b,
            Xor => a ^ b,
            ShiftLeft => shift(|a, b| a << b),
            ShiftRight => shift(|a, b| a >> b),
            ShiftRightSigned => (x >> b.min(63)) as u64,
            FloatAdd => return from_float(width, f + g),
            FloatSubtract => return from_float(width, f - g),
            FloatMultiply => return from_float(width, f * g),
            FloatDivide => return from_float(width, f / g),
            Equal | Same => u64::from(a == b),
            NotEqual | Different => u64::from(a != b),
            Less => u64::from(x < y),
            LessEqual => u64::from(x <= y),
            Greater => u64::from(x > y),
            GreaterEqual => u64::from(x >= y),
            LessUnsigned => u64::from(a < b),
            LessEqualUnsigned => u64::from(a <= b),
            GreaterUnsigned => u64::from(a > b),
            GreaterEqualUnsigned => u64::from(a >= b),
            FloatEqual => u64::from(f == g),
            FloatNotEqual => u64::from(f != g),
            FloatLess => u64::from(f < g),
            FloatLessEqual => u64::from(f <= g),
            FloatGreater => u64::from(f > g),
            FloatGreaterEqual => u64::from(f >= g),
            Constant | Bit | FloatConstant | Value | FloatValue | Address | Store | Call | Case => a,
        };
        result & (u64::MAX >> (64 - width))
    }
}

fn to_float(width: u32, bits: u64) -> f64 {
    if width == 32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) }
}

/// What is computed in double precision and rounded once is what single precision computes, for these operations.
fn from_float(width: u32, number: f64) -> u64 {
    if width == 32 { u64::from((number as f32).to_bits()) } else { number.to_bits() }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use std::vec::Vec;

    /// What the mutants of a point compute, as signed numbers.
    fn changed(operation: Operation, width: u8, a: i64, b: i64, value: i64) -> Vec<i64> {
        let point = Point { operation, width };
        let shift = 64 - u32::from(width);
        let cut = |number: i64| (number as u64) << shift >> shift;
        let changes = operation.changes().iter();
        let changed = changes.map(|change| point.changed(*change, cut(a), cut(b), cut(value)));
        changed.map(|number| (number << shift) as i64 >> shift).collect()
    }

    #[test]
    fn numbers_wrap_at_their_width() {
        assert_eq!(changed(Operation::Add, 32, 7, 3, 10), [4, 21, 7, 3, 11]);
        assert_eq!(changed(Operation::Add, 8, 127, 1, -128), [126, 127, 127, 1, -127]);
        assert_eq!(changed(Operation::Subtract, 16, 3, 5, -2), [8, 15, 3, -1]);
        assert_eq!(changed(Operation::Constant, 64, 0, 0, -7), [-6, -8, 0]);
        assert_eq!(changed(Operation::ShiftLeft, 32, -4, 1, -8), [0x7fff_fffe, -4]);
    }

    #[test]
    fn nothing_traps() {
        assert_eq!(changed(Operation::Multiply, 32, 6, 0, 0), [6, 0, 6, 0]);
        assert_eq!(changed(Operation::Multiply, 32, i32::MIN.into(), -1, 0)[1], i32::MIN.into());
        assert_eq!(changed(Operation::Multiply, 64, i64::MIN, -1, 0)[1], 0);
        assert_eq!(changed(Operation::ShiftRight, 32, 6, 40, 0), [0, 6]);
    }

    #[test]
    fn comparisons_differ_where_their_sides_are_equal_or_apart() {
        assert_eq!(changed(Operation::Less, 32, -1, 0, 1), [-1, -1, 0].map(|bit: i64| bit & 1));
        assert_eq!(Operation::LessUnsigned.apply(32, 0xffff_ffff, 0), 0);
        assert_eq!(Operation::FloatLess.apply(64, f64::NAN.to_bits(), 0), 0);
    }

    #[test]
    fn a_case_that_is_left_out_leads_to_a_value_without_a_case() {
        assert_eq!(changed(Operation::Case, 32, 99, 3, 3), [99]);
        assert_eq!(changed(Operation::Case, 32, 99, 3, 4), [4]);
    }

    #[test]
    fn points_travel_as_numbers() {
        for operation in Operation::ALL {
            let point = Point { operation: *operation, width: 17 };
            assert_eq!(Point::from_number(point.to_number()), Some(point));
            assert!(!operation.changes().is_empty());
        }
        assert_eq!(Point::from_number(u32::MAX), None);
        assert_eq!(Point::from_number(65), None);
    }
}

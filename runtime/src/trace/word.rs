//! Words: the machine integers in which values of terms are computed.
//!
//! Rules are written once, for both. A `u64` is fast and holds terms of up to 64 bits, which nearly all are;
//! a `u128` holds terms of every width. Where a rule leads from a narrow term to a wide one (the operand of
//! a slice, of a comparison), it goes on in `u128`.

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

/// An unsigned integer that holds values of terms.
pub(super) trait Word:
    Copy
    + Debug
    + Ord
    + Into<u128>
    + From<bool>
    + From<u32>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// The signed integer of the same size.
    type Signed: Copy + Ord + Shr<u32, Output = Self::Signed>;

    /// The widest term that fits.
    const BITS: u16;
    const ZERO: Self;
    const ONE: Self;

    /// The low end of `value`.
    fn low(value: u128) -> Self;
    /// All ones in `width` bits, at least one.
    fn mask(width: u16) -> Self;
    /// The value of `width` bits as a signed number.
    fn signed(self, width: u16) -> Self::Signed;
    /// The bits of a signed number.
    fn unsigned(signed: Self::Signed) -> Self;
    fn checked_add(self, other: Self) -> Option<Self>;
    fn checked_mul(self, other: Self) -> Option<Self>;
    fn checked_div(self, other: Self) -> Option<Self>;
    fn wrapping_add(self, other: Self) -> Self;
    fn wrapping_sub(self, other: Self) -> Self;
    fn wrapping_mul(self, other: Self) -> Self;
    fn trailing_zeros(self) -> u32;
    fn is_power_of_two(self) -> bool;
    /// The low 32 bits, or the largest such number if there is more.
    fn clamped(self) -> u32;
    /// How many bits the value needs.
    fn bits(self) -> u16;
}

macro_rules! word {
    ($word:ty, $signed:ty) => {
        impl Word for $word {
            type Signed = $signed;

            const BITS: u16 = <$word>::BITS as u16;
            const ZERO: $word = 0;
            const ONE: $word = 1;

            #[inline]
            fn low(value: u128) -> $word {
                value as $word
            }

            #[inline]
            fn mask(width: u16) -> $word {
                debug_assert!(width != 0, "no bits");
                <$word>::MAX >> (<$word>::BITS - u32::from(width))
            }

            #[inline]
            fn signed(self, width: u16) -> $signed {
                let shift = <$word>::BITS - u32::from(width);
                (self << shift) as $signed >> shift
            }

            #[inline]
            fn unsigned(signed: $signed) -> $word {
                signed as $word
            }

            #[inline]
            fn clamped(self) -> u32 {
                self.min(u32::MAX.into()) as u32
            }

            #[inline]
            fn bits(self) -> u16 {
                (<$word>::BITS - self.leading_zeros()) as u16
            }

            word!(forward $word: checked_add(other: Self) -> Option<Self>);
            word!(forward $word: checked_mul(other: Self) -> Option<Self>);
            word!(forward $word: checked_div(other: Self) -> Option<Self>);
            word!(forward $word: wrapping_add(other: Self) -> Self);
            word!(forward $word: wrapping_sub(other: Self) -> Self);
            word!(forward $word: wrapping_mul(other: Self) -> Self);
            word!(forward $word: trailing_zeros() -> u32);
            word!(forward $word: is_power_of_two() -> bool);
        }
    };
    (forward $word:ty: $name:ident($($other:ident: Self)?) -> $result:ty) => {
        #[inline]
        fn $name(self $(, $other: Self)?) -> $result {
            <$word>::$name(self $(, $other)?)
        }
    };
}

word!(u64, i64);
word!(u128, i128);

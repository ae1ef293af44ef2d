//! Rounding of a scaled 64-bit integer to an IEEE format.

/// An IEEE binary format.
pub(super) struct Format {
    /// Bits of the significand, the hidden one included.
    significand_bits: u32,
    /// Exponent of the smallest normal number; the bias is one less than its negation.
    smallest_exponent: i64,
}

/// `double`
pub(super) const DOUBLE: Format = Format { significand_bits: 53, smallest_exponent: -1022 };
/// `float`
pub(super) const SINGLE: Format = Format { significand_bits: 24, smallest_exponent: -126 };

impl Format {
    /// The bits of infinity: all exponent bits set.
    pub(super) fn infinity(&self) -> u64 {
        let ones = (3 - 2 * self.smallest_exponent) as u64;
        ones.wrapping_shl(self.significand_bits - 1)
    }

    /// The bits of a quiet NaN with this payload, as far as it fits.
    pub(super) fn nan(&self, payload: u64) -> u64 {
        let quiet = 1u64.wrapping_shl(self.significand_bits - 2);
        self.infinity() | quiet | payload & (quiet - 1)
    }
}

/// The number `significand * 2^(exponent - 63)`, or a little more if `sticky`.
pub(super) struct Scaled {
    /// The highest bit is set.
    pub(super) significand: u64,
    pub(super) exponent: i64,
    pub(super) sticky: bool,
}

/// Bits of a magnitude, and whether `errno` has to say that it is out of range.
pub(super) struct Rounded {
    pub(super) bits: u64,
    pub(super) out_of_range: bool,
}

impl Rounded {
    pub(super) const ZERO: Rounded = Rounded { bits: 0, out_of_range: false };
    pub(super) const UNDERFLOW: Rounded = Rounded { bits: 0, out_of_range: true };

    pub(super) fn overflow(format: &Format) -> Rounded {
        Rounded { bits: format.infinity(), out_of_range: true }
    }
}

impl Scaled {
    pub(super) fn round(&self, format: &Format) -> Rounded {
        let normal_shift = 64 - format.significand_bits;
        if self.exponent > -format.smallest_exponent + 1 {
            return Rounded::overflow(format);
        }
        if self.exponent >= format.smallest_exponent {
            let (kept, _) = self.shift_right(normal_shift);
            // The hidden bit counts one up in the exponent field, and so does a carry.
            let field = (self.exponent - format.smallest_exponent) as u64;
            let bits = field.wrapping_shl(format.significand_bits - 1).wrapping_add(kept);
            return Rounded { bits, out_of_range: bits >= format.infinity() };
        }
        let below = format.smallest_exponent - self.exponent;
        if below > i64::from(format.significand_bits) {
            return Rounded::UNDERFLOW;
        }
        let (bits, exact) = self.shift_right(normal_shift + below as u32);
        // Whether a number is too small is decided after rounding it as if there were no lower limit.
        let reaches_normal = below == 1 && {
            let (kept, _) = self.shift_right(normal_shift);
            kept.wrapping_shr(format.significand_bits) != 0
        };
        Rounded { bits, out_of_range: !exact && !reaches_normal }
    }

    /// The significand shifted right by 1 to 64 bits and rounded, and whether nothing was lost.
    fn shift_right(&self, shift: u32) -> (u64, bool) {
        let kept = if shift < 64 { self.significand.wrapping_shr(shift) } else { 0 };
        let half = 1u64.wrapping_shl(shift - 1);
        let lost = self.significand & (half | (half - 1));
        if lost == 0 && !self.sticky {
            return (kept, true);
        }
        let more_than_half = lost > half || lost == half && self.sticky;
        let tie = lost == half && !self.sticky;
        let up = more_than_half || tie && kept & 1 == 1;
        (kept.wrapping_add(u64::from(up)), false)
    }
}

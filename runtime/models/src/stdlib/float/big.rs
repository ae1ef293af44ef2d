//! Natural numbers of up to 3072 bits: enough for 801 digits, and for the powers of five below them.
//!
//! The longest number is one of 801 digits (2661 bits), or 5^1127 (2617 bits), shifted to the length of the other
//! and by one bit more.

const LIMBS: usize = 96;

/// A natural number, least significant limb first; limbs from `length` on are zero.
pub(super) struct Big {
    limbs: [u32; LIMBS],
    length: usize,
}

impl Big {
    pub(super) const ZERO: Big = Big { limbs: [0; LIMBS], length: 0 };

    unsafe fn limb(&self, i: usize) -> u32 {
        *self.limbs.as_ptr().add(i)
    }

    unsafe fn set_limb(&mut self, i: usize, limb: u32) {
        *self.limbs.as_mut_ptr().add(i) = limb;
    }

    /// `self * factor + summand`
    pub(super) unsafe fn multiply_add(&mut self, factor: u32, summand: u32) {
        let mut carry = u64::from(summand);
        let mut i = 0;
        while i < self.length {
            let product = u64::from(self.limb(i)) * u64::from(factor) + carry;
            self.set_limb(i, product as u32);
            carry = product >> 32;
            i += 1;
        }
        if carry != 0 {
            self.set_limb(self.length, carry as u32);
            self.length += 1;
        }
    }

    pub(super) unsafe fn multiply_by_power_of_five(&mut self, exponent: i64) {
        const FIVE_TO_13: u32 = 5u32.pow(13);
        let mut left = exponent;
        while left >= 13 {
            self.multiply_add(FIVE_TO_13, 0);
            left -= 13;
        }
        while left > 0 {
            self.multiply_add(5, 0);
            left -= 1;
        }
    }

    /// Number of bits; `self` is not zero.
    unsafe fn bits(&self) -> i64 {
        let highest = self.limb(self.length - 1);
        self.length as i64 * 32 - i64::from(highest.leading_zeros())
    }

    unsafe fn shift_left(&mut self, count: i64) {
        let (limbs, bits) = (count as usize / 32, count as u32 % 32);
        let mut i = self.length + limbs + 1;
        self.length = i;
        while i > limbs {
            i -= 1;
            let low = if i > limbs { self.limb(i - limbs - 1) } else { 0 };
            let pair = u64::from(self.limb(i - limbs)) << 32 | u64::from(low);
            self.set_limb(i, (pair.wrapping_shl(bits) >> 32) as u32);
        }
        while i > 0 {
            i -= 1;
            self.set_limb(i, 0);
        }
        self.trim();
    }

    unsafe fn trim(&mut self) {
        while self.length > 0 && self.limb(self.length - 1) == 0 {
            self.length -= 1;
        }
    }

    unsafe fn is_less(&self, other: &Big) -> bool {
        if self.length != other.length {
            return self.length < other.length;
        }
        let mut i = self.length;
        while i > 0 {
            i -= 1;
            let (a, b) = (self.limb(i), other.limb(i));
            if a != b {
                return a < b;
            }
        }
        false
    }

    /// `self - other`, which is not negative.
    unsafe fn subtract(&mut self, other: &Big) {
        let mut borrow = 0;
        let mut i = 0;
        while i < self.length {
            let difference =
                u64::from(self.limb(i)).wrapping_sub(u64::from(other.limb(i))).wrapping_sub(borrow);
            self.set_limb(i, difference as u32);
            borrow = difference >> 63;
            i += 1;
        }
        self.trim();
    }

    /// `self / divisor` as `(q, e, sticky)`: `q * 2^(e - 63)`, the highest bit of `q` set, and a little more if
    /// `sticky`. Neither number is zero; both are used up.
    pub(super) unsafe fn divide(&mut self, divisor: &mut Big) -> (u64, i64, bool) {
        let mut exponent = self.bits() - divisor.bits();
        if exponent > 0 {
            divisor.shift_left(exponent);
        } else {
            self.shift_left(-exponent);
        }
        if self.is_less(divisor) {
            self.shift_left(1);
            exponent -= 1;
        }
        let mut quotient = 0;
        let mut i = 0;
        while i < 64 {
            quotient <<= 1;
            if !self.is_less(divisor) {
                self.subtract(divisor);
                quotient |= 1;
            }
            self.shift_left(1);
            i += 1;
        }
        (quotient, exponent, self.length != 0)
    }
}

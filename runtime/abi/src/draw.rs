//! Random values, computed alike by worker and host.
//!
//! The worker draws millions of cases per second and reports only the number of an interesting
//! iteration; the host draws that iteration again to learn the case. So the same code must serve both.
//!
//! A draw mixes three kinds of values: small ones, where equalities and orderings happen by
//! chance; values near the limits of the type; and uniformly distributed bits.

/// A scalar to be drawn.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draw {
    /// Where the value goes, an address in the worker.
    pub address: u64,
    /// What to draw; one of [`DrawKind`].
    pub kind: u32,
    /// Size in bytes: 1, 2, 4, 8 or 16.
    pub bytes: u32,
    /// `Range`: smallest value, as bits.
    pub low: u64,
    /// `Range`: number of values, 0 for 2^64.
    pub span: u64,
}

/// What to draw.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrawKind {
    /// An integer of the whole type.
    Integer = 0,
    /// An integer of a range, uniformly.
    Range = 1,
    /// IEEE double or single, by size.
    Float = 2,
    /// A byte of text: mostly printable.
    Text = 3,
    /// What an earlier draw of the same size put into its place, whose address is in `low`.
    Same = 4,
}

/// The generator: SplitMix64, cheap to start anew for every iteration.
#[derive(Debug, Clone, Copy)]
pub struct Rng(u64);

impl Rng {
    /// The generator of iteration `iteration` of a batch with this seed.
    #[inline]
    #[must_use]
    pub const fn new(seed: u64, iteration: u64) -> Rng {
        // Iterations lie far apart on the sequence of the underlying counter.
        Rng(seed ^ iteration.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// The next 64 bits.
    #[inline]
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// One value for `draw`, as bits; those above its size are to be ignored.
#[inline]
pub fn value(draw: &Draw, rng: &mut Rng) -> u64 {
    let bits = rng.next();
    // The low six bits choose the kind of value, the rest is the value.
    let choice = bits & 63;
    if draw.kind == DrawKind::Integer as u32 {
        integer(bits, choice, draw.bytes)
    } else if draw.kind == DrawKind::Range as u32 {
        if draw.span == 0 { bits } else { draw.low.wrapping_add(multiply_high(bits, draw.span)) }
    } else if draw.kind == DrawKind::Float as u32 {
        let value = float(bits, choice, rng);
        if draw.bytes == 4 { u64::from((value as f32).to_bits()) } else { value.to_bits() }
    } else {
        text(bits, choice)
    }
}

/// The bytes that the value of a draw puts into memory, little endian; its size says how many.
///
/// Integers of 16 bytes are sign-extended; floats of 16 bytes have the x87 extended format.
#[inline]
#[must_use]
pub const fn image(draw: &Draw, value: u64) -> u128 {
    if draw.bytes == 16 && draw.kind == DrawKind::Float as u32 {
        extended(value)
    } else {
        value as i64 as i128 as u128
    }
}

/// An IEEE double as an x87 extended.
const fn extended(double: u64) -> u128 {
    let sign = double >> 63;
    let exponent = double >> 52 & 0x7ff;
    let fraction = double << 12 >> 1;
    let (exponent, significand) = match exponent {
        0x7ff => (0x7fff, 1 << 63 | fraction),
        0 if fraction == 0 => (0, 0),
        0 => {
            let shift = fraction.leading_zeros() as u64;
            (16383 - 1022 - shift, fraction << shift)
        }
        _ => (exponent + 16383 - 1023, 1 << 63 | fraction),
    };
    ((sign << 15 | exponent) as u128) << 64 | significand as u128
}

#[inline]
const fn multiply_high(a: u64, b: u64) -> u64 {
    ((a as u128 * b as u128) >> 64) as u64
}

/// How far an integer is shifted down, by choice: 28 of 64 keep 5 bits, 20 keep 10, 6 keep 5 and have the sign bit
/// of their type flipped, 10 keep all. A table, because a branch on random bits is mispredicted every other time,
/// which costs more than all the rest.
const SHIFTS: [u8; 64] = {
    let mut shifts = [59; 64];
    let mut choice = 28;
    while choice < 64 {
        shifts[choice] = if choice < 48 {
            54
        } else if choice < 54 {
            59
        } else {
            0
        };
        choice += 1;
    }
    shifts
};

#[inline]
const fn integer(bits: u64, choice: u64, bytes: u32) -> u64 {
    // None of the bits that chose is used alone.
    let mixed = bits.rotate_left(32) ^ bits >> 17;
    let value = (mixed as i64 >> SHIFTS[choice as usize]) as u64;
    // Near the limits: -16 ..= 15 with the sign bit flipped.
    let limit = (choice.wrapping_sub(48) < 6) as u64;
    value ^ limit << ((bytes * 8 - 1) & 63)
}

#[inline]
fn float(bits: u64, choice: u64, rng: &mut Rng) -> f64 {
    const SPECIAL: [f64; 8] =
        [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX, f64::MIN_POSITIVE, 5e-324];
    let more = rng.next();
    // Any magnitude between 1e-10 and 1e10 or so.
    let exponent = 1023 - 34 + multiply_high(bits << 6, 68);
    // All kinds are computed and one is picked, for the same reason as for integers.
    let kinds = [
        ((bits >> 6 & 31) as f64 - 8.0) * 0.5,
        // Uniform in (-100, 100).
        (bits as i64 >> 11) as f64 * (100.0 / (1u64 << 52) as f64),
        f64::from_bits(more & 1 << 63 | exponent << 52 | more << 1 >> 12),
        f64::from_bits(more),
        SPECIAL[(bits >> 6 & 7) as usize],
    ];
    let kind =
        (choice >= 20) as usize + (choice >= 40) as usize + (choice >= 56) as usize + (choice >= 62) as usize;
    kinds[kind]
}

#[inline]
const fn text(bits: u64, choice: u64) -> u64 {
    if choice < 56 { 32 + multiply_high(bits, 95) } else { bits >> 8 & 0xff }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_iteration_can_be_drawn_again() {
        let draw = Draw { address: 0, kind: DrawKind::Float as u32, bytes: 8, low: 0, span: 0 };
        let mut first = Rng::new(7, 12);
        let mut again = Rng::new(7, 12);
        for _ in 0..100 {
            assert_eq!(value(&draw, &mut first), value(&draw, &mut again));
        }
    }

    #[test]
    fn wide_values_have_the_image_the_machine_gives_them() {
        let integer = Draw { address: 0, kind: DrawKind::Integer as u32, bytes: 16, low: 0, span: 0 };
        assert_eq!(image(&integer, -5i64 as u64) as i128, -5);
        let float = Draw { kind: DrawKind::Float as u32, ..integer };
        // What `fld qword` followed by `fstp tbyte` gives.
        for (double, expected) in [
            (0.0f64, 0),
            (-0.0, 0x8000_u128 << 64),
            (1.0, 0x3fff_8000_0000_0000_0000),
            (-2.5, 0xc000_a000_0000_0000_0000),
            (f64::INFINITY, 0x7fff_8000_0000_0000_0000),
            (f64::NAN, 0x7fff_c000_0000_0000_0000),
            (f64::MIN_POSITIVE, 0x3c01_8000_0000_0000_0000),
            (5e-324, 0x3bcd_8000_0000_0000_0000),
        ] {
            assert_eq!(image(&float, double.to_bits()), expected, "{double}");
        }
    }

    #[test]
    fn ranges_are_kept_and_both_ends_occur() {
        let draw = Draw { address: 0, kind: DrawKind::Range as u32, bytes: 4, low: -3i64 as u64, span: 7 };
        let mut seen = [false; 7];
        let mut rng = Rng::new(1, 1);
        for _ in 0..1000 {
            seen[(value(&draw, &mut rng) as i64 + 3) as usize] = true;
        }
        assert_eq!(seen, [true; 7]);
    }

    #[test]
    fn small_integers_collide_and_limits_occur() {
        let draw = Draw { address: 0, kind: DrawKind::Integer as u32, bytes: 4, low: 0, span: 0 };
        let (mut equal, mut limit) = (0, 0);
        for iteration in 0..10_000 {
            let mut rng = Rng::new(1, iteration);
            let (a, b) = (value(&draw, &mut rng) as i32, value(&draw, &mut rng) as i32);
            equal += i32::from(a == b);
            limit += i32::from(a == i32::MIN || a == i32::MAX);
        }
        assert!(equal > 50 && limit > 10, "{equal} {limit}");
    }
}

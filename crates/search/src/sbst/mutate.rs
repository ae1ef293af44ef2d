//! Breeder mutation: small changes often, large ones seldom, on the scale of a variable's domain.

use crate::random::Random;
use testwright_abi::climb::{Variable, VariableKind};

/// Another value, at a distance of `range` times the size of the domain times eta, down or up, where eta is the sum of
/// 2^-i over i below `digits`, each term with probability 1 / `digits`. A value beyond the domain comes back from its end.
pub fn mutated(variable: &Variable, bits: u64, range: f64, digits: u32, random: &mut Random) -> u64 {
    let eta: f64 = (0..digits)
        .filter(|_| random.below(digits as usize) == 0)
        .map(|digit| 0.5f64.powi(digit as i32))
        .sum();
    let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
    if variable.kind == VariableKind::Pointer as u32 {
        return if bits == 0 { variable.low } else { 0 };
    }
    if variable.kind == VariableKind::Float as u32 {
        return float(variable, bits, sign * range * eta);
    }
    let (low, high, value) = if variable.kind == VariableKind::Signed as u32 {
        let shift = 64 - 8 * variable.bytes.min(8);
        let value = ((bits << shift) as i64) >> shift;
        (i128::from(variable.low as i64), i128::from(variable.high as i64), i128::from(value))
    } else {
        (i128::from(variable.low), i128::from(variable.high), i128::from(bits))
    };
    let size = (high - low + 1) as f64;
    // At least one, or a small domain would never change.
    let change = (range * size * eta).round().max(f64::from(u8::from(eta > 0.0))) as i128;
    let value = if sign > 0.0 { value + change } else { value - change };
    // Cutting off at the limits would make unrelated variables equal.
    let inside = if value > high {
        high - (value - high)
    } else if value < low {
        low + (low - value)
    } else {
        value
    };
    inside.clamp(low, high) as u64
}

/// Floats are mutated in their order, where every magnitude has the same room.
fn float(variable: &Variable, bits: u64, change: f64) -> u64 {
    if variable.bytes == 4 {
        let ordinal = |bits: i32| i64::from(if bits < 0 { i32::MIN.wrapping_sub(bits) } else { bits });
        let place = (ordinal(bits as u32 as i32) as f64 + change * 2f64.powi(32)) as i64;
        let most = i64::from(f32::MAX.to_bits());
        let place = place.clamp(-most, most) as i32;
        return u64::from(if place < 0 { i32::MIN.wrapping_sub(place) } else { place } as u32);
    }
    let ordinal = |bits: i64| i128::from(if bits < 0 { i64::MIN.wrapping_sub(bits) } else { bits });
    let place = ordinal(bits as i64) + (change * 2f64.powi(64)) as i128;
    let most = i128::from(f64::MAX.to_bits());
    let place = place.clamp(-most, most) as i64;
    if place < 0 { i64::MIN.wrapping_sub(place) as u64 } else { place as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn byte() -> Variable {
        Variable { bytes: 1, kind: VariableKind::Unsigned as u32, low: 0, high: 255, ..Variable::default() }
    }

    #[test]
    fn mutation_stays_in_the_domain_and_changes_every_kind() {
        let mut random = Random::new(3);
        let wide = f64::MAX.to_bits();
        let double =
            Variable { bytes: 8, kind: VariableKind::Float as u32, low: !wide, high: wide, ..byte() };
        let single = Variable { bytes: 4, ..double };
        let signed = Variable { kind: VariableKind::Signed as u32, low: -128i64 as u64, high: 127, ..byte() };
        for variable in [byte(), signed, double, single] {
            let mut bits = 1.0f32.to_bits().into();
            let mut seen = std::collections::BTreeSet::new();
            for _ in 0..200 {
                bits = mutated(&variable, bits & 0xff, 0.1, 16, &mut random);
                seen.insert(bits);
                if variable.bytes == 1 {
                    let value = if variable.kind == 0 { bits as i64 } else { bits as i64 - 128 };
                    assert!((-128..=127).contains(&value), "{value}");
                } else {
                    let value = if variable.bytes == 4 {
                        f32::from_bits(bits as u32).into()
                    } else {
                        f64::from_bits(bits)
                    };
                    assert!(value.is_finite(), "{value}");
                }
            }
            assert!(seen.len() > 20, "{variable:?}: {seen:?}");
        }
    }

    #[test]
    fn small_changes_are_the_rule() {
        let mut random = Random::new(5);
        let int = Variable { bytes: 4, high: u64::from(u32::MAX), ..byte() };
        let changes: Vec<u64> =
            (0..1000).map(|_| mutated(&int, 1 << 31, 1e-3, 16, &mut random).abs_diff(1 << 31)).collect();
        let small = changes.iter().filter(|change| **change < 100_000).count();
        assert!(small > 400, "{small}");
        assert!(changes.iter().all(|change| *change < 9_000_000));
    }
}

//! Floats as bits, as numbers, and as their rank among all floats.

/// The rank of a float: neighbours differ by 1, both zeros are 0; `None` for NaN.
pub(super) fn ordinal(width: u32, bits: u128) -> Option<i128> {
    if to_f64(width, bits).is_nan() {
        return None;
    }
    let sign = 1u128 << (width - 1);
    let magnitude = (bits & (sign - 1)) as i128;
    Some(if bits & sign == 0 { magnitude } else { -magnitude })
}

/// The float of this rank; beyond the largest there are only the infinities.
pub(super) fn from_ordinal(width: u32, rank: i128) -> u128 {
    let infinity = from_f64(width, f64::INFINITY);
    let magnitude = rank.unsigned_abs().min(infinity);
    if rank < 0 { magnitude | 1 << (width - 1) } else { magnitude }
}

/// The number that the bits of a single or double stand for.
pub(super) fn to_f64(width: u32, bits: u128) -> f64 {
    match width {
        32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits as u64),
    }
}

/// The bits of the single or double nearest to a number.
pub(super) fn from_f64(width: u32, number: f64) -> u128 {
    match width {
        32 => u128::from((number as f32).to_bits()),
        _ => u128::from(number.to_bits()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ranks_order_floats_as_their_values_do(x in any::<f64>(), y in any::<f64>(), s in any::<f32>()) {
            let rank = |x: f64| ordinal(64, from_f64(64, x)).unwrap();
            prop_assert_eq!(rank(x).cmp(&rank(y)), x.partial_cmp(&y).unwrap());
            prop_assert_eq!(to_f64(64, from_ordinal(64, rank(x))), x);
            if x < f64::INFINITY {
                prop_assert_eq!(rank(x.next_up()), rank(x) + 1);
            }
            let single = u128::from(s.to_bits());
            prop_assert_eq!(to_f64(32, from_ordinal(32, ordinal(32, single).unwrap())), f64::from(s));
        }
    }

    #[test]
    fn ranks_end_at_the_infinities() {
        assert_eq!(to_f64(64, from_ordinal(64, i128::MAX)), f64::INFINITY);
        assert_eq!(to_f64(32, from_ordinal(32, i128::MIN)), f64::NEG_INFINITY);
        assert_eq!(ordinal(32, u128::from(f32::NAN.to_bits())), None);
    }
}

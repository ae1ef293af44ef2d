//! Domains: which values an input can have, from the constraints that are about it alone.
//!
//! A domain is a set of numbers of one width, as ascending ranges. Constraints of the shape `f(input) op
//! constant` are turned into domains by going down from the comparison to the input and asking each time which
//! operands give the wanted results ([`narrow`]). Where that is not exactly known the answer is a superset, so
//! an empty domain proves that nothing satisfies the constraints.

use super::{Input, InputKind};
use crate::expr::mask;

mod narrow;

pub(super) use narrow::domains;

/// A set of numbers of one width.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Domain {
    pub(super) width: u32,
    /// First and last number of each range; ascending, with gaps between them.
    ranges: Vec<(u128, u128)>,
}

impl Domain {
    /// All numbers.
    pub(super) fn all(width: u32) -> Domain {
        Domain { width, ranges: vec![(0, mask(width))] }
    }

    /// These numbers.
    pub(super) fn of(width: u32, numbers: impl IntoIterator<Item = u128>) -> Domain {
        let numbers = numbers.into_iter().filter(|&number| number <= mask(width));
        Domain::from_ranges(width, numbers.map(|number| (number, number)).collect())
    }

    /// From one number to another, both included, around the end of the width if the second is smaller.
    pub(super) fn circle(width: u32, first: u128, last: u128) -> Domain {
        let (first, last) = (first & mask(width), last & mask(width));
        let ranges = if first <= last { vec![(first, last)] } else { vec![(0, last), (first, mask(width))] };
        Domain::from_ranges(width, ranges)
    }

    /// What the input's kind and range allow.
    pub(super) fn allowed(input: &Input) -> Domain {
        let Input { width, kind, range } = *input;
        match (kind, range) {
            (InputKind::Bool, _) => Domain::circle(width, 0, 1),
            // Floats are not ordered as their bits are.
            (InputKind::Float, _) | (_, None) => Domain::all(width),
            (_, Some((low, high))) if input.reads_signed() => {
                let half = (mask(width) >> 1) as i128;
                let (low, high) = (low.max(-half - 1), high.min(half));
                if low > high {
                    Domain::of(width, [])
                } else {
                    Domain::circle(width, low as u128, high as u128)
                }
            }
            (_, Some((low, high))) => {
                let low = u128::try_from(low).unwrap_or(0);
                let high = u128::try_from(high).unwrap_or(mask(width)).min(mask(width));
                if low > high { Domain::of(width, []) } else { Domain::circle(width, low, high) }
            }
        }
    }

    fn from_ranges(width: u32, mut ranges: Vec<(u128, u128)>) -> Domain {
        ranges.sort_unstable();
        let mut merged: Vec<(u128, u128)> = vec![];
        for (first, last) in ranges {
            match merged.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
                _ => merged.push((first, last)),
            }
        }
        Domain { width, ranges: merged }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    pub(super) fn is_all(&self) -> bool {
        self.ranges == [(0, mask(self.width))]
    }

    pub(super) fn contains(&self, number: u128) -> bool {
        let after = self.ranges.partition_point(|&(first, _)| first <= number);
        after > 0 && number <= self.ranges[after - 1].1
    }

    pub(super) fn union(&self, other: &Domain) -> Domain {
        Domain::from_ranges(self.width, self.ranges.iter().chain(&other.ranges).copied().collect())
    }

    pub(super) fn intersection(&self, other: &Domain) -> Domain {
        let (mut mine, mut theirs) = (0, 0);
        let mut ranges = vec![];
        while let (Some(&(a, b)), Some(&(c, d))) = (self.ranges.get(mine), other.ranges.get(theirs)) {
            if a.max(c) <= b.min(d) {
                ranges.push((a.max(c), b.min(d)));
            }
            if b < d { mine += 1 } else { theirs += 1 }
        }
        Domain { width: self.width, ranges }
    }

    pub(super) fn complement(&self) -> Domain {
        let mut ranges = vec![];
        let mut next = Some(0);
        for &(first, last) in &self.ranges {
            if let Some(next) = next
                && next < first
            {
                ranges.push((next, first - 1));
            }
            next = (last < mask(self.width)).then(|| last + 1);
        }
        ranges.extend(next.map(|next| (next, mask(self.width))));
        Domain { width: self.width, ranges }
    }

    /// `amount` more than each number, wrapping.
    pub(super) fn shifted(&self, amount: u128) -> Domain {
        self.mapped(|first, last| (first.wrapping_add(amount), last.wrapping_add(amount)))
    }

    /// `total` minus each number, wrapping.
    pub(super) fn reflected(&self, total: u128) -> Domain {
        self.mapped(|first, last| (total.wrapping_sub(last), total.wrapping_sub(first)))
    }

    /// Each range turned into another that may go around the end.
    fn mapped(&self, turn: impl Fn(u128, u128) -> (u128, u128)) -> Domain {
        if self.is_all() {
            return self.clone();
        }
        let mut ranges = vec![];
        for &(first, last) in &self.ranges {
            let (first, last) = turn(first, last);
            ranges.extend(Domain::circle(self.width, first, last).ranges);
        }
        Domain::from_ranges(self.width, ranges)
    }

    /// The numbers whose quotient by `divisor` is in here.
    pub(super) fn multiplied(&self, divisor: u128) -> Domain {
        let highest = mask(self.width);
        let mut ranges = vec![];
        for &(first, last) in &self.ranges {
            if let Some(first) = first.checked_mul(divisor).filter(|&first| first <= highest) {
                let last = last.saturating_mul(divisor).saturating_add(divisor - 1).min(highest);
                ranges.push((first, last));
            }
        }
        Domain::from_ranges(self.width, ranges)
    }

    /// The numbers of `narrow` bits that are in here when extended with zeros.
    pub(super) fn zero_extended(&self, narrow: u32) -> Domain {
        let Domain { ranges, .. } = self.intersection(&Domain { width: self.width, ..Domain::all(narrow) });
        Domain { width: narrow, ranges }
    }

    /// The numbers of `narrow` bits that are in here when extended with their sign.
    pub(super) fn sign_extended(&self, narrow: u32) -> Domain {
        let half = 1u128 << (narrow - 1);
        let positive = self.intersection(&Domain::circle(self.width, 0, half - 1));
        let negative = self.intersection(&Domain::circle(self.width, half.wrapping_neg(), mask(self.width)));
        let cut = |&(first, last): &(u128, u128)| (first & mask(narrow), last & mask(narrow));
        Domain::from_ranges(narrow, positive.ranges.iter().chain(&negative.ranges).map(cut).collect())
    }

    /// The number nearest to `number`, the shorter way around.
    pub(super) fn nearest(&self, number: u128) -> Option<u128> {
        if self.contains(number) {
            return Some(number);
        }
        let ends = self.ranges.iter().flat_map(|&(first, last)| [first, last]);
        ends.min_by_key(|&end| super::distance::circular(self.width, end, number))
    }

    /// The number that people like best to read in a test.
    pub(super) fn most_readable(&self, input: &Input) -> Option<u128> {
        if input.kind == InputKind::Character {
            let letters = ['a'..='z', 'A'..='Z', '0'..='9', ' '..='~'].into_iter().flatten();
            if let Some(letter) = letters.map(|letter| letter as u128).find(|&letter| self.contains(letter)) {
                return Some(letter);
            }
        }
        if input.kind == InputKind::Signed || self.contains(0) {
            return self.nearest(0);
        }
        self.ranges.first().map(|&(first, _)| first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers(domain: &Domain) -> Vec<u128> {
        (0..=mask(domain.width)).filter(|&number| domain.contains(number)).collect()
    }

    fn any_domain() -> impl Strategy<Value = Domain> {
        prop::collection::vec((0u128..64, 0u128..64), 0..5).prop_map(|pairs| {
            let circles = pairs.into_iter().map(|(first, last)| Domain::circle(6, first, last));
            circles.fold(Domain::of(6, []), |all, circle| all.union(&circle))
        })
    }

    proptest! {
        #[test]
        fn domains_are_sets(a in any_domain(), b in any_domain(), n in 0u128..64, c in 1u128..64) {
            let agrees = |domain: Domain, holds: &dyn Fn(u128) -> bool| {
                let expected: Vec<u128> = (0..=mask(domain.width)).filter(|&number| holds(number)).collect();
                assert_eq!(numbers(&domain), expected);
            };
            agrees(a.union(&b), &|x| a.contains(x) || b.contains(x));
            agrees(a.intersection(&b), &|x| a.contains(x) && b.contains(x));
            agrees(a.complement(), &|x| !a.contains(x));
            agrees(a.shifted(n), &|x| a.contains(x.wrapping_sub(n) & 63));
            agrees(a.reflected(n), &|x| a.contains(n.wrapping_sub(x) & 63));
            agrees(a.multiplied(c), &|x| a.contains(x / c));
            agrees(a.zero_extended(4), &|x| a.contains(x));
            agrees(a.sign_extended(4), &|x| a.contains(if x < 8 { x } else { x + 48 }));
            prop_assert_eq!(a.is_empty(), numbers(&a).is_empty());
            let near = numbers(&a).into_iter().map(|x| crate::solve::distance::circular(6, x, n)).min();
            prop_assert_eq!(a.nearest(n).map(|x| crate::solve::distance::circular(6, x, n)), near);
        }
    }

    #[test]
    fn ranges_are_read_as_the_kind_says() {
        let allowed = |kind, range| {
            let input = Input { width: 4, kind, range };
            let domain = Domain::allowed(&input);
            assert!((0..16).all(|value| input.allows(value) == domain.contains(value)));
            numbers(&domain)
        };
        assert_eq!(allowed(InputKind::Signed, Some((-2, 1))), [0, 1, 14, 15]);
        assert_eq!(allowed(InputKind::Unsigned, Some((-2, 1))), [0, 1]);
        assert_eq!(allowed(InputKind::Unsigned, Some((14, 99))), [14, 15]);
        assert_eq!(allowed(InputKind::Bool, None), [0, 1]);
        assert_eq!(allowed(InputKind::Character, Some((-1, 1))), [0, 1, 15]);
        assert_eq!(allowed(InputKind::Character, Some((9, 10))), [9, 10]);
        assert_eq!(allowed(InputKind::Signed, Some((9, 12))), []);
    }

    #[test]
    fn readable_numbers_are_small_and_readable_characters_are_letters() {
        let input = |kind| Input { width: 8, kind, range: None };
        let readable = |domain: &Domain, kind| domain.most_readable(&input(kind));
        let domain = Domain::circle(8, 100, 250);
        assert_eq!(readable(&domain, InputKind::Unsigned), Some(100));
        assert_eq!(readable(&domain, InputKind::Signed), Some(250));
        assert_eq!(readable(&domain, InputKind::Character), Some(100));
        assert_eq!(readable(&Domain::of(8, [7]).complement(), InputKind::Character), Some(97));
        assert_eq!(readable(&Domain::of(8, []), InputKind::Unsigned), None);
    }
}

//! Variations: the case with a few of its scalars changed a little, for code that behaves otherwise only near what was seen.

use super::Image;
use super::variables::Domains;
use testwright_abi::climb::{Variable, VariableKind};
use testwright_abi::draw::{DrawKind, Rng};
use testwright_base::case::Case;
use testwright_base::subject::Subject;

/// Among so many changes of a scalar one goes anywhere.
const ANYWHERE: u64 = 8;
/// How far a small number goes.
const SMALL: u64 = 40;

impl Image {
    /// The case with one to three of its scalars changed; none if it has none that can be. Case, domains and seed determine the result.
    ///
    /// `case` must be the one that was laid out.
    #[must_use]
    pub fn varied(&self, subject: &Subject, case: &Case, domains: &Domains, seed: u64) -> Option<Case> {
        let variables = self.variables(subject, case, domains);
        let known: Vec<(Variable, u64)> = variables
            .into_iter()
            .filter(|variable| variable.kind != VariableKind::Pointer as u32)
            .filter_map(|variable| Some((variable, self.bits_at(variable.address, variable.bytes)?)))
            .collect();
        if known.is_empty() {
            return None;
        }
        let mut rng = Rng::new(seed, 1);
        let mut pick = |count: usize| (rng.next() >> 8) as usize % count;
        let count = [1, 1, 2, 3][pick(4)].min(known.len());
        let places: Vec<(usize, usize)> =
            (0..count).map(|_| (pick(known.len()), pick(known.len()))).collect();
        let (mut changed, mut values) = (Vec::new(), Vec::new());
        for (place, other) in places {
            let (variable, bits) = known[place];
            changed.push(variable);
            values.push(near(&variable, bits, known[other].1, &mut rng));
        }
        Some(self.with_values(subject, case, &changed, &values))
    }

    /// The case with one of these numbers, or one beside it, in place of one of its integers, as far as that may have it; none if there are none.
    #[must_use]
    pub fn with_number(
        &self,
        subject: &Subject,
        case: &Case,
        domains: &Domains,
        numbers: &[i128],
        seed: u64,
    ) -> Option<Case> {
        let is_integer =
            |kind: u32| kind == VariableKind::Signed as u32 || kind == VariableKind::Unsigned as u32;
        let variables = self.variables(subject, case, domains).into_iter();
        let integers: Vec<Variable> = variables.filter(|variable| is_integer(variable.kind)).collect();
        let mut rng = Rng::new(seed, 2);
        let mut pick = |count: usize| (rng.next() >> 8) as usize % count.max(1);
        let variable = *integers.get(pick(integers.len()))?;
        let number = numbers.get(pick(numbers.len()))?.wrapping_add([0, 0, 1, -1][pick(4)]);
        Some(self.with_values(subject, case, &[variable], &[variable.within(number as u64)]))
    }

    /// The bits of a scalar; none if it is wider than what holds them.
    fn bits_at(&self, address: u64, bytes: u32) -> Option<u64> {
        let length = (bytes <= 8).then_some(bytes as usize)?;
        let found = self.written().into_iter().find_map(|(start, piece)| {
            let offset = usize::try_from(address.checked_sub(start)?).ok()?;
            piece.get(offset..offset + length)
        })?;
        let mut bits = [0; 8];
        bits[..length].copy_from_slice(found);
        Some(u64::from_le_bytes(bits))
    }
}

/// A value that has something to do with the one that was there, or with another one of the case.
fn near(variable: &Variable, bits: u64, other: u64, rng: &mut Rng) -> u64 {
    let choice = rng.next() >> 8;
    if choice.is_multiple_of(ANYWHERE) {
        return variable.drawn(rng);
    }
    let small = (rng.next() >> 8) % SMALL + 2;
    if variable.kind == VariableKind::Float as u32 {
        return near_float(variable.bytes, bits, choice / ANYWHERE, small);
    }
    if variable.start == DrawKind::Text as u32 {
        const LETTERS: &[u8] = b"abcxyzABCXYZ0123456789 _-+.,/:";
        return LETTERS[(small as usize * 7 + choice as usize) % LETTERS.len()].into();
    }
    let changed = match choice / ANYWHERE % 8 {
        0 => bits.wrapping_add(1),
        1 => bits.wrapping_sub(1),
        2 => bits.wrapping_add(small),
        3 => small,
        4 => small.wrapping_neg(),
        5 => other,
        6 => other.wrapping_add(choice >> 16 & 1).wrapping_sub(choice >> 17 & 1),
        _ => bits.wrapping_mul(2).wrapping_add(small & 1),
    };
    variable.within(changed)
}

fn near_float(bytes: u32, bits: u64, choice: u64, small: u64) -> u64 {
    let number = if bytes == 4 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) };
    let part = small as f64 / 8.0;
    let changed = match choice % 6 {
        0 => number + part,
        1 => number - part,
        2 => part,
        3 => -part,
        4 => number * (1.0 + part),
        _ => number / (1.0 + part),
    };
    if bytes == 4 { u64::from((changed as f32).to_bits()) } else { changed.to_bits() }
}

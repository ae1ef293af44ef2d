//! Fitness: how far a run was from a target, as a number in which no step towards it is lost.
//!
//! Smaller is better, and only zero means that the target was hit. The whole part counts decisions that are not yet
//! known to go right (approach level, or conditions that had to be dropped); the fraction is the normalised distance
//! d / (d + 1) of METHODS.md 3. It is held in 128 bits, because in a double the difference between the distances
//! 2000000000 and 2000000001 vanishes, and a search that cannot see a step of one stands still.

/// How far a run was from its target.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Fitness {
    /// Decisions missing.
    pub whole: u64,
    /// Upper half of the fraction, in units of 2^-64.
    pub high: u64,
    /// Lower half of the fraction.
    pub low: u64,
}

/// An outcome on the way to a target.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Level {
    /// The outcome; its mark and its distance are those of the maps.
    pub outcome: u32,
    /// How many decisions lie between it and the target; 0 for the target itself.
    pub level: u32,
    /// 1 if its distance is the bit pattern of a double, 0 if it is an integer.
    pub float: u32,
    /// Keeps the size a power of two.
    pub reserved: u32,
}

impl Fitness {
    /// The target was hit.
    pub const HIT: Fitness = Fitness { whole: 0, high: 0, low: 0 };
    /// The run told nothing about the target.
    pub const WORST: Fitness = Fitness { whole: u64::MAX, high: 0, low: 0 };

    /// A whole part and a fraction in units of 2^-128.
    #[must_use]
    pub const fn new(whole: u64, fraction: u128) -> Fitness {
        Fitness { whole, high: (fraction >> 64) as u64, low: fraction as u64 }
    }

    /// Whether the target was hit.
    #[must_use]
    pub const fn is_hit(&self) -> bool {
        self.whole == 0 && self.high == 0 && self.low == 0
    }

    /// The fraction in units of 2^-128.
    #[must_use]
    pub const fn fraction(&self) -> u128 {
        (self.high as u128) << 64 | self.low as u128
    }

    /// This and a normalised distance.
    #[must_use]
    pub const fn plus(self, normalised: u128) -> Fitness {
        let (fraction, carry) = self.fraction().overflowing_add(normalised);
        Fitness::new(self.whole + carry as u64, fraction)
    }

    /// As people read it; steps may be lost.
    #[must_use]
    pub fn as_f64(&self) -> f64 {
        self.whole as f64 + self.high as f64 / TWO_TO_64
    }
}

const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

/// d / (d + 1) for a distance between integers, in units of 2^-128.
#[must_use]
pub const fn normalised(distance: u64) -> u128 {
    if distance == 0 { 0 } else { u128::MAX - u128::MAX / (distance as u128 + 1) }
}

/// d / (d + 1) for a distance between floats, given as bits; a NaN is as far as can be. Zero only for zero.
#[must_use]
pub fn normalised_float(bits: u64) -> u128 {
    let distance = f64::from_bits(bits);
    if distance == 0.0 {
        return 0;
    }
    // Whichever of d / (d + 1) and 1 / (d + 1) is small keeps its digits.
    if distance < 1.0 {
        return (((distance / (distance + 1.0)) * TWO_TO_64 * TWO_TO_64) as u128).max(1);
    }
    if distance.is_nan() {
        return u128::MAX;
    }
    u128::MAX - (1.0 / (distance + 1.0) * TWO_TO_64 * TWO_TO_64) as u128
}

/// The standard fitness: the smallest of level plus normalised distance over the outcomes on the way to the target.
///
/// An outcome that was hit counts as its level: a run that ends before the next decision is nearer than
/// one that went wrong at this one.
#[inline]
pub fn standard(
    levels: &[Level],
    is_hit: impl Fn(u32) -> bool,
    distance: impl Fn(u32) -> Option<u64>,
) -> Fitness {
    let mut best = Fitness::WORST;
    for level in levels {
        let fraction = if is_hit(level.outcome) {
            0
        } else if let Some(distance) = distance(level.outcome) {
            if level.float == 1 { normalised_float(distance) } else { normalised(distance) }
        } else {
            continue;
        };
        best = best.min(Fitness::new(u64::from(level.level), fraction));
    }
    best
}

/// Path conditions of one node in words, as the host passes them to the worker:
///
/// ```text
/// conditions, {0 integer | 1 float} per condition, paths, { dropped, clauses, { atoms, { condition } } }
/// ```
///
/// A path is a conjunction of clauses, a clause a disjunction of conditions. The fitness is the smallest over the
/// paths of: dropped conditions plus the sum over the clauses of the smallest normalised distance. A clause whose number of atoms is
/// marked with [`FIRST`] comes first: unless it holds, those behind it count 1 each. One that is marked with [`COUNTED`] is about
/// rounds of a loop that have to follow, see [`Sum`].
///
/// Words that make no sense, and more than [`MAX_CONDITIONS`], count for nothing.
///
/// The smallest of that and `best`; `known` is room to compute in.
#[inline]
pub fn over_paths(
    words: &[u32],
    distance: impl Fn(usize) -> u64,
    known: &mut [u128; MAX_CONDITIONS],
    best: Fitness,
) -> Fitness {
    paths(words, distance, known, best).unwrap_or(best)
}

/// Marks a clause that is to hold before those behind it are looked at.
pub const FIRST: u32 = 1 << 31;

/// Marks a clause on counters, whose distance is a number of rounds. If it also comes first, it is about a counter as it is now: unless
/// it holds, the path cannot be taken from here.
pub const COUNTED: u32 = 1 << 30;

/// The first word of a path: the conditions that were dropped, and what counts besides if a counter keeps it from being taken.
#[must_use]
pub fn path_head(dropped: u32, out_of_reach: u32) -> u32 {
    dropped.min(0xffff) | out_of_reach.min(0xffff) << 16
}

/// How many different conditions the paths from one node may have.
pub const MAX_CONDITIONS: usize = 256;

fn paths(
    words: &[u32],
    distance: impl Fn(usize) -> u64,
    known: &mut [u128; MAX_CONDITIONS],
    mut best: Fitness,
) -> Option<Fitness> {
    let (count, rest) = words.split_first()?;
    let (kinds, rest) = rest.split_at_checked(*count as usize)?;
    for (index, kind) in kinds.iter().enumerate() {
        let distance = distance(index);
        *known.get_mut(index)? = if *kind == 1 { normalised_float(distance) } else { normalised(distance) };
    }
    let known = &known[..kinds.len()];
    let (count, mut rest) = rest.split_first()?;
    for _ in 0..*count {
        let [head, clauses, after @ ..] = rest else { return None };
        let mut sum = Sum::new(*head);
        let mut is_open = true;
        rest = after;
        for _ in 0..*clauses {
            let (head, after) = rest.split_first()?;
            let (atoms, after) = after.split_at_checked((*head & !(FIRST | COUNTED)) as usize)?;
            rest = after;
            if !is_open {
                sum.add_missing();
                continue;
            }
            let nearest = match atoms {
                [atom] => known.get(*atom as usize)?,
                atoms => atoms.iter().filter_map(|atom| known.get(*atom as usize)).min()?,
            };
            is_open = *head & FIRST == 0 || *nearest == 0;
            if *head & COUNTED == 0 {
                sum.add(*nearest);
            } else {
                let rounds = atoms.iter().map(|atom| distance(*atom as usize)).min()?;
                sum.count(rounds, is_open);
            }
        }
        best = best.min(sum.fitness());
    }
    Some(best)
}

/// What a path comes to.
///
/// Without counters that is a sum. With them, rounds come before everything else: a run that has counted further is nearer, whatever it lacks
/// for the next round. Together they count less than one dropped condition, so that a node in a loop is not farther away than one before it:
///
/// ```text
/// 0 rounds: 0 to 1/2,   1 round: 1/2 to 2/3,   2 rounds: 2/3 to 3/4, ..    where exactly, the other clauses decide
/// ```
struct Sum {
    dropped: u64,
    out_of_reach: u64,
    sum: Fitness,
    clauses: u64,
    /// How many rounds have to follow, if the path asks for any.
    rounds: Option<u64>,
}

impl Sum {
    fn new(head: u32) -> Sum {
        let (dropped, out_of_reach) = (u64::from(head & 0xffff), u64::from(head >> 16));
        Sum { dropped, out_of_reach, sum: Fitness::HIT, clauses: 0, rounds: None }
    }

    fn add(&mut self, normalised: u128) {
        self.sum = self.sum.plus(normalised);
        self.clauses += 1;
    }

    /// A clause that is not looked at.
    fn add_missing(&mut self) {
        self.sum.whole += 1;
        self.clauses += 1;
    }

    fn count(&mut self, rounds: u64, is_open: bool) {
        self.rounds = Some(self.rounds.unwrap_or(0) + rounds.min(MOST_ROUNDS));
        self.dropped += if is_open { 0 } else { self.out_of_reach };
    }

    fn fitness(&self) -> Fitness {
        let Some(rounds) = self.rounds else {
            return Fitness { whole: self.dropped + self.sum.whole, ..self.sum };
        };
        // Divided before they are added, because the sum may be larger than 128 bits hold.
        let clauses = u128::from(self.clauses.max(1));
        let share = (u128::MAX / clauses).saturating_mul(u128::from(self.sum.whole));
        let share = share.saturating_add(self.sum.fraction() / clauses);
        let width = (u128::from(rounds) + 1) * (u128::from(rounds) + 2);
        Fitness::new(self.dropped, normalised(rounds) + share / width)
    }
}

/// More rounds count no more, so that sums stay numbers.
const MOST_ROUNDS: u64 = 1 << 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_counts_however_far_away() {
        for distance in [1u64, 2, 1000, 1 << 31, 1 << 40, 1 << 62] {
            assert!(normalised(distance) < normalised(distance + 1), "{distance}");
        }
        assert_eq!((normalised(0), normalised(1)), (0, 1 << 127));
        assert!(normalised(u64::MAX) > normalised(u64::MAX / 2));
    }

    #[test]
    fn floats_are_ordered_by_their_distance_and_only_zero_is_zero() {
        let values = [0.0f64, 5e-324, 1e-30, 1e-9, 0.5, 0.999, 1.0, 1.001, 2.0, 1e9, 1e9 + 0.001, 1e300];
        for pair in values.windows(2) {
            let (a, b) = (normalised_float(pair[0].to_bits()), normalised_float(pair[1].to_bits()));
            assert!(a < b || a == b && pair[0] > 0.0 && pair[1] < 1e-29, "{pair:?}");
        }
        assert_eq!(normalised_float(f64::NAN.to_bits()), u128::MAX);
        assert_eq!(Fitness::new(2, normalised_float(3f64.to_bits())).as_f64(), 2.75);
    }

    #[test]
    fn the_decision_nearest_to_the_target_counts() {
        let level = |outcome, level| Level { outcome, level, float: 0, reserved: 0 };
        let levels = [level(5, 0), level(3, 1), level(1, 2)];
        let fitness = |hit: &[u32], distances: &[(u32, u64)]| {
            let distance = |outcome| {
                distances.iter().find(|(known, _)| *known == outcome).map(|(_, distance)| *distance)
            };
            standard(&levels, |outcome| hit.contains(&outcome), distance).as_f64()
        };
        assert_eq!(fitness(&[], &[(1, 3)]), 2.75);
        assert_eq!(fitness(&[1], &[(3, 1)]), 1.5);
        // It passed decision 1 and ended before decision 3.
        assert_eq!(fitness(&[1], &[]), 2.0);
        assert_eq!(fitness(&[1, 3, 5], &[]), 0.0);
        assert_eq!(standard(&levels, |_| false, |_| None), Fitness::WORST);
    }

    #[test]
    fn the_nearest_path_counts_and_dropped_conditions_weigh_one() {
        // Two paths over conditions 0, 1, 2: {0, 1 or 2}, and {2} with one condition dropped.
        let words = [3, 0, 0, 0, 2, 0, 2, 1, 0, 2, 1, 2, 1, 1, 1, 2];
        let fitness = |distances: [u64; 3]| {
            let mut known = [0; MAX_CONDITIONS];
            over_paths(&words, |index| distances[index], &mut known, Fitness::WORST).as_f64()
        };
        assert_eq!(fitness([1, 1, 3]), 1.0);
        assert_eq!(fitness([3, 3, 0]), 0.75);
        assert_eq!(fitness([3, 3, 3]), 1.5);
        // With the first clause of the first path marked.
        let mut words = words;
        words[7] |= FIRST;
        let fitness = |distances: [u64; 3]| {
            let mut known = [0; MAX_CONDITIONS];
            over_paths(&words, |index| distances[index], &mut known, Fitness::WORST).as_f64()
        };
        assert_eq!(fitness([1, 1, u64::MAX]), 1.5);
        assert_eq!(fitness([0, 1, u64::MAX]), 0.5);
        let mut known = [0; MAX_CONDITIONS];
        assert_eq!(over_paths(&words[..9], |_| 0, &mut known, Fitness::WORST), Fitness::WORST);
        assert_eq!(over_paths(&[1, 0, 1, 0, 1, 1, 7], |_| 0, &mut known, Fitness::WORST), Fitness::WORST);
    }

    /// One path with these dropped conditions, over a clause on a counter with these marks and two plain clauses.
    fn counting(head: u32, marks: u32, distances: [u64; 3]) -> Fitness {
        let words = [3, 0, 0, 0, 1, head, 3, 1 | marks, 0, 1, 1, 1, 2];
        let mut known = [0; MAX_CONDITIONS];
        over_paths(&words, |index| distances[index], &mut known, Fitness::WORST)
    }

    #[test]
    fn rounds_come_before_everything_else_and_count_less_than_a_dropped_condition() {
        let fitness = |rounds, first, second| counting(1, COUNTED, [rounds, first, second]);
        for rounds in [0, 1, 7, 1000] {
            assert!(fitness(rounds, u64::MAX, u64::MAX) < fitness(rounds + 1, 0, 0), "{rounds}");
            assert!(fitness(rounds, 1 << 40, 0) < fitness(rounds, (1 << 40) + 1, 0), "{rounds}");
            assert!(fitness(rounds, 3, 3) < fitness(rounds, 3, 4), "{rounds}");
        }
        assert_eq!(fitness(0, 0, 0), Fitness::new(1, 0));
        assert_eq!(fitness(u64::MAX, u64::MAX, u64::MAX).whole, 1);
        assert_eq!((fitness(1, 0, 0).as_f64(), fitness(2, 0, 0).as_f64()), (1.5, 1.0 + 2.0 / 3.0));
    }

    #[test]
    fn a_path_that_a_counter_forbids_is_farther_than_those_round_the_loop() {
        let round = counting(path_head(4, 5), COUNTED, [9, u64::MAX, u64::MAX]);
        let forbidden = |rounds| counting(path_head(0, 5), FIRST | COUNTED, [rounds, 0, 0]);
        assert!(round < forbidden(1) && forbidden(1) < forbidden(2));
        assert!(forbidden(0) < round, "it is allowed now");
    }
}

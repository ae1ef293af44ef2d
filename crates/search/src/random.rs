//! Random numbers that depend on nothing but a seed (SplitMix64).

/// What is added to the state for each number.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A source of random numbers.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The source for `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Passes over so many numbers.
    pub fn skip(&mut self, count: usize) {
        self.state = self.state.wrapping_add(STEP.wrapping_mul(count as u64));
    }

    /// A number below `limit`; 0 if there is none.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.bits()) * limit as u128) >> 64) as usize
    }

    /// A number in [0, 1).
    pub fn fraction(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// One of the positions, each as likely as its weight says; none if no weight is positive.
    pub fn weighted(&mut self, weights: &[f64]) -> Option<usize> {
        let total: f64 = weights.iter().sum();
        if total <= 0.0 {
            return None;
        }
        let mut rest = self.fraction() * total;
        for (index, weight) in weights.iter().enumerate() {
            rest -= weight;
            if rest < 0.0 {
                return Some(index);
            }
        }
        weights.iter().rposition(|weight| *weight > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let numbers = |seed| {
            let mut random = Random::new(seed);
            (0..8).map(|_| random.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(numbers(7), numbers(7));
        assert_ne!(numbers(7), numbers(8));
        assert!(numbers(7).iter().all(|number| *number < 1000));
    }

    #[test]
    fn weights_decide_how_often_a_position_comes_up() {
        let mut random = Random::new(1);
        let mut counts = [0; 3];
        for _ in 0..1000 {
            counts[random.weighted(&[1.0, 0.0, 3.0]).unwrap()] += 1;
        }
        assert_eq!(counts[1], 0);
        assert!((200..300).contains(&counts[0]), "{counts:?}");
        assert_eq!(random.weighted(&[0.0, 0.0]), None);
    }
}

//! The genetic algorithm of Wegener, Baresel and Sthamer: sub-populations that differ in how boldly they mutate, and
//! compete for individuals.
//!
//! Each generation of a sub-population is ranked linearly; parents are chosen by stochastic universal sampling,
//! recombined gene by gene, and mutated as breeders do; the fittest survive. How well a sub-population does compared
//! with the others decides, every few generations, how many individuals it has in the next ones. Now and
//! then some individuals migrate.

use super::mutate::mutated;
use super::{Evaluate, Settings, Sought};
use crate::random::Random;
use testwright_abi::climb::{Variable, start};
use testwright_abi::fitness::Fitness;

/// A population under evolution.
#[derive(Debug)]
pub struct Genetic<'a> {
    settings: &'a Settings,
    random: Random,
    seed: u64,
    tribes: Vec<Tribe>,
    evaluations: u64,
}

/// A sub-population.
#[derive(Debug, Clone, Default)]
struct Tribe {
    individuals: Vec<Individual>,
    /// A running mean of its rank among the others.
    progress: f64,
}

#[derive(Debug, Clone)]
struct Individual {
    values: Vec<u64>,
    fitness: Fitness,
}

/// Why a generation was not finished.
enum Break {
    Found(Vec<u64>),
    Over,
}

impl<'a> Genetic<'a> {
    /// A population that is yet to be born.
    #[must_use]
    pub fn new(settings: &'a Settings, seed: u64) -> Genetic<'a> {
        Genetic { settings, random: Random::new(seed), seed, tribes: Vec::new(), evaluations: 0 }
    }

    /// Evolves until the target is hit or there were so many evaluations.
    ///
    /// # Errors
    /// As [`Evaluate::score`].
    pub fn seek(mut self, evaluate: &mut dyn Evaluate, evaluations: u64) -> Result<Sought, String> {
        let mut step = self.be_born(evaluate, evaluations)?;
        let mut generation = 0;
        while step.is_none() {
            generation += 1;
            for tribe in 0..self.tribes.len() {
                step = self.evolve(evaluate, tribe, evaluations)?;
                if step.is_some() {
                    break;
                }
            }
            self.rank_tribes();
            if generation % self.settings.competition == 0 {
                self.compete();
            }
            if generation % self.settings.migration_interval == 0 {
                self.migrate();
            }
        }
        let found = match step {
            Some(Break::Found(values)) => Some(values),
            _ => None,
        };
        Ok(Sought { found, evaluations: self.evaluations })
    }

    fn be_born(&mut self, evaluate: &mut dyn Evaluate, limit: u64) -> Result<Option<Break>, String> {
        let count = self.settings.subpopulations as usize;
        let mut number = 0;
        for tribe in 0..count {
            let size = (tribe + 1) * self.settings.population as usize / count
                - tribe * self.settings.population as usize / count;
            let rows: Vec<Vec<u64>> = (0..size)
                .map(|_| {
                    let mut values = vec![0; evaluate.variables().len()];
                    start(evaluate.variables(), &mut values, self.seed, number);
                    number += 1;
                    values
                })
                .collect();
            let (individuals, step) = self.judge(evaluate, rows, limit)?;
            self.tribes.push(Tribe { individuals, progress: 0.0 });
            if step.is_some() {
                return Ok(step);
            }
        }
        Ok(None)
    }

    /// Individuals with these values.
    fn judge(
        &mut self,
        evaluate: &mut dyn Evaluate,
        mut rows: Vec<Vec<u64>>,
        limit: u64,
    ) -> Result<(Vec<Individual>, Option<Break>), String> {
        let left = usize::try_from(limit - self.evaluations).unwrap_or(usize::MAX);
        let wanted = rows.len();
        rows.truncate(left);
        let scores = evaluate.score(&rows)?;
        self.evaluations += scores.len() as u64;
        if scores.last().is_some_and(Fitness::is_hit) {
            return Ok((Vec::new(), Some(Break::Found(rows.swap_remove(scores.len() - 1)))));
        }
        let over = (scores.len() < wanted).then_some(Break::Over);
        let pairs = rows.into_iter().zip(scores);
        Ok((pairs.map(|(values, fitness)| Individual { values, fitness }).collect(), over))
    }

    /// One generation of a tribe.
    fn evolve(
        &mut self,
        evaluate: &mut dyn Evaluate,
        tribe: usize,
        limit: u64,
    ) -> Result<Option<Break>, String> {
        self.tribes[tribe].individuals.sort_by_key(|individual| individual.fitness);
        let size = self.tribes[tribe].individuals.len();
        let parents = self.sample(size);
        let range = self.settings.step.powi(tribe as i32 + 1);
        let mut rows = Vec::with_capacity(size);
        for pair in parents.chunks(2) {
            let (a, b) = (pair[0], pair[pair.len() - 1]);
            for (one, other) in [(a, b), (b, a)].into_iter().take(size - rows.len()) {
                let individuals = &self.tribes[tribe].individuals;
                let mut child = individuals[one].values.clone();
                for (gene, value) in child.iter_mut().enumerate() {
                    if self.random.below(2) == 0 {
                        *value = individuals[other].values[gene];
                    }
                }
                self.mutate(evaluate.variables(), &mut child, range);
                rows.push(child);
            }
        }
        let (mut children, step) = self.judge(evaluate, rows, limit)?;
        if step.is_some() {
            return Ok(step);
        }
        children.sort_by_key(|individual| individual.fitness);
        let survivors = (self.settings.elite * size as f64).ceil() as usize;
        let individuals = &mut self.tribes[tribe].individuals;
        individuals.truncate(survivors);
        children.truncate(size - survivors);
        individuals.append(&mut children);
        Ok(None)
    }

    /// Stochastic universal sampling over linear ranks: `size` positions, the best being 0, shuffled into pairs.
    fn sample(&mut self, size: usize) -> Vec<usize> {
        let mut chosen = Vec::with_capacity(size);
        let mut pointer = self.random.fraction();
        let mut sum = 0.0;
        for position in 0..size {
            sum += rank(position, size, self.settings.pressure);
            while pointer < sum && chosen.len() < size {
                chosen.push(position);
                pointer += 1.0;
            }
        }
        chosen.resize(size, 0);
        shuffle(&mut chosen, &mut self.random);
        chosen
    }

    /// Each gene with probability 1 / length.
    fn mutate(&mut self, variables: &[Variable], child: &mut [u64], range: f64) {
        let length = child.len();
        for (value, variable) in child.iter_mut().zip(variables) {
            if self.random.below(length) == 0 {
                *value = mutated(variable, *value, range, self.settings.digits, &mut self.random);
            }
        }
    }

    /// Brings the progress of the tribes up to date.
    fn rank_tribes(&mut self) {
        let means: Vec<f64> = self.tribes.iter().map(Tribe::mean).collect();
        for (position, tribe) in ascending(&means).into_iter().enumerate() {
            let rank = rank(position, means.len(), self.settings.pressure);
            let progress = &mut self.tribes[tribe].progress;
            *progress = self.settings.memory * *progress + (1.0 - self.settings.memory) * rank;
        }
    }

    /// Weaker tribes hand individuals to stronger ones: sizes follow the rank of the progress.
    fn compete(&mut self) {
        let losses: Vec<f64> = self.tribes.iter().map(|tribe| -tribe.progress).collect();
        let order = ascending(&losses);
        let total: usize = self.tribes.iter().map(|tribe| tribe.individuals.len()).sum();
        let least = self.settings.least as usize;
        let free = total - least * self.tribes.len();
        let mut sizes = vec![least; self.tribes.len()];
        for (position, tribe) in order.iter().enumerate() {
            let share = rank(position, order.len(), self.settings.pressure) / order.len() as f64;
            sizes[*tribe] += (share * free as f64) as usize;
        }
        // What rounding left over is for the strongest.
        sizes[order[0]] += total - sizes.iter().sum::<usize>();
        let mut homeless = Vec::new();
        for (tribe, size) in self.tribes.iter_mut().zip(&sizes) {
            tribe.individuals.sort_by_key(|individual| individual.fitness);
            let kept = tribe.individuals.len().min(*size);
            homeless.extend(tribe.individuals.drain(kept..));
        }
        for tribe in order {
            let missing = sizes[tribe] - self.tribes[tribe].individuals.len();
            let from = homeless.len() - missing;
            self.tribes[tribe].individuals.extend(homeless.drain(from..));
        }
    }

    /// Some individuals of all tribes change places.
    fn migrate(&mut self) {
        let mut places = Vec::new();
        for tribe in 0..self.tribes.len() {
            let size = self.tribes[tribe].individuals.len();
            let mut all: Vec<usize> = (0..size).collect();
            shuffle(&mut all, &mut self.random);
            let count = (self.settings.migration * size as f64).round() as usize;
            places.extend(all.into_iter().take(count).map(|place| (tribe, place)));
        }
        let mut targets = places.clone();
        shuffle(&mut targets, &mut self.random);
        let migrants: Vec<Individual> =
            places.iter().map(|(tribe, place)| self.tribes[*tribe].individuals[*place].clone()).collect();
        for ((tribe, place), migrant) in targets.into_iter().zip(migrants) {
            self.tribes[tribe].individuals[place] = migrant;
        }
    }
}

impl Tribe {
    fn mean(&self) -> f64 {
        let sum: f64 = self.individuals.iter().map(|individual| individual.fitness.as_f64()).sum();
        sum / self.individuals.len().max(1) as f64
    }
}

/// Linear ranking: how many offspring the one at this position expects, the best being at 0. The mean is 1.
fn rank(position: usize, size: usize, pressure: f64) -> f64 {
    if size < 2 {
        return 1.0;
    }
    pressure - 2.0 * (pressure - 1.0) * position as f64 / (size - 1) as f64
}

/// Positions by ascending value.
fn ascending(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    order
}

fn shuffle<T>(list: &mut [T], random: &mut Random) {
    for index in (1..list.len()).rev() {
        list.swap(index, random.below(index + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testwright_abi::climb::VariableKind;
    use testwright_abi::draw::DrawKind;
    use testwright_abi::fitness::normalised;

    /// Three bytes that should have these values; counts evaluations.
    struct Bytes {
        wanted: [u64; 3],
        variables: Vec<Variable>,
        runs: usize,
    }

    impl Evaluate for Bytes {
        fn variables(&self) -> &[Variable] {
            &self.variables
        }

        fn score(&mut self, rows: &[Vec<u64>]) -> Result<Vec<Fitness>, String> {
            let mut scores = Vec::new();
            for row in rows {
                self.runs += 1;
                let distance = |(value, wanted): (&u64, &u64)| normalised(value.abs_diff(*wanted));
                let sum = row.iter().zip(&self.wanted).map(distance).fold(Fitness::HIT, Fitness::plus);
                scores.push(sum);
                if sum.is_hit() {
                    break;
                }
            }
            Ok(scores)
        }
    }

    fn bytes(wanted: [u64; 3]) -> Bytes {
        let byte = Variable {
            bytes: 1,
            kind: VariableKind::Unsigned as u32,
            high: 255,
            start: DrawKind::Range as u32,
            ..Variable::default()
        };
        Bytes { wanted, variables: vec![byte; 3], runs: 0 }
    }

    #[test]
    fn evolution_finds_what_chance_does_not() {
        let settings = Settings::default();
        for seed in 0..5 {
            let mut evaluate = bytes([17, 200, 3]);
            let sought = Genetic::new(&settings, seed).seek(&mut evaluate, 100_000).unwrap();
            assert_eq!(sought.found.as_deref(), Some(&[17, 200, 3][..]));
            assert_eq!(sought.evaluations as usize, evaluate.runs);
            // Blind chance would need 16 million.
            assert!(sought.evaluations < 50_000, "{}", sought.evaluations);
        }
    }

    #[test]
    fn evaluations_are_limited_and_the_same_seed_does_the_same() {
        let settings = Settings::default();
        let mut evaluate = bytes([1000, 0, 0]);
        let sought = Genetic::new(&settings, 1).seek(&mut evaluate, 1234).unwrap();
        assert_eq!((sought.found, sought.evaluations), (None, 1234));
        let runs = |seed| Genetic::new(&settings, seed).seek(&mut bytes([9, 9, 9]), 100_000).unwrap();
        assert_eq!(runs(4), runs(4));
        assert_ne!(runs(4).evaluations, runs(5).evaluations);
    }

    #[test]
    fn tribes_change_their_sizes_and_lose_nobody() {
        let settings = Settings::default();
        let mut genetic = Genetic::new(&settings, 1);
        assert!(genetic.be_born(&mut bytes([1000, 0, 0]), 10_000).unwrap().is_none());
        for (tribe, progress) in genetic.tribes.iter_mut().zip([0.3, 0.9, 0.1, 0.5, 0.2, 0.7]) {
            tribe.progress = progress;
        }
        genetic.compete();
        let sizes: Vec<usize> = genetic.tribes.iter().map(|tribe| tribe.individuals.len()).collect();
        assert_eq!(sizes.iter().sum::<usize>(), 300);
        assert!(sizes[1] > sizes[5] && sizes[5] > sizes[3] && sizes[2] >= 5, "{sizes:?}");
        genetic.migrate();
        assert_eq!(genetic.tribes.iter().map(|tribe| tribe.individuals.len()).sum::<usize>(), 300);
    }

    #[test]
    fn the_best_has_as_many_offspring_as_the_pressure_says() {
        let settings = Settings::default();
        let mut genetic = Genetic::new(&settings, 3);
        let mut best = 0;
        for _ in 0..1000 {
            let chosen = genetic.sample(50);
            assert_eq!(chosen.len(), 50);
            best += chosen.iter().filter(|position| **position == 0).count();
        }
        assert!((1600..1800).contains(&best), "{best}");
    }
}

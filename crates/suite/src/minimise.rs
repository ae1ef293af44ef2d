//! The few, simple cases that show every goal: greedy set cover, then improvement of each choice.
//!
//! Cases of an earlier suite come before all others, so that its tests stay as they are as long as they show something.
//!
//! 1. Greedy: again and again the case that shows the most goals not shown yet, of those the lightest.
//! 2. A case all of whose goals are shown by others is dropped, heaviest first.
//! 3. A case is replaced by a lighter one that also shows everything only this one shows.
//!
//! The last two steps never add a case, so the result is at most as large as the greedy cover.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// A case that may be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The numbers of the goals that it shows.
    pub goals: BTreeSet<u32>,
    /// How heavy it is; lighter is better.
    pub weight: u64,
    /// Whether it is in the suite that is replaced, and is to stay.
    pub earlier: bool,
}

/// The indices of the candidates to keep, in order.
#[must_use]
pub fn minimise(candidates: &[Candidate]) -> Vec<usize> {
    let mut kept = greedy(candidates, usize::MAX);
    drop_needless(candidates, &mut kept);
    // A replacement can make another case needless, so this is repeated; each round gets lighter.
    while replace_by_lighter(candidates, &mut kept) {
        drop_needless(candidates, &mut kept);
    }
    kept.into_iter().collect()
}

/// How many cases a greedy cover takes: what the number of tests is measured by.
#[must_use]
pub fn greedy_size(candidates: &[Candidate]) -> usize {
    greedy(candidates, usize::MAX).len()
}

/// The indices of so many candidates at most that together show as much as a greedy choice can, in order.
#[must_use]
pub fn most_telling(candidates: &[Candidate], most: usize) -> BTreeSet<usize> {
    greedy(candidates, most)
}

/// What a case adds only gets less while others are taken. So a case whose last known gain still holds, and beats the last
/// known gains of all others, is the best one, and the others need not be asked again.
fn greedy(candidates: &[Candidate], most: usize) -> BTreeSet<usize> {
    let mut missing: BTreeSet<u32> =
        candidates.iter().flat_map(|candidate| &candidate.goals).copied().collect();
    let ranked = |(index, candidate): (usize, &Candidate)| {
        (candidate.earlier, candidate.goals.len(), Reverse((candidate.weight, index)))
    };
    let mut queue: BinaryHeap<_> = candidates.iter().enumerate().map(ranked).collect();
    let mut kept = BTreeSet::new();
    while let Some((earlier, known, Reverse((weight, index)))) = queue.pop().filter(|_| !missing.is_empty()) {
        if kept.len() == most {
            break;
        }
        let goals = &candidates[index].goals;
        let gain = goals.iter().filter(|goal| missing.contains(goal)).count();
        if gain == 0 {
            continue;
        }
        if gain == known {
            kept.insert(index);
            for goal in goals {
                missing.remove(goal);
            }
        } else {
            queue.push((earlier, gain, Reverse((weight, index))));
        }
    }
    kept
}

/// How many kept cases show each goal.
fn shown(candidates: &[Candidate], kept: &BTreeSet<usize>) -> BTreeMap<u32, usize> {
    let mut counts = BTreeMap::new();
    for goal in kept.iter().flat_map(|index| &candidates[*index].goals) {
        *counts.entry(*goal).or_insert(0) += 1;
    }
    counts
}

/// What later cases show is no reason to drop an earlier one.
fn drop_needless(candidates: &[Candidate], kept: &mut BTreeSet<usize>) {
    let earlier: BTreeSet<usize> = kept.iter().copied().filter(|index| candidates[*index].earlier).collect();
    let (mut counts, mut earlier_counts) = (shown(candidates, kept), shown(candidates, &earlier));
    let mut order: Vec<usize> = kept.iter().copied().collect();
    order.sort_by_key(|index| (candidates[*index].earlier, Reverse((candidates[*index].weight, *index))));
    for index in order {
        let goals = &candidates[index].goals;
        let is_earlier = candidates[index].earlier;
        let others = if is_earlier { &earlier_counts } else { &counts };
        if goals.iter().all(|goal| others[goal] > 1) {
            kept.remove(&index);
            for goal in goals {
                *counts.get_mut(goal).expect("it was counted") -= 1;
                earlier_counts.entry(*goal).and_modify(|count| *count -= usize::from(is_earlier));
            }
        }
    }
}

fn replace_by_lighter(candidates: &[Candidate], kept: &mut BTreeSet<usize>) -> bool {
    let mut showing: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, candidate) in candidates.iter().enumerate() {
        candidate.goals.iter().for_each(|goal| showing.entry(*goal).or_default().push(index));
    }
    let all: Vec<usize> = (0..candidates.len()).collect();
    let (mut counts, mut replaced) = (shown(candidates, kept), false);
    for index in kept.clone().into_iter().filter(|index| !candidates[*index].earlier) {
        let Candidate { goals, weight, .. } = &candidates[index];
        let only_here: Vec<u32> = goals.iter().copied().filter(|goal| counts[goal] == 1).collect();
        let others = only_here.first().map_or(&all, |goal| &showing[goal]);
        let is_lighter = |other: &&usize| {
            candidates[**other].weight < *weight
                && !kept.contains(other)
                && only_here.iter().all(|goal| candidates[**other].goals.contains(goal))
        };
        let lighter =
            others.iter().filter(is_lighter).min_by_key(|other| (candidates[**other].weight, **other));
        if let Some(other) = lighter.copied() {
            goals.iter().for_each(|goal| *counts.entry(*goal).or_insert(0) -= 1);
            candidates[other].goals.iter().for_each(|goal| *counts.entry(*goal).or_insert(0) += 1);
            kept.remove(&index);
            kept.insert(other);
            replaced = true;
        }
    }
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn candidate(goals: &[u32], weight: u64) -> Candidate {
        Candidate { goals: goals.iter().copied().collect(), weight, earlier: false }
    }

    #[test]
    fn an_earlier_case_stays_as_long_as_it_shows_something() {
        let earlier = |goals: &[u32]| Candidate { earlier: true, ..candidate(goals, 50) };
        let candidates = [candidate(&[1, 2, 3], 1), earlier(&[1, 2]), earlier(&[3]), candidate(&[4], 1)];
        assert_eq!(minimise(&candidates), [1, 2, 3]);
        let candidates = [candidate(&[1, 2, 3], 1), earlier(&[]), earlier(&[3])];
        assert_eq!(minimise(&candidates), [0, 2]);
    }

    #[test]
    fn of_cases_that_show_the_same_the_lightest_is_kept() {
        let candidates = [candidate(&[1, 2], 9), candidate(&[1, 2], 3), candidate(&[2], 1)];
        assert_eq!(minimise(&candidates), [1]);
    }

    #[test]
    fn a_case_that_later_choices_make_needless_is_dropped() {
        // Greedy takes the middle one first, and then needs both others anyway.
        let candidates = [candidate(&[1, 2, 5], 1), candidate(&[2, 3, 4, 1], 1), candidate(&[3, 4, 6], 1)];
        assert_eq!(minimise(&candidates), [0, 2]);
    }

    #[test]
    fn a_heavy_case_gives_way_to_a_light_one_that_shows_what_only_it_showed() {
        let candidates =
            [candidate(&[1, 2, 3, 4], 90), candidate(&[3, 4, 5, 6, 7], 5), candidate(&[1, 2], 2)];
        assert_eq!(minimise(&candidates), [1, 2]);
    }

    #[test]
    fn nothing_is_made_of_nothing() {
        assert!(minimise(&[]).is_empty());
        assert!(minimise(&[candidate(&[], 1)]).is_empty());
    }

    proptest! {
        #[test]
        fn everything_stays_shown_nothing_is_needless_and_greedy_is_not_exceeded(
            lists in prop::collection::vec((prop::collection::btree_set(0u32..20, 0..8), 0u64..9, any::<bool>()), 0..20)
        ) {
            let candidates: Vec<Candidate> =
                lists.into_iter().map(|(goals, weight, earlier)| Candidate { goals, weight, earlier }).collect();
            let all: BTreeSet<u32> = candidates.iter().flat_map(|candidate| &candidate.goals).copied().collect();
            let kept: BTreeSet<usize> = minimise(&candidates).into_iter().collect();
            let counts = shown(&candidates, &kept);
            prop_assert_eq!(counts.keys().copied().collect::<BTreeSet<_>>(), all);
            prop_assert!(kept.len() <= greedy(&candidates, usize::MAX).len());
            for index in kept.iter().filter(|index| !candidates[**index].earlier) {
                prop_assert!(candidates[*index].goals.iter().any(|goal| counts[goal] == 1));
            }
        }
    }
}

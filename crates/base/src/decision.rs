//! Decisions: boolean expressions of several clauses, as the branches that `&&`, `||` and `?:` were compiled to.
//!
//! Clauses are evaluated in turn, and what one comes to says which one is next, or what the decision comes to: a binary decision
//! diagram. A *way* is what one evaluation takes through it, from the first clause to a value. A clause that is on the way *decides* if
//! the decision could have come out otherwise, had the clause: the clauses that were evaluated keep their values, and those that were not, which
//! nobody can see, have any. A clause that does not decide is *masked*.
//!
//! ```text
//! (a || b) && c      a true, c true: true      a decides (b may be false), and so does c
//!                    a true, c false: false    a is masked by c
//! ```
//!
//! This is masking MC/DC (CAST-10) for languages that evaluate no more than they need. A clause that is written twice is two.

use crate::ids::{FunctionId, OutcomeId, SiteId};
use crate::site::Place;
use crate::subject::Subject;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Decisions with more clauses are only counted.
pub const MAX_CLAUSES: usize = 16;
/// And so are decisions with more ways through them.
pub const MAX_WAYS: usize = 1024;

/// A decision of at least two clauses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The function it is in.
    pub function: FunctionId,
    /// Where its first clause stands.
    pub place: Option<Place>,
    /// The clauses, the first one first; what one leads to comes after it.
    pub clauses: Vec<Clause>,
    /// The site whose outcomes are the ways; none if the outcomes of the clauses tell the ways apart.
    pub site: Option<SiteId>,
}

/// A part of a decision that is true or false by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clause {
    /// The site that has it as outcomes true and false; none for what a call returns, where nothing branches on it.
    pub site: Option<SiteId>,
    /// What comes next if it is true, and if it is false.
    pub next: [Next; 2],
}

/// What comes after a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Next {
    /// Another clause, by its index.
    Clause(usize),
    /// The value of the decision.
    Value(bool),
}

/// One way through a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// The clauses that are evaluated, and what they are.
    pub steps: Vec<(usize, bool)>,
    /// What the decision is.
    pub value: bool,
}

/// What an evaluation of a decision shows about one of its clauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Aspect {
    /// Which clause.
    pub clause: usize,
    /// What the clause is.
    pub holds: bool,
    /// Whether it decides.
    pub decides: bool,
    /// What the decision is.
    pub value: bool,
}

impl Aspect {
    /// In words, after those for what the clause is: `deciding true`, `masked, false`.
    #[must_use]
    pub fn words(&self) -> String {
        format!("{} {}", if self.decides { "deciding" } else { "masked," }, self.value)
    }
}

impl Decision {
    /// Whether goals are made of it.
    #[must_use]
    pub fn is_small(&self) -> bool {
        self.clauses.len() <= MAX_CLAUSES && self.way_count() <= MAX_WAYS
    }

    /// How many ways there are; [`usize::MAX`] if that is too small a number.
    #[must_use]
    pub fn way_count(&self) -> usize {
        self.counts().first().copied().unwrap_or_default()
    }

    /// By clause, how many ways lead on from it.
    fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0_usize; self.clauses.len()];
        for (index, clause) in self.clauses.iter().enumerate().rev() {
            let below = clause.next.iter().map(|next| match next {
                Next::Clause(other) => counts[*other],
                Next::Value(_) => 1,
            });
            counts[index] = below.fold(0, usize::saturating_add);
        }
        counts
    }

    /// By clause, what its outcomes true and false add to the number of the way. The sum of a way is its place in [`Decision::ways`].
    #[must_use]
    pub fn addends(&self) -> Vec<[usize; 2]> {
        let counts = self.counts();
        let below = |clause: &Clause| match clause.next[0] {
            Next::Clause(other) => counts[other],
            Next::Value(_) => 1,
        };
        self.clauses.iter().map(|clause| [0, below(clause)]).collect()
    }

    /// All ways, those first on which earlier clauses are true. To be asked of small decisions only.
    #[must_use]
    pub fn ways(&self) -> Vec<Way> {
        let mut ways = Vec::new();
        let mut open = vec![(Vec::new(), Next::Clause(0))];
        while let Some((steps, next)) = open.pop() {
            match next {
                Next::Value(value) => ways.push(Way { steps, value }),
                Next::Clause(clause) => {
                    for (holds, next) in
                        [(false, self.clauses[clause].next[1]), (true, self.clauses[clause].next[0])]
                    {
                        open.push((steps.iter().copied().chain([(clause, holds)]).collect(), next));
                    }
                }
            }
        }
        ways
    }

    /// Whether the clause at a position of a way decides.
    #[must_use]
    pub fn decides(&self, way: &Way, position: usize) -> bool {
        let (clause, holds) = way.steps[position];
        let mut open = vec![self.clauses[clause].next[usize::from(holds)]];
        let mut seen = vec![false; self.clauses.len()];
        while let Some(next) = open.pop() {
            match next {
                Next::Value(value) if value != way.value => return true,
                Next::Clause(other) if !std::mem::replace(&mut seen[other], true) => {
                    let known = way.steps.iter().find(|(clause, _)| *clause == other);
                    let [if_true, if_false] = self.clauses[other].next;
                    open.extend(known.is_none_or(|(_, holds)| *holds).then_some(if_true));
                    open.extend(known.is_none_or(|(_, holds)| !*holds).then_some(if_false));
                }
                _ => {}
            }
        }
        false
    }

    /// Everything that evaluations can show, each with the ways that show it. To be asked of small decisions only.
    #[must_use]
    pub fn aspects(&self) -> BTreeMap<Aspect, Vec<usize>> {
        let mut aspects: BTreeMap<Aspect, Vec<usize>> = BTreeMap::new();
        for (index, way) in self.ways().iter().enumerate() {
            for (position, (clause, holds)) in way.steps.iter().enumerate() {
                let decides = self.decides(way, position);
                let aspect = Aspect { clause: *clause, holds: *holds, decides, value: way.value };
                aspects.entry(aspect).or_default().push(index);
            }
        }
        aspects
    }

    /// The outcomes that tell that a run took a way, by way; none if there is no telling. To be asked of small decisions only.
    #[must_use]
    pub fn outcomes(&self, subject: &Subject) -> Option<Vec<OutcomeId>> {
        if let Some(site) = self.site {
            return Some(subject.site(site)?.outcomes().collect());
        }
        let last =
            |way: &Way| way.steps.last().and_then(|(clause, holds)| self.outcome(subject, *clause, *holds));
        self.ways().iter().map(last).collect()
    }

    /// The outcome that a clause has of its own.
    #[must_use]
    pub fn outcome(&self, subject: &Subject, clause: usize, holds: bool) -> Option<OutcomeId> {
        let site = subject.site(self.clauses[clause].site?)?;
        (site.outcome_count == 2).then(|| OutcomeId(site.first_outcome.0 + u32::from(!holds)))
    }

    /// Whether every way ends in its own way, so that the outcomes of the clauses tell the ways apart. `has_outcomes` says whether
    /// those of a site are recorded. To be asked of small decisions only.
    #[must_use]
    pub fn is_told_by_clauses(&self, has_outcomes: impl Fn(SiteId) -> bool) -> bool {
        let mut ends: Vec<_> = self.ways().iter().filter_map(|way| way.steps.last().copied()).collect();
        let ways = ends.len();
        ends.sort_unstable();
        ends.dedup();
        let is_recorded = |(clause, _): &(usize, bool)| self.clauses[*clause].site.is_some_and(&has_outcomes);
        ends.len() == ways && ends.iter().all(is_recorded)
    }

    /// Whether these aspects of one clause are a pair that shows that it decides by itself: it is true once and false once, decides both
    /// times, and the decision comes out differently.
    #[must_use]
    pub fn is_pair(one: &Aspect, other: &Aspect) -> bool {
        let decide = one.decides && other.decides;
        one.clause == other.clause && decide && one.holds != other.holds && one.value != other.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Next::{Clause as To, Value as Is};

    fn decision(clauses: &[[Next; 2]]) -> Decision {
        let clauses = clauses.iter().map(|next| Clause { site: None, next: *next }).collect();
        Decision { function: FunctionId(0), place: None, clauses, site: None }
    }

    /// `a T deciding true: 0`, with the letters of the clauses.
    fn told(decision: &Decision) -> Vec<String> {
        let letter = |index: usize| char::from(b'a' + index as u8);
        let way = |way: &Way| {
            let steps = way.steps.iter().map(|(clause, holds)| {
                if *holds { letter(*clause).to_ascii_uppercase() } else { letter(*clause) }
            });
            steps.collect::<String>()
        };
        let ways: Vec<String> = decision.ways().iter().map(way).collect();
        let tell = |(aspect, shown): (&Aspect, &Vec<usize>)| {
            let shown: Vec<&str> = shown.iter().map(|index| ways[*index].as_str()).collect();
            format!("{} {} {}: {}", letter(aspect.clause), aspect.holds, aspect.words(), shown.join(" "))
        };
        decision.aspects().iter().map(tell).collect()
    }

    #[test]
    fn each_clause_of_a_chain_decides_on_one_way_either_way() {
        let and = decision(&[[To(1), Is(false)], [To(2), Is(false)], [Is(true), Is(false)]]);
        assert_eq!(
            told(&and),
            [
                "a false deciding false: a",
                "a true masked, false: ABc Ab",
                "a true deciding true: ABC",
                "b false deciding false: Ab",
                "b true masked, false: ABc",
                "b true deciding true: ABC",
                "c false deciding false: ABc",
                "c true deciding true: ABC",
            ]
        );
        assert!(!and.is_told_by_clauses(|_| true), "no clause has a site here");
    }

    #[test]
    fn what_was_evaluated_masks_and_what_was_not_may_be_anything() {
        // (a || b) && c
        let mixed = decision(&[[To(2), To(1)], [To(2), Is(false)], [Is(true), Is(false)]]);
        assert_eq!(
            told(&mixed),
            [
                "a false masked, false: aBc",
                "a false masked, true: aBC",
                "a false deciding false: ab",
                "a true masked, false: Ac",
                "a true deciding true: AC",
                "b false deciding false: ab",
                "b true masked, false: aBc",
                "b true deciding true: aBC",
                "c false deciding false: Ac aBc",
                "c true deciding true: AC aBC",
            ]
        );
        assert_eq!(mixed.way_count(), mixed.ways().len());
    }

    #[test]
    fn what_chooses_between_clauses_may_decide_either_way() {
        // a ? b : c
        let choice = decision(&[[To(1), To(2)], [Is(true), Is(false)], [Is(true), Is(false)]]);
        let told = told(&choice);
        assert_eq!(
            told[..4],
            [
                "a false deciding false: ac",
                "a false deciding true: aC",
                "a true deciding false: Ab",
                "a true deciding true: AB",
            ]
        );
        let aspects: Vec<Aspect> = choice.aspects().into_keys().collect();
        assert!(Decision::is_pair(&aspects[0], &aspects[3]) && Decision::is_pair(&aspects[1], &aspects[2]));
        assert!(!Decision::is_pair(&aspects[0], &aspects[2]), "false both times");
    }

    #[test]
    fn addends_sum_up_to_the_number_of_the_way() {
        // (a && b || c && d) && (e || f)
        let decision = decision(&[
            [To(1), To(2)],
            [To(4), To(2)],
            [To(3), Is(false)],
            [To(4), Is(false)],
            [Is(true), To(5)],
            [Is(true), Is(false)],
        ]);
        let addends = decision.addends();
        for (index, way) in decision.ways().iter().enumerate() {
            let sum: usize =
                way.steps.iter().map(|(clause, holds)| addends[*clause][usize::from(!*holds)]).sum();
            assert_eq!(sum, index);
        }
    }

    #[test]
    fn outcomes_of_clauses_tell_ways_apart_unless_ways_join() {
        let site = |decision: Decision| {
            let clauses = decision.clauses.into_iter().enumerate();
            let clauses = clauses.map(|(index, clause)| Clause { site: Some(SiteId::of(index)), ..clause });
            Decision { clauses: clauses.collect(), ..decision }
        };
        let chain = site(decision(&[[To(1), Is(false)], [Is(true), Is(false)]]));
        assert!(chain.is_told_by_clauses(|_| true));
        assert!(!chain.is_told_by_clauses(|site| site == SiteId(0)), "nobody records the second");
        let mixed = site(decision(&[[To(2), To(1)], [To(2), Is(false)], [Is(true), Is(false)]]));
        assert!(!mixed.is_told_by_clauses(|_| true));
    }

    #[test]
    fn decisions_of_very_many_ways_are_only_counted() {
        // (a || b) && (c || d) && ..
        let ors = |count: usize| {
            let next = |index: usize| if index + 1 < count { To(2 * index + 2) } else { Is(true) };
            let pair = |index: usize| [[next(index), To(2 * index + 1)], [next(index), Is(false)]];
            decision(&(0..count).flat_map(pair).collect::<Vec<_>>())
        };
        assert!(ors(8).is_small());
        assert!(!ors(9).is_small() && !ors(70).is_small());
    }
}

//! The greedy strategy: a random run or a solved path, whatever promises most per cost.
//!
//! Algorithms 1 and 2 of the paper. A candidate is a path whose only uncovered state is its last one.

use super::bid::Bid;
use super::markov::State;
use super::rewards::Rewards;

/// A path that could be solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Its last state, the only one that is uncovered.
    pub end: State,
    /// What solving it is predicted to cost.
    pub cost: f64,
}

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Choice {
    /// A random run.
    Random,
    /// Solve this candidate.
    Solve(Candidate),
}

/// Algorithm 2, `localOptimal`: the best choice, and its bid. `random_cost` is what a random run costs; the paper has 1.
/// Candidates to be ignored are not passed. A random run wins a tie.
#[must_use]
pub fn local_optimal(
    rewards: &Rewards,
    initial: State,
    random_cost: f64,
    candidates: &[Candidate],
) -> (Choice, Bid) {
    let mut choice = Choice::Random;
    let mut best = Bid { reward: rewards.value(initial), cost: random_cost };
    for candidate in candidates {
        let bid = Bid { reward: rewards.value(candidate.end), cost: candidate.cost };
        if bid.rate() > best.rate() {
            (choice, best) = (Choice::Solve(*candidate), bid);
        }
    }
    (choice, best)
}

/// What Algorithm 1 needs of a program.
pub trait Program {
    /// Where runs begin.
    fn initial(&self) -> State;

    /// The paths that could be solved, those to be ignored left out. Asked again whenever something was covered or ignored.
    fn candidates(&mut self, rewards: &Rewards, into: &mut Vec<Candidate>);

    /// Runs at random and tells `see` of every edge taken, by its state and position.
    fn run(&mut self, see: &mut dyn FnMut(State, usize));

    /// Solves a candidate and runs the answer. False if there is none, or not in time, or the run went elsewhere: the
    /// path is to be ignored from then on.
    fn solve(&mut self, candidate: Candidate, see: &mut dyn FnMut(State, usize)) -> bool;
}

/// Algorithm 1, `greedy`, one step at a time.
#[derive(Debug, Clone)]
pub struct Greedy {
    rewards: Rewards,
    uncovered: usize,
    candidates: Vec<Candidate>,
    /// Whether the candidates are those of now.
    current: bool,
}

impl Greedy {
    /// Before the first step.
    #[must_use]
    pub fn new(rewards: Rewards) -> Greedy {
        let uncovered = (0..rewards.chain().len()).filter(|state| rewards.worth(*state) > 0.0).count();
        Greedy { rewards, uncovered, candidates: Vec::new(), current: false }
    }

    /// What is expected where.
    #[must_use]
    pub fn rewards(&self) -> &Rewards {
        &self.rewards
    }

    /// Whether something is uncovered.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.uncovered > 0
    }

    /// Chooses, does it, and learns from it.
    pub fn step(&mut self, program: &mut impl Program) -> Choice {
        if !self.current {
            self.candidates.clear();
            program.candidates(&self.rewards, &mut self.candidates);
            self.current = true;
        }
        let initial = program.initial();
        let (choice, _) = local_optimal(&self.rewards, initial, 1.0, &self.candidates);
        let mut news = self.cover(initial);
        let mut see = |state: State, position: usize| {
            let edge = self.rewards.chain().edges(state).start + position;
            let target = self.rewards.chain().target(edge);
            self.rewards.observe(state, edge, 1);
            if self.rewards.worth(target) > 0.0 {
                self.rewards.set_worth(target, 0.0);
                news += 1;
            }
        };
        let solved = match choice {
            Choice::Random => {
                program.run(&mut see);
                true
            }
            Choice::Solve(candidate) => program.solve(candidate, &mut see),
        };
        self.uncovered -= news;
        self.current = news == 0 && solved;
        self.rewards.update();
        choice
    }

    fn cover(&mut self, state: State) -> usize {
        let news = usize::from(self.rewards.worth(state) > 0.0);
        self.rewards.set_worth(state, 0.0);
        news
    }
}

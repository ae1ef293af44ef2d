//! Planning: the paper's worked examples, and what must hold for any graph.

use testwright_search::plan::covering::{CoveringError, Meaning, covering};
use testwright_search::plan::greedy::{Candidate, Choice, Greedy, Program, local_optimal};
use testwright_search::plan::markov::{Estimate, MarkovChain};
use testwright_search::plan::mdp::{Action, LARGEST, Mdp, MdpError};
use testwright_search::plan::rewards::{DAMPING, Rewards};
use testwright_search::random::Random;

/// Figure 1's program; block n of the paper is state n - 1. Block 4 returns, so it leads to block 8.
fn figure_1() -> Rewards {
    let successors: [&[usize]; 8] = [&[1, 2], &[2], &[3, 4], &[7], &[5, 7], &[6, 7], &[7], &[]];
    let successors: Vec<Vec<usize>> = successors.iter().map(|next| next.to_vec()).collect();
    Rewards::new(MarkovChain::new(&successors, Estimate::Laplace))
}

/// So many runs over blocks 1, 3, 5, 8.
fn run(rewards: &mut Rewards, times: u64) {
    for (from, to) in [(0, 2), (2, 4), (4, 7)] {
        let edge = rewards.chain().edge(from, to).unwrap();
        rewards.observe(from, edge, times);
    }
    [0, 2, 4, 7].iter().for_each(|state| rewards.set_worth(*state, 0.0));
    rewards.update();
}

/// Compares the reward of a block, by its number in the paper.
fn check(rewards: &Rewards, block: usize, expected: f64) {
    let value = rewards.value(block - 1);
    assert!((value - expected).abs() < 1e-12, "R{block} is {value} instead of {expected}");
}

#[test]
fn figure_1_before_any_run_promises_4_875_blocks() {
    let rewards = figure_1();
    check(&rewards, 1, 4.875);
    check(&rewards, 4, 2.0);
}

#[test]
fn figure_1_after_one_run_has_the_rewards_of_the_text() {
    let mut rewards = figure_1();
    run(&mut rewards, 1);
    for (block, expected) in [(1, 1.0), (2, 5.0 / 3.0), (3, 2.0 / 3.0), (4, 1.0), (5, 0.5), (6, 1.5)] {
        check(&rewards, block, expected);
    }
}

#[test]
fn figure_1_after_n_equal_runs_follows_the_formula() {
    for n in 1..50 {
        let mut rewards = figure_1();
        run(&mut rewards, n);
        let p = 1.0 / (n as f64 + 2.0);
        let r3 = p + 1.5 * p * (1.0 - p);
        check(&rewards, 3, r3);
        check(&rewards, 2, 1.0 + r3);
        check(&rewards, 1, p + r3);
    }
    let mut rewards = figure_1();
    run(&mut rewards, 8);
    check(&rewards, 1, 0.335);
    check(&rewards, 2, 1.235);
}

#[test]
fn figure_1_switches_from_random_to_solving_after_ten_runs() {
    let candidates = [(1, 4.0), (3, 50.0), (5, 50.0)].map(|(end, cost)| Candidate { end, cost });
    for n in 1..20 {
        let mut rewards = figure_1();
        run(&mut rewards, n);
        let (choice, bid) = local_optimal(&rewards, 0, 1.0, &candidates);
        let expected = if n < 10 { Choice::Random } else { Choice::Solve(candidates[0]) };
        assert_eq!(choice, expected, "after {n} runs, by {bid:?}");
    }
}

/// A program whose random runs never leave the first way, and whose second way cannot be solved.
struct Stubborn {
    ignored: bool,
    asked: usize,
}

impl Program for Stubborn {
    fn initial(&self) -> usize {
        0
    }

    fn candidates(&mut self, _rewards: &Rewards, into: &mut Vec<Candidate>) {
        self.asked += 1;
        into.extend((!self.ignored).then_some(Candidate { end: 2, cost: 4.0 }));
    }

    fn run(&mut self, see: &mut dyn FnMut(usize, usize)) {
        see(0, 0);
    }

    fn solve(&mut self, _candidate: Candidate, _see: &mut dyn FnMut(usize, usize)) -> bool {
        self.ignored = true;
        false
    }
}

#[test]
fn a_path_that_cannot_be_solved_is_tried_once() {
    let chain = MarkovChain::new(&[vec![1, 2], vec![], vec![]], Estimate::Laplace);
    let mut greedy = Greedy::new(Rewards::new(chain));
    let mut program = Stubborn { ignored: false, asked: 0 };
    let choices: Vec<Choice> = (0..20).map(|_| greedy.step(&mut program)).collect();
    let solved: Vec<usize> = (0..20).filter(|step| choices[*step] != Choice::Random).collect();
    // Before any run 1/2 of a block is missing nowhere for 4; after n runs it is 1 / (n + 2) for 1 against 1 for 4.
    assert_eq!(solved, [3]);
    assert!(greedy.is_open());
    assert_eq!(program.asked, 3, "candidates are asked for when something was covered or ignored");
}

#[test]
fn an_endless_loop_and_parts_that_cannot_be_reached_have_finite_rewards() {
    // 0 and 1 lead to each other for ever; nothing leads to 2, which leads to itself and to 3.
    let chain = MarkovChain::new(&[vec![1], vec![0], vec![2, 3], vec![]], Estimate::Laplace);
    let rewards = Rewards::new(chain);
    let rounds = 1.0 / (1.0 - DAMPING);
    assert!((rewards.value(0) - rounds).abs() < 1e-6, "{}", rewards.value(0));
    assert!((rewards.value(2) - (1.0 + 0.5) / (1.0 - 0.5 * DAMPING)).abs() < 1e-12);
}

#[test]
fn rewards_brought_up_to_date_are_those_computed_anew() {
    let mut random = Random::new(3);
    for size in [1, 2, 3, 10, 70, 200] {
        let next = |random: &mut Random| {
            let mut next: Vec<usize> = (0..random.below(4)).map(|_| random.below(size)).collect();
            next.sort_unstable();
            next.dedup();
            next
        };
        let successors: Vec<Vec<usize>> = (0..size).map(|_| next(&mut random)).collect();
        let mut rewards = Rewards::new(MarkovChain::new(&successors, Estimate::Laplace));
        for _ in 0..50 {
            let state = random.below(size);
            let edges = rewards.chain().edges(state);
            if random.below(3) == 0 {
                rewards.set_worth(state, f64::from(random.below(2) as u32));
            } else if !edges.is_empty() {
                rewards.observe(state, edges.start + random.below(edges.len()), 1 + random.below(9) as u64);
            }
            rewards.update();
            check_equations(&rewards, size);
        }
    }
}

/// Every value satisfies its equation, damped or not.
fn check_equations(rewards: &Rewards, size: usize) {
    let chain = rewards.chain();
    for state in 0..size {
        let sum = |damping: f64| -> f64 {
            let next = chain.edges(state);
            next.map(|edge| damping * chain.probability(state, edge) * rewards.value(chain.target(edge)))
                .sum()
        };
        let rest = rewards.value(state) - rewards.worth(state);
        let slack = 1e-9 * (1.0 + rest.abs());
        assert!(sum(DAMPING) - slack <= rest && rest <= sum(1.0) + slack, "state {state}: {rest}");
    }
}

/// Figure 2's program: 1 leads to 2 or 3, both lead to 4.
fn figure_2() -> [Vec<(usize, f64)>; 4] {
    [vec![(1, 0.5), (2, 0.5)], vec![(3, 1.0)], vec![(3, 1.0)], vec![]]
}

#[test]
fn figure_2_is_covered_best_at_random_for_3() {
    let covering = covering(&figure_2(), |path| path.len() as f64).unwrap();
    for policy in [covering.mdp.value_iteration().unwrap(), covering.mdp.policy_iteration().unwrap()] {
        assert!((policy.values[0] - 3.0).abs() < 1e-9, "{:?}", policy.values);
        for action in policy.actions.into_iter().flatten() {
            assert_eq!(covering.meanings[action], Meaning::Random);
        }
    }
}

#[test]
fn figure_2_costs_4_if_both_sides_are_solved() {
    let mut covering = covering(&figure_2(), |path| path.len() as f64).unwrap();
    let solves = |path: &[usize]| covering.meanings.iter().position(|m| *m == Meaning::Solve(path.to_vec()));
    let (left, right) = (solves(&[0, 1]).unwrap(), solves(&[0, 2]).unwrap());
    // Only these two actions are left, so the best policy is SE(12), then SE(13), or the other way round.
    let only = |actions: &Vec<Action>| match actions.len() {
        0 => Vec::new(),
        _ => vec![actions[left].clone(), actions[right].clone()],
    };
    covering.mdp = Mdp::new(covering.mdp.states().iter().map(only).collect()).unwrap();
    assert!((covering.mdp.policy_iteration().unwrap().values[0] - 4.0).abs() < 1e-9);
}

#[test]
fn value_and_policy_iteration_agree_on_processes_with_loops() {
    let mut random = Random::new(11);
    for _ in 0..50 {
        let count = 2 + random.below(12);
        let action = |random: &mut Random| {
            let first = random.below(count);
            // Every action may reach the goal, the last state, so that some policy does for certain.
            let (here, there) = (0.9 * random.fraction(), 0.01 + 0.04 * random.fraction());
            let rest = (random.below(count), 1.0 - here - there);
            Action { cost: 1.0 + random.fraction(), next: vec![(first, here), (count - 1, there), rest] }
        };
        let mut states: Vec<Vec<Action>> =
            (1..count).map(|_| (0..1 + random.below(3)).map(|_| action(&mut random)).collect()).collect();
        states.push(Vec::new());
        let mdp = Mdp::new(states).unwrap();
        let (by_value, by_policy) = (mdp.value_iteration().unwrap(), mdp.policy_iteration().unwrap());
        for (one, other) in by_value.values.iter().zip(&by_policy.values) {
            assert!((one - other).abs() <= 1e-6 * other, "{by_value:?} {by_policy:?}");
        }
    }
}

#[test]
fn what_cannot_be_solved_is_refused_with_its_reason() {
    let stay = Action { cost: 1.0, next: vec![(0, 1.0)] };
    let trap = Mdp::new(vec![vec![stay.clone()], vec![]]).unwrap();
    assert_eq!(trap.value_iteration(), Err(MdpError::Hopeless(0)));
    assert_eq!(trap.policy_iteration(), Err(MdpError::Hopeless(0)));
    let free = Action { cost: 0.0, ..stay.clone() };
    assert_eq!(Mdp::new(vec![vec![stay, free]]), Err(MdpError::Malformed { state: 0, action: 1 }));
    let odd = Action { cost: 1.0, next: vec![(0, 0.5)] };
    assert_eq!(Mdp::new(vec![vec![odd]]), Err(MdpError::Malformed { state: 0, action: 0 }));
    let error = covering(&[vec![(1, 1.0)], vec![(0, 1.0)]], |_| 1.0).unwrap_err();
    assert_eq!(error, CoveringError::Loop(0));
}

/// Branches in a row whose sides meet again before the next one.
fn diamonds(count: usize) -> Vec<Vec<(usize, f64)>> {
    let mut program = Vec::new();
    for branch in 0..count {
        let next = 3 * branch + 3;
        program.extend([vec![(next - 2, 0.5), (next - 1, 0.5)], vec![(next, 1.0)], vec![(next, 1.0)]]);
    }
    program.push(Vec::new());
    program
}

#[test]
fn a_program_that_is_too_large_is_refused_with_its_size() {
    let error = covering(&diamonds(9), |_| 1.0).unwrap_err();
    let CoveringError::Mdp(MdpError::TooLarge { transitions, .. }) = error else {
        panic!("{error}");
    };
    assert!(transitions > LARGEST);
    assert!(error.to_string().contains(&transitions.to_string()), "{error}");
    assert!(matches!(covering(&diamonds(20), |_| 1.0), Err(CoveringError::ManyPaths(_))));
    assert_eq!(covering(&diamonds(30), |_| 1.0).unwrap_err(), CoveringError::ManyStates(91));
}

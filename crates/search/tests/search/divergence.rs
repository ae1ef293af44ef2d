//! Runs that do not do what they were made for.

use crate::program::{Program, case};
use crate::programs::{cube, nested};
use crate::solver::Exact;
use testwright_base::case::Case;
use testwright_base::ids::FunctionId;
use testwright_logic::solve::Model;
use testwright_search::concolic::{Config, Limits, Search, StopReason};
use testwright_search::execute::{Execute, Traced};
use testwright_search::tree::State;

/// Runs a program, but changes cases wrongly.
struct Wrong {
    program: Program,
    change: fn(&Case, Case) -> Case,
}

impl Execute for Wrong {
    fn trace(&mut self, case: &Case) -> Result<Traced, String> {
        self.program.trace(case)
    }

    fn change(&self, case: &Case, model: &Model, fill: &[u128]) -> Case {
        (self.change)(case, self.program.change(case, model, fill))
    }
}

fn explore(program: Program, change: fn(&Case, Case) -> Case, look: impl FnOnce(&Search<'_>)) -> StopReason {
    let subject = program.subject.clone();
    let config = Config { strategy: "breadth-first".parse().unwrap(), ..Config::default() };
    let mut search = Search::new(config, &subject, FunctionId(0), case(&[0, 0, 0], &[]));
    let limits = Limits { runs: Some(100), ..Limits::default() };
    let reason = search.run(&mut Wrong { program, change }, &mut Exact, &limits, &mut |_| {});
    look(&search);
    reason
}

#[test]
fn a_run_that_takes_the_known_way_diverges_at_the_node() {
    let reason = explore(
        cube(),
        |before, _| before.clone(),
        |search| {
            assert_eq!(search.counts().divergences, 3);
            assert_eq!(search.runs().len(), 4);
            for divergence in search.divergences() {
                assert_eq!(divergence.left_at, Some(divergence.node));
                assert!(divergence.reached);
                assert_eq!(search.tree().node(divergence.node).state, State::Diverged);
            }
        },
    );
    assert_eq!(reason, StopReason::Exhausted);
}

#[test]
fn a_run_that_leaves_the_path_too_early_diverges_above_the_node() {
    // The second flip, of the second decision, goes astray at the first.
    let astray = |_: &Case, after: Case| {
        if after == case(&[17, 170, 0], &[]) { case(&[1, 170, 0], &[]) } else { after }
    };
    explore(nested(), astray, |search| {
        assert_eq!(search.counts().divergences, 1);
        let divergence = search.divergences()[0];
        assert_eq!(divergence.left_at, search.tree().root());
        assert!(!divergence.reached);
        assert_eq!(search.tree().node(divergence.node).state, State::Diverged);
    });
}

/// Runs a program on other inputs from the second time on.
struct Fickle {
    program: Program,
    runs: usize,
}

impl Execute for Fickle {
    fn trace(&mut self, _case: &Case) -> Result<Traced, String> {
        self.runs += 1;
        let x = [0, 20, 20, 20][self.runs.min(4) - 1];
        self.program.trace(&case(&[x, x, x], &[]))
    }

    fn change(&self, case: &Case, model: &Model, fill: &[u128]) -> Case {
        self.program.change(case, model, fill)
    }
}

#[test]
fn a_run_that_cannot_be_repeated_is_a_divergence_and_nothing_is_claimed_impossible() {
    let program = cube();
    let subject = program.subject.clone();
    let strategy = "breadth-first".parse().unwrap();
    let config = Config { strategy, trace_memory: 1, ..Config::default() };
    let mut search = Search::new(config, &subject, FunctionId(0), case(&[0, 0, 0], &[]));
    let reason = search.run(&mut Fickle { program, runs: 0 }, &mut Exact, &Limits::default(), &mut |_| {});
    assert_eq!(reason, StopReason::Exhausted);
    assert!(search.counts().divergences > 0);
    assert_eq!(search.counts().unsat, 0);
}

//! A criterion of a test's own: what it takes to add one.

use crate::machine::{Machine, Word};
use crate::program::{Arguments, Ending, Program, case, numbers, subject};
use crate::solver::Exact;
use std::rc::Rc;
use testwright_base::goal::Goal;
use testwright_base::ids::FunctionId;
use testwright_base::run::End;
use testwright_base::site::SiteKind;
use testwright_base::subject::Subject;
use testwright_logic::expr::{ExprId, Exprs};
use testwright_logic::path::{Constraint, Step};
use testwright_search::concolic::{Config, Search, Source, StopReason, Way};
use testwright_search::execute::Traced;
use testwright_search::goals::{ALL, Criteria, Criterion};

/// Both sides of a comparison are equal, at the outcome that has that.
struct Edge;

/// What is compared with a constant at a step, and the constant.
fn compared(exprs: &Exprs, step: &Step) -> Option<(ExprId, u128)> {
    let sides: Vec<ExprId> = exprs.get(step.expr).operands().collect();
    let [limit, side] = sides[..] else { return None };
    Some((side, exprs.get(limit).constant()?))
}

impl Criterion for Edge {
    fn name(&self) -> &'static str {
        "edge"
    }

    fn about(&self) -> &'static str {
        "Both sides of a comparison are equal"
    }

    fn goals(&self, subject: &Subject) -> Vec<Goal> {
        let branches = subject.sites.iter().filter(|site| site.kind == SiteKind::Branch);
        let goal = |site: &testwright_base::site::Site| Goal {
            criterion: self.name(),
            function: site.function,
            outcome: site.outcomes().last().expect("a branch has two"),
            detail: "on the edge".to_owned(),
            shown_by: Vec::new(),
        };
        branches.map(goal).collect()
    }

    fn is_met(&self, subject: &Subject, goal: &Goal, traced: Option<&Traced>) -> bool {
        let Some((traced, (site, _))) = traced.zip(subject.outcome(goal.outcome)) else { return false };
        let here = traced.path.steps().iter().filter(|step| step.site == Some(site.0));
        let mut compared = here.filter_map(|step| compared(&traced.exprs, step));
        compared.any(|(side, limit)| traced.exprs.get(side).value == limit)
    }

    fn has_wishes(&self) -> bool {
        true
    }

    fn wish(&self, _: &Subject, _: &Goal, exprs: &mut Exprs, step: &Step) -> Option<Constraint> {
        compared(exprs, step).map(|(side, limit)| Constraint::Equals(side, limit))
    }
}

/// `if (50 < x + 7) ..`
fn limited() -> Program {
    let body = |machine: &mut Machine<'_>, arguments: &Arguments| {
        let sum = machine.add(arguments.scalars[0], Word::of(7));
        let is_more = machine.less(Word::of(50), sum);
        machine.branch(0, is_more);
        End::Returned
    };
    let blocks: &[(&[u32], Ending)] = &[(&[1, 2], Ending::Branch), (&[], Ending::Goto), (&[], Ending::Goto)];
    Program { subject: subject(blocks), scalars: 1, has_array: false, body, measured: |_| Vec::new() }
}

#[test]
fn a_new_criterion_is_met_by_solving_what_it_wishes() {
    let mut program = limited();
    let subject = program.subject.clone();
    let all: Vec<&dyn Criterion> = ALL.into_iter().chain([&Edge as &dyn Criterion]).collect();
    let criteria = Rc::new(Criteria::new(&subject, &all, ["branch", "edge"]));
    let mut search = Search::with_criteria(
        Config::default(),
        Rc::clone(&criteria),
        &subject,
        FunctionId(0),
        case(&[0], &[]),
    );
    let goals = criteria.goals();
    let edge = goals.within(FunctionId(0), "edge").next().expect("a goal").0;
    assert_eq!((goals.len(), search.coverage().goals().len()), (3, 3));
    assert_eq!(
        search.augment(&mut program, &mut Exact, None),
        Err(StopReason::Declined),
        "nothing came close"
    );
    while search.coverage().open_goals().len() > 1 {
        search.step(&mut program, &mut Exact, Way::Strategy(0), None).expect("a step");
    }
    assert!(search.coverage().open_goals().contains(&edge), "flips do not come there by chance");
    let step = search.augment(&mut program, &mut Exact, None).expect("a step");
    assert_eq!((step.by, step.new_goals), (Source::Augmented, vec![edge]));
    assert!(search.coverage().open_goals().is_empty());
    let best = &search.archive().best()[&edge];
    assert_eq!(numbers(&best.case).0, [43]);
}

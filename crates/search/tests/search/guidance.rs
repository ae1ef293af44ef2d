//! What guides frontiers: approach levels, the map of the code, distances of runs, rewarding values.

use crate::program::{Program, add_site, case, usual_goals};
use crate::programs::{greeting, nested, test_loop};
use std::collections::BTreeSet;
use testwright_base::ids::{BlockId, FunctionId, GoalId, OutcomeId, SiteId};
use testwright_base::sample::{block, calling};
use testwright_base::site::SiteKind;
use testwright_base::subject::{Callee, Precedence};
use testwright_logic::path::Constraint;
use testwright_logic::solve::Model;
use testwright_search::approach::{Approach, Count, closeness};
use testwright_search::coverage::{Coverage, Shown};
use testwright_search::execute::Execute;
use testwright_search::map::{CodeMap, UNREACHABLE};
use testwright_search::measure::{Distances, STRING_SPAN};
use testwright_search::random::Random;
use testwright_search::reward::Rewards;
use testwright_search::run_fitness::RunFitness;
use testwright_search::scope::scope;
use testwright_search::tree::{Branch, RunId};

fn distances(program: &mut Program, scalars: &[i64], elements: &[i64]) -> Distances {
    let traced = program.trace(&case(scalars, elements)).unwrap();
    Distances::new(&program.subject, &traced, &[])
}

#[test]
fn the_approach_level_counts_the_guards_that_are_left() {
    let mut program = nested();
    let coverage = Coverage::new(
        &program.subject,
        usual_goals(&program.subject),
        scope(&program.subject, FunctionId(0), &BTreeSet::new()),
        None,
    );
    let innermost = OutcomeId(4);
    let levels = Approach::new(&program.subject, coverage.scope(), Count::Blocks).levels(innermost);
    assert_eq!(levels, [(OutcomeId(2), 1), (OutcomeId(0), 2)]);
    // 17 away from the outer guard; then inside it and 170 away from the inner one.
    assert_eq!(closeness(&levels, &distances(&mut program, &[0, 0, 0], &[])), Some(2.0 + 17.0 / 18.0));
    assert_eq!(closeness(&levels, &distances(&mut program, &[17, 0, 0], &[])), Some(1.0 + 170.0 / 171.0));
}

#[test]
fn a_target_in_a_callee_is_approached_through_the_guards_of_its_call() {
    let mut subject = nested().subject;
    let mut callee = calling("callee", &[]);
    callee.blocks = vec![block(&[1, 2]), block(&[]), block(&[])];
    subject.functions.push(callee);
    add_site(&mut subject, FunctionId(1), BlockId(0), SiteKind::Branch, 2);
    let mut call = calling("f", &[Callee::Defined(FunctionId(1))]).calls;
    call[0].block = BlockId(1);
    subject.functions[0].calls = call;
    let coverage = Coverage::new(
        &subject,
        usual_goals(&subject),
        scope(&subject, FunctionId(0), &BTreeSet::new()),
        None,
    );
    assert_eq!(coverage.goals().len(), 8);
    let levels = Approach::new(&subject, coverage.scope(), Count::Blocks).levels(OutcomeId(6));
    assert_eq!(levels, [(OutcomeId(0), 2)]);
    let levels = |count, target| Approach::new(&subject, coverage.scope(), count).levels(target);
    assert_eq!(levels(Count::Decisions, OutcomeId(6)), [(OutcomeId(0), 1)], "the call is no decision");
    let [blocks, decisions] = [Count::Blocks, Count::Decisions].map(|count| levels(count, OutcomeId(4)));
    assert_eq!(blocks, decisions, "within a function without checks");
}

#[test]
fn the_smallest_of_all_evaluations_counts() {
    let mut program = test_loop();
    let target = program.subject.sites[2].first_outcome;
    assert_eq!(distances(&mut program, &[90], &[0, 12, 40]).get(target), Some(3.0));
    assert_eq!(distances(&mut program, &[90], &[0, 15, 40]).get(target), Some(0.0));
    assert_eq!(distances(&mut program, &[0], &[0, 12, 40]).get(target), None);
}

#[test]
fn strings_are_closer_the_more_bytes_match() {
    let mut program = greeting();
    let mut distance = |text: &str| {
        let elements: Vec<i64> = text.bytes().map(i64::from).collect();
        distances(&mut program, &[], &elements).get(OutcomeId(0)).unwrap()
    };
    let ladder = ["xo!", "Gx!", "Go?", "Go!"].map(&mut distance);
    assert!(ladder[0] > STRING_SPAN, "{ladder:?}");
    assert!(ladder.is_sorted_by(|farther, nearer| farther > nearer), "{ladder:?}");
    assert_eq!(ladder[3], 0.0);
}

#[test]
fn the_map_knows_the_way_to_what_is_not_covered() {
    let subject = nested().subject;
    let mut coverage = Coverage::new(
        &subject,
        usual_goals(&subject),
        scope(&subject, FunctionId(0), &BTreeSet::new()),
        None,
    );
    let mut map = CodeMap::default();
    let to = |map: &CodeMap, coverage: &Coverage, site, outcome| {
        map.distance_from(&subject, coverage, Branch { site, outcome })
    };
    let behind = |map: &CodeMap, coverage: &Coverage, site, outcome| {
        map.goals_from(&subject, coverage, Branch { site, outcome })
    };
    assert_eq!(to(&map, &coverage, 0, 1), 0, "the other side is a goal itself");
    assert_eq!(behind(&map, &coverage, 0, 1), 4);
    assert_eq!(behind(&map, &coverage, 0, 0), 0);
    let goals = [0, 1, 2, 3].map(GoalId);
    coverage.add(RunId(0), &[0, 1, 2, 3].map(OutcomeId), &goals, Shown::Well);
    map.update(&subject, &coverage);
    assert_eq!(to(&map, &coverage, 0, 1), 2);
    assert_eq!(to(&map, &coverage, 1, 1), 1);
    assert_eq!(to(&map, &coverage, 0, 0), UNREACHABLE);
    assert_eq!(behind(&map, &coverage, 0, 1), 2);
}

#[test]
fn values_that_helped_are_offered_and_those_that_did_not_are_forgotten() {
    let mut program = test_loop();
    let mut trace = |elements: &[i64]| program.trace(&case(&[90], elements)).unwrap();
    let (zero, fifteen, longer) = (trace(&[0]), trace(&[15]), trace(&[0, 7]));
    let mut rewards = Rewards::default();
    rewards.judge(&zero, &fifteen, true);
    assert_eq!(rewards.values(), [15], "the length is no element");
    rewards.judge(&zero, &longer, true);
    assert_eq!(rewards.values(), [7, 15], "what helped lately comes first");
    for _ in 0..8 {
        rewards.judge(&zero, &longer, false);
    }
    assert_eq!(rewards.values(), [15]);
}

#[test]
fn a_changed_element_takes_a_rewarding_value_only_where_the_constraints_allow_it() {
    let mut program = test_loop();
    let mut trace = |elements: &[i64]| program.trace(&case(&[90], elements)).unwrap();
    let (zero, fifteen) = (trace(&[0]), trace(&[15]));
    let mut rewards = Rewards::default();
    rewards.judge(&zero, &fifteen, true);
    let element = zero.slots.iter().position(Option::is_some).unwrap() as u32;
    // The loop compares its element with 15, so one constraint of the path excludes the rewarding value.
    let path: Vec<_> = zero.path.steps().iter().map(|step| step.constraint.clone()).collect();
    let chosen = |constraints: &[Constraint]| -> BTreeSet<u128> {
        let mut random = Random::new(1);
        let prefer =
            |_| rewards.prefer(&zero, constraints, Model::from([(element, 3)]), &mut random)[&element];
        (0..40).map(prefer).collect()
    };
    assert_eq!(chosen(&[]), BTreeSet::from([3, 15]), "the solver's own value stays a choice");
    assert_eq!(chosen(&path), BTreeSet::from([3]));
}

#[test]
fn a_chain_leads_from_what_sets_a_variable_to_what_asks() {
    let mut subject = nested().subject;
    let (target, setting) = (OutcomeId(4), OutcomeId(2));
    subject.precedences = vec![Precedence { outcome: target, after: vec![setting], anyway: false }];
    let coverage = Coverage::new(
        &subject,
        usual_goals(&subject),
        scope(&subject, FunctionId(0), &BTreeSet::new()),
        None,
    );
    let index = coverage.targets().iter().position(|outcome| *outcome == target).unwrap();
    let prerequisites = RunFitness::new(&subject, &coverage).prerequisites(index, &subject);
    assert!(!prerequisites.is_empty());
    assert_eq!(prerequisites.setting(|_| true), BTreeSet::from([setting]));
    let deciding = Approach::new(&subject, coverage.scope(), Count::Blocks).levels(setting);
    let nearest: BTreeSet<OutcomeId> =
        deciding.iter().filter(|(_, level)| *level == 1).map(|(outcome, _)| *outcome).collect();
    assert!(!nearest.is_empty());
    assert_eq!(
        prerequisites.setting(|outcome| outcome != setting),
        nearest,
        "what it depends on stands for it"
    );
    assert_eq!(prerequisites.setting(|_| false), BTreeSet::new());
    assert!(prerequisites.asking(|_| true).contains(&target));
}

#[test]
fn a_match_counts_for_the_function_whose_result_is_asked() {
    let mut program = greeting();
    // A branch that leaves no trace, as on a pointer that a library function returned.
    add_site(&mut program.subject, FunctionId(0), BlockId(0), SiteKind::Branch, 2);
    let (site, asked) = (SiteId(3), program.subject.sites[3].first_outcome);
    let traced = program.trace(&case(&[], &[71, 111, 63])).unwrap();
    let mut distance = |results: Vec<(SiteId, FunctionId)>| {
        program.subject.results = results;
        Distances::new(&program.subject, &traced, &[(asked, 1)]).get(asked)
    };
    let matched = distance(vec![(site, FunctionId(1))]);
    assert!(matched < Some(1.5), "{matched:?}");
    assert_eq!(distance(vec![(site, FunctionId(0))]), Some(1.5), "somebody else matched");
    assert_eq!(distance(vec![]), matched, "nobody knows who is asked");
}

//! Target searches go on inside the worker, over escapes and crashes, and say why they end.

use testwright_abi::climb::{Climber, Variable, VariableKind};
use testwright_abi::command::CommandKind;
use testwright_abi::draw::DrawKind;
use testwright_abi::fitness::{Fitness, Level};
use testwright_abi::target_search::{Stop, TargetSearch};
use testwright_process::{Answer, Request, SearchProblem};

use crate::batch::TRIANGLE;
use crate::support::{ARGUMENTS, Fixture, LIMIT, Outcome, command};

/// Three small numbers, and no distances: only chance hits the outcomes of the fixture.
fn variables() -> Vec<Variable> {
    let variable = |index: u64| Variable {
        address: ARGUMENTS + 8 * index,
        bytes: 4,
        kind: VariableKind::Signed as u32,
        low: 0,
        high: 7,
        start: DrawKind::Range as u32,
        precision: 0,
    };
    (0..3).map(variable).collect()
}

fn search(
    fixture: &mut Fixture,
    kind: CommandKind,
    mut area: TargetSearch,
    rows: &[Vec<u64>],
) -> (Outcome, TargetSearch) {
    fixture.write(&[0; 8]);
    let levels = [Level { outcome: area.target, ..Level::default() }];
    let (segment, variables) = (fixture.worker.segment_mut(), variables());
    let problem = SearchProblem { variables: &variables, levels: &levels, nodes: &[] };
    segment.write_problem(&mut area, &problem).unwrap();
    area.row_count = segment.write_rows(rows) as u32;
    segment.set_target_search(&area);
    let outcome = fixture.give(command(kind, TRIANGLE), &Request::default(), LIMIT);
    let area = fixture.worker.segment().target_search();
    (outcome, area)
}

#[test]
fn a_climb_ends_with_the_values_that_hit_the_target() {
    let mut fixture = Fixture::new("batch");
    for target in 0..5 {
        let area = TargetSearch {
            target,
            evaluations: 100_000,
            nanoseconds: 5_000_000_000,
            climber: Climber::new(3),
            ..TargetSearch::default()
        };
        let (outcome, area) = search(&mut fixture, CommandKind::Climb, area, &[]);
        assert!(matches!(outcome.answer, Answer::Done { .. }));
        assert_eq!(area.stop, Stop::Hit as u32, "{area:?}");
        let values: Vec<i64> = fixture.worker.segment().values(3).iter().map(|value| *value as i64).collect();
        fixture.run(TRIANGLE, &values);
        assert_ne!(fixture.worker.segment().coverage(5)[target as usize], 0, "{values:?}");
    }
}

#[test]
fn a_climb_ends_after_its_evaluations_or_its_time() {
    let mut fixture = Fixture::new("batch");
    let area = TargetSearch {
        target: 40,
        evaluations: 777,
        nanoseconds: 5_000_000_000,
        climber: Climber::new(3),
        ..TargetSearch::default()
    };
    let (_, after) = search(&mut fixture, CommandKind::Climb, area, &[]);
    assert_eq!((after.stop, after.climber.evaluations), (Stop::Evaluations as u32, 777));
    let area = TargetSearch { evaluations: u64::MAX, nanoseconds: 1_000_000, ..area };
    let (_, after) = search(&mut fixture, CommandKind::Climb, area, &[]);
    assert_eq!(after.stop, Stop::Time as u32);
}

#[test]
fn rows_are_judged_until_one_hits() {
    let mut fixture = Fixture::new("batch");
    let area = TargetSearch { target: 40, nanoseconds: 5_000_000_000, ..TargetSearch::default() };
    let rows: Vec<Vec<u64>> = (0..10).map(|row| vec![row, 2, 3]).collect();
    let (_, after) = search(&mut fixture, CommandKind::Score, area, &rows);
    assert_eq!((after.stop, after.row), (Stop::Evaluations as u32, 10));
    assert_eq!(fixture.worker.segment().scores(10), [Fitness::WORST; 10]);
}

#[test]
fn a_hunt_that_makes_no_sense_is_refused() {
    let mut fixture = Fixture::new("batch");
    let area = TargetSearch { target: 1 << 30, ..TargetSearch::default() };
    fixture.worker.segment_mut().set_target_search(&area);
    fixture.write(&[0; 8]);
    let mut command = command(CommandKind::Climb, TRIANGLE);
    fixture.worker.segment_mut().write_request(&mut command, &Request::default()).unwrap();
    assert!(fixture.worker.command(&command, LIMIT).is_err());
    assert_eq!(fixture.run(TRIANGLE, &[3, 3, 3]).status.news, 1, "the next command works");
}

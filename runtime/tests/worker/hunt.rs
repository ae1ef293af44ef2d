//! Hunts go on inside the worker, over escapes and crashes, and say why they end.

use testwright_abi::climb::{Climber, Variable, VariableKind};
use testwright_abi::command::CommandKind;
use testwright_abi::draw::DrawKind;
use testwright_abi::fitness::{Fitness, Level};
use testwright_abi::hunt::{Hunt, Stop};
use testwright_process::{Answer, Quarry, Request};

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

fn hunt(fixture: &mut Fixture, kind: CommandKind, mut area: Hunt, rows: &[Vec<u64>]) -> (Outcome, Hunt) {
    fixture.write(&[0; 8]);
    let levels = [Level { outcome: area.target, ..Level::default() }];
    let (segment, variables) = (fixture.worker.segment_mut(), variables());
    let quarry = Quarry { variables: &variables, levels: &levels, nodes: &[] };
    segment.write_quarry(&mut area, &quarry).unwrap();
    area.row_count = segment.write_rows(rows) as u32;
    segment.set_hunt(&area);
    let outcome = fixture.give(command(kind, TRIANGLE), &Request::default(), LIMIT);
    let area = fixture.worker.segment().hunt();
    (outcome, area)
}

#[test]
fn a_climb_ends_with_the_values_that_hit_the_target() {
    let mut fixture = Fixture::new("batch");
    for target in 0..5 {
        let area = Hunt {
            target,
            evaluations: 100_000,
            nanoseconds: 5_000_000_000,
            climber: Climber::new(3),
            ..Hunt::default()
        };
        let (outcome, area) = hunt(&mut fixture, CommandKind::Climb, area, &[]);
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
    let area = Hunt {
        target: 40,
        evaluations: 777,
        nanoseconds: 5_000_000_000,
        climber: Climber::new(3),
        ..Hunt::default()
    };
    let (_, after) = hunt(&mut fixture, CommandKind::Climb, area, &[]);
    assert_eq!((after.stop, after.climber.evaluations), (Stop::Evaluations as u32, 777));
    let area = Hunt { evaluations: u64::MAX, nanoseconds: 1_000_000, ..area };
    let (_, after) = hunt(&mut fixture, CommandKind::Climb, area, &[]);
    assert_eq!(after.stop, Stop::Time as u32);
}

#[test]
fn rows_are_judged_until_one_hits() {
    let mut fixture = Fixture::new("batch");
    let area = Hunt { target: 40, nanoseconds: 5_000_000_000, ..Hunt::default() };
    let rows: Vec<Vec<u64>> = (0..10).map(|row| vec![row, 2, 3]).collect();
    let (_, after) = hunt(&mut fixture, CommandKind::Score, area, &rows);
    assert_eq!((after.stop, after.row), (Stop::Evaluations as u32, 10));
    assert_eq!(fixture.worker.segment().scores(10), [Fitness::WORST; 10]);
}

#[test]
fn a_hunt_that_makes_no_sense_is_refused() {
    let mut fixture = Fixture::new("batch");
    let area = Hunt { target: 1 << 30, ..Hunt::default() };
    fixture.worker.segment_mut().set_hunt(&area);
    fixture.write(&[0; 8]);
    let mut command = command(CommandKind::Climb, TRIANGLE);
    fixture.worker.segment_mut().write_request(&mut command, &Request::default()).unwrap();
    assert!(fixture.worker.command(&command, LIMIT).is_err());
    assert_eq!(fixture.run(TRIANGLE, &[3, 3, 3]).status.news, 1, "the next command works");
}

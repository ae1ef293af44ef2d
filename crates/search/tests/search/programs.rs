//! The toy programs.

use crate::machine::{Machine, Word};
use crate::program::{Arguments, Ending, Program, add_site, numbers, subject};
use testwright_base::case::Case;
use testwright_base::ids::{BlockId, FunctionId, OutcomeId};
use testwright_base::run::End;
use testwright_base::sample::calling;
use testwright_base::site::SiteKind;

use Ending::{Branch, Compare, Goto, Switch};

fn program(
    blocks: &[(&[u32], Ending)],
    scalars: usize,
    body: fn(&mut Machine<'_>, &Arguments) -> End,
) -> Program {
    Program { subject: subject(blocks), scalars, has_array: false, body, measured: |_| Vec::new() }
}

/// Figure 1 of the Fitnex paper; site 3 is `x == 110`.
pub fn test_loop() -> Program {
    let blocks: &[(&[u32], Ending)] = &[
        (&[1, 6], Branch),
        (&[2, 4], Branch),
        (&[3, 1], Branch),
        (&[1], Goto),
        (&[5, 6], Branch),
        (&[], Goto),
        (&[], Goto),
    ];
    let body = |machine: &mut Machine<'_>, arguments: &Arguments| {
        let mut x = arguments.scalars[0];
        let start = machine.equal(x, Word::of(90));
        if !machine.branch(0, start) {
            return End::Returned;
        }
        let mut i = 0;
        loop {
            let more = machine.less(Word::of(i), arguments.length);
            if !machine.branch(1, more) {
                break;
            }
            let found = machine.equal(arguments.elements[i as usize], Word::of(15));
            if machine.branch(2, found) {
                x = machine.add(x, Word::of(1));
            }
            i += 1;
        }
        let target = machine.equal(x, Word::of(110));
        machine.branch(3, target);
        End::Returned
    };
    Program { has_array: true, ..program(blocks, 1, body) }
}

/// The target of [`test_loop`] and [`counter`].
pub fn loop_target(program: &Program) -> OutcomeId {
    program.subject.sites.last().expect("a site").first_outcome
}

/// Counts elements that are 7 in a variable that no input flows into; site 2 is `count == 12`.
pub fn counter() -> Program {
    let blocks: &[(&[u32], Ending)] =
        &[(&[1, 3], Branch), (&[2, 0], Branch), (&[0], Goto), (&[4, 5], Branch), (&[], Goto), (&[], Goto)];
    let body = |machine: &mut Machine<'_>, arguments: &Arguments| {
        let (mut i, mut count) = (0, 0);
        loop {
            let more = machine.less(Word::of(i), arguments.length);
            if !machine.branch(0, more) {
                break;
            }
            let found = machine.equal(arguments.elements[i as usize], Word::of(7));
            count += i64::from(machine.branch(1, found));
            i += 1;
        }
        let target = machine.equal(Word::of(count), Word::of(12));
        machine.branch(2, target);
        End::Returned
    };
    let measured = |case: &_| {
        let (_, elements) = numbers(case);
        let count = elements.iter().filter(|element| **element == 7).count() as u64;
        if count == 12 { Vec::new() } else { vec![(OutcomeId(4), count.abs_diff(12))] }
    };
    Program { has_array: true, measured, ..program(blocks, 0, body) }
}

/// Counts up to twelve elements that are 7 as [`counter`] does; site 2 is `count == 100`, which never holds.
pub fn endless() -> Program {
    let body = |machine: &mut Machine<'_>, arguments: &Arguments| {
        let mut count = 0;
        for i in 0..12 {
            let more = machine.less(Word::of(i), arguments.length);
            if !machine.branch(0, more) {
                break;
            }
            let found = machine.equal(arguments.elements[i as usize], Word::of(7));
            count += i64::from(machine.branch(1, found));
        }
        let target = machine.equal(Word::of(count), Word::of(100));
        machine.branch(2, target);
        End::Returned
    };
    let measured = |case: &_| {
        let (_, elements) = numbers(case);
        let count = elements.iter().take(12).filter(|element| **element == 7).count() as u64;
        vec![(OutcomeId(4), count.abs_diff(100))]
    };
    Program { body, measured, ..counter() }
}

/// Three guards, one inside the other; crashes inside.
pub fn nested() -> Program {
    let blocks: &[(&[u32], Ending)] =
        &[(&[1, 4], Branch), (&[2, 4], Branch), (&[3, 4], Branch), (&[], Goto), (&[], Goto)];
    program(blocks, 3, |machine, arguments| {
        for (site, wanted) in [(0, 17), (1, 170), (2, 99)] {
            let equal = machine.equal(arguments.scalars[site as usize], Word::of(wanted));
            if !machine.branch(site, equal) {
                return End::Returned;
            }
        }
        End::Abort
    })
}

/// A switch of three cases, then a comparison of two inputs: eight paths.
pub fn switching() -> Program {
    let blocks: &[(&[u32], Ending)] =
        &[(&[1, 1, 1, 1], Switch(&[3, 5, 9])), (&[2, 3], Branch), (&[], Goto), (&[], Goto)];
    program(blocks, 2, |machine, arguments| {
        let case = machine.switch(0, arguments.scalars[0]);
        let limit = machine.add(arguments.scalars[0], Word::of(case as i64));
        let less = machine.less(arguments.scalars[1], limit);
        machine.branch(1, less);
        End::Returned
    })
}

/// Three tests of three inputs, all independent: eight paths.
pub fn cube() -> Program {
    let blocks: &[(&[u32], Ending)] =
        &[(&[1, 1], Branch), (&[2, 2], Branch), (&[3, 4], Branch), (&[], Goto), (&[], Goto)];
    program(blocks, 3, |machine, arguments| {
        for site in 0..3 {
            let less = machine.less(arguments.scalars[site as usize], Word::of(10));
            machine.branch(site, less);
        }
        End::Returned
    })
}

/// `if (strcmp(y, "Go!") == 0)`, where a model compares byte by byte at site 1.
pub fn greeting() -> Program {
    let blocks: &[(&[u32], Ending)] = &[(&[1, 2], Branch), (&[], Goto), (&[], Goto)];
    let body = |machine: &mut Machine<'_>, arguments: &Arguments| {
        let mut result = Word::of(0);
        for (i, wanted) in (0..).zip(b"Go!\0") {
            let wanted = Word::of(i64::from(*wanted));
            let more = machine.less(Word::of(i), arguments.length);
            let byte = if machine.branch(2, more) { arguments.elements[i as usize] } else { Word::of(0) };
            let equal = machine.equal(byte, wanted);
            if !machine.branch(1, equal) {
                result = machine.sub(byte, wanted);
                break;
            }
        }
        let same = machine.equal(result, Word::of(0));
        machine.branch(0, same);
        End::Returned
    };
    let mut program = Program { has_array: true, ..program(blocks, 0, body) };
    let mut model = calling("tw_model_strcmp", &[]);
    model.model = true;
    program.subject.functions.push(model);
    for _ in 0..2 {
        add_site(&mut program.subject, FunctionId(1), BlockId(0), SiteKind::Branch, 2);
    }
    program
}

/// `bool b = sum < 40; .. if (b)` where the sum is made in a loop over four elements and the flag is concrete later.
pub fn flag() -> Program {
    let blocks: &[(&[u32], Ending)] =
        &[(&[1, 1], Branch), (&[2, 2], Branch), (&[3], Compare), (&[4, 5], Branch), (&[], Goto), (&[], Goto)];
    program(blocks, 2, |machine, arguments| {
        let mut sum = Word::of(0);
        for site in 0..2 {
            let large = machine.less(Word::of(60), arguments.scalars[site as usize]);
            if machine.branch(site, large) {
                sum = machine.add(sum, arguments.scalars[site as usize]);
            }
        }
        let enough = machine.less(Word::of(120), sum);
        machine.compare(2, enough);
        let flag = Word { handle: 0, ..enough };
        machine.branch(3, flag);
        End::Returned
    })
}

/// Reads pairs of 3 and 4 and returns at anything else; a 5 has to follow. Site 5 is `pairs == 4`, which no input flows into.
pub fn pairs() -> Program {
    let blocks: &[(&[u32], Ending)] = &[
        (&[1, 3], Branch),
        (&[2, 8], Branch),
        (&[0, 8], Branch),
        (&[4, 8], Branch),
        (&[5, 8], Branch),
        (&[6, 7], Branch),
        (&[], Goto),
        (&[], Goto),
        (&[], Goto),
    ];
    let body = |machine: &mut Machine<'_>, arguments: &Arguments| {
        let (mut i, mut pairs) = (0, 0);
        loop {
            let more = machine.less(Word::of(i + 1), arguments.length);
            if !machine.branch(0, more) {
                break;
            }
            for (site, wanted) in [(1, 3), (2, 4)] {
                let found = machine.equal(arguments.elements[i as usize], Word::of(wanted));
                if !machine.branch(site, found) {
                    return End::Returned;
                }
                i += 1;
            }
            pairs += 1;
        }
        let is_left = machine.equal(Word::of(i + 1), arguments.length);
        if !machine.branch(3, is_left) {
            return End::Returned;
        }
        let found = machine.equal(arguments.elements[i as usize], Word::of(5));
        if machine.branch(4, found) {
            let enough = machine.equal(Word::of(pairs), Word::of(4));
            machine.branch(5, enough);
        }
        End::Returned
    };
    let measured = |case: &Case| {
        let (_, elements) = numbers(case);
        let [pairs @ .., last] = elements.as_slice() else { return Vec::new() };
        let read = pairs.chunks(2).all(|pair| pair == [3, 4]) && *last == 5;
        let count = pairs.len() as u64 / 2;
        if read && count != 4 { vec![(OutcomeId(10), count.abs_diff(4))] } else { Vec::new() }
    };
    Program { has_array: true, measured, ..program(blocks, 0, body) }
}

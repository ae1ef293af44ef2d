//! Mutants in one process against a process for each.

use super::figures::{Aim, Figure};
use super::measure::{each, ratio, side_by_side};
use super::run_build::{case, sources};
use std::time::{Duration, Instant};
use testwright_base::build::Build;
use testwright_base::case::Case;
use testwright_base::ids::MutantId;
use testwright_engine::Failure;
use testwright_engine::build;
use testwright_exec::Session;

/// So many mutants are tried with one command,
const TOGETHER: usize = 5_000;
/// and so many with a process each.
const APART: usize = 2;

/// How long all mutants of `triangle` take, each on a case that shows most of them.
pub fn measure() -> Result<Vec<Figure>, Failure> {
    let folder = testwright_scratch::folder()?;
    let sources = sources(folder.path(), "triangle.c", include_str!("../../../examples/triangle.c"))?;
    let mut session = build::load_uncached(&sources, &[Build::Mutants])?;
    let scalene = case(&session, "triangle", "[3, 4, 5]")?;
    let all = session.subject().mutants.len();
    let infected: Vec<MutantId> = {
        let list: Vec<MutantId> = (0..all).map(MutantId::of).collect();
        let shown = session.try_mutants(&scalene, &list, &[])?.unwrap_or_default();
        let differs =
            list.iter().zip(shown).filter(|(_, shown)| *shown != testwright_base::mutant::Shown::Same);
        differs.map(|(mutant, _)| *mutant).collect()
    };
    let together: Vec<MutantId> = infected.iter().copied().cycle().take(TOGETHER).collect();
    let twin = session.twin()?;
    let mut in_one = || timed(&mut session, &scalene, &together);
    let mut apart = || {
        let mut time = Duration::ZERO;
        for mutant in infected.iter().take(APART) {
            let started = Instant::now();
            timed(&mut twin.twin()?, &scalene, &[*mutant])?;
            time += started.elapsed();
        }
        Ok(time)
    };
    let [in_one, apart] = side_by_side([&mut in_one, &mut apart])?;
    let (one, other) = (each(in_one, TOGETHER as u64), each(apart, APART as u64));
    let note =
        format!("{one:.0} ns a mutant, {:.0}/s; with a process for each {:.0}/s", 1e9 / one, 1e9 / other);
    let per_mutant = ratio(apart, in_one) * TOGETHER as f64 / APART as f64;
    Ok(vec![Figure::new(
        "triangle, mutants/s against a process for each",
        per_mutant,
        "x",
        Aim::AtLeast(100.0),
        note,
    )])
}

fn timed(session: &mut Session, case: &Case, mutants: &[MutantId]) -> Result<Duration, Failure> {
    let started = Instant::now();
    match session.try_mutants(case, mutants, &[])? {
        Some(_) => Ok(started.elapsed()),
        None => Err(Failure::bug("runs of triangle differ")),
    }
}

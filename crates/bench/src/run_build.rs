//! The run build against the same code as in production.

use super::debian;
use super::figures::{Aim, Figure};
use super::measure::{each, ratio, side_by_side};
use std::path::PathBuf;
use testwright_base::build::Build;
use testwright_base::case::Case;
use testwright_base::json::parse_case;
use testwright_code::frontend;
use testwright_code::frontend::Sources;
use testwright_engine::Failure;
use testwright_engine::build;
use testwright_exec::{Draws, Session};

/// Random runs of a tiny function, and the slowdown of larger ones.
pub fn measure() -> Result<Vec<Figure>, Failure> {
    let folder = testwright_scratch::folder()?;
    let mut figures =
        tiny(&sources(folder.path(), "triangle.c", include_str!("../../../examples/triangle.c"))?)?;
    let crc = sources(folder.path(), "crc32.c", include_str!("../../../examples/crc32.c"))?;
    figures.push(slowdown("crc32 over 1 KiB", &crc, "crc32", &buffer_case(), 2_000)?);
    figures.push(gsl()?);
    Ok(figures)
}

/// A file of ours written out, so that the installed program needs nothing beside it.
pub fn sources(folder: &std::path::Path, name: &str, text: &str) -> Result<Sources, Failure> {
    let path: PathBuf = folder.join(name);
    std::fs::write(&path, text)?;
    Ok(frontend().resolve(&[path], &[])?)
}

/// 1 KiB of bytes and its length.
pub fn buffer_case() -> String {
    let bytes: Vec<String> = (0..1024u32).map(|index| (index * 7 % 256).to_string()).collect();
    format!("[[{}], 1024]", bytes.join(","))
}

/// The case of a function.
pub fn case(session: &Session, function: &str, text: &str) -> Result<Case, Failure> {
    let id = build::function(session.subject(), function)?;
    Ok(parse_case(session.subject(), id, text)?)
}

fn tiny(sources: &Sources) -> Result<Vec<Figure>, Failure> {
    const COUNT: u64 = 200_000;
    let mut native = build::load_native(sources)?;
    let mut ours = build::load_uncached(sources, &[Build::Run, Build::RunWithDistances])?;
    let native_case = case(&native, "triangle", "[0, 0, 0]")?;
    let our_case = case(&ours, "triangle", "[0, 0, 0]")?;
    let draws = Draws { seed: 1, first: 0, count: COUNT, clear: true };
    let mut bare = || random_runs(&mut native, &native_case, Build::Bare, draws);
    let ours = std::cell::RefCell::new(&mut ours);
    let mut coverage = || random_runs(&mut ours.borrow_mut(), &our_case, Build::Run, draws);
    let mut distances = || random_runs(&mut ours.borrow_mut(), &our_case, Build::RunWithDistances, draws);
    let [bare, coverage, distances] = side_by_side([&mut bare, &mut coverage, &mut distances])?;
    let note =
        |time| format!("{:.1} ns a run, bare native loop {:.1} ns", each(time, COUNT), each(bare, COUNT));
    Ok(vec![
        Figure::new(
            "triangle, random runs/s with coverage",
            ratio(bare, coverage),
            "x",
            Aim::AtLeast(0.6),
            note(coverage),
        ),
        Figure::new(
            "triangle, random runs/s with coverage and distances",
            ratio(bare, distances),
            "x",
            Aim::AtLeast(0.4),
            note(distances),
        ),
    ])
}

fn random_runs(
    session: &mut Session,
    case: &Case,
    build: Build,
    draws: Draws,
) -> Result<std::time::Duration, Failure> {
    let batch = session.batch(case, build, draws)?;
    match batch.time {
        Some(time) if batch.next == draws.first + draws.count => Ok(time),
        _ => Err(Failure::bug(format!("a batch ended early, at iteration {}", batch.next))),
    }
}

/// How much longer a call takes in the run build than in production.
fn slowdown(
    name: &str,
    sources: &Sources,
    function: &str,
    text: &str,
    count: u64,
) -> Result<Figure, Failure> {
    let mut native = build::load_native(sources)?;
    let mut ours = build::load_uncached(sources, &[Build::Run])?;
    let native_case = case(&native, function, text)?;
    let our_case = case(&ours, function, text)?;
    let mut native = || Ok(native.time_calls(&native_case, Build::Bare, count)?);
    let mut ours = || Ok(ours.time_calls(&our_case, Build::Run, count)?);
    let [native, ours] = side_by_side([&mut native, &mut ours])?;
    let note = format!("{:.0} ns a call, native -O2 {:.0} ns", each(ours, count), each(native, count));
    Ok(Figure::new(format!("{name}, run build"), ratio(ours, native), "x", Aim::AtMost(1.5), note))
}

fn gsl() -> Result<Figure, Failure> {
    const NAME: &str = "GSL gsl_sf_elljac_e";
    let (files, flags) = match debian::gsl(&[
        "specfunc/elljac.c",
        "sys/hypot.c",
        "sys/infnan.c",
        "sys/fdiv.c",
        "err/error.c",
        "err/stream.c",
    ]) {
        Ok(found) => found,
        Err(why) => return Ok(Figure::missing(NAME, why)),
    };
    let sources = frontend().resolve(&files, &flags)?;
    slowdown(NAME, &sources, "gsl_sf_elljac_e", "[0.7, 0.3, [0], [0], [0]]", 20_000)
}

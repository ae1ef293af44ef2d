//! The trace build against the same code as in production: on concrete and on symbolic data.

use super::figures::{Aim, Figure};
use super::measure::{each, ratio, side_by_side};
use super::run_build::{buffer_case, case, sources};
use testwright_base::build::Build;
use testwright_code::frontend::Sources;
use testwright_engine::Failure;
use testwright_engine::build;

/// Slowdown with nothing symbolic and with 1 KiB symbolic; memory of a traced run.
pub fn measure() -> Result<Vec<Figure>, Failure> {
    let folder = testwright_scratch::folder()?;
    let crc = sources(folder.path(), "crc32.c", include_str!("../../../examples/crc32.c"))?;
    let base64 = sources(folder.path(), "base64.c", include_str!("../../../subjects/core/base64.c"))?;
    let strict = sources(folder.path(), "strict.c", include_str!("../../../examples/base64.c"))?;
    let mut figures = Vec::new();
    figures.extend(subject("crc32 (table)", &crc, "crc32", &buffer_case())?);
    figures.extend(subject("crc32 (bitwise)", &crc, "crc32_bitwise", &buffer_case())?);
    figures.extend(subject("base64", &base64, "base64_decode", &base64_case())?);
    figures.extend(subject("base64 (in groups of four)", &strict, "base64_decode", &base64_case())?);
    Ok(figures)
}

/// 1 KiB of base64 and room for what it stands for.
fn base64_case() -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let text: String = (0..1024).map(|index| char::from(ALPHABET[index * 11 % 64])).collect();
    let room = vec!["0"; 768].join(",");
    format!(r#"["{text}", 1024, [{room}]]"#)
}

fn subject(name: &str, sources: &Sources, function: &str, text: &str) -> Result<Vec<Figure>, Failure> {
    const CALLS: u64 = 500;
    const TRACES: u64 = 5;
    let mut native = build::load_native(sources)?;
    let mut ours = build::load_uncached(sources, &[Build::Trace])?;
    let native_case = case(&native, function, text)?;
    let our_case = case(&ours, function, text)?;
    let session = std::cell::RefCell::new(&mut ours);
    let mut bare = || Ok(native.time_calls(&native_case, Build::Bare, CALLS)?);
    let mut concrete = || Ok(session.borrow_mut().time_calls(&our_case, Build::Trace, CALLS)?);
    let mut symbolic = || Ok(session.borrow_mut().time_traces(&our_case, TRACES)?);
    let [bare, concrete, symbolic] = side_by_side([&mut bare, &mut concrete, &mut symbolic])?;
    let memory = ours.trace_memory() as f64 / 1024.0;
    let (native_each, symbolic_each) = (each(bare, CALLS), each(symbolic, TRACES));
    let note = |time: f64| format!("{time:.0} ns a call, native -O2 {native_each:.0} ns");
    Ok(vec![
        Figure::new(
            format!("{name}, 1 KiB, nothing symbolic"),
            ratio(concrete, bare),
            "x",
            Aim::AtMost(3.0),
            note(each(concrete, CALLS)),
        ),
        Figure::new(
            format!("{name}, 1 KiB symbolic"),
            symbolic_each / native_each,
            "x",
            Aim::AtMost(500.0),
            note(symbolic_each),
        ),
        Figure::told(
            format!("{name}, memory of a traced run"),
            memory,
            " KiB",
            "at most 136 MiB for any run",
        ),
    ])
}

//! Random programs with goals that known inputs reach.
//!
//! A program is made with its goals left open, compiled and run natively on its inputs; what it computes there is what the goals
//! then ask for.

use super::claims::Claims;
use super::program::{Program, filled};
use super::{Judged, annotated, native};
use crate::args::BenchTruth;
use std::fs;
use testwright_engine::Failure;

/// How many functions a file has.
const TOGETHER: u64 = 20;

/// Judges what is claimed about as many random functions as asked for.
pub fn judge(arguments: &BenchTruth) -> Result<Vec<Judged>, Failure> {
    let wanted = arguments.only.is_empty() || arguments.only.iter().any(|only| only == "random");
    let count = if wanted { arguments.random } else { 0 };
    let mut judged = Vec::new();
    for first in (0..count).step_by(TOGETHER as usize) {
        let seed = arguments.seed.wrapping_mul(1_000_003).wrapping_add(first);
        let program = Program::new(seed, TOGETHER.min(count - first));
        let folder = testwright_scratch::folder()?;
        let file = folder.path().join(format!("random{first}.c"));
        let harness = folder.path().join("harness.c");
        fs::write(&file, &program.text)?;
        fs::write(&harness, &program.harness)?;
        let both = [harness, file.clone()];
        let values = native::output(&both, &["-DPROBE"], folder.path())?;
        let text = filled(&program.text, &values);
        fs::write(&file, &text)?;
        let shown = native::output(&both, &[], folder.path())?;
        if let Some(missing) = shown.lines().find(|line| !line.ends_with(" 1")) {
            return Err(Failure::bug(format!("seed {seed}: a witness misses its goal: {missing}")));
        }
        let runs = arguments.runs.to_string();
        let claims = Claims::of(&[file], &["--runs", &runs])?;
        judged.extend(annotated(&text).into_iter().map(|(goal, feasible)| Judged {
            kind: "random".to_owned(),
            place: format!("random functions from {first} on, seed {}, line {}", arguments.seed, goal.line),
            feasible,
            verdict: claims.verdict(&goal),
        }));
    }
    Ok(judged)
}

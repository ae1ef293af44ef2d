//! Measuring side by side: alternatives take turns, and the fastest turn of each counts.
//!
//! Machines are shared and noisy. Noise only ever adds time, so the fastest of many turns is the best estimate, and
//! turns that alternate meet the same noise.

use std::time::Duration;
use testwright_engine::Failure;

/// How many turns each alternative takes.
const TURNS: usize = 40;

/// The fastest turn of each alternative.
pub fn side_by_side<const N: usize>(
    mut alternatives: [&mut dyn FnMut() -> Result<Duration, Failure>; N],
) -> Result<[Duration; N], Failure> {
    let mut best = [Duration::MAX; N];
    for _ in 0..TURNS {
        for (alternative, best) in alternatives.iter_mut().zip(&mut best) {
            *best = (*best).min(alternative()?);
        }
    }
    Ok(best)
}

/// How many times longer `a` took than `b`.
pub fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64()
}

/// Nanoseconds of one of `count` equal parts.
pub fn each(time: Duration, count: u64) -> f64 {
    time.as_secs_f64() * 1e9 / count as f64
}

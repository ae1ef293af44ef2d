//! Random numbers of the code under test: one generator, seeded alike before every run.

use super::CHANGED;
use crate::intact::span_of;
use crate::shared::Single;
use testwright_abi::command::Span;

const SEED: u64 = 1;

static STATE: Single<u64> = Single::new(SEED);

/// Where that state lies.
pub fn state() -> Vec<Span> {
    vec![span_of(STATE.get())]
}

pub fn reset() {
    STATE.write(SEED);
}

/// The next 31 bits of Knuth's linear congruential generator.
fn next() -> u32 {
    CHANGED.write(true);
    let state = STATE.read().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    STATE.write(state);
    (state >> 33) as u32
}

fn seed(seed: u32) {
    CHANGED.write(true);
    STATE.write(u64::from(seed));
}

/// `rand`
pub unsafe extern "C" fn c_rand() -> u32 {
    next()
}

/// `srand`
pub unsafe extern "C" fn c_srand(number: u32) {
    seed(number);
}

/// `random`
pub unsafe extern "C" fn c_random() -> u64 {
    u64::from(next())
}

/// `srandom`
pub unsafe extern "C" fn c_srandom(number: u32) {
    seed(number);
}

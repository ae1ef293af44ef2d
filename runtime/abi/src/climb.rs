//! The alternating variable method: one variable at a time, in steps that grow as long as they help.
//!
//! A [`Climber`] is a state machine: it is asked for the next values and told their fitness. It consists of
//! numbers only and lies in shared memory, so that the worker can ask and tell millions of times a second without a
//! message, and the host can go on where a run took the process with it.
//!
//! All variables start at random. Each in turn, in an order that differs from start to start, is moved by one unit down or up (*exploratory moves*); as
//! soon as that helps, by 2, 4, 8.. units (*pattern moves*), until that does not help; then it is explored again. When no variable
//! can be improved, everything starts at random again. A unit is 1 for integers and 10^-precision for floats, or the
//! distance to the next float where that is more.

use crate::draw::{Draw, Rng, value};
use crate::fitness::Fitness;

/// A variable of a search: a scalar of the case.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Variable {
    /// Where it lies, an address in the worker.
    pub address: u64,
    /// Size in bytes: 1, 2, 4, 8 or 16.
    pub bytes: u32,
    /// One of [`VariableKind`].
    pub kind: u32,
    /// Smallest value, as bits. For a pointer, the address that it holds unless it is null.
    pub low: u64,
    /// Largest value, as bits.
    pub high: u64,
    /// How it is drawn at a start; one of [`crate::draw::DrawKind`].
    pub start: u32,
    /// Floats: the unit has so many digits behind the point, at most [`MAX_PRECISION`].
    pub precision: u32,
}

/// The kinds of [`Variable`].
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableKind {
    /// An integer that may be negative.
    Signed = 0,
    /// An integer that may not, a character, a boolean.
    Unsigned = 1,
    /// IEEE double or single, by size.
    Float = 2,
    /// Null or the address of an object.
    Pointer = 3,
}

/// The largest precision of floats.
pub const MAX_PRECISION: u32 = 15;

const UNITS: [f64; MAX_PRECISION as usize + 1] =
    [1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15];

/// What a climber does next.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Start = 0,
    Down = 1,
    Up = 2,
    Pattern = 3,
}

/// The state of a search.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Climber {
    /// Decides all starts.
    pub seed: u64,
    /// How often it started again.
    pub restarts: u64,
    /// How many fitness values it was told.
    pub evaluations: u64,
    /// The best fitness since the last start.
    pub best: Fitness,
    /// The value of the variable before the move under way.
    before: u64,
    phase: u32,
    variable: u32,
    /// Variables in a row that could not be improved.
    stale: u32,
    /// The next pattern move is by 2^step units.
    step: u32,
    /// 1 if moves go down.
    down: u32,
    /// From one variable to the next; it has no divisor in common with their number, so that all are visited.
    stride: u32,
}

impl Climber {
    /// A search that is about to start.
    #[must_use]
    pub fn new(seed: u64) -> Climber {
        Climber { seed, ..Climber::default() }
    }

    /// Changes `values` to what is to be evaluated next.
    pub fn ask(&mut self, variables: &[Variable], values: &mut [u64]) {
        loop {
            if self.phase == Phase::Start as u32 {
                start(variables, values, self.seed, self.restarts);
                return;
            }
            let index = self.variable as usize;
            let (Some(variable), Some(current)) = (variables.get(index), values.get_mut(index)) else {
                self.restart();
                continue;
            };
            let step = if self.phase == Phase::Pattern as u32 { self.step } else { 0 };
            let down = if self.phase == Phase::Pattern as u32 {
                self.down == 1
            } else {
                self.phase == Phase::Down as u32
            };
            match variable.moved(*current, down, step) {
                Some(moved) => {
                    self.down = u32::from(down);
                    self.before = *current;
                    *current = moved;
                    return;
                }
                None => self.fail(variables.len()),
            }
        }
    }

    /// Takes note of the fitness of what was asked for; takes the move back if it did not help.
    pub fn tell(&mut self, variables: &[Variable], values: &mut [u64], fitness: Fitness) {
        self.evaluations += 1;
        if self.phase == Phase::Start as u32 {
            self.best = fitness;
            self.phase = Phase::Down as u32;
            self.stale = 0;
            self.choose_order(variables.len() as u32);
        } else if fitness < self.best {
            self.best = fitness;
            self.stale = 0;
            self.step = if self.phase == Phase::Pattern as u32 { self.step + 1 } else { 1 };
            self.phase = Phase::Pattern as u32;
        } else {
            if let Some(value) = values.get_mut(self.variable as usize) {
                *value = self.before;
            }
            self.fail(variables.len());
        }
    }

    /// A move did not help or was not possible.
    fn fail(&mut self, variable_count: usize) {
        if self.phase == Phase::Down as u32 {
            self.phase = Phase::Up as u32;
        } else if self.phase == Phase::Pattern as u32 {
            self.phase = Phase::Down as u32;
        } else {
            self.stale += 1;
            self.variable =
                ((u64::from(self.variable) + u64::from(self.stride)) % variable_count.max(1) as u64) as u32;
            self.phase = Phase::Down as u32;
            if self.stale as usize >= variable_count {
                self.restart();
            }
        }
    }

    /// Where conditions tie variables together, some can only be found in the right order.
    fn choose_order(&mut self, count: u32) {
        if count == 0 {
            return self.restart();
        }
        let mut rng = Rng::new(!self.seed, self.restarts);
        self.variable = (rng.next() % u64::from(count)) as u32;
        self.stride = (rng.next() % u64::from(count)) as u32;
        while greatest_common_divisor(self.stride, count) != 1 {
            self.stride = (self.stride + 1) % count;
        }
    }

    fn restart(&mut self) {
        self.restarts += 1;
        self.phase = Phase::Start as u32;
    }
}

const fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Random values for all variables; number and seed determine them.
pub fn start(variables: &[Variable], values: &mut [u64], seed: u64, number: u64) {
    let mut rng = Rng::new(seed, number);
    for (variable, place) in variables.iter().zip(values) {
        *place = variable.drawn(&mut rng);
    }
}

impl Variable {
    /// How it is drawn and laid out in memory.
    #[must_use]
    pub const fn draw(&self) -> Draw {
        // A span of 0 stands for all 2^64 values.
        let span = self.high.wrapping_sub(self.low).wrapping_add(1);
        Draw { address: self.address, kind: self.start, bytes: self.bytes, low: self.low, span }
    }

    /// A random value.
    pub fn drawn(&self, rng: &mut Rng) -> u64 {
        if self.kind == VariableKind::Pointer as u32 {
            // Null is one value of many, but the only one that is refused by most code.
            return if rng.next() >> 60 == 0 { 0 } else { self.low };
        }
        let bits = value(&self.draw(), rng);
        match self.number(bits) {
            Some(number) => self.clamped(number),
            None if self.bytes == 4 => bits & 0xffff_ffff,
            None => bits,
        }
    }

    /// The bits of an integer, or of the nearest one within the bounds; of anything else, as they are.
    #[must_use]
    pub fn within(&self, bits: u64) -> u64 {
        self.number(bits).map_or(bits, |number| self.clamped(number))
    }

    /// The value of an integer; none for floats and pointers.
    const fn number(&self, bits: u64) -> Option<i128> {
        let shift = if self.bytes >= 8 { 0 } else { 64 - 8 * self.bytes };
        if self.kind == VariableKind::Signed as u32 {
            Some((((bits << shift) as i64) >> shift) as i128)
        } else if self.kind == VariableKind::Unsigned as u32 {
            Some(((bits << shift) >> shift) as i128)
        } else {
            None
        }
    }

    /// The nearest value within the bounds, as bits.
    const fn clamped(&self, number: i128) -> u64 {
        let (low, high) = if self.kind == VariableKind::Signed as u32 {
            (self.low as i64 as i128, self.high as i64 as i128)
        } else {
            (self.low as i128, self.high as i128)
        };
        let number = if number < low {
            low
        } else if number > high {
            high
        } else {
            number
        };
        number as u64
    }

    /// Another value within the bounds, 2^step units down or up; none if there is none.
    #[must_use]
    pub fn moved(&self, bits: u64, down: bool, step: u32) -> Option<u64> {
        if let Some(number) = self.number(bits) {
            let distance = 1i128 << step.min(100);
            let moved = self.clamped(if down { number - distance } else { number + distance });
            return (self.number(moved) != Some(number)).then_some(moved);
        }
        if self.kind == VariableKind::Pointer as u32 {
            let other = if bits == 0 { self.low } else { 0 };
            return (step == 0 && down == (other == 0)).then_some(other);
        }
        self.moved_float(bits, down, step)
    }

    fn moved_float(&self, bits: u64, down: bool, step: u32) -> Option<u64> {
        let single = self.bytes == 4;
        let number = if single { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) };
        let power = f64::from_bits((1023 + u64::from(step.min(1000))) << 52);
        let distance = UNITS[self.precision.min(MAX_PRECISION) as usize] * power;
        let distance = if down { -distance } else { distance };
        let (least, most) = (f64::from_bits(self.low), f64::from_bits(self.high));
        let moved = if number.is_nan() { 0.0 } else { (number + distance).clamp(least, most) };
        if single {
            let moved = moved as f32;
            let other = if f64::from(moved) == number { near32(moved, down, step) } else { moved };
            return (f64::from(other) != number).then_some(u64::from(other.to_bits()));
        }
        let moved = if moved == number { near64(moved, down, step) } else { moved };
        (moved != number).then_some(moved.to_bits())
    }
}

/// The float 2^step places down or up in the order of floats; the same one at the end.
fn near64(number: f64, down: bool, step: u32) -> f64 {
    let ordinal = |bits: i64| if bits < 0 { i64::MIN - bits } else { bits };
    let distance = 1i64.checked_shl(step).filter(|distance| *distance > 0).unwrap_or(i64::MAX);
    let place = ordinal(number.to_bits() as i64);
    let place = if down { place.saturating_sub(distance) } else { place.saturating_add(distance) };
    let moved = f64::from_bits(ordinal(place) as u64);
    if moved.is_finite() { moved } else { number }
}

fn near32(number: f32, down: bool, step: u32) -> f32 {
    let ordinal = |bits: i32| if bits < 0 { i32::MIN - bits } else { bits };
    let distance = 1i32.checked_shl(step).filter(|distance| *distance > 0).unwrap_or(i32::MAX);
    let place = ordinal(number.to_bits() as i32);
    let place = if down { place.saturating_sub(distance) } else { place.saturating_add(distance) };
    let moved = f32::from_bits(ordinal(place) as u32);
    if moved.is_finite() { moved } else { number }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::draw::DrawKind;
    use crate::fitness::{normalised, normalised_float};
    use std::vec;

    fn signed(bytes: u32) -> Variable {
        let most = (1i64 << (8 * bytes - 1)) - 1;
        Variable {
            bytes,
            kind: VariableKind::Signed as u32,
            low: !most as u64,
            high: most as u64,
            start: DrawKind::Range as u32,
            ..Variable::default()
        }
    }

    fn float(bytes: u32) -> Variable {
        Variable {
            bytes,
            kind: VariableKind::Float as u32,
            low: f64::MIN.to_bits(),
            high: f64::MAX.to_bits(),
            start: DrawKind::Float as u32,
            precision: 3,
            ..Variable::default()
        }
    }

    /// Evaluations until the fitness is zero.
    fn climb(variables: &[Variable], fitness: impl Fn(&[u64]) -> Fitness) -> u64 {
        let mut climber = Climber::new(7);
        let mut values = vec![0; variables.len()];
        while climber.evaluations < 100_000 {
            climber.ask(variables, &mut values);
            let fitness = fitness(&values);
            climber.tell(variables, &mut values, fitness);
            if fitness.is_hit() {
                return climber.evaluations;
            }
        }
        panic!("not found: {climber:?}")
    }

    #[test]
    fn an_equality_of_two_integers_takes_a_few_pattern_moves() {
        let far = |a: u64, b: i64| normalised((a as i32 as i64).abs_diff(b));
        let needed = climb(&[signed(4), signed(4)], |values| {
            Fitness::new(0, far(values[0], values[1] as i32 as i64)).plus(far(values[1], 123_456))
        });
        assert!(needed < 2000, "{needed}");
    }

    #[test]
    fn a_float_is_found_to_its_precision() {
        let wanted = 1234.567;
        climb(&[float(8)], |values| {
            let distance = (f64::from_bits(values[0]) - wanted).abs();
            Fitness::new(0, if distance < 0.001 { 0 } else { normalised_float(distance.to_bits()) })
        });
    }

    #[test]
    fn moves_stay_within_the_bounds() {
        let variable = Variable { low: 3, high: 9, kind: VariableKind::Unsigned as u32, ..signed(4) };
        assert_eq!(variable.moved(5, true, 0), Some(4));
        assert_eq!(variable.moved(5, true, 5), Some(3));
        assert_eq!(variable.moved(3, true, 0), None);
        assert_eq!(variable.moved(9, false, 70), None);
        assert_eq!(signed(1).moved(-127i64 as u64, true, 3), Some(-128i64 as u64));
    }

    #[test]
    fn large_floats_move_although_a_thousandth_is_nothing_to_them() {
        for (variable, bits) in [(float(8), 1e18f64.to_bits()), (float(4), u64::from(1e18f32.to_bits()))] {
            assert_eq!(variable.moved(bits, false, 0), Some(bits + 1));
            assert_eq!(variable.moved(bits, true, 1), Some(bits - 2));
        }
        assert_eq!(float(8).moved(f64::MAX.to_bits(), false, 0), None);
        assert_eq!(float(8).moved(f64::NAN.to_bits(), false, 0), Some(0));
    }

    #[test]
    fn a_pointer_is_null_or_not() {
        let pointer =
            Variable { kind: VariableKind::Pointer as u32, low: 0x7200_0000_2000, bytes: 8, ..signed(4) };
        assert_eq!(pointer.moved(pointer.low, true, 0), Some(0));
        assert_eq!(pointer.moved(0, false, 0), Some(pointer.low));
        assert_eq!((pointer.moved(0, true, 0), pointer.moved(0, false, 1)), (None, None));
    }

    #[test]
    fn a_plateau_leads_to_a_new_start() {
        let variables = [signed(4), signed(4)];
        let mut climber = Climber::new(1);
        let mut values = [0; 2];
        let mut starts = vec![];
        for _ in 0..15 {
            climber.ask(&variables, &mut values);
            if climber.restarts as usize == starts.len() {
                starts.push(values);
            }
            climber.tell(&variables, &mut values, Fitness::WORST);
        }
        // A start and two moves per variable.
        assert_eq!((climber.restarts, starts.len()), (3, 3));
        assert!(starts[0] != starts[1] && starts[1] != starts[2]);
    }
}

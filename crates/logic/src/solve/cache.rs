//! The cache: answers given before, and models that were good before.
//!
//! Runs of the same code give the same constraints again, under other handles. The key of a query is therefore
//! computed from what its expressions are, from the leaves up, and does not depend on the order of constraints.
//! Where no answer is stored, the models found last are tried: neighbouring queries often share solutions.

use std::collections::{HashMap, VecDeque};

use testwright_abi::expr::Op;

use super::machine::Machine;
use super::program::{Place, Program, Wish};
use super::{Answer, Layer, Query, Solve};

/// So many models are tried again.
const MODELS: usize = 16;
/// Queries with more expressions than this are passed on.
const PLACES: usize = 50_000;

/// Values of inputs, by number.
type Values = Vec<(u32, u128)>;

/// The layer of stored answers.
#[derive(Debug, Clone)]
pub struct Cache {
    /// All inputs of the query that was satisfied; nothing if it was infeasible.
    answers: HashMap<u128, Option<Values>>,
    /// The keys, oldest first.
    keys: VecDeque<u128>,
    /// What satisfied recent queries, newest first.
    models: VecDeque<Values>,
    capacity: usize,
}

impl Default for Cache {
    fn default() -> Cache {
        Cache::new(20_000)
    }
}

impl Layer for Cache {
    fn name(&self) -> &'static str {
        "cache"
    }

    fn solve(&mut self, query: &Query<'_>, next: &mut dyn Solve) -> Answer {
        let program = Program::new(query);
        if program.places.len() > PLACES {
            return next.solve(query);
        }
        let key = key(&program);
        match self.answers.get(&key) {
            Some(None) => return Answer::Unsat,
            Some(Some(values)) => return Answer::Sat(program.model(values.iter().map(|(_, value)| *value))),
            None => {}
        }
        if let Some(values) = self.reuse(&program) {
            let model = program.model(values.iter().map(|(_, value)| *value));
            self.store(key, Some(values));
            return Answer::Sat(model);
        }
        let answer = next.solve(query);
        match &answer {
            Answer::Unsat => self.store(key, None),
            Answer::Sat(model) => {
                let value = |index, current| model.get(&index).copied().unwrap_or(current);
                let variables = program.variables.iter();
                let values: Values = variables
                    .map(|variable| (variable.index, value(variable.index, variable.current)))
                    .collect();
                self.models.truncate(MODELS - 1);
                self.models.push_front(values.clone());
                self.store(key, Some(values));
            }
            Answer::Unknown(_) => {}
        }
        answer
    }
}

impl Cache {
    /// A cache of at most so many answers.
    #[must_use]
    pub fn new(capacity: usize) -> Cache {
        Cache { answers: HashMap::new(), keys: VecDeque::new(), models: VecDeque::new(), capacity }
    }

    fn store(&mut self, key: u128, values: Option<Values>) {
        if self.answers.insert(key, values).is_none() {
            self.keys.push_back(key);
        }
        while self.keys.len() > self.capacity {
            if let Some(oldest) = self.keys.pop_front() {
                self.answers.remove(&oldest);
            }
        }
    }

    /// The values of the run, or those of a recent model, if they satisfy the query.
    fn reuse(&self, program: &Program) -> Option<Values> {
        let mut machine = Machine::new(program);
        if !machine.score().is_met() {
            self.models.iter().find(|model| {
                machine.rewind(0);
                for &(index, value) in *model {
                    if let Some(number) = program.variable_of(index)
                        && program.variables[number].input.allows(value)
                    {
                        machine.set(number, value);
                    }
                }
                machine.score().is_met()
            })?;
        }
        Some(program.variables.iter().map(|variable| variable.index).zip(machine.variables()).collect())
    }
}

/// What the query is, wherever its expressions lie.
fn key(program: &Program) -> u128 {
    let mut hashes: Vec<Hash> = Vec::with_capacity(program.places.len());
    for place in &program.places {
        let hash = hash(program, place, &hashes);
        hashes.push(hash);
    }
    let mut key = Hash::default();
    for variable in &program.variables {
        let (low, high) = variable.input.range.map_or((1, 0), |range| range);
        key = key.with(u128::from(variable.index)).with(variable.input.kind as u128);
        key = key.with(low as u128).with(high as u128);
    }
    // A sum does not depend on the order.
    let mut sum = key.0;
    for goal in &program.goals {
        let hash = hashes[goal.place];
        let hash = match &goal.wish {
            Wish::True => hash.with(1),
            Wish::False => hash.with(2),
            Wish::Equals(value) => hash.with(3).with(*value),
            Wish::NoneOf(values) => values.iter().fold(hash.with(4), |hash, &value| hash.with(value)),
            Wish::OneOf(values) => values.iter().fold(hash.with(5), |hash, &value| hash.with(value)),
        };
        sum = sum.wrapping_add(hash.with(6).0);
    }
    sum
}

fn hash(program: &Program, place: &Place, below: &[Hash]) -> Hash {
    let expr = &place.expr;
    let mut hash = Hash::default().with(u128::from(expr.op as u8) | u128::from(expr.width()) << 8);
    hash = hash.with(expr.function().map_or(0, |function| function as u128 + 1));
    hash = hash.with(u128::from(expr.low_bit().unwrap_or(0)));
    hash = hash.with(u128::from(expr.input().unwrap_or(0)));
    // What depends on no input is its value; so is a NaN, whose bits come from the run.
    if !place.is_symbolic || expr.computes_float() && is_nan(expr.width(), expr.value) {
        hash = hash.with(expr.value);
    }
    if let (Op::Table, Some(table)) =
        (expr.op, expr.table().and_then(|table| program.exprs.tables().get(table)))
    {
        let chunks = table.bytes.chunks(16);
        hash = chunks.fold(hash.with(table.bytes.len() as u128), |hash, chunk| {
            hash.with(chunk.iter().fold(0, |number, &byte| number << 8 | u128::from(byte)))
        });
    }
    place.operands().fold(hash, |hash, operand| hash.with(below[operand].0))
}

fn is_nan(width: u32, bits: u128) -> bool {
    super::float::to_f64(width, bits).is_nan()
}

/// A hash of 128 bits, so that two queries do not have the same one by chance.
#[derive(Debug, Clone, Copy)]
struct Hash(u128);

impl Default for Hash {
    fn default() -> Hash {
        Hash(0x243f_6a88_85a3_08d3_1319_8a2e_0370_7344)
    }
}

impl Hash {
    /// The hash of what was hashed so far, and a number.
    fn with(self, number: u128) -> Hash {
        const ODD: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
        let mixed = (self.0 ^ number).wrapping_mul(ODD);
        let mixed = (mixed ^ mixed >> 67).wrapping_mul(ODD);
        Hash((mixed ^ mixed >> 61).rotate_left(23))
    }
}

//! Path conditions as code: at a node, their distances are computed and handed to the runtime.
//!
//! ```text
//! before:  n: A; br c, X, Y
//! after:   n: A; switch *target, rest, [7: fitness7, 9: fitness9]
//!          fitness7: call tw_fitness_3(0, live values..); br rest          rest: br c, X, Y
//!
//!          tw_fitness_3(node, live values..):
//!            cell[0] = distance of the first condition; cell[1] = ..;  path_distance(node)
//! ```
//!
//! Conditions lie further along a path than the node, so what guards them has not been checked yet: divisors may be zero
//! and addresses wild. Divisions are made safe; loads ask first, and a condition whose load cannot be made is as far as can be.

use super::Product;
use super::atom::{Atom, Clause, real_predicate};
use super::memory::is_inside_variable;
use super::term::{Term, TermId, Terms};
use crate::instrument::distance::Distances;
use crate::instrument::emitter::Emitter;
use std::collections::HashMap;
use testwright_abi::fitness::path_head;
use testwright_abi::target_search::{CELLS_ADDRESS, TARGET_ADDRESS};
use testwright_llvm::{Block, IntPredicate, Kind, Opcode, RealPredicate, Value};

/// The code of some path conditions.
pub struct Emitted<'c> {
    function: Value<'c>,
    /// The values at the node that it wants to know.
    live: Vec<Value<'c>>,
}

/// Numbers of the conditions, and whether their distances are those of floats.
#[derive(Debug, Default)]
pub struct Conditions {
    numbers: HashMap<Atom, u32>,
    list: Vec<Atom>,
}

impl Conditions {
    /// The conditions of all paths.
    pub fn of(products: &[Product]) -> Conditions {
        let mut conditions = Conditions::default();
        for atom in products.iter().flat_map(|product| &product.clauses).flat_map(|clause| clause.iter()) {
            let next = conditions.list.len() as u32;
            if *conditions.numbers.entry(atom.clone()).or_insert(next) == next {
                conditions.list.push(atom.clone());
            }
        }
        conditions
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The paths in words, see [`testwright_abi::fitness::over_paths`]; `more` conditions count as dropped besides,
    /// `out_of_reach` where a counter keeps a path from being taken, and some clauses are marked.
    pub fn words(
        &self,
        products: &[Product],
        more: u32,
        out_of_reach: u32,
        marks: impl Fn(&Clause) -> u32,
    ) -> Vec<u32> {
        let mut words = vec![self.list.len() as u32];
        words.extend(self.list.iter().map(|atom| u32::from(matches!(atom, Atom::Floats(..)))));
        words.push(products.len() as u32);
        for product in products {
            words.extend([path_head(product.dropped + more, out_of_reach), product.clauses.len() as u32]);
            for clause in &product.clauses {
                words.push(clause.len() as u32 | marks(clause));
                words.extend(clause.iter().map(|atom| self.numbers[atom]));
            }
        }
        words
    }
}

/// Emits the function that computes the distances of these conditions.
pub fn function<'c>(
    emitter: &Emitter<'c, '_>,
    terms: &Terms<'c>,
    conditions: &Conditions,
    name: &str,
) -> Emitted<'c> {
    let mut live = Vec::new();
    conditions.list.iter().for_each(|atom| collect_live(terms, atom, &mut live));
    let mut types = vec![emitter.i32];
    types.extend(live.iter().map(|value| value.ty()));
    let ty = emitter.module.context().void().function(&types, false);
    let function = emitter.module.add_function(name, ty);
    function.set_internal(true);
    function.add_attribute("noinline");
    let params = function.params();
    let mut emission = Emission { emitter, terms, values: HashMap::new() };
    for (value, param) in live.iter().zip(&params[1..]) {
        emission.values.insert(Leaf::Live(*value), Computed { value: *param, valid: None });
    }
    emitter.builder.at_end(function.append_block("entry"));
    for (index, atom) in conditions.list.iter().enumerate() {
        let distance = emission.distance(atom);
        let cell = emitter.pointer.address(CELLS_ADDRESS + 8 * index as u64);
        emitter.builder.store(distance, cell);
    }
    emitter.call("path_distance", &[params[0]]);
    emitter.builder.ret(None);
    Emitted { function, live }
}

/// Lets a node call the functions of its targets: each is a target, the number of the node among those of the target, and
/// the code.
pub fn hook<'c>(emitter: &Emitter<'c, '_>, node: Block<'c>, targets: &[(u32, u32, &Emitted<'c>)]) {
    let Some(terminator) = node.terminator() else { return };
    let builder = &emitter.builder;
    let head = node.split_before(terminator, builder);
    let mut cases = Vec::new();
    for (target, number, emitted) in targets {
        let block = node.function().append_block("fitness");
        builder.at_end(block);
        let mut arguments = vec![emitter.i32.constant(u64::from(*number))];
        arguments.extend(&emitted.live);
        builder.call_function(emitted.function, &arguments);
        builder.jump(node);
        cases.push((emitter.i32.constant(u64::from(*target)), block));
    }
    builder.at_end(head);
    let target = builder.load(emitter.i32, emitter.pointer.address(TARGET_ADDRESS));
    builder.switch(target, node, &cases);
}

fn collect_live<'c>(terms: &Terms<'c>, atom: &Atom, live: &mut Vec<Value<'c>>) {
    let mut open = match atom {
        Atom::Integers(_, a, b) | Atom::Floats(_, a, b, _) => vec![*a, *b],
        Atom::Bit(term, _) | Atom::OneOf(term, _) | Atom::NoneOf(term, _) => vec![*term],
    };
    let mut seen = Vec::new();
    while let Some(term) = open.pop() {
        if seen.contains(&term) {
            continue;
        }
        seen.push(term);
        match terms.get(term) {
            Term::Int(_) | Term::Constant(_) => {}
            Term::Live(value) => {
                if !live.contains(value) {
                    live.push(*value);
                }
            }
            Term::Binary(_, a, b) | Term::Compare(_, a, b) | Term::CompareFloats(_, a, b) => {
                open.extend([*a, *b]);
            }
            Term::Select(a, b, c) => open.extend([*a, *b, *c]),
            Term::Negate(a) | Term::Cast(_, a) | Term::Offset(a, _) | Term::Load(a) | Term::Later(a) => {
                open.push(*a);
            }
            Term::Element(a, b, _) => open.extend([*a, *b]),
            Term::Apply(_, arguments) => open.extend(arguments.iter().copied()),
        }
    }
}

#[derive(PartialEq, Eq, Hash)]
enum Leaf<'c> {
    Live(Value<'c>),
    Term(TermId),
}

/// A value, and a bit that says whether all loads it needs could be made; none if there was nothing to ask.
#[derive(Clone, Copy)]
struct Computed<'c> {
    value: Value<'c>,
    valid: Option<Value<'c>>,
}

struct Emission<'e, 'c, 'm> {
    emitter: &'e Emitter<'c, 'm>,
    terms: &'e Terms<'c>,
    values: HashMap<Leaf<'c>, Computed<'c>>,
}

impl<'c> Emission<'_, 'c, '_> {
    /// The distance of a condition: 0 if it holds.
    fn distance(&mut self, atom: &Atom) -> Value<'c> {
        let emitter = self.emitter;
        let builder = &emitter.builder;
        let (zero, one) = (emitter.i64.zero(), emitter.i64.constant(1));
        let (distance, valid) = match atom {
            Atom::Integers(relation, a, b) => {
                let (a, b) = (self.emit(*a), self.emit(*b));
                let holds = builder.compare(relation.predicate(), a.value, b.value);
                let far = Distances::new(emitter).integer(relation.predicate(), a.value, b.value, true);
                (builder.select(holds, zero, far), self.both(a.valid, b.valid))
            }
            Atom::Floats(predicate, a, b, wanted) => {
                let predicate: RealPredicate = real_predicate(*predicate);
                let (a, b) = (self.emit(*a), self.emit(*b));
                let holds = builder.compare_floats(predicate, a.value, b.value);
                let far = Distances::new(emitter).float(predicate, a.value, b.value, *wanted);
                let distance =
                    if *wanted { builder.select(holds, zero, far) } else { builder.select(holds, far, zero) };
                (distance, self.both(a.valid, b.valid))
            }
            Atom::Bit(term, wanted) => {
                let bit = self.emit(*term);
                let (set, clear) = if *wanted { (zero, one) } else { (one, zero) };
                (builder.select(bit.value, set, clear), bit.valid)
            }
            Atom::OneOf(term, cases) => {
                let value = self.emit(*term);
                let mut nearest = emitter.i64.constant(u64::MAX);
                for case in cases.iter() {
                    let case = value.value.ty().constant_wide(*case);
                    let holds = builder.compare(IntPredicate::LLVMIntEQ, value.value, case);
                    let far =
                        Distances::new(emitter).integer(IntPredicate::LLVMIntEQ, value.value, case, true);
                    let far = builder.select(holds, zero, far);
                    let nearer = builder.compare(IntPredicate::LLVMIntULT, far, nearest);
                    nearest = builder.select(nearer, far, nearest);
                }
                (nearest, value.valid)
            }
            Atom::NoneOf(term, cases) => {
                let value = self.emit(*term);
                let mut distance = zero;
                for case in cases.iter() {
                    let case = value.value.ty().constant_wide(*case);
                    let holds = builder.compare(IntPredicate::LLVMIntEQ, value.value, case);
                    distance = builder.select(holds, one, distance);
                }
                (distance, value.valid)
            }
        };
        match valid {
            Some(valid) => builder.select(valid, distance, emitter.i64.constant(u64::MAX)),
            None => distance,
        }
    }

    fn both(&self, a: Option<Value<'c>>, b: Option<Value<'c>>) -> Option<Value<'c>> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.emitter.builder.binary(Opcode::LLVMAnd, a, b)),
            (one, other) => one.or(other),
        }
    }

    fn emit(&mut self, term: TermId) -> Computed<'c> {
        let leaf = match self.terms.get(term) {
            Term::Live(value) => Leaf::Live(*value),
            _ => Leaf::Term(term),
        };
        if let Some(computed) = self.values.get(&leaf) {
            return *computed;
        }
        let computed = self.compute(term);
        self.values.insert(leaf, computed);
        computed
    }

    fn compute(&mut self, term: TermId) -> Computed<'c> {
        let emitter = self.emitter;
        let builder = &emitter.builder;
        let ty = self.terms.ty(term);
        let sure = |value| Computed { value, valid: None };
        match self.terms.get(term).clone() {
            Term::Int(bits) => sure(ty.constant_wide(bits)),
            Term::Constant(value) | Term::Live(value) => sure(value),
            Term::Binary(opcode, a, b) => {
                let (a, b) = (self.emit(a), self.emit(b));
                Computed { value: self.binary(opcode, a.value, b.value), valid: self.both(a.valid, b.valid) }
            }
            Term::Negate(a) => {
                let a = self.emit(a);
                Computed { value: builder.fneg(a.value), ..a }
            }
            Term::Cast(opcode, a) => {
                let a = self.emit(a);
                let value = builder.cast(opcode, a.value, ty);
                let can_fail = matches!(opcode, Opcode::LLVMFPToSI | Opcode::LLVMFPToUI);
                Computed { value: if can_fail { builder.freeze(value) } else { value }, ..a }
            }
            Term::Compare(predicate, a, b) => {
                let (a, b) = (self.emit(a), self.emit(b));
                let value = builder.compare(predicate, a.value, b.value);
                Computed { value, valid: self.both(a.valid, b.valid) }
            }
            Term::CompareFloats(predicate, a, b) => {
                let (a, b) = (self.emit(a), self.emit(b));
                let value = builder.compare_floats(predicate, a.value, b.value);
                Computed { value, valid: self.both(a.valid, b.valid) }
            }
            Term::Select(c, a, b) => {
                let (c, a, b) = (self.emit(c), self.emit(a), self.emit(b));
                let value = builder.select(c.value, a.value, b.value);
                let valid = self.both(a.valid, b.valid);
                Computed { value, valid: self.both(c.valid, valid) }
            }
            Term::Offset(a, bytes) => {
                let a = self.emit(a);
                let value = builder.gep(emitter.i8, a.value, &[emitter.i64.constant(bytes)]);
                Computed { value, ..a }
            }
            Term::Element(a, index, size) => {
                let (a, index) = (self.emit(a), self.emit(index));
                let bytes = builder.binary(Opcode::LLVMMul, index.value, emitter.i64.constant(size));
                let value = builder.gep(emitter.i8, a.value, &[bytes]);
                Computed { value, valid: self.both(a.valid, index.valid) }
            }
            Term::Load(address) => self.load(term, address),
            // Nobody knows how many rounds will follow, so what it was is as good a guess as any.
            Term::Later(a) => self.emit(a),
            Term::Apply(function, arguments) => {
                let arguments: Vec<Computed<'c>> = arguments.iter().map(|term| self.emit(*term)).collect();
                let values: Vec<Value<'c>> = arguments.iter().map(|argument| argument.value).collect();
                let value = builder.call_function(function, &values);
                let valid = arguments.iter().fold(None, |valid, argument| self.both(valid, argument.valid));
                Computed { value, valid }
            }
        }
    }

    /// A load that is made from elsewhere if its address cannot be read.
    fn load(&mut self, term: TermId, address: TermId) -> Computed<'c> {
        let emitter = self.emitter;
        let builder = &emitter.builder;
        let ty = self.terms.ty(term);
        let bytes = emitter.module.store_size(ty);
        let place = self.emit(address);
        let size = |variable: Value<'c>| match variable.opcode() {
            Some(Opcode::LLVMAlloca) if variable.operand(0).constant_int() == Some(1) => {
                emitter.module.alloc_size(variable.allocated_type())
            }
            Some(_) => 0,
            None => emitter.module.alloc_size(variable.global_type()),
        };
        if is_inside_variable(self.terms, address, bytes, size) {
            return Computed { value: builder.load(ty, place.value), valid: place.valid };
        }
        let number = builder.cast(Opcode::LLVMPtrToInt, place.value, emitter.i64);
        let answer = emitter.call("is_readable", &[number, emitter.i64.constant(bytes)]);
        let readable = builder.compare(IntPredicate::LLVMIntNE, answer, emitter.i32.zero());
        let safe = builder.select(readable, place.value, emitter.pointer.address(CELLS_ADDRESS));
        let value = builder.load(ty, safe);
        value.set_alignment(1);
        Computed { value, valid: self.both(place.valid, Some(readable)) }
    }

    /// An operation that never traps: a divisor that would is 1 instead.
    fn binary(&self, opcode: Opcode, a: Value<'c>, b: Value<'c>) -> Value<'c> {
        let builder = &self.emitter.builder;
        let ty = a.ty();
        if ty.kind() != Kind::Int {
            return builder.binary(opcode, a, b);
        }
        match opcode {
            Opcode::LLVMUDiv | Opcode::LLVMURem | Opcode::LLVMSDiv | Opcode::LLVMSRem => {
                let mut bad = builder.compare(IntPredicate::LLVMIntEQ, b, ty.zero());
                if matches!(opcode, Opcode::LLVMSDiv | Opcode::LLVMSRem) {
                    let minus_one = ty.constant_wide(u128::MAX >> (128 - ty.int_width()));
                    let least = ty.constant_wide(1 << (ty.int_width() - 1));
                    let is_minus_one = builder.compare(IntPredicate::LLVMIntEQ, b, minus_one);
                    let is_least = builder.compare(IntPredicate::LLVMIntEQ, a, least);
                    bad = builder.or(bad, builder.binary(Opcode::LLVMAnd, is_minus_one, is_least));
                }
                builder.binary(opcode, a, builder.select(bad, ty.constant(1), b))
            }
            Opcode::LLVMShl | Opcode::LLVMLShr | Opcode::LLVMAShr => {
                builder.freeze(builder.binary(opcode, a, b))
            }
            _ => builder.binary(opcode, a, b),
        }
    }
}

//! Mutants: the build that holds every small change of the code, of which a number selects one.
//!
//! Each point hands its value to the runtime, which gives it back or changes it (`runtime/src/mutants.rs`):
//!
//! ```text
//! before:  %r = add i32 %a, %b
//! after:   %r = add i32 %a, %b
//!          %s = call i64 mutate(i32 7, i32 <add, 32 bits>, i64 %a, i64 %b, i64 %r)      mutants 7 to 11
//!          ..uses of %r are uses of %s
//! ```
//!
//! The code runs as its users compile it: checks of sanitizers never fail here, so that a mutant counts as noticed only if the code
//! itself goes wrong.

mod points;
mod tables;
mod words;

use super::emitter::Emitter;
use crate::inspect::PLACE_KIND;
use points::{Held, Point, Points};
use std::collections::HashMap;
use testwright_abi::memory::MAX_OUTCOMES;
use testwright_abi::mutant::{Change, Point as Numbered};
use testwright_base::ids::FunctionId;
use testwright_base::mutant::Mutant;
use testwright_base::site::Place;
use testwright_base::subject::Subject;
use testwright_llvm::{Kind, Opcode, Type, Value};

/// Who is asked what to go on with.
#[derive(Debug, Clone, Copy)]
pub enum Asks<'c> {
    /// The worker.
    Worker,
    /// A function of the program; the mutants before these have the numbers below `first`.
    Function {
        /// The function that is asked at points.
        chooser: Value<'c>,
        /// The function that is asked about elements of tables.
        element: Value<'c>,
        /// The number of the first mutant.
        first: u32,
    },
}

impl Asks<'_> {
    fn first(self) -> u32 {
        match self {
            Asks::Worker => 0,
            Asks::Function { first, .. } => first,
        }
    }
}

/// Adds all mutants, and lists them in the subject.
pub fn instrument<'c>(emitter: &Emitter<'c, '_>, subject: &mut Subject, asks: Asks<'c>) {
    let points = Points::new(emitter);
    let functions: Vec<Value<'c>> = emitter.module.functions();
    let found: Vec<Point<'c>> = functions.into_iter().flat_map(|function| points.of(function)).collect();
    never_trap(emitter);
    let mut mutants = Vec::new();
    let mut switches = HashMap::new();
    for point in found {
        let changes = point.operation.changes();
        let first = asks.first() + mutants.len() as u32;
        if u64::from(first) + changes.len() as u64 > MAX_OUTCOMES {
            break;
        }
        let Some((function, place)) = place(emitter, subject, point.at) else { continue };
        // What a point is in words is read from the code, so it comes before the code is changed.
        let known = changes.iter().zip(equivalent(&point));
        mutants.extend(known.map(|(change, equivalent)| Mutant {
            function,
            place: place.clone(),
            kind: point.operation.kind().to_owned(),
            change: words::change(&point, *change),
            equivalent,
        }));
        insert(emitter, &point, (asks, first), &mut switches);
    }
    tables::instrument(emitter, subject, asks, &mut mutants);
    subject.mutants = mutants;
}

/// Which changes of a point compute what the original or an earlier change computes. Of constants that is known.
fn equivalent(point: &Point<'_>) -> Vec<bool> {
    let changes = point.operation.changes();
    let value = match point.held {
        Held::Operand { user, index, .. } => user.operand(index),
        _ => return vec![false; changes.len()],
    };
    let Some(original) = value.constant_int().map(|bits| bits as u64) else {
        return vec![false; changes.len()];
    };
    let numbered = Numbered { operation: point.operation, width: width(value.ty()) as u8 };
    let mut known = vec![original];
    let is_known = |change: &Change| {
        let changed = numbered.changed(*change, 0, 0, original);
        let is_known = known.contains(&changed);
        known.push(changed);
        is_known
    };
    changes.iter().map(is_known).collect()
}

/// Where an instruction stands.
fn place(
    emitter: &Emitter<'_, '_>,
    subject: &Subject,
    instruction: Value<'_>,
) -> Option<(FunctionId, Place)> {
    let numbers = instruction.numbers(emitter.module.context().metadata_kind(PLACE_KIND))?;
    let [function, line, column] = numbers.as_slice() else { return None };
    let function = FunctionId::of(usize::try_from(*function).ok()?);
    let file = subject.function(function).place.as_ref()?.file.clone();
    Some((function, Place { file, line: *line as u32, column: *column as u32 }))
}

/// Lets the checks of sanitizers pass.
///
/// ```text
/// before:  br i1 %ok, label %go, label %trap        trap: call void @llvm.ubsantrap(i8 0)
/// after:   br i1 true, label %go, label %trap
/// ```
fn never_trap(emitter: &Emitter<'_, '_>) {
    for block in emitter.module.functions().into_iter().flat_map(Value::blocks) {
        let traps = |call: &Value<'_>| {
            call.opcode() == Some(Opcode::LLVMCall)
                && call.callee().is_function()
                && call.callee().name() == "llvm.ubsantrap"
        };
        if !block.instructions().iter().any(traps) {
            continue;
        }
        for branch in block.predecessors().into_iter().filter(|branch| branch.is_conditional()) {
            let leads_here = branch.successors()[0] == block;
            branch.set_operand(0, emitter.i1.constant(u64::from(!leads_here)));
        }
    }
}

/// Lets a point ask the runtime what it goes on with.
fn insert<'c>(
    emitter: &Emitter<'c, '_>,
    point: &Point<'c>,
    (asks, first): (Asks<'c>, u32),
    switches: &mut HashMap<Value<'c>, Value<'c>>,
) {
    let builder = &emitter.builder;
    let mutate = |a: Value<'c>, b: Value<'c>, value: Value<'c>, width: u32| {
        let number = Numbered { operation: point.operation, width: width as u8 }.to_number();
        let constant = |number: u32| emitter.i32.constant(number.into());
        let [a, b, value] = [a, b, value].map(|value| bits(emitter, value));
        let arguments = [constant(first), constant(number), a, b, value];
        match asks {
            Asks::Worker => emitter.call("mutate", &arguments),
            Asks::Function { chooser, .. } => builder.call_function(chooser, &arguments),
        }
    };
    let zero = emitter.i64.zero();
    match point.held {
        Held::Computed { a, b } => {
            let users = point.at.users();
            builder.before(point.at.next().expect("what computes ends no block"));
            let width = width(a.ty());
            let changed = unbits(emitter, mutate(a, b, point.at, width), point.at.ty());
            replace(&users, point.at, changed);
        }
        Held::Operand { user, index, before } => {
            let value = user.operand(index);
            builder.before(before);
            let changed = mutate(zero, zero, value, width(value.ty()));
            user.set_operand(index, unbits(emitter, changed, value.ty()));
        }
        Held::Stored => {
            let (value, pointer) = (point.at.operand(0), point.at.operand(1));
            builder.before(point.at);
            let old = builder.load(value.ty(), pointer);
            old.set_alignment(1);
            let changed = mutate(builder.freeze(old), zero, value, width(value.ty()));
            point.at.set_operand(0, unbits(emitter, changed, value.ty()));
        }
        Held::Called => {
            builder.before(point.at);
            let skipped = mutate(emitter.i64.constant(1), zero, zero, 1);
            skip(emitter, point.at, skipped);
        }
        Held::Case { value: case, other } => {
            let switch = point.at;
            let ty = switch.condition().ty();
            builder.before(switch);
            let value = switches.get(&switch).copied().unwrap_or_else(|| switch.condition());
            let [case, other] = [case, other].map(|number| ty.constant(number));
            let changed = unbits(emitter, mutate(other, case, value, width(ty)), ty);
            switches.insert(switch, changed);
            switch.set_operand(0, changed);
        }
    }
}

/// Lets the users of a value use another one.
fn replace<'c>(users: &[Value<'c>], value: Value<'c>, changed: Value<'c>) {
    for user in users {
        for index in 0..user.operand_count() {
            if user.operand(index) == value {
                user.set_operand(index, changed);
            }
        }
    }
}

/// ```text
/// before:  b: A; call; B        after:  h: A; br (skipped == 0), c, b       c: call; br b       b: B
/// ```
fn skip<'c>(emitter: &Emitter<'c, '_>, call: Value<'c>, skipped: Value<'c>) {
    let builder = &emitter.builder;
    let rest = call.block();
    let after = call.next().expect("a call ends no block");
    let head = rest.split_before(call, builder);
    let own = rest.split_before(after, builder);
    builder.at_end(own);
    builder.jump(rest);
    builder.at_end(head);
    let made = builder.compare(testwright_llvm::IntPredicate::LLVMIntEQ, skipped, emitter.i64.zero());
    builder.branch(made, own, rest);
}

/// The width of a value in bits.
fn width(ty: Type<'_>) -> u32 {
    match ty.kind() {
        Kind::Int => ty.int_width(),
        Kind::Float => 32,
        _ => 64,
    }
}

/// A value as 64 bits.
fn bits<'c>(emitter: &Emitter<'c, '_>, value: Value<'c>) -> Value<'c> {
    let builder = &emitter.builder;
    match value.ty().kind() {
        Kind::Int => builder.resize(value, emitter.i64),
        Kind::Float => builder.resize(builder.cast(Opcode::LLVMBitCast, value, emitter.i32), emitter.i64),
        Kind::Double => builder.cast(Opcode::LLVMBitCast, value, emitter.i64),
        _ => builder.cast(Opcode::LLVMPtrToInt, value, emitter.i64),
    }
}

/// 64 bits as a value of a type.
fn unbits<'c>(emitter: &Emitter<'c, '_>, bits: Value<'c>, ty: Type<'c>) -> Value<'c> {
    let builder = &emitter.builder;
    match ty.kind() {
        Kind::Int => builder.resize(bits, ty),
        Kind::Float => builder.cast(Opcode::LLVMBitCast, builder.resize(bits, emitter.i32), ty),
        Kind::Double => builder.cast(Opcode::LLVMBitCast, bits, ty),
        _ => builder.cast(Opcode::LLVMIntToPtr, bits, ty),
    }
}

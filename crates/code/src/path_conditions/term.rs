//! Terms: what values will be further along a path, in terms of what they are at its first node.
//!
//! Equal terms have equal numbers, and integers are folded, so that conditions can be compared and plainly impossible
//! ones are seen.

use std::collections::HashMap;
use std::rc::Rc;
use testwright_base::site::sign_extend;
use testwright_llvm::{IntPredicate, Kind, Opcode, RealPredicate, Type, Value};

/// Number of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(pub u32);

/// What a term is.
#[derive(Debug, Clone)]
pub enum Term<'c> {
    /// An integer.
    Int(u128),
    /// Another constant: a float, null, the address of a global.
    Constant(Value<'c>),
    /// A value as it is at the node.
    Live(Value<'c>),
    /// An operation on two operands.
    Binary(Opcode, TermId, TermId),
    /// The negation of a float.
    Negate(TermId),
    /// A conversion.
    Cast(Opcode, TermId),
    /// A comparison of integers or pointers.
    Compare(IntPredicate, TermId, TermId),
    /// A comparison of floats.
    CompareFloats(RealPredicate, TermId, TermId),
    /// A choice.
    Select(TermId, TermId, TermId),
    /// An address and a constant number of bytes.
    Offset(TermId, u64),
    /// An address and a number of elements of this size.
    Element(TermId, TermId, u64),
    /// What memory holds at the node.
    Load(TermId),
    /// A function without effects, applied.
    Apply(Value<'c>, Rc<[TermId]>),
    /// A counter after more rounds of a loop than were gone through; this is what it was then.
    Later(TermId),
}

#[derive(PartialEq, Eq, Hash)]
struct Key<'c> {
    tag: u8,
    code: u32,
    ty: Type<'c>,
    value: Option<Value<'c>>,
    number: u128,
    operands: Vec<TermId>,
}

/// All terms of an analysis.
#[derive(Default)]
pub struct Terms<'c> {
    list: Vec<(Term<'c>, Type<'c>)>,
    /// Whether something in a term is [`Term::Later`].
    is_later: Vec<bool>,
    index: HashMap<Key<'c>, TermId>,
    recomputed: HashMap<Value<'c>, TermId>,
    /// What memory is known to hold at the node, by address.
    loaded: HashMap<(TermId, Type<'c>), TermId>,
}

impl<'c> Terms<'c> {
    /// The term of this number.
    pub fn get(&self, id: TermId) -> &Term<'c> {
        &self.list[id.0 as usize].0
    }

    /// Its type.
    pub fn ty(&self, id: TermId) -> Type<'c> {
        self.list[id.0 as usize].1
    }

    /// Whether it will have changed by the time it is asked for.
    pub fn is_later(&self, id: TermId) -> bool {
        self.is_later[id.0 as usize]
    }

    /// Width of an integer, 0 for others.
    pub fn width(&self, id: TermId) -> u32 {
        self.ty(id).int_width()
    }

    /// An integer, as bits.
    pub fn integer(&self, id: TermId) -> Option<u128> {
        match self.get(id) {
            Term::Int(bits) => Some(*bits),
            _ => None,
        }
    }

    /// An integer, read with its sign.
    pub fn signed(&self, id: TermId) -> Option<i128> {
        self.integer(id).map(|bits| sign_extend(bits, self.width(id)))
    }

    fn add(&mut self, term: Term<'c>, ty: Type<'c>) -> TermId {
        let key = key(&term, ty);
        let next = TermId(self.list.len() as u32);
        let is_later =
            matches!(term, Term::Later(_)) || key.operands.iter().any(|operand| self.is_later(*operand));
        let id = *self.index.entry(key).or_insert(next);
        if id == next {
            self.is_later.push(is_later);
            self.list.push((term, ty));
        }
        id
    }

    /// The integer of this type.
    pub fn int(&mut self, ty: Type<'c>, bits: u128) -> TermId {
        self.add(Term::Int(bits & mask(ty.int_width())), ty)
    }

    /// A value as it is at the node; a constant as it always is. `flag` is the type of one bit.
    ///
    /// What was computed before is computed again from its operands, so that a comparison has a distance. They have not
    /// changed since: whoever comes to the node computed the value last, because its block dominates the node.
    pub fn value(&mut self, value: Value<'c>, flag: Type<'c>) -> TermId {
        if let Some(bits) = value.constant_int().filter(|_| value.ty().kind() == Kind::Int) {
            return self.int(value.ty(), bits);
        }
        if let Some(known) = self.recomputed.get(&value) {
            return *known;
        }
        let id = self.recompute(value, flag).unwrap_or_else(|| self.leaf(value));
        self.recomputed.insert(value, id);
        id
    }

    fn recompute(&mut self, value: Value<'c>, flag: Type<'c>) -> Option<TermId> {
        let opcode = value.is_instruction().then(|| value.opcode()).flatten()?;
        let is_narrow = |value: Value<'c>| value.ty().scalar_width().is_some_and(|width| width <= 64);
        let mut operand = |index: usize| {
            let operand = value.operand(index);
            (is_narrow(operand) && !operand.is_undefined()).then(|| self.value(operand, flag))
        };
        match opcode {
            Opcode::LLVMICmp => {
                let (a, b) = (operand(0)?, operand(1)?);
                Some(self.compare(value.int_predicate(), a, b, flag))
            }
            Opcode::LLVMFCmp => {
                let (a, b) = (operand(0)?, operand(1)?);
                Some(self.compare_floats(value.real_predicate(), a, b, flag))
            }
            _ if !is_narrow(value) => None,
            Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul => {
                let (a, b) = (operand(0)?, operand(1)?);
                Some(self.binary(opcode, a, b))
            }
            Opcode::LLVMAnd | Opcode::LLVMOr | Opcode::LLVMXor => {
                let (a, b) = (operand(0)?, operand(1)?);
                Some(self.binary(opcode, a, b))
            }
            Opcode::LLVMTrunc | Opcode::LLVMZExt | Opcode::LLVMSExt => {
                let a = operand(0)?;
                Some(self.cast(opcode, a, value.ty()))
            }
            Opcode::LLVMFreeze => operand(0),
            Opcode::LLVMExtractValue => {
                let (opcode, a, b) = checked_arithmetic(value)?;
                let (a, b) = (self.value(a, flag), self.value(b, flag));
                Some(self.binary(opcode, a, b))
            }
            _ => None,
        }
    }

    fn leaf(&mut self, value: Value<'c>) -> TermId {
        let term = if value.is_constant() { Term::Constant(value) } else { Term::Live(value) };
        self.add(term, value.ty())
    }

    /// An operation; folded if both operands are known.
    pub fn binary(&mut self, opcode: Opcode, a: TermId, b: TermId) -> TermId {
        let ty = self.ty(a);
        let known = self.integer(a).zip(self.integer(b)).filter(|_| ty.int_width() <= 64);
        if let Some(bits) = known.and_then(|(x, y)| fold(opcode, x, y)) {
            return self.int(ty, bits);
        }
        // x + 0, x - 0, x * 1 and the like come from unrolled loops.
        match (opcode, self.integer(a), self.integer(b)) {
            (Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMOr | Opcode::LLVMXor, _, Some(0)) => return a,
            (Opcode::LLVMAdd | Opcode::LLVMOr | Opcode::LLVMXor, Some(0), _) => return b,
            (Opcode::LLVMMul, _, Some(1)) => return a,
            _ => {}
        }
        self.add(Term::Binary(opcode, a, b), ty)
    }

    /// The negation of a float.
    pub fn negate(&mut self, a: TermId) -> TermId {
        self.add(Term::Negate(a), self.ty(a))
    }

    /// A conversion; folded if the operand is known.
    pub fn cast(&mut self, opcode: Opcode, a: TermId, ty: Type<'c>) -> TermId {
        if self.ty(a) == ty && opcode == Opcode::LLVMBitCast {
            return a;
        }
        let folded = match (opcode, self.integer(a)) {
            (Opcode::LLVMTrunc | Opcode::LLVMZExt, Some(bits)) => Some(bits),
            (Opcode::LLVMSExt, Some(bits)) => Some(sign_extend(bits, self.width(a)) as u128),
            _ => None,
        };
        match folded {
            Some(bits) => self.int(ty, bits),
            None => self.add(Term::Cast(opcode, a), ty),
        }
    }

    /// A comparison; folded if both operands are known. `flag` is the type of one bit.
    pub fn compare(&mut self, predicate: IntPredicate, a: TermId, b: TermId, flag: Type<'c>) -> TermId {
        if let (Some(x), Some(y)) = (self.integer(a), self.integer(b)) {
            let holds = holds(predicate, x, y, self.width(a));
            return self.int(flag, u128::from(holds));
        }
        self.add(Term::Compare(predicate, a, b), flag)
    }

    /// A comparison of floats.
    pub fn compare_floats(
        &mut self,
        predicate: RealPredicate,
        a: TermId,
        b: TermId,
        flag: Type<'c>,
    ) -> TermId {
        self.add(Term::CompareFloats(predicate, a, b), flag)
    }

    /// A choice.
    pub fn select(&mut self, condition: TermId, a: TermId, b: TermId) -> TermId {
        match self.integer(condition) {
            Some(0) => b,
            Some(_) => a,
            None if a == b => a,
            None => self.add(Term::Select(condition, a, b), self.ty(a)),
        }
    }

    /// An address, so many bytes further.
    pub fn offset(&mut self, base: TermId, bytes: u64) -> TermId {
        if bytes == 0 {
            return base;
        }
        match *self.get(base) {
            Term::Offset(inner, before) => self.offset(inner, before.wrapping_add(bytes)),
            _ => self.add(Term::Offset(base, bytes), self.ty(base)),
        }
    }

    /// An address, so many elements further.
    pub fn element(&mut self, base: TermId, index: TermId, size: u64) -> TermId {
        match self.signed(index) {
            Some(number) => self.offset(base, (number as u64).wrapping_mul(size)),
            None => self.add(Term::Element(base, index, size), self.ty(base)),
        }
    }

    /// What memory holds at the node.
    pub fn load(&mut self, address: TermId, ty: Type<'c>) -> TermId {
        match self.loaded.get(&(address, ty)) {
            Some(known) => *known,
            None => self.add(Term::Load(address), ty),
        }
    }

    /// Memory holds at the node what this instruction has loaded. `flag` is the type of one bit.
    pub fn keep_loaded(&mut self, load: Value<'c>, flag: Type<'c>) {
        let (address, known) = (self.value(load.operand(0), flag), self.value(load, flag));
        self.loaded.insert((address, load.ty()), known);
    }

    /// Another node: nothing is known about its memory.
    pub fn forget_loaded(&mut self) {
        self.loaded.clear();
    }

    /// A counter after more rounds of a loop.
    pub fn later(&mut self, counter: TermId) -> TermId {
        self.add(Term::Later(counter), self.ty(counter))
    }

    /// A function without effects, applied.
    pub fn apply(&mut self, function: Value<'c>, arguments: &[TermId], ty: Type<'c>) -> TermId {
        self.add(Term::Apply(function, arguments.into()), ty)
    }
}

/// The operation whose result an instruction takes out of what was checked for overflow; the flag is for the check alone.
pub fn checked_arithmetic<'c>(extract: Value<'c>) -> Option<(Opcode, Value<'c>, Value<'c>)> {
    let call = extract.operand(0);
    if extract.indices() != [0] || call.opcode() != Some(Opcode::LLVMCall) {
        return None;
    }
    let name = call.callee().name();
    let opcode = match name.get(6..9)? {
        "add" => Opcode::LLVMAdd,
        "sub" => Opcode::LLVMSub,
        "mul" => Opcode::LLVMMul,
        _ => return None,
    };
    match call.call_arguments()[..] {
        [a, b] if name.contains(".with.overflow.") => Some((opcode, a, b)),
        _ => None,
    }
}

fn key<'c>(term: &Term<'c>, ty: Type<'c>) -> Key<'c> {
    let mut key = Key { tag: 0, code: 0, ty, value: None, number: 0, operands: Vec::new() };
    match term {
        Term::Int(bits) => key.number = *bits,
        Term::Constant(value) => (key.tag, key.value) = (1, Some(*value)),
        Term::Live(value) => (key.tag, key.value) = (2, Some(*value)),
        Term::Binary(opcode, a, b) => {
            (key.tag, key.code, key.operands) = (3, *opcode as u32, vec![*a, *b]);
        }
        Term::Negate(a) => (key.tag, key.operands) = (4, vec![*a]),
        Term::Cast(opcode, a) => (key.tag, key.code, key.operands) = (5, *opcode as u32, vec![*a]),
        Term::Compare(predicate, a, b) => {
            (key.tag, key.code, key.operands) = (6, *predicate as u32, vec![*a, *b]);
        }
        Term::CompareFloats(predicate, a, b) => {
            (key.tag, key.code, key.operands) = (7, *predicate as u32, vec![*a, *b]);
        }
        Term::Select(c, a, b) => (key.tag, key.operands) = (8, vec![*c, *a, *b]),
        Term::Offset(base, bytes) => {
            (key.tag, key.number, key.operands) = (9, u128::from(*bytes), vec![*base]);
        }
        Term::Element(base, index, size) => {
            (key.tag, key.number, key.operands) = (10, u128::from(*size), vec![*base, *index]);
        }
        Term::Load(address) => (key.tag, key.operands) = (11, vec![*address]),
        Term::Apply(function, arguments) => {
            (key.tag, key.value, key.operands) = (12, Some(*function), arguments.to_vec());
        }
        Term::Later(a) => (key.tag, key.operands) = (13, vec![*a]),
    }
    key
}

fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width.clamp(1, 128))
}

fn fold(opcode: Opcode, x: u128, y: u128) -> Option<u128> {
    Some(match opcode {
        Opcode::LLVMAdd => x.wrapping_add(y),
        Opcode::LLVMSub => x.wrapping_sub(y),
        Opcode::LLVMMul => x.wrapping_mul(y),
        Opcode::LLVMAnd => x & y,
        Opcode::LLVMOr => x | y,
        Opcode::LLVMXor => x ^ y,
        Opcode::LLVMShl if y < 64 => x << y,
        Opcode::LLVMLShr if y < 64 => x >> y,
        _ => return None,
    })
}

/// Whether a predicate holds for integers of this width (pointers: 0, which is taken for 64).
pub fn holds(predicate: IntPredicate, x: u128, y: u128, width: u32) -> bool {
    let (a, b) = (sign_extend(x, width.max(1)), sign_extend(y, width.max(1)));
    match predicate {
        IntPredicate::LLVMIntEQ => x == y,
        IntPredicate::LLVMIntNE => x != y,
        IntPredicate::LLVMIntUGT => x > y,
        IntPredicate::LLVMIntUGE => x >= y,
        IntPredicate::LLVMIntULT => x < y,
        IntPredicate::LLVMIntULE => x <= y,
        IntPredicate::LLVMIntSGT => a > b,
        IntPredicate::LLVMIntSGE => a >= b,
        IntPredicate::LLVMIntSLT => a < b,
        IntPredicate::LLVMIntSLE => a <= b,
    }
}

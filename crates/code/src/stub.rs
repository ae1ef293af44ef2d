//! Stubs: bodies for functions that nobody defines, which give the answers of the case.
//!
//! Answers lie in arrays, one per role, that a case sets like other global variables:
//!
//! ```text
//! before:  declare i32 @read_clock()
//! after:   @"stub.read_clock.result" = global [128 x i8]
//!          define i32 @read_clock() {
//!            %call = call i64 @tw_stub_call(i32 <number of the stub>)          ; 0 for the first call
//!            ..what each parameter is given goes to the element %call of an array of its own
//!            %at = the element with the number min(%call, last)
//!            %answer = load i32, ptr %at
//!            ret i32 %answer
//!          }
//! ```
//!
//! Stubs are made after sites are numbered, so they add no goals.

use crate::frontend::Parameters;
use std::collections::BTreeMap;
use testwright_abi::memory::MAX_STUBS;
use testwright_base::ids::{GlobalId, TypeId};
use testwright_base::stub::{Answers, Behaviour, FILLED, Given, MOST_GIVEN, Origin, Role, Stub, room};
use testwright_base::subject::{Global, Subject};
use testwright_base::types::{Shape, Type as CType, Types};
use testwright_llvm::{Builder, IntPredicate, Kind, Module, Opcode, Type, Value};

/// Length of the texts and buffers that a stub returns pointers to.
const BUFFER: u64 = 16;

/// What people call a parameter that says in which line a call stands.
const LINES: [&str; 4] = ["line", "lineno", "line_number", "__line"];

/// C has no such names.
const PREFIX: &str = "stub.";

/// The function that a pointer leads to, by its stub's name.
#[must_use]
pub fn symbol(name: &str) -> String {
    format!("{PREFIX}{name}")
}

/// Whether a function is one that a pointer leads to.
#[must_use]
pub fn is_symbol(name: &str) -> bool {
    name.starts_with(PREFIX)
}

/// What is stated about stubs, by their names.
pub type Behaviours = BTreeMap<String, Behaviour>;

/// Gives missing functions the names of their parameters, and stubs what is stated about them.
pub fn describe(subject: &mut Subject, names: &Parameters, behaviours: &Behaviours) {
    for stub in &mut subject.stubs {
        let names = names.get(&stub.name).filter(|_| stub.origin == Origin::Missing);
        for (param, name) in stub.signature.params.iter_mut().zip(names.into_iter().flatten()) {
            if !name.is_empty() {
                param.name.clone_from(name);
            }
        }
        if let Some(behaviour) = behaviours.get(&stub.name) {
            stub.ends |= behaviour.never_returns;
            stub.behaviour = behaviour.clone();
        }
    }
}

/// Declares the functions that pointers can lead to. Those whose result we cannot give are left out.
pub fn declare(module: &Module<'_>, subject: &mut Subject) {
    subject.stubs.truncate(MAX_STUBS as usize);
    let types = &subject.types;
    subject.stubs.retain(|stub| {
        if stub.origin == Origin::Missing {
            return true;
        }
        let Some(ty) = handed_type(module, types, stub) else { return false };
        let function = module.add_function(&symbol(&stub.name), ty);
        match &types.get(stub.signature.result).shape {
            Shape::Bool => function.add_result_attribute("zeroext"),
            Shape::Int { bits, signed, .. } | Shape::Enum { bits, signed, .. } if *bits < 32 => {
                function.add_result_attribute(if *signed { "signext" } else { "zeroext" });
            }
            _ => {}
        }
        true
    });
}

/// The LLVM type of a function that is handed over: as the compiler makes it, or values and what is known of them would not fit.
fn handed_type<'c>(module: &Module<'c>, types: &Types, stub: &Stub) -> Option<Type<'c>> {
    let context = module.context();
    let result = match &types.get(stub.signature.result).shape {
        Shape::Void => context.void(),
        Shape::Bool => context.int(1),
        Shape::Int { bits, .. } | Shape::Enum { bits, .. } => context.int(*bits),
        Shape::Float { bits: 32 } => context.simple(Kind::Float),
        Shape::Float { bits: 64 } => context.simple(Kind::Double),
        Shape::Pointer(_) => context.pointer(),
        _ => return None,
    };
    let param = |ty: TypeId| match &types.get(ty).shape {
        Shape::Bool => Some(context.int(1)),
        Shape::Int { bits, .. } | Shape::Enum { bits, .. } => Some(context.int(*bits)),
        Shape::Float { bits: 32 } => Some(context.simple(Kind::Float)),
        Shape::Float { bits: 64 } => Some(context.simple(Kind::Double)),
        Shape::Pointer(_) => Some(context.pointer()),
        _ => None,
    };
    let params: Option<Vec<Type<'c>>> = stub.signature.params.iter().map(|given| param(given.ty)).collect();
    Some(result.function(&params.unwrap_or_default(), false))
}

/// Gives every stub its arrays and its body.
pub fn define(module: &Module<'_>, subject: &mut Subject) {
    let mut stubs = std::mem::take(&mut subject.stubs);
    for (index, stub) in stubs.iter_mut().enumerate() {
        let name = if stub.origin == Origin::Missing { stub.name.clone() } else { symbol(&stub.name) };
        let Some(function) = module.function(&name).filter(|function| function.is_declaration()) else {
            continue;
        };
        let builder = Builder::new(module.context());
        builder.at_end(function.append_block("entry"));
        let mut maker = Maker { module, subject, stub, function, builder, call: None };
        maker.body(index);
        function.set_internal(true);
    }
    subject.stubs = stubs;
}

struct Maker<'c, 'm, 's> {
    module: &'m Module<'c>,
    subject: &'s mut Subject,
    stub: &'s mut Stub,
    function: Value<'c>,
    builder: Builder<'c>,
    /// Which call this is, from 0.
    call: Option<Value<'c>>,
}

impl<'c> Maker<'c, '_, '_> {
    fn body(&mut self, index: usize) {
        let context = self.module.context();
        let (i32, i64) = (context.int(32), context.int(64));
        let count = self.helper("tw_stub_call", i64.function(&[i32], false));
        self.call = Some(self.builder.call_function(count, &[i32.constant(index as u64)]));
        for (position, value) in self.params().into_iter().enumerate() {
            self.keep(position, value);
        }
        if self.stub.ends {
            let abort = self.helper("abort", context.void().function(&[], false));
            self.builder.call_function(abort, &[]);
            self.builder.unreachable();
            return;
        }
        for (position, pointer) in self.out_parameters() {
            self.write_out(position, pointer);
        }
        let result = self.result();
        self.builder.ret(result);
    }

    fn helper(&self, name: &str, ty: Type<'c>) -> Value<'c> {
        self.module.function(name).unwrap_or_else(|| self.module.add_function(name, ty))
    }

    /// Pointers to something that may be changed and can be built, with the numbers of their C parameters. Structs that
    /// hold pointers are left alone: answers could only be null there.
    fn out_parameters(&self) -> Vec<(usize, Value<'c>)> {
        let params = self.params();
        let given = &self.stub.signature.params;
        let types = &self.subject.types;
        let is_written = |position: &usize| {
            let Shape::Pointer(target) = types.get(given[*position].ty).shape else { return false };
            let is_filled = self.stub.behaviour.length_of(*position).is_some();
            if is_filled && types.get(target).shape == Shape::Void {
                return params[*position].ty().kind() == Kind::Pointer;
            }
            let leaves = testwright_base::layout::leaves(types, target);
            let plain =
                |ty: TypeId| !matches!(types.get(ty).shape, Shape::Pointer(_) | Shape::Float { bits: 80 });
            !self.stub.constant.contains(position)
                && params[*position].ty().kind() == Kind::Pointer
                && !leaves.is_empty()
                && leaves.iter().all(|leaf| plain(leaf.ty))
        };
        (0..params.len()).filter(is_written).map(|position| (position, params[position])).collect()
    }

    /// The values of the C parameters; none if LLVM's are others, so that nobody knows which is which.
    fn params(&self) -> Vec<Value<'c>> {
        let mut params = self.function.params();
        if self.function.parameter_type_attribute(0, "sret").is_some() {
            params.remove(0);
        }
        if params.len() == self.stub.signature.params.len() { params } else { Vec::new() }
    }

    /// Keeps what a parameter is given, if that is a number that tells something: of many calls what the first ones are given.
    fn keep(&mut self, position: usize, value: Value<'c>) {
        let context = self.module.context();
        let param = &self.stub.signature.params[position];
        // Where the code stands is no part of what it does.
        if LINES.contains(&param.name.as_str()) {
            return;
        }
        let (ty, kind) = (param.ty, value.ty().kind());
        let kept = match &self.subject.types.get(ty).shape {
            Shape::Bool if kind == Kind::Int => self.builder.resize(value, context.int(8)),
            Shape::Int { bits, .. } | Shape::Enum { bits, .. } if *bits <= 64 && kind == Kind::Int => {
                self.builder.resize(value, context.int(*bits))
            }
            Shape::Float { bits: 64 } if kind == Kind::Double => value,
            Shape::Float { bits: 32 } if kind == Kind::Float => value,
            _ => return,
        };
        let name = format!("what {} is given as {}", self.stub.name, param.name);
        let (global, place) = self.by_call((&format!("given{position}"), name), ty, MOST_GIVEN + 1);
        self.stub.given.push(Given { global, param: position });
        self.builder.store(kept, place).set_alignment(1);
    }

    /// ```text
    /// %to = select (%pointer == null), @scratch, %pointer;   memcpy(%to, %answer, size)
    /// ```
    fn write_out(&mut self, position: usize, pointer: Value<'c>) {
        let Shape::Pointer(mut target) =
            self.subject.types.get(self.stub.signature.params[position].ty).shape
        else {
            return;
        };
        let filled = self.stub.behaviour.length_of(position);
        if filled.is_some() {
            if self.subject.types.get(target).shape == Shape::Void {
                target = byte(&mut self.subject.types);
            }
            target = array(&mut self.subject.types, target, FILLED);
        }
        let size = self.subject.types.get(target).size;
        let answer = self.answers(Role::Out(position), target);
        let scratch = self.global(&format!("scratch{position}"), size);
        self.subject.globals.push(unnamed(&format!("scratch of {}", self.stub.name), size));
        let null = self.builder.compare(IntPredicate::LLVMIntEQ, pointer, pointer.ty().zero());
        let to = self.builder.select(null, scratch, pointer);
        let whole = self.module.context().int(64).constant(size);
        let written = filled.and_then(|length| self.filled(length, size / FILLED)).unwrap_or(whole);
        self.copy(to, answer, written);
    }

    /// How many bytes of a buffer are filled: as many elements of this size as the parameter says, none if that is negative, and no
    /// more than an answer has.
    fn filled(&self, length: usize, size: u64) -> Option<Value<'c>> {
        let context = self.module.context();
        let i64 = context.int(64);
        let shift = usize::from(self.function.parameter_type_attribute(0, "sret").is_some());
        let given = *self.function.params().get(length + shift)?;
        let (bits, signed) = testwright_base::layout::integer(
            &self.subject.types,
            self.stub.signature.params.get(length)?.ty,
        )?;
        // What a caller leaves in the rest of a register must not count.
        let given = self.builder.resize(given, context.int(bits));
        let is_negative = self.builder.compare(IntPredicate::LLVMIntSLT, given, given.ty().zero());
        let given = match signed {
            true => self.builder.select(is_negative, given.ty().zero(), given),
            false => given,
        };
        let wide = self.builder.resize(given, i64);
        let most = i64.constant(FILLED);
        let fits = self.builder.compare(IntPredicate::LLVMIntULT, wide, most);
        let count = self.builder.select(fits, wide, most);
        Some(self.builder.binary(Opcode::LLVMMul, count, i64.constant(size)))
    }

    fn result(&mut self) -> Option<Value<'c>> {
        let ty = self.stub.signature.result;
        let returned = self.function.global_type().result();
        let size = self.subject.types.get(ty).size;
        if self.function.parameter_type_attribute(0, "sret").is_some() {
            let answer = self.answers(Role::Result, ty);
            self.copy(self.function.params()[0], answer, self.module.context().int(64).constant(size));
            return None;
        }
        match (returned.kind(), &self.subject.types.get(ty).shape) {
            (Kind::Void, _) => None,
            (Kind::Pointer, Shape::Pointer(target)) => Some(self.pointer(*target)),
            (_, Shape::Other(_) | Shape::Void | Shape::Float { bits: 80 } | Shape::Pointer(_)) => {
                let spelled = self.subject.types.spell(ty);
                self.stub
                    .limits
                    .push(format!("it returns zero, because values of type `{spelled}` cannot be given"));
                Some(returned.zero())
            }
            _ => {
                let answer = self.answers(Role::Result, ty);
                Some(self.load(returned, answer))
            }
        }
    }

    /// A value as the calling convention returns it.
    fn load(&self, ty: Type<'c>, place: Value<'c>) -> Value<'c> {
        let context = self.module.context();
        if ty.int_width() == 1 {
            let byte = self.builder.load(context.int(8), place);
            return self.builder.cast(Opcode::LLVMTrunc, byte, ty);
        }
        if ty.kind() != Kind::Struct {
            let load = self.builder.load(ty, place);
            load.set_alignment(1);
            return load;
        }
        let mut whole = ty.poison();
        for (index, part) in ty.parts().into_iter().enumerate() {
            let offset = context.int(64).constant(self.module.offset_of(ty, index as u32));
            let part = self.load(part, self.builder.offset(place, offset));
            whole = self.builder.insert(whole, part, index as u32);
        }
        whole
    }

    /// A pointer to an object of the stub whose contents are answers too, or null.
    fn pointer(&mut self, target: TypeId) -> Value<'c> {
        let context = self.module.context();
        let definition = self.subject.types.get(target);
        let buildable = definition.size > 0
            && !matches!(
                definition.shape,
                Shape::Other(_) | Shape::Function { .. } | Shape::Float { bits: 80 }
            );
        let object = if testwright_base::layout::is_character(&self.subject.types, target) {
            let text = array(&mut self.subject.types, target, BUFFER);
            let object = self.answers(Role::Object, text);
            // Whatever the case says, the text ends.
            let end = self.builder.offset(object, context.int(64).constant(BUFFER - 1));
            self.builder.store(context.int(8).zero(), end);
            object
        } else if let Some(memory) = self.allocation() {
            memory
        } else if buildable {
            self.answers(Role::Object, target)
        } else {
            let opaque = self.global("object", BUFFER);
            self.subject.globals.push(unnamed(&format!("object of {}", self.stub.name), BUFFER));
            opaque
        };
        let byte = self.subject.types.push(CType {
            name: Some("_Bool".to_owned()),
            size: 1,
            align: 1,
            shape: Shape::Bool,
        });
        let flag = self.answers(Role::NotNull, byte);
        let flag = self.builder.load(context.int(8), flag);
        let given = self.builder.compare(IntPredicate::LLVMIntNE, flag, context.int(8).zero());
        self.builder.select(given, object, context.pointer().zero())
    }

    /// New memory, as much as the parameters ask for: `calloc(1, items * size)`.
    fn allocation(&self) -> Option<Value<'c>> {
        let context = self.module.context();
        let i64 = context.int(64);
        let params = self.function.params();
        let mut size = None;
        for index in &self.stub.allocates {
            // What a caller leaves in the rest of a register must not count.
            let bits = match self.subject.types.get(self.stub.signature.params.get(*index)?.ty).shape {
                Shape::Int { bits, .. } => context.int(bits),
                _ => return None,
            };
            let given = self.builder.resize(self.builder.resize(*params.get(*index)?, bits), i64);
            size = Some(match size {
                None => given,
                Some(size) => self.builder.binary(Opcode::LLVMMul, size, given),
            });
        }
        let calloc = self.helper("calloc", context.pointer().function(&[i64, i64], false));
        Some(self.builder.call_function(calloc, &[i64.constant(1), size?]))
    }

    /// A new array of answers; where the answer to this call lies in it.
    fn answers(&mut self, role: Role, element: TypeId) -> Value<'c> {
        let name = match role {
            Role::Result => "result".to_owned(),
            Role::Object => "objects".to_owned(),
            Role::NotNull => "non-null".to_owned(),
            Role::Out(position) => format!("out{position}"),
        };
        let count = room(self.subject.types.get(element).size);
        let (global, place) = self.by_call((&name, self.stub.answers_name(role)), element, count);
        self.stub.answers.push(Answers { global, role });
        place
    }

    /// A new array, with a name of its own and one for people; and where the element of this call lies in it. The last element is
    /// that of all further calls.
    fn by_call(
        &mut self,
        (name, shown): (&str, String),
        element: TypeId,
        count: u64,
    ) -> (GlobalId, Value<'c>) {
        let i64 = self.module.context().int(64);
        let size = self.subject.types.get(element).size;
        let global = self.global(name, size * count);
        let ty = array(&mut self.subject.types, element, count);
        let id = GlobalId::of(self.subject.globals.len());
        self.subject.globals.push(Global { name: shown, ty: Some(ty), size: size * count, place: None });
        let call = self.call.expect("the call was counted first");
        let last = i64.constant(count - 1);
        let early = self.builder.compare(IntPredicate::LLVMIntULT, call, last);
        let index = self.builder.select(early, call, last);
        let offset = self.builder.binary(Opcode::LLVMMul, index, i64.constant(size));
        (id, self.builder.offset(global, offset))
    }

    /// A variable of the stub. The worker knows globals by their order, so the caller adds it to the subject's list.
    fn global(&self, name: &str, size: u64) -> Value<'c> {
        let ty = self.module.context().int(8).array(size);
        let global = self.module.add_global(&format!("stub.{}.{name}", self.stub.name), ty);
        global.set_initializer(ty.zero());
        global.set_alignment(16);
        global
    }

    fn copy(&self, to: Value<'c>, from: Value<'c>, size: Value<'c>) {
        let context = self.module.context();
        let memcpy =
            self.module.intrinsic("llvm.memcpy", &[context.pointer(), context.pointer(), context.int(64)]);
        let arguments = [to, from, size, context.int(1).zero()];
        self.builder.call_function(memcpy, &arguments);
    }
}

fn byte(types: &mut Types) -> TypeId {
    let shape = Shape::Int { bits: 8, signed: false, character: true };
    types.push(CType { name: Some("unsigned char".to_owned()), size: 1, align: 1, shape })
}

fn array(types: &mut Types, element: TypeId, count: u64) -> TypeId {
    let CType { size, align, .. } = *types.get(element);
    types.push(CType {
        name: None,
        size: size * count,
        align,
        shape: Shape::Array { element, count: Some(count) },
    })
}

fn unnamed(name: &str, size: u64) -> Global {
    Global { name: name.to_owned(), ty: None, size, place: None }
}

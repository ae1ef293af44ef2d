//! Drivers: one function per callable function, which takes its arguments from memory.
//!
//! The worker calls every function the same way, `driver(arguments, result)`. The driver knows how the
//! platform passes each C type, because the function's LLVM signature shows what the C compiler made of it:
//!
//! * a scalar is one parameter; `_Bool` is `i1`;
//! * a struct of up to 16 bytes is one or two parameters, at offsets 0 and 8;
//! * a larger struct is a pointer with `byval`; a large result is a pointer with `sret`.

use crate::handle::Handle;
use crate::inspect::function_values;
use crate::variadic;
use testwright_base::contract::PRECONDITION;
use testwright_base::layout::ArgumentBlock;
use testwright_base::subject::{Signature, Subject};
use testwright_base::types::{Shape, Types};
use testwright_llvm::{Builder, Kind, Module, Opcode, Type, Value};

/// Name of the driver of the function with this index.
#[must_use]
pub fn name(index: usize) -> String {
    format!("tw_driver_{index}")
}

/// Adds drivers to the module. A function that cannot have one gets the reason in `uncallable`.
pub fn add(module: &Module<'_>, subject: &mut Subject) {
    let functions = function_values(module);
    for (index, function) in functions.into_iter().enumerate() {
        if subject.functions[index].model || subject.functions[index].uncallable.is_some() {
            continue;
        }
        if subject.functions[index].companion {
            let place = subject.functions[index].place.as_ref();
            let file = place.map_or("another file", |place| place.file.as_str());
            subject.functions[index].uncallable =
                Some(format!("it is defined in {file}, which is not among the files to test"));
            continue;
        }
        let Some(signature) = subject.functions[index].signature.clone() else {
            subject.functions[index].uncallable = Some("it has no debug information".to_owned());
            continue;
        };
        if let Err(reason) = Driver::build(module, subject, &signature, function, index) {
            subject.functions[index].uncallable = Some(reason);
        }
    }
}

struct Driver<'c, 'm> {
    module: &'m Module<'c>,
    builder: Builder<'c>,
    arguments: Value<'c>,
    result: Value<'c>,
    function: Value<'c>,
}

impl<'c> Driver<'c, '_> {
    /// ```text
    /// define void @tw_driver_3(ptr %arguments, ptr %result) {
    ///   %a = load i32, ptr %arguments;  %b = load double, ptr (%arguments + 8)
    ///   %r = call i32 @f(i32 %a, double %b)
    ///   store i32 %r, ptr %result
    ///   ret void
    /// }
    /// ```
    fn build(
        module: &Module<'c>,
        subject: &Subject,
        signature: &Signature,
        function: Value<'c>,
        index: usize,
    ) -> Result<(), String> {
        let context = module.context();
        // Checked before anything is added, so that a refusal leaves no half-made driver.
        let plan = plan(module, subject, &subject.functions[index].name, signature, function)?;
        let ty = context.void().function(&[context.pointer(), context.pointer()], false);
        let driver = module.add_function(&name(index), ty);
        let [arguments, result] = driver.params()[..] else { return Err("no parameters".to_owned()) };
        let builder = Builder::new(context);
        builder.at_end(driver.append_block("entry"));
        let driver = Driver { module, builder, arguments, result, function };
        driver.call(&plan);
        Ok(())
    }

    fn call(&self, plan: &Plan<'c>) {
        let values: Vec<Value<'c>> = plan.parts.iter().map(|part| self.value(plan, *part)).collect();
        if let Some(precondition) = plan.precondition {
            let hidden = plan.parts.len() - plan.given().len();
            self.call_with(precondition, plan.given(), &values[hidden..]);
            let ty = self.module.context().void().function(&[], false);
            let inside = self
                .module
                .function("tw_inside")
                .unwrap_or_else(|| self.module.add_function("tw_inside", ty));
            self.builder.call_function(inside, &[]);
        }
        if let Some(offset) = plan.dots {
            self.leave_list(offset);
        }
        let call = self.call_with(self.function, &plan.parts, &values);
        self.store_result(call, 0);
        self.builder.ret(None);
    }

    fn call_with(&self, function: Value<'c>, parts: &[Part<'c>], values: &[Value<'c>]) -> Value<'c> {
        let call = self.builder.call_function(function, values);
        // A function that is called like one of the C library is that of the code under test.
        call.add_attribute("nobuiltin");
        for (index, part) in parts.iter().enumerate() {
            // The convention belongs to the call as well as to the function.
            if let Part::Copy { ty, .. } = part {
                call.add_parameter_type_attribute(index, "byval", *ty);
            }
            if let Part::Result { ty } = part {
                call.add_parameter_type_attribute(index, "sret", *ty);
            }
        }
        call
    }

    fn value(&self, plan: &Plan<'c>, part: Part<'c>) -> Value<'c> {
        let Part::Made { handle } = part else { return self.load(part) };
        let Made { maker, parts } = &plan.made[handle];
        let values: Vec<Value<'c>> = parts.iter().map(|part| self.load(*part)).collect();
        self.call_with(*maker, parts, &values)
    }

    fn load(&self, part: Part<'c>) -> Value<'c> {
        let context = self.module.context();
        let at = |offset: u64| self.builder.offset(self.arguments, context.int(64).constant(offset));
        match part {
            Part::Result { .. } | Part::Made { .. } => self.result,
            Part::List { offset } => self.list(at(offset)),
            Part::Copy { offset, .. } => at(offset),
            Part::Value { ty, offset } if ty.int_width() == 1 => {
                let byte = self.builder.load(context.int(8), at(offset));
                self.builder.cast(Opcode::LLVMTrunc, byte, ty)
            }
            Part::Value { ty, offset } => {
                let load = self.builder.load(ty, at(offset));
                load.set_alignment(8);
                load
            }
        }
    }

    /// A `va_list` of the arguments that the pointer at this place leads to.
    fn list(&self, place: Value<'c>) -> Value<'c> {
        let context = self.module.context();
        let list = self.builder.alloca(context.int(64).array(3));
        list.set_alignment(16);
        for (offset, value) in variadic::fields(self.module, self.builder.load(context.pointer(), place)) {
            let field = self.builder.offset(list, context.int(64).constant(offset));
            self.builder.store(value, field);
        }
        list
    }

    /// Leaves the arguments behind the dots where the function looks for them first of all.
    fn leave_list(&self, offset: u64) {
        let context = self.module.context();
        let place = self.builder.offset(self.arguments, context.int(64).constant(offset));
        let list = self.builder.load(context.pointer(), place);
        self.builder.store(list, variadic::list(self.module));
        self.builder.store(context.int(32).constant(1), variadic::listed(self.module));
    }

    /// A result in registers: at offsets 0 and 8.
    fn store_result(&self, value: Value<'c>, offset: u64) {
        let context = self.module.context();
        let ty = value.ty();
        match ty.kind() {
            Kind::Void => {}
            Kind::Struct => {
                for (index, _) in ty.parts().into_iter().enumerate() {
                    self.store_result(self.builder.extract(value, index as u32), offset + 8 * index as u64);
                }
            }
            _ => {
                let value =
                    if ty.int_width() == 1 { self.builder.resize(value, context.int(8)) } else { value };
                let place = self.builder.offset(self.result, context.int(64).constant(offset));
                self.builder.store(value, place).set_alignment(1);
            }
        }
    }
}

/// What an LLVM parameter is made of.
#[derive(Clone, Copy)]
enum Part<'c> {
    /// Loaded from the argument block.
    Value { ty: Type<'c>, offset: u64 },
    /// A pointer into the argument block; the call copies from there.
    Copy { ty: Type<'c>, offset: u64 },
    /// The place for the result.
    Result { ty: Type<'c> },
    /// What a function of ours makes, by its number in the plan.
    Made { handle: usize },
    /// A `va_list` whose arguments begin where the argument block says.
    List { offset: u64 },
}

/// A function that makes an argument, and what it is given.
struct Made<'c> {
    maker: Value<'c>,
    parts: Vec<Part<'c>>,
}

struct Plan<'c> {
    parts: Vec<Part<'c>>,
    /// What is called for some of them.
    made: Vec<Made<'c>>,
    /// Where the list for the dots lies in the argument block.
    dots: Option<u64>,
    /// Checks what the function requires; it takes what the function is given.
    precondition: Option<Value<'c>>,
}

impl<'c> Plan<'c> {
    /// The parts without the place for the result.
    fn given(&self) -> &[Part<'c>] {
        match self.parts.as_slice() {
            [Part::Result { .. }, rest @ ..] => rest,
            all => all,
        }
    }
}

/// What the driver of a function does.
fn plan<'c>(
    module: &Module<'c>,
    subject: &Subject,
    name: &str,
    signature: &Signature,
    function: Value<'c>,
) -> Result<Plan<'c>, String> {
    let mut made = Vec::new();
    let parts = parts(&subject.types, signature, function, module, 0, &mut |param, offset| {
        let name = Handle::maker(name, param);
        let maker = module.function(&name).ok_or("nothing makes one of its parameters")?;
        let own = subject.model_named(&name).map(|own| subject.function(own));
        let signature = own.and_then(|own| own.signature.as_ref()).ok_or("what makes it is not known")?;
        let mut nobody = |_, _| Err("what makes it needs another one".to_owned());
        made.push(Made {
            maker,
            parts: parts(&subject.types, signature, maker, module, offset, &mut nobody)?,
        });
        Ok(Part::Made { handle: made.len() - 1 })
    })?;
    let precondition = module.function(&format!("{PRECONDITION}{name}"));
    let precondition = precondition.filter(|function| !function.is_declaration());
    let offsets = ArgumentBlock::new(&subject.types, signature).offsets;
    let dots = offsets.get(signature.declared(&subject.types).len()).copied();
    let plan = Plan { parts, made, dots, precondition };
    let takes_same = |function: Value<'c>| function.global_type().params().len() == plan.given().len();
    if !plan.precondition.is_none_or(takes_same) {
        return Err("what it requires takes its parameters in another way than it does".to_owned());
    }
    Ok(plan)
}

/// Matches C parameters, which lie in memory from `start` on, with LLVM parameters. `made` is asked for those that are handles, by
/// index and offset.
fn parts<'c>(
    types: &Types,
    signature: &Signature,
    function: Value<'c>,
    module: &Module<'c>,
    start: u64,
    made: &mut dyn FnMut(usize, u64) -> Result<Part<'c>, String>,
) -> Result<Vec<Part<'c>>, String> {
    let block = ArgumentBlock::new(types, signature);
    let params = function.global_type().params();
    let mut parts = Vec::new();
    if let Some(ty) = function.parameter_type_attribute(0, "sret") {
        parts.push(Part::Result { ty });
    }
    let declared = signature.declared(types);
    for (index, (param, offset)) in declared.iter().zip(&block.offsets).enumerate() {
        let base = start + offset;
        if types.is_list(param.ty) {
            parts.push(Part::List { offset: base });
            continue;
        }
        if types.declared_as(param.ty).is_some() {
            parts.push(made(index, base)?);
            continue;
        }
        let size = types.get(param.ty).size;
        let aggregate = matches!(types.get(param.ty).shape, Shape::Record { .. } | Shape::Other(_));
        if size == 0 && aggregate {
            continue;
        }
        let mismatch = || {
            let spelled = types.spell(param.ty);
            format!("parameter `{}` of type `{spelled}` is passed in a way we do not know", param.name)
        };
        let ty = *params.get(parts.len()).ok_or_else(mismatch)?;
        if let Some(ty) = function.parameter_type_attribute(parts.len(), "byval") {
            parts.push(Part::Copy { ty, offset: base });
            continue;
        }
        parts.push(Part::Value { ty, offset: base });
        let covered = if ty.int_width() == 1 { 1 } else { module.store_size(ty) };
        if covered < size && size <= 16 && (aggregate || size == 16) && covered <= 8 {
            let ty = *params.get(parts.len()).ok_or_else(mismatch)?;
            parts.push(Part::Value { ty, offset: base + 8 });
        } else if covered > size.next_multiple_of(8) {
            return Err(mismatch());
        }
    }
    if parts.len() != params.len() {
        return Err("its parameters are passed in a way we do not know".to_owned());
    }
    Ok(parts)
}

//! Which functions need a stub: those that are missing, those that callers hand over as arguments, and those that
//! variables and structs hold pointers to.

use super::debug::{Debug, FunctionType};
use super::files::FileNames;
use crate::missing;
use testwright_base::ids::{FunctionId, TypeId};
use testwright_base::stub::{Behaviour, Origin, Stub};
use testwright_base::subject::{Function, Param, Signature};
use testwright_base::types::{Shape, Type as CType};
use testwright_llvm::{Kind, Module, Type, Value};

/// The stubs that the code needs; nothing is added to the module yet.
pub fn stubs<'c>(
    module: &Module<'c>,
    values: &[Value<'c>],
    functions: &[Function],
    variables: &[TypeId],
    debug: &mut Debug<'_, '_>,
    files: &mut FileNames,
) -> Vec<Stub> {
    let mut stubs: Vec<Stub> = missing::functions(module)
        .into_iter()
        .map(|function| {
            let name = function.name();
            let known = debug.pointed_function(&missing::type_variable(&name));
            let ty = known.unwrap_or_else(|| machine_function(debug, function));
            let ends = missing::never_returns(function);
            stub(debug, name, ty, Origin::Missing, ends)
        })
        .collect();
    for (index, (value, function)) in values.iter().zip(functions).enumerate() {
        let Some(signature) = function.signature.as_ref().filter(|_| !function.model) else { continue };
        let Some(declared) = debug.function(&value.name(), files) else { continue };
        for (parameter, param) in signature.params.iter().enumerate() {
            if let Some(ty) = debug.parameter_function(&declared, parameter) {
                let name = format!("{}.{}", function.name, param.name);
                let origin = Origin::Parameter(FunctionId::of(index), parameter);
                stubs.push(stub(debug, name, ty, origin, false));
            }
        }
    }
    for (pointer, name, ty) in debug.held_functions(variables) {
        let taken = |name: &str| stubs.iter().any(|stub| stub.name == name);
        let numbered = (2..).map(|number| format!("{name}{number}"));
        let name = std::iter::once(name.clone()).chain(numbered).find(|name| !taken(name));
        stubs.push(stub(debug, name.unwrap_or_default(), ty, Origin::Type(pointer), false));
    }
    stubs
}

fn stub(debug: &Debug<'_, '_>, name: String, ty: FunctionType, origin: Origin, ends: bool) -> Stub {
    let FunctionType { signature, constant } = ty;
    let allocates = allocates(debug, &signature);
    Stub {
        name,
        signature,
        constant,
        origin,
        ends,
        allocates,
        behaviour: Behaviour::default(),
        answers: Vec::new(),
        given: Vec::new(),
        limits: Vec::new(),
    }
}

/// The parameters that say how much memory a function allocates, if that is what it does: it returns `void *` and takes
/// one or two numbers, perhaps with a pointer of its own.
fn allocates(debug: &Debug<'_, '_>, signature: &Signature) -> Vec<usize> {
    let is_memory = |ty: TypeId| match debug.shape(ty) {
        Shape::Pointer(target) => *debug.shape(*target) == Shape::Void,
        _ => false,
    };
    let params = &signature.params;
    let is_number =
        |index: &usize| matches!(debug.shape(params[*index].ty), Shape::Int { character: false, .. });
    let numbers: Vec<usize> = (0..params.len()).filter(is_number).collect();
    let others = (0..params.len()).filter(|index| !numbers.contains(index));
    let fits = (1..=2).contains(&numbers.len())
        && others.clone().count() <= 1
        && others.into_iter().all(|index| is_memory(params[index].ty));
    if is_memory(signature.result) && fits { numbers } else { Vec::new() }
}

/// What can be said about a function without debug information.
fn machine_function(debug: &mut Debug<'_, '_>, function: Value<'_>) -> FunctionType {
    let ty = function.global_type();
    let result = machine_type(debug, ty.result());
    let params = ty.params().into_iter().enumerate();
    let params: Vec<Param> = params
        .map(|(index, ty)| Param { name: format!("arg{index}"), ty: machine_type(debug, ty) })
        .collect();
    // Nobody knows what the pointers point to, so nothing is written through them.
    let constant = (0..params.len()).collect();
    FunctionType { signature: Signature { params, result, variadic: ty.is_variadic() }, constant }
}

fn machine_type(debug: &mut Debug<'_, '_>, ty: Type<'_>) -> TypeId {
    let int = |bits| Shape::Int { bits, signed: true, character: bits == 8 };
    let (name, size, shape) = match (ty.kind(), ty.int_width()) {
        (Kind::Void, _) => ("void", 0, Shape::Void),
        (Kind::Pointer, _) => {
            let void = debug.add_type(CType {
                name: Some("void".to_owned()),
                size: 0,
                align: 1,
                shape: Shape::Void,
            });
            return debug.add_type(CType { name: None, size: 8, align: 8, shape: Shape::Pointer(void) });
        }
        (Kind::Float, _) => ("float", 4, Shape::Float { bits: 32 }),
        (Kind::Double, _) => ("double", 8, Shape::Float { bits: 64 }),
        (_, 1) => ("_Bool", 1, Shape::Bool),
        (_, 8) => ("char", 1, int(8)),
        (_, 16) => ("short", 2, int(16)),
        (_, 32) => ("int", 4, int(32)),
        (_, 64) => ("long", 8, int(64)),
        _ => (
            "a type without debug information",
            0,
            Shape::Other("a type without debug information".to_owned()),
        ),
    };
    debug.add_type(CType { name: Some(name.to_owned()), size, align: size.max(1), shape })
}

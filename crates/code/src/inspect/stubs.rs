//! Which functions need a stub: those that are missing, and those that callers hand over as arguments.

use super::debug::{Debug, FunctionType};
use super::files::FileNames;
use crate::missing;
use testwright_base::ids::{FunctionId, TypeId};
use testwright_base::stub::Stub;
use testwright_base::subject::{Function, Param, Signature};
use testwright_base::types::{Shape, Type as CType};
use testwright_llvm::{Kind, Module, Type, Value};

/// The stubs that the code needs; nothing is added to the module yet.
pub fn stubs<'c>(
    module: &Module<'c>,
    values: &[Value<'c>],
    functions: &[Function],
    debug: &mut Debug<'_, '_>,
    files: &mut FileNames,
) -> Vec<Stub> {
    let mut stubs: Vec<Stub> = missing::functions(module)
        .into_iter()
        .map(|function| {
            let name = function.name();
            let known = debug.pointed_function(&missing::type_variable(&name));
            let ty = known.unwrap_or_else(|| machine_function(debug, function));
            stub(name, ty, None, missing::never_returns(function))
        })
        .collect();
    for (index, (value, function)) in values.iter().zip(functions).enumerate() {
        let Some(signature) = function.signature.as_ref().filter(|_| !function.model) else { continue };
        let Some(declared) = debug.function(&value.name(), files) else { continue };
        for (parameter, param) in signature.params.iter().enumerate() {
            if let Some(ty) = debug.parameter_function(&declared, parameter) {
                let name = format!("{}.{}", function.name, param.name);
                stubs.push(stub(name, ty, Some((FunctionId::of(index), parameter)), false));
            }
        }
    }
    stubs
}

fn stub(name: String, ty: FunctionType, parameter: Option<(FunctionId, usize)>, ends: bool) -> Stub {
    let FunctionType { signature, constant } = ty;
    Stub { name, signature, constant, parameter, ends, answers: Vec::new(), limits: Vec::new() }
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

//! Handles: parameters that functions of the code under test make get the type that says who makes them.

use testwright_base::ids::{FunctionId, TypeId};
use testwright_base::layout::ArgumentBlock;
use testwright_base::subject::{Param, Signature, Subject};
use testwright_base::types::{Field, Shape, Type, Types};
use testwright_llvm::Module;

/// How the name of the function begins that makes a handle.
const MAKER: &str = "tw_model_make_";
/// The field that says who makes the handle.
const HOW: &str = "how";
/// What that field says if nobody does.
const NOBODY: &str = "none";

/// A parameter that functions of the code under test make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handle {
    /// The function that takes it.
    pub function: FunctionId,
    /// Which parameter it is.
    pub param: usize,
    /// Who makes it.
    pub creators: Vec<FunctionId>,
}

impl Handle {
    /// The name of the function that makes this parameter of a function.
    #[must_use]
    pub fn maker(function: &str, param: usize) -> String {
        format!("{MAKER}{param}_{function}")
    }
}

/// Gives every handle its type, if the function that makes it is there.
pub fn install(module: &Module<'_>, subject: &mut Subject, handles: &[Handle]) {
    for Handle { function, param, creators } in handles {
        let taker = subject.function(*function);
        let is_made = module.function(&Handle::maker(&taker.name, *param)).is_some();
        let Some(signature) = taker.signature.as_ref().filter(|_| is_made) else { continue };
        let declared = signature.params[*param].ty;
        let known = creators.iter().map(|creator| {
            let creator = subject.function(*creator);
            let params = creator.signature.as_ref().map(|signature| signature.params.clone());
            (creator.name.clone(), params.unwrap_or_default())
        });
        let known: Vec<(String, Vec<Param>)> = known.collect();
        let known: Vec<(&str, &[Param])> =
            known.iter().map(|(name, params)| (name.as_str(), params.as_slice())).collect();
        let ty = add_handle(&mut subject.types, declared, &known);
        if let Some(signature) = &mut subject.functions[function.index()].signature {
            signature.params[*param].ty = ty;
        }
    }
}

/// Adds the type of a parameter that is declared as `declared` and made by one of some functions. It lies in memory as arguments of
/// one function would that takes the number of the creator, and then the parameters of all of them.
fn add_handle(types: &mut Types, declared: TypeId, creators: &[(&str, &[Param])]) -> TypeId {
    let named = |(index, (name, _)): (usize, &(&str, &[Param]))| ((*name).to_owned(), index as i128 + 1);
    let constants = [(NOBODY.to_owned(), 0)].into_iter().chain(creators.iter().enumerate().map(named));
    let shape = Shape::Enum { bits: 32, signed: false, constants: constants.collect() };
    let how = types.push(Type { name: Some("enum".to_owned()), size: 4, align: 4, shape });
    let all = creators.iter().flat_map(|(_, params)| params.iter().cloned());
    let params: Vec<Param> = [Param { name: HOW.to_owned(), ty: how }].into_iter().chain(all).collect();
    let block = ArgumentBlock::new(types, &Signature { params, result: declared, variadic: false });
    let mut fields = vec![Field { name: Some(HOW.to_owned()), ty: how, offset_bits: 0, bit_width: None }];
    let mut next = 1;
    for (name, params) in creators {
        let offsets = &block.offsets[next..next + params.len()];
        next += params.len();
        let start = offsets.first().copied().unwrap_or(block.size);
        let field = |(param, offset): (&Param, &u64)| Field {
            name: Some(param.name.clone()),
            ty: param.ty,
            offset_bits: 8 * (offset - start),
            bit_width: None,
        };
        let inner: Vec<Field> = params.iter().zip(offsets).map(field).collect();
        let end = params.iter().zip(offsets).map(|(param, offset)| offset + types.get(param.ty).size).max();
        let shape = Shape::Record { union: false, fields: inner, complete: true };
        let size = end.unwrap_or(start) - start;
        let ty = types.push(Type { name: None, size, align: 1, shape });
        let name = Some((*name).to_owned());
        fields.push(Field { name, ty, offset_bits: 8 * start, bit_width: None });
    }
    let shape = Shape::Record { union: false, fields, complete: true };
    let handle = types.push(Type { name: None, size: block.size, align: block.align, shape });
    types.declare_as(handle, declared);
    handle
}

#[cfg(test)]
mod tests {
    use super::*;
    use testwright_base::case::Value;
    use testwright_base::creation::{Creation, creation};
    use testwright_base::layout::named_leaves;
    use testwright_base::sample;
    use testwright_base::zero::zero;

    #[test]
    fn a_handle_says_who_makes_it_and_with_what() {
        let mut types = Types::default();
        let int = sample::int(&mut types, "int", 32, true);
        let double = sample::float(&mut types, 64);
        let stack = sample::incomplete(&mut types, "stack");
        let pointer = sample::pointer(&mut types, stack);
        let param = |name: &str, ty| Param { name: name.to_owned(), ty };
        let params = [param("capacity", int), param("growth", double)];
        let handle = add_handle(&mut types, pointer, &[("stack_default", &[]), ("stack_new", &params)]);
        assert_eq!(types.spell(handle), "stack *", "C declares it as it was");
        let offsets: Vec<(String, u64)> =
            named_leaves(&types, handle, None).into_iter().map(|(leaf, path)| (path, leaf.offset)).collect();
        let expected = [(".how", 0), (".stack_new.capacity", 8), (".stack_new.growth", 16)];
        assert_eq!(offsets, expected.map(|(path, offset)| (path.to_owned(), offset)), "as arguments lie");
        let mut value = zero(&types, handle);
        assert_eq!(creation(&types, handle, &value), Some(Creation::Null));
        let Value::Record(values) = &mut value else { panic!("a record") };
        values[0] = Value::Int(2);
        values[2] = Value::Record(vec![Value::Int(7), Value::Double(0)]);
        let Some(Creation::By { creator, params, arguments, field }) = creation(&types, handle, &value)
        else {
            panic!("somebody makes it");
        };
        assert_eq!((creator, params.len(), &arguments[0], field), ("stack_new", 2, &Value::Int(7), 2));
        let Value::Record(values) = &mut value else { panic!("a record") };
        values[0] = Value::Int(9);
        assert_eq!(creation(&types, handle, &value), Some(Creation::Null), "a number that means nobody");
        assert_eq!(creation(&types, int, &Value::Int(0)), None);
    }
}

//! Handles: pointers that only functions of the code under test make.
//!
//! ```text
//! int push(stack *s, int value);      stack *stack_new(int capacity);      stack *stack_of(const char *text);
//! ```
//!
//! The value of `s` says who makes it and with what arguments; to everything that varies inputs it is a struct like others:
//!
//! ```text
//! {how: stack_new, stack_new: {capacity: 3}, stack_of: {text: NULL}}      push(stack_new(3), ..)
//! ```

use crate::case::Value;
use crate::ids::TypeId;
use crate::layout::ArgumentBlock;
use crate::subject::{Param, Signature};
use crate::types::{Field, Shape, Type, Types};

/// The field that says who makes the handle.
const HOW: &str = "how";
/// What that field says if nobody does.
const NOBODY: &str = "none";

/// How a handle comes about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Creation<'a> {
    /// It is null.
    Null,
    /// A function returns it.
    By {
        /// The name of the function.
        creator: &'a str,
        /// Its parameters.
        params: &'a [Field],
        /// Its arguments.
        arguments: &'a [Value],
        /// Which of the fields of the value these are.
        field: usize,
    },
}

/// Adds the type of a parameter that is declared as `declared` and made by one of some functions. It lies in memory as arguments of
/// one function would that takes the number of the creator, and then the parameters of all of them.
pub fn add_handle(types: &mut Types, declared: TypeId, creators: &[(&str, &[Param])]) -> TypeId {
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

/// How the value of a handle comes about; none if the type is not that of a handle.
#[must_use]
pub fn creation<'a>(types: &'a Types, ty: TypeId, value: &'a Value) -> Option<Creation<'a>> {
    types.declared_as(ty)?;
    let (Shape::Record { fields, .. }, Value::Record(values)) = (&types.get(ty).shape, value) else {
        return None;
    };
    let Some(Value::Int(how)) = values.first() else { return None };
    let chosen = usize::try_from(*how).ok().filter(|how| *how > 0 && *how < fields.len());
    let Some(field) = chosen else { return Some(Creation::Null) };
    let Shape::Record { fields: params, .. } = &types.get(fields[field].ty).shape else { return None };
    let Value::Record(arguments) = values.get(field)? else { return None };
    Some(Creation::By { creator: fields[field].name.as_deref()?, params, arguments, field })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fresh::zero;
    use crate::sample;

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
        let offsets: Vec<(String, u64)> = crate::layout::named_leaves(&types, handle, None)
            .into_iter()
            .map(|(leaf, path)| (path, leaf.offset))
            .collect();
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

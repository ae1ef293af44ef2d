//! Declarations: a name and its type, as C twists them together.

use crate::ids::TypeId;
use crate::types::{Shape, Types};

/// `int name`, `int (*name)[3]`, `char *name[4]`. None if the type has no name that could be written.
#[must_use]
pub fn declare(types: &Types, ty: TypeId, name: &str) -> Option<String> {
    let definition = types.get(types.declared_as(ty).unwrap_or(ty));
    if let Some(spelt) = &definition.name {
        return Some(join(spelt, name));
    }
    match &definition.shape {
        Shape::Pointer(target) => {
            let unnamed = types.get(*target).name.is_none();
            let needs_parentheses =
                unnamed && matches!(types.get(*target).shape, Shape::Array { .. } | Shape::Function { .. });
            declare(
                types,
                *target,
                &if needs_parentheses { format!("(*{name})") } else { format!("*{name}") },
            )
        }
        Shape::Array { element, count } => {
            let count = count.map(|count| count.to_string()).unwrap_or_default();
            declare(types, *element, &format!("{name}[{count}]"))
        }
        Shape::Function { result, params } => {
            let params: Option<Vec<String>> = params.iter().map(|param| declare(types, *param, "")).collect();
            let params = params?;
            let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
            declare(types, *result, &format!("{name}({params})"))
        }
        Shape::Record { .. } | Shape::Enum { .. } | Shape::Other(_) => None,
        Shape::Void | Shape::Bool | Shape::Int { .. } | Shape::Float { .. } => {
            Some(join(&types.spell(ty), name))
        }
    }
}

fn join(ty: &str, declarator: &str) -> String {
    if declarator.is_empty() { ty.to_owned() } else { format!("{ty} {declarator}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use crate::types::Type;

    #[test]
    fn names_stand_where_c_wants_them() {
        let mut types = Types::default();
        let int = sample::int(&mut types, "int", 32, true);
        let row = sample::array(&mut types, int, 3);
        let rows = sample::array(&mut types, row, 2);
        let to_row = sample::pointer(&mut types, row);
        let to_int = sample::pointer(&mut types, int);
        let pointers = sample::array(&mut types, to_int, 4);
        let shape = Shape::Function { result: int, params: vec![to_int] };
        let function = types.push(Type { name: None, size: 0, align: 1, shape });
        let callback = sample::pointer(&mut types, function);
        let declared =
            [int, rows, to_row, to_int, pointers, callback].map(|ty| declare(&types, ty, "x").unwrap());
        assert_eq!(
            declared,
            ["int x", "int x[2][3]", "int (*x)[3]", "int *x", "int *x[4]", "int (*x)(int *)"]
        );
        let nameless = sample::record(&mut types, None, false, &[]);
        assert_eq!(declare(&types, nameless, "x"), None);
    }
}

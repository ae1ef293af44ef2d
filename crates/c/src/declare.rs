//! Declarations: a name and its type, as C twists them together.

use testwright_base::ids::TypeId;
use testwright_base::types::{Qualifiers, Shape, Types};

/// `int name`, `int (*name)[3]`, `char *name[4]`. None if the type has no name that could be written.
#[must_use]
pub fn declare(types: &Types, ty: TypeId, name: &str) -> Option<String> {
    declare_qualified(types, ty, Qualifiers::default(), name)
}

/// The same of what is qualified: `const int name`, `char *const name`.
#[must_use]
pub fn declare_qualified(types: &Types, ty: TypeId, qualifiers: Qualifiers, name: &str) -> Option<String> {
    let ty = types.declared_as(ty).unwrap_or(ty);
    let definition = types.get(ty);
    if let Some(spelt) = &definition.name {
        return Some(format!("{qualifiers}{}", join(spelt, name)));
    }
    match &definition.shape {
        Shape::Pointer(target) => {
            let name = format!("*{qualifiers}{name}");
            let unnamed = types.get(*target).name.is_none();
            let needs_parentheses =
                unnamed && matches!(types.get(*target).shape, Shape::Array { .. } | Shape::Function { .. });
            let name = if needs_parentheses { format!("({name})") } else { name };
            declare_qualified(types, *target, types.behind(ty), &name)
        }
        Shape::Array { element, count } => {
            let count = count.map(|count| count.to_string()).unwrap_or_default();
            declare_qualified(types, *element, qualifiers, &format!("{name}[{count}]"))
        }
        Shape::Function { result, params, variadic } => {
            let params: Option<Vec<String>> = params.iter().map(|param| declare(types, *param, "")).collect();
            let mut params = params?;
            params.extend((*variadic && !params.is_empty()).then(|| "...".to_owned()));
            let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
            declare(types, *result, &format!("{name}({params})"))
        }
        Shape::Record { .. } | Shape::Enum { .. } | Shape::Other(_) => None,
        Shape::Void | Shape::Bool | Shape::Int { .. } | Shape::Float { .. } => {
            Some(format!("{qualifiers}{}", join(&types.spell(ty), name)))
        }
    }
}

fn join(ty: &str, declarator: &str) -> String {
    if declarator.is_empty() { ty.to_owned() } else { format!("{ty} {declarator}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testwright_base::sample;
    use testwright_base::types::Type;

    #[test]
    fn names_stand_where_c_wants_them() {
        let mut types = Types::default();
        let int = sample::int(&mut types, "int", 32, true);
        let row = sample::array(&mut types, int, 3);
        let rows = sample::array(&mut types, row, 2);
        let to_row = sample::pointer(&mut types, row);
        let to_int = sample::pointer(&mut types, int);
        let pointers = sample::array(&mut types, to_int, 4);
        let shape = Shape::Function { result: int, params: vec![to_int], variadic: true };
        let function = types.push(Type { name: None, size: 0, align: 1, shape });
        let callback = sample::pointer(&mut types, function);
        let declared =
            [int, rows, to_row, to_int, pointers, callback].map(|ty| declare(&types, ty, "x").unwrap());
        assert_eq!(
            declared,
            ["int x", "int x[2][3]", "int (*x)[3]", "int *x", "int *x[4]", "int (*x)(int *, ...)"]
        );
        let nameless = sample::record(&mut types, None, false, &[]);
        assert_eq!(declare(&types, nameless, "x"), None);
    }

    #[test]
    fn qualifiers_stand_beside_what_they_are_about() {
        let mut types = Types::default();
        let int = sample::int(&mut types, "int", 32, true);
        let constant = Qualifiers { constant: true, volatile: false };
        let both = Qualifiers { constant: true, volatile: true };
        let to_const = sample::pointer(&mut types, int);
        types.qualify(to_const, constant);
        let to_const_pointer = sample::pointer(&mut types, to_const);
        types.qualify(to_const_pointer, both);
        let row = sample::array(&mut types, int, 3);
        let to_const_row = sample::pointer(&mut types, row);
        types.qualify(to_const_row, constant);
        let declared = [to_const, to_const_pointer, to_const_row].map(|ty| declare(&types, ty, "x").unwrap());
        assert_eq!(declared, ["const int *x", "const int *const volatile *x", "const int (*x)[3]"]);
        assert_eq!(declare_qualified(&types, row, constant, "x").unwrap(), "const int x[3]");
        assert_eq!(declare_qualified(&types, to_const, constant, "x").unwrap(), "const int *const x");
    }
}

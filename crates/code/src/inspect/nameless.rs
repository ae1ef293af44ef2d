//! Spellings for structs and unions that the source gives no name: `static struct { int key; } table[4];`.
//!
//! C can still say what type they are, by a variable or field of theirs: `__typeof__(table[0])`.

use std::collections::BTreeSet;
use testwright_base::ids::TypeId;
use testwright_base::subject::Global;
use testwright_base::types::{Field, Shape, Type, Types};

/// Gives every struct and union without a name the spelling by which a test can declare one, where there is any.
pub fn name_by_use(types: &mut Types, globals: &[Global]) {
    let mut namer = Namer { types, seen: BTreeSet::new() };
    for index in 0..namer.types.len() {
        let Type { name, shape, .. } = namer.types.get(TypeId::of(index));
        if let (Some(name), Shape::Record { complete: true, .. }) = (name, shape) {
            let place = format!("(*({name} *)0)");
            namer.place(TypeId::of(index), &place);
        }
    }
    // Variables of functions, and those whose name linking had to change, cannot be named outside.
    for global in globals.iter().filter(|global| !global.name.contains('.')) {
        if let Some(ty) = global.ty {
            namer.place(ty, &global.name);
        }
    }
}

struct Namer<'a> {
    types: &'a mut Types,
    seen: BTreeSet<TypeId>,
}

impl Namer<'_> {
    /// Names what lies at the place that C writes like this, and what it leads to.
    fn place(&mut self, ty: TypeId, place: &str) {
        match self.types.get(ty).shape.clone() {
            Shape::Array { element, .. } => self.place(element, &format!("{place}[0]")),
            Shape::Pointer(target) => self.place(target, &format!("(*{place})")),
            Shape::Record { complete: true, fields, .. } if self.seen.insert(ty) => {
                let mut named = self.types.get(ty).clone();
                if named.name.is_none() {
                    named.name = Some(format!("__typeof__{}", parenthesised(place)));
                    self.types.set(ty, named);
                }
                self.members(fields, place);
            }
            _ => {}
        }
    }

    fn members(&mut self, fields: Vec<Field>, place: &str) {
        for field in fields {
            match (field.name, self.types.get(field.ty).shape.clone()) {
                (Some(name), _) => self.place(field.ty, &format!("{place}.{name}")),
                // The members of an anonymous member belong to the record around it.
                (None, Shape::Record { fields, .. }) => self.members(fields, place),
                (None, _) => {}
            }
        }
    }
}

/// The place in one pair of parentheses.
fn parenthesised(place: &str) -> String {
    let mut depth = 0_i32;
    let closes_early = place.char_indices().any(|(at, character)| {
        depth += i32::from(character == '(') - i32::from(character == ')');
        depth == 0 && at + 1 < place.len()
    });
    if closes_early { format!("({place})") } else { place.to_owned() }
}

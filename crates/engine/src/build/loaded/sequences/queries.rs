//! Which functions are queries: given an object, and numbers perhaps, they return a number or a text and seem to change nothing.
//!
//! Signatures and names say so here; whether one does leave everything as it was, runs tell (`crates/engine/src/judge/queries.rs`).

use super::api::{ENDING, frees, has_word, object_behind, params, words};
use std::collections::BTreeMap;
use testwright_base::ids::{FunctionId, TypeId};
use testwright_base::layout::is_character;
use testwright_base::subject::Subject;
use testwright_base::types::{Shape, Types};

/// What words in names of functions begin or end with that ask about an object.
const ASKING: &[&str] = &[
    "get", "is", "has", "count", "size", "length", "len", "top", "type", "status", "state", "empty", "full",
    "peek", "used", "capacity", "version", "name", "error",
];
/// Words in names of functions that change an object, whatever they return.
const CHANGING: &[&str] = &[
    "pop", "push", "next", "read", "write", "take", "remove", "add", "set", "insert", "put", "append",
    "shift", "advance", "step", "reset", "update", "alloc", "lock", "unlock", "throw", "raise", "run",
    "call", "init",
];
/// What the numbers are that a query is given.
const NUMBERS: [i8; 3] = [0, 1, -1];

/// The queries among some functions by the type that they are about: those first that promise to change nothing, then those whose
/// names ask, and of these the ones with the fewest parameters.
pub fn by_type(
    subject: &Subject,
    functions: impl Iterator<Item = FunctionId>,
) -> BTreeMap<TypeId, Vec<FunctionId>> {
    let mut queries: BTreeMap<TypeId, Vec<FunctionId>> = BTreeMap::new();
    for id in functions {
        if let Some(ty) = asks_about(subject, id) {
            queries.entry(ty).or_default().push(id);
        }
    }
    let rank = |id: &FunctionId| {
        (!is_const(subject, *id), !has_asking_word(&subject.function(*id).name), params(subject, *id).len())
    };
    queries.values_mut().for_each(|queries| queries.sort_by_key(rank));
    queries
}

/// The numbers that a query can be given; one that takes none is asked once.
pub fn numbers(subject: &Subject, function: FunctionId) -> Vec<i8> {
    let types = &subject.types;
    let all = params(subject, function).iter().map(|param| param.ty);
    let plain: Vec<TypeId> = all.filter(|ty| is_number(types, *ty)).collect();
    let fits = |number: &i8| plain.iter().all(|ty| can_be(types, *ty, (*number).into()));
    let least = if plain.is_empty() { 1 } else { NUMBERS.len() };
    NUMBERS.into_iter().filter(fits).take(least).collect()
}

/// Whether a query promises to leave its object alone.
pub fn is_const(subject: &Subject, function: FunctionId) -> bool {
    let types = &subject.types;
    let mut objects =
        params(subject, function).iter().filter(|param| object_behind(types, param.ty).is_some());
    objects.all(|param| types.behind(param.ty).constant)
}

/// Whether a function ends the life of what it is given, as its name or a call of `free` says: nothing is left to look at.
pub fn ends_life(subject: &Subject, function: FunctionId) -> bool {
    has_word(&subject.function(function).name, ENDING) || frees(subject, function)
}

/// The type that a function asks about, if it is a query.
fn asks_about(subject: &Subject, function: FunctionId) -> Option<TypeId> {
    let definition = subject.function(function);
    let types = &subject.types;
    let (mut objects, mut others) = (Vec::new(), Vec::new());
    for param in params(subject, function) {
        match object_behind(types, param.ty) {
            Some(object) => objects.push(object),
            None => others.push(param.ty),
        }
    }
    let [object] = objects.as_slice() else { return None };
    let tells = tells(types, definition.signature.as_ref()?.result);
    let changes = has_word(&definition.name, CHANGING) && !is_const(subject, function);
    let is_harmless = !changes && !ends_life(subject, function);
    (tells && is_harmless && others.iter().all(|ty| is_number(types, *ty))).then_some(*object)
}

/// Whether a test can assert what is returned: a number, or a text that the caller must leave alone.
fn tells(types: &Types, result: TypeId) -> bool {
    match types.get(result).shape {
        Shape::Pointer(target) => is_character(types, target) && types.behind(result).constant,
        Shape::Float { bits } => bits <= 64,
        _ => is_number(types, result),
    }
}

fn is_number(types: &Types, ty: TypeId) -> bool {
    matches!(types.get(ty).shape, Shape::Bool | Shape::Int { bits: 0..=64, .. } | Shape::Enum { .. })
}

/// Whether a number is a value of a type.
fn can_be(types: &Types, ty: TypeId, number: i128) -> bool {
    match &types.get(ty).shape {
        Shape::Enum { constants, .. } => constants.iter().any(|(_, value)| *value == number),
        Shape::Int { signed: true, .. } => true,
        _ => number >= 0,
    }
}

/// Whether a word of a name asks: `lua_gettop`, `ring_is_empty`.
fn has_asking_word(name: &str) -> bool {
    let asks = |word: &String| ASKING.iter().any(|part| word.starts_with(part) || word.ends_with(part));
    words(name).iter().any(asks)
}

#[cfg(test)]
mod tests {
    use super::super::api::{Api, takes};
    use super::*;
    use testwright_code::frontend;

    const CODE: &str = "#include <stdlib.h>
struct ring { int count; const char *name; };
struct other { int n; };
enum part { FIRST = 1, SECOND };
struct ring *ring_new(int n) { struct ring *r = malloc(sizeof *r); r->count = n; return r; }
int ring_sum(struct ring *r) { return r->count; }
int ring_get(struct ring *r, unsigned index) { return r->count + (int)index; }
_Bool ring_isfull(struct ring *r) { return r->count == 3; }
double ring_load(const struct ring *r, int scale) { return r->count * scale; }
const char *ring_name(const struct ring *r, enum part part) { return part == FIRST ? r->name : \"\"; }
int ring_pop(struct ring *r) { return r->count--; }
int ring_close(struct ring *r) { return r->count; }
int ring_drop(struct ring *r) { free(r); return 0; }
char *ring_copy(struct ring *r) { return calloc(1, (size_t)r->count); }
int ring_copy_to(struct ring *r, int *out) { return *out = r->count; }
int ring_same(struct ring *r, struct ring *s) { return r == s; }
struct ring *ring_self(struct ring *r) { return r; }
void ring_push(struct ring *r, int value) { r->count += value; }
int other_n(struct other *o) { return o->n; }
";

    #[test]
    fn a_query_takes_one_object_and_numbers_and_returns_what_a_test_can_assert() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f.c");
        std::fs::write(&path, CODE).unwrap();
        let sources = frontend().resolve(&[path], &[]).unwrap();
        let bitcode = frontend().compile(&sources).unwrap().bitcode;
        let subject = testwright_code::prepare(frontend(), &bitcode, &sources.files()).unwrap().subject;
        let named = |name| subject.function_named(name).unwrap();
        let (_, ring) = takes(&subject, named("ring_push")).next().unwrap();
        let api = Api::new(&subject);
        let name = |id: &FunctionId| subject.function(*id).name.as_str();
        let queries: Vec<&str> = api.queries(ring).iter().map(name).collect();
        // `const` comes first, and of that what is named for a question; then other questions, then the rest.
        assert_eq!(queries, ["ring_name", "ring_load", "ring_isfull", "ring_get", "ring_sum"]);
        assert_eq!(numbers(&subject, named("ring_sum")), [0], "without numbers it is asked once");
        assert_eq!(numbers(&subject, named("ring_load")), [0, 1, -1]);
        assert_eq!(numbers(&subject, named("ring_get")), [0, 1], "unsigned");
        assert_eq!(numbers(&subject, named("ring_name")), [1], "the constants of the enumeration");
        assert!(ends_life(&subject, named("ring_drop")) && !ends_life(&subject, named("ring_push")));
    }
}

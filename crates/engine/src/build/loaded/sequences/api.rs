//! Which functions make objects of a type, which change them, and which look at them: read from signatures, names and calls.

use super::queries;
use std::collections::BTreeMap;
use testwright_base::ids::{FunctionId, TypeId};
use testwright_base::subject::{Callee, Param, Subject};
use testwright_base::types::{Shape, Types};

/// Words in names of functions that give an object its first state.
const BEGINNING: &[&str] = &["init", "open", "setup", "start", "create", "new", "begin", "reset", "make"];
/// Words in names of functions that end the life of an object.
pub const ENDING: &[&str] = &[
    "free", "destroy", "delete", "close", "release", "dispose", "cleanup", "clear", "finish", "fini",
    "deinit",
];

/// A function that is given a pointer to an object, and by which parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Taker {
    /// The function.
    pub function: FunctionId,
    /// The index of the parameter.
    pub param: usize,
}

/// Who makes, changes and looks at objects, by the type of these.
#[derive(Debug, Default)]
pub struct Api {
    creators: BTreeMap<TypeId, Vec<FunctionId>>,
    initialisers: BTreeMap<TypeId, Vec<Taker>>,
    changers: BTreeMap<TypeId, Vec<Taker>>,
    queries: BTreeMap<TypeId, Vec<FunctionId>>,
}

impl Api {
    /// Reads it from the signatures. Functions that the code itself calls most come first among those that change an object; among
    /// those that make one it is those that ask for least.
    pub fn new(subject: &Subject) -> Api {
        let called = calls(subject);
        let mut functions: Vec<FunctionId> = callable(subject).collect();
        functions.sort_by_key(|id| params(subject, *id).len());
        let mut api = Api::default();
        for id in functions {
            let function = subject.function(id);
            let Some(signature) = &function.signature else { continue };
            let taken: Vec<(usize, TypeId)> = takes(subject, id).collect();
            if let Some(made) = object_behind(&subject.types, signature.result)
                && taken.iter().all(|(_, ty)| *ty != made)
            {
                api.creators.entry(made).or_default().push(id);
            }
            if has_word(&function.name, ENDING) || frees(subject, id) {
                continue;
            }
            for (param, ty) in taken {
                if subject.types.behind(signature.params[param].ty).constant {
                    continue;
                }
                let taker = Taker { function: id, param };
                if has_word(&function.name, BEGINNING) {
                    api.initialisers.entry(ty).or_default().push(taker);
                }
                let changers = api.changers.entry(ty).or_default();
                // Of several objects of one type it is the first that it changes.
                if changers.last().is_none_or(|last| last.function != id) {
                    changers.push(taker);
                }
            }
        }
        api.queries = queries::by_type(subject, callable(subject));
        for changers in api.changers.values_mut() {
            changers
                .sort_by_key(|taker| std::cmp::Reverse(called.get(&taker.function).copied().unwrap_or(0)));
        }
        api
    }

    /// Functions that return a new object of a type: they are given none.
    pub fn creators(&self, ty: TypeId) -> &[FunctionId] {
        self.creators.get(&ty).map_or(&[], Vec::as_slice)
    }

    /// Functions that give an object its first state.
    pub fn initialisers(&self, ty: TypeId) -> &[Taker] {
        self.initialisers.get(&ty).map_or(&[], Vec::as_slice)
    }

    /// Functions that look at an object and return what they see, most telling first.
    pub fn queries(&self, ty: TypeId) -> &[FunctionId] {
        self.queries.get(&ty).map_or(&[], Vec::as_slice)
    }

    /// Functions that may change an object, and do not end its life.
    pub fn changers(&self, ty: TypeId) -> &[Taker] {
        self.changers.get(&ty).map_or(&[], Vec::as_slice)
    }
}

/// The parameters of a function that lead to structs, and to which.
pub fn takes(subject: &Subject, function: FunctionId) -> impl Iterator<Item = (usize, TypeId)> + '_ {
    let params = params(subject, function).iter().enumerate();
    params.filter_map(|(index, param)| Some((index, object_behind(&subject.types, param.ty)?)))
}

/// The struct that a pointer leads to, if it is one that code makes itself. Typedefs of it are the same.
pub fn object_behind(types: &Types, pointer: TypeId) -> Option<TypeId> {
    let Shape::Pointer(target) = types.get(pointer).shape else { return None };
    let is_struct = matches!(types.get(target).shape, Shape::Record { union: false, .. });
    let is_stream = types.is_stream(types.meant(target).unwrap_or(target));
    (is_struct && !is_stream && !types.is_list(pointer)).then(|| types.unaliased(target))
}

pub fn params(subject: &Subject, function: FunctionId) -> &[Param] {
    subject.function(function).signature.as_ref().map_or(&[], |signature| signature.params.as_slice())
}

/// Functions that a case can call before the one under test.
fn callable(subject: &Subject) -> impl Iterator<Item = FunctionId> + '_ {
    (0..subject.functions.len()).map(FunctionId::of).filter(|id| {
        let function = subject.function(*id);
        let is_plain = function.signature.as_ref().is_some_and(|signature| !signature.variadic);
        is_plain
            && function.uncallable.is_none()
            && !function.model
            && !function.companion
            && function.name != "main"
    })
}

/// How many calls of each function the code has.
fn calls(subject: &Subject) -> BTreeMap<FunctionId, usize> {
    let mut counts = BTreeMap::new();
    for call in subject.functions.iter().flat_map(|function| &function.calls) {
        if let Callee::Defined(callee) = call.callee {
            *counts.entry(callee).or_default() += 1;
        }
    }
    counts
}

/// Whether a function frees something itself, which may be the object.
pub fn frees(subject: &Subject, function: FunctionId) -> bool {
    let mut calls = subject.function(function).calls.iter();
    calls.any(|call| matches!(&call.callee, Callee::External(name) if name == "free"))
}

/// Whether a name has one of these among its words: `ring_init`, `ringInit`, but not `reinitialise`.
pub fn has_word(name: &str, wanted: &[&str]) -> bool {
    words(name).iter().any(|word| wanted.contains(&word.as_str()))
}

/// The words of a name, in small letters.
pub fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for character in name.chars() {
        if !character.is_ascii_alphabetic() || character.is_ascii_uppercase() && before.is_ascii_lowercase() {
            words.push(String::new());
        }
        if let (true, Some(word)) = (character.is_ascii_alphabetic(), words.last_mut()) {
            word.push(character.to_ascii_lowercase());
        }
        before = character;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use testwright_code::frontend;

    const CODE: &str = "#include <stdlib.h>
struct world { int n; };
struct node { struct world *home; };
struct ring { int head; };
struct world *world_new(int n) { struct world *w = malloc(sizeof *w); w->n = n; return w; }
struct node *node_new(struct world *w) { struct node *n = malloc(sizeof *n); n->home = w; return n; }
struct node *node_next(struct node *n) { return n->home ? n : 0; }
void ringInit(struct ring *r) { r->head = 0; }
void ring_push(struct ring *r, int value) { r->head += value; }
void ring_shift(struct ring *r) { r->head--; }
int ring_reinitialise(struct ring *r) { return r->head; }
int ring_head(const struct ring *r) { return r->head; }
void ring_clear(struct ring *r) { r->head = -1; }
void node_drop(struct node *n) { free(n); }
void use(struct ring *r) { ring_shift(r); ring_shift(r); ring_push(r, 1); }
";

    #[test]
    fn signatures_names_and_calls_say_who_makes_and_who_changes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f.c");
        std::fs::write(&path, CODE).unwrap();
        let sources = frontend().resolve(&[path], &[]).unwrap();
        let bitcode = frontend().compile(&sources).unwrap().bitcode;
        let subject = testwright_code::prepare(frontend(), &bitcode, &sources.files()).unwrap().subject;
        let api = Api::new(&subject);
        let taken = |function| takes(&subject, subject.function_named(function).unwrap()).next().unwrap().1;
        let name = |function: &FunctionId| subject.function(*function).name.clone();
        let (node, world, ring) = (taken("node_next"), taken("node_new"), taken("ring_push"));
        let creators = [world, node, ring].map(|ty| api.creators(ty).iter().map(name).collect::<Vec<_>>());
        assert_eq!(creators, [vec!["world_new"], vec!["node_new"], vec![]]);
        let names = |takers: &[Taker]| takers.iter().map(|taker| name(&taker.function)).collect::<Vec<_>>();
        assert_eq!(names(api.initialisers(ring)), ["ringInit"]);
        let changers = names(api.changers(ring));
        assert_eq!(changers[..2], ["ring_shift", "ring_push"], "what is called most comes first");
        assert!(changers.contains(&"ring_reinitialise".to_owned()));
        assert!(!changers.contains(&"ring_head".to_owned()), "const is not changed");
        assert!(!changers.contains(&"ring_clear".to_owned()), "its name ends the life of an object");
        assert_eq!(names(api.changers(node)), ["node_next"], "what frees is no change");
    }
}

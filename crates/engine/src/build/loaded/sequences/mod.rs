//! Cases whose objects are made and changed by calls of the code itself.
//!
//! A *recipe* says how an object of a type comes about: a function returns it, or is given a plain one and gives it its first state.
//! What these functions need in turn is made in the same way first, and all calls of a case share the objects:
//!
//! ```text
//! r0 = state_new(); r1 = table_new(r0, 0); table_set(r0, r1, ..); table_get(r0, r1, ..)
//! ```
//!
//! Where no function makes an object of a type, it is a plain one whose pointers lead to objects that calls made. A recipe is tried
//! once and kept if its run returns and what it returns is not null.

mod api;
mod queries;
mod world;

use super::LoadedSubject;
use api::{Api, Taker, object_behind, takes};
use std::collections::BTreeMap;
use std::sync::Arc;
use testwright_base::build::Build;
use testwright_base::case::{Case, Value};
use testwright_base::ids::{FunctionId, TypeId};
use testwright_base::query::Query;
use testwright_base::run::End;
use testwright_base::subject::Subject;
use testwright_base::types::Shape;
use testwright_base::zero::zero;
use world::{Made, World};

/// So many ways to make an object of one type are kept.
const RECIPES: usize = 2;
/// So many functions that may make an object are tried.
const TRIED: usize = 6;
/// So many functions that change an object are tried.
const CHANGERS: usize = 4;
/// What the numbers are that a creator is given, until it makes something: many refuse zero, some refuse more than a few.
const GIVEN: [i128; 3] = [0, 1, 8];
/// Plain objects lead to others that lead to others, at most so far.
const DEPTH: usize = 3;
/// So often recipes that may need each other are looked for.
const ATTEMPTS: u32 = 3;

/// What is known about the objects of the code.
#[derive(Default)]
pub(super) struct Recipes {
    api: Option<Arc<Api>>,
    /// The file that all else is about: only tests of it can name its static functions.
    file: Option<String>,
    /// The recipes of types.
    known: BTreeMap<TypeId, Vec<Recipe>>,
    /// Types whose recipes are looked for, or whose pointers are led somewhere, outermost first.
    open: Vec<TypeId>,
    /// How often an open type was asked for: what is not found then may be found later.
    refused: usize,
    /// How often the recipes of a type were looked for in vain while others were open.
    vain: BTreeMap<TypeId, u32>,
    /// Whether an object can be changed by a function.
    changes: BTreeMap<(TypeId, Taker), bool>,
}

impl Recipes {
    /// Whether a test of the file can call a function.
    fn can_name(&self, subject: &Subject, function: FunctionId) -> bool {
        !subject.function(function).internal || file(subject, function) == self.file.as_deref()
    }
}

/// How an object comes about.
#[derive(Debug, Clone, Copy)]
struct Recipe {
    function: FunctionId,
    /// The parameter that leads to the object; none if the function returns it.
    param: Option<usize>,
    /// What its numbers are.
    number: i128,
}

impl LoadedSubject {
    /// Cases of a function that is given pointers to structs: these are made by calls, and changed by others.
    pub fn sequences(&mut self, function: FunctionId) -> Vec<Case> {
        let subject = self.subject();
        let subject = &*subject;
        let taken: Vec<(usize, TypeId)> = takes(subject, function).collect();
        if taken.is_empty() {
            return Vec::new();
        }
        let api = self.api(subject);
        let file = file(subject, function).map(str::to_owned);
        if self.recipes.file != file {
            self.recipes = Recipes { api: Some(Arc::clone(&api)), file, ..Recipes::default() };
        }
        let worlds = self.worlds(subject, function, &taken);
        let mut ready = worlds.clone();
        let base = worlds.into_iter().next().unwrap_or_default();
        for (_, ty) in &taken {
            let is_other = |changer: &&Taker| {
                changer.function != function && self.recipes.can_name(subject, changer.function)
            };
            let changers: Vec<Taker> = api.changers(*ty).iter().filter(is_other).copied().collect();
            let changers = changers.into_iter();
            let changed = changers.filter_map(|changer| self.changed(subject, &base, *ty, changer));
            ready.extend(changed.take(CHANGERS));
        }
        let ready = ready.into_iter().filter(World::has_calls);
        ready.filter_map(|world| self.called(subject, world, function, &taken)).collect()
    }

    /// Objects for a function, made in the likeliest way, and one of them in other ways too.
    fn worlds(&mut self, subject: &Subject, function: FunctionId, taken: &[(usize, TypeId)]) -> Vec<World> {
        let mut usual = World::default();
        let mut others = Vec::new();
        for (param, ty) in taken {
            if subject.function(function).hidden.contains(param) && self.recipes(subject, *ty).is_empty() {
                continue;
            }
            for recipe in self.recipes(subject, *ty).into_iter().skip(1) {
                let mut other = usual.clone();
                if let Some(made) = self.follow(subject, &mut other, recipe) {
                    other.keep(*ty, made);
                    others.push(other);
                }
            }
            self.obtain(subject, &mut usual, pointer_of(subject, function, *param));
        }
        [usual].into_iter().chain(others).collect()
    }

    /// The world in which an object was changed by a function, if that does no harm.
    fn changed(&mut self, subject: &Subject, world: &World, ty: TypeId, changer: Taker) -> Option<World> {
        let known = self.recipes.changes.get(&(ty, changer)).copied();
        if known == Some(false) {
            return None;
        }
        let mut world = world.clone();
        let object = world.object(ty);
        let own = object.map(|object| (changer.param, object));
        let mut given = self.given(subject, &mut world, changer.function, Some(changer.param));
        given.extend(own);
        world.call(subject, changer.function, &given, 0)?;
        if let (None, Some(made)) = (object, world.given(changer.param)) {
            world.keep(ty, made);
        }
        let works = known == Some(true) || self.ends(&world) == Some(false);
        self.recipes.changes.insert((ty, changer), works);
        works.then_some(world)
    }

    /// The call under test in a world.
    fn called(
        &mut self,
        subject: &Subject,
        mut world: World,
        function: FunctionId,
        taken: &[(usize, TypeId)],
    ) -> Option<Case> {
        let mut given: Vec<(usize, Made)> = Vec::new();
        for (param, ty) in taken {
            let Some(made) = world.object(*ty) else { continue };
            // Two parameters of one type are two objects.
            let is_taken = given.iter().any(|(_, other)| *other == made);
            given.extend(
                if is_taken { self.another(subject, &mut world, *ty) } else { Some(made) }
                    .map(|made| (*param, made)),
            );
        }
        world.call(subject, function, &given, 0)?;
        (!given.is_empty()).then(|| world.into_case())
    }

    /// One more object of a type that a call makes.
    fn another(&mut self, subject: &Subject, world: &mut World, ty: TypeId) -> Option<Made> {
        let recipe = *self.recipes(subject, ty).first()?;
        self.follow(subject, world, recipe)
    }

    /// An object for a pointer of this type: that of the world, or a new one.
    fn obtain(&mut self, subject: &Subject, world: &mut World, pointer: TypeId) -> Option<Made> {
        let ty = object_behind(&subject.types, pointer)?;
        if let Some(made) = world.object(ty) {
            return Some(made);
        }
        let recipe = self.recipes(subject, ty).first().copied();
        let made = match recipe {
            Some(recipe) => self.follow(subject, world, recipe)?,
            None => self.linked(subject, world, pointer)?,
        };
        world.keep(ty, made);
        Some(made)
    }

    /// A plain object whose pointers lead to objects that calls made; none if there are no such.
    fn linked(&mut self, subject: &Subject, world: &mut World, pointer: TypeId) -> Option<Made> {
        let types = &subject.types;
        let ty = object_behind(types, pointer)?;
        let Shape::Pointer(element) = types.get(pointer).shape else { return None };
        let Shape::Record { complete: true, fields, .. } = &types.get(element).shape else { return None };
        if self.is_open(ty) || self.recipes.open.len() >= DEPTH {
            return None;
        }
        self.recipes.open.push(ty);
        let of_field = |code: &mut LoadedSubject, world: &mut World, field: TypeId| {
            let other = object_behind(types, field).filter(|other| *other != ty)?;
            if code.recipes.open.contains(&other) { None } else { code.obtain(subject, world, field) }
        };
        let made: Vec<Option<Made>> = fields.iter().map(|field| of_field(self, world, field.ty)).collect();
        self.recipes.open.pop();
        let Value::Record(mut values) = zero(types, element) else { return None };
        for (value, made) in values.iter_mut().zip(&made) {
            if let Some(made) = made {
                *value = world.value(*made);
            }
        }
        made.iter().any(Option::is_some).then(|| world.add_object(element, Value::Record(values)))
    }

    /// What a function is given of a world in which everything is made that it needs, except one parameter.
    fn given(
        &mut self,
        subject: &Subject,
        world: &mut World,
        function: FunctionId,
        except: Option<usize>,
    ) -> Vec<(usize, Made)> {
        let taken = takes(subject, function).filter(|(param, _)| Some(*param) != except);
        let taken: Vec<usize> = taken.map(|(param, _)| param).collect();
        let made = taken.into_iter().filter_map(|param| {
            let made = self.obtain(subject, world, pointer_of(subject, function, param))?;
            Some((param, made))
        });
        made.collect()
    }

    /// Makes an object by a recipe.
    fn follow(&mut self, subject: &Subject, world: &mut World, recipe: Recipe) -> Option<Made> {
        let given = self.given(subject, world, recipe.function, recipe.param);
        let returned = world.call(subject, recipe.function, &given, recipe.number)?;
        recipe.param.map_or(Some(returned), |param| world.given(param))
    }

    /// The recipes of a type, likeliest first.
    fn recipes(&mut self, subject: &Subject, ty: TypeId) -> Vec<Recipe> {
        if let Some(known) = self.recipes.known.get(&ty) {
            return known.clone();
        }
        if self.is_open(ty) {
            return Vec::new();
        }
        let refused = self.recipes.refused;
        self.recipes.open.push(ty);
        let found = self.new_recipes(subject, ty);
        self.recipes.open.pop();
        let vain = self.recipes.vain.entry(ty).or_default();
        *vain += 1;
        let is_final = !found.is_empty() || refused == self.recipes.refused || *vain == ATTEMPTS;
        if is_final || self.recipes.open.is_empty() {
            self.recipes.known.insert(ty, found.clone());
        }
        found
    }

    /// Tries who may make an object.
    fn new_recipes(&mut self, subject: &Subject, ty: TypeId) -> Vec<Recipe> {
        let api = self.api(subject);
        let creators = api.creators(ty).iter().map(|creator| (*creator, None));
        let initialisers = api.initialisers(ty).iter().map(|taker| (taker.function, Some(taker.param)));
        let mut found = Vec::new();
        let can_name = |maker: &(FunctionId, Option<usize>)| self.recipes.can_name(subject, maker.0);
        let creators = creators.filter(can_name).take(TRIED);
        let makers: Vec<_> = creators.chain(initialisers.filter(can_name).take(TRIED)).collect();
        for (function, param) in makers {
            let made = GIVEN.into_iter().find_map(|number| {
                let recipe = Recipe { function, param, number };
                let mut world = World::default();
                self.follow(subject, &mut world, recipe)?;
                let makes = self.ends(&world).is_some_and(|is_null| param.is_some() || !is_null);
                makes.then_some(recipe)
            });
            found.extend(made);
            if found.len() == RECIPES {
                break;
            }
        }
        found
    }

    /// Whether the last call of a world returns null; none if its run ends badly.
    fn ends(&mut self, world: &World) -> Option<bool> {
        let case = world.clone().into_case();
        let run = self.briefly(|session| session.run(&case, Build::RunWithDistances)).ok()?;
        (run.end == End::Returned).then(|| run.result == Some(Value::Null))
    }

    /// Whether a type is being dealt with.
    fn is_open(&mut self, ty: TypeId) -> bool {
        let is_open = self.recipes.open.contains(&ty);
        self.recipes.refused += usize::from(is_open);
        is_open
    }

    /// What can be asked, after the call under test of a case, about the objects that calls made and that it is given.
    pub fn queries(&mut self, case: &Case) -> Vec<Query> {
        let subject = self.subject();
        let subject = &*subject;
        let Some((function, arguments)) = case.call() else { return Vec::new() };
        if queries::ends_life(subject, function) {
            return Vec::new();
        }
        let api = self.api(subject);
        let own = file(subject, function);
        let can_name = |id: FunctionId| !subject.function(id).internal || file(subject, id) == own;
        let mut asked: Vec<Query> = Vec::new();
        for (param, ty) in takes(subject, function) {
            let Some(Value::Returned { call }) = arguments.get(param) else { continue };
            if asked.iter().any(|query| query.object == *call) {
                continue;
            }
            let askers = api.queries(ty).iter().filter(|id| **id != function && can_name(**id));
            let (near, far): (Vec<FunctionId>, Vec<FunctionId>) =
                askers.partition(|id| queries::is_const(subject, **id) || file(subject, **id) == own);
            asked.extend(near.into_iter().chain(far).flat_map(|function| {
                let numbers = queries::numbers(subject, function).into_iter();
                numbers.map(move |number| Query { function, object: *call, number })
            }));
        }
        asked
    }

    fn api(&mut self, subject: &Subject) -> Arc<Api> {
        Arc::clone(self.recipes.api.get_or_insert_with(|| Arc::new(Api::new(subject))))
    }

    /// The parameter that is given null by a call before, if one is: only that call is to blame for what follows.
    pub(super) fn null_made(&mut self, case: &Case) -> Option<String> {
        let subject = self.subject();
        let last = case.call();
        let before = case.calls_before().map(|(_, function, arguments)| (function, arguments));
        for (function, arguments) in before.chain(last) {
            let params = &subject.function(function).signature.as_ref()?.params;
            for (param, value) in params.iter().zip(arguments) {
                let Value::Returned { call } = value else { continue };
                let alone = case.until(*call);
                let run = self.session.run(&alone, Build::RunWithDistances).ok()?;
                if run.end == End::Returned && run.result == Some(Value::Null) {
                    return Some(format!("{} is not null", param.name));
                }
            }
        }
        None
    }
}

/// A number for the functions that a case calls before the one under test; 0 if there is none. Paths through others are no part of
/// the same tree.
pub(super) fn calls(case: &Case) -> u64 {
    case.calls_before().fold(0, |calls, (_, function, _)| {
        (calls ^ (u64::from(function.0) + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

/// The file that a function is defined in.
fn file(subject: &Subject, function: FunctionId) -> Option<&str> {
    subject.function(function).place.as_ref().map(|place| place.file.as_str())
}

/// The type of a parameter.
fn pointer_of(subject: &Subject, function: FunctionId, param: usize) -> TypeId {
    let signature = subject.function(function).signature.as_ref();
    signature.map_or(TypeId(0), |signature| signature.params[param].ty)
}

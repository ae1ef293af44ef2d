//! The variables of a test: one per object that the call can reach, named after where it is used.

use super::list::listed;
use super::spelt;
use crate::assert::{Assertion, Root};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use testwright_base::case::{Case, Statement, Value};
use testwright_base::creation::{Creation, creation};
use testwright_base::ids::{FunctionId, TypeId};
use testwright_base::layout::is_character;
use testwright_base::subject::Subject;
use testwright_base::types::{Qualifiers, Shape};

/// A variable for an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The type of the object's elements.
    pub element: TypeId,
    /// Whether it is declared as an array; otherwise it is its only element.
    pub array: bool,
    /// Whether it is a pointer to an allocated object, because the call frees it, or to a stream.
    pub heap: bool,
    /// What everything that points to it promises.
    pub qualifiers: Qualifiers,
}

/// How the objects of a test are declared.
#[derive(Debug, Clone, Copy)]
pub struct Manner<'a> {
    /// The parameters that are given arrays in every test of the function.
    pub arrays: &'a BTreeSet<usize>,
    /// The statements whose objects the call frees.
    pub freed: &'a [usize],
    /// What is asserted afterwards: an object that a test looks at may have been changed.
    pub asserted: &'a [Assertion],
}

/// The variables of a test.
#[derive(Debug, Clone)]
pub struct Scope<'s> {
    subject: &'s Subject,
    variables: BTreeMap<usize, Variable>,
    /// What the results of calls before are called, by statement.
    results: BTreeMap<usize, String>,
    taken: BTreeSet<String>,
}

/// Parameters of a function, by index, that are given other than one element in some case.
#[must_use]
pub fn array_params<'a>(function: FunctionId, cases: impl IntoIterator<Item = &'a Case>) -> BTreeSet<usize> {
    let mut arrays = BTreeSet::new();
    for case in cases {
        let Some((called, arguments)) = case.call() else { continue };
        for (index, argument) in arguments.iter().enumerate().filter(|_| called == function) {
            if let Value::Pointer { object, .. } = argument
                && let Some(Statement::Object { values, .. }) = case.statements.get(*object)
                && values.len() != 1
            {
                arrays.insert(index);
            }
        }
    }
    arrays
}

/// Objects that need a variable: the statement, a name, and whether it is an array in every test.
#[derive(Default)]
struct Open {
    by_start: VecDeque<(usize, String, bool)>,
    by_place: VecDeque<(usize, String, bool)>,
    /// Calls before whose results are used, and a name for them.
    results: Vec<(usize, String)>,
    /// What all pointers to an object promise.
    qualifiers: BTreeMap<usize, Qualifiers>,
}

/// A value that refers to something of the case.
struct Found {
    referred: Referred,
    /// A name made of the fields and indices on the way to it.
    name: String,
    qualifiers: Qualifiers,
}

enum Referred {
    Object { object: usize, offset: u64 },
    Result(usize),
}

impl Open {
    fn push(&mut self, found: Found, array: bool) {
        let Found { referred, name, qualifiers } = found;
        let (object, offset) = match referred {
            Referred::Object { object, offset } => (object, offset),
            Referred::Result(call) => return self.results.push((call, name)),
        };
        let promised = self.qualifiers.entry(object).or_insert(qualifiers);
        *promised = promised.common(qualifiers);
        let entry = (object, name, array);
        if offset == 0 { self.by_start.push_back(entry) } else { self.by_place.push_back(entry) }
    }

    fn pop(&mut self) -> Option<(usize, String, bool)> {
        self.by_start.pop_front().or_else(|| self.by_place.pop_front())
    }
}

impl<'s> Scope<'s> {
    /// The variable that holds what the call that is this statement returned; none if nothing uses it.
    #[must_use]
    pub fn result(&self, statement: usize) -> Option<&str> {
        self.results.get(&statement).map(String::as_str)
    }

    /// The variables for a case.
    #[must_use]
    pub fn new(subject: &'s Subject, case: &Case, manner: Manner<'_>) -> Scope<'s> {
        let (variables, results) = (BTreeMap::new(), BTreeMap::new());
        let mut scope = Scope { subject, variables, results, taken: BTreeSet::new() };
        // An object is called by a pointer to its start, if there is one: its end is no name for it.
        let mut open = Open::default();
        for statement in &case.statements {
            match statement {
                Statement::Call { function, arguments } => {
                    let params =
                        subject.function(*function).signature.as_ref().map(|signature| &signature.params);
                    for (index, (argument, param)) in
                        arguments.iter().zip(params.into_iter().flatten()).enumerate()
                    {
                        let array =
                            manner.arrays.contains(&index) && matches!(argument, Value::Pointer { .. });
                        // A list is no variable: what is in it stands in the call.
                        if subject.types.is_list(param.ty) {
                            for (index, (ty, value)) in
                                listed(&subject.types, case, argument).into_iter().enumerate()
                            {
                                let name = format!("argument_{index}");
                                each_pointer(subject, ty, value, &name, &mut |found| open.push(found, false));
                            }
                            continue;
                        }
                        each_pointer(subject, param.ty, argument, &param.name, &mut |found| {
                            open.push(found, array);
                        });
                    }
                }
                Statement::Set { global, value } => {
                    let global = &subject.globals[global.index()];
                    if let Some(ty) = global.ty {
                        // Answers of stubs are called by several words.
                        let name = format!("{}_object", global.name.replace([' ', '.'], "_"));
                        each_pointer(subject, ty, value, &name, &mut |found| open.push(found, false));
                    }
                }
                Statement::Object { .. } => {}
            }
        }
        scope.name_results(&mut open);
        while let Some((object, name, array)) = open.pop() {
            let Some(Statement::Object { element, values }) = case.statements.get(object) else { continue };
            if scope.variables.contains_key(&object) {
                continue;
            }
            let array = array || values.len() != 1 || is_character(&subject.types, *element);
            let name = scope.fresh(&name);
            for (index, value) in values.iter().enumerate() {
                let inner = if array { format!("{name}_{index}") } else { name.clone() };
                each_pointer(subject, *element, value, &inner, &mut |found| open.push(found, false));
            }
            scope.name_results(&mut open);
            let heap = manner.freed.contains(&object) || subject.types.is_stream(*element);
            let qualifiers = Qualifiers::default();
            scope.variables.insert(object, Variable { name, element: *element, array, heap, qualifiers });
        }
        for (object, variable) in &mut scope.variables {
            let promised = open.qualifiers.get(object).copied().unwrap_or_default();
            let root = Root::Statement(*object);
            let looked_at = manner.asserted.iter().any(|assertion| assertion.root == root);
            variable.qualifiers = Qualifiers { constant: promised.constant && !looked_at, ..promised };
        }
        scope
    }

    fn name_results(&mut self, open: &mut Open) {
        for (call, name) in open.results.drain(..) {
            if !self.results.contains_key(&call) {
                let name = self.fresh(&name);
                self.results.insert(call, name);
            }
        }
    }

    /// The variable of the object that a statement makes; none if nothing refers to it.
    #[must_use]
    pub fn variable(&self, statement: usize) -> Option<&Variable> {
        self.variables.get(&statement)
    }

    /// A name like this that nothing else has.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        let mut number = 1;
        while self.taken.contains(&name) || is_reserved(self.subject, &name) {
            number += 1;
            name = if number == 2 { format!("{wanted}_value") } else { format!("{wanted}_{number}") };
        }
        self.taken.insert(name.clone());
        name
    }
}

/// Whether a variable would hide something of this name: a function, global, type or constant, or a word of the language. Tests
/// ask about few names, so nobody makes a list of all that a large project has.
fn is_reserved(subject: &Subject, name: &str) -> bool {
    const WORDS: &[&str] = &[
        "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
        "extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return",
        "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void",
        "volatile", "while", "bool", "true", "false", "NULL", "asm", "typeof", "unix", "linux",
    ];
    let of_type = |ty: TypeId| {
        let ty = subject.types.get(ty);
        let is_constant = match &ty.shape {
            Shape::Enum { constants, .. } => constants.iter().any(|(constant, _)| constant == name),
            _ => false,
        };
        ty.name.as_deref() == Some(name) || is_constant
    };
    WORDS.contains(&name)
        || subject.functions.iter().any(|function| spelt(&function.name) == name)
        || subject.globals.iter().any(|global| spelt(&global.name) == name)
        || subject.externals.iter().any(|external| external == name)
        || (0..subject.types.len()).map(TypeId::of).any(of_type)
}

/// Calls `found` for every pointer to an object and every result of a call in the value.
fn each_pointer(subject: &Subject, ty: TypeId, value: &Value, name: &str, found: &mut impl FnMut(Found)) {
    if let Some(creation) = creation(&subject.types, ty, value) {
        // What is given to others that could have made it does not matter.
        let Creation::By { params, arguments, .. } = creation else { return };
        for (param, value) in params.iter().zip(arguments) {
            each_pointer(subject, param.ty, value, param.name.as_deref().unwrap_or(name), found);
        }
        return;
    }
    match (value, &subject.types.get(ty).shape) {
        (Value::Pointer { object, offset }, _) => found(Found {
            referred: Referred::Object { object: *object, offset: *offset },
            name: name.to_owned(),
            qualifiers: subject.types.behind(ty),
        }),
        (Value::Returned { call }, _) => found(Found {
            referred: Referred::Result(*call),
            name: name.to_owned(),
            qualifiers: Qualifiers::default(),
        }),
        (Value::Array(values), Shape::Array { element, .. }) => {
            for (index, value) in values.iter().enumerate() {
                each_pointer(subject, *element, value, &format!("{name}_{index}"), found);
            }
        }
        (Value::Record(values), Shape::Record { fields, .. }) => {
            for (field, value) in fields.iter().zip(values) {
                each_pointer(subject, field.ty, value, &with_field(name, field.name.as_deref()), found);
            }
        }
        (Value::Member(member, value), Shape::Record { fields, .. }) => {
            if let Some(field) = fields.get(*member) {
                each_pointer(subject, field.ty, value, &with_field(name, field.name.as_deref()), found);
            }
        }
        _ => {}
    }
}

fn with_field(name: &str, field: Option<&str>) -> String {
    field.map_or_else(|| name.to_owned(), |field| format!("{name}_{field}"))
}

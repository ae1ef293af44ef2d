//! Stubs: functions that the code calls and nobody defines, and functions that callers hand over; their answers are inputs.
//!
//! A stub gives the answers of a case in order, one per call, and the last one again when they are used up. The answers
//! lie in global variables that the case sets like others: an array per result, object or out-parameter. What a stub is given lies in
//! global variables too, where tests look at it.

use crate::case::{Case, Statement, Value};
use crate::graph::CallGraph;
use crate::ids::{FunctionId, GlobalId, StubId, TypeId};
use crate::subject::{Callee, Signature, Subject};
use crate::types::Shape;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How many answers a stub has room for, if they are small.
pub const MOST_ANSWERS: u64 = 32;
/// How many bytes its answers take at most, unless a single one takes more.
const ROOM: u64 = 1024;

/// Of so many calls a stub keeps what it was given.
pub const MOST_GIVEN: u64 = 16;

/// How many elements it fills at most of a buffer that has a length.
pub const FILLED: u64 = 16;

/// The stub that says which allocations of the code fail. No C function can be called so.
pub const ALLOCATION: &str = "allocation.fails";

/// A stub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stub {
    /// The name of the function; `function.parameter` for one that a caller hands over, else the name of the type or of
    /// the first place that holds such a pointer.
    pub name: String,
    /// Its parameters and result.
    pub signature: Signature,
    /// The numbers of parameters that point to what must not be changed.
    pub constant: Vec<usize>,
    /// How the code gets hold of it.
    pub origin: Origin,
    /// Whether it ends the run instead of returning.
    pub ends: bool,
    /// The numbers of the parameters whose product is the size of the memory that it allocates; empty if it does not.
    pub allocates: Vec<usize>,
    /// What the user states about it.
    pub behaviour: Behaviour,
    /// What it gives.
    pub answers: Vec<Answers>,
    /// What it keeps of what it is given.
    pub given: Vec<Given>,
    /// What it cannot give, and why.
    pub limits: Vec<String>,
}

/// What the user states about a stub.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Behaviour {
    /// The least and the largest result.
    pub returns: Option<(i128, i128)>,
    /// Whether it ends the run.
    pub never_returns: bool,
    /// Pointer parameters that it writes several elements through, and the parameters that say how many; by number.
    pub fills: BTreeMap<usize, usize>,
}

impl Behaviour {
    /// The parameter that says how many elements are written through this one.
    #[must_use]
    pub fn length_of(&self, pointer: usize) -> Option<usize> {
        self.fills.get(&pointer).copied()
    }
}

/// How the code gets hold of a stub.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Origin {
    /// It calls the function by its name, and nobody defines it.
    Missing,
    /// It is handed over as the parameter with this number.
    Parameter(FunctionId, usize),
    /// It finds a pointer of this type in a variable or a struct.
    Type(TypeId),
}

/// One kind of answers of a stub.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers {
    /// The array that holds them.
    pub global: GlobalId,
    /// What they are.
    pub role: Role,
}

/// What one parameter of a stub was given, call by call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// The array that holds it: an element for each of the first calls, and one for all others.
    pub global: GlobalId,
    /// The number of the parameter.
    pub param: usize,
}

/// What an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// The result.
    Result,
    /// The object that the result points to.
    Object,
    /// Whether the result points to an object at all, or is null.
    NotNull,
    /// What is written through the pointer parameter with this number, unless that is null.
    Out(usize),
}

/// How many answers of this size there is room for.
#[must_use]
pub fn room(size: u64) -> u64 {
    (ROOM / size.max(1)).clamp(2, MOST_ANSWERS)
}

impl Stub {
    /// Whether it says which allocations fail, instead of standing for a function of the code.
    #[must_use]
    pub fn is_allocation(&self) -> bool {
        self.name == ALLOCATION
    }

    /// How people call answers of this role.
    #[must_use]
    pub fn answers_name(&self, role: Role) -> String {
        let name = &self.name;
        match role {
            Role::Result if self.is_allocation() => "failing allocations".to_owned(),
            Role::Result => format!("answers of {name}"),
            Role::Object => format!("objects of {name}"),
            Role::NotNull => format!("non-null answers of {name}"),
            Role::Out(index) => {
                let param = self.signature.params.get(index).map_or("", |param| param.name.as_str());
                format!("answers of {name} in {param}")
            }
        }
    }
}

/// The case with no more answers than so many calls of each stub use; where the last ones are the same, one stands for
/// all of them.
#[must_use]
pub fn only_used(subject: &Subject, case: &Case, calls: &[u64]) -> Case {
    let mut case = case.clone();
    let shortened = |statement: &mut Statement| {
        let Statement::Set { global, value: Value::Array(values) } = statement else { return true };
        let Some((stub, _)) = subject.answers_of(*global) else { return true };
        let used = calls.get(stub.index()).copied().unwrap_or(0);
        values.truncate(usize::try_from(used).unwrap_or(usize::MAX));
        if subject.stubs[stub.index()].is_allocation() {
            return keep_failing(values);
        }
        while let [.., before, last] = values.as_slice()
            && before == last
        {
            values.pop();
        }
        !values.is_empty()
    };
    let keep: Vec<bool> = case.statements.iter_mut().map(shortened).collect();
    case.retain(&keep);
    case
}

/// Allocations up to the last one that fails, and one more that does not, as all after it; false if none fails.
fn keep_failing(allocations: &mut Vec<Value>) -> bool {
    let last = allocations.iter().rposition(|fails| *fails != Value::Int(0));
    let kept = last.map_or(0, |last| last + 1);
    allocations.truncate(kept);
    if kept > 0 && kept < MOST_ANSWERS as usize {
        allocations.push(Value::Int(0));
    }
    kept > 0
}

impl Subject {
    /// The least and the largest result of a stub, if this variable holds its results and they are stated.
    #[must_use]
    pub fn stated_answers(&self, global: GlobalId) -> Option<(i128, i128)> {
        let holds = |stub: &Stub| {
            stub.answers.iter().any(|answers| answers.global == global && answers.role == Role::Result)
        };
        let stated = self.stubs.iter().filter_map(|stub| Some((stub, stub.behaviour.returns?)));
        stated.into_iter().find(|(stub, _)| holds(stub)).map(|(_, range)| range)
    }

    /// Whether a case is as contracts say: those of its function, and of the stubs that answer.
    #[must_use]
    pub fn is_within_contracts(&self, case: &Case) -> bool {
        let is_kept = |statement: &Statement| match statement {
            Statement::Set { global, value: Value::Array(answers) } => {
                let fits = |(low, high): (i128, i128)| {
                    answers.iter().all(|answer| !matches!(answer, Value::Int(n) if *n < low || *n > high))
                };
                self.stated_answers(*global).is_none_or(fits)
            }
            _ => true,
        };
        let allows = |(function, _): (FunctionId, _)| self.function(function).contract.allows(case);
        case.call().is_some_and(allows) && case.statements.iter().all(is_kept)
    }

    /// The numbers of the allocations that a case lets fail, from 1.
    #[must_use]
    pub fn failing_allocations(&self, case: &Case) -> Vec<usize> {
        let failing = |statement: &Statement| match statement {
            Statement::Set { global, value: Value::Array(values) }
                if self
                    .answers_of(*global)
                    .is_some_and(|(stub, _)| self.stubs[stub.index()].is_allocation()) =>
            {
                (1..)
                    .zip(values)
                    .filter(|(_, fails)| **fails != Value::Int(0))
                    .map(|(number, _)| number)
                    .collect()
            }
            _ => Vec::new(),
        };
        case.statements.iter().flat_map(failing).collect()
    }

    /// The variables that keep what the stubs are given that a call of `function` can reach.
    #[must_use]
    pub fn given_within(&self, function: FunctionId) -> Vec<GlobalId> {
        let stubs = self.stubs_within(function).into_iter().map(|stub| &self.stubs[stub.index()]);
        stubs.flat_map(|stub| stub.given.iter().map(|given| given.global)).collect()
    }

    /// The stub and the role that a global variable has in it, if it holds answers.
    #[must_use]
    pub fn answers_of(&self, global: GlobalId) -> Option<(StubId, Role)> {
        self.stubs.iter().enumerate().find_map(|(index, stub)| {
            let answers = stub.answers.iter().find(|answers| answers.global == global)?;
            Some((StubId::of(index), answers.role))
        })
    }

    /// Whether a global holds which allocations fail.
    #[must_use]
    pub fn says_what_fails(&self, global: GlobalId) -> bool {
        self.answers_of(global).is_some_and(|(stub, _)| self.stubs[stub.index()].is_allocation())
    }

    /// The stub that is handed over as this parameter.
    #[must_use]
    pub fn stub_of_parameter(&self, function: FunctionId, parameter: usize) -> Option<StubId> {
        self.stubs
            .iter()
            .position(|stub| stub.origin == Origin::Parameter(function, parameter))
            .map(StubId::of)
    }

    /// The stub that a pointer of this type can lead to, outside of parameters.
    #[must_use]
    pub fn stub_of_type(&self, ty: TypeId) -> Option<StubId> {
        self.stubs.iter().position(|stub| stub.origin == Origin::Type(ty)).map(StubId::of)
    }

    /// The types of all that calls of `functions` can be given: parameters, globals that they or what they enter read, and
    /// what those hold and lead to.
    fn types_within(&self, functions: &[FunctionId], entered: &BTreeSet<FunctionId>) -> BTreeSet<TypeId> {
        let signatures = functions.iter().filter_map(|function| self.function(*function).signature.as_ref());
        let params = signatures.flat_map(|signature| &signature.params);
        let read = entered.iter().flat_map(|id| &self.function(*id).reads);
        let globals = read.filter_map(|global| self.globals[global.index()].ty);
        let mut open: Vec<TypeId> = params.map(|param| param.ty).chain(globals).collect();
        let mut seen = BTreeSet::new();
        while let Some(ty) = open.pop() {
            if !seen.insert(ty) {
                continue;
            }
            match &self.types.get(ty).shape {
                Shape::Pointer(inner) | Shape::Array { element: inner, .. } => open.push(*inner),
                Shape::Record { fields, .. } => open.extend(fields.iter().map(|field| field.ty)),
                _ => {}
            }
        }
        seen
    }

    /// The stubs that a call of `function` can reach.
    #[must_use]
    pub fn stubs_within(&self, function: FunctionId) -> Vec<StubId> {
        self.stubs_within_any(&[function])
    }

    /// The stubs that a call of one of `functions` can reach.
    #[must_use]
    pub fn stubs_within_any(&self, functions: &[FunctionId]) -> Vec<StubId> {
        if self.stubs.is_empty() {
            return Vec::new();
        }
        let entered = CallGraph::entered_from(self, functions);
        let missing = self.stubs.iter().filter(|stub| stub.origin == Origin::Missing);
        let missing: BTreeSet<&str> = missing.map(|stub| stub.name.as_str()).collect();
        let calls = entered.iter().flat_map(|id| &self.function(*id).calls);
        let called: BTreeSet<&str> = calls
            .filter_map(|call| match &call.callee {
                Callee::External(name) => missing.get(name.as_str()).copied(),
                _ => None,
            })
            .collect();
        let types = self.types_within(functions, &entered);
        let reached = |stub: &Stub| match stub.origin {
            Origin::Parameter(owner, _) => functions.contains(&owner),
            Origin::Missing => called.contains(stub.name.as_str()),
            Origin::Type(ty) => types.contains(&ty),
        };
        (0..self.stubs.len()).filter(|index| reached(&self.stubs[*index])).map(StubId::of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use crate::start::plainest_case;
    use crate::subject::{Call, Global};
    use crate::types::Types;

    /// `int read_clock(void)` with room for four answers, called by `helper`, which `elapsed` calls.
    fn subject() -> Subject {
        let mut types = Types::default();
        let int = sample::int(&mut types, "int", 32, true);
        let array = sample::array(&mut types, int, 4);
        let mut subject = sample::empty_subject();
        subject.globals.push(Global {
            name: "answers of read_clock".to_owned(),
            ty: Some(array),
            size: 16,
            place: None,
        });
        let external = |name: &str| Callee::External(name.to_owned());
        let mut elapsed = sample::taking("elapsed", &[], int);
        elapsed.calls = vec![Call { block: crate::ids::BlockId(0), callee: Callee::Defined(FunctionId(1)) }];
        let helper = sample::calling("helper", &[external("read_clock")]);
        let other = sample::taking("other", &[], int);
        subject.functions = vec![elapsed, helper, other];
        subject.types = types;
        subject.stubs.push(Stub {
            name: "read_clock".to_owned(),
            signature: Signature { params: Vec::new(), result: int, variadic: false },
            constant: Vec::new(),
            origin: Origin::Missing,
            allocates: Vec::new(),
            ends: false,
            behaviour: Behaviour::default(),
            answers: vec![Answers { global: GlobalId(0), role: Role::Result }],
            given: Vec::new(),
            limits: Vec::new(),
        });
        subject
    }

    fn with_answers(values: &[i128]) -> Case {
        let value = Value::Array(values.iter().map(|value| Value::Int(*value)).collect());
        Case { statements: vec![Statement::Set { global: GlobalId(0), value }] }
    }

    #[test]
    fn a_function_starts_with_answers_of_the_stubs_it_can_reach_and_no_others() {
        let subject = subject();
        assert_eq!(subject.stubs_within(FunctionId(0)), [StubId(0)]);
        assert_eq!(subject.stubs_within(FunctionId(2)), []);
        let start = plainest_case(&subject, FunctionId(0)).unwrap();
        assert_eq!(start.statements[0], with_answers(&[0; 4]).statements[0]);
        assert_eq!(plainest_case(&subject, FunctionId(2)).unwrap().statements.len(), 1);
    }

    #[test]
    fn pointers_follow_their_objects_when_answers_go() {
        let subject = subject();
        let mut case = with_answers(&[1]);
        let call = |object: usize| Statement::Call {
            function: FunctionId(0),
            arguments: vec![Value::Pointer { object, offset: 4 }],
        };
        let object = Statement::Object { element: TypeId(0), values: vec![Value::Int(3)] };
        case.statements.extend([object.clone(), call(1)]);
        assert_eq!(only_used(&subject, &case, &[0]).statements, [object, call(0)]);
    }

    #[test]
    fn allocations_that_succeed_are_not_told() {
        let mut subject = subject();
        subject.stubs[0].name = ALLOCATION.to_owned();
        let check = |answers: &[i128], calls: u64, kept: &[i128], failing: &[usize]| {
            let shorter = only_used(&subject, &with_answers(answers), &[calls]);
            let expected = if kept.is_empty() { Case::default() } else { with_answers(kept) };
            assert_eq!(shorter, expected, "{answers:?}, {calls} calls");
            assert_eq!(subject.failing_allocations(&shorter), failing);
        };
        check(&[0, 0, 0, 0], 3, &[], &[]);
        check(&[0, 1, 0, 0], 3, &[0, 1, 0], &[2]);
        check(&[1, 0, 1, 1], 3, &[1, 0, 1, 0], &[1, 3]);
        check(&[0, 0, 0, 1], 3, &[], &[]);
    }

    #[test]
    fn answers_that_no_call_uses_are_left_out() {
        let subject = subject();
        let check = |answers: &[i128], calls: u64, kept: &[i128]| {
            let shorter = only_used(&subject, &with_answers(answers), &[calls]);
            let expected = if kept.is_empty() { Case::default() } else { with_answers(kept) };
            assert_eq!(shorter, expected, "{answers:?}, {calls} calls");
        };
        check(&[1, 2, 3, 4], 2, &[1, 2]);
        check(&[1, 2, 2, 4], 3, &[1, 2]);
        check(&[1, 2, 3, 4], 9, &[1, 2, 3, 4]);
        check(&[0, 0, 0, 0], 4, &[0]);
        check(&[1, 2, 3, 4], 0, &[]);
    }
}

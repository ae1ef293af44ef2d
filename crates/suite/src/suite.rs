//! The suite: few tests that show every goal that was met, with names and assertions; findings apart from them.

use crate::assert::{Assertion, Habits, PartKind, Root, assertions, is_changed};
use crate::earlier::Named;
use crate::emit::c::body::body;
use crate::emit::c::page::asserts;
use crate::emit::c::scope::{Manner, array_params};
use crate::emit::c::spelt;
use crate::emit::c::value::Wording;
use crate::input::{EffectPolicy, Found, Input, Reason};
use crate::minimise::{Candidate, minimise, most_telling};
use crate::name::{self, Effect, Namer, Shown};
use crate::replay::Purpose;
use crate::taken_out::TakenOut;
use crate::weight::weight;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::{FunctionId, GoalId, MutantId, StubId, TypeId};
use testwright_base::run::{End, Run, Seen};
use testwright_base::site::{Place, Site, SiteKind};
use testwright_base::types::Shape;

mod findings;
mod leave_out;

pub use leave_out::Tried;

/// A test.
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    /// Its name, a C identifier.
    pub name: String,
    /// The function that it calls.
    pub function: FunctionId,
    /// The case.
    pub case: Case,
    /// How the call ends: it returns, or calls `exit` or `abort`.
    pub end: End,
    /// The statements whose objects the call frees.
    pub freed: Vec<usize>,
    /// What is asserted afterwards.
    pub assertions: Vec<Assertion>,
    /// What the call does, in the words of a name: `returns_3`.
    pub behaviour: String,
    /// The goals that it shows.
    pub goals: Vec<GoalId>,
    /// The mutants that it kills.
    pub kills: Vec<MutantId>,
    /// What it shows, in one line.
    pub comment: String,
}

/// A run that ended badly.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The name of its reproducer, a C identifier.
    pub name: String,
    /// The function that is called.
    pub function: FunctionId,
    /// The case.
    pub case: Case,
    /// How the run ended.
    pub end: End,
    /// The statements whose objects the run freed.
    pub freed: Vec<usize>,
    /// What happened, without what differs from input to input.
    pub kind: String,
    /// Where.
    pub place: Option<Place>,
    /// The call, as C writes it.
    pub call: String,
    /// What happened and on which input, in one line.
    pub comment: String,
}

/// What is assumed about the inputs of a function although nothing states it.
#[derive(Debug, Clone, PartialEq)]
pub struct Assumption {
    /// The function.
    pub function: FunctionId,
    /// What is assumed: `items is not null`.
    pub text: String,
    /// A call that breaks it.
    pub broken_by: Finding,
}

/// What a run of a function wants beyond its own memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The function.
    pub function: FunctionId,
    /// What it wants: `delete files`.
    pub what: String,
    /// The call, as C writes it.
    pub call: String,
}

/// A case that is no test, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftOut {
    /// The function that it calls.
    pub function: FunctionId,
    /// The goals that it would have shown.
    pub goals: Vec<GoalId>,
    /// Why.
    pub reason: Reason,
}

/// A suite.
pub struct Suite {
    /// What it was made of.
    pub input: Rc<Input>,
    /// The tests, by function and then in the order of the code; those of an earlier suite stay in its order.
    pub tests: Vec<Test>,
    /// The findings, one of each kind and place.
    pub findings: Vec<Finding>,
    /// What is assumed about inputs although nothing states it, each with a run that breaks it and ends badly.
    pub assumptions: Vec<Assumption>,
    /// The cases that are no tests.
    pub left_out: Vec<LeftOut>,
    /// What was taken out when the tests were tried.
    pub taken_out: Vec<TakenOut>,
    /// Why the suite could not be verified, if so.
    pub unverified: Option<String>,
    /// Stubs that do not compile: no test comes to them.
    pub refused_stubs: BTreeSet<StubId>,
    /// What runs want that the sandbox forbids, each of a function once.
    pub wanted: Vec<Wanted>,
}

impl Suite {
    /// The suite of what was found.
    #[must_use]
    pub fn new(input: Input) -> Suite {
        let shared = Rc::new(input);
        let input: &Input = &shared;
        let sorted = Sorted::new(input);
        let findings = findings::findings(input, &sorted.findings);
        let assumptions = findings::assumptions(input, &sorted.breaking);
        let kept = keep(input, &sorted.usable);
        let kept: Vec<&Found> = kept.into_iter().map(|index| sorted.usable[index]).collect();
        let (kept, beyond) = limit(input, kept);
        let tests = tests(input, &kept);
        let wanted = findings::wanted(input);
        let mut left_out = sorted.left_out;
        left_out.extend(beyond);
        let (taken_out, unverified) = (Vec::new(), None);
        let mut suite = Suite {
            input: Rc::clone(&shared),
            tests,
            findings,
            assumptions,
            left_out,
            taken_out,
            unverified,
            refused_stubs: BTreeSet::new(),
            wanted,
        };
        suite.leave_out_unasserting();
        suite.left_out.sort_by_key(|left_out| left_out.function);
        suite
    }

    /// The runs whose inputs are all that the suite has, if none of its formats asserts anything.
    #[must_use]
    pub fn inputs(&self) -> Option<Vec<&Found>> {
        let formats = &self.input.style.formats;
        let inputs = formats.iter().map(|format| format.inputs).collect::<Option<Vec<_>>>()?;
        inputs.first().map(|inputs| inputs(self))
    }

    /// Whether part of the work was lost or could not be verified.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        self.unverified.is_some()
            || !self.input.lost.is_empty()
            || self.taken_out.iter().any(|taken| taken.cause.is_loss())
    }

    /// Takes out tests that assert nothing: they would pass whatever the code does, as long as it returns.
    fn leave_out_unasserting(&mut self) {
        let silent = self.tests.iter().filter(|test| !asserts(self, test)).map(|test| test.name.clone());
        let silent: BTreeSet<String> = silent.collect();
        let (out, kept): (Vec<Test>, Vec<Test>) =
            std::mem::take(&mut self.tests).into_iter().partition(|test| silent.contains(&test.name));
        self.tests = kept;
        self.left_out.extend(out.into_iter().map(|test| LeftOut {
            function: test.function,
            goals: test.goals,
            reason: Reason::NothingToAssert,
        }));
    }

    /// The parameters of a function that are given arrays in its tests.
    #[must_use]
    pub fn array_params(&self, function: FunctionId) -> BTreeSet<usize> {
        let cases = self.tests.iter().map(|test| &test.case);
        array_params(function, cases.chain(self.findings.iter().map(|finding| &finding.case)))
    }
}

/// What was found, by what becomes of it.
struct Sorted<'a> {
    usable: Vec<&'a Found>,
    findings: Vec<&'a Found>,
    breaking: Vec<&'a Found>,
    left_out: Vec<LeftOut>,
}

impl<'a> Sorted<'a> {
    fn new(input: &'a Input) -> Sorted<'a> {
        let (usable, findings, breaking, left_out) = Default::default();
        let mut sorted = Sorted { usable, findings, breaking, left_out };
        let arrays = BTreeSet::new();
        let manner = |found: &'a Found| Manner { arrays: &arrays, freed: &found.run.freed, asserted: &[] };
        for found in &input.found {
            let Some((function, _)) = found.case.call() else { continue };
            // What a contract rules out, or other calls, is neither test nor finding.
            if matches!(found.run.end, End::Outside | End::Before) {
                continue;
            }
            let mut leave_out = |reason| {
                sorted.left_out.push(LeftOut { function, goals: found.goals.clone(), reason });
            };
            if found.again.as_ref().is_some_and(|again| again.end != found.run.end) {
                leave_out(Reason::Unstable);
            } else if let Err(why) = body(&input.subject, Wording::PLAIN, &found.case, manner(found)) {
                leave_out(Reason::Unwritable(why));
            } else if ends_by_itself(&found.run) {
                if found.run.end == End::Abort {
                    sorted.findings.push(found);
                }
                match findings::wants(found).filter(|_| input.style.effects == EffectPolicy::Report) {
                    Some(what) => leave_out(Reason::WantsEffect(what)),
                    None => sorted.usable.push(found),
                }
            } else if let Some(broke) = &found.broke {
                leave_out(Reason::OnlyByBreaking(broke.clone()));
                sorted.breaking.push(found);
            } else {
                leave_out(Reason::OnlyByFinding);
                sorted.findings.push(found);
            }
        }
        sorted
    }
}

/// Whether the code ended a run, with or without complaining: a test can expect that.
#[must_use]
pub fn ends_by_itself(run: &Run) -> bool {
    match run.end {
        End::Returned | End::Exit(_) => true,
        End::Abort => !run.output.windows(SMASHED.len()).any(|part| part == SMASHED),
        _ => false,
    }
}

/// What the C library says when the stack was overwritten, before it aborts.
const SMASHED: &[u8] = b"stack smashing detected";

/// The indices of the cases to keep.
fn keep(input: &Input, usable: &[&Found]) -> Vec<usize> {
    minimise(&candidates(input, usable))
}

fn candidates(input: &Input, found: &[&Found]) -> Vec<Candidate> {
    let numbered = (FIRST_DEMANDED..).zip(found);
    let made = numbered.map(|(number, found)| {
        let mut candidate = candidate(input, found);
        candidate.goals.extend(found.demanded.then_some(number));
        candidate
    });
    made.collect()
}

/// Mutants have numbers from here on where cases are chosen.
pub const FIRST_MUTANT: u32 = 1 << 30;
/// Cases that are demanded have numbers from here on.
pub const FIRST_DEMANDED: u32 = 1 << 31;

/// That a function can be called at all is a goal too, so that each has a test.
fn candidate(input: &Input, found: &Found) -> Candidate {
    let mut goals: BTreeSet<u32> = found.goals.iter().map(|goal| goal.0).collect();
    let own = found.case.call().map(|(function, _)| input.goals.len() as u32 + function.0);
    // One of each function that strays is tried, and is no test of it.
    goals.extend(own.map(|own| if found.strays { u32::MAX - own } else { own }));
    goals.extend(formatted(input, found));
    goals.extend(found.kills.iter().map(|mutant| FIRST_MUTANT + mutant.0));
    Candidate { goals, weight: weight(&input.subject, &found.case), earlier: found.earlier }
}

/// Numbers for the types in a list that a format asks for. What is printed of each is worth a test; `int`s are in any list.
fn formatted(input: &Input, found: &Found) -> Vec<u32> {
    const MOST_TYPES: u32 = 8;
    let Some((function, _)) = found.case.call() else { return Vec::new() };
    let slots = found.case.statements.iter().flat_map(|statement| match statement {
        Statement::Object { element, values } if input.subject.types.is_slot(*element) => values.as_slice(),
        _ => &[],
    });
    let members = slots.filter_map(|slot| match slot {
        Value::Member(member, _) if *member > 0 => u32::try_from(*member).ok(),
        _ => None,
    });
    let first = input.goals.len() as u32 + input.subject.functions.len() as u32 + function.0 * MOST_TYPES;
    members.map(|member| first + member).collect()
}

/// As many cases as are wanted, those that show the most, and what is left out.
fn limit<'f>(input: &Input, kept: Vec<&'f Found>) -> (Vec<&'f Found>, Vec<LeftOut>) {
    let Some(most) = input.style.max_tests.filter(|most| *most < kept.len()) else {
        return (kept, Vec::new());
    };
    let chosen = most_telling(&candidates(input, &kept), most);
    let (within, beyond): (Vec<_>, Vec<_>) =
        kept.into_iter().enumerate().partition(|(index, _)| chosen.contains(index));
    let left_out = |(_, found): (usize, &Found)| {
        let reason = Reason::TooManyTests(most);
        called(found).map(|function| LeftOut { function, goals: found.goals.clone(), reason })
    };
    (within.into_iter().map(|(_, found)| found).collect(), beyond.into_iter().filter_map(left_out).collect())
}

fn tests<'f>(input: &'f Input, kept: &[&'f Found]) -> Vec<Test> {
    let mut shown_by: BTreeMap<GoalId, usize> = BTreeMap::new();
    for goal in kept.iter().flat_map(|found| &found.goals) {
        *shown_by.entry(*goal).or_insert(0) += 1;
    }
    let functions: BTreeSet<FunctionId> = kept.iter().filter_map(|found| called(found)).collect();
    let habits: BTreeMap<FunctionId, Habits> =
        functions.iter().map(|id| (*id, Habits::of(&input.subject, *id, &input.found))).collect();

    let plan = |found: &&'f Found| {
        let function = called(found)?;
        let telling = telling(input, found, &shown_by);
        let mut assertions = assertions(&input.subject, found, &habits[&function]);
        if input.style.float_tolerance.is_some() {
            assertions = split_numbers(input, assertions);
        }
        let behaviour = behaviour(input, function, found, &assertions);
        let place = (function, telling.first().copied(), weight(&input.subject, &found.case));
        let earlier = input.earlier.named(&input.subject, &found.case, Purpose::Test(behaviour.clone()));
        Some(Planned { found, telling, assertions, behaviour, place, earlier })
    };
    let planned = in_order(kept.iter().filter_map(plan).collect());

    let namer = Namer { subject: &input.subject, line: &*input.line };
    let mut taken: BTreeSet<String> = planned.iter().flat_map(|planned| planned.reserved(input)).collect();
    let mut make = |planned: Planned<'_>| {
        let Planned { found, telling, assertions, behaviour, place: (function, ..), earlier } = planned;
        let shown: Vec<Shown> = telling
            .iter()
            .filter_map(|goal| namer.shown(input.goals.get(*goal), &found.run.outcomes))
            .collect();
        let prefix = if functions.len() > 1 { prefix(input, function) } else { String::new() };
        let mut wanted: Vec<String> =
            shown.iter().take(4).map(|shown| format!("{prefix}{behaviour}_{}", shown.words)).collect();
        wanted.extend(shown.is_empty().then(|| format!("{prefix}{behaviour}")));
        let only_here = telling.iter().filter(|goal| shown_by[goal] == 1).count();
        Test {
            name: earlier.map_or_else(|| name::unique(&mut taken, &wanted), |earlier| earlier.name.clone()),
            function,
            case: found.case.clone(),
            end: found.run.end,
            freed: found.run.freed.clone(),
            assertions,
            behaviour,
            goals: found.goals.clone(),
            kills: found.kills.clone(),
            comment: match shown.len() {
                0 => without_branches(input, function),
                count => comment(&shown[..only_here.clamp(1, count)]),
            },
        }
    };
    planned.into_iter().map(&mut make).collect()
}

/// A test before it has a name.
struct Planned<'a> {
    found: &'a Found,
    telling: Vec<GoalId>,
    assertions: Vec<Assertion>,
    behaviour: String,
    /// By function, and then in the order of the code.
    place: (FunctionId, Option<GoalId>, u64),
    /// What the earlier suite called it.
    earlier: Option<&'a Named>,
}

impl Planned<'_> {
    /// The names that no new test may have because of the name that this one keeps. A suite of one function leaves its name
    /// out, and so does format gtest: with and without it a name is the same.
    fn reserved(&self, input: &Input) -> Vec<String> {
        let Some(Named { name, .. }) = self.earlier else { return Vec::new() };
        let prefix = prefix(input, self.place.0);
        let without = name.strip_prefix(&prefix).unwrap_or(name);
        vec![name.clone(), without.to_owned(), format!("{prefix}{without}")]
    }
}

/// Puts new tests into the order of the code, around those of an earlier suite, which stay in their order.
fn in_order(planned: Vec<Planned<'_>>) -> Vec<Planned<'_>> {
    let (mut kept, mut new): (Vec<_>, Vec<_>) =
        planned.into_iter().partition(|planned| planned.earlier.is_some());
    kept.sort_by_key(|planned| (planned.place.0, planned.earlier.map(|earlier| earlier.position)));
    new.sort_by_key(|planned| planned.place);
    let (mut ordered, mut new) = (Vec::new(), new.into_iter().peekable());
    for kept in kept {
        while let Some(before) = new.next_if(|new| new.place < kept.place) {
            ordered.push(before);
        }
        ordered.push(kept);
    }
    ordered.extend(new);
    ordered
}

/// What names begin with if tests call several functions.
fn prefix(input: &Input, function: FunctionId) -> String {
    format!("{}_", name::words::identifier(spelt(&input.subject.function(function).name)))
}

/// Takes arrays of floating-point numbers apart: a tolerance holds for each element.
fn split_numbers(input: &Input, assertions: Vec<Assertion>) -> Vec<Assertion> {
    let is_number = |ty: TypeId| matches!(input.subject.types.get(ty).shape, Shape::Float { .. });
    let each = |assertion: Assertion| match assertion.part.kind {
        PartKind::Elements(element) if is_number(element) => {
            let root = assertion.root;
            assertion.part.split().into_iter().map(|part| Assertion { root, part }).collect()
        }
        _ => vec![assertion],
    };
    assertions.into_iter().flat_map(each).collect()
}

fn called(found: &Found) -> Option<FunctionId> {
    found.case.call().map(|(function, _)| function)
}

/// The branches and switches that a case shows, those first that the fewest tests show; of those in the function
/// itself the last in the code, because it decides last. Comparisons tell only what no branch tells.
fn telling(input: &Input, found: &Found, shown_by: &BTreeMap<GoalId, usize>) -> Vec<GoalId> {
    let is_branch = SiteKind::is_branch;
    let is_comparison = |kind: &SiteKind| matches!(kind, SiteKind::Compare { .. });
    let branches = ranked(input, found, shown_by, is_branch);
    if branches.is_empty() { ranked(input, found, shown_by, is_comparison) } else { branches }
}

/// The goals at sites of a kind, the most telling first.
fn ranked(
    input: &Input,
    found: &Found,
    shown_by: &BTreeMap<GoalId, usize>,
    is_wanted: impl Fn(&SiteKind) -> bool,
) -> Vec<GoalId> {
    let function = called(found);
    let mut goals = Vec::new();
    for id in &found.goals {
        let Some((site, _)) = input.goals.site(&input.subject, *id) else { continue };
        if is_wanted(&site.kind) {
            let has_detail = !input.goals.get(*id).detail.is_empty();
            goals.push((shown_by[id], Some(site.function) != function, has_detail, std::cmp::Reverse(*id)));
        }
    }
    goals.sort_unstable();
    // One goal tells of an outcome; what lies at a border tells more only if other tests show the outcome too.
    let mut told = BTreeSet::new();
    let goals = goals.into_iter().map(|(.., std::cmp::Reverse(goal))| goal);
    goals.filter(|goal| told.insert(input.goals.get(*goal).outcome)).collect()
}

fn behaviour(input: &Input, function: FunctionId, found: &Found, assertions: &[Assertion]) -> String {
    let definition = input.subject.function(function);
    let signature = definition.signature.as_ref();
    let arguments = found.case.call().map(|(_, arguments)| arguments).unwrap_or_default();
    let param_of = |statement: usize| {
        let points = |value: &Value| matches!(value, Value::Pointer { object, .. } if *object == statement);
        let index = arguments.iter().position(points)?;
        signature?.params.get(index).map(|param| param.name.as_str())
    };
    let (subject, run) = (&input.subject, &found.run);
    let told = |name, changed| if changed { Effect::Changes(name) } else { Effect::Keeps(name) };
    let effect = assertions.iter().find_map(|assertion| match assertion.root {
        Root::Statement(statement) => param_of(statement)
            .map(|param| told(param, is_changed(&subject.types, &found.case, run, statement))),
        Root::Global(global) => {
            let changed = |seen: &Seen| seen.global == global && seen.before != seen.after;
            Some(told(spelt(&subject.globals[global.index()].name), run.globals.iter().any(changed)))
        }
        Root::Result | Root::Calls(_) | Root::Given(..) | Root::Printed | Root::Behind | Root::Query(_) => {
            None
        }
    });
    let freed = || found.run.freed.iter().find_map(|statement| param_of(*statement));
    let effect = effect.or_else(|| freed().map(Effect::Frees)).unwrap_or(Effect::None);
    name::behaviour(&input.subject, signature, &found.run, effect)
}

/// `flat.c:3  add has no branches`; nothing if it has some, but none in this test.
fn without_branches(input: &Input, id: FunctionId) -> String {
    let decides = |site: &Site| site.kind.is_branch();
    let function = input.subject.function(id);
    match &function.place {
        Some(place) if !input.subject.sites.iter().any(|site| site.function == id && decides(site)) => {
            format!("{}:{}  {} has no branches", base_name(&place.file), place.line, function.name)
        }
        _ => String::new(),
    }
}

/// `triangle.c:8  a == b true`; the others follow with their lines as long as there is room.
fn comment(all: &[Shown]) -> String {
    const WIDTH: usize = 94;
    let mut text = String::new();
    for (index, shown) in all.iter().enumerate() {
        let next = match (&shown.place, index) {
            (Some(place), 0) => format!("{}:{}  {}", base_name(&place.file), place.line, shown.text),
            (Some(place), _) => format!("; line {}: {}", place.line, shown.text),
            (None, 0) => shown.text.clone(),
            (None, _) => format!("; {}", shown.text),
        };
        if index > 0 && text.len() + next.len() > WIDTH {
            break;
        }
        // A decision is told as a whole by each of its parts.
        let is_told = |earlier: &Shown| earlier.line() == shown.line() && earlier.text == shown.text;
        if !all[..index].iter().any(is_told) {
            text += &next;
        }
    }
    text
}

/// The last part of a path.
#[must_use]
pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

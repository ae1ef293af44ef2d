//! What a suite is made of: the cases that a search found, and what it knows about the rest.

use crate::constant::Constants;
use crate::earlier::Earlier;
use crate::emit::Format;
use crate::emit::c::spelt;
use crate::emit::c::value::Wording;
use crate::replay::Origin;
use crate::stop::Stop;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::goal::Goals;
use testwright_base::ids::{FunctionId, GoalId, MutantId, TypeId};
use testwright_base::query::Query;
use testwright_base::run::Run;
use testwright_base::site::Place;
use testwright_base::stub::Stub;
use testwright_base::subject::{Function, Subject};
use testwright_base::types::{Shape, Types};

/// Everything a suite is made of.
pub struct Input {
    /// The code under test.
    pub subject: Rc<Subject>,
    /// What tests should show.
    pub goals: Arc<Goals>,
    /// What the user named.
    pub target: String,
    /// The seed of the search.
    pub seed: u64,
    /// What the user named, as seen from the folder of the suite.
    pub origin: Origin,
    /// The files of the subject.
    pub sources: Vec<Source>,
    /// The functions that tests were wanted for.
    pub functions: Vec<FunctionId>,
    /// What was found.
    pub found: Vec<Found>,
    /// How many cases a greedy cover of all that the search kept takes, by function.
    pub greedy_covers: BTreeMap<FunctionId, usize>,
    /// What is known about goals that were not met.
    pub unmet: Vec<Unmet>,
    /// The functions whose search failed for a fault of ours, and what happened.
    pub lost: BTreeMap<FunctionId, String>,
    /// Why the search in each function ended; those that cannot be called have no entry.
    pub stops: BTreeMap<FunctionId, Stop>,
    /// What the user should know about how the code was compiled.
    pub notes: Vec<String>,
    /// What the search took.
    pub effort: Effort,
    /// How the suite is written.
    pub style: Style,
    /// What the suite that it replaces called its tests and findings.
    pub earlier: Earlier,
    /// The text of the line at a place, for names and comments.
    pub line: Rc<Lines>,
}

/// Gives the text of the line at a place.
pub type Lines = dyn Fn(&Place) -> Option<String>;

/// How a suite is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Style {
    /// The formats.
    pub formats: Vec<&'static Format>,
    /// How far floating-point numbers may be off what is expected; none if not by a bit.
    pub float_tolerance: Option<f64>,
    /// What becomes of cases whose code wants what the sandbox forbids.
    pub effects: EffectPolicy,
    /// What formats for other tools want to know.
    pub metadata: Metadata,
    /// The most tests to write, if there is a limit.
    pub max_tests: Option<usize>,
}

/// What becomes of cases whose code wants what the sandbox forbids, such as to delete files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectPolicy {
    /// They are reported.
    Report,
    /// They become tests too.
    Write,
}

/// What formats for other tools want to know.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Metadata {
    /// The SHA-256 of the first source, in hexadecimal.
    pub program_hash: String,
    /// When the suite was made, as ISO 8601.
    pub created: String,
}

impl Default for Style {
    fn default() -> Style {
        Style {
            formats: vec![Format::PLAIN],
            float_tolerance: None,
            effects: EffectPolicy::Report,
            metadata: Metadata::default(),
            max_tests: None,
        }
    }
}

/// A case that is worth keeping.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The case.
    pub case: Case,
    /// What it did.
    pub run: Run,
    /// What it did in another process; what differs is not asserted.
    pub again: Option<Run>,
    /// The goals that it shows.
    pub goals: Vec<GoalId>,
    /// The mutants that differ on it in what a test can observe.
    pub kills: Vec<MutantId>,
    /// What it breaks of what is assumed about inputs but stated nowhere, if its run ended badly for that.
    pub broke: Option<String>,
    /// Whether it uses memory that is not its own although its run ends well: it shows what nothing better shows, and a sanitizer will
    /// have something to say.
    pub strays: bool,
    /// Whether the suite that is replaced has it, and it is to stay.
    pub earlier: bool,
    /// Whether it is to be a test whatever the others show: it solves an augmented condition that no other one was made for.
    pub demanded: bool,
    /// What the code says about its objects afterwards, in the order of asking.
    pub queries: Vec<Queried>,
}

/// A query after the call under test, and what it returned each time.
#[derive(Debug, Clone, PartialEq)]
pub struct Queried {
    /// The query.
    pub query: Query,
    /// What it returned; of a text its characters, with the end.
    pub result: Value,
}

/// A file of the subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The file, as places name it.
    pub file: String,
    /// Its path as seen from the folder of the suite.
    pub path: String,
    /// The flags it is compiled with, their paths as seen from the folder of the suite too.
    pub flags: Vec<String>,
    /// How tests reach its functions.
    pub access: Access,
    /// What it calls numbers. Only tests that include it can use these names.
    pub constants: Constants,
}

/// How a test reaches the functions of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// The test declares them; the source is compiled by itself.
    Prototype,
    /// The test includes this header, a path as seen from the suite; the source is compiled by itself.
    Header(String),
    /// The test includes the source, so that static functions and types are visible too.
    IncludeSource,
}

/// A goal that was not met, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmet {
    /// The goal.
    pub goal: GoalId,
    /// Why.
    pub reason: Reason,
}

/// Why a goal was not met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// It cannot be met; how that was proved.
    Infeasible(String),
    /// The solver gave up: after how long, and where.
    SolverLimit(String),
    /// No run came to its site, because of this.
    NeverReached(String),
    /// Its site was reached, but its condition depended on no input.
    NotAnInput,
    /// Proved impossible on so many paths, but there are others.
    RuledOut(String),
    /// Every path was explored, but these were not tried.
    Explored(String),
    /// The strategy had nothing left to try.
    Declined,
    /// The user ended the search.
    Interrupted,
    /// The function cannot be called, for this reason.
    Skipped(String),
    /// It depends on something outside of the code.
    NeedsEnvironment(String),
    /// Runs were cut short before it.
    StepLimit,
    /// Only runs that ended badly met it.
    OnlyByFinding,
    /// Only runs that ended badly because they broke this assumption met it.
    OnlyByBreaking(String),
    /// Only runs that differ from one another met it.
    Unstable,
    /// Only a case met it whose results differ in a build of this name from those in others.
    DependsOnBuild(String),
    /// Only a case met it that ends otherwise as a test, namely so.
    EndsDifferently(String),
    /// Only runs met it that want this, which the sandbox forbids: `delete files`.
    WantsEffect(String),
    /// Only a case met it after which nothing can be asserted.
    NothingToAssert,
    /// The case that met it cannot be written as a test, for this reason.
    Unwritable(String),
    /// A test would show it, but only so many were wanted.
    TooManyTests(usize),
    /// There was no time for the function; what the budget was.
    NotSearched(String),
    /// The budget was spent.
    Budget,
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Infeasible(proof) if proof.is_empty() => formatter.write_str("proved infeasible"),
            Reason::Infeasible(proof) => write!(formatter, "proved infeasible: {proof}"),
            Reason::SolverLimit(after) => write!(formatter, "solver gave up {after}"),
            Reason::NeverReached(cause) => write!(formatter, "never reached: {cause}"),
            Reason::NotAnInput => formatter.write_str(
                "its condition depended on no input in any run; more time may help, or a caller that sets what it reads",
            ),
            Reason::RuledOut(paths) => {
                write!(formatter, "impossible on the {paths} tried, and the budget was spent")
            }
            Reason::Explored(gaps) => write!(formatter, "every path was explored, but not {gaps}"),
            Reason::Declined => formatter.write_str("the strategy had nothing left to try"),
            Reason::Interrupted => formatter.write_str("the search was interrupted"),
            Reason::Skipped(why) => write!(formatter, "the function cannot be called: {why}"),
            Reason::NeedsEnvironment(what) => write!(formatter, "needs environment: {what}"),
            Reason::StepLimit => formatter.write_str("step limit"),
            Reason::OnlyByFinding => formatter.write_str("met only by runs that end badly; see the findings"),
            Reason::OnlyByBreaking(what) => {
                write!(formatter, "met only by runs that end badly because it is assumed that {what}")
            }
            Reason::Unstable => formatter.write_str("met only by a case that behaves differently each time"),
            Reason::DependsOnBuild(build) => write!(
                formatter,
                "met only by a case whose result depends on the compiler ({build}): undefined behaviour is likely"
            ),
            Reason::EndsDifferently(how) => {
                write!(formatter, "met only by a case that ends otherwise as a test: {how}")
            }
            Reason::WantsEffect(what) => {
                write!(formatter, "only a run that wants to {what} shows it; --allow-effects writes a test")
            }
            Reason::NothingToAssert => {
                formatter.write_str("met only by a case after which nothing can be asserted")
            }
            Reason::Unwritable(why) => {
                write!(formatter, "met only by a case that cannot be written as C: {why}")
            }
            Reason::TooManyTests(most) => write!(formatter, "its test is left out: --max-tests {most}"),
            Reason::NotSearched(budget) => write!(formatter, "not searched, no time left: {budget}"),
            Reason::Budget => formatter.write_str("not met within the budget"),
        }
    }
}

/// What the search took.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Effort {
    /// Seconds.
    pub elapsed_s: f64,
    /// Runs by technique.
    pub runs: RunCounts,
    /// What the solver did.
    pub solver: SolverCounts,
    /// Flipped paths that went elsewhere.
    pub divergences: u64,
    /// Seconds that went into choosing between techniques.
    pub planning_s: f64,
}

/// Runs by technique.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct RunCounts {
    /// Drawn at random.
    pub random: u64,
    /// By search over inputs.
    pub search: u64,
    /// Traced.
    pub concolic: u64,
}

/// What the solver did.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct SolverCounts {
    /// All questions.
    #[serde(flatten)]
    pub all: Answers,
    /// Those that ask for more than an outcome: augmented path conditions.
    pub augmented: Answers,
    /// Who answered, the cheap layers first. A layer counts what it answered itself.
    pub layers: Vec<LayerCounts>,
}

/// What a layer of the solver answered itself.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct LayerCounts {
    /// Its name.
    pub name: &'static str,
    /// Answered with a model.
    pub sat: u64,
    /// Answered that there is none.
    pub unsat: u64,
    /// Seconds.
    pub time_s: f64,
}

/// How questions were answered.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Answers {
    /// Questions asked.
    pub queries: u64,
    /// Answered with a model.
    pub sat: u64,
    /// Answered that there is none.
    pub unsat: u64,
    /// Not answered.
    pub unknown: u64,
    /// Seconds.
    pub time_s: f64,
}

impl Access {
    /// A prototype where it is sure to say what the source says: functions that are not static and take and return only
    /// scalars of standard types, and for which the source has no names of its own. Debug information drops `const`, so prototypes with pointers are not repeated.
    #[must_use]
    pub fn choose<'a>(
        subject: &Subject,
        functions: &[FunctionId],
        found: impl IntoIterator<Item = &'a Found>,
        constants: &[Constants],
    ) -> Access {
        let is_set = |statement: &Statement| matches!(statement, Statement::Set { .. });
        let names_global =
            |found: &Found| !found.run.globals.is_empty() || found.case.statements.iter().any(is_set);
        let is_named = |function: &Function| {
            let params = function.signature.as_ref().map(|signature| signature.params.as_slice());
            let concern =
                |constants: &Constants| constants.concern(spelt(&function.name), params.unwrap_or_default());
            constants.iter().any(concern)
        };
        let is_visible = |function: &Function| has_plain_prototype(subject, function) && !is_named(function);
        let visible = functions.iter().all(|id| is_visible(subject.function(*id)));
        // The definitions of stubs need the types that the source has.
        let complete = subject.undefined.is_empty() && subject.stubs.iter().all(Stub::is_allocation);
        if complete && visible && !found.into_iter().any(names_global) {
            Access::Prototype
        } else {
            Access::IncludeSource
        }
    }
}

fn has_plain_prototype(subject: &Subject, function: &Function) -> bool {
    let Some(signature) = &function.signature else { return false };
    let types = signature.params.iter().map(|param| param.ty).chain([signature.result]);
    !function.internal && types.into_iter().all(|ty| standard_header(&subject.types, ty).is_some())
}

/// The header that declares a scalar type, empty if it needs none; none if it is not a standard scalar.
pub(crate) fn standard_header(types: &Types, ty: TypeId) -> Option<&'static str> {
    let definition = types.get(ty);
    let scalar =
        matches!(definition.shape, Shape::Void | Shape::Bool | Shape::Int { .. } | Shape::Float { .. });
    const KEYWORDS: &[&str] = &[
        "void", "_Bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "__int128",
    ];
    let name = types.spell(ty);
    if !scalar {
        return None;
    }
    if name.split(' ').all(|word| KEYWORDS.contains(&word)) {
        return Some("");
    }
    match name.as_str() {
        "size_t" | "ptrdiff_t" => Some("stddef.h"),
        "bool" => Some("stdbool.h"),
        "intptr_t" | "uintptr_t" | "intmax_t" | "uintmax_t" => Some("stdint.h"),
        _ => {
            let width = name.strip_prefix('u').unwrap_or(&name).strip_prefix("int")?.strip_suffix("_t")?;
            ["8", "16", "32", "64"].contains(&width).then_some("stdint.h")
        }
    }
}

impl Input {
    /// What tests of a function can say in C.
    #[must_use]
    pub fn wording(&self, function: FunctionId) -> Wording<'_> {
        let source = self.sources.get(self.source_of(function));
        let source = source.filter(|source| source.access == Access::IncludeSource);
        source.map_or(Wording::PLAIN, |source| Wording { constants: &source.constants, is_cpp: false })
    }

    /// The index of the source that a function is in; that of the first if its place is not known.
    #[must_use]
    pub fn source_of(&self, function: FunctionId) -> usize {
        let place = self.subject.function(function).place.as_ref();
        let of_place = |place: &Place| self.sources.iter().position(|source| source.file == place.file);
        place.and_then(of_place).unwrap_or(0)
    }
}

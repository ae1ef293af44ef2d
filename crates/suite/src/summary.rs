//! The summary: what was reached, what was not and why, as `summary.json`.

use crate::input::{Effort, Found, Input, Reason};
use crate::mcdc::{LOGICAL, Pair, Standing};
use crate::missing::{Missing, missing};
use crate::name::Namer;
use crate::name::condition::condition_at;
use crate::stop::{Stop, words};
use crate::suite::{Assumption, Finding, Suite};
use crate::taken_out::TakenOut;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use testwright_base::goal::Goal;
use testwright_base::ids::{FunctionId, GoalId, MutantId, OutcomeId};
use testwright_base::site::{Place, Site, SiteKind};

/// The summary of a suite.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The version of this format.
    pub version: u32,
    /// What the user named.
    pub target: String,
    /// The seed of the search.
    pub seed: u64,
    /// What the search took.
    #[serde(flatten)]
    pub effort: Effort,
    /// What the user should know about how the code was compiled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What the code uses and nobody defines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Missing>,
    /// Why the search ended, and what it leaves open.
    pub stop_reason: String,
    /// Whether the tests compiled and passed.
    pub verified: bool,
    /// Why they could not be verified, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unverified: Option<String>,
    /// The functions that tests were wanted for.
    pub functions: Vec<FunctionSummary>,
}

/// What was reached of a function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FunctionSummary {
    /// Its name.
    pub name: String,
    /// Why it has no tests, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// Why it was not searched, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_searched: Option<String>,
    /// What failed in its search by a fault of ours, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<String>,
    /// Outcomes of branches and switches.
    pub branches: Counts,
    /// Goals of other criteria: comparisons whose result is a value, errors.
    pub goals: BTreeMap<&'static str, Counts>,
    /// The clauses of its decisions, if logical goals were searched for: masking MC/DC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcdc: Option<Mcdc>,
    /// How many tests call it.
    pub tests: usize,
    /// How many cases a greedy cover of all that the search kept takes; there should be no more tests than that.
    pub greedy_cover: usize,
    /// The branches that no test shows.
    pub uncovered: Vec<Uncovered>,
    /// The small changes of the code that no test notices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub survivors: Vec<Survivor>,
    /// The findings.
    pub findings: Vec<FindingSummary>,
    /// What is assumed about inputs although nothing states it.
    pub assumptions: Vec<AssumptionSummary>,
    /// What was taken out of its tests when they were tried.
    pub taken_out: Vec<TakenOutSummary>,
    /// What its runs want that the sandbox forbids.
    pub effects: Vec<EffectSummary>,
}

/// Something that was taken out when the tests were tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TakenOutSummary {
    /// The test or reproducer.
    pub name: String,
    /// What of it: `test`, `assertion about result`.
    pub what: String,
    /// Why.
    pub why: String,
    /// Whether work was lost by it.
    pub lost: bool,
}

/// What runs of a function want that the sandbox forbids.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EffectSummary {
    /// What they want: `delete files`.
    pub wants_to: String,
    /// The simplest call that does, as C writes it.
    pub call: String,
}

/// An assumption about inputs, and what happens without it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AssumptionSummary {
    /// What is assumed: `items is not null`.
    pub assumed: String,
    /// What happens otherwise: `segmentation fault`.
    pub otherwise: String,
    /// The file; that of the function if the place is not known.
    pub file: String,
    /// The line; 0 if it is not known.
    pub line: u32,
    /// A call that breaks it, as C writes it.
    pub call: String,
}

/// How many goals there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// All of them.
    pub total: usize,
    /// Those that a test shows; of errors, those that a finding shows.
    pub covered: usize,
    /// Those that were proved to be impossible.
    pub infeasible: usize,
}

/// Masking MC/DC: which clauses were shown to decide by themselves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mcdc {
    /// How many.
    #[serde(flatten)]
    pub counts: Counts,
    /// Each clause, and the two tests that show it.
    pub pairs: Vec<Pair>,
}

/// A branch that no test shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Uncovered {
    /// The file; empty if it is not known.
    pub file: String,
    /// The line; 0 if it is not known.
    pub line: u32,
    /// The condition, as far as the line has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The outcome: `true`, `case 3`.
    pub outcome: String,
    /// Why.
    pub reason: String,
}

/// A small change of the code that no test notices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Survivor {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The kind of change: `ROR`, `AOR`, `LOR`, `UOI`, `CRO` or `SDL`.
    pub kind: String,
    /// What becomes of what.
    pub change: String,
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FindingSummary {
    /// What happened.
    pub kind: String,
    /// The file; that of the function if the place is not known.
    pub file: String,
    /// The line; 0 if it is not known.
    pub line: u32,
    /// The column; 0 if it is not known.
    pub column: u32,
    /// The call that shows it, as C writes it.
    pub call: String,
    /// The file with the case.
    pub case: String,
}

impl FindingSummary {
    /// Where it happened: `triangle.c:6:11`, or `somewhere in triangle`.
    #[must_use]
    pub fn place(&self, function: &str) -> String {
        let place = Place { file: self.file.clone(), line: self.line, column: self.column };
        if self.line > 0 { place.to_string() } else { format!("somewhere in {function}") }
    }
}

impl Summary {
    /// The summary of a suite.
    #[must_use]
    pub fn new(suite: &Suite) -> Summary {
        let reached = Reached::new(suite);
        let ids = &suite.input.functions;
        let functions: Vec<FunctionSummary> = ids.iter().map(|id| reached.function(*id)).collect();
        let ended = ids.iter().zip(&functions);
        let ended: Vec<_> =
            ended.map(|(id, function)| (suite.input.stops.get(id), function.branches)).collect();
        Summary {
            version: 1,
            target: suite.input.target.clone(),
            seed: suite.input.seed,
            effort: suite.input.effort.clone(),
            verified: suite.unverified.is_none(),
            unverified: suite.unverified.clone(),
            notes: suite.input.notes.clone(),
            missing: missing(&suite.input),
            stop_reason: words(&ended),
            functions,
        }
    }

    /// The summary as text.
    ///
    /// # Panics
    /// Never: all keys are strings.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("the summary has only string keys") + "\n"
    }
}

/// The criterion that has a column of its own.
const BRANCH: &str = "branch";
/// The criterion whose goals are mutants.
pub const MUTATION: &str = "mutation";

struct Reached<'a> {
    suite: &'a Suite,
    /// The runs whose inputs are all that the suite has, if so.
    inputs: Option<Vec<&'a Found>>,
    shown: BTreeSet<GoalId>,
    killed: BTreeSet<MutantId>,
    reasons: BTreeMap<GoalId, Reason>,
}

impl<'a> Reached<'a> {
    fn new(suite: &'a Suite) -> Reached<'a> {
        let inputs = suite.inputs();
        let mut shown: BTreeSet<GoalId> = match &inputs {
            Some(inputs) => inputs.iter().flat_map(|found| found.goals.iter().copied()).collect(),
            None => suite.tests.iter().flat_map(|test| test.goals.iter().copied()).collect(),
        };
        // Errors are shown by findings, not by tests.
        let goals = &suite.input.goals;
        let traps = suite.findings.iter().filter_map(|finding| trap(suite, finding));
        let errors = traps.chain(error_calls(suite)).flat_map(|outcome| goals.at(outcome)).copied();
        shown.extend(errors);
        // What the search knows comes last, so that it wins over what the suite knows of cases it left out.
        let of_left_out = suite
            .left_out
            .iter()
            .flat_map(|left_out| left_out.goals.iter().map(|goal| (*goal, left_out.reason.clone())));
        let of_search = suite.input.unmet.iter().map(|unmet| (unmet.goal, unmet.reason.clone()));
        let killed = match &inputs {
            Some(inputs) => inputs.iter().flat_map(|found| found.kills.iter().copied()).collect(),
            None => suite.tests.iter().flat_map(|test| test.kills.iter().copied()).collect(),
        };
        Reached { suite, inputs, shown, killed, reasons: of_left_out.chain(of_search).collect() }
    }

    fn function(&self, id: FunctionId) -> FunctionSummary {
        let definition = self.suite.input.subject.function(id);
        let others = self.suite.input.goals.criteria().filter(|criterion| *criterion != BRANCH);
        let mut goals: BTreeMap<&'static str, Counts> =
            others.map(|criterion| (criterion, self.counts(id, criterion))).collect();
        let (mutants, survivors) = self.mutants(id);
        // Mutants are no places that runs come to, so they are counted by themselves.
        goals.entry(MUTATION).and_modify(|counts| *counts = mutants);
        let findings = self.suite.findings.iter().filter(|finding| finding.function == id);
        FunctionSummary {
            name: definition.name.clone(),
            skipped: definition.uncallable.clone(),
            not_searched: match self.suite.input.stops.get(&id) {
                Some(Stop::NotSearched(budget)) => Some(format!("no time left: {budget}")),
                _ => None,
            },
            lost: self.suite.input.lost.get(&id).cloned(),
            branches: self.counts(id, BRANCH),
            goals,
            mcdc: self.mcdc(id),
            tests: self.tests(id),
            greedy_cover: self.suite.input.greedy_covers.get(&id).copied().unwrap_or(0),
            uncovered: self.uncovered(id),
            survivors,
            findings: findings.map(|finding| self.finding(finding)).collect(),
            assumptions: self.assumptions(id),
            taken_out: self.taken_out(id),
            effects: self.effects(id),
        }
    }

    /// How many tests call a function.
    fn tests(&self, id: FunctionId) -> usize {
        let calls = |found: &&&Found| found.case.call().is_some_and(|(function, _)| function == id);
        match &self.inputs {
            Some(inputs) => inputs.iter().filter(calls).count(),
            None => self.suite.tests.iter().filter(|test| test.function == id).count(),
        }
    }

    fn counts(&self, id: FunctionId, criterion: &str) -> Counts {
        let goals: Vec<GoalId> = self.suite.input.goals.within(id, criterion).map(|(goal, _)| goal).collect();
        let is_met = |goal: &&GoalId| self.shown.contains(goal);
        let is_infeasible = |goal: &&GoalId| matches!(self.reasons.get(goal), Some(Reason::Infeasible(_)));
        Counts {
            total: goals.len(),
            covered: goals.iter().filter(is_met).count(),
            infeasible: goals.iter().filter(|goal| !is_met(goal) && is_infeasible(goal)).count(),
        }
    }

    /// The clauses of a function; none if nobody asks for them, or there are none.
    fn mcdc(&self, id: FunctionId) -> Option<Mcdc> {
        let Input { subject, goals, line, .. } = &*self.suite.input;
        if !goals.sought.contains(LOGICAL) {
            return None;
        }
        let is_infeasible = |goal: GoalId| matches!(self.reasons.get(&goal), Some(Reason::Infeasible(_)));
        let test = |goal: GoalId| {
            let mut showing = self.suite.tests.iter().filter(|test| test.goals.contains(&goal));
            showing.next().map(|test| test.name.clone())
        };
        let (shown, is_infeasible, test) = (&self.shown, &is_infeasible, &test);
        let standing = Standing { subject, goals, shown, is_infeasible, test };
        let text = |pair: &Pair| {
            let place = Place { file: pair.file.clone(), line: pair.line, column: pair.column };
            condition_at(&line(&place)?, pair.column as usize).map(|condition| condition.text)
        };
        let pairs = standing.pairs(id).into_iter().map(|pair| Pair { clause: text(&pair), ..pair });
        let pairs: Vec<Pair> = pairs.collect();
        let count = |is_so: fn(&Pair) -> bool| pairs.iter().filter(|pair| is_so(pair)).count();
        let (covered, infeasible) = (count(|pair| pair.shown), count(|pair| pair.infeasible));
        let counts = Counts { total: pairs.len(), covered, infeasible };
        (counts.total > 0).then_some(Mcdc { counts, pairs })
    }

    /// The mutants of a function, and those that no test kills.
    fn mutants(&self, id: FunctionId) -> (Counts, Vec<Survivor>) {
        let all = &self.suite.input.subject.mutants;
        let own = all.iter().enumerate().filter(|(_, mutant)| mutant.function == id);
        let (equivalent, own): (Vec<_>, Vec<_>) = own.partition(|(_, mutant)| mutant.equivalent);
        let alive = |index: usize| !self.killed.contains(&MutantId::of(index));
        let survivors: Vec<Survivor> = own
            .iter()
            .filter(|(index, _)| alive(*index))
            .map(|(_, mutant)| Survivor {
                file: mutant.place.file.clone(),
                line: mutant.place.line,
                kind: mutant.kind.clone(),
                change: mutant.change.clone(),
            })
            .collect();
        let total = own.len() + equivalent.len();
        let covered = own.len() - survivors.len();
        (Counts { total, covered, infeasible: equivalent.len() }, survivors)
    }

    /// The goals of a function that were searched for, and that no test shows.
    fn uncovered(&self, id: FunctionId) -> Vec<Uncovered> {
        let Input { subject, goals, line, .. } = &*self.suite.input;
        let namer = Namer { subject, line: &**line };
        let is_missing = |(goal, _): &(GoalId, &Goal)| !self.shown.contains(goal);
        let sought = goals.iter().filter(|(goal, _)| goals.is_sought(*goal));
        let own = sought.filter(|(_, goal)| goal.function == id).filter(is_missing);
        own.filter_map(|(id, goal)| {
            let (site, index) = goals.site(subject, id)?;
            Some(Uncovered {
                condition: namer.condition(site),
                file: site.place.as_ref().map(|place| place.file.clone()).unwrap_or_default(),
                line: site.place.as_ref().map_or(0, |place| place.line),
                outcome: format!("{} {}", site.outcome_name(index), goal.detail).trim_end().to_owned(),
                reason: self.reasons.get(&id).unwrap_or(&Reason::Budget).to_string(),
            })
        })
        .collect()
    }

    fn taken_out(&self, id: FunctionId) -> Vec<TakenOutSummary> {
        let own = self.suite.taken_out.iter().filter(|taken| taken.function == id);
        let summary = |taken: &TakenOut| TakenOutSummary {
            name: taken.name.clone(),
            what: taken.part.to_string(),
            why: taken.cause.to_string(),
            lost: taken.cause.is_loss(),
        };
        own.map(summary).collect()
    }

    fn assumptions(&self, id: FunctionId) -> Vec<AssumptionSummary> {
        let own = self.suite.assumptions.iter().filter(|assumption| assumption.function == id);
        let summary = |assumption: &Assumption| {
            let FindingSummary { kind, file, line, call, .. } = self.finding(&assumption.broken_by);
            AssumptionSummary { assumed: assumption.text.clone(), otherwise: kind, file, line, call }
        };
        own.map(summary).collect()
    }

    fn effects(&self, id: FunctionId) -> Vec<EffectSummary> {
        let own = self.suite.wanted.iter().filter(|wanted| wanted.function == id);
        own.map(|wanted| EffectSummary { wants_to: wanted.what.clone(), call: wanted.call.clone() }).collect()
    }

    fn finding(&self, finding: &Finding) -> FindingSummary {
        let function = self.suite.input.subject.function(finding.function);
        let place = finding.place.as_ref();
        FindingSummary {
            kind: finding.kind.clone(),
            file: place.or(function.place.as_ref()).map(|place| place.file.clone()).unwrap_or_default(),
            line: place.map_or(0, |place| place.line),
            column: place.map_or(0, |place| place.column),
            call: finding.call.clone(),
            case: self.suite.case_path(finding.function, &finding.name),
        }
    }
}

/// The calls of error functions that some run made.
fn error_calls(suite: &Suite) -> BTreeSet<OutcomeId> {
    let errors = suite.input.subject.sites.iter().filter(|site| site.kind == SiteKind::Error);
    let mut errors: BTreeSet<OutcomeId> = errors.flat_map(Site::outcomes).collect();
    if !errors.is_empty() {
        let hit: BTreeSet<OutcomeId> =
            suite.input.found.iter().flat_map(|found| found.run.outcomes.iter().copied()).collect();
        errors.retain(|error| hit.contains(error));
    }
    errors
}

/// The outcome that a finding shows, if a check found it.
fn trap(suite: &Suite, finding: &Finding) -> Option<OutcomeId> {
    let testwright_base::run::End::Trap { site: Some(site), .. } = finding.end else { return None };
    let site = suite.input.subject.site(site)?;
    (site.outcome_count > 0).then_some(site.first_outcome)
}

//! Queries: what the code itself says about an object that a call made, after the call under test.
//!
//! A test knows such an object by its pointer only. Functions that look at one are asked before the call and after it:
//!
//! ```text
//! r0 = ring_new(16); ring_count(r0)                         0
//! r0 = ring_new(16); ring_push(r0, 9); ring_count(r0)       1: the call changed it, so the test asserts it
//! ```
//!
//! A query has to return the same each time, also when it is asked again and again, and must change nothing that others say. One that
//! fails in that is asked nowhere.

use super::patience::Patience;
use crate::build::loaded::LoadedSubject;
use std::collections::BTreeSet;
use testwright_base::build::Build;
use testwright_base::case::{Case, Value};
use testwright_base::ids::FunctionId;
use testwright_base::query::Query;
use testwright_base::run::{End, Run};
use testwright_exec::Session;
use testwright_search::execute::Execute as _;
use testwright_search::heuristics::Heuristic;
use testwright_suite::assert::{Habits, assertions, is_written};
use testwright_suite::{Found, Queried};

/// So many queries are tried after a call.
const TRIED: usize = 12;
/// A test asserts what so many of them say.
const KEPT: usize = 3;
/// So often a query is repeated in one run: what takes elements one by one shows it then.
const REPEATED: usize = 3;
/// Longer text is nothing to read in a test.
const MOST_TEXT: usize = 128;
/// So many runs the queries of one case take at most.
const RUNS: u64 = 200;

/// Adds to the cases of a function what queries say after them.
pub fn ask(code: &mut LoadedSubject, chosen: &mut [Found], patience: &Patience) {
    if !code.off().keeps(Heuristic::Queries) {
        return;
    }
    let runs = RUNS * chosen.len() as u64;
    patience.besides(runs, |patience| {
        let mut asking = Asking { code, patience, refused: BTreeSet::new() };
        let told: Vec<Vec<Told>> = chosen.iter().map(|found| asking.told(found)).collect();
        let silent = silent(asking.code, chosen);
        // Whoever is refused for one case is asked about none.
        loop {
            let kept: Vec<Vec<Told>> = chosen_of(&told, &silent, &asking.refused);
            let refused = asking.refused.len();
            let all = chosen.iter().zip(&kept).zip(&told);
            let kept: Vec<Vec<Queried>> =
                all.map(|((found, kept), told)| asking.lasting(found, kept, told)).collect();
            if asking.refused.len() == refused {
                chosen.iter_mut().zip(kept).for_each(|(found, kept)| found.queries = kept);
                break;
            }
        }
    });
}

/// A query after the call under test of a case.
#[derive(Debug, Clone, PartialEq)]
struct Told {
    queried: Queried,
    /// Whether it says something else than before the call.
    changed: bool,
}

/// Which of the cases have nothing that a test could assert.
fn silent(code: &LoadedSubject, chosen: &[Found]) -> Vec<bool> {
    let subject = code.subject();
    let Some((function, _)) = chosen.first().and_then(|found| found.case.call()) else { return Vec::new() };
    let habits = Habits::of(&subject, function, chosen);
    let tells = |value: &Value| !matches!(value, Value::Returned { .. });
    let is_silent = |found: &Found| {
        !assertions(&subject, found, &habits).iter().any(|assertion| tells(&assertion.part.value))
    };
    chosen.iter().map(is_silent).collect()
}

/// What is asserted of what queries say, case by case: what the call changed, then what another call of the function changed. A
/// test that would assert nothing asserts something that no call changed.
fn chosen_of(told: &[Vec<Told>], silent: &[bool], refused: &BTreeSet<FunctionId>) -> Vec<Vec<Told>> {
    let function = |told: &Told| told.queried.query.function;
    let asked = |told: &Told| (function(told), told.queried.query.number);
    let telling: BTreeSet<(FunctionId, i8)> =
        told.iter().flatten().filter(|told| told.changed).map(asked).collect();
    let of_case = |(told, silent): (&Vec<Told>, &bool)| {
        let mut kept: Vec<Told> = Vec::new();
        let mut add = |told: &Told, most: usize| {
            let is_new = !kept.iter().any(|kept| function(kept) == function(told));
            if kept.len() < most && is_new && !refused.contains(&function(told)) {
                kept.push(told.clone());
            }
        };
        told.iter().filter(|told| told.changed).for_each(|told| add(told, KEPT));
        told.iter().filter(|told| telling.contains(&asked(told))).for_each(|told| add(told, KEPT));
        told.iter().filter(|_| *silent).for_each(|told| add(told, 1));
        kept
    };
    told.iter().zip(silent).map(of_case).collect()
}

/// Queries that are being tried.
struct Asking<'a> {
    code: &'a mut LoadedSubject,
    patience: &'a mut Patience,
    /// Those that change something.
    refused: BTreeSet<FunctionId>,
}

impl Asking<'_> {
    /// What queries say after the call under test of a case, each time.
    fn told(&mut self, found: &Found) -> Vec<Told> {
        let is_stable = found.again.as_ref().is_some_and(|again| again.end == found.run.end);
        if found.run.end != End::Returned || found.strays || !is_stable {
            return Vec::new();
        }
        let asked: Vec<Query> = self.code.queries(&found.case).into_iter().take(TRIED).collect();
        asked.into_iter().filter_map(|query| self.told_by(found, query)).collect()
    }

    fn told_by(&mut self, found: &Found, query: Query) -> Option<Told> {
        if self.refused.contains(&query.function) {
            return None;
        }
        let subject = self.code.subject();
        let mut after = query.after(&subject, &found.case);
        if !subject.is_within_contracts(&after) {
            return None;
        }
        let result = self.answer(&after, &found.run)?;
        let again = self.answer(&after, &found.run)?;
        if again != result {
            return None;
        }
        for _ in 1..REPEATED {
            after = query.after(&subject, &after);
        }
        if self.answer(&after, &found.run)? != result {
            self.refused.insert(query.function);
            return None;
        }
        let before = query.instead(&subject, &found.case);
        let changed =
            before.is_some_and(|case| self.value(&case).map(|(_, value)| value) != Some(result.clone()));
        Some(Told { queried: Queried { query, result }, changed })
    }

    /// Those of what is to be kept that still say the same when they are asked in turn, as a test does, and after which others do, too.
    fn lasting(&mut self, found: &Found, kept: &[Told], told: &[Told]) -> Vec<Queried> {
        let subject = self.code.subject();
        let mut lasting = Vec::new();
        let mut case = found.case.clone();
        for Told { queried, .. } in kept {
            let query = queried.query;
            let after = query.after(&subject, &case);
            if self.answer(&after, &found.run).as_ref() != Some(&queried.result) {
                continue;
            }
            let others = told.iter().filter(|other| other.queried.query.function != query.function);
            let mut as_before = true;
            for other in others {
                let then = other.queried.query.after(&subject, &after);
                let said = self.answer(&then, &found.run);
                as_before &= said.as_ref() == Some(&other.queried.result);
                if said.is_some_and(|said| said != other.queried.result) {
                    self.refused.insert(query.function);
                }
            }
            if as_before && self.code.strays(&after).is_none() {
                lasting.push(queried.clone());
                case = after;
            }
        }
        lasting
    }

    /// What the last call of a case says, if its run does nothing else that a test of the call under test would show.
    fn answer(&mut self, case: &Case, alone: &Run) -> Option<Value> {
        let (run, value) = self.value(case)?;
        let is_quiet = run.output == alone.output
            && run.stub_calls == alone.stub_calls
            && run.effects == alone.effects
            && run.freed == alone.freed;
        is_quiet.then_some(value)
    }

    /// What the last call of a case returns, and the run.
    fn value(&mut self, case: &Case) -> Option<(Run, Value)> {
        if !self.patience.has_run() {
            return None;
        }
        let look = |session: &mut Session| session.run_looking_at(case, Build::RunWithDistances, &[]);
        let run = self.code.briefly(look).ok().filter(|run| run.end == End::Returned)?;
        let is_brief = |value: &Value| !matches!(value, Value::Array(text) if text.len() > MOST_TEXT);
        let value = Query::answer(&run).filter(|value| is_written(value) && is_brief(value))?;
        Some((run, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(function: u32, number: i8, changed: bool) -> Told {
        let query = Query { function: FunctionId(function), object: 0, number };
        Told { queried: Queried { query, result: Value::Int(7) }, changed }
    }

    fn check(told: &[Vec<Told>], silent: &[bool], refused: &[u32], expected: &[&[(u32, i8)]]) {
        let refused = refused.iter().map(|function| FunctionId(*function)).collect();
        let of_case = |kept: &Vec<Told>| {
            let query = |told: &Told| (told.queried.query.function.0, told.queried.query.number);
            kept.iter().map(query).collect::<Vec<_>>()
        };
        let chosen: Vec<Vec<(u32, i8)>> = chosen_of(told, silent, &refused).iter().map(of_case).collect();
        assert_eq!(chosen, expected);
    }

    #[test]
    fn what_changed_is_asserted_in_all_tests_and_each_function_is_asked_once() {
        let cases = [
            vec![
                told(1, 0, false),
                told(2, 0, false),
                told(2, 1, true),
                told(2, -1, true),
                told(3, 0, false),
            ],
            vec![told(1, 0, false), told(2, 0, false), told(2, 1, false), told(3, 0, true)],
        ];
        check(&cases, &[false, false], &[], &[&[(2, 1), (3, 0)], &[(3, 0), (2, 1)]]);
        check(&cases, &[false, false], &[2], &[&[(3, 0)], &[(3, 0)]]);
    }

    #[test]
    fn what_no_call_changes_is_asserted_only_where_nothing_else_is() {
        let cases = [vec![told(1, 0, false), told(2, 0, false)], vec![told(1, 0, false)]];
        check(&cases, &[true, false], &[], &[&[(1, 0)], &[]]);
        check(&cases, &[true, true], &[1], &[&[(2, 0)], &[]]);
    }

    #[test]
    fn a_test_asserts_no_more_than_a_few() {
        let case: Vec<Told> = (0..9).map(|function| told(function, 0, true)).collect();
        check(&[case], &[true], &[], &[&[(0, 0), (1, 0), (2, 0)]]);
    }
}

//! The archive: the best case per goal, and the runs that ended badly.
//!
//! A case whose run returned is better than one whose run did not, and best if it kept to its own memory; then a smaller one, then the earlier.

use crate::tree::RunId;
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::{GoalId, SiteId};
use testwright_base::run::End;
use testwright_base::site::CheckKind;

/// The best case for a goal.
#[derive(Debug, Clone)]
pub struct Kept {
    /// The run that showed it.
    pub run: RunId,
    /// Its case.
    pub case: Rc<Case>,
    /// What the case broke of what is assumed about inputs, if the run ended badly for that.
    pub broke: Option<String>,
    rank: Rank,
}

/// How a run ended, as far as the archive is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// As it says.
    As(End),
    /// Well, but it used memory that is not its own.
    Strayed,
}

/// A run that ended in a crash, a failed check, an endless loop or the like.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The run.
    pub run: RunId,
    /// How it ended.
    pub end: End,
    /// Its case.
    pub case: Rc<Case>,
    /// What the case broke of what is assumed about inputs, if that is why.
    pub broke: Option<String>,
}

/// Smaller is better: how it ended, scalars, size of the numbers.
type Rank = (u8, usize, u64);

/// What is worth keeping.
#[derive(Debug, Clone, Default)]
pub struct Archive {
    best: BTreeMap<GoalId, Kept>,
    findings: Vec<Finding>,
    /// The first case whose run strayed.
    strayed: Option<(RunId, Rc<Case>)>,
    seen: HashSet<(FindingKey, Option<String>)>,
    finding_count: u64,
}

/// Runs that ended in the same way at the same place show the same thing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum FindingKey {
    Trap(CheckKind, Option<SiteId>),
    Signal(i32, Option<SiteId>),
    Other(&'static str),
}

impl Archive {
    /// Takes note of a run, and of the assumption about inputs that it `broke`.
    pub fn add(&mut self, run: RunId, case: &Rc<Case>, ended: Ended, broke: Option<&str>, goals: &[GoalId]) {
        let broke = broke.map(str::to_owned);
        let rank = rank(case, ended);
        for goal in goals {
            let kept = || Kept { run, case: Rc::clone(case), broke: broke.clone(), rank };
            let best = self.best.entry(*goal).or_insert_with(kept);
            if rank < best.rank {
                *best = kept();
            }
        }
        let Ended::As(end) = ended else {
            self.strayed.get_or_insert_with(|| (run, Rc::clone(case)));
            return;
        };
        if let Some(key) = finding_key(end) {
            self.finding_count += u64::from(broke.is_none());
            if self.seen.insert((key, broke.clone())) {
                self.findings.push(Finding { run, end, case: Rc::clone(case), broke });
            }
        }
    }

    /// The best case for each goal that was shown, sought or not.
    #[must_use]
    pub fn best(&self) -> &BTreeMap<GoalId, Kept> {
        &self.best
    }

    /// The first run of each kind and place that ended badly.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The first case whose run ended well but used memory that is not its own.
    #[must_use]
    pub fn strayed(&self) -> Option<(RunId, &Rc<Case>)> {
        self.strayed.as_ref().map(|(run, case)| (*run, case))
    }

    /// How many runs ended badly without breaking an assumption.
    #[must_use]
    pub fn finding_count(&self) -> u64 {
        self.finding_count
    }
}

fn finding_key(end: End) -> Option<FindingKey> {
    match end {
        End::Returned | End::Exit(_) | End::Outside | End::Before => None,
        End::Trap { kind, site } => Some(FindingKey::Trap(kind, site)),
        End::Signal { signal, site, .. } => Some(FindingKey::Signal(signal, site)),
        End::Abort
        | End::StackOverflow
        | End::StepLimit
        | End::OutOfMemory
        | End::BadFree
        | End::Timeout
        | End::Damaged => Some(FindingKey::Other(end.name())),
    }
}

/// A call before the one under test counts as so many scalars.
const CALL: usize = 4;

fn rank(case: &Case, ended: Ended) -> Rank {
    let mut size = (0, 0);
    for statement in &case.statements {
        match statement {
            Statement::Object { values, .. } | Statement::Call { arguments: values, .. } => {
                values.iter().for_each(|value| weigh(value, &mut size));
            }
            Statement::Set { value, .. } => weigh(value, &mut size),
        }
    }
    size.0 += CALL * case.calls_before().count();
    let way = match ended {
        Ended::As(End::Returned) => 0,
        Ended::Strayed => 1,
        Ended::As(_) => 2,
    };
    (way, size.0, size.1)
}

/// Adds the number of scalars and the number of their bits.
fn weigh(value: &Value, size: &mut (usize, u64)) {
    size.0 += 1;
    match value {
        Value::Int(number) => size.1 += u64::from(128 - number.unsigned_abs().leading_zeros()),
        Value::Single(number) => size.1 += u64::from(32 - number.trailing_zeros()),
        Value::Double(number) => size.1 += u64::from(64 - number.trailing_zeros()),
        Value::Null | Value::Pointer { .. } | Value::Returned { .. } | Value::Stub(_) | Value::Address(_) => {
        }
        Value::Array(values) | Value::Record(values) => {
            values.iter().for_each(|value| weigh(value, size));
        }
        Value::Member(_, value) => weigh(value, size),
        Value::Bytes(bytes) => size.0 += bytes.len(),
    }
}
